// Package civicclerk reads the portals of CivicClerk (CivicPlus Agenda & Meeting Management):
// events, agendas with items and recorded votes, and files.
//
// Decode functions send no requests. Answers may be hostile, so their bytes, rows, depth and
// lengths of texts are bounded. An answer of another system is an error, never an empty list.
// Quirks of the product:
//
//   - Times end in Z but are local. The years 1 and 1900 mean no time.
//   - A page of a list has 15 rows, whatever the request specifies; the next page is on the same
//     host.
//   - Templates of series leave copies of a meeting at one hour; only one copy has the files.
//   - Only the name shows tests and cancellations. hasVote and hasMotion are useless.
//   - Addresses of files have signatures that expire after days, or are dead, so files are fetched
//     by id.
//
// Start with Product; events.go reads the list, agenda.go items and votes.
package civicclerk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const name = "civicclerk"

func Product() portal.Product {
	return portal.Product{
		Name: name, Title: "CivicClerk", Example: "https://TOWN.portal.civicclerk.com",
		Like:   "a CivicClerk portal has one like https://town.portal.civicclerk.com",
		Tenant: tenant, Root: apiRoot, PageOf: eventPage, Parse: parse,
		New: func(c *portal.Client) portal.Reader { return &Reader{c} },
		Can: portal.Can{Record: true, Votes: true},
		// The vendor's terms allow only as many requests as a human visitor sends.
		LeastPause: 5 * time.Second,
		Minutes:    []string{string(portal.KindMinutes), string(portal.KindActions)},
	}
}

// domain is the domain of all tenants: TOWN.portal is for people, TOWN.api for programs.
const domain = "civicclerk.com"

func tenant(address *url.URL) string { return portal.Town(address, domain) }

// apiRoot returns the root of the API. A host outside of the vendor's domain has both the API and
// the pages.
func apiRoot(address *url.URL) *url.URL {
	if town := tenant(address); town != "" {
		return &url.URL{Scheme: "https", Host: town + ".api." + domain, Path: "/v1/"}
	}
	before, _, _ := strings.Cut(strings.TrimSuffix(address.Path, "/")+"/", "/v1/")
	before, _, _ = strings.Cut(before, "/event/")
	return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: strings.TrimSuffix(before, "/") + "/v1/"}
}

func eventPage(api *url.URL, id string) string {
	pages := *api
	pages.Path = strings.TrimSuffix(api.Path, "v1/")
	if town := tenant(api); town != "" {
		pages.Host = town + ".portal." + domain
	}
	return pages.JoinPath("event", id, "overview").String()
}

// fileAddress returns the permanent address of a file, in its published format or as plain text.
func fileAddress(api *url.URL, file portal.ID, plain bool) string {
	return api.String() + fmt.Sprintf("Meetings/GetMeetingFileStream(fileId=%d,plainText=%t)", file, plain)
}

// A Reader reads the portal of one council.
type Reader struct{ *portal.Client }

// Probe requests the bodies of the portal.
func (r *Reader) Probe(ctx context.Context) error {
	_, err := r.Bodies(ctx)
	return err
}

// Bodies lists the categories of events, which are the bodies.
func (r *Reader) Bodies(ctx context.Context) ([]portal.Body, error) {
	return portal.FetchJSON(ctx, r.Client, r.Root.JoinPath("EventCategories").String(), DecodeCategories)
}

// maxPages bounds a list. It is enough for decades of meetings with 15 rows on each page.
const maxPages = 4_000

// Meetings lists the events page by page.
func (r *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	from := portal.ListFrom(w)
	const day = "2006-01-02T00:00:00Z" // the time is local despite the Z
	at := r.Root.JoinPath("Events")
	at.RawQuery = strings.ReplaceAll(url.Values{
		"$filter":  {"startDateTime ge " + from.Format(day) + " and startDateTime lt " + w.To.AddDate(0, 0, 1).Format(day)},
		"$orderby": {"startDateTime asc"},
	}.Encode(), "+", "%20")
	var events []Event
	seen := map[string]bool{}
	var length portal.ListSize
	for next := at.String(); next != ""; {
		if seen[next] || len(seen) == maxPages {
			return nil, fmt.Errorf("read the list of events: %w: page %d leads to an earlier page, or the list does not end",
				portal.ErrNotPortal, len(seen))
		}
		seen[next] = true
		page, err := portal.FetchJSON(ctx, r.Client, next, func(body []byte) (Page, error) {
			if err := length.Add(len(body)); err != nil {
				return Page{}, err
			}
			return DecodeEvents(body, at, r.Zone)
		})
		if err != nil {
			return nil, err
		}
		events = append(events, page.Events...)
		next = page.Next
	}
	var out []portal.Meeting
	for _, e := range MergeCopies(events) {
		m := meeting(e, r.Root, r.Kinds)
		m.RawJSON = stableRow(e)
		e.RawJSON = nil
		m.Hash = portal.HashJSON(e)
		out = append(out, m)
	}
	return out, nil
}

func meeting(e Event, api *url.URL, own map[string]portal.DocumentKind) portal.Meeting {
	m := portal.Meeting{ID: e.ID.String(), URL: eventPage(api, e.PageID.String()),
		Title: e.Title()}
	m.Body = e.Body()
	m.Type = e.Type()
	m.Starts = e.Starts
	m.Location = e.Location
	m.State = e.State
	m.VideoURL = e.VideoURL
	if e.CategoryID != 0 && m.Body == e.Category {
		m.BodyID = e.CategoryID.String()
	}
	m.Documents, m.Agenda, m.Minutes = documents(e.Files, api, own)
	return m
}

const eventPath = "Events/"

// Fetch requests the agenda of a meeting. If the agenda does not have the votes on items, it also
// requests those.
func (r *Reader) Fetch(ctx context.Context, m portal.Meeting, before *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: r.Root.String()}
	b.Add(eventPath+m.ID, 0, m.RawJSON)
	event, err := decodeArchived(m.RawJSON, r.Zone)
	if err != nil || event.AgendaID == 0 {
		return b, err
	}
	path := agendaPath(event.AgendaID)
	a, err := portal.FetchJSON(ctx, r.Client, r.Root.String()+path, func(body []byte) (Agenda, error) {
		b.Answers = b.Answers[:1]
		b.Add(path, 0, unsigned(body))
		return DecodeAgenda(body, event.AgendaID, r.Words, r.Root)
	})
	switch {
	case isMissing(err):
		b.Add(path, http.StatusNotFound, nil) // the meeting has files only
		return b, nil
	case err != nil:
		return portal.Bundle{}, err
	case m.State.IsCancelled() || m.Starts.After(time.Now()):
		return b, nil
	}
	return b, r.fetchVotes(ctx, &b, a, m, before)
}

const (
	// settledAfter is the age from which a meeting's votes are no longer requested item by item.
	settledAfter = 60 * 24 * time.Hour
	// itemsTried is the number of items without a vote after which a council counts as recording no
	// votes.
	itemsTried = 8
)

func (r *Reader) fetchVotes(ctx context.Context, b *portal.Bundle, a Agenda, m portal.Meeting,
	before *portal.Bundle) error {
	for i, item := range a.Unrecorded {
		if i >= itemsTried && len(a.Votes) == 0 {
			return nil
		}
		path := votesPath(item)
		if old := before.Find(path); old != nil && time.Since(m.Starts) > settledAfter {
			b.Answers = append(b.Answers, *old)
			if old.Status == 0 {
				_ = a.AddVotes(old.Body(), item, r.Words) // it was read before it was archived
			}
			continue
		}
		body, err := portal.FetchJSON(ctx, r.Client, r.Root.String()+path, func(body []byte) ([]byte, error) {
			return body, a.AddVotes(body, item, r.Words)
		})
		status := 0
		if isMissing(err) {
			status = http.StatusNotFound
			body = nil
			err = nil
		}
		if err != nil {
			return err
		}
		b.Add(path, status, body)
	}
	return nil
}

func isMissing(err error) bool {
	var answer *fetch.StatusError
	return errors.As(err, &answer) && answer.Code == http.StatusNotFound
}

func agendaPath(agenda portal.ID) string { return fmt.Sprintf("Meetings/%d", agenda) }

func votesPath(item portal.ID) string {
	return fmt.Sprintf("Meetings/GetMeetingItemMinutesVotes(id=%d)", item)
}

// signed matches addresses with a signature. Signatures expire in days and differ in each answer.
var signed = regexp.MustCompile(`"(https?:[^"?]*)\?(?:[^"]*(?:&|\\u0026))?sig=[^"]*"`)

func unsigned(body []byte) []byte { return signed.ReplaceAll(body, []byte(`"$1"`)) }

// volatile lists fields of an event that change without an edit.
var volatile = []string{"mediaTotalPlay", "bookmarksAdded", "isLive", "liveIsCurrentlyStreaming", "streamingStatus",
	"meetingIn", "showPauseMessage", "pauseMessage"}

// stableRow returns the event's entry in the list without volatile fields and signatures.
func stableRow(e Event) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(e.RawJSON, &fields) != nil {
		return e.RawJSON
	}
	for _, field := range volatile {
		delete(fields, field)
	}
	var text bytes.Buffer
	write := json.NewEncoder(&text)
	write.SetEscapeHTML(false)
	_ = write.Encode(fields) // raw values always encode
	return unsigned(bytes.TrimSpace(text.Bytes()))
}

func decodeArchived(row []byte, zone *time.Location) (Event, error) {
	e, ok, err := decodeEvent(row, zone)
	if err == nil && !ok {
		err = fmt.Errorf("%w: it is not a meeting", portal.ErrNotPortal)
	}
	if err != nil {
		return e, fmt.Errorf("read an event: %w", err)
	}
	return e, nil
}

func parse(b portal.Bundle, api *url.URL, r portal.ParseOptions) (portal.Detail, error) {
	e, err := decodeArchived(b.Answers[0].Body(), r.Zone)
	if err != nil {
		return portal.Detail{}, err
	}
	d := meeting(e, api, r.Kinds).Detail
	d.HasMinutes = portal.Find(d.Documents, string(portal.KindMinutes)) != nil
	answer := b.Find(agendaPath(e.AgendaID))
	d.NoItems = answer == nil || answer.Status != 0
	if d.NoItems {
		return d, nil
	}
	a, err := DecodeAgenda(answer.Body(), e.AgendaID, r.Words, api)
	if err != nil {
		return portal.Detail{}, err
	}
	for _, item := range a.Unrecorded {
		if answer := b.Find(votesPath(item)); answer != nil && answer.Status == 0 {
			if err := a.AddVotes(answer.Body(), item, r.Words); err != nil {
				return portal.Detail{}, err
			}
		}
	}
	a.sort()
	d.Items = a.Items
	d.Votes = a.Votes
	d.Notes = a.Notes
	return d, nil
}

func (a *Agenda) sort() {
	at := map[string]int{}
	for i, it := range a.Items {
		at[it.ID] = i
	}
	slices.SortStableFunc(a.Votes, func(x, y portal.Vote) int { return at[x.ItemID] - at[y.ItemID] })
}

// Bounds of one answer. The longest known agendas have a few hundred items and fifty votes.
const (
	maxDepth  = 12    // levels of nested items
	maxItems  = 5_000 // items of an agenda
	maxVotes  = 200   // votes on one item
	maxNames  = 200
	maxText   = 4_000 // characters of a title or a motion
	maxName   = 300   // characters of a person's name
	maxFiles  = 500   // files of a meeting or an item
	maxNotes  = 100   // notes about an agenda
	maxReason = 300   // characters of an error message
)

var errRefused = errors.New("the portal refuses the request")

// decode decodes a JSON object. If the answer is an error, it returns the reason.
func decode(body []byte, into any) error {
	var refused struct {
		Error *struct {
			Code    any `json:"code"`
			Message any `json:"message"`
		} `json:"error"`
	}
	if err := portal.Decode(body, &refused); err == nil && refused.Error != nil {
		message := council.Clip(fmt.Sprint(refused.Error.Message), maxReason)
		return fmt.Errorf("%w: %s (%s)", errRefused, message, portal.Line(fmt.Sprint(refused.Error.Code), maxReason))
	}
	return portal.Decode(body, into)
}

type list struct {
	Value portal.List `json:"value"`
	Next  string      `json:"@odata.nextLink"`
}

func decodeList(body []byte) (l list, err error) {
	if err := decode(body, &l); err != nil {
		return l, err
	}
	return l, l.Value.Check()
}
