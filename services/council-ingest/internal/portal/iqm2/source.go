package iqm2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Product describes IQM2. Its votes are tables on pages; see VoteTables.
func Product() portal.Product {
	return portal.Product{
		Name: "iqm2", Title: "IQM2", Example: "https://TOWN.iqm2.com", Plain: true, Minutes: []string{"15", "12"},
		Like: "an IQM2 portal has one like https://town.iqm2.com", Tenant: tenant, Root: root, Parse: parse,
		PageOf: func(root *url.URL, id string) string {
			return root.JoinPath("Detail_Meeting.aspx").String() + "?ID=" + id
		},
		New: func(c *portal.Client) portal.Reader { return &Reader{c} },
		Can: portal.Can{Feed: true},
	}
}

func tenant(address *url.URL) string { return portal.Town(address, "iqm2.com") }

// Probe requests the calendar of this month.
func (r *Reader) Probe(ctx context.Context) error {
	now := time.Now()
	_, err := r.Meetings(ctx, portal.Window{From: now.AddDate(0, -1, 0), To: now, Back: now})
	return err
}

// Bodies returns nil, because only the calendar names bodies.
func (r *Reader) Bodies(context.Context) ([]portal.Body, error) { return nil, nil }

// Meetings lists the rows of the calendar.
func (r *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	rows, err := r.fetchWholeCalendar(ctx, w.From, w.To, w.Back)
	if err != nil {
		return nil, err
	}
	out := make([]portal.Meeting, len(rows))
	for i, row := range rows {
		out[i] = portal.Meeting{ID: portal.ID(row.ID).String(), URL: row.URL, Title: row.Title, BodyID: row.BodyID,
			Hash: portal.HashJSON(row),
			Detail: portal.Detail{
				Body: row.Body, Type: row.Type, Starts: row.Starts, Location: row.Location, State: stateOf(row.Cancelled),
				Documents: documents(row.Documents), VideoURL: row.VideoURL,
			}}
	}
	return out, nil
}

// Fetch requests the page of a meeting.
func (r *Reader) Fetch(ctx context.Context, m portal.Meeting, _ *portal.Bundle) (portal.Bundle, error) {
	id, err := strconv.ParseInt(m.ID, 10, 64)
	if err != nil {
		return portal.Bundle{}, fmt.Errorf("parse id of a meeting: %w", err)
	}
	return portal.FetchPage(ctx, r.Client, m.URL, func(body []byte) (portal.Bundle, error) {
		b := portal.Bundle{Product: "iqm2", Root: r.Root.String()}
		b.Add("Detail_Meeting.aspx?ID="+m.ID, 0, body)
		_, err := ParseMeeting(body, r.Root, r.Zone, id)
		return b, err
	})
}

func parse(b portal.Bundle, root *url.URL, r portal.ParseOptions) (portal.Detail, error) {
	return ParseMeeting(b.Answers[0].Body(), root, r.Zone, param(b.Answers[0].Path, "ID"))
}

// VoteTables returns a meeting's votes on the page of a legislative file, or nil for other items.
func (r *Reader) VoteTables(ctx context.Context, it portal.Item, meetingID string) ([][][2]string, error) {
	if it.LegifileID == 0 {
		return nil, nil
	}
	return portal.FetchPage(ctx, r.Client, it.URL, func(body []byte) ([][][2]string, error) {
		return ParseVotes(body, r.Root, meetingID)
	})
}

// Feed reads the portal's feed.
func (r *Reader) Feed(ctx context.Context) ([]portal.FeedEntry, error) {
	return portal.FetchPage(ctx, r.Client, r.Root.JoinPath("../Services/RSS.aspx").String()+"?Feed=Calendar", ParseFeed)
}

func stateOf(cancelled bool) portal.State {
	if cancelled {
		return portal.Cancelled
	}
	return portal.Planned
}

// documents makes the Type in the address of a file the name of the document.
func documents(docs []FileLink) []portal.Document {
	var out []portal.Document
	for _, d := range docs {
		kind := cmp.Or(kindOfType[d.Type], portal.KindOther)
		out = append(out, portal.Document{ID: portal.ID(d.ID).String(), Kind: kind, Name: strconv.Itoa(d.Type), URL: d.URL})
	}
	return out
}

// A Reader reads the portal of one council.
type Reader struct{ *portal.Client }

const calendarPage = "Calendar.aspx"

func root(address *url.URL) *url.URL {
	parts := strings.Split(strings.Trim(address.Path, "/"), "/")
	if last := len(parts) - 1; strings.HasSuffix(strings.ToLower(parts[last]), ".aspx") {
		parts = parts[:last]
	}
	// Portals ignore case, and their addresses differ in it. But the path before Citizens may be
	// case-sensitive.
	at := slices.IndexFunc(parts, func(part string) bool { return strings.EqualFold(part, "Citizens") })
	if at < 0 {
		at, parts = len(parts), append(parts, "Citizens")
	}
	path := "/" + strings.TrimLeft(strings.Join(parts[:at+1], "/"), "/") + "/"
	return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: path}
}

// calendar returns the name of the calendar's page, in the same case as the configured address.
func (r *Reader) calendar() string {
	if u := portal.WebAddress(r.URL); u != nil && strings.EqualFold(path.Base(u.Path), calendarPage) {
		return path.Base(u.Path)
	}
	return calendarPage
}

func (r *Reader) fetchCalendar(ctx context.Context, from, to time.Time) ([]CalendarRow, error) {
	const day = "1/2/2006"
	list := r.Root.JoinPath(r.calendar()).String() + "?View=List&From=" + from.Format(day) + "&To=" + to.Format(day)
	return portal.FetchPage(ctx, r.Client, list, func(body []byte) ([]CalendarRow, error) {
		return ParseCalendar(body, r.Root, r.Zone)
	})
}

func (r *Reader) fetchYear(ctx context.Context, year int) ([]CalendarRow, error) {
	return r.fetchCalendar(ctx, time.Date(year, 1, 1, 0, 0, 0, 0, r.Zone), time.Date(year, 12, 31, 0, 0, 0, 0, r.Zone))
}

// blankYears is the number of consecutive years without a meeting after which the search for
// earlier years ends.
const blankYears = 3

// fetchWholeCalendar returns the rows between two local days. Some portals show at most about a
// year at once, or fail on decades. For them, it requests single years until there are no new rows:
// the first year shown, which may be incomplete, then earlier years back to the year of back, and
// later years.
func (r *Reader) fetchWholeCalendar(ctx context.Context, from, to, back time.Time) ([]CalendarRow, error) {
	rows, err := r.fetchCalendar(ctx, from, to)
	thisYear := min(max(time.Now().In(r.Zone).Year(), from.Year()), to.Year())
	if maybeTooMuch(err) && ctx.Err() == nil || err == nil && len(rows) == 0 {
		ofYear, yearErr := r.fetchYear(ctx, thisYear)
		if yearErr == nil || err == nil || ctx.Err() != nil {
			rows, err = ofYear, yearErr
		}
	}
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	first, last := to.Year(), from.Year()
	for _, row := range rows {
		seen[row.ID] = true
		if !row.Starts.IsZero() {
			first, last = min(first, row.Starts.Year()), max(last, row.Starts.Year())
		}
	}
	if first > last {
		first, last = thisYear, thisYear
	}
	// Two requests show whether there are earlier rows, one request whether there are later rows. Each
	// new row allows more requests.
	for _, side := range []struct{ year, step, requests int }{{first, -1, 2}, {last + 1, 1, 1}} {
		allowed, byYear := side.requests, first == last
		if len(rows) == 0 {
			allowed = blankYears
		}
		for year, blank := side.year, 0; blank < allowed && year >= back.Year() && year <= to.Year(); year += side.step {
			more, err := r.fetchYear(ctx, year)
			// Some portals answer an unknown year with an error. A portal that shows several years at once
			// may already have shown all.
			if err != nil && (ctx.Err() != nil || !portal.IsRefused(err) && (byYear || year == first)) {
				return nil, err
			}
			blank++
			for _, row := range more {
				if !seen[row.ID] {
					seen[row.ID] = true
					rows = append(rows, row)
					blank = 0
					allowed = blankYears
					byYear = true
				}
			}
		}
	}
	return rows, nil
}

// maybeTooMuch reports whether an error may be caused by a request for decades at once. Portals
// then answer with various statuses, a broken page or a timeout. Errors about rate limits and
// robots.txt do not depend on the dates.
func maybeTooMuch(err error) bool {
	var answer *fetch.StatusError
	busy := errors.As(err, &answer) && answer.Code == http.StatusTooManyRequests
	return err != nil && !busy && !errors.Is(err, portal.ErrForbidden)
}
