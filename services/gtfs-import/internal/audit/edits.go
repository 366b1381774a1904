package audit

import (
	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
)

// Edits has all changes of the import to the rows of a file. Their number is not bounded.
type Edits struct {
	leftOut compact.Set            // line numbers
	emptied map[string]compact.Set // line numbers by column
	changed map[place]string
}

type place struct {
	line  int
	field string
}

// LeavesOut reports whether the row at a line is omitted.
func (e *Edits) LeavesOut(line int) bool { return e != nil && e.leftOut.Has(line) }

// Cell returns the value of a cell after the import.
func (e *Edits) Cell(line int, field string, cell []byte) []byte {
	switch {
	case e == nil || line == 0:
		return cell
	case e.emptied[field].Has(line):
		return nil
	case len(e.changed) > 0:
		if to, ok := e.changed[place{line, field}]; ok {
			return []byte(to)
		}
	}
	return cell
}

// edit records how a finding changes a row. It skips long cells and rows, which readers omit
// themselves.
func (l *Log) edit(f gtfs.Finding, effect gtfs.Effect) {
	if f.Line == 0 || f.Code == "cell_too_long" || f.Code == "row_too_long" {
		return
	}
	switch effect {
	case gtfs.RowLeftOut:
		l.editsOf(f.File).leftOut.Add(f.Line)
	case gtfs.CellEmptied:
		e := l.editsOf(f.File)
		lines := e.emptied[f.Field]
		lines.Add(f.Line)
		e.emptied[f.Field] = lines
	}
}

func (l *Log) editsOf(file string) *Edits {
	e := l.edits[file]
	if e == nil {
		e = &Edits{emptied: map[string]compact.Set{}, changed: map[place]string{}}
		if l.edits == nil {
			l.edits = map[string]*Edits{}
		}
		l.edits[file] = e
	}
	return e
}

// Change records the new value of a cell that has a finding.
func (l *Log) Change(file string, line int, field string, to []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.editsOf(file).changed[place{line, field}] = string(to)
}

// Edits returns the edits of a file; nil if there are none. No edits may be added afterwards.
func (l *Log) Edits(file string) *Edits {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.edits[file]
}

// HasChanged reports whether the import changes a file.
func (l *Log) HasChanged(file string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.totals {
		if k.file == file && k.effect != gtfs.Noted {
			return true
		}
	}
	return false
}
