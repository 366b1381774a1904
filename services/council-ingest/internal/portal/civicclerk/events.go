package civicclerk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
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
	// PageID is the event whose page shows the meeting: itself, or the copy that has the files. Copies are the other events that stand for it.
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

// ErrElsewhere says that the next page of a list is said to be on another host, or to be no part of the list.
var ErrElsewhere = errors.New("the next page of the list is said to be elsewhere")

type rawEvent struct {
	ID        id    `json:"id"`
	AgendaID  id    `json:"agendaId"`
	Name      text  `json:"eventName"`
	Category  text  `json:"categoryName"`
	Category2 text  `json:"eventCategoryName"`
	Starts    text  `json:"startDateTime"`
	Date      text  `json:"eventDate"`
	Published text  `json:"isPublished"`
	Deleted   flag  `json:"isDeleted"`
	Video     text  `json:"externalMediaUrl"`
	Location  place `json:"eventLocation"`
	Files     list  `json:"publishedFiles"`
}

type rawFile struct {
	ID        id   `json:"fileId"`
	Type      text `json:"type"`
	Name      text `json:"name"`
	Published text `json:"publishOn"`
}

// DecodeEvents reads a page of the list of events, which was fetched from at. Times are local in zone.
func DecodeEvents(body []byte, at *url.URL, zone *time.Location) (Page, error) {
	var raw struct {
		Value *[]json.RawMessage `json:"value"`
		Next  text               `json:"@odata.nextLink"`
	}
	if err := decode(body, &raw); err != nil {
		return Page{}, fmt.Errorf("read the list of events: %w", err)
	}
	if raw.Value == nil || len(*raw.Value) > maxRows {
		return Page{}, fmt.Errorf("read the list of events: %w: it has no list, or too long a one", portal.ErrNotPortal)
	}
	var p Page
	for i, row := range *raw.Value {
		e, ok, err := decodeEvent(row, zone)
		if err != nil {
			return Page{}, fmt.Errorf("read the list of events: row %d: %w", i, err)
		}
		if ok {
			p.Events = append(p.Events, e)
		}
	}
	var err error
	if raw.Next != "" {
		p.Next, err = nextPage(at, string(raw.Next))
	}
	return p, err
}

// nextPage is the address of the next page: the same list on the same host, whatever else the link says.
func nextPage(at *url.URL, link string) (string, error) {
	u, err := at.Parse(link)
	if err != nil || !strings.EqualFold(u.Host, at.Host) || !strings.EqualFold(strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(at.Path, "/")) || u.RawQuery == "" || u.User != nil {
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
		ID: int64(raw.ID), PageID: int64(raw.ID), AgendaID: int64(raw.AgendaID), Name: council.Clip(reading.Fragment(string(raw.Name)), maxText),
		Category: council.Clip(portal.Fold(string(raw.Category)), maxName), VideoURL: webAddress(string(raw.Video)), Location: raw.Location.line(), Said: row,
	}
	// What was taken back, or is not out yet, is not shown.
	if raw.Deleted.set() || raw.Published != "" && !strings.EqualFold(string(raw.Published), "Published") || reading.IsTest(e.Name) {
		return e, false, nil
	}
	if e.Category == "" {
		e.Category = council.Clip(portal.Fold(string(raw.Category2)), maxName)
	}
	e.Starts, ok = reading.Wall(string(raw.Starts), zone)
	if !ok {
		e.Starts, ok = reading.Wall(string(raw.Date), zone)
	}
	if !ok {
		return e, false, nil // it has no day yet
	}
	e.State, e.Word = reading.StateOf(e.Name)
	if e.State == "" {
		e.State = portal.Planned
	}
	for _, row := range raw.Files[:min(len(raw.Files), maxFiles)] {
		var f rawFile
		if json.Unmarshal(row, &f) != nil || f.ID == 0 {
			continue
		}
		file := File{ID: int64(f.ID), Type: council.Clip(portal.Fold(string(f.Type)), maxName), Name: council.Clip(portal.Fold(string(f.Name)), maxText)}
		if reading.IsPlaceholder(file.Name) {
			continue
		}
		file.Published, _ = reading.Wall(string(f.Published), zone) // zero when it is none
		e.Files = append(e.Files, file)
	}
	return e, true, nil
}

type place struct {
	Address1 text `json:"address1"`
	Address2 text `json:"address2"`
	City     text `json:"city"`
	State    text `json:"state"`
	Zip      text `json:"zipCode"`
}

// UnmarshalJSON reads what is an object; other values say no place.
func (p *place) UnmarshalJSON(b []byte) error {
	type plain place
	if json.Unmarshal(b, (*plain)(p)) != nil {
		*p = place{}
	}
	return nil
}

func (p place) line() string {
	var out []string
	for _, part := range []text{p.Address1, p.Address2, p.City, p.State + " " + p.Zip} {
		if s := portal.Fold(string(part)); s != "" {
			out = append(out, s)
		}
	}
	return council.Clip(strings.Join(out, ", "), maxName)
}

// webAddress is an address that a browser may follow; "" for anything else.
func webAddress(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}
