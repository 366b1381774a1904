// Package record is what one document of minutes says: the exchange format of parsed minutes, and
// how anomalies are added to it. It reads nothing.
package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// Record is what one document says, in document order. Its JSON form is the project's exchange
// format for parsed minutes; a field that the document does not show is null.
type Record struct {
	File        string     `json:"file,omitempty"`
	Body        *string    `json:"body"`
	MeetingDate *string    `json:"meeting_date"` // YYYY-MM-DD
	Attendance  []Attendee `json:"attendance"`
	Items       []Item     `json:"items"` // every item that carries a vote
	Anomalies   []Anomaly  `json:"anomalies"`
}

// Attendee is a row of the attendance list.
type Attendee struct {
	Name   string  `json:"name"`
	Title  *string `json:"title"`
	Status *string `json:"status"` // Present, Absent, Late, Excused, Remote
}

// Item is an agenda item with at least one vote.
type Item struct {
	ItemNumber *string `json:"item_number"` // as printed, with its full stop
	FileNumber *string `json:"file_number"`
	Section    *string `json:"section"` // the heading above, without its number
	Title      string  `json:"title"`
	IsConsent  bool    `json:"is_consent"` // listed under a consent heading and not pulled
	Page       *int    `json:"page"`       // 1-based, of the heading
	Votes      []Vote  `json:"votes"`

	// What the portal's outline adds.
	LegifileID *int64  `json:"-"`
	URL        *string `json:"-"` // the portal's page of the item
	Shown      string  `json:"-"` // the result that the portal shows beside the title
}

// Vote is one motion that was put to the vote.
type Vote struct {
	MotionSeq  int            `json:"motion_seq"` // from 1 within the item
	MotionText string         `json:"motion_text"`
	ResultRaw  string         `json:"result_raw"` // the text after RESULT:
	Result     council.Result `json:"result"`
	AyesCount  int            `json:"ayes_count"` // the printed tally, else the number of names
	NaysCount  int            `json:"nays_count"`
	Unanimous  bool           `json:"unanimous"`
	ViaConsent bool           `json:"via_consent"`
	Page       *int           `json:"page"` // 1-based, of the RESULT line
	Mover      *string        `json:"mover"`
	Seconder   *string        `json:"seconder"`
	Positions  Positions      `json:"positions"`
}

// Positions are the names of a roll, resolved to full names where the document allows, in printed
// order.
type Positions struct {
	Aye     []string `json:"aye"`
	Nay     []string `json:"nay"`
	Abstain []string `json:"abstain"`
	Absent  []string `json:"absent"`
	Recused []string `json:"recused"`
}

// Anomaly is a place where the document is wrong or could not be read.
type Anomaly struct {
	Kind       council.AnomalyKind `json:"kind"`
	Code       council.AnomalyCode `json:"code"`
	ItemNumber *string             `json:"item_number"`
	MotionSeq  *int                `json:"motion_seq"` // null when it concerns no single vote
	Page       *int                `json:"page"`
	Message    string              `json:"message"`
	Item       int                 `json:"-"` // index into the items, -1 when it concerns none
}

// Note adds what is wrong with a page of the document to the anomalies that concern no item.
func (r *Record) Note(code council.AnomalyCode, page int, message string) {
	at := slices.IndexFunc(r.Anomalies, func(a Anomaly) bool { return a.Item >= 0 })
	if at < 0 {
		at = len(r.Anomalies)
	}
	r.Anomalies = slices.Insert(r.Anomalies, at, Anomaly{Kind: council.KindOf(code), Code: code, Page: Page(page),
		Message: message, Item: -1})
}

// Lists are the lists of a roll in the order of council.Positions.
func (p *Positions) Lists() [5]*[]string {
	return [5]*[]string{&p.Aye, &p.Nay, &p.Abstain, &p.Absent, &p.Recused}
}

// All lists everybody on a roll.
func (p *Positions) All() []string {
	return slices.Concat(p.Aye, p.Nay, p.Abstain, p.Absent, p.Recused)
}

// Fill makes the lists of a roll empty rather than null.
func (p *Positions) Fill() {
	for _, list := range p.Lists() {
		if *list == nil {
			*list = []string{}
		}
	}
}

// Page is a page, null when the text has no pages.
func Page(page int) *int {
	if page == 0 {
		return nil
	}
	return &page
}

// What anomalies of a hostile text may cost.
const (
	maxAlike     = 500   // of one code on one page; more are summed up
	maxAnomalies = 4_000 // after which they are summed up without regard to pages
)

// Writer adds anomalies to a record.
type Writer struct {
	*Record
	alike map[alike]int
}

// NewWriter begins a record.
func NewWriter() *Writer {
	return &Writer{Record: &Record{Attendance: []Attendee{}, Items: []Item{}, Anomalies: []Anomaly{}},
		alike: map[alike]int{}}
}

// alike is what anomalies have in common of which a page has only so many.
type alike struct {
	code council.AnomalyCode
	page int
}

// Report adds an anomaly; item is an index into the record's items, or -1. What a page has too many
// of is counted only.
func (w *Writer) Report(code council.AnomalyCode, item int, motionSeq *int, page int, message string) {
	key := alike{code, page}
	if len(w.Anomalies) >= maxAnomalies {
		key.page = everyPage
	}
	if w.alike[key]++; w.alike[key] > maxAlike || key.page == everyPage {
		return
	}
	a := Anomaly{Kind: council.KindOf(code), Code: code, MotionSeq: motionSeq, Page: Page(page),
		Message: lex.Fold(message), Item: item}
	if item >= 0 {
		a.ItemNumber = w.Items[item].ItemNumber
	}
	w.Anomalies = append(w.Anomalies, a)
}

// everyPage stands for the page where anomalies are counted without regard to pages.
const everyPage = -1

// Finish adds an anomaly for those that were counted only, and puts all into the order of the
// items.
func (w *Writer) Finish() {
	keys := slices.SortedFunc(maps.Keys(w.alike), func(a, b alike) int {
		return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.code, b.code))
	})
	for _, key := range keys {
		n := w.alike[key]
		more, where := n-maxAlike, "on this page"
		if key.page == everyPage {
			more, where = n, "in the document"
		}
		if more > 0 {
			w.Anomalies = append(w.Anomalies, Anomaly{Kind: council.KindOf(key.code), Code: key.code,
				Page:    Page(max(key.page, 0)),
				Message: fmt.Sprintf("%d more of the same %s", more, where), Item: -1})
		}
	}
	slices.SortStableFunc(w.Anomalies, func(a, b Anomaly) int { return a.Item - b.Item })
}
