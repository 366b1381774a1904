package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A half is one of the two APIs.
type half struct {
	name   string // "council" or "transit"
	public string // start of links in bodies
	base   string // path of the API
	suffix string // query that every request needs
}

var halves = []half{
	{"council", "https://council.town.example", "/v1", ""},
	{"transit", "https://transit.town.example", "/gtfs/api/v2", "_format=json"},
}

// An answer is the ETag and the hash of a body.
type answer struct {
	tag  string
	body [sha256.Size]byte
}

// A library has the answers of an API at one time, by path and query.
type library map[string]answer

// perList bounds the number of entries of a list that are read individually.
const perList = 60

// crawl reads an API by its description and links: paths without parameters, pages of lists, their
// entries and links, and paths below. It keeps answers with an ETag.
func crawl(ctx context.Context, h half, t *target) (library, error) {
	c := &crawler{half: h, target: t, found: library{}, known: map[string]bool{}}
	index, err := c.get(ctx, h.base+"/openapi.json")
	if err != nil {
		return nil, err
	}
	var description struct{ Paths map[string]any }
	if err := json.Unmarshal(index.body, &description); err != nil {
		return nil, fmt.Errorf("read the description of %s: %w", h.name, err)
	}
	for path := range description.Paths {
		if !kept(path) {
			continue
		}
		c.templates = append(c.templates, path)
		if !strings.Contains(path, "{") {
			c.add(h.base + path)
		}
	}
	slices.Sort(c.templates)
	for len(c.queue) > 0 {
		batch := c.queue
		c.queue = nil
		var wg sync.WaitGroup
		work := make(chan string)
		for range 4 {
			wg.Go(func() {
				for path := range work {
					c.visit(ctx, path)
				}
			})
		}
		for _, path := range batch {
			work <- path
		}
		close(work)
		wg.Wait()
		if c.failed != nil || ctx.Err() != nil {
			return nil, fmt.Errorf("read all of %s: %w", h.name, c.failed)
		}
	}
	return c.found, nil
}

// kept reports whether the answer of a path changes only with the generation. Realtime data and
// annotations change at any time, and council-ingest writes the files of a generation with a delay.
func kept(path string) bool {
	return !strings.Contains(path, "/rt/") && !strings.HasPrefix(path, "/display/annotations") &&
		!strings.HasPrefix(path, "/export")
}

type crawler struct {
	half
	target    *target
	templates []string

	mu     sync.Mutex
	found  library
	known  map[string]bool
	queue  []string
	failed error
}

func (c *crawler) add(path string) {
	if !c.known[path] {
		c.known[path] = true
		c.queue = append(c.queue, path)
	}
}

// withSuffix returns the path with the query that every request needs.
func (h half) withSuffix(path string) string {
	switch {
	case h.suffix == "" || strings.Contains(path, h.suffix):
		return path
	case strings.Contains(path, "?"):
		return path + "&" + h.suffix
	}
	return path + "?" + h.suffix
}

type page struct {
	status int
	header http.Header
	body   []byte
}

func (c *crawler) get(ctx context.Context, path string) (page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.target.address+c.withSuffix(path), nil)
	if err != nil {
		return page{}, err
	}
	res, err := c.target.client.Do(req)
	if err != nil {
		return page{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return page{res.StatusCode, res.Header, body}, err
}

func (c *crawler) visit(ctx context.Context, path string) {
	got, err := c.get(ctx, path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && got.status >= 500 {
		err = fmt.Errorf("GET %s: %s: %.300s", path, http.StatusText(got.status), got.body)
	}
	if err != nil {
		c.failed = err
		return
	}
	if got.status != http.StatusOK {
		return // it lacks a required parameter, or the document is missing
	}
	if tag := got.header.Get("ETag"); tag != "" {
		c.found[c.withSuffix(path)] = answer{tag, sha256.Sum256(got.body)}
	}
	if !strings.Contains(got.header.Get("Content-Type"), "json") || strings.HasSuffix(path, "/openapi.json") {
		return
	}
	var value any
	if json.Unmarshal(got.body, &value) != nil {
		c.failed = fmt.Errorf("GET %s: not JSON: %.300s", path, got.body)
		return
	}
	c.follow(path, value)
}

// follow queues the next page, the entries of a list, the links in a body, and the paths in the
// description below the path.
func (c *crawler) follow(path string, value any) {
	plain, _, _ := strings.Cut(path, "?")
	if object, is := value.(map[string]any); is {
		if cursor, is := object["next_cursor"].(string); is {
			c.add(plain + "?cursor=" + url.QueryEscape(cursor))
		}
		rows, _ := object["data"].([]any)
		for i, row := range rows {
			if entry, is := row.(map[string]any); is && i < perList {
				c.entry(plain, entry)
			}
		}
	}
	c.links(value)
	for _, t := range c.templates {
		if rest, below := c.below(t, plain); below && rest != "" && !strings.Contains(rest, "{") {
			c.add(plain + rest)
		}
	}
}

// below reports whether a path template begins with the path, and returns the rest.
func (c *crawler) below(template, path string) (string, bool) {
	want := strings.Split(c.base+template, "/")
	have := strings.Split(path, "/")
	if len(want) < len(have) {
		return "", false
	}
	for i, segment := range have {
		if segment != want[i] && !strings.HasPrefix(want[i], "{") {
			return "", false
		}
	}
	rest := want[len(have):]
	if len(rest) == 0 {
		return "", true
	}
	return "/" + strings.Join(rest, "/"), true
}

func (c *crawler) entry(list string, row map[string]any) {
	for _, t := range c.templates {
		rest, below := c.below(t, list)
		name, is := strings.CutPrefix(rest, "/{")
		name, ends := strings.CutSuffix(name, "}")
		if !below || !is || !ends || strings.ContainsAny(name, "{}/") {
			continue
		}
		for _, key := range []string{name, "iqm2_id", "id"} {
			if id, is := row[key]; is && id != nil {
				if n, is := id.(float64); is {
					id = int64(n)
				}
				c.add(list + "/" + url.PathEscape(fmt.Sprint(id)))
				break
			}
		}
	}
}

func (c *crawler) links(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			c.links(inner)
		}
	case []any:
		for i, inner := range v {
			if i < perList {
				c.links(inner)
			}
		}
	case string:
		if path, is := strings.CutPrefix(v, c.public); is && strings.HasPrefix(path, c.base+"/") &&
			kept(strings.TrimPrefix(path, c.base)) && !strings.ContainsAny(path, "{}#") {
			c.add(strings.TrimSuffix(strings.ReplaceAll(path, c.suffix, ""), "?"))
		}
	}
}
