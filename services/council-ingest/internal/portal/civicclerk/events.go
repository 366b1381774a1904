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
)

// An Event is an entry in the list of events. Its JSON form without RawJSON is hashed and stored,
// so do not rename fields.
type Event struct {
	ID       portal.ID
	AgendaID portal.ID // differs from the event's id; 0 if there is no agenda
	Name     string    // such as "City Council Meeting"
	Category string    // name of a body, or of a group of bodies
	// CategoryID is 0 if unknown.
	CategoryID portal.ID `json:"-"`
	Starts     time.Time
	State      portal.State // Planned, unless the name shows another state
	Word       string       // word in the name that shows the state
	Location   string
	VideoURL   string
	Files      []File
	// PageID is the event whose page shows the meeting: this event, or the copy with the files. Copies
	// has the other events of the meeting.
	PageID  portal.ID
	Copies  []portal.ID
	RawJSON json.RawMessage `json:"Said"`
}

// A File is a published file of an event.
type File struct {
	ID        portal.ID
	Type      string // Agenda, Agenda Packet, Minutes, Notice or Other
	Name      string
	Published time.Time
}

// Word returns the type of the file, or its name if the type is Other.
func (f File) Word() string {
	if f.Type == "" || strings.EqualFold(f.Type, "Other") {
		return f.Name
	}
	return f.Type
}

// A Page is a page of the list of events.
type Page struct {
	Events []Event
	Next   string // address of the next page; "" on the last page
}

// ErrElsewhere means that the next page is on another host, or belongs to another list.
var ErrElsewhere = errors.New("the next page of the list is said to be elsewhere")

type rawEvent struct {
	ID          portal.ID         `json:"id"`
	AgendaID    portal.ID         `json:"agendaId"`
	Name        string            `json:"eventName"`
	Category    string            `json:"categoryName"`
	Category2   string            `json:"eventCategoryName"`
	CategoryID  portal.ID         `json:"categoryId"`
	CategoryID2 portal.ID         `json:"eventCategoryId"`
	Starts      string            `json:"startDateTime"`
	Date        string            `json:"eventDate"`
	Published   string            `json:"isPublished"`
	Deleted     portal.Flag       `json:"isDeleted"`
	Video       string            `json:"externalMediaUrl"`
	Location    place             `json:"eventLocation"`
	Files       []json.RawMessage `json:"publishedFiles"`
}

// DecodeEvents decodes a page of the list of events. at is the address of the page.
func DecodeEvents(body []byte, at *url.URL, zone *time.Location) (Page, error) {
	raw, err := decodeList(body)
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
		p.Next, err = nextPage(at, raw.Next)
	}
	return p, err
}

// nextPage returns the address of the next page, which must be of the same list on the same host.
func nextPage(at *url.URL, link string) (string, error) {
	u, err := at.Parse(link)
	list := func(u *url.URL) string { return strings.ToLower(u.Host + strings.TrimSuffix(u.Path, "/")) }
	if err != nil || list(u) != list(at) || u.RawQuery == "" || u.User != nil {
		return "", fmt.Errorf("read the list of events: %w: %q", ErrElsewhere, council.Clip(link, maxReason))
	}
	u.Scheme, u.Fragment = at.Scheme, ""
	return u.String(), nil
}

// decodeEvent decodes a row. ok is false if it is not a public meeting with a date.
func decodeEvent(row json.RawMessage, zone *time.Location) (e Event, ok bool, err error) {
	var raw rawEvent
	if err := portal.DecodeRow(row, &raw); err != nil {
		return e, false, fmt.Errorf("%w: %w", portal.ErrNotPortal, err)
	}
	if raw.ID == 0 {
		return e, false, fmt.Errorf("%w: an event without an id", portal.ErrNotPortal)
	}
	e = Event{
		ID: raw.ID, PageID: raw.ID, AgendaID: raw.AgendaID, Name: portal.Plain(raw.Name, maxText),
		Category:   cmp.Or(portal.Line(raw.Category, maxName), portal.Line(raw.Category2, maxName)),
		CategoryID: cmp.Or(raw.CategoryID, raw.CategoryID2),
		VideoURL:   portal.PublicURL(raw.Video),
		Location:   raw.Location.line(), RawJSON: row,
	}
	published := raw.Published == "" || strings.EqualFold(raw.Published, "Published")
	if raw.Deleted.Set() || !published || portal.IsTest(e.Name) {
		return e, false, nil
	}
	for _, at := range []string{raw.Starts, raw.Date} {
		if !ok {
			e.Starts, ok = portal.ParseLocal(at, zone)
		}
	}
	if !ok {
		return e, false, nil // the meeting has no date yet
	}
	e.State, e.Word = portal.StateOf(e.Name)
	e.State = cmp.Or(e.State, portal.Planned)
	for _, row := range raw.Files[:min(len(raw.Files), maxFiles)] {
		var f struct {
			ID        portal.ID `json:"fileId"`
			Type      string    `json:"type"`
			Name      string    `json:"name"`
			Published string    `json:"publishOn"`
		}
		if portal.DecodeRow(row, &f) != nil || f.ID == 0 || portal.IsPlaceholder(f.Name) {
			continue
		}
		file := File{ID: f.ID, Type: portal.Line(f.Type, maxName), Name: portal.Line(f.Name, maxText)}
		file.Published, _ = portal.ParseLocal(f.Published, zone)
		e.Files = append(e.Files, file)
	}
	return e, true, nil
}

type place struct {
	Address1 string `json:"address1"`
	Address2 string `json:"address2"`
	City     string `json:"city"`
	State    string `json:"state"`
	Zip      string `json:"zipCode"`
}

func (p place) line() string {
	var out []string
	for _, part := range []string{p.Address1, p.Address2, p.City, p.State + " " + p.Zip} {
		if s := council.Fold(part); s != "" {
			out = append(out, s)
		}
	}
	return council.Clip(strings.Join(out, ", "), maxName)
}

// Default names in the product.
const (
	noCategory = "General"
	noName     = "One Time Event"
)

// Body returns the category. If that is the default category, it returns the body at the beginning
// of the name.
func (e Event) Body() string {
	body := portal.BodyOf(e.Name)
	switch {
	case e.Category != "" && !strings.EqualFold(e.Category, noCategory):
		return e.Category
	case body != "" && !strings.EqualFold(body, noName):
		return body
	}
	return e.Category
}

// Type returns the part of the name after the body, such as "Worksession".
func (e Event) Type() string {
	if strings.EqualFold(e.Name, noName) {
		return ""
	}
	return portal.TypeOf(e.Name, e.Body())
}

// Title returns the name, or the body if the event has no name.
func (e Event) Title() string {
	if e.Name == "" || strings.EqualFold(e.Name, noName) {
		return e.Body()
	}
	return e.Name
}

// meetingWord is a type that says nothing.
const meetingWord = "meeting"

// MergeCopies merges the copies of a meeting that templates of a series leave. Copies are events of
// one body and type at one hour, at most one of which has files. The meeting gets the lowest id,
// and the data of the copy with files, or if none has files, of the copy with an agenda. Two events
// with files are two meetings. The result is sorted by time and id.
func MergeCopies(events []Event) []Event {
	type group struct {
		body, kind, starts string
		cancelled          bool
	}
	byGroup := map[group][]Event{}
	seen := map[portal.ID]bool{}
	for _, e := range events {
		if seen[e.ID] {
			continue // pages may shift between requests
		}
		seen[e.ID] = true
		kind := strings.ToLower(e.Type())
		if kind == meetingWord {
			kind = ""
		}
		g := group{strings.ToLower(e.Body()), kind, e.Starts.Format("2006-01-02T15:04:05"), e.State.IsCancelled()}
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

// documents lists the published files. It lists minutes first as the published file, whose pages
// can be cited, and then as the vendor's plain text.
func documents(files []File, api *url.URL,
	own map[string]portal.DocumentKind) (docs []portal.Document, agenda, minutes portal.DocumentStatus) {
	for _, f := range files {
		kind, known := own[portal.FoldName(f.Name)]
		if !known {
			kind = portal.KindOf(f.Word(), own)
		}
		doc := portal.Document{ID: f.ID.String(), Kind: kind, Name: f.Word(), Published: f.Published,
			URL: fileAddress(api, f.ID, false)}
		docs = append(docs, doc)
		papers := portal.StatusOf(f.Name)
		papers.Published = f.Published
		switch kind {
		case portal.KindAgenda:
			agenda = papers
		case portal.KindMinutes:
			minutes = papers
			doc.Format = portal.Text
			doc.Name += " (text)"
			doc.URL = fileAddress(api, f.ID, true)
			docs = append(docs, doc)
		}
	}
	return docs, agenda, minutes
}

// DecodeCategories decodes the categories of events, which are the bodies.
func DecodeCategories(body []byte) ([]portal.Body, error) {
	raw, err := decodeList(body)
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	return portal.Bodies(raw.Value, "categoryDesc", maxName)
}
