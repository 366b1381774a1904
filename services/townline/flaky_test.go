package townline_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/services/townline/demo"
)

// flakyOptions say how badly a web server behaves: a share of its answers is replaced by an error page, by silence, by a
// cut body or by a closed connection. Which request fails how follows from the seed and the number of the request alone.
type flakyOptions struct {
	// Rate is the share of requests that fail, 0 to 1.
	Rate float64
	Seed uint64
	// Hang is how long a request is left without an answer before its connection closes; 0 means 30 seconds.
	Hang time.Duration
}

// flaky puts the failures before a handler. At rate 0 it returns the handler itself.
func flaky(h http.Handler, o flakyOptions) http.Handler {
	if o.Rate <= 0 {
		return h
	}
	if o.Hang == 0 {
		o.Hang = 30 * time.Second
	}
	var mu sync.Mutex // guards dice
	dice := rand.New(rand.NewPCG(o.Seed, 0xf1a4))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		fails, kind := dice.Float64() < o.Rate, dice.IntN(5)
		mu.Unlock()
		if !fails {
			h.ServeHTTP(w, r)
			return
		}
		switch kind {
		case 0:
			http.Error(w, "Server Error in '/' Application.", http.StatusInternalServerError)
		case 1:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "The service is unavailable.", http.StatusServiceUnavailable)
		case 2:
			select {
			case <-r.Context().Done():
			case <-time.After(o.Hang):
			}
			hangUp(w)
		case 3:
			hangUp(w)
		default:
			half(w, r, h)
		}
	})
}

// hangUp closes the connection without a word.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "Bad Gateway", http.StatusBadGateway) // a connection that cannot be taken over, as with HTTP/2
		return
	}
	_ = conn.Close() // nobody is left to read the error
}

// half announces the whole body and sends the first half of it; the server then closes the connection.
func half(w http.ResponseWriter, r *http.Request, h http.Handler) {
	whole := &keptAnswer{header: w.Header()}
	h.ServeHTTP(whole, r)
	if whole.status != http.StatusOK || whole.body.Len() < 2 || r.Method == http.MethodHead {
		hangUp(w)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(whole.body.Len()))
	w.WriteHeader(whole.status)
	_, _ = w.Write(whole.body.Bytes()[:whole.body.Len()/2]) // the connection breaks anyway
}

// keptAnswer keeps an answer instead of sending it.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *keptAnswer) Header() http.Header { return r.header }
func (r *keptAnswer) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}
func (r *keptAnswer) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}

// flakyOutcomes asks a server a hundred times and returns what came back each time.
func flakyOutcomes(t *testing.T, o flakyOptions) []string {
	t.Helper()
	page := strings.Repeat("minutes ", 1000)
	s := httptest.NewServer(flaky(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, page)
	}), o))
	defer s.Close()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	var out []string
	for range 100 {
		r, err := client.Get(s.URL)
		if err != nil {
			out = append(out, "no answer")
			continue
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		switch {
		case r.StatusCode >= 500:
			out = append(out, r.Status)
		case err != nil:
			out = append(out, "cut")
		case string(body) != page:
			t.Fatalf("a wrong body of %d bytes came with status 200", len(body))
		default:
			out = append(out, "fine")
		}
	}
	return out
}

func TestFailuresAreManyAndReproducible(t *testing.T) {
	t.Parallel()
	o := flakyOptions{Rate: 0.4, Seed: 3, Hang: time.Millisecond}
	got := flakyOutcomes(t, o)
	fine := len(got) - len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s == "fine" }))
	if fine < 45 || fine > 75 {
		t.Errorf("%d of 100 requests were answered at a rate of 0.4", fine)
	}
	for _, want := range []string{"no answer", "cut", "500 Internal Server Error", "503 Service Unavailable"} {
		if !slices.Contains(got, want) {
			t.Errorf("nothing failed with %q", want)
		}
	}
	if again := flakyOutcomes(t, o); !slices.Equal(got, again) {
		t.Error("the same seed failed otherwise")
	}
}

func TestRateZeroIsTheHandler(t *testing.T) {
	t.Parallel()
	for _, got := range flakyOutcomes(t, flakyOptions{}) {
		if got != "fine" {
			t.Fatalf("a server that must not fail: %s", got)
		}
	}
}

// TestAFlakyTown holds that the demo town can be made to fail.
func TestAFlakyTown(t *testing.T) {
	t.Parallel()
	town, err := demo.Start(t.Context(), demo.Options{Wrap: func(h http.Handler) http.Handler {
		return flaky(h, flakyOptions{Rate: 0.5, Seed: 1, Hang: time.Millisecond})
	}})
	if err != nil {
		t.Fatal(err)
	}
	fine, bad := 0, 0
	for range 40 {
		if r, err := http.Get(town.URL + "/robots.txt"); err != nil {
			bad++
		} else {
			_, err := io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if err == nil && r.StatusCode == http.StatusOK {
				fine++
			} else {
				bad++
			}
		}
	}
	if fine < 8 || bad < 8 {
		t.Errorf("%d answers and %d failures at a rate of a half", fine, bad)
	}
}
