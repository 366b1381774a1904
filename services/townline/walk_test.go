package townline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A walker follows every link of the transit API from its root and compares each answer with the
// feed's own CSV.
type walker struct {
	base   string // https://host/gtfs/api/v2
	model  *feedModel
	client http.Client

	mu    sync.Mutex
	seen  map[string]bool
	queue []string
	busy  int
	wake  *sync.Cond
	count map[string]int             // number of answers by resource
	calls map[string]map[string]bool // calls seen, by stop
	trips map[string]map[string]bool // trips seen, by stop
	pages map[string]bool            // pages of the collected lists
	fault []string
}

// workers is the number of concurrent requests.
const workers = 4

// maxFaults is the number of reported differences after which the walk ends.
const maxFaults = 20

// walk requests everything reachable by links from the feed's resource, and reports every
// difference from the feed. It returns the number of answers by resource.
func walk(t *testing.T, base string, model *feedModel) (count map[string]int) {
	t.Helper()
	w := &walker{base: base, model: model, seen: map[string]bool{}, count: map[string]int{},
		calls: map[string]map[string]bool{}, trips: map[string]map[string]bool{}, pages: map[string]bool{}}
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: workers}
	defer w.client.CloseIdleConnections()
	w.wake = sync.NewCond(&w.mu)
	w.add(base + "/")
	var g sync.WaitGroup
	for range workers {
		g.Go(func() { w.work(t.Context()) })
	}
	g.Wait()
	w.totals()
	for _, f := range w.fault {
		t.Error(f)
	}
	t.Logf("%s: %d answers, %v", model.alias, len(w.seen), w.count)
	return w.count
}

// add queues an address if it is new and about this feed.
func (w *walker) add(href string) {
	if feed, ok := strings.CutPrefix(href, w.base+"/feeds/"); ok {
		if alias, _, _ := strings.Cut(feed, "/"); alias != w.model.alias {
			return
		}
	}
	if w.seen[href] {
		return
	}
	w.seen[href] = true
	w.queue = append(w.queue, href)
	w.wake.Signal()
}

func (w *walker) work(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.busy > 0 && len(w.fault) < maxFaults {
			w.wake.Wait()
		}
		if len(w.queue) == 0 || len(w.fault) >= maxFaults || ctx.Err() != nil {
			w.wake.Broadcast()
			return
		}
		href := w.queue[len(w.queue)-1] // depth first, which keeps the queue short
		w.queue = w.queue[:len(w.queue)-1]
		w.busy++
		w.mu.Unlock()
		links, err := w.visit(ctx, href)
		w.mu.Lock()
		w.busy--
		if err != nil {
			w.fault = append(w.fault, fmt.Sprintf("%s: %v", href, err))
		}
		for _, l := range links {
			w.add(l)
		}
		w.wake.Broadcast()
	}
}

// An answer is one envelope. A single resource counts as a list with one item.
type answer struct {
	Meta struct {
		TotalCount, DataCount, Limit, Offset int
		Links                                map[string]any
	}
	Data json.RawMessage
	path []string // decoded segments of the path below the base
	rows []map[string]any
}

// visit requests one address, checks the answer, and returns its links.
func (w *walker) visit(ctx context.Context, href string) ([]string, error) {
	a, err := w.ask(ctx, href)
	if err != nil {
		return nil, err
	}
	a.path, err = segments(strings.TrimPrefix(href, w.base))
	if err != nil {
		return nil, err
	}
	name := resource(a.path)
	links := targets(a.Meta.Links)
	switch {
	case len(a.Data) > 0 && a.Data[0] == '[':
		err = json.Unmarshal(a.Data, &a.rows)
		if err == nil && len(a.rows) != a.Meta.DataCount {
			err = fmt.Errorf("dataCount %d for %d items", a.Meta.DataCount, len(a.rows))
		}
	case len(a.Data) > 0 && a.Data[0] == '{':
		a.rows = make([]map[string]any, 1)
		err = json.Unmarshal(a.Data, &a.rows[0])
	}
	if err != nil {
		return nil, err
	}
	for _, r := range a.rows {
		if l, ok := r["links"].(map[string]any); ok {
			links = append(links, targets(l)...)
		}
		if l, ok := r["link"].(string); ok {
			links = append(links, l)
		}
	}
	w.mu.Lock()
	w.count[name]++
	w.mu.Unlock()
	check := checkOf(name)
	if check == nil {
		check = (*walker).envelope
	}
	return links, check(w, a)
}

func (w *walker) ask(ctx context.Context, href string) (*answer, error) {
	body, err := w.fetch(ctx, href)
	if err != nil {
		return nil, err
	}
	a := &answer{}
	// Line ends within cells become \n, as encoding/csv reads them.
	return a, json.Unmarshal(bytes.ReplaceAll(body, []byte(`\r\n`), []byte(`\n`)), a)
}

// fetch returns the body of an address that must have status 200.
func (w *walker) fetch(ctx context.Context, href string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, href, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %.300s", res.Status, body)
	}
	return body, err
}

func segments(target string) ([]string, error) {
	target, _, _ = strings.Cut(target, "?")
	var out []string
	for s := range strings.SplitSeq(strings.Trim(target, "/"), "/") {
		id, err := url.PathUnescape(s)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// resource returns a path without its ids: "feeds/*/stops/*". Names and ids alternate, except for
// the direction at the end of a schedule.
func resource(path []string) string {
	out := slices.Clone(path)
	for i := range out {
		if i%2 == 1 || i == 8 && out[6] == "schedules" {
			out[i] = "*"
		}
	}
	return strings.Join(out, "/")
}

func targets(links map[string]any) []string {
	var out []string
	for _, l := range links {
		if href, ok := l.(string); ok {
			out = append(out, href)
		}
	}
	return out
}
