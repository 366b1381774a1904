package iqm2

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Portal fetches pages of one portal, one at a time.
type Portal struct {
	cfg      portal.Config
	base     *url.URL
	calendar string // name of the calendar's page
	client   *portal.Client
}

// Open asks for the portal's robots.txt and returns the portal.
func Open(ctx context.Context, cfg portal.Config) (*Portal, error) {
	base, calendar, err := root(cfg.URL)
	if err != nil {
		return nil, err
	}
	client, err := portal.NewClient(ctx, cfg, base)
	if err != nil {
		return nil, err
	}
	return &Portal{cfg: cfg, base: base, calendar: calendar, client: client}, nil
}

var errAddress = fmt.Errorf("%w: an IQM2 portal has one like https://town.iqm2.com", portal.ErrAddress)

// root is where a portal's pages are, and the name of its calendar. People copy the
// address of any of its pages.
func root(address string) (base *url.URL, calendar string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, "", errAddress
	}
	calendar = "Calendar.aspx"
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if last := parts[len(parts)-1]; strings.HasSuffix(strings.ToLower(last), ".aspx") {
		if strings.EqualFold(last, calendar) {
			calendar = last
		}
		parts = parts[:len(parts)-1]
	}
	// Portals care as little about capital letters as the addresses of one agree in them, but what stands before a portal may.
	if at := slices.IndexFunc(parts, func(part string) bool { return strings.EqualFold(part, "Citizens") }); at >= 0 {
		parts = parts[:at+1]
	} else {
		parts = append(parts, "Citizens")
	}
	path := "/" + strings.TrimLeft(strings.Join(parts, "/"), "/") + "/"
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}, calendar, nil
}

// Close closes idle connections.
func (p *Portal) Close() { p.client.Close() }

func (p *Portal) address(path string) string {
	u, err := p.base.Parse(path)
	if err != nil {
		return p.base.String()
	}
	return u.String()
}

// FetchCalendar returns the calendar's rows from one local day to another, both inclusive.
func (p *Portal) FetchCalendar(ctx context.Context, from, to time.Time) ([]Row, error) {
	const day = "1/2/2006"
	return fetchPage(ctx, p, p.address(p.calendar+"?View=List&From="+from.Format(day)+"&To="+to.Format(day)), func(body []byte) ([]Row, error) {
		return ParseCalendar(body, p.base, p.cfg.Zone)
	})
}

func (p *Portal) fetchYear(ctx context.Context, year int) ([]Row, error) {
	return p.FetchCalendar(ctx, time.Date(year, 1, 1, 0, 0, 0, 0, p.cfg.Zone), time.Date(year, 12, 31, 0, 0, 0, 0, p.cfg.Zone))
}

// blankYears is after how many years without a meeting a council has no earlier ones.
const blankYears = 3

// FetchWholeCalendar returns the rows between two local days also from a portal
// that shows no more than a year or so at a time, whatever it is asked for, or fails when it is asked for decades: it
// asks for the first year that was shown, which may have begun before, for the years before it, as far back as the year of back, and for those
// after what was shown, until they bring nothing new.
func (p *Portal) FetchWholeCalendar(ctx context.Context, from, to, back time.Time) ([]Row, error) {
	rows, err := p.FetchCalendar(ctx, from, to)
	here := min(max(time.Now().In(p.cfg.Zone).Year(), from.Year()), to.Year()) // where a look begins that knows nothing
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

// FetchMeeting returns the page of a meeting to which a row of the calendar leads.
func (p *Portal) FetchMeeting(ctx context.Context, row Row) (Meeting, error) {
	return fetchPage(ctx, p, row.URL, func(body []byte) (Meeting, error) { return ParseMeeting(body, p.base, p.cfg.Zone, row.ID) })
}

// FetchVotes returns the vote records on the page of a legislative file, whose address is one of an outline's.
func (p *Portal) FetchVotes(ctx context.Context, address string) ([]portal.VoteTable, error) {
	return fetchPage(ctx, p, address, func(body []byte) ([]portal.VoteTable, error) { return ParseVotes(body, p.base) })
}

// FetchFeed returns the feed's entries.
func (p *Portal) FetchFeed(ctx context.Context) ([]portal.News, error) {
	return fetchPage(ctx, p, p.address("../Services/RSS.aspx?Feed=Calendar"), ParseFeed)
}

// fetchPage fetches and reads a page.
func fetchPage[R any](ctx context.Context, p *Portal, address string, parse func([]byte) (R, error)) (R, error) {
	return portal.Ask(ctx, p.client, fetch.Request{URL: address}, func(body []byte, meta fetch.Meta) (R, error) {
		return parse(portal.UTF8(body, meta.ContentType))
	})
}
