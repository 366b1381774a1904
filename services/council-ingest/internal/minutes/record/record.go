// Package record is the exchange format of parsed minutes. It also adds anomalies to a record.
package record

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/council"
)

// Record has the contents of one document, in document order. In JSON, a field is null if the
// document does not print it.
type Record struct {
	File        string     `json:"file,omitempty"`
	Body        *string    `json:"body"`
	MeetingDate *string    `json:"meeting_date"` // as YYYY-MM-DD
	Attendance  []Attendee `json:"attendance"`
	Items       []Item     `json:"items"` // items with at least one vote
	Anomalies   []Anomaly  `json:"anomalies"`
}

// Attendee is a row of the attendance list.
type Attendee struct {
	Name   string  `json:"name"`
	Title  *string `json:"title"`
	Status *string `json:"status"` // Present, Absent, Late, Excused or Remote
}

// Item is an agenda item with at least one vote.
type Item struct {
	ItemNumber *string `json:"item_number"` // as printed
	FileNumber *string `json:"file_number"`
	Section    *string `json:"section"` // heading above the item, without its number
	Title      string  `json:"title"`
	IsConsent  bool    `json:"is_consent"` // it is on the consent calendar and was not removed from it
	Page       *int    `json:"page"`       // page of the item's heading, from 1
	Votes      []Vote  `json:"votes" db:"-"`

	// These fields come from the portal.
	LegifileID *int64  `json:"legifile_id,omitempty"`
	URL        *string `json:"url,omitempty"` // page of the item on the portal
	Shown      string  `json:"-" db:"-"`      // result that the portal shows next to the title
}

// Vote is the vote on one motion.
type Vote = council.Vote

// Anomaly is a contradiction or a gap in the document.
type Anomaly struct {
	Kind       council.AnomalyKind `json:"kind"`
	Code       council.AnomalyCode `json:"code"`
	ItemNumber *string             `json:"item_number"`
	MotionSeq  *int                `json:"motion_seq"` // nil unless the anomaly is about a single vote
	Page       *int                `json:"page"`
	Message    string              `json:"message"`
	Item       int                 `json:"-"` // index into Items, or -1
}

// Note adds an anomaly about a page, before the anomalies about items.
func (r *Record) Note(code council.AnomalyCode, page int, message string) {
	at := slices.IndexFunc(r.Anomalies, func(a Anomaly) bool { return a.Item >= 0 })
	if at < 0 {
		at = len(r.Anomalies)
	}
	r.Anomalies = slices.Insert(r.Anomalies, at, Anomaly{Kind: council.KindOf(code), Code: code, Page: Page(page),
		Message: message, Item: -1})
}

// Page returns nil for 0, which stands for a text without pages.
func Page(page int) *int {
	if page == 0 {
		return nil
	}
	return &page
}

// maxAnomalies bounds the number of anomalies for hostile texts. Further anomalies are only
// counted.
const maxAnomalies = 4_000

// Writer adds anomalies to a record.
type Writer struct {
	*Record
	more int // number of anomalies beyond maxAnomalies
}

// NewWriter returns a writer of an empty record.
func NewWriter() *Writer {
	return &Writer{Record: &Record{Attendance: []Attendee{}, Items: []Item{}, Anomalies: []Anomaly{}}}
}

// Report adds an anomaly. item is an index into Items, or -1.
func (w *Writer) Report(code council.AnomalyCode, item int, motionSeq *int, page int, message string) {
	if len(w.Anomalies) >= maxAnomalies {
		w.more++
		return
	}
	a := Anomaly{Kind: council.KindOf(code), Code: code, MotionSeq: motionSeq, Page: Page(page),
		Message: council.Fold(message), Item: item}
	if item >= 0 {
		a.ItemNumber = w.Items[item].ItemNumber
	}
	w.Anomalies = append(w.Anomalies, a)
}

// Finish reports the number of anomalies beyond the limit, and sorts all anomalies by item.
func (w *Writer) Finish() {
	if w.more > 0 {
		w.Anomalies = append(w.Anomalies, Anomaly{Kind: council.KindOf(council.CodeTextCut), Code: council.CodeTextCut,
			Message: fmt.Sprintf("%d more anomalies are left out", w.more), Item: -1})
	}
	slices.SortStableFunc(w.Anomalies, func(a, b Anomaly) int { return a.Item - b.Item })
}

// The states of attendees that rolls are compared with.
const (
	Absent  = "Absent"
	Excused = "Excused"
	Late    = "Late"
)

// IsAway reports whether a state of an attendee is that of somebody who did not come.
func IsAway(status string) bool { return status == Absent || status == Excused }
