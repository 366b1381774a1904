package load

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"

	"github.com/townline/townline/pkg/gtfs"
)

// An Effective file is one of the feed as it is served: with manual rows, without the rows and
// cells that were left out.
type Effective struct {
	File  string
	Bytes int64
	// Packed is where the zip has the file, if nothing about it is changed.
	Packed gtfs.Packed
	// Write writes a file that is changed; nil for one that is not. The connection need not be free.
	Write func(context.Context, io.Writer) error
}

// effective lists them, but for files that cannot be read, which the audit names.
func (l *input) effective() []Effective {
	found := map[string]gtfs.File{}
	for _, f := range l.feed.Files() {
		found[f.Name] = f
	}
	var all []Effective
	for _, s := range l.order() {
		e := Effective{File: s.File, Bytes: s.Bytes}
		packed, there := found[s.File].Packed()
		switch {
		case s.skipped:
			continue
		case s.columns != nil && s.File != locations && (s.manual || s.recoded || l.Audit.Touched(s.File)):
			e.Write = func(ctx context.Context, w io.Writer) error { return l.write(ctx, s, w) }
		case !there:
			l.unreadable(s)
			continue
		default:
			e.Packed = packed
		}
		all = append(all, e)
	}
	return all
}

// write writes a file as it is served. Cells keep the text that they have in the feed: 6:05:00 does
// not become 06:05:00.
func (l *input) write(ctx context.Context, s *Stats, dst io.Writer) error {
	x, err := l.open(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = x.close() }()
	edits := l.Audit.Edits(s.File)
	w := bufio.NewWriterSize(dst, 64<<10)
	var row []byte
	for i, name := range s.columns {
		row = appendCSV(row, i, []byte(name))
	}
	_, err = w.Write(append(row, '\n'))
	cells := x.wide(x.raw)
	for err == nil && x.next(ctx) {
		line := x.line()
		if edits.Out(line) {
			continue
		}
		row = row[:0]
		for i, cell := range cells() {
			row = appendCSV(row, i, edits.Cell(line, s.columns[i], cell))
		}
		if len(row) == 0 {
			row = append(row, `""`...) // or it would be a blank line
		}
		_, err = w.Write(append(row, '\n'))
	}
	if err = cmp.Or(err, x.err); err != nil {
		return err
	}
	return w.Flush()
}

// appendCSV appends a cell, in quotes where it needs them.
func appendCSV(row []byte, i int, cell []byte) []byte {
	if i > 0 {
		row = append(row, ',')
	}
	if !bytes.ContainsAny(cell, ",\"\r\n") {
		return append(row, cell...)
	}
	row = append(append(row, '"'), bytes.ReplaceAll(cell, []byte(`"`), []byte(`""`))...)
	return append(row, '"')
}
