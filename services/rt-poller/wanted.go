package rtpoller

import (
	"sync"
	"time"
)

// wantedFor is how long a request counts at least without being repeated: then the reader has gone.
const wantedFor = 10 * time.Minute

// wanted is since when readers or the schedule wait for a good answer of a source, by the monotonic clock.
type wanted struct {
	mu          sync.Mutex
	first, last time.Time // question without an answer; zero: none
}

// ask notes a request. every is how often the schedule makes one.
func (w *wanted) ask(now time.Time, every time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first.IsZero() || now.Sub(w.last) > max(wantedFor, 2*every) {
		w.first = now
	}
	w.last = now
}

func (w *wanted) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first = time.Time{}
}

// since is how long a request has been waiting; 0 if there is none.
func (w *wanted) since(now time.Time, every time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first.IsZero() || now.Sub(w.last) > max(wantedFor, 2*every) {
		return 0
	}
	return now.Sub(w.first)
}
