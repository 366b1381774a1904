package iqm2

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Portal fetches pages of one portal, one at a time.
type Portal struct{ *portal.Client }

// calendarPage is the page of the calendar, as most portals spell it.
const calendarPage = "Calendar.aspx"

// root is where a portal's pages are. People copy the address of any of its pages.
func root(address *url.URL) *url.URL {
	parts := strings.Split(strings.Trim(address.Path, "/"), "/")
	if last := len(parts) - 1; strings.HasSuffix(strings.ToLower(parts[last]), ".aspx") {
		parts = parts[:last]
	}
	// Portals care as little about capital letters as their addresses agree in them, but what stands before may.
	at := slices.IndexFunc(parts, func(part string) bool { return strings.EqualFold(part, "Citizens") })
	if at < 0 {
		at, parts = len(parts), append(parts, "Citizens")
	}
	path := "/" + strings.TrimLeft(strings.Join(parts[:at+1], "/"), "/") + "/"
	return &url.URL{Scheme: address.Scheme, Host: address.Host, Path: path}
}

// calendar is the name of the calendar's page, as the configured address spells it.
func (p *Portal) calendar() string {
	if u := portal.WebAddress(p.URL); u != nil && strings.EqualFold(path.Base(u.Path), calendarPage) {
		return path.Base(u.Path)
	}
	return calendarPage
}

// FetchCalendar returns the calendar's rows from one local day to another, both inclusive.
func (p *Portal) FetchCalendar(ctx context.Context, from, to time.Time) ([]Row, error) {
	const day = "1/2/2006"
	list := p.Root.JoinPath(p.calendar()).String() + "?View=List&From=" + from.Format(day) + "&To=" + to.Format(day)
	return portal.AskPage(ctx, p.Client, list, func(body []byte) ([]Row, error) {
		return ParseCalendar(body, p.Root, p.Zone)
	})
}

func (p *Portal) fetchYear(ctx context.Context, year int) ([]Row, error) {
	return p.FetchCalendar(ctx, time.Date(year, 1, 1, 0, 0, 0, 0, p.Zone), time.Date(year, 12, 31, 0, 0, 0, 0, p.Zone))
}

// blankYears is after how many years without a meeting a council has no earlier ones.
const blankYears = 3

// FetchWholeCalendar returns the rows between two local days also from a portal
// that shows no more than a year or so at a time, whatever it is asked for, or fails when it is asked for decades: it
// asks for the first year that was shown, which may have begun before, for the years before it, as far back as the year of back, and for those
// after what was shown, until they bring nothing new.
func (p *Portal) FetchWholeCalendar(ctx context.Context, from, to, back time.Time) ([]Row, error) {
	rows, err := p.FetchCalendar(ctx, from, to)
	here := min(max(time.Now().In(p.Zone).Year(), from.Year()), to.Year()) // where a look begins that knows nothing
	if tooMuch(err) && ctx.Err() == nil || err == nil && len(rows) == 0 {
		ofYear, yearErr := p.fetchYear(ctx, here)
		if yearErr == nil || err == nil || ctx.Err() != nil {
			rows, err = ofYear, yearErr
		}
	}
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	first, last := to.Year(), from.Year()
	for _, r := range rows {
		seen[r.ID] = true
		if !r.Starts.IsZero() {
			first, last = min(first, r.Starts.Year()), max(last, r.Starts.Year())
		}
	}
	if first > last { // no year is known
		first, last = here, here
	}
	// Looks that report whether there is more than was shown: at the rest of the first year and at the year before, and at the year after.
	for _, side := range []struct{ year, step, looks int }{{first, -1, 2}, {last + 1, 1, 1}} {
		allowed, byYear := side.looks, first == last
		if len(rows) == 0 {
			allowed = blankYears
		}
		for year, blank := side.year, 0; blank < allowed && year >= back.Year() && year <= to.Year(); year += side.step {
			more, err := p.fetchYear(ctx, year)
			// A portal that does not know a year may say so as an error; one that shows several at once may have shown all.
			if err != nil && (ctx.Err() != nil || !portal.Refused(err) && (byYear || year == first)) {
				return nil, err
			}
			blank++
			for _, r := range more {
				if !seen[r.ID] {
					seen[r.ID] = true
					rows = append(rows, r)
					blank, allowed, byYear = 0, blankYears, true
				}
			}
		}
	}
	return rows, nil
}

// tooMuch reports whether an error may come of asking for decades at once: portals then answer with one of many
// statuses, with a broken page, or not in time. Whether and when we may ask at all does not depend on the dates.
func tooMuch(err error) bool {
	var answer *fetch.StatusError
	busy := errors.As(err, &answer) && answer.Code == http.StatusTooManyRequests
	return err != nil && !busy && !errors.Is(err, portal.ErrForbidden)
}
