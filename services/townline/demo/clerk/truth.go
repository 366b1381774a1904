package clerk

import (
	"fmt"

	"github.com/townline/townline/services/townline/demo/town"
)

// Truth is what stands in one printed minutes document, in the format in which the minutes parser prints what it found. It is
// the document's truth: where the clerk slipped it has what is printed, and the slip among the anomalies.
type Truth struct {
	File        string          `json:"file"`
	Body        string          `json:"body"`
	MeetingDate string          `json:"meeting_date"` // local date
	Attendance  []TruthAttendee `json:"attendance"`
	Items       []*TruthItem    `json:"items"` // items with at least one vote, in document order
	Anomalies   []TruthAnomaly  `json:"anomalies"`
}

// TruthAttendee is one row of the attendance table.
type TruthAttendee struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// TruthItem is an item that was voted on. Page is where its heading stands; nil fields are not printed.
type TruthItem struct {
	ItemNumber string       `json:"item_number"`
	FileNumber *string      `json:"file_number"`
	Section    string       `json:"section"`
	Title      string       `json:"title"`
	IsConsent  bool         `json:"is_consent"`
	Page       int          `json:"page"`
	Votes      []*TruthVote `json:"votes"`
}

// TruthVote is one vote. Page is where its RESULT line stands.
type TruthVote struct {
	MotionSeq  int                 `json:"motion_seq"`
	MotionText string              `json:"motion_text"`
	ResultRaw  string              `json:"result_raw"`
	Result     string              `json:"result"`
	AyesCount  int                 `json:"ayes_count"`
	NaysCount  int                 `json:"nays_count"`
	Unanimous  bool                `json:"unanimous"`
	ViaConsent bool                `json:"via_consent"`
	Page       int                 `json:"page"`
	Mover      *string             `json:"mover"`
	Seconder   *string             `json:"seconder"`
	Positions  map[string][]string `json:"positions"` // by aye, nay, abstain, absent, recused; all five present
}

// TruthAnomaly is a slip: its kind (typo, missing, inconsistency), the item and the page of the block.
type TruthAnomaly struct {
	Kind       string `json:"kind"`
	ItemNumber string `json:"item_number"`
	Page       int    `json:"page"`
	Note       string `json:"note"`
}

// truth starts the truth of a meeting's minutes.
func (p *press) truth(m *town.Meeting) *Truth {
	t := &Truth{Body: m.Board, MeetingDate: m.Starts.Format("2006-01-02"), Attendance: []TruthAttendee{}, Items: []*TruthItem{}, Anomalies: []TruthAnomaly{}}
	for _, a := range m.Attendance {
		t.Attendance = append(t.Attendance, TruthAttendee{p.name(a.Person), a.Title, a.Status})
	}
	return t
}

// item adds an item whose heading stands on a page; it is dropped by done if no vote follows.
func (p *press) item(s *town.Section, it *town.Item, page int, consent bool) *TruthItem {
	out := &TruthItem{ItemNumber: it.Number, Section: p.set(s.Heading), Title: p.set(it.Title), IsConsent: consent, Page: page}
	if it.File != "" {
		out.FileNumber = &it.File
	}
	return out
}

// record adds a vote to an item, as the block prints it.
func (t *Truth) record(item *TruthItem, v TruthVote, slip town.Slip) {
	v.MotionSeq = len(item.Votes) + 1
	item.Votes = append(item.Votes, &v)
	if kind := kindOf[slip]; kind != "" {
		t.Anomalies = append(t.Anomalies, TruthAnomaly{Kind: kind, ItemNumber: item.ItemNumber, Page: v.Page, Note: fmt.Sprintf("%s: %s", slip, v.ResultRaw)})
	}
}

// kindOf is the kind of anomaly that a slip makes.
var kindOf = map[town.Slip]string{
	town.WrongTally: "inconsistency", town.Misspelt: "typo", town.NoMover: "missing", town.NoTally: "missing",
	town.WrongName: "inconsistency", town.NoColon: "typo", town.TwoMovers: "error", town.BareBracket: "missing",
}

// positionOf is the API's word for a row of the roll.
var positionOf = map[town.Position]string{
	town.Aye: "aye", town.Nay: "nay", town.Abstain: "abstain", town.Recused: "recused",
	town.Absent: "absent", town.Away: "absent", town.Excused: "absent",
}
