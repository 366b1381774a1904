package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/record"
)

const homeSplit = 8

func (a *Pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := a.page(c, "", asJSON(a.word(c, "nav.votes"), c.URL("/votes")),
		asJSON(a.word(c, "nav.meetings"), c.URL("/meetings")),
		site.Other{Type: files.AtomMedia, Title: a.word(c, "votes.splitfeed"), Address: c.URL("/feeds/split-votes.atom")},
		site.Other{Type: "text/calendar", Title: a.word(c, "meetings.calendar"), Address: c.URL("/feeds/meetings.ics")})
	name, err := record.NameOf(ctx, c, record.OfBody{})
	if err != nil {
		return nil, err
	}
	v.Title, v.About = v.Text("home.title", name), v.Text("home.about", name)
	v.Find = v.form(c.Path("/search"), []field{v.searchField()})
	var has struct {
		Meeting *record.Meeting // the latest one with votes
		Split   []vote
		Stats   record.Stats
	}
	newest, err := record.ListFound(ctx, c, record.SearchFilters{}, 1)
	if err != nil {
		return nil, err
	}
	if len(newest) > 0 {
		meeting, err := record.FindMeeting(ctx, c, newest[0].MeetingID)
		if err != nil {
			return nil, err
		}
		has.Meeting = &meeting
	}
	split, consent := true, false // one nay on a consent calendar would fill the list
	found, err := record.ListFound(ctx, c, record.SearchFilters{VoteFilters: record.VoteFilters{Split: &split,
		ViaConsent: &consent}}, homeSplit)
	if err != nil {
		return nil, err
	}
	has.Split = v.found(found)
	has.Stats, err = record.GetStats(ctx, c, record.OfBody{})
	if err != nil {
		return nil, err
	}
	v.Has = &has
	v.Linked = a.linked(v, "WebSite", a.Town, map[string]any{"description": v.About,
		"about": thing("GovernmentOrganization", name),
		"potentialAction": map[string]any{"@type": "SearchAction", "target": a.Root + "/votes?q={search_term_string}",
			"query-input": "required name=search_term_string"}})
	return a.show("home.html", v)
}
