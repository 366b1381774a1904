package legistar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const (
	// pageRows is how many rows the API answers at most, whatever it is asked for.
	pageRows = 1000
	// maxPages bounds a list: no tenant has a million events.
	maxPages = 1000
)

// pages asks for a list page by page, until one is short.
func (s *Reader) pages(ctx context.Context, path string, query url.Values) ([]page, error) {
	var out []page
	seen := map[string]bool{}
	var length portal.Length
	ordered := query.Has("$orderby")
	for n := range maxPages {
		if n > 0 || ordered {
			query.Set("$top", strconv.Itoa(pageRows))
			query.Set("$skip", strconv.Itoa(n*pageRows))
		}
		p, err := s.get(ctx, path, query)
		if err != nil {
			return nil, err
		}
		if err := length.Add(len(p.body)); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		before := len(seen)
		for _, r := range p.rows {
			seen[string(r)] = true
		}
		if len(p.rows) > 0 || n == 0 {
			out = append(out, p)
		}
		switch {
		case len(p.rows) < pageRows:
			return out, nil
		case len(seen) == before:
			return nil, fmt.Errorf("read %s: %w: page %d repeats the one before, so the list cannot be had whole", path,
				portal.ErrNotPortal, n+1)
		}
	}
	return nil, fmt.Errorf("read %s: %w: more than %d pages", path, portal.ErrNotPortal, maxPages)
}

// Bodies are the boards of the tenant.
func (s *Reader) Bodies(ctx context.Context) ([]portal.Body, error) {
	pages, err := s.pages(ctx, "/Bodies", url.Values{"$orderby": {"BodyId asc"}})
	if err != nil {
		return nil, err
	}
	var out []portal.Body
	for _, p := range pages {
		var rows []body
		if err := portal.Decode(p.body, &rows); err != nil {
			return nil, fmt.Errorf("read bodies: %w", err)
		}
		for _, r := range rows {
			out = append(out, portal.Body{ID: strconv.FormatInt(r.BodyID, 10), Name: portal.Fold(r.BodyName)})
		}
	}
	return out, nil
}

// Meetings lists the events of all bodies.
func (s *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	const day = "2006-01-02"
	after := w.To.AddDate(0, 0, 1)
	filter := fmt.Sprintf("EventDate ge datetime'%s' and EventDate lt datetime'%s'", w.From.Format(day), after.Format(day))
	if !w.Changed.IsZero() && w.Back.After(w.From) {
		filter = fmt.Sprintf("(EventDate ge datetime'%s' or EventLastModifiedUtc ge datetime'%s') and %s",
			w.Back.Format(day), w.Changed.UTC().Format("2006-01-02T15:04:05"), filter)
	}
	pages, err := s.pages(ctx, "/Events", url.Values{"$filter": {filter}, "$orderby": {"EventId asc"}})
	if err != nil {
		return nil, err
	}
	var said portal.List
	for _, p := range pages {
		said = append(said, p.rows...)
	}
	var out []portal.Meeting
	seen := map[string]bool{}
	for _, raw := range said {
		var e event
		// one field is of another type: that costs the meeting, when it is read, and not the list
		var odd *json.UnmarshalTypeError
		if err := json.Unmarshal(raw, &e); err != nil && !errors.As(err, &odd) || e.EventID <= 0 {
			return nil, fmt.Errorf("read events: %w: a row is no event: %w", portal.ErrNotPortal, err)
		}
		m := e.meeting(s.Root, s.Zone)
		m.Said, m.Sum = raw, portal.Fingerprint(raw)
		// Not every tenant keeps to the filter.
		if out := m.Starts.Before(w.From) || !m.Starts.Before(after); out && odd == nil || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		out = append(out, m)
	}
	return out, nil
}

// The paths of answers in a bundle. They are not those of the requests.
func eventPath(id string) string { return "/events/" + id }

func listPath(it item, list string) string {
	return fmt.Sprintf("/eventitems/%d/%s", it.EventItemID, list)
}

// itemsPath names a page of the items of an event.
func itemsPath(event string, page int) string {
	path := eventPath(event) + "/eventitems"
	if page > 0 {
		path += "?$skip=" + strconv.Itoa(page*pageRows)
	}
	return path
}

// itemsOf are the items of an event in a bundle.
func itemsOf(b *portal.Bundle, event string) ([]item, error) {
	var items []item
	for n := 0; ; n++ {
		a := b.Find(itemsPath(event, n))
		if a == nil {
			return items, nil
		}
		var rows []item
		if err := portal.Decode(a.Body, &rows); err != nil {
			return items, fmt.Errorf("read items of event %s: %w", event, err)
		}
		items = append(items, rows...)
	}
}

// Fetch asks for the items of an event, and for the votes and the roll calls of those that can have
// them.
func (s *Reader) Fetch(ctx context.Context, m portal.Meeting, before *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.Root.String()}
	b.Add(eventPath(m.ID), 0, m.Said)
	pages, err := s.pages(ctx, "/Events/"+url.PathEscape(m.ID)+"/EventItems",
		url.Values{"AgendaNote": {"1"}, "MinutesNote": {"1"}, "Attachments": {"1"}})
	if err != nil {
		return b, err
	}
	for n, p := range pages {
		b.Add(itemsPath(m.ID, n), 0, p.body)
	}
	items, err := itemsOf(&b, m.ID)
	if err != nil {
		return b, err
	}
	stamps := map[int64]string{}         // when each item was changed last, as the archived answers say
	archived, _ := itemsOf(before, m.ID) // what cannot be read is asked for again
	for _, it := range archived {
		stamps[it.EventItemID] = it.EventItemLastModifiedUtc
	}
	for _, it := range items {
		for _, list := range it.lists() {
			have := before.Find(listPath(it, list))
			if have != nil && it.EventItemLastModifiedUtc != "" && stamps[it.EventItemID] == it.EventItemLastModifiedUtc {
				b.Answers = append(b.Answers, *have)
				continue
			}
			status, body, err := s.list(ctx, it, list)
			if err != nil {
				return b, fmt.Errorf("ask for the %s of item %d: %w", list, it.EventItemID, err)
			}
			b.Add(listPath(it, list), status, body)
		}
	}
	return b, nil
}

// list asks for the votes or roll calls of an item. Some tenants say 404 or 500 for none: where
// nothing says that there are votes, and it says so again, that is an answer.
func (s *Reader) list(ctx context.Context, it item, what string) (status int, body []byte, err error) {
	path := fmt.Sprintf("/EventItems/%d/%s", it.EventItemID,
		map[string]string{votes: "Votes", rollCalls: "RollCalls"}[what])
	for range 2 {
		p, err := s.get(ctx, path, url.Values{})
		var answer *fetch.StatusError
		switch {
		case !errors.As(err, &answer) || ctx.Err() != nil:
			return 0, p.body, err
		case answer.Code == 404 || answer.Code == 500 && it.EventItemPassedFlag == nil && !errors.Is(err, portal.ErrNone):
			status = answer.Code
		default:
			return 0, nil, err
		}
	}
	return status, nil, nil
}
