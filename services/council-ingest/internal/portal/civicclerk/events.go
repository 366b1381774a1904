package civicclerk

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// An Event is a meeting as the list of events has it.
type Event struct {
	ID       int64
	AgendaID int64  // of its agenda, which has a numbering of its own; 0 without one
	Name     string // "City Council Meeting"
	Category string // the body, as the town arranges its meetings; "" without one
	Starts   time.Time
	State    portal.State // Planned, unless the name says otherwise
	Word     string       // of the name, for the state
	Location string
	VideoURL string
	Files    []File
	// PageID is the event whose page shows the meeting: itself, or the copy that has the files. Copies
	// are the other events that stand for it.
	PageID int64
	Copies []int64
	Said   json.RawMessage // the row
}

// A File is a published file of an event.
type File struct {
	ID        int64
	Type      string // as the portal writes it: Agenda, Agenda Packet, Minutes, Notice, Other
	Name      string
	Published time.Time // zero when the portal does not say
}

// Word is what names the file best: a type of Other says less than the name.
func (f File) Word() string {
	if f.Type == "" || strings.EqualFold(f.Type, "Other") {
		return f.Name
	}
	return f.Type
}

// A Page is one page of the list of events.
type Page struct {
	Events []Event
	Next   string // where the next page is; "" on the last one
}

// ErrElsewhere says that the next page of a list is said to be on another host, or to be no part of
// the list.
var ErrElsewhere = errors.New("the next page of the list is said to be elsewhere")

type rawEvent struct {
	ID        reading.ID   `json:"id"`
	AgendaID  reading.ID   `json:"agendaId"`
	Name      reading.Text `json:"eventName"`
	Category  reading.Text `json:"categoryName"`
	Category2 reading.Text `json:"eventCategoryName"`
	Starts    reading.Text `json:"startDateTime"`
	Date      reading.Text `json:"eventDate"`
	Published reading.Text `json:"isPublished"`
	Deleted   reading.Flag `json:"isDeleted"`
	Video     reading.Text `json:"externalMediaUrl"`
	Location  place        `json:"eventLocation"`
	Files     reading.Rows `json:"publishedFiles"`
}

// DecodeEvents reads a page of the list of events, which was fetched from at. Times are local in
// zone.
func DecodeEvents(body []byte, at *url.URL, zone *time.Location) (Page, error) {
	var raw struct {
		Value portal.List  `json:"value"`
		Next  reading.Text `json:"@odata.nextLink"`
	}
	err := decode(body, &raw)
	if err == nil {
		err = raw.Value.Check()
	}
	if err != nil {
		return Page{}, fmt.Errorf("read the list of events: %w", err)
	}
	var p Page
	for i, row := range raw.Value {
		e, ok, err := decodeEvent(row, zone)
		if err != nil {
			return Page{}, fmt.Errorf("read the list of events: row %d: %w", i, err)
		}
		if ok {
			p.Events = append(p.Events, e)
		}
	}
	if raw.Next != "" {
		p.Next, err = nextPage(at, string(raw.Next))
	}
	return p, err
}

// nextPage is the address of the next page: the same list on the same host, whatever else the link
// says.
func nextPage(at *url.URL, link string) (string, error) {
	u, err := at.Parse(link)
	list := func(u *url.URL) string { return strings.ToLower(u.Host + strings.TrimSuffix(u.Path, "/")) }
	if err != nil || list(u) != list(at) || u.RawQuery == "" || u.User != nil {
		return "", fmt.Errorf("read the list of events: %w: %q", ErrElsewhere, council.Clip(link, maxReason))
	}
	u.Scheme, u.Fragment = at.Scheme, ""
	return u.String(), nil
}

// decodeEvent reads a row; ok is false for what is no meeting, or none for the public.
func decodeEvent(row json.RawMessage, zone *time.Location) (e Event, ok bool, err error) {
	var raw rawEvent
	if err := json.Unmarshal(row, &raw); err != nil {
		return e, false, fmt.Errorf("%w: %w", portal.ErrNotPortal, err)
	}
	if raw.ID == 0 {
		return e, false, fmt.Errorf("%w: an event without an id", portal.ErrNotPortal)
	}
	e = Event{
		ID: int64(raw.ID), PageID: int64(raw.ID), AgendaID: int64(raw.AgendaID), Name: raw.Name.Plain(maxText),
		Category: cmp.Or(raw.Category.Line(maxName), raw.Category2.Line(maxName)), VideoURL: portal.Link(string(raw.Video)),
		Location: raw.Location.line(), Said: row,
	}
	// What was taken back, or is not out yet, is not shown.
	published := raw.Published == "" || strings.EqualFold(string(raw.Published), "Published")
	if raw.Deleted.Set() || !published || reading.IsTest(e.Name) {
		return e, false, nil
	}
	for _, at := range []reading.Text{raw.Starts, raw.Date} {
		if !ok {
			e.Starts, ok = reading.Wall(string(at), zone)
		}
	}
	if !ok {
		return e, false, nil // it has no day yet
	}
	e.State, e.Word = reading.StateOf(e.Name)
	e.State = cmp.Or(e.State, portal.Planned)
	for _, row := range raw.Files.First(maxFiles) {
		var f struct {
			ID        reading.ID   `json:"fileId"`
			Type      reading.Text `json:"type"`
			Name      reading.Text `json:"name"`
			Published reading.Text `json:"publishOn"`
		}
		if json.Unmarshal(row, &f) != nil || f.ID == 0 || reading.IsPlaceholder(string(f.Name)) {
			continue
		}
		file := File{ID: int64(f.ID), Type: f.Type.Line(maxName), Name: f.Name.Line(maxText)}
		file.Published, _ = reading.Wall(string(f.Published), zone) // zero when it is none
		e.Files = append(e.Files, file)
	}
	return e, true, nil
}

type place struct {
	Address1 reading.Text `json:"address1"`
	Address2 reading.Text `json:"address2"`
	City     reading.Text `json:"city"`
	State    reading.Text `json:"state"`
	Zip      reading.Text `json:"zipCode"`
}

// UnmarshalJSON reads what is an object; other values say no place.
func (p *place) UnmarshalJSON(b []byte) error {
	type plain place
	_ = json.Unmarshal(b, (*plain)(p))
	return nil
}

func (p place) line() string {
	var out []string
	for _, part := range []reading.Text{p.Address1, p.Address2, p.City, p.State + " " + p.Zip} {
		if s := portal.Fold(string(part)); s != "" {
			out = append(out, s)
		}
	}
	return council.Clip(strings.Join(out, ", "), maxName)
}

// Names that the product gives where a clerk gave none.
const (
	noCategory = "General"
	noName     = "One Time Event"
)

// Body is the board: the category, or what the name begins with where the category is the one that
// everything is in at first.
func (e Event) Body() string {
	body := reading.BodyOf(e.Name)
	switch {
	case e.Category != "" && !strings.EqualFold(e.Category, noCategory):
		return e.Category
	case body != "" && !strings.EqualFold(body, noName):
		return body
	}
	return e.Category
}

// Type is what the name says beside the board: "Worksession".
func (e Event) Type() string {
	if strings.EqualFold(e.Name, noName) {
		return ""
	}
	return reading.TypeOf(e.Name, e.Body())
}

// Title is the name, or the board where a clerk gave no name.
func (e Event) Title() string {
	if e.Name == "" || strings.EqualFold(e.Name, noName) {
		return e.Body()
	}
	return e.Name
}

// meetingWord is a type that says nothing.
const meetingWord = "meeting"

// Fold puts the copies of a meeting together, which the templates of a series leave behind: events
// of one board and type at one hour, of which those without files say nothing. The meeting keeps
// the lowest id of its copies for ever, and is described by the copy that has the files, or an
// agenda. Two events with files are two meetings. The order is that of time, then of ids.
func Fold(events []Event) []Event {
	type group struct {
		body, kind, starts string
		off                bool
	}
	byGroup := map[group][]Event{}
	seen := map[int64]bool{}
	for _, e := range events {
		if seen[e.ID] {
			continue // pages shift while they are read
		}
		seen[e.ID] = true
		kind := strings.ToLower(e.Type())
		if kind == meetingWord {
			kind = ""
		}
		g := group{strings.ToLower(e.Body()), kind, e.Starts.Format("2006-01-02T15:04:05"), e.State.Off()}
		byGroup[g] = append(byGroup[g], e)
	}
	var out []Event
	for _, copies := range byGroup {
		slices.SortFunc(copies, func(a, b Event) int { return cmp.Compare(a.ID, b.ID) })
		first := len(out)
		out = append(out, copies[0])
		for _, e := range copies[1:] {
			whole := &out[first]
			switch {
			case len(e.Files) > 0 && len(whole.Files) > 0:
				out = append(out, e)
			case len(e.Files) > 0, len(whole.Files) == 0 && whole.AgendaID == 0 && e.AgendaID > 0:
				e.ID, e.Copies = whole.ID, append(whole.Copies, e.ID)
				*whole = e
			default:
				whole.Copies = append(whole.Copies, e.ID)
			}
		}
	}
	slices.SortFunc(out, func(a, b Event) int { return cmp.Or(a.Starts.Compare(b.Starts), cmp.Compare(a.ID, b.ID)) })
	return out
}

// documents are the published files. Minutes are there as plain text, too, behind the file itself:
// its pages can be cited.
func documents(files []File, api *url.URL,
	own map[string]portal.DocumentKind) (docs []portal.Document, agenda, minutes portal.Papers) {
	for _, f := range files {
		kind, known := own[portal.FoldName(f.Name)]
		if !known {
			kind = reading.KindOf(f.Word(), own)
		}
		doc := portal.Document{ID: reading.ID(f.ID).String(), Kind: kind, Name: f.Word(), Published: f.Published,
			URL: fileAddress(api, f.ID, false)}
		docs = append(docs, doc)
		papers := reading.PapersOf(f.Name)
		papers.Published = f.Published
		switch kind {
		case portal.KindAgenda:
			agenda = papers
		case portal.KindMinutes:
			minutes = papers
			doc.Format, doc.Name, doc.URL = portal.Text, doc.Name+" (text)", fileAddress(api, f.ID, true)
			docs = append(docs, doc)
		}
	}
	return docs, agenda, minutes
}

// DecodeCategories reads the answer of EventCategories: the bodies.
func DecodeCategories(body []byte) ([]portal.Body, error) {
	var raw struct {
		Value portal.List `json:"value"`
	}
	err := decode(body, &raw)
	if err == nil {
		err = raw.Value.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	return reading.Bodies(raw.Value, "categoryDesc", maxName)
}
