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

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Meeting is a row in a list of meetings. Its JSON form without RawJSON is hashed and stored, so
// do not rename fields.
type Meeting struct {
	ID        portal.ID
	Committee portal.ID // committee of the body; 0 if there is none
	Title     string    // such as "Parks and Recreation Advisory Board - CANCELLED"
	Starts    time.Time
	State     portal.State // Planned, unless the title or the documents show another state
	Word      string       // word that shows the state
	Location  string
	VideoURL  string
	Documents []CompiledDocument
	RawJSON   json.RawMessage `json:"Said"`
}

// A CompiledDocument is a document that the portal made from a template.
type CompiledDocument struct {
	ID         portal.ID
	TemplateID portal.ID
	Name       string // the town's word, such as "HTML Agenda"
	Output     int    // OutputPDF, OutputPage or another number
	Published  time.Time
}

// Formats of a compiled document.
const (
	OutputPDF  = 1
	OutputPage = 3
)

type rawMeeting struct {
	ID        portal.ID         `json:"id"`
	Committee portal.ID         `json:"committeeId"`
	Title     string            `json:"title"`
	DateTime  string            `json:"dateTime"`
	Date      string            `json:"date"`
	Time      string            `json:"time"`
	Location  string            `json:"location"`
	Video     string            `json:"videoUrl"`
	Documents []json.RawMessage `json:"documentList"`
}

type rawDocument struct {
	ID        portal.ID `json:"id"`
	Template  portal.ID `json:"templateId"`
	Meeting   portal.ID `json:"meetingId"`
	Name      string    `json:"templateName"`
	Output    int       `json:"compileOutputType"`
	Status    *int      `json:"publishStatus"`
	Published string    `json:"publishDate"`
	Template2 int       `json:"templateSortOrder"`
	Sort      int       `json:"sortOrder"`
}

// streams matches titles that only announce a second audio channel (SAP) of a meeting.
var streams = regexp.MustCompile(`(?i)^\W*SAP\b\W|\W\s*SAP\W*$`)

// DecodeMeetings decodes a list of meetings. Its times are local in zone.
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

func decodeMeeting(row json.RawMessage, zone *time.Location) (m Meeting, ok bool, err error) {
	var raw rawMeeting
	if portal.DecodeRow(row, &raw) != nil || raw.ID == 0 {
		return m, false, fmt.Errorf("%w: it is not a meeting, or has no id", portal.ErrNotPortal)
	}
	m = Meeting{
		ID: raw.ID, Committee: raw.Committee, Title: portal.Plain(raw.Title, maxText),
		Location: portal.Plain(raw.Location, maxName), VideoURL: portal.PublicURL(raw.Video), RawJSON: row,
	}
	if portal.IsTest(m.Title) || streams.MatchString(m.Title) {
		return m, false, nil
	}
	m.Starts, ok = portal.ParseLocal(raw.DateTime, zone)
	if !ok {
		at, err := time.ParseInLocation("Jan 02, 2006 03:04 PM", council.Fold(raw.Date+" "+raw.Time), zone)
		if err != nil || at.Year() <= 1900 {
			return m, false, nil // the meeting has no date yet
		}
		m.Starts = at
	}
	m.Documents = decodeDocuments(raw)
	m.State, m.Word = stateOf(m)
	return m, true, nil
}

func decodeDocuments(raw rawMeeting) []CompiledDocument {
	var docs []rawDocument
	for _, row := range raw.Documents[:min(len(raw.Documents), maxDocuments)] {
		var d rawDocument
		ours := portal.DecodeRow(row, &d) == nil && d.Template > 0 && (d.Meeting == 0 || d.Meeting == raw.ID)
		if ours && (d.Status == nil || *d.Status == 1) { // 1 means published
			docs = append(docs, d)
		}
	}
	slices.SortStableFunc(docs, func(a, b rawDocument) int {
		return cmp.Or(a.Template2-b.Template2, a.Sort-b.Sort)
	})
	var out []CompiledDocument
	for _, d := range docs {
		at, _ := portal.ParseLocal(d.Published, time.UTC)
		out = append(out, CompiledDocument{
			ID:         d.ID,
			TemplateID: d.Template,
			Name:       portal.Line(d.Name, maxName),
			Output:     d.Output,
			Published:  at,
		})
	}
	return out
}

var noMeeting = regexp.MustCompile(`(?i)\bcancell?(?:ed|ation)\b|\brecess notice\b|\bnotice of recess\b`)

// stateOf reads the state from the title. Some towns publish a notice of cancellation instead. It
// counts unless there are minutes.
func stateOf(m Meeting) (portal.State, string) {
	if s, word := portal.StateOf(m.Title); s != "" {
		return s, word
	}
	word := ""
	for _, d := range m.Documents {
		switch {
		case noMeeting.MatchString(d.Name):
			word = noMeeting.FindString(d.Name)
		case portal.KindOf(d.Name, nil) == portal.KindMinutes, portal.KindOf(d.Name, nil) == portal.KindActions:
			return portal.Planned, "" // the meeting was held
		}
	}
	if word != "" {
		return portal.Cancelled, word
	}
	return portal.Planned, ""
}

// Join merges lists. If several lists have a meeting, the last one counts. The result is sorted by
// time and id.
func Join(lists ...[]Meeting) []Meeting {
	at := map[portal.ID]int{}
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

// DecodeYears decodes the years for which there is a list of meetings.
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

// DecodeCommittees decodes the bodies.
func DecodeCommittees(body []byte) ([]portal.Body, error) {
	rows, err := portal.DecodeList(body)
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	found, err := portal.Bodies(rows, "name", maxName)
	return slices.DeleteFunc(found, func(b portal.Body) bool { return portal.IsTest(b.Name) }), err
}

// Body returns the name of the committee. If there is none, it returns the body at the beginning of
// the title. names has the names of committees by id.
func (m Meeting) Body(names map[string]string) string {
	if name := names[m.Committee.String()]; name != "" {
		return name
	}
	title := m.Title
	if before, after, both := strings.Cut(title, " - "); both && before != "" && after != "" {
		// This applies to "City Council - Regular Meeting", but not to "CANCELLED - City Council", "City
		// Council - Finance Committee" or "SAP - Personnel Committee".
		if s, _ := portal.StateOf(before); s == "" && !portal.IsBody(after) {
			title = before
		}
	}
	return portal.BodyOf(title)
}
