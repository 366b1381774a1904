package load

import (
	"bytes"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
)

// A frame is a row of stop_times.txt without its trip and times. The trips of a line have the same
// frames in the same order. So most rows are in a frame whose cells were checked before, and if it is
// the one that followed the frame before, the row is not even split into cells.
type frame struct {
	stop, seq  int32
	next       int32     // the frame that followed it in a trip
	text       [2]uint32 // its cells that are stored as text: a range of frames.texts
	marks      [3]uint16 // where the key has the trip and the times
	isComplete bool      // its cells were read, without a finding
}

// frames has the frames of a file, up to a limit. Its zero value neither has nor finds frames.
type frames struct {
	r     *gtfs.Reader // nil: no frames
	cells [3]int       // the columns of the file with trip, arrival and departure, in its order
	what  [3]int       // what each of them has: tripCell, arrivalCell or departureCell
	keys  compact.Strings
	all   []frame
	texts []byte
	key   []byte
	guesses
}

const (
	tripCell = iota
	arrivalCell
	departureCell
)

const (
	// maxFrames and maxFrameBytes bound the memory of frames to about ten megabytes.
	maxFrames     = 1 << 16
	maxFrameBytes = 6 << 20
	maxFrame      = 512 // the bytes of a frame
	// A key is a row with a mark instead of each of the three cells. The rows have no such characters.
	cellMark, emptyMark = 0x1f, 0x1e
)

// newFrames returns no frames if the file lacks one of the three columns, or has manual rows.
func newFrames(x *rows, columns [3]int) *frames {
	f := &frames{r: x.r, what: [3]int{tripCell, arrivalCell, departureCell}}
	for i, c := range columns {
		f.cells[i] = x.col[c]
	}
	for _, k := range [...]int{0, 1, 0} { // three cells are in order after three steps
		if f.cells[k] > f.cells[k+1] {
			f.cells[k], f.cells[k+1] = f.cells[k+1], f.cells[k]
			f.what[k], f.what[k+1] = f.what[k+1], f.what[k]
		}
	}
	if x.overrides != nil || f.cells[0] < 0 {
		return &frames{}
	}
	return f
}

// current returns the number of the frame of the current row; -1 if it has none.
func (f *frames) current() int32 {
	if !f.work() {
		return -1
	}
	row := f.r.Plain()
	if row == nil || len(row) > maxFrame {
		return -1
	}
	if f.keys.Len() == maxFrames || f.keys.Bytes() > maxFrameBytes {
		f.keys = compact.Strings{}
		f.all = f.all[:0]
		f.texts = f.texts[:0]
	}
	var marks [3]uint16
	from := 0
	f.key = f.key[:0]
	for i, c := range f.cells {
		start, end := f.r.Place(c)
		f.key = append(f.key, row[from:start]...)
		marks[i] = uint16(len(f.key))
		if start < end {
			f.key = append(f.key, cellMark)
		} else {
			f.key = append(f.key, emptyMark)
		}
		from = end
	}
	f.key = append(f.key, row[from:]...)
	n, added := f.keys.Add(f.key)
	if added {
		f.all = append(f.all, frame{marks: marks, next: -1})
	}
	return n
}

// complete stores what the cells of a frame mean.
func (f *frames) complete(n int32, row *groupby.Row, text []byte) {
	to := &f.all[n]
	from := uint32(len(f.texts))
	f.texts = append(f.texts, text...)
	to.text = [2]uint32{from, uint32(len(f.texts))}
	to.stop, to.seq = row.C, row.Seq
	to.isComplete = true
}

// get returns a frame that is complete; nil if there is none. Numbers of forgotten frames may be those
// of others: they are guesses, which pass compares with the file.
func (f *frames) get(n int32) *frame {
	if n < 0 || int(n) >= len(f.all) || !f.all[n].isComplete {
		return nil
	}
	return &f.all[n]
}

// pass moves past the next row if it is in a frame, and of a trip. It sets the times of row.
func (f *frames) pass(n int32, trip []byte, row *groupby.Row) bool {
	fr := f.get(n)
	if fr == nil {
		return false
	}
	key, from := f.keys.Get(n), 0
	unread := f.r.Unread()
	rest := unread
	var times [3]int32
	for i, mark := range fr.marks {
		var ok bool
		rest, ok = bytes.CutPrefix(rest, key[from:mark])
		from = int(mark) + 1
		switch {
		case !ok:
		case f.what[i] == tripCell:
			rest, ok = bytes.CutPrefix(rest, trip)
		case key[mark] == emptyMark:
			times[f.what[i]] = noTime
		default:
			times[f.what[i]], rest, ok = cutTime(rest)
		}
		if !ok {
			return false
		}
	}
	rest, ok := bytes.CutPrefix(rest, key[from:])
	if !ok {
		return false
	}
	row.A, row.B = times[arrivalCell], times[departureCell]
	f.r.Skip(len(unread) - len(rest))
	return true
}

// work reports whether there are frames, and rows follow in those that are expected. In a file whose
// rows are mixed, or have a distance of their own each, frames would cost more than they save.
func (f *frames) work() bool { return f.r != nil && f.pay() }

// cutTime removes and returns the time with which a text begins.
func cutTime(text []byte) (seconds int32, rest []byte, ok bool) {
	n := len("00:00:00")
	if len(text) > n && text[n-4] == ':' {
		n-- // 0:00:00
	}
	if len(text) < n {
		return 0, text, false
	}
	s, ok := gtfs.ParseTime(text[:n])
	return int32(s), text[n:], ok
}
