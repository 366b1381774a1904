package legistar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const (
	// pageRows is the largest number of rows in an answer, whatever $top requests.
	pageRows = 1000
	// maxPages bounds a list, because no tenant has a million events.
	maxPages = 1000
)

func (r *Reader) pages(ctx context.Context, path string, query url.Values) ([]page, error) {
	var out []page
	seen := map[string]bool{}
	var length portal.ListSize
	ordered := query.Has("$orderby")
	for n := range maxPages {
		if n > 0 || ordered {
			query.Set("$top", strconv.Itoa(pageRows))
			query.Set("$skip", strconv.Itoa(n*pageRows))
		}
		p, err := r.get(ctx, path, query)
		if err != nil {
			return nil, err
		}
		if err := length.Add(len(p.body)); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		before := len(seen)
		for _, row := range p.rows {
			seen[string(row)] = true
		}
		if len(p.rows) > 0 || n == 0 {
			out = append(out, p)
		}
		switch {
		case len(p.rows) < pageRows:
			return out, nil
		case len(seen) == before:
			return nil, fmt.Errorf("read %s: %w: page %d repeats the page before, so the list is incomplete", path,
				portal.ErrNotPortal, n+1)
		}
	}
	return nil, fmt.Errorf("read %s: %w: more than %d pages", path, portal.ErrNotPortal, maxPages)
}

func (r *Reader) Bodies(ctx context.Context) ([]portal.Body, error) {
	pages, err := r.pages(ctx, "/Bodies", url.Values{"$orderby": {"BodyId asc"}})
	if err != nil {
		return nil, err
	}
	var out []portal.Body
	for _, p := range pages {
		var rows []body
		if err := portal.Decode(p.body, &rows); err != nil {
			return nil, fmt.Errorf("read bodies: %w", err)
		}
		for _, row := range rows {
			out = append(out, portal.Body{ID: portal.ID(row.BodyID).String(), Name: council.Fold(row.BodyName),
				Kind: council.Fold(row.BodyTypeName)})
		}
	}
	return out, nil
}

func (r *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	const day = "2006-01-02"
	after := w.To.AddDate(0, 0, 1)
	filter := fmt.Sprintf("EventDate ge datetime'%s' and EventDate lt datetime'%s'", w.From.Format(day), after.Format(day))
	if !w.Changed.IsZero() && w.Back.After(w.From) {
		filter = fmt.Sprintf("(EventDate ge datetime'%s' or EventLastModifiedUtc ge datetime'%s') and %s",
			w.Back.Format(day), w.Changed.UTC().Format("2006-01-02T15:04:05"), filter)
	}
	pages, err := r.pages(ctx, "/Events", url.Values{"$filter": {filter}, "$orderby": {"EventId asc"}})
	if err != nil {
		return nil, err
	}
	var rows portal.List
	for _, p := range pages {
		rows = append(rows, p.rows...)
	}
	var out []portal.Meeting
	seen := map[string]bool{}
	for _, raw := range rows {
		var e event
		// If a field has another type, only that meeting fails when it is read, not the whole list.
		var wrongType *json.UnmarshalTypeError
		if err := json.Unmarshal(raw, &e); err != nil && !errors.As(err, &wrongType) || e.EventID <= 0 {
			return nil, fmt.Errorf("read events: %w: a row is not an event: %w", portal.ErrNotPortal, err)
		}
		m := e.meeting(r.Root, r.Zone)
		m.RawJSON, m.Hash = raw, portal.HashJSON(raw)
		// Some tenants ignore the filter in the request.
		if out := m.Starts.Before(w.From) || !m.Starts.Before(after); out && wrongType == nil || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		out = append(out, m)
	}
	return out, nil
}

// eventPath, listPath and itemsPath return paths in a bundle. They differ from the paths of
// requests.
func eventPath(id string) string { return "/events/" + id }

func listPath(it item, list string) string {
	return fmt.Sprintf("/eventitems/%d/%s", it.EventItemID, list)
}

func itemsPath(event string, page int) string {
	path := eventPath(event) + "/eventitems"
	if page > 0 {
		path += "?$skip=" + strconv.Itoa(page*pageRows)
	}
	return path
}

func itemsOf(b *portal.Bundle, event string) ([]item, error) {
	var items []item
	for n := 0; ; n++ {
		a := b.Find(itemsPath(event, n))
		if a == nil {
			return items, nil
		}
		var rows []item
		if err := portal.Decode(a.Body(), &rows); err != nil {
			return items, fmt.Errorf("read items of event %s: %w", event, err)
		}
		items = append(items, rows...)
	}
}

// Fetch requests the items of an event, and the votes and roll calls of items that may have them.
func (r *Reader) Fetch(ctx context.Context, m portal.Meeting, before *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: r.Root.String()}
	b.Add(eventPath(m.ID), 0, m.RawJSON)
	pages, err := r.pages(ctx, "/Events/"+url.PathEscape(m.ID)+"/EventItems",
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
	modified := map[int64]string{}       // time of the last change of each archived item
	archived, _ := itemsOf(before, m.ID) // items that cannot be read are requested again
	for _, it := range archived {
		modified[it.EventItemID] = it.EventItemLastModifiedUtc
	}
	for _, it := range items {
		for _, list := range it.lists() {
			have := before.Find(listPath(it, list))
			if have != nil && it.EventItemLastModifiedUtc != "" && modified[it.EventItemID] == it.EventItemLastModifiedUtc {
				b.Answers = append(b.Answers, *have)
				continue
			}
			status, body, err := r.list(ctx, it, list)
			if err != nil {
				return b, fmt.Errorf("fetch the %s of item %d: %w", list, it.EventItemID, err)
			}
			b.Add(listPath(it, list), status, body)
		}
	}
	return b, nil
}

// list requests the votes or roll calls of an item. Some tenants answer 404 or 500 instead of an
// empty list. list accepts such an answer if a retry has the same result and nothing indicates that
// the item has votes. A 500 has been retried by the client already.
func (r *Reader) list(ctx context.Context, it item, what string) (status int, body []byte, err error) {
	path := fmt.Sprintf("/EventItems/%d/%s", it.EventItemID,
		map[string]string{votes: "Votes", rollCalls: "RollCalls"}[what])
	p, err := r.get(ctx, path, url.Values{})
	var answer *fetch.StatusError
	if errors.As(err, &answer) && answer.Code == 404 {
		once := *r.Client
		once.Tries = 1
		p, err = (&Reader{&once}).get(ctx, path, url.Values{})
	}
	switch {
	case err == nil || !errors.As(err, &answer) || ctx.Err() != nil:
		return 0, p.body, err
	case answer.Code == 404 || answer.Code == 500 && it.EventItemPassedFlag == nil && !errors.Is(err, portal.ErrNone):
		return answer.Code, nil, nil
	}
	return 0, nil, err
}
