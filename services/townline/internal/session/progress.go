package session

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
)

// A Progress is the progress bar of a long command. It is drawn on stderr if that is a terminal,
// otherwise nothing is drawn. It is safe for concurrent use.
type Progress struct {
	mu   sync.Mutex
	w    io.Writer
	draw bool
	name string
	bar  *progressbar.ProgressBar
}

func (s *Session) Progress(name string) *Progress {
	return &Progress{w: s.Stderr, draw: tty(s.Stderr), name: name}
}

// Step shows the progress of the named step. A new name starts a new bar.
func (p *Progress) Step(name string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.draw || total <= 0 {
		return
	}
	if p.bar == nil || name != p.name {
		p.finish()
		p.name = name
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription(fmt.Sprintf("%-20s", name)),
			progressbar.OptionSetWidth(40), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(60_000_000))
	}
	p.bar.ChangeMax64(total)
	_ = p.bar.Set64(min(done, total)) // drawing errors do not matter
}

// Note prints a line above the bar.
func (p *Progress) Note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // drawing errors do not matter
	}
	fmt.Fprintln(p.w, line)
}

// Close ends the last bar. Later calls do nothing.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish()
}

func (p *Progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish() // drawing errors do not matter
		fmt.Fprintln(p.w)
		p.bar = nil
	}
}

func tty(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
