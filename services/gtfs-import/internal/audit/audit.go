// Package audit collects the findings of an import: a bounded number of lines per code and file,
// and totals. [check.Rule] describes each finding.
package audit

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
)

// A Line is one finding, a row of transit.audit_line.
type Line struct {
	Code   gtfs.Code   `json:"code"`
	Effect gtfs.Effect `json:"effect"`
	File   string      `json:"file"`
	// Line is the line in the file, from 1; 0 if the finding is about the whole file or a manual
	// row.
	Line int `json:"line,omitempty"`
	// RowID and ShapeID are copied from the gtfs.Finding.
	RowID   string `json:"row_id,omitempty"`
	ShapeID string `json:"shape_id,omitempty"`
	Field   string `json:"field,omitempty"`
	Value   string `json:"value,omitempty"`
	Reason  string `json:"reason"`
}

// A Total counts the findings of one code in one file.
type Total struct {
	Code     gtfs.Code      `json:"code"`
	Severity check.Severity `json:"severity"`
	Effect   gtfs.Effect    `json:"effect"`
	File     string         `json:"file"`
	Count    int            `json:"count"`
	Reason   string         `json:"reason"`
}

const (
	// MaxLines bounds the lines of one code in one file.
	MaxLines = 2000
	maxValue = 120
)

// A Log collects findings. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	lines  []Line
	totals map[totalKey]int
	edits  map[string]*Edits // keyed by file
}

type totalKey struct {
	code   gtfs.Code
	file   string
	effect gtfs.Effect
}

func (l *Log) Add(f gtfs.Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.totals == nil {
		l.totals = map[totalKey]int{}
	}
	rule, _ := check.RuleOf(f.Code)
	k := totalKey{f.Code, f.File, cmp.Or(f.Effect, rule.Effect)}
	l.edit(f, k.effect)
	before := l.totals[k]
	l.totals[k] += max(f.Count, 1)
	if before >= MaxLines {
		return
	}
	l.lines = append(l.lines, Line{
		Code: f.Code, Effect: k.effect, File: f.File, Line: f.Line, Field: f.Field, Value: shorten(f.Value),
		RowID: shorten(f.RowID), ShapeID: shorten(f.ShapeID), Reason: rule.Message(notice.English()),
	})
}

// Lines returns the findings, ordered by file and line.
func (l *Log) Lines() []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortStableFunc(l.lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return l.lines
}

// Totals returns the totals, ordered by file and code.
func (l *Log) Totals() []Total {
	l.mu.Lock()
	defer l.mu.Unlock()
	totals := make([]Total, 0, len(l.totals))
	for k, n := range l.totals {
		rule, _ := check.RuleOf(k.code)
		totals = append(totals, Total{Code: k.code, Severity: rule.Severity, Effect: k.effect, File: k.file,
			Count: n, Reason: rule.Message(notice.English())})
	}
	slices.SortFunc(totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Effect, b.Effect))
	})
	return totals
}

// shorten bounds a value and replaces invalid UTF-8 and zero bytes, which Postgres rejects.
func shorten(value []byte) string {
	cut := len(value) > maxValue
	if cut {
		value = value[:maxValue]
		for len(value) > 0 && !utf8.RuneStart(value[len(value)-1]) {
			value = value[:len(value)-1]
		}
	}
	s := strings.ReplaceAll(strings.ToValidUTF8(string(value), "\uFFFD"), "\x00", "\uFFFD")
	if cut {
		s += "…"
	}
	return s
}
