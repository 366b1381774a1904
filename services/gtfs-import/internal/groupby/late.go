package groupby

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

// late keeps rows in memory, and above a limit in sorted runs in a temporary file. A merge writes
// all rows to runs.
type late struct {
	rows []lateRow
	text []byte
	file *os.File
	size int64
	runs []int64 // end of each run in file
}

type lateRow struct {
	key int32
	Row
}

func byKey(a, b lateRow) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Seq, b.Seq)) }

func (l *late) add(key int32, row Row, text []byte, limit int) error {
	row.start = uint32(len(l.text))
	l.text = append(l.text, text...)
	row.end = uint32(len(l.text))
	l.rows = append(l.rows, lateRow{key, row})
	if len(l.text)+(rowBytes+4)*len(l.rows) < limit {
		return nil
	}
	return l.spill()
}

func (l *late) spill() (err error) {
	if l.file == nil {
		l.file, err = os.CreateTemp("", "gtfs-rows-*")
		if err != nil {
			return fmt.Errorf("store late rows: %w", err)
		}
		// An unlinked file disappears with the process.
		_ = os.Remove(l.file.Name())
	}
	slices.SortStableFunc(l.rows, byKey)
	w := bufio.NewWriterSize(l.file, 256<<10)
	var fixed []byte
	for i := range l.rows {
		r := &l.rows[i]
		fixed = fixed[:0]
		for _, n := range [...]int32{r.key, r.Seq, r.Line, r.A, r.B, r.C, int32(r.end - r.start)} {
			fixed = binary.LittleEndian.AppendUint32(fixed, uint32(n))
		}
		_, _ = w.Write(fixed) // Flush reports errors
		_, _ = w.Write(l.text[r.start:r.end])
		l.size += int64(len(fixed)) + int64(r.end-r.start)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("store late rows: %w", err)
	}
	l.runs = append(l.runs, l.size)
	l.rows, l.text = l.rows[:0], l.text[:0]
	return nil
}

// each merges the runs and emits the rows of each group, lowest key first.
func (l *late) each(emit func(*Group) error) error {
	if len(l.rows) > 0 {
		if err := l.spill(); err != nil {
			return err
		}
	}
	var runs []*run
	var start int64
	for _, end := range l.runs {
		r := &run{r: bufio.NewReaderSize(io.NewSectionReader(l.file, start, end-start), 32<<10)}
		start = end
		if err := r.next(); err != nil {
			return err
		}
		runs = append(runs, r)
	}
	group := Group{Late: true, sorted: true}
	for len(runs) > 0 {
		// Equal rows are in the order of their runs, which is the order of addition.
		r := slices.MinFunc(runs, func(a, b *run) int { return byKey(a.row, b.row) })
		if len(group.Rows) > 0 && r.row.key != group.Key {
			group.Sort()
			if err := emit(&group); err != nil {
				return err
			}
			group = Group{Late: true, sorted: true, Rows: group.Rows[:0], text: group.text[:0]}
		}
		group.Key = r.row.key
		group.Add(r.row.Row, r.text)
		if err := r.next(); errors.Is(err, io.EOF) {
			runs = slices.DeleteFunc(runs, func(other *run) bool { return other == r })
		} else if err != nil {
			return err
		}
	}
	if len(group.Rows) == 0 {
		return nil
	}
	group.Sort()
	return emit(&group)
}

// run reads a run; row and text are its next row.
type run struct {
	r    *bufio.Reader
	row  lateRow
	text []byte
}

func (r *run) next() error {
	var fixed [28]byte
	if _, err := io.ReadFull(r.r, fixed[:]); err != nil {
		return err
	}
	field := func(i int) int32 { return int32(binary.LittleEndian.Uint32(fixed[4*i:])) }
	r.row = lateRow{field(0), Row{Seq: field(1), Line: field(2), A: field(3), B: field(4), C: field(5)}}
	r.text = slices.Grow(r.text[:0], int(field(6)))[:field(6)]
	_, err := io.ReadFull(r.r, r.text)
	return err
}

func (l *late) discard() {
	if l.file != nil {
		_ = l.file.Close()
	}
	*l = late{}
}
