package rest_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

// A pusher is an API with one endpoint, whose body is a word. Tests change the word.
type pusher struct {
	*rest.Server
	mu      sync.Mutex
	word    string
	gen     int64
	until   time.Time
	changed chan struct{}
	locked  atomic.Bool // Access denies all requests
}

func newPusher(t *testing.T, most int) *pusher {
	t.Helper()
	p := &pusher{word: "one", gen: 1, changed: make(chan struct{})}
	type params struct {
		ID string `path:"id" pattern:"^[a-z]+$"`
	}
	source := rest.Source[params, string]{
		Now: func(context.Context, *rest.Call, params) (string, rest.Generation, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if !p.until.IsZero() && !time.Now().Before(p.until) {
				p.word, p.until = "by the clock", time.Time{}
				p.gen++
			}
			return p.word, rest.Generation{N: p.gen, Until: p.until}, nil
		},
		Changed: func() <-chan struct{} {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.changed
		},
	}
	type body struct {
		Word string `json:"word"`
	}
	var err error
	p.Server, err = rest.New(rest.Config{Name: "p", Dialect: messages(), Base: "/v1", PublicURL: "https://p.example/v1",
		Listeners: most,
		Access: func(*http.Request, *rest.Spec) (rest.Grant, error) {
			if p.locked.Load() {
				return rest.Grant{}, rest.Forbidden("no longer")
			}
			return rest.Grant{}, nil
		},
	}, rest.Table{
		rest.From(rest.Spec{ID: "word", Path: "/words/{id}", Summary: "A word", Kind: rest.Realtime}, source,
			func(_ context.Context, _ *rest.Call, _ params, word string) (body, error) {
				return body{word}, nil
			}),
		rest.Func(rest.Spec{ID: "still", Path: "/still", Summary: "Never pushed"},
			func(context.Context, *rest.Call, rest.None) (body, error) {
				return body{}, nil
			}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// set changes the word and reports the change. A new generation alone does not change the body.
func (p *pusher) set(word string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.word = word
	p.gen++
	close(p.changed)
	p.changed = make(chan struct{})
}

// subscribe opens a stream. The channel yields each event as "id data".
func subscribe(t *testing.T, url string, headers ...string) (*http.Response, <-chan string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	events := make(chan string)
	go func() {
		defer close(events)
		id := ""
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if v, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				events <- id + " " + v
			}
		}
	}()
	return res, events
}

// next waits for an event. It returns "" at the end of the stream.
func next(t *testing.T, events <-chan string) string {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(2 * time.Minute):
		t.Fatal("no event within two minutes")
		return ""
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	p := newPusher(t, 10)
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	api := resttest.Open(t, p.Server)
	res, events := subscribe(t, srv.URL+"/v1/words/a")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" ||
		res.Header.Get("Cache-Control") != "no-store" {
		t.Fatal(res.Status, res.Header)
	}
	first := next(t, events)
	plain := api.Get(t, "/v1/words/a", "Accept", "application/json")
	tag, data, _ := strings.Cut(first, " ")
	if data != `{"word":"one"}` || strconv.Quote(tag) != plain.Header.Get("ETag") {
		t.Fatalf("got %s, a plain request has %s", first, plain.Header.Get("ETag"))
	}
	// A client that reconnects gets only new data.
	_, again := subscribe(t, srv.URL+"/v1/words/a", "Last-Event-ID", tag)
	p.set("one") // the word is unchanged
	p.set("two")
	for _, e := range []<-chan string{events, again} {
		if got := next(t, e); !strings.HasSuffix(got, `{"word":"two"}`) {
			t.Error(got)
		}
	}
	// A busy machine may send the next word only after the end of the time. Then it gets more time.
	sent := func(word string) bool { return strings.HasSuffix(next(t, events), `{"word":"`+word+`"}`) }
	for left := 20 * time.Millisecond; ; left *= 4 {
		p.mu.Lock()
		p.until = time.Now().Add(left)
		p.mu.Unlock()
		p.set("three")
		if sent("three") {
			break
		}
		if left > time.Minute {
			t.Fatal("the stream never sends the third word")
		}
	}
	if !sent("by the clock") {
		t.Error("the stream does not send the word that changed by the clock")
	}
	p.locked.Store(true)
	p.set("secret")
	if got := next(t, events); got != "" {
		t.Errorf("sent to a client without permission: %s", got)
	}
}

func TestPushRefusals(t *testing.T) {
	t.Parallel()
	p := newPusher(t, 1)
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	api := resttest.Open(t, p.Server)
	for _, c := range []struct {
		path, accept string
		status       int
	}{
		{"/v1/words/1", "text/event-stream", 404},
		{"/v1/still", "text/event-stream", 406},
		{"/v1/words/a", "text/html", 406},
		{"/v1/words/a", "text/event-stream;q=0", 406},
		{"/v1/words/a", "application/json, text/event-stream", 200},
	} {
		if got := api.Get(t, c.path, "Accept", c.accept); got.Status != c.status ||
			!strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
			t.Errorf("%s as %s: %d %v", c.path, c.accept, got.Status, got.Header)
		}
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/v1/words/a", nil)
	req.Header.Set("Accept", "text/event-stream")
	rec := httptest.NewRecorder()
	p.ServeHTTP(rec, req)
	if rec.Code != 200 || rec.Body.Len() > 0 || rec.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	first, events := subscribe(t, srv.URL+"/v1/words/a")
	next(t, events)
	res, _ := subscribe(t, srv.URL+"/v1/words/a")
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("one stream more than the limit: %d", res.StatusCode)
	}
	// A client that leaves frees its place even before the next heartbeat.
	if err := first.Body.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(rest.Heartbeat - time.Second); res.StatusCode != http.StatusOK; res,
		_ = subscribe(t, srv.URL+"/v1/words/a") {
		if time.Now().After(deadline) {
			t.Fatal("a client that has left still counts")
		}
	}
}

// When the server stops, streams end at once and without an error.
func TestPushEndsWithTheServer(t *testing.T) {
	t.Parallel()
	p := newPusher(t, 10)
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Serve(ctx, ln) }()
	res, events := subscribe(t, "http://"+ln.Addr().String()+"/v1/words/a")
	next(t, events)
	stop()
	if got := next(t, events); got != "" {
		t.Error(got)
	}
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Errorf("the stream broke off when the server stopped: %v", err)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(rest.Heartbeat):
		t.Error("streams delay the shutdown")
	}
}

// No cache keeps an answer beyond its Until.
func TestUntilBoundsCaches(t *testing.T) {
	t.Parallel()
	p := newPusher(t, 1)
	api := resttest.Open(t, p.Server)
	for _, c := range []struct {
		left time.Duration
		want string
	}{{time.Hour, "public, max-age=5"}, {3500 * time.Millisecond, "public, max-age=3"},
		{900 * time.Millisecond, "public, no-cache"}} {
		// On a busy machine the last half second may pass before the answer: then it is asked again.
		got := ""
		for start := time.Now(); got != c.want && time.Since(start) < time.Minute; {
			began := time.Now()
			p.mu.Lock()
			p.until = began.Add(c.left)
			p.mu.Unlock()
			got = api.Get(t, "/v1/words/a?_format=json").Header.Get("Cache-Control")
			if time.Since(began) < 500*time.Millisecond {
				break
			}
		}
		if got != c.want {
			t.Errorf("%s before the end: %q, want %q", c.left, got, c.want)
		}
	}
}
