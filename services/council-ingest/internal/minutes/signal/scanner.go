package signal

import (
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Scanner finds the signals in the paragraphs of one document. It knows nothing of decisions.
type Scanner struct {
	people   *person.Words
	Words    *lexicon.Patterns // the words of the document's language
	Doc      *Document
	body     string // the body that met, folded
	Members  *person.Roster
	Present  []string
	Away     []string
	Paras    []*Paragraph
	Language lexicon.Language

	year       string          // of the meeting
	named      map[string]bool // the words of the name of the body
	surnames   map[string]bool // of the first surnamesOf members
	surnamesOf int
	runIns     map[int]string  // by paragraph, the titles before the texts of items; nil if they were not needed
	voters     map[string]bool // the last names in rolls; nil if they were not needed
	seats      int             // number of members; 0 if everyone votes
	counted    bool
}

// NewScanner returns a scanner that knows who is a member, and who is present.
func NewScanner(doc *Document, w *record.Writer) *Scanner {
	r := &Scanner{Words: doc.Patterns(), Doc: doc, people: doc.Dialect.People(), Members: &doc.People.Roster}
	if w.Body != nil {
		r.body, _ = lexicon.FoldText(*w.Body)
	}
	if w.MeetingDate != nil {
		r.year = (*w.MeetingDate)[:min(4, len(*w.MeetingDate))]
	}
	for _, a := range w.Attendance {
		if a.Status == nil || !record.IsAway(*a.Status) {
			r.Present = append(r.Present, a.Name)
		} else {
			r.Away = append(r.Away, a.Name)
		}
	}
	return r
}
