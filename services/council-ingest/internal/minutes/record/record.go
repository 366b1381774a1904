// Package record is what one document of minutes says: the exchange format of
// parsed minutes, and how anomalies are added to it. It reads nothing.
package record

import (
	"slices"

	"github.com/townline/townline/pkg/council"
)

// Record is what one document says, in document order. Its JSON form is the
// project's exchange format for parsed minutes; a field that the document does
// not show is null.
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

// Positions are the names of a roll, resolved to full names where the document
// allows, in printed order.
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

	item int // index into Items, -1 when it concerns none
}

// ItemIndex is the index into Record.Items of the item that the anomaly
// concerns, or -1.
func (a Anomaly) ItemIndex() int { return a.item }

// Note adds what is wrong with a page of the document to the anomalies that
// concern no item.
func (r *Record) Note(code council.AnomalyCode, page int, message string) {
	at := slices.IndexFunc(r.Anomalies, func(a Anomaly) bool { return a.item >= 0 })
	if at < 0 {
		at = len(r.Anomalies)
	}
	r.Anomalies = slices.Insert(r.Anomalies, at, Anomaly{Kind: council.KindOf(code), Code: code, Page: Page(page), Message: message, item: -1})
}

// All lists everybody on a roll.
func (p Positions) All() []string {
	return slices.Concat(p.Aye, p.Nay, p.Abstain, p.Absent, p.Recused)
}

// Fill makes the lists of a roll empty rather than null.
func (p *Positions) Fill() {
	for _, list := range []*[]string{&p.Aye, &p.Nay, &p.Abstain, &p.Absent, &p.Recused} {
		if *list == nil {
			*list = []string{}
		}
	}
}

// Text is s, null when it is empty.
func Text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Page is a page, null when the text has no pages.
func Page(page int) *int {
	if page == 0 {
		return nil
	}
	return &page
}
