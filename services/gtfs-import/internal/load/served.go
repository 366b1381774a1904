package load

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"

	"github.com/townline/townline/pkg/gtfs"
)

// A ServedFile is a file of the served zip: manual rows are applied, and bad rows and cells
// omitted.
type ServedFile struct {
	File  string
	Bytes int64
	// Packed locates an unchanged file in the archived zip.
	Packed gtfs.Packed
	// Write writes a changed file; it is nil for an unchanged file. It does not use the connection.
	Write func(context.Context, io.Writer) error
}

// servedFiles lists the files of the served zip. It reports and omits unreadable files.
func (l *input) servedFiles() []ServedFile {
	found := map[string]gtfs.File{}
	for _, f := range l.feed.Files() {
		found[f.Name] = f
	}
	var all []ServedFile
	for _, s := range l.order() {
		f := ServedFile{File: s.File, Bytes: s.Bytes}
		packed, readable := found[s.File].Packed()
		switch {
		case s.skipped:
			continue
		case s.columns != nil && s.File != locations && (s.manual || s.recoded || l.Audit.HasChanged(s.File)):
			f.Write = func(ctx context.Context, w io.Writer) error { return l.write(ctx, s, w) }
		case !readable:
			l.skip(s)
			continue
		default:
			f.Packed = packed
		}
		all = append(all, f)
	}
	return all
}

// write writes the served form of a file. Cells keep their text: 6:05:00 does not become 06:05:00.
func (l *input) write(ctx context.Context, s *Stats, dst io.Writer) error {
	x, err := l.open(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = x.end() }()
	edits := l.Audit.Edits(s.File)
	w := bufio.NewWriterSize(dst, 64<<10)
	var row []byte
	for i, name := range s.columns {
		row = appendCSV(row, i, []byte(name))
	}
	_, err = w.Write(append(row, '\n'))
	cells := x.allCells(x.raw)
	for err == nil && x.next(ctx) {
		line := x.line()
		if edits.LeavesOut(line) {
			continue
		}
		row = row[:0]
		for i, cell := range cells() {
			row = appendCSV(row, i, edits.Cell(line, s.columns[i], cell))
		}
		if len(row) == 0 {
			row = append(row, `""`...) // prevents a blank line
		}
		_, err = w.Write(append(row, '\n'))
	}
	return cmp.Or(err, x.err, w.Flush())
}

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
