package townline_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// flakyOptions configure the failures of a web server: a share of its answers is replaced by an
// error page, a timeout, a truncated body or a closed connection. The kind of failure depends only
// on the seed and the number of the request.
type flakyOptions struct {
	// Rate is the share of requests that fail, from 0 to 1.
	Rate float64
	Seed uint64
	// Failed counts the failures.
	Failed *atomic.Int64
	// Hang is how long a request without an answer waits until its connection is closed.
	Hang time.Duration
}

func flaky(h http.Handler, o flakyOptions) http.Handler {
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
		o.Failed.Add(1)
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

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "Bad Gateway", http.StatusBadGateway) // the connection cannot be hijacked, as with HTTP/2
		return
	}
	_ = conn.Close() // the connection is lost anyway
}

// half announces the complete length but sends only the first half of the body; the server then
// closes the connection.
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

// keptAnswer stores an answer instead of sending it.
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
