package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/files"
)

func (a *Pages) pageHome(ctx context.Context, v *page, _ rest.None) error {
	v.also(asJSON(v.Text("nav.votes"), v.c.URL("/votes")),
		asJSON(v.Text("nav.meetings"), v.c.URL("/meetings")),
		site.Other{Type: files.AtomMedia, Title: v.Text("votes.splitfeed"), Address: v.c.URL("/feeds/split-votes.atom")},
		site.Other{Type: "text/calendar", Title: v.Text("meetings.calendar"), Address: v.c.URL("/feeds/meetings.ics")})
	name, err := civic.NameOf(ctx, v.c, civic.OfBody{})
	if err != nil {
		return err
	}
	if v.Bodies != nil {
		name = v.Brand
	}
	v.Title, v.About = v.Text("home.title", name), v.Text("home.about", name)
	v.searchForm()
	has, err := v.newest(ctx, civic.OfBody{})
	if err != nil {
		return err
	}
	v.Has = &has
	about := thing("GovernmentOrganization", name)
	if v.Bodies != nil {
		about["department"] = each(v.Bodies, func(b *civic.Body) map[string]any {
			return a.organization(b.Name, b.Slug)
		})
	}
	v.Linked = a.linked(v, "WebSite", a.Town, map[string]any{"description": v.About,
		"about": about,
		"potentialAction": map[string]any{"@type": "SearchAction", "target": a.Root + "/votes?q={search_term_string}",
			"query-input": "required name=search_term_string"}})
	return nil
}
