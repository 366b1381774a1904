package primegov

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// A Meeting is a row of one of the lists.
type Meeting struct {
	ID        int64
	Committee int64  // of the body; 0 without one
	Title     string // "Parks and Recreation Advisory Board - CANCELLED"
	Starts    time.Time
	State     portal.State // Planned, unless the title or the documents say otherwise
	Word      string       // that says so
	Location  string
	VideoURL  string
	Documents []Document
	Said      json.RawMessage // the row
}

// A Document is one compiled document of a meeting.
type Document struct {
	ID         int64
	TemplateID int64
	Name       string // the town's word: "HTML Agenda"
	Output     int    // OutputPDF, OutputPage, or what nobody explains
	Published  time.Time
}

// What a document was compiled to.
const (
	OutputPDF  = 1
	OutputPage = 3
)

// A Committee is a body.
type Committee struct {
	ID   int64
	Name string
}

type rawMeeting struct {
	ID        id   `json:"id"`
	Committee id   `json:"committeeId"`
	Title     text `json:"title"`
	DateTime  text `json:"dateTime"`
	Date      text `json:"date"`
	Time      text `json:"time"`
	Location  text `json:"location"`
	Video     text `json:"videoUrl"`
	Documents list `json:"documentList"`
}

type rawDocument struct {
	ID        id     `json:"id"`
	Template  id     `json:"templateId"`
	Meeting   id     `json:"meetingId"`
	Name      text   `json:"templateName"`
	Output    number `json:"compileOutputType"`
	Status    number `json:"publishStatus"`
	Published text   `json:"publishDate"`
	Template2 number `json:"templateSortOrder"`
	Sort      number `json:"sortOrder"`
}

// A list is a field that is a list; nil where it is anything else.
type list []json.RawMessage

// UnmarshalJSON reads a list.
func (l *list) UnmarshalJSON(b []byte) error {
	var rows []json.RawMessage
	if json.Unmarshal(b, &rows) == nil {
		*l = rows
	}
	return nil
}

// A number is a field that is a small number; there is false where it is none.
type number struct {
	n     int
	there bool
}

// UnmarshalJSON reads a number.
func (n *number) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &n.n) == nil && string(b) != "null" {
		n.there = true
	}
	return nil
}

// streams are titles of the same meeting on another channel: "SAP" is the sound in a second language.
var streams = regexp.MustCompile(`(?i)^\W*SAP\b\W|\W\s*SAP\W*$`)

// DecodeMeetings reads a list of meetings, of those to come or of a year. Times are local in zone.
func DecodeMeetings(body []byte, zone *time.Location) ([]Meeting, error) {
	rows, err := decodeRows(body)
	if err != nil {
		return nil, fmt.Errorf("read the list of meetings: %w", err)
	}
	var out []Meeting
	for i, row := range rows {
		m, ok, err := decodeMeeting(row, zone)
		if err != nil {
			return nil, fmt.Errorf("read the list of meetings: row %d: %w", i, err)
		}
		if ok {
			out = append(out, m)
		}
	}
	return out, nil
}

// decodeMeeting reads a row; ok is false for what is no meeting.
func decodeMeeting(row json.RawMessage, zone *time.Location) (m Meeting, ok bool, err error) {
	var raw rawMeeting
	if json.Unmarshal(row, &raw) != nil || raw.ID == 0 {
		return m, false, fmt.Errorf("%w: it is no meeting, or has no id", portal.ErrNotPortal)
	}
	m = Meeting{
		ID: int64(raw.ID), Committee: int64(raw.Committee), Title: council.Clip(reading.Fragment(string(raw.Title)), maxText),
		Location: council.Clip(reading.Fragment(string(raw.Location)), maxName), VideoURL: webAddress(string(raw.Video)), Said: row,
	}
	if reading.IsTest(m.Title) || streams.MatchString(m.Title) {
		return m, false, nil
	}
	m.Starts, ok = reading.Wall(string(raw.DateTime), zone)
	if !ok {
		at, err := time.ParseInLocation("Jan 02, 2006 03:04 PM", portal.Fold(string(raw.Date+" "+raw.Time)), zone)
		if err != nil || at.Year() <= 1900 {
			return m, false, nil // it has no day yet
		}
		m.Starts = at
	}
	docs := make([]rawDocument, 0, len(raw.Documents))
	for _, row := range raw.Documents[:min(len(raw.Documents), maxDocuments)] {
		var d rawDocument
		// What was not published, or is another meeting's, is not shown.
		if json.Unmarshal(row, &d) == nil && d.Template > 0 && (d.Meeting == 0 || d.Meeting == raw.ID) && (!d.Status.there || d.Status.n == 1) {
			docs = append(docs, d)
		}
	}
	slices.SortStableFunc(docs, func(a, b rawDocument) int { return cmp.Or(a.Template2.n-b.Template2.n, a.Sort.n-b.Sort.n) })
	for _, d := range docs {
		at, _ := reading.Wall(string(d.Published), time.UTC) // zero when it is none
		m.Documents = append(m.Documents, Document{ID: int64(d.ID), TemplateID: int64(d.Template), Name: council.Clip(portal.Fold(string(d.Name)), maxName), Output: d.Output.n, Published: at})
	}
	m.State, m.Word = stateOf(m)
	return m, true, nil
}

// noMeeting are names of documents that take a meeting's place.
var noMeeting = regexp.MustCompile(`(?i)\bcancell?(?:ed|ation)\b|\brecess notice\b|\bnotice of recess\b`)

// stateOf reads from the title whether a meeting takes place. Some towns leave the title as it was, and publish a notice of
// cancellation: where that is all that there is, or came after the agenda, it counts.
func stateOf(m Meeting) (portal.State, string) {
	if s, word := reading.StateOf(m.Title); s != "" {
		return s, word
	}
	word := ""
	for _, d := range m.Documents {
		switch {
		case noMeeting.MatchString(d.Name):
			word = noMeeting.FindString(d.Name)
		case reading.KindOf(d.Name, nil) == portal.KindMinutes, reading.KindOf(d.Name, nil) == portal.KindActions:
			return portal.Planned, "" // it was held
		}
	}
	if word != "" {
		return portal.Cancelled, word
	}
	return portal.Planned, ""
}

// Join puts lists together: each meeting once. Of a meeting that stands in several, the later list counts. The order is that of time, then of ids.
func Join(lists ...[]Meeting) []Meeting {
	at := map[int64]int{}
	var out []Meeting
	for _, l := range lists {
		for _, m := range l {
			if i, seen := at[m.ID]; seen {
				out[i] = m
				continue
			}
			at[m.ID] = len(out)
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Meeting) int { return cmp.Or(a.Starts.Compare(b.Starts), cmp.Compare(a.ID, b.ID)) })
	return out
}

// DecodeYears reads the years that have a list.
func DecodeYears(body []byte) ([]int, error) {
	rows, err := decodeRows(body)
	if err != nil {
		return nil, fmt.Errorf("read the years with meetings: %w", err)
	}
	var years []int
	for _, row := range rows {
		var n number
		var s string
		if json.Unmarshal(row, &s) == nil {
			row = json.RawMessage(s)
		}
		_ = n.UnmarshalJSON(row) // what is no number is no year
		if n.there && n.n > 1900 && n.n < 2200 {
			years = append(years, n.n)
		}
	}
	if len(years) == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("read the years with meetings: %w: none is a year", portal.ErrNotPortal)
	}
	slices.Sort(years)
	return slices.Compact(years), nil
}

// DecodeCommittees reads the bodies.
func DecodeCommittees(body []byte) ([]Committee, error) {
	rows, err := decodeRows(body)
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	var out []Committee
	for _, row := range rows {
		var c struct {
			ID   id   `json:"id"`
			Name text `json:"name"`
		}
		if json.Unmarshal(row, &c) != nil || c.ID == 0 {
			continue
		}
		if name := council.Clip(reading.Fragment(string(c.Name)), maxName); name != "" && !reading.IsTest(name) {
			out = append(out, Committee{int64(c.ID), name})
		}
	}
	if len(out) == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("read the bodies: %w: none has an id and a name", portal.ErrNotPortal)
	}
	return out, nil
}

// Body is the board: the committee's name, else what the title begins with.
func (m Meeting) Body(names map[int64]string) string {
	if name := names[m.Committee]; name != "" {
		return name
	}
	title := m.Title
	if before, after, both := strings.Cut(title, " - "); both && before != "" && after != "" {
		// "City Council - Regular Meeting": the part before the dash is whose it is, unless it is the state.
		if s, _ := reading.StateOf(before); s == "" {
			title = before
		}
	}
	return reading.BodyOf(title)
}
