package audit

import (
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/bitset"
)

// Edits are what the import does to the rows of a file, all of it: which are left out and which
// cells are emptied, by line. The lines of the log are only the first of each kind.
type Edits struct {
	out     bitset.Set
	emptied map[string]bitset.Set // by column
	changed map[change]string
}

type change struct {
	line  int
	field string
}

// Out reports whether the row at a line is left out.
func (e *Edits) Out(line int) bool { return e != nil && e.out.Has(line) }

// Cell returns what becomes of a cell.
func (e *Edits) Cell(line int, field string, cell []byte) []byte {
	switch {
	case e == nil || line == 0:
		return cell
	case e.emptied[field].Has(line):
		return nil
	case len(e.changed) > 0:
		if to, ok := e.changed[change{line, field}]; ok {
			return []byte(to)
		}
	}
	return cell
}

// edit records what a finding does to a row. The reader of the file finds by itself what is wrong
// with the text.
func (l *Log) edit(f gtfs.Finding, effect gtfs.Effect) {
	if f.Line == 0 || f.Code == gtfs.CellTooLong || f.Code == gtfs.RowTooLong {
		return
	}
	switch effect {
	case gtfs.RowLeftOut:
		l.of(f.File).out.Add(f.Line)
	case gtfs.CellEmptied:
		e := l.of(f.File)
		b := e.emptied[f.Field]
		b.Add(f.Line)
		e.emptied[f.Field] = b
	}
}

func (l *Log) of(file string) *Edits {
	e := l.edits[file]
	if e == nil {
		e = &Edits{emptied: map[string]bitset.Set{}, changed: map[change]string{}}
		if l.edits == nil {
			l.edits = map[string]*Edits{}
		}
		l.edits[file] = e
	}
	return e
}

// Change records that a cell has another value, as the finding about it says.
func (l *Log) Change(file string, line int, field string, to []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(file).changed[change{line, field}] = string(to)
}

// Edits are those of a file, nil if there are none. It is called when nothing is added any more.
func (l *Log) Edits(file string) *Edits {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.edits[file]
}

// Touched reports whether a finding about a file has an effect on it.
func (l *Log) Touched(file string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.totals {
		if k.file == file && k.effect != gtfs.Noted {
			return true
		}
	}
	return false
}
