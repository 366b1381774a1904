package rows

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// learnNames looks at all tables once, before any list is read, and learns the
// full names on their MOVER and SECONDER rows and in lists printed in full.
func (doc *Doc) learnNames() {
	d := doc.Dialect
	for i := range doc.Rows {
		if !doc.Rows[i].Result {
			continue
		}
		person := dialect.Unknown
		for j := i; j < len(doc.Rows) && j < i+24; j++ {
			text := doc.Rows[j].Text
			kind, value, ok := doc.Label(j)
			if !ok {
				kind, value = person, text
			}
			if ok && kind == dialect.Result && j > i {
				break
			}
			person = dialect.Unknown
			switch {
			case kind == dialect.Mover || kind == dialect.Seconder:
				if value == "" {
					person = kind
					continue
				}
				doc.learnPerson(value)
			case kind.IsList():
				_, names := shape.CutCount(value)
				doc.learnList(names, j)
			case strings.Contains(text, ", ") && d.IsPersonShaped(text):
				// The value of a row whose label stands elsewhere.
				if name, office, _ := strings.Cut(text, ", "); d.IsTitle(office) && len(strings.Fields(name)) >= 2 {
					doc.learnPerson(text)
				}
			}
		}
	}
}

// Learn takes from the attendance list the words of offices that only this town
// has, and learns the names that stand in votes, behind those of the members
// that are known.
func (doc *Doc) Learn(present []record.Attendee, members []string) {
	var words []string
	for _, a := range present {
		if a.Title == nil || doc.IsTitle(*a.Title) {
			continue
		}
		for w := range strings.FieldsSeq(*a.Title) {
			w = shape.Lower(strings.Trim(w, ".,:;()&"))
			isName := func(a record.Attendee) bool { return slices.Contains(strings.Fields(council.FoldName(a.Name)), w) }
			if len(w) >= 4 && !doc.IsTitleWord(w) && !doc.IsSmall(w) && !slices.ContainsFunc(present, isName) {
				words = append(words, w)
			}
		}
	}
	if len(words) > 0 {
		doc.Dialect = doc.WithOffices(words)
	}
	doc.People.Use(doc.Dialect)
	for _, name := range members {
		doc.People.Learn(name)
	}
	doc.learnNames()
}

func (doc *Doc) learnPerson(value string) {
	d := doc.Dialect
	names := d.SplitNames(value)
	if len(names) == 0 || !d.IsPersonShaped(names[0].Text) {
		return
	}
	if n := len(strings.Fields(names[0].Text)); n >= 2 && n <= 5 {
		doc.People.Learn(names[0].Text)
	}
}

func (doc *Doc) learnList(value string, j int) {
	d := doc.Dialect
	names := d.SplitNames(value)
	for i, n := range names {
		if i == len(names)-1 && !doc.rowEnds(j) {
			continue // it may go on in the next line
		}
		if k := len(strings.Fields(n.Text)); k >= 2 && k <= 5 && d.IsPersonShaped(n.Text) {
			doc.People.Learn(n.Text)
		}
	}
}

// rowEnds reports whether nothing can carry on the row at line j.
func (doc *Doc) rowEnds(j int) bool {
	if j+1 >= len(doc.Rows) || doc.Rows[j+1].Text == "" {
		return true
	}
	if doc.Rows[j+1].labelled {
		return true
	}
	_, ok := doc.MarkerAt(j + 1)
	return ok
}
