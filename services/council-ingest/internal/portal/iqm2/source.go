package iqm2

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

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
		New: func(c *portal.Client) portal.Source { return &Portal{c} },
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
		out[i] = portal.Meeting{ID: number(r.ID), URL: r.URL, Title: r.Title, Sum: portal.Fingerprint(r), Detail: portal.Detail{
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
func documents(docs []Document) []portal.Document {
	var out []portal.Document
	for _, d := range docs {
		kind := cmp.Or(ofType[d.Type], portal.KindOther)
		out = append(out, portal.Document{ID: number(d.ID), Kind: kind, Name: strconv.Itoa(d.Type), URL: d.URL})
	}
	return out
}

// number is an id as text; "" for none.
func number(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}
