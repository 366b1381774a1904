package primegov

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Documents []CompiledDocument
	Said      json.RawMessage // the row
}

// A CompiledDocument is one compiled document of a meeting.
type CompiledDocument struct {
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

type rawMeeting struct {
	ID        reading.ID   `json:"id"`
	Committee reading.ID   `json:"committeeId"`
	Title     reading.Text `json:"title"`
	DateTime  reading.Text `json:"dateTime"`
	Date      reading.Text `json:"date"`
	Time      reading.Text `json:"time"`
	Location  reading.Text `json:"location"`
	Video     reading.Text `json:"videoUrl"`
	Documents reading.Rows `json:"documentList"`
}

type rawDocument struct {
	ID        reading.ID     `json:"id"`
	Template  reading.ID     `json:"templateId"`
	Meeting   reading.ID     `json:"meetingId"`
	Name      reading.Text   `json:"templateName"`
	Output    reading.Number `json:"compileOutputType"`
	Status    reading.Number `json:"publishStatus"`
	Published reading.Text   `json:"publishDate"`
	Template2 reading.Number `json:"templateSortOrder"`
	Sort      reading.Number `json:"sortOrder"`
}

// streams are titles of the same meeting on another channel: "SAP" is the sound in a second
// language.
var streams = regexp.MustCompile(`(?i)^\W*SAP\b\W|\W\s*SAP\W*$`)

// DecodeMeetings reads a list of meetings, of those to come or of a year. Times are local in zone.
func DecodeMeetings(body []byte, zone *time.Location) ([]Meeting, error) {
	rows, err := portal.DecodeList(body)
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
		ID: int64(raw.ID), Committee: int64(raw.Committee), Title: raw.Title.Plain(maxText),
		Location: raw.Location.Plain(maxName), VideoURL: portal.Link(string(raw.Video)), Said: row,
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
	m.Documents = decodeDocuments(raw)
	m.State, m.Word = stateOf(m)
	return m, true, nil
}

func decodeDocuments(raw rawMeeting) []CompiledDocument {
	var docs []rawDocument
	for _, row := range raw.Documents.First(maxDocuments) {
		var d rawDocument
		ours := json.Unmarshal(row, &d) == nil && d.Template > 0 && (d.Meeting == 0 || d.Meeting == raw.ID)
		if ours && (d.Status.Is == nil || *d.Status.Is == 1) { // else it was not published
			docs = append(docs, d)
		}
	}
	slices.SortStableFunc(docs, func(a, b rawDocument) int {
		return cmp.Or(a.Template2.Int()-b.Template2.Int(), a.Sort.Int()-b.Sort.Int())
	})
	var out []CompiledDocument
	for _, d := range docs {
		at, _ := reading.Wall(string(d.Published), time.UTC) // zero when it is none
		out = append(out, CompiledDocument{int64(d.ID), int64(d.Template), d.Name.Line(maxName), d.Output.Int(), at})
	}
	return out
}

// noMeeting are names of documents that take a meeting's place.
var noMeeting = regexp.MustCompile(`(?i)\bcancell?(?:ed|ation)\b|\brecess notice\b|\bnotice of recess\b`)

// stateOf reads from the title whether a meeting takes place. Some towns leave the title as it was,
// and publish a notice of cancellation: where that is all that there is, or came after the agenda,
// it counts.
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

// Join puts lists together: each meeting once. Of a meeting that stands in several, the later list
// counts. The order is that of time, then of ids.
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
	slices.SortStableFunc(out, func(a, b Meeting) int {
		return cmp.Or(a.Starts.Compare(b.Starts), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// DecodeYears reads the years that have a list.
func DecodeYears(body []byte) ([]int, error) {
	rows, err := portal.DecodeList(body)
	if err != nil {
		return nil, fmt.Errorf("read the years with meetings: %w", err)
	}
	var years []int
	for _, row := range rows {
		if year, err := strconv.Atoi(strings.Trim(string(row), `"`)); err == nil && year > 1900 && year < 2200 {
			years = append(years, year)
		}
	}
	if len(years) == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("read the years with meetings: %w: none is a year", portal.ErrNotPortal)
	}
	slices.Sort(years)
	return slices.Compact(years), nil
}

// DecodeCommittees reads the bodies.
func DecodeCommittees(body []byte) ([]portal.Body, error) {
	rows, err := portal.DecodeList(body)
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	found, err := reading.Bodies(rows, "name", maxName)
	return slices.DeleteFunc(found, func(b portal.Body) bool { return reading.IsTest(b.Name) }), err
}

// Body is the board: the name of the committee, whose names are given by their ids, else what the
// title begins with.
func (m Meeting) Body(names map[string]string) string {
	if name := names[reading.ID(m.Committee).String()]; name != "" {
		return name
	}
	title := m.Title
	if before, after, both := strings.Cut(title, " - "); both && before != "" && after != "" {
		// "City Council - Regular Meeting": the part before the dash is whose it is, unless it is the
		// state.
		if s, _ := reading.StateOf(before); s == "" {
			title = before
		}
	}
	return reading.BodyOf(title)
}
