package decide

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// Grammar has the compiled words. It is immutable.
type Grammar struct {
	x       *expr // the words of all languages
	english *expr // the English ones
	people  *person.Words
	moved   func(string) (council.Result, bool)
}

// New returns the grammar of the built-in words. moved returns the result of a motion that carried,
// from its text.
func New(people *person.Words, moved func(string) (council.Result, bool)) *Grammar {
	return &Grammar{x: newExpr(strings.Fields(everyLanguage)...), english: newExpr("English"), people: people,
		moved: moved}
}

// scanner finds the signals in the paragraphs of one document. It knows nothing of decisions.
type scanner struct {
	*Grammar
	x        *expr // the words of the document's language
	doc      *rows.Document
	body     string // the body that met
	members  *person.Roster
	present  []string
	away     []string
	paras    []*paragraph
	language language
}

// newScanner returns a scanner that knows who is a member, and who is present.
func newScanner(g *Grammar, doc *rows.Document, w *record.Writer) *scanner {
	r := &scanner{Grammar: g, x: g.x, doc: doc, members: &person.Roster{}}
	if w.Body != nil {
		r.body = *w.Body
	}
	for _, a := range w.Attendance {
		office := ""
		if a.Title != nil {
			office = *a.Title
		}
		r.members.Add(a.Name, office)
		if a.Status == nil || *a.Status != "Absent" && *a.Status != "Excused" {
			r.present = append(r.present, a.Name)
		} else {
			r.away = append(r.away, a.Name)
		}
	}
	for _, name := range r.doc.People.Seen.Names() {
		r.members.Add(name, "")
	}
	return r
}
