package rtpoller

import (
	"sync"
	"time"
)

// wantedFor is how long a question counts at least that nobody repeats: who asked has gone.
const wantedFor = 10 * time.Minute

// wanted is since when a good answer of a source is waited for, by readers or by schedule. It goes by the time that passes in
// this process, whatever any clock says.
type wanted struct {
	mu          sync.Mutex
	first, last time.Time // question without an answer; zero: none
}

// ask notes a question. every is how often the schedule asks.
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

// since is how long somebody has been waiting; 0 when nobody is.
func (w *wanted) since(now time.Time, every time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first.IsZero() || now.Sub(w.last) > max(wantedFor, 2*every) {
		return 0
	}
	return now.Sub(w.first)
}
