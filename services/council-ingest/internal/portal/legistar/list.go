package legistar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const (
	// pageRows is how many rows the API answers at most, whatever it is asked for.
	pageRows = 1000
	// maxPages bounds a list: no tenant has a million events.
	maxPages = 1000
)

// pages asks for a list page by page, until one is short. Each page is what was answered, byte for byte.
func (s *Source) pages(ctx context.Context, path string, query url.Values) ([][]byte, error) {
	var out [][]byte
	seen := map[string]bool{}
	var length portal.Length
	for n := range maxPages {
		q := url.Values{}
		for k, v := range query {
			q[k] = v
		}
		if n > 0 || query.Has("$orderby") {
			q.Set("$top", strconv.Itoa(pageRows))
			q.Set("$skip", strconv.Itoa(n*pageRows))
		}
		body, err := s.get(ctx, path, q)
		if err != nil {
			return nil, err
		}
		if err := length.Add(len(body)); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		var rows []json.RawMessage
		if err := json.Unmarshal(body, &rows); err != nil {
			return nil, fmt.Errorf("read %s: %w: %w", path, portal.ErrNotPortal, err)
		}
		fresh := 0
		for _, r := range rows {
			if !seen[string(r)] {
				seen[string(r)] = true
				fresh++
			}
		}
		if len(rows) > 0 || n == 0 {
			out = append(out, body)
		}
		switch {
		case len(rows) < pageRows:
			return out, nil
		case fresh == 0:
			return nil, fmt.Errorf("read %s: %w: page %d repeats the one before, so the list cannot be had whole", path, portal.ErrNotPortal, n+1)
		}
	}
	return nil, fmt.Errorf("read %s: %w: more than %d pages", path, portal.ErrNotPortal, maxPages)
}

// rowsOf reads the rows of all pages.
func rowsOf[R any](pages [][]byte) ([]R, error) {
	var all []R
	for _, p := range pages {
		var rows []R
		if err := json.Unmarshal(p, &rows); err != nil {
			return nil, fmt.Errorf("%w: %w", portal.ErrNotPortal, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// Bodies are the boards of the tenant.
func (s *Source) Bodies(ctx context.Context) ([]portal.Body, error) {
	pages, err := s.pages(ctx, "/Bodies", url.Values{"$orderby": {"BodyId asc"}})
	if err != nil {
		return nil, err
	}
	rows, err := rowsOf[body](pages)
	if err != nil {
		return nil, fmt.Errorf("read bodies: %w", err)
	}
	var out []portal.Body
	for _, r := range rows {
		out = append(out, portal.Body{ID: strconv.FormatInt(r.BodyID, 10), Name: portal.Fold(r.BodyName)})
	}
	return out, nil
}

// Meetings lists the events of all bodies.
func (s *Source) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	const day = "2006-01-02"
	filter := fmt.Sprintf("EventDate ge datetime'%s' and EventDate lt datetime'%s'", w.From.Format(day), w.To.AddDate(0, 0, 1).Format(day))
	if !w.Changed.IsZero() && w.Back.After(w.From) {
		filter = fmt.Sprintf("(EventDate ge datetime'%s' or EventLastModifiedUtc ge datetime'%s') and %s", w.Back.Format(day), w.Changed.UTC().Format("2006-01-02T15:04:05"), filter)
	}
	pages, err := s.pages(ctx, "/Events", url.Values{"$filter": {filter}, "$orderby": {"EventId asc"}})
	if err != nil {
		return nil, err
	}
	said, err := rowsOf[json.RawMessage](pages)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	var out []portal.Meeting
	seen := map[string]bool{}
	for _, raw := range said {
		var e event
		var odd *json.UnmarshalTypeError // one field is of another type: that costs the meeting, when it is read, and not the list
		if err := json.Unmarshal(raw, &e); err != nil && !errors.As(err, &odd) || e.EventID <= 0 {
			return nil, fmt.Errorf("read events: %w: a row is no event: %w", portal.ErrNotPortal, err)
		}
		m := e.meeting(s.root, s.cfg.Zone)
		m.Said, m.Sum = raw, portal.Fingerprint(raw)
		// Not every tenant keeps to the filter.
		if out := m.Starts.Before(w.From) || !m.Starts.Before(w.To.AddDate(0, 0, 1)); out && odd == nil || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		out = append(out, m)
	}
	return out, nil
}

// skipped names the page of a list in a bundle.
func skipped(path string, page int) string {
	if page == 0 {
		return path
	}
	return path + "?$skip=" + strconv.Itoa(page*pageRows)
}

// Fetch asks for the items of an event, and for the votes and the roll calls of those that can have them.
func (s *Source) Fetch(ctx context.Context, m portal.Meeting, before *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.root.String()}
	b.Add("/events/"+m.ID, 0, m.Said)
	path := "/events/" + m.ID + "/eventitems"
	pages, err := s.pages(ctx, "/Events/"+url.PathEscape(m.ID)+"/EventItems", url.Values{"AgendaNote": {"1"}, "MinutesNote": {"1"}, "Attachments": {"1"}})
	if err != nil {
		return b, err
	}
	items, err := rowsOf[item](pages)
	if err != nil {
		return b, fmt.Errorf("read items of event %s: %w", m.ID, err)
	}
	for n, p := range pages {
		b.Add(skipped(path, n), 0, p)
	}
	stamps := stampsOf(before, path)
	for _, it := range items {
		for _, list := range it.lists() {
			path := fmt.Sprintf("/eventitems/%d/%s", it.EventItemID, list)
			if have := before.Find(path); have != nil && it.EventItemLastModifiedUtc != "" && stamps[it.EventItemID] == it.EventItemLastModifiedUtc {
				b.Answers = append(b.Answers, *have)
				continue
			}
			status, body, err := s.list(ctx, it, list)
			if err != nil {
				return b, fmt.Errorf("ask for the %s of item %d: %w", list, it.EventItemID, err)
			}
			b.Add(path, status, body)
		}
	}
	return b, nil
}

// list asks for the votes or roll calls of an item. Some tenants say 404 or 500 for none: where nothing says that there are votes, and
// it says so again, that is an answer.
func (s *Source) list(ctx context.Context, it item, what string) (status int, body []byte, err error) {
	path := fmt.Sprintf("/EventItems/%d/%s", it.EventItemID, map[string]string{votes: "Votes", rollCalls: "RollCalls"}[what])
	for range 2 {
		body, err = s.get(ctx, path, nil)
		var answer *fetch.StatusError
		switch {
		case !errors.As(err, &answer) || ctx.Err() != nil:
			return 0, body, err
		case answer.Code == 404 || answer.Code == 500 && it.EventItemPassedFlag == nil && !errors.Is(err, portal.ErrNone):
			status = answer.Code
		default:
			return 0, nil, err
		}
	}
	return status, nil, nil
}

// stampsOf is when each item was changed last, as archived answers say.
func stampsOf(before *portal.Bundle, path string) map[int64]string {
	stamps := map[int64]string{}
	for n := range maxPages {
		a := before.Find(skipped(path, n))
		if a == nil {
			break
		}
		rows, err := rowsOf[item]([][]byte{a.Body})
		if err != nil {
			break
		}
		for _, it := range rows {
			stamps[it.EventItemID] = it.EventItemLastModifiedUtc
		}
	}
	return stamps
}

// utc reads a time of the API, which is UTC without a Z.
func utc(s *string) time.Time {
	if s == nil {
		return time.Time{}
	}
	t, _ := time.Parse("2006-01-02T15:04:05", *s) // fractions are taken, too; zero for what is no time
	return t
}
