package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
)

type place struct{ file, column string }

// references has columns, and those of which one must have their values. Rows that break these
// references are kept. gtfs-import leaves out rows that break the other references in pkg/gtfs.
var references = func() map[place][]place {
	all := map[place][]place{}
	for _, t := range gtfs.Tables() {
		for _, c := range t.Columns {
			for _, target := range c.Within {
				file, column, _ := strings.Cut(target, "/")
				all[place{t.File, c.Name}] = append(all[place{t.File, c.Name}], place{file, column})
			}
		}
	}
	return all
}()

const locations = "locations.geojson"

// named is the first row with a value, and the number of rows with it.
type named struct {
	line, count int
	rowID       string
}

// remembers returns a function that keeps the values that references need from the rows of a file.
func (c *Checker) remembers(def gtfs.Table) func(*row) {
	var targets, sources []place
	for _, column := range def.Names() {
		p := place{def.File, column}
		if c.values[p] != nil {
			targets = append(targets, p)
		}
		if references[p] != nil {
			sources = append(sources, p)
			c.named[p] = map[string]*named{}
		}
	}
	return func(r *row) {
		for _, p := range targets {
			if all := c.values[p]; len(all) < maxKept {
				all[string(r.cell(p.column))] = true
			} else {
				c.Partly(def.File)
			}
		}
		for _, p := range sources {
			r.name(p)
		}
	}
}

func (r *row) name(p place) {
	value, all := r.cell(p.column), r.c.named[p]
	n := all[string(value)]
	switch {
	case len(value) == 0 || r.short:
		return
	case n == nil && len(all) >= maxKept:
		r.c.Partly(p.file)
		return
	case n == nil:
		n = &named{line: r.line}
		if len(r.table.Key) > 0 {
			n.rowID = string(r.cell(r.table.Key[0]))
		}
		all[string(value)] = n
	}
	n.count++
}

// isDangling reports whether a value is in none of the columns to which the reference refers.
func (c *Checker) isDangling(from place, value []byte) bool {
	for _, target := range references[from] {
		all := c.values[target]
		missing := !c.refs.Has(target.file)
		switch {
		case all[string(value)], len(all) >= maxKept, missing && target.file == "agency.txt":
			return false
		case target.file == locations && !missing && len(all) == 0: // the file is unreadable
			return false
		}
	}
	return len(value) > 0
}

// references reports each dangling value once, not once for each row.
func (c *Checker) references(rule feedRule) {
	order := func(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.column, b.column)) }
	for _, p := range slices.SortedFunc(maps.Keys(c.named), order) {
		for _, value := range slices.Sorted(maps.Keys(c.named[p])) {
			if n := c.named[p][value]; c.isDangling(p, []byte(value)) {
				c.note(gtfs.Finding{Code: rule.code, File: p.file, Line: n.line, Field: p.column, Value: []byte(value),
					RowID: []byte(n.rowID), Count: n.count})
			}
		}
	}
}
