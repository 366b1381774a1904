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

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// name is what council.yaml calls the product.
const name = "civicclerk"

// Product describes CivicClerk to those who know no product.
func Product() portal.Product {
	return portal.Product{Name: name, Title: "CivicClerk", Example: "https://TOWN.portal.civicclerk.com", Tenant: tenant, Page: pageOf, Read: Read, Minutes: []string{string(portal.KindMinutes), string(portal.KindActions)}, Knock: knock,
		Open: portal.Opens(Open)}
}

// hosts is what the addresses of all tenants end with; before it stand the tenant and what is there: the pages, or the answers.
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

// roots are where the answers and the pages of a portal are. At a host of another name both are there.
func roots(address string) (api, pages *url.URL, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, nil, fmt.Errorf("%w: a CivicClerk portal has one like https://town.portal.civicclerk.com", portal.ErrAddress)
	}
	if town := tenant(u); town != "" {
		return &url.URL{Scheme: "https", Host: town + ".api" + hosts, Path: "/v1/"}, &url.URL{Scheme: "https", Host: town + ".portal" + hosts, Path: "/"}, nil
	}
	before, _, _ := strings.Cut(strings.TrimSuffix(u.Path, "/")+"/", "/v1/")
	before, _, _ = strings.Cut(before, "/event/")
	base := strings.TrimSuffix(before, "/")
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: base + "/v1/"}, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: base + "/"}, nil
}

// pageOf is the address of a meeting's page, for people.
func pageOf(address, id string) string {
	_, pages, err := roots(address)
	if err != nil {
		return ""
	}
	return eventPage(pages, id)
}

func eventPage(pages *url.URL, id string) string {
	return pages.JoinPath("event", id, "overview").String()
}

// fileAddress is where a published file is for good: as it was published, or as plain text, which the vendor makes.
func fileAddress(api *url.URL, file int64, plain bool) string {
	return api.String() + fmt.Sprintf("Meetings/GetMeetingFileStream(fileId=%d,plainText=%t)", file, plain)
}

// leastPause is the shortest time between two requests at the vendor's hosts: its terms allow no more load than a person makes.
const leastPause = 5 * time.Second

// A Source is the portal of one council.
type Source struct {
	cfg        portal.Config
	client     *portal.Client
	api, pages *url.URL
}

// knock asks for the bodies.
func knock(ctx context.Context, s portal.Source) error {
	_, err := s.Bodies(ctx)
	return err
}

// Open returns the portal at an address.
func Open(ctx context.Context, cfg portal.Config) (*Source, error) {
	api, pages, err := roots(cfg.URL)
	if err != nil {
		return nil, err
	}
	if tenant(api) != "" {
		cfg.Pause = max(cfg.Pause, leastPause)
	}
	client, err := portal.NewClient(ctx, cfg, api)
	if err != nil {
		return nil, err
	}
	return &Source{cfg: cfg, client: client, api: api, pages: pages}, nil
}

// Close ends it.
func (s *Source) Close() { s.client.Close() }

// Can is what a CivicClerk portal hands over.
func (s *Source) Can() portal.Can { return portal.Can{Items: true, Record: true, Votes: true} }

// request asks for an answer. Some tenants answer XML to those who do not say what they read.
func request(address string) fetch.Request {
	return fetch.Request{URL: address, Header: http.Header{"Accept": {"application/json"}}, MaxBytes: maxBytes}
}

// Bodies are the categories of events.
func (s *Source) Bodies(ctx context.Context) ([]portal.Body, error) {
	at := s.api.JoinPath("EventCategories")
	return portal.Ask(ctx, s.client, request(at.String()), func(body []byte, _ fetch.Meta) ([]portal.Body, error) {
		return DecodeCategories(body)
	})
}

// maxPages bounds a list: at 15 rows a page these are the meetings of decades.
const maxPages = 4_000

// Meetings lists the events page by page.
func (s *Source) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	from := reading.Since(w)
	const day = "2006-01-02T00:00:00Z" // local, whatever the Z says
	at := s.api.JoinPath("Events")
	at.RawQuery = url.Values{
		"$filter":  {"startDateTime ge " + from.Format(day) + " and startDateTime lt " + w.To.AddDate(0, 0, 1).Format(day)},
		"$orderby": {"startDateTime asc"},
	}.Encode()
	at.RawQuery = strings.ReplaceAll(at.RawQuery, "+", "%20")
	var events []Event
	seen := map[string]bool{}
	var length portal.Length
	for next := at.String(); next != ""; {
		if seen[next] || len(seen) == maxPages {
			return nil, fmt.Errorf("read the list of events: %w: page %d leads to an earlier one, or there is no end", portal.ErrNotPortal, len(seen))
		}
		seen[next] = true
		size := 0
		page, err := portal.Ask(ctx, s.client, request(next), func(body []byte, _ fetch.Meta) (Page, error) {
			size = len(body)
			return DecodeEvents(body, at, s.cfg.Zone)
		})
		if err == nil {
			err = length.Add(size)
		}
		if err != nil {
			return nil, err
		}
		events = append(events, page.Events...)
		next = page.Next
	}
	var out []portal.Meeting
	for _, e := range Fold(events) {
		out = append(out, s.meeting(e))
	}
	return out, nil
}

func (s *Source) meeting(e Event) portal.Meeting {
	m := portal.Meeting{
		ID: number(e.ID), URL: eventPage(s.pages, number(e.PageID)), Body: e.Body(), Type: e.Type(), Title: e.Title(), Starts: e.Starts, Location: e.Location,
		State: e.State, StateWord: e.Word, VideoURL: e.VideoURL, Said: said(e),
	}
	m.Documents, m.Agenda, m.Minutes = documents(e.Files, s.api, s.cfg.Kinds)
	e.Said = nil
	m.Sum = portal.Fingerprint(e)
	return m
}

// eventPath is the path of what the list says of a meeting, in a bundle.
const eventPath = "Events/"

// Fetch asks for the agenda of a meeting, and for the votes on items of which the agenda says nothing.
func (s *Source) Fetch(ctx context.Context, m portal.Meeting, before *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.api.String()}
	b.Add(eventPath+m.ID, 0, m.Said)
	event, err := decodeSaid(m.Said, s.cfg.Zone)
	if err != nil || event.AgendaID == 0 {
		return b, err
	}
	path := agendaPath + number(event.AgendaID)
	a, err := portal.Ask(ctx, s.client, request(s.api.String()+path), func(body []byte, _ fetch.Meta) (Agenda, error) {
		b.Answers = b.Answers[:1]
		b.Add(path, 0, unsigned(body))
		return DecodeAgenda(body, event.AgendaID, s.cfg.Words, func(id int64) string { return attachmentAddress(s.api, id) })
	})
	if none(err) {
		b.Add(path, http.StatusNotFound, nil) // there are files only
		return b, nil
	}
	if err != nil {
		return portal.Bundle{}, err
	}
	if m.State.Off() || m.Starts.After(time.Now()) {
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
func (s *Source) fetchVotes(ctx context.Context, b *portal.Bundle, a Agenda, m portal.Meeting, before *portal.Bundle) error {
	voted := len(a.Votes)
	for i, item := range a.Unrecorded {
		if i >= noneOfThem && voted == 0 {
			return nil
		}
		path := votesPath(item)
		if old := before.Find(path); old != nil && time.Since(m.Starts) > settled {
			b.Answers = append(b.Answers, *old)
			if old.Status == 0 && a.AddVotes(old.Body, item, s.cfg.Words) == nil {
				voted = len(a.Votes)
			}
			continue
		}
		_, err := portal.Ask(ctx, s.client, request(s.api.String()+path), func(body []byte, _ fetch.Meta) (int, error) {
			if err := a.AddVotes(body, item, s.cfg.Words); err != nil {
				return 0, err
			}
			b.Add(path, 0, body)
			return 0, nil
		})
		if none(err) {
			b.Add(path, http.StatusNotFound, nil)
			continue
		}
		if err != nil {
			return err
		}
		voted = len(a.Votes)
	}
	return nil
}

// none reports whether the portal answered that there is no such thing.
func none(err error) bool {
	var answer *fetch.StatusError
	return errors.As(err, &answer) && answer.Code == http.StatusNotFound
}

// File returns a document.
func (s *Source) File(ctx context.Context, address string, have portal.Validators, maxBytes int64) (portal.File, error) {
	return s.client.File(ctx, address, have, maxBytes)
}

const agendaPath = "Meetings/"

func votesPath(item int64) string {
	return fmt.Sprintf("Meetings/GetMeetingItemMinutesVotes(id=%d)", item)
}

func attachmentAddress(api *url.URL, file int64) string {
	return api.String() + fmt.Sprintf("Meetings/GetAttachmentFile(fileId=%d)", file)
}

// signed are addresses with a signature that opens them for some days. They are no facts, and change from answer to answer.
var signed = regexp.MustCompile(`"(https?:[^"?]*)\?(?:[^"]*(?:&|\\u0026))?sig=[^"]*"`)

// unsigned is an answer without signatures.
func unsigned(body []byte) []byte { return signed.ReplaceAll(body, []byte(`"$1"`)) }

// volatile are fields of an event that count what readers do.
var volatile = []string{"mediaTotalPlay", "bookmarksAdded", "isLive", "liveIsCurrentlyStreaming", "streamingStatus", "meetingIn", "showPauseMessage", "pauseMessage"}

// said is what the list says of an event, without what changes by itself.
func said(e Event) []byte {
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

// Read turns archived answers into what they say of the meeting.
func Read(b portal.Bundle, r portal.Reading) (portal.Detail, error) {
	api, err := url.Parse(b.Root)
	if err != nil || len(b.Answers) == 0 || !strings.HasPrefix(b.Answers[0].Path, eventPath) {
		return portal.Detail{}, fmt.Errorf("read bundle of a CivicClerk portal: %w", portal.ErrNotPortal)
	}
	e, err := decodeSaid(b.Answers[0].Body, r.Zone)
	if err != nil {
		return portal.Detail{}, err
	}
	d := portal.Detail{Body: e.Body(), Type: e.Type(), Starts: e.Starts, Location: e.Location, State: e.State, VideoURL: e.VideoURL}
	d.Documents, d.Agenda, d.Minutes = documents(e.Files, api, r.Kinds)
	d.HasMinutes = portal.Find(d.Documents, string(portal.KindMinutes)) != nil
	answer := b.Find(agendaPath + number(e.AgendaID))
	d.NoItems = answer == nil || answer.Status != 0
	if d.NoItems {
		return d, nil
	}
	a, err := DecodeAgenda(answer.Body, e.AgendaID, r.Words, func(id int64) string { return attachmentAddress(api, id) })
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
