package pages

import (
	"context"
	"net/url"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) homePages() rest.Table {
	return rest.Table{rest.Page(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page"}, a.pageHome)}
}

// homeSplit is how many divided votes the start page lists.
const homeSplit = 8

func (a *Pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Home{Head: a.head(c, "", asJSON(a.word(c, "nav.votes"), c.URL("/votes")), asJSON(a.word(c, "nav.meetings"), c.URL("/meetings")),
		site.Other{Type: files.AtomMedia, Title: a.word(c, "votes.splitfeed"), Address: c.URL("/feeds/split-votes.atom")},
		site.Other{Type: "text/calendar", Title: a.word(c, "meetings.calendar"), Address: c.URL("/feeds/meetings.ics")})}
	say := a.speaker(v.Lang)
	name, err := record.NameOf(ctx, c)
	if err != nil {
		return nil, err
	}
	v.Title, v.About, v.Intro = say.Text("home.title", name), say.Text("home.about", name), say.Text("home.intro")
	v.Find = form(&v.Head, say, c.Path("/search"), []view.Field{searchField(c, say)})
	newest, err := record.ListFound(ctx, c, record.SearchFilters{}, 1)
	if err != nil {
		return nil, err
	}
	if len(newest) > 0 {
		meeting, err := record.FindMeeting(ctx, c, newest[0].MeetingID)
		if err != nil {
			return nil, err
		}
		line := meetingLine(&v.Head, say, &meeting)
		v.Meeting = &line
	}
	split, consent := true, false // one nay on a consent calendar would fill the list
	found, err := record.ListFound(ctx, c, record.SearchFilters{VoteFilters: record.VoteFilters{Split: &split, ViaConsent: &consent}}, homeSplit)
	if err != nil {
		return nil, err
	}
	v.Split, v.All = foundLines(&v.Head, say, found), v.ToQuery(url.Values{"split": {"true"}}, "/votes")
	stats, err := record.GetStats(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	v.Numbers = []string{say.Many("count.meetings", stats.MeetingsComplete), say.Many("count.votes", stats.Votes), say.Many("count.members", stats.Members), say.Many("count.anomalies", stats.Anomalies)}
	if stats.LastIngestAt != nil {
		v.Numbers = append(v.Numbers, say.Text("count.read", say.Moment(stats.LastIngestAt.Time)))
	}
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "WebSite", "name": a.Town, "description": v.About, "url": a.Root + "/",
		"about":           map[string]any{"@type": "GovernmentOrganization", "name": name},
		"potentialAction": map[string]any{"@type": "SearchAction", "target": a.Root + "/votes?q={search_term_string}", "query-input": "required name=search_term_string"}}
	v.Report = a.report(say, c, v.Title, "")
	return a.site.Render("home.html", v)
}
