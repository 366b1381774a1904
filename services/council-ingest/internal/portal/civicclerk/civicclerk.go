// Package civicclerk reads the portals of councils that use CivicClerk (CivicPlus Agenda & Meeting
// Management): the list of events, the agenda of a meeting with its items and recorded votes, and
// the files.
//
// Decode functions turn answers into facts and know no network. Every answer is hostile input: it
// is bounded in bytes, rows, depth and length of texts, and what is not an answer of this product
// is an error, never an empty list. The habits of the product are corrected here:
//
//   - Times end in Z and are local. The years 1 and 1900 are no time at all.
//   - A list has 15 rows a page, whatever is asked for; the next page is where the answer says, on
//     the same host.
//   - The templates of a series leave copies of one meeting at one hour, of which one has the
//     files: they are one meeting.
//   - Tests and cancellations stand in the name alone, and hasVote and hasMotion are no use.
//   - Addresses of files are signed for days, or lead nowhere: files are named by their ids.
//
// Start with Product; events.go reads the list, agenda.go items and what was recorded on them.
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
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// name is what council.yaml calls the product.
const name = "civicclerk"

// Product describes CivicClerk.
func Product() portal.Product {
	return portal.Product{
		Name: name, Title: "CivicClerk", Example: "https://TOWN.portal.civicclerk.com",
		Like:   "a CivicClerk portal has one like https://town.portal.civicclerk.com",
		Tenant: tenant, Root: apiRoot, PageOf: eventPage, Parse: parse,
		New: func(c *portal.Client) portal.Reader { return &Reader{c} },
		Can: portal.Can{Record: true, Votes: true},
		// The vendor's terms allow no more load than a person makes.
		LeastPause: 5 * time.Second,
		Minutes:    []string{string(portal.KindMinutes), string(portal.KindActions)},
	}
}

// hosts is what the addresses of all tenants end with; before it stand the tenant and what is
// there: the pages, or the answers.
const hosts = ".civicclerk.com"

// tenant is the town in https://town.portal.civicclerk.com and https://town.api.civicclerk.com.
func tenant(address *url.URL) string {
	town, ours := strings.CutSuffix(strings.ToLower(address.Hostname()), hosts)
	if !ours {
		return ""
	}
	town, _, _ = strings.Cut(town, ".")
	if town == "www" {
		return ""
	}
	return town
}

// apiRoot is where the answers of a portal are. A host of another name has answers and pages.
func apiRoot(address *url.URL) *url.URL {
	if town := tenant(address); town != "" {
		return &url.URL{Scheme: "https", Host: town + ".api" + hosts, Path: "/v1/"}
	}
	before, _, _ := strings.Cut(strings.TrimSuffix(address.Path, "/")+"/", "/v1/")
	before, _, _ = strings.Cut(before, "/event/")
	return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: strings.TrimSuffix(before, "/") + "/v1/"}
}

// eventPage is the address of a meeting's page, for people.
func eventPage(api *url.URL, id string) string {
	pages := *api
	pages.Path = strings.TrimSuffix(api.Path, "v1/")
	if town := tenant(api); town != "" {
		pages.Host = town + ".portal" + hosts
	}
	return pages.JoinPath("event", id, "overview").String()
}

// fileAddress is where a published file is for good: as it was published, or as plain text, which
// the vendor makes.
func fileAddress(api *url.URL, file int64, plain bool) string {
	return api.String() + fmt.Sprintf("Meetings/GetMeetingFileStream(fileId=%d,plainText=%t)", file, plain)
}

// A Reader is the portal of one council.
type Reader struct{ *portal.Client }

// Knock asks for the bodies.
func (s *Reader) Knock(ctx context.Context) error {
	_, err := s.Bodies(ctx)
	return err
}

// Bodies are the categories of events.
func (s *Reader) Bodies(ctx context.Context) ([]portal.Body, error) {
	return portal.AskJSON(ctx, s.Client, s.Root.JoinPath("EventCategories").String(), DecodeCategories)
}

// maxPages bounds a list: at 15 rows a page these are the meetings of decades.
const maxPages = 4_000

// Meetings lists the events page by page.
func (s *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	from := reading.Since(w)
	const day = "2006-01-02T00:00:00Z" // local, whatever the Z says
	at := s.Root.JoinPath("Events")
	at.RawQuery = strings.ReplaceAll(url.Values{
		"$filter":  {"startDateTime ge " + from.Format(day) + " and startDateTime lt " + w.To.AddDate(0, 0, 1).Format(day)},
		"$orderby": {"startDateTime asc"},
	}.Encode(), "+", "%20")
	var events []Event
	seen := map[string]bool{}
	var length portal.Length
	for next := at.String(); next != ""; {
		if seen[next] || len(seen) == maxPages {
			return nil, fmt.Errorf("read the list of events: %w: page %d leads to an earlier one, or there is no end",
				portal.ErrNotPortal, len(seen))
		}
		seen[next] = true
		page, err := portal.AskJSON(ctx, s.Client, next, func(body []byte) (Page, error) {
			if err := length.Add(len(body)); err != nil {
				return Page{}, err
			}
			return DecodeEvents(body, at, s.Zone)
		})
		if err != nil {
			return nil, err
		}
		events = append(events, page.Events...)
		next = page.Next
	}
	var out []portal.Meeting
	for _, e := range Fold(events) {
		m := meeting(e, s.Root, s.Kinds)
		m.Said = withoutCounters(e)
		e.Said = nil
		m.Sum = portal.Fingerprint(e)
		out = append(out, m)
	}
	return out, nil
}

// meeting is what an event says.
func meeting(e Event, api *url.URL, own map[string]portal.DocumentKind) portal.Meeting {
	m := portal.Meeting{ID: reading.ID(e.ID).String(), URL: eventPage(api, reading.ID(e.PageID).String()),
		Title: e.Title()}
	m.Body, m.Type, m.Starts, m.Location, m.State, m.VideoURL = e.Body(), e.Type(), e.Starts, e.Location, e.State,
		e.VideoURL
	m.Documents, m.Agenda, m.Minutes = documents(e.Files, api, own)
	return m
}

// eventPath is the path of what the list says of a meeting, in a bundle.
const eventPath = "Events/"

// Fetch asks for the agenda of a meeting, and for the votes on items of which the agenda says
// nothing.
func (s *Reader) Fetch(ctx context.Context, m portal.Meeting, before *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.Root.String()}
	b.Add(eventPath+m.ID, 0, m.Said)
	event, err := decodeSaid(m.Said, s.Zone)
	if err != nil || event.AgendaID == 0 {
		return b, err
	}
	path := agendaPath(event.AgendaID)
	a, err := portal.AskJSON(ctx, s.Client, s.Root.String()+path, func(body []byte) (Agenda, error) {
		b.Answers = b.Answers[:1]
		b.Add(path, 0, unsigned(body))
		return DecodeAgenda(body, event.AgendaID, s.Words, s.Root)
	})
	switch {
	case isMissing(err):
		b.Add(path, http.StatusNotFound, nil) // there are files only
		return b, nil
	case err != nil:
		return portal.Bundle{}, err
	case m.State.Off() || m.Starts.After(time.Now()):
		return b, nil
	}
	return b, s.fetchVotes(ctx, &b, a, m, before)
}

const (
	// settled is how long after a meeting its votes are not asked for item by item again.
	settled = 60 * 24 * time.Hour
	// noneOfThem is after how many items without a vote a council does not record votes.
	noneOfThem = 8
)

// fetchVotes asks for the votes item by item, where the agenda has no place for them.
func (s *Reader) fetchVotes(ctx context.Context, b *portal.Bundle, a Agenda, m portal.Meeting,
	before *portal.Bundle) error {
	for i, item := range a.Unrecorded {
		if i >= noneOfThem && len(a.Votes) == 0 {
			return nil
		}
		path := votesPath(item)
		if old := before.Find(path); old != nil && time.Since(m.Starts) > settled {
			b.Answers = append(b.Answers, *old)
			if old.Status == 0 {
				_ = a.AddVotes(old.Body, item, s.Words) // it was read when it was archived
			}
			continue
		}
		body, err := portal.AskJSON(ctx, s.Client, s.Root.String()+path, func(body []byte) ([]byte, error) {
			return body, a.AddVotes(body, item, s.Words)
		})
		status := 0
		if isMissing(err) {
			status, body, err = http.StatusNotFound, nil, nil
		}
		if err != nil {
			return err
		}
		b.Add(path, status, body)
	}
	return nil
}

// isMissing reports whether the portal answered that there is no such thing.
func isMissing(err error) bool {
	var answer *fetch.StatusError
	return errors.As(err, &answer) && answer.Code == http.StatusNotFound
}

func agendaPath(agenda int64) string { return fmt.Sprintf("Meetings/%d", agenda) }

func votesPath(item int64) string {
	return fmt.Sprintf("Meetings/GetMeetingItemMinutesVotes(id=%d)", item)
}

// signed are addresses with a signature that opens them for some days. They are no facts, and
// change from answer to answer.
var signed = regexp.MustCompile(`"(https?:[^"?]*)\?(?:[^"]*(?:&|\\u0026))?sig=[^"]*"`)

// unsigned is an answer without signatures.
func unsigned(body []byte) []byte { return signed.ReplaceAll(body, []byte(`"$1"`)) }

// volatile are fields of an event that count what readers do.
var volatile = []string{"mediaTotalPlay", "bookmarksAdded", "isLive", "liveIsCurrentlyStreaming", "streamingStatus",
	"meetingIn", "showPauseMessage", "pauseMessage"}

// withoutCounters returns the list's entry of an event, without the fields that change by
// themselves.
func withoutCounters(e Event) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(e.Said, &fields) != nil {
		return e.Said
	}
	for _, field := range volatile {
		delete(fields, field)
	}
	var text bytes.Buffer
	write := json.NewEncoder(&text)
	write.SetEscapeHTML(false)
	_ = write.Encode(fields) // raw values that were read cannot fail
	return unsigned(bytes.TrimSpace(text.Bytes()))
}

// decodeSaid reads what a list said of an event.
func decodeSaid(row []byte, zone *time.Location) (Event, error) {
	e, ok, err := decodeEvent(row, zone)
	if err == nil && !ok {
		err = fmt.Errorf("%w: it is no meeting", portal.ErrNotPortal)
	}
	if err != nil {
		return e, fmt.Errorf("read an event: %w", err)
	}
	return e, nil
}

// parse turns archived answers into what they say of the meeting.
func parse(b portal.Bundle, api *url.URL, r portal.Reading) (portal.Detail, error) {
	e, err := decodeSaid(b.Answers[0].Body, r.Zone)
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
	a, err := DecodeAgenda(answer.Body, e.AgendaID, r.Words, api)
	if err != nil {
		return portal.Detail{}, err
	}
	for _, item := range a.Unrecorded {
		if answer := b.Find(votesPath(item)); answer != nil && answer.Status == 0 {
			if err := a.AddVotes(answer.Body, item, r.Words); err != nil {
				return portal.Detail{}, err
			}
		}
	}
	a.sort()
	d.Items, d.Votes, d.Notes = a.Items, a.Votes, a.Notes
	return d, nil
}

// sort puts votes that were read item by item among the others.
func (a *Agenda) sort() {
	at := map[string]int{}
	for i, it := range a.Items {
		at[it.ID] = i
	}
	slices.SortStableFunc(a.Votes, func(x, y portal.Vote) int { return at[x.ItemID] - at[y.ItemID] })
}

// Bounds on one answer. The longest agendas seen have some hundred items and fifty votes.
const (
	maxDepth  = 12    // of nested items
	maxItems  = 5_000 // of an agenda
	maxVotes  = 200   // on one item
	maxNames  = 200   // in one row of a vote
	maxText   = 4_000 // characters of a title or a motion
	maxName   = 300   // characters of a person's name
	maxFiles  = 500   // of a meeting or an item
	maxNotes  = 100   // of an agenda
	maxReason = 300   // characters of what a portal says of an error
)

// errRefused says that the portal refuses a request with a reason.
var errRefused = errors.New("the portal refuses the request")

// decode reads a JSON object that is whole.
func decode(body []byte, into any) error {
	var refused struct {
		Error *struct {
			Code    reading.Text `json:"code"`
			Message any          `json:"message"`
		} `json:"error"`
	}
	if err := portal.Decode(body, &refused); err == nil && refused.Error != nil {
		message := council.Clip(fmt.Sprint(refused.Error.Message), maxReason)
		return fmt.Errorf("%w: %s (%s)", errRefused, message, refused.Error.Code.Line(maxReason))
	}
	return portal.Decode(body, into)
}
