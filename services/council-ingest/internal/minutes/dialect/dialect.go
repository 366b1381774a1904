// Package dialect knows the words by which minutes are understood: the labels of the table of a
// vote, offices, headings, and how sentences speak of motions. A dialect is data (known.go), with a
// real sample and its source; council.yaml adds the words of one town. The dialects differ in words
// and in where they break lines, not in meaning, so one table of all of them reads every document.
//
// It looks at one line or one cell, never at a document. The forms of figures, numbers and dates,
// which no dialect changes, are in package shape.
package dialect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// Words are the words of one dialect.
type Words struct {
	Name   string `yaml:"-"`
	Source string `yaml:"-"` // the document that the sample is from
	Sample string `yaml:"-"`

	Labels  map[string][]string `yaml:"labels"`  // by row: aye: [YEAS]
	Offices string              `yaml:"offices"` // words of offices, with blanks between
	// words of the attendance list, and Present, Absent, Late, Excused or Remote
	Status      map[string]string `yaml:"status"`
	Headings    []string          `yaml:"headings"`     // that stand without a number
	Fates       []string          `yaml:"fates"`        // how a line about what became of an item begins
	BodyStarts  []string          `yaml:"body_starts"`  // how the paragraph below a title begins
	MotionStops []string          `yaml:"motion_stops"` // how a line that ends the sentence of a motion begins
	Rolls       []string          `yaml:"rolls"`        // how a sentence says that the roll of a vote follows
	// how headings begin that part the list under the heading above them
	Parts   []string `yaml:"parts"`
	Members []string `yaml:"members"` // labels before the names of all members on the cover
}

// Validate reports the words that have no meaning.
func (w *Words) Validate() error {
	for _, row := range slices.Sorted(maps.Keys(w.Labels)) {
		if !slices.Contains(rowNames[Result:], row) {
			return fmt.Errorf("labels.%s: a row is one of %s", row, strings.Join(rowNames[Result:], ", "))
		}
	}
	for _, word := range slices.Sorted(maps.Keys(w.Status)) {
		if !slices.Contains([]string{"Present", "Absent", "Late", "Excused", "Remote"}, w.Status[word]) {
			return fmt.Errorf("status.%s: %q is not Present, Absent, Late, Excused or Remote", word, w.Status[word])
		}
	}
	return nil
}

// Known are the dialects that ship.
func Known() []Words { return slices.Clone(known) }

// Dialect is the table of all words, ready to be asked. Nobody changes it.
type Dialect struct {
	labels      map[string]label
	titles      map[string]bool // words of offices
	longTitles  []string        // those in which a misprint can be recognised
	status      map[string]string
	months      map[string]int
	small       map[string]bool // words that stay in lower case in a title
	headings    map[string]bool
	fates       []string
	bodyStarts  []string
	motionStops []string
	rolls       []string
	rollWords   []string // the longest word of each of rolls: most lines have none of these
	parts       []string
	members     map[string]bool
	results     *council.ResultWords
}

// label is a label's meaning, and the dialect it is from.
type label struct {
	row  Label
	from string
}

// New is the table of the dialects that ship, of a town's own words, and of its words for results.
func New(own Words, results map[string]council.Result) *Dialect {
	d := &Dialect{labels: map[string]label{}, titles: map[string]bool{}, status: map[string]string{},
		months: map[string]int{"sept": 9},
		small:  lex.WordSet(strings.Fields(small)), headings: map[string]bool{}, members: map[string]bool{},
		results: council.NewResultWords(results)}
	for i, m := range strings.Fields(months) {
		d.months[m], d.months[m[:3]] = i+1, i+1
	}
	own.Name = "council.yaml"
	for _, w := range append(Known(), own) {
		for row, words := range w.Labels {
			for _, word := range words {
				d.labels[strings.ToUpper(word)] = label{Label(slices.Index(rowNames[:], row)), w.Name}
			}
		}
		maps.Copy(d.titles, lex.WordSet(strings.Fields(strings.ToLower(w.Offices))))
		for word, status := range w.Status {
			d.status[strings.ToLower(word)] = status
		}
		for _, h := range w.Headings {
			d.headings[strings.ToUpper(h)] = true
		}
		for _, f := range w.Fates {
			d.fates = append(d.fates, strings.ToUpper(f))
		}
		d.bodyStarts = append(d.bodyStarts, w.BodyStarts...)
		d.motionStops = append(d.motionStops, w.MotionStops...)
		for _, roll := range w.Rolls {
			d.rolls = append(d.rolls, roll)
			longest := slices.MaxFunc(strings.Split(roll, " "), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
			if !slices.Contains(d.rollWords, longest) {
				d.rollWords = append(d.rollWords, longest)
			}
		}
		for _, p := range w.Parts {
			d.parts = append(d.parts, strings.ToUpper(p))
		}
		for _, m := range w.Members {
			d.members[strings.ToUpper(m)] = true
		}
	}
	for t := range d.titles {
		if len(t) >= 8 {
			d.longTitles = append(d.longTitles, t)
		}
	}
	return d
}

// Label is the meaning of a label in the table of a vote.
type Label int

// The rows of a table, in the order in which it prints them.
const (
	Unknown Label = iota // a label that no dialect has
	Result
	Next   // the day to which a matter was put off
	Motion // what was moved, in the table's own words
	Mover
	Seconder
	Aye
	Nay
	Abstain
	Present
	Absent
	Away
	Recused
	Remote // who took part from elsewhere; it is no position
	Rows   // how many there are
)

// rowNames are what the rows are called in the data of a dialect.
var rowNames = [Rows]string{"unknown", "result", "next", "motion", "mover", "seconder", "aye", "nay", "abstain",
	"present", "absent", "away", "recused", "remote"}

func (r Label) String() string { return rowNames[r] }

// IsList reports whether the row holds a list of names.
func (r Label) IsList() bool { return r >= Aye }
