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

// Product describes IQM2. Its votes are tables on pages; see Tables.
func Product() portal.Product {
	return portal.Product{
		Name: "iqm2", Title: "IQM2", Example: "https://TOWN.iqm2.com", Plain: true, Minutes: []string{"15", "12"},
		Like: "an IQM2 portal has one like https://town.iqm2.com", Tenant: tenant, Root: root, Parse: parse,
		PageOf: func(root *url.URL, id string) string {
			return root.JoinPath("Detail_Meeting.aspx").String() + "?ID=" + id
		},
		New: func(c *portal.Client) portal.Reader { return &Portal{c} },
		Can: portal.Can{News: true},
	}
}

// tenant is the town in https://town.iqm2.com; portals at other addresses are found by asking.
func tenant(address *url.URL) string {
	town, ours := strings.CutSuffix(strings.ToLower(address.Hostname()), ".iqm2.com")
	if !ours {
		return ""
	}
	return town
}

// Knock asks for the calendar of this month.
func (p *Portal) Knock(ctx context.Context) error {
	now := time.Now()
	_, err := p.Meetings(ctx, portal.Window{From: now.AddDate(0, -1, 0), To: now, Back: now})
	return err
}

// Bodies is nothing: the boards stand on the calendar only.
func (p *Portal) Bodies(context.Context) ([]portal.Body, error) { return nil, nil }

// Meetings returns the rows of the calendar.
func (p *Portal) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	rows, err := p.FetchWholeCalendar(ctx, w.From, w.To, w.Back)
	if err != nil {
		return nil, err
	}
	out := make([]portal.Meeting, len(rows))
	for i, r := range rows {
		out[i] = portal.Meeting{ID: portal.IDText(r.ID), URL: r.URL, Title: r.Title, Sum: portal.Fingerprint(r),
			Detail: portal.Detail{
				Body: r.Board, Type: r.Type, Starts: r.Starts, Location: r.Location, State: stateOf(r.Cancelled),
				Documents: documents(r.Documents), VideoURL: r.VideoURL,
			}}
	}
	return out, nil
}

// Fetch returns the page of a meeting to which a row of the calendar leads.
func (p *Portal) Fetch(ctx context.Context, m portal.Meeting, _ *portal.Bundle) (portal.Bundle, error) {
	id, err := strconv.ParseInt(m.ID, 10, 64)
	if err != nil {
		return portal.Bundle{}, fmt.Errorf("id of a meeting: %w", err)
	}
	return portal.AskPage(ctx, p.Client, m.URL, func(body []byte) (portal.Bundle, error) {
		b := portal.Bundle{Product: "iqm2", Root: p.Root.String()}
		b.Add("Detail_Meeting.aspx?ID="+m.ID, 0, body)
		_, err := ParseMeeting(body, p.Root, p.Zone, id)
		return b, err
	})
}

// parse reads the page of a meeting.
func parse(b portal.Bundle, root *url.URL, r portal.Reading) (portal.Detail, error) {
	return ParseMeeting(b.Answers[0].Body, root, r.Zone, param(b.Answers[0].Path, "ID"))
}

// Tables returns the vote records on the page of a legislative file; nil for an item that is none.
func (p *Portal) Tables(ctx context.Context, it portal.Item) ([]portal.VoteTable, error) {
	if it.LegifileID == 0 {
		return nil, nil
	}
	return portal.AskPage(ctx, p.Client, it.URL, func(body []byte) ([]portal.VoteTable, error) {
		return ParseVotes(body, p.Root)
	})
}

// News returns the feed's entries.
func (p *Portal) News(ctx context.Context) ([]portal.News, error) {
	return portal.AskPage(ctx, p.Client, p.Root.JoinPath("../Services/RSS.aspx").String()+"?Feed=Calendar", ParseFeed)
}

func stateOf(cancelled bool) portal.State {
	if cancelled {
		return portal.Cancelled
	}
	return portal.Planned
}

// documents are named by the Type in their address.
func documents(docs []FileLink) []portal.Document {
	var out []portal.Document
	for _, d := range docs {
		kind := cmp.Or(ofType[d.Type], portal.KindOther)
		out = append(out, portal.Document{ID: portal.IDText(d.ID), Kind: kind, Name: strconv.Itoa(d.Type), URL: d.URL})
	}
	return out
}

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
	// Portals care as little about capital letters as their addresses agree in them, but what stands
	// before may.
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
func (p *Portal) FetchCalendar(ctx context.Context, from, to time.Time) ([]CalendarRow, error) {
	const day = "1/2/2006"
	list := p.Root.JoinPath(p.calendar()).String() + "?View=List&From=" + from.Format(day) + "&To=" + to.Format(day)
	return portal.AskPage(ctx, p.Client, list, func(body []byte) ([]CalendarRow, error) {
		return ParseCalendar(body, p.Root, p.Zone)
	})
}

func (p *Portal) fetchYear(ctx context.Context, year int) ([]CalendarRow, error) {
	return p.FetchCalendar(ctx, time.Date(year, 1, 1, 0, 0, 0, 0, p.Zone), time.Date(year, 12, 31, 0, 0, 0, 0, p.Zone))
}

// blankYears is after how many years without a meeting a council has no earlier ones.
const blankYears = 3

// FetchWholeCalendar returns the rows between two local days also from a portal that shows no more
// than a year or so at a time, whatever it is asked for, or fails when it is asked for decades: it
// asks for the first year that was shown, which may have begun before, for the years before it, as
// far back as the year of back, and for those after what was shown, until they bring nothing new.
func (p *Portal) FetchWholeCalendar(ctx context.Context, from, to, back time.Time) ([]CalendarRow, error) {
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
	// Looks that report whether there is more than was shown: at the rest of the first year and at the
	// year before, and at the year after.
	for _, side := range []struct{ year, step, looks int }{{first, -1, 2}, {last + 1, 1, 1}} {
		allowed, byYear := side.looks, first == last
		if len(rows) == 0 {
			allowed = blankYears
		}
		for year, blank := side.year, 0; blank < allowed && year >= back.Year() && year <= to.Year(); year += side.step {
			more, err := p.fetchYear(ctx, year)
			// A portal that does not know a year may say so as an error; one that shows several at once may
			// have shown all.
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

// tooMuch reports whether an error may come of asking for decades at once: portals then answer with
// one of many statuses, with a broken page, or not in time. Whether and when we may ask at all does
// not depend on the dates.
func tooMuch(err error) bool {
	var answer *fetch.StatusError
	busy := errors.As(err, &answer) && answer.Code == http.StatusTooManyRequests
	return err != nil && !busy && !errors.Is(err, portal.ErrForbidden)
}
