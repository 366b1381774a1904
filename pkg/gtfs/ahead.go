package gtfs

import (
	"fmt"
	"io"
)

// aheadFrom is the size of a file from which it is inflated in a separate goroutine.
const aheadFrom = 4 << 20

// ahead reads from a source while the caller uses earlier bytes.
type ahead struct {
	src   io.ReadCloser
	full  chan piece
	empty chan []byte
	done  chan struct{}
	now   piece
	whole []byte
}

// piece is a part of the source, with the error at its end.
type piece struct {
	data []byte
	err  error
}

func readAhead(src io.ReadCloser) *ahead {
	a := &ahead{src: src, full: make(chan piece, 2), empty: make(chan []byte, 3), done: make(chan struct{})}
	for range 3 {
		a.empty <- make([]byte, 64<<10)
	}
	go a.run()
	return a
}

func (a *ahead) run() {
	defer close(a.full)
	defer func() {
		// A panic of the source fails the file, not the process.
		if p := recover(); p != nil {
			select {
			case a.full <- piece{err: fmt.Errorf("panic while a file is inflated: %v", p)}:
			case <-a.done:
			}
		}
	}()
	defer func() { _ = a.src.Close() }()
	for {
		var buf []byte
		select {
		case buf = <-a.empty:
		case <-a.done:
			return
		}
		n, err := io.ReadFull(a.src, buf)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		select {
		case a.full <- piece{buf[:n], err}:
		case <-a.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader.
func (a *ahead) Read(p []byte) (int, error) {
	for len(a.now.data) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.whole != nil {
			a.empty <- a.whole[:cap(a.whole)]
		}
		a.now = <-a.full
		a.whole = a.now.data
	}
	n := copy(p, a.now.data)
	a.now.data = a.now.data[n:]
	return n, nil
}

// Close ends the reading, and waits until the source is closed.
func (a *ahead) Close() error {
	close(a.done)
	for range a.full {
		continue // drop unread pieces
	}
	return nil
}
