package gather

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// late keeps rows in memory, and beyond a limit in sorted runs in a temporary file. They are all
// there when they are merged.
type late struct {
	rows []lateRow
	text []byte
	file *os.File
	size int64
	runs []int64 // where each run ends in file
}

type lateRow struct {
	Group int32
	Row
}

func byGroup(a, b lateRow) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Seq, b.Seq))
}

func (l *late) add(group int32, row Row, text []byte, limit int) error {
	row.start = uint32(len(l.text))
	l.text = append(l.text, text...)
	row.end = uint32(len(l.text))
	l.rows = append(l.rows, lateRow{group, row})
	if len(l.text)+(rowBytes+4)*len(l.rows) < limit {
		return nil
	}
	return l.spill()
}

// spill writes the rows in memory as a run.
func (l *late) spill() (err error) {
	if l.file == nil {
		l.file, err = os.CreateTemp("", "gtfs-rows-*")
		if err != nil {
			return fmt.Errorf("keep late rows: %w", err)
		}
		// An unlinked file disappears with the process.
		_ = os.Remove(l.file.Name())
	}
	slices.SortStableFunc(l.rows, byGroup)
	w := bufio.NewWriterSize(l.file, 256<<10)
	var fixed []byte
	for i := range l.rows {
		r := &l.rows[i]
		fixed = fixed[:0]
		for _, n := range [...]int32{r.Group, r.Seq, r.Line, r.A, r.B, r.C, int32(r.end - r.start)} {
			fixed = binary.LittleEndian.AppendUint32(fixed, uint32(n))
		}
		_, _ = w.Write(fixed) // Flush reports errors
		_, _ = w.Write(l.text[r.start:r.end])
		l.size += int64(len(fixed)) + int64(r.end-r.start)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("keep late rows: %w", err)
	}
	l.runs = append(l.runs, l.size)
	l.rows, l.text = l.rows[:0], l.text[:0]
	return nil
}

// each emits the rows of each group, lowest group first.
func (l *late) each(emit func(*Rows) error) error {
	next, err := l.merge()
	if err != nil {
		return err
	}
	group := Rows{Late: true, sorted: true}
	for {
		row, text, err := next()
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return err
		}
		if len(group.Rows) > 0 && (end || row.Group != group.Group) {
			group.Sort()
			if err := emit(&group); err != nil {
				return err
			}
			group = Rows{Late: true, sorted: true, Rows: group.Rows[:0], text: group.text[:0]}
		}
		if end {
			return nil
		}
		group.Group = row.Group
		group.Add(row.Row, text)
	}
}

// merge returns a function that yields all rows in order of group and Seq, of
// equal ones the earliest first, and io.EOF after the last.
func (l *late) merge() (func() (lateRow, []byte, error), error) {
	if len(l.rows) > 0 {
		if err := l.spill(); err != nil {
			return nil, err
		}
	}
	var heads []*head
	var start int64
	for _, end := range l.runs {
		h := &head{r: bufio.NewReaderSize(io.NewSectionReader(l.file, start, end-start), 32<<10)}
		start = end
		if err := h.next(); err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	var last *head
	return func() (lateRow, []byte, error) {
		if last != nil {
			if err := last.next(); errors.Is(err, io.EOF) {
				heads = slices.DeleteFunc(heads, func(h *head) bool { return h == last })
			} else if err != nil {
				return lateRow{}, nil, err
			}
		}
		if len(heads) == 0 {
			return lateRow{}, nil, io.EOF
		}
		last = heads[0]
		for _, h := range heads[1:] {
			if byGroup(h.row, last.row) < 0 {
				last = h
			}
		}
		return last.row, last.text, nil
	}, nil
}

// head is the next row of a run.
type head struct {
	r    *bufio.Reader
	row  lateRow
	text []byte
}

func (h *head) next() error {
	var fixed [28]byte
	if _, err := io.ReadFull(h.r, fixed[:]); err != nil {
		return err
	}
	field := func(i int) int32 { return int32(binary.LittleEndian.Uint32(fixed[4*i:])) }
	h.row = lateRow{field(0), Row{Seq: field(1), Line: field(2), A: field(3), B: field(4), C: field(5)}}
	h.text = slices.Grow(h.text[:0], int(field(6)))[:field(6)]
	_, err := io.ReadFull(h.r, h.text)
	return err
}

func (l *late) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
	*l = late{}
}
