// Package flaky makes a web server behave badly at random, so that tests can show that its readers cope.
//
// A share of the answers is replaced by an error page, by silence, by a cut body or by a closed connection. Which request fails how
// follows from the seed and the number of the request alone. Wrap is all there is; package demo wraps its portal and agency with it.
package flaky

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Options say how badly.
type Options struct {
	// Rate is the share of requests that fail, 0 to 1.
	Rate float64
	Seed uint64
	// Hang is how long a request is left without an answer before its connection closes; 0 means 30 seconds.
	Hang time.Duration
}

// Wrap puts the failures before a handler. At rate 0 it returns the handler itself.
func Wrap(h http.Handler, o Options) http.Handler {
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
	_ = conn.Close() // there is nobody left to tell
}

// half announces the whole body and sends the first half of it; the server then closes the connection.
func half(w http.ResponseWriter, r *http.Request, h http.Handler) {
	whole := &recorder{header: w.Header()}
	h.ServeHTTP(whole, r)
	if whole.status != http.StatusOK || whole.body.Len() < 2 || r.Method == http.MethodHead {
		hangUp(w)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(whole.body.Len()))
	w.WriteHeader(whole.status)
	_, _ = w.Write(whole.body.Bytes()[:whole.body.Len()/2]) // the connection breaks anyway
}

// recorder keeps an answer instead of sending it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}
func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}
