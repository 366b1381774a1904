package iqm2

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Product describes IQM2 to those who know no product.
func Product() portal.Product {
	return portal.Product{Name: "iqm2", Title: "IQM2", Example: "https://TOWN.iqm2.com", Tenant: tenant, Page: pageOf, Read: read, Plain: true, Feed: true, Minutes: []string{"15", "12"}, Knock: knock,
		Open: portal.Opens(Open)}
}

// tenant is the town in https://town.iqm2.com; portals at other addresses are found by asking.
func tenant(address *url.URL) string {
	town, ours := strings.CutSuffix(strings.ToLower(address.Hostname()), ".iqm2.com")
	if !ours {
		return ""
	}
	return town
}

// pageOf is the address of a meeting's page at the portal of the given address; "" when that is none.
func pageOf(portal, id string) string {
	base, _, err := root(portal)
	if err != nil {
		return ""
	}
	return base.JoinPath("Detail_Meeting.aspx").String() + "?ID=" + id
}

// knock asks for the calendar of this month.
func knock(ctx context.Context, s portal.Source) error {
	now := time.Now()
	_, err := s.Meetings(ctx, portal.Window{From: now.AddDate(0, -1, 0), To: now, Back: now})
	return err
}

// Can is what an IQM2 portal hands over. Its votes are tables on pages; see Tables.
func (p *Portal) Can() portal.Can { return portal.Can{Items: true, News: true} }

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
		out[i] = portal.Meeting{ID: number(r.ID), URL: r.URL, Body: r.Board, Type: r.Type, Starts: r.Starts, Title: r.Title, Location: r.Location, State: stateOf(r.Cancelled),
			StateWord: r.Status, Documents: documents(r.Documents), VideoURL: r.VideoURL, Sum: portal.Fingerprint(r)}
	}
	return out, nil
}

// Fetch returns the page of a meeting to which a row of the calendar leads.
func (p *Portal) Fetch(ctx context.Context, m portal.Meeting, _ *portal.Bundle) (portal.Bundle, error) {
	id, err := strconv.ParseInt(m.ID, 10, 64)
	if err != nil {
		return portal.Bundle{}, fmt.Errorf("id of a meeting: %w", err)
	}
	b := portal.Bundle{Product: "iqm2", Root: p.base.String()}
	_, err = fetchPage(ctx, p, m.URL, func(body []byte) (Meeting, error) {
		page, err := ParseMeeting(body, p.base, p.cfg.Zone, id)
		if err == nil {
			b.Answers = nil
			b.Add("Detail_Meeting.aspx?ID="+m.ID, 0, body)
		}
		return page, err
	})
	return b, err
}

// read reads the page of a meeting.
func read(b portal.Bundle, r portal.Reading) (portal.Detail, error) {
	base, err := url.Parse(b.Root)
	if err != nil || len(b.Answers) != 1 {
		return portal.Detail{}, fmt.Errorf("read bundle of an IQM2 portal: %w", portal.ErrNotPortal)
	}
	page, err := ParseMeeting(b.Answers[0].Body, base, r.Zone, param(b.Answers[0].Path, "ID"))
	if err != nil {
		return portal.Detail{}, err
	}
	return portal.Detail{Body: page.Board, Type: page.Type, Starts: page.Starts, Location: page.Location, State: stateOf(page.Cancelled), Withdrawn: page.Withdrawn,
		NoItems: len(page.Outline) == 0, Documents: documents(page.Documents), VideoURL: page.VideoURL, HasMinutes: page.HasMinutes, Items: page.Outline}, nil
}

// Tables returns the vote records on the page of a legislative file; nil for an item that is none.
func (p *Portal) Tables(ctx context.Context, it portal.Item) ([]portal.VoteTable, error) {
	if it.LegifileID == 0 {
		return nil, nil
	}
	return p.FetchVotes(ctx, it.URL)
}

// News returns the feed's entries.
func (p *Portal) News(ctx context.Context) ([]portal.News, error) { return p.FetchFeed(ctx) }

// File returns a document.
func (p *Portal) File(ctx context.Context, address string, have portal.Validators, maxBytes int64) (portal.File, error) {
	return p.client.File(ctx, address, have, maxBytes)
}

func stateOf(cancelled bool) portal.State {
	if cancelled {
		return portal.Cancelled
	}
	return portal.Planned
}

// ofType are the kinds of documents by the Type in their address.
var ofType = map[int]portal.Kind{TypeAgendaPacket: portal.KindPacket, TypeMinutesPacket: portal.KindMinutes, TypeAgenda: portal.KindAgenda, TypeMinutes: portal.KindMinutes}

// documents are named by the Type in their address.
func documents(docs []Document) []portal.Document {
	var out []portal.Document
	for _, d := range docs {
		kind, known := ofType[d.Type]
		if !known {
			kind = portal.KindOther
		}
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
