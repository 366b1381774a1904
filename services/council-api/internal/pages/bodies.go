package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/files"
)

// addBodies sets the bodies of a dataset with several bodies, and the body that the page is about.
func (p *page) addBodies(ctx context.Context, of civic.OfBody) error {
	list, err := civic.ListBodies(ctx, p.c, rest.None{})
	if err != nil || len(list.Data) < 2 {
		return err
	}
	for _, b := range list.Data {
		if of.Body != nil && (*of.Body == b.Slug || *of.Body == number(b.ID)) {
			p.Body = civic.BodyRef{BodyID: &b.ID, BodySlug: &b.Slug, BodyName: &b.Name}
		}
	}
	p.Bodies = slices.DeleteFunc(list.Data, func(b civic.Body) bool { return len(b.Parts) > 0 })
	return nil
}

// bodyQuery returns the query of a list that is filtered by body, or "" without a filter.
func bodyQuery(of civic.OfBody) string {
	if of.Body == nil {
		return ""
	}
	return "?" + query("body", *of.Body).Encode()
}

// TextOf returns a sentence about the council. In a dataset with several bodies it returns the
// variant that names the page's body or the town.
func (p *page) TextOf(key string) string {
	if p.Bodies == nil {
		return p.Text(key)
	}
	return p.Text(key+".of", cmp.Or(council.Text(p.Body.BodyName), p.Brand))
}

// TitleOf returns a title. It includes the name of the body that the page is about.
func (p *page) TitleOf(key string) string {
	if p.Body.BodyName == nil {
		return p.Text(key)
	}
	return p.Text("motion.title", *p.Body.BodyName, p.Text(key))
}

// OtherBody returns the name of a body unless the page is about that body or the dataset has only
// one.
func (p *page) OtherBody(b civic.BodyRef) string {
	if council.Text(b.BodySlug) == council.Text(p.Body.BodySlug) {
		return ""
	}
	return council.Text(b.BodyName)
}

// BodiesOf returns the names of the bodies that a member sat on, or "" if the dataset has only one. It
// omits those on which the member has an office, because that names them.
func (p *page) BodiesOf(m civic.Member) string {
	var names []string
	for _, b := range p.Bodies {
		named := slices.ContainsFunc(m.Offices, func(o civic.MemberOffice) bool { return council.Text(o.BodySlug) == b.Slug })
		if slices.Contains(m.BodyIDs, b.ID) && !named {
			names = append(names, b.Name)
		}
	}
	return strings.Join(names, ", ")
}

// withBodies adds a filter by body to the fields of a form if there are several bodies.
func (p *page) withBodies(fields ...field) []field {
	if p.Bodies == nil {
		return fields
	}
	f := p.field("", "body", each(p.Bodies, func(b *civic.Body) option { return option{b.Slug, b.Name} })...)
	f.Value, f.Options[0].Text = council.Text(p.Body.BodySlug), p.Text("filter.body.all")
	return append([]field{f}, fields...)
}

func (a *Pages) organization(name, slug string) map[string]any {
	about := thing("GovernmentOrganization", name)
	if slug != "" {
		about["url"] = a.Root + rest.URL("", "/bodies/{id}", slug)
	}
	return about
}

const (
	homeSplit    = 8
	homeMeetings = 6
)

// newest has the data of a start page about one body or all bodies.
type newest struct {
	Meetings []civic.Meeting // meetings with votes
	Split    votes
	Stats    civic.Stats
}

func (p *page) newest(ctx context.Context, of civic.OfBody) (has newest, err error) {
	most := 1
	if p.Bodies != nil {
		most = homeMeetings
	}
	last, err := civic.ListFound(ctx, p.c, civic.SearchFilters{VoteFilters: civic.VoteFilters{OfBody: of}}, 1)
	if err != nil {
		return has, err
	}
	if len(last) > 0 {
		all, err := civic.MeetingsBetween(ctx, p.c, of, nil, &last[0].MeetingDate, 5*most)
		if err != nil {
			return has, err
		}
		has.Meetings = slices.DeleteFunc(all, func(m civic.Meeting) bool { return m.VoteCount == 0 })
		has.Meetings = has.Meetings[:min(len(has.Meetings), most)]
	}
	split, consent := true, false // without consent items: one nay on a consent calendar would fill the list
	found, err := civic.ListFound(ctx, p.c, civic.SearchFilters{VoteFilters: civic.VoteFilters{OfBody: of,
		Split: &split, ViaConsent: &consent}}, homeSplit)
	if err != nil {
		return has, err
	}
	has.Split = p.found(found)
	has.Stats, err = civic.GetStats(ctx, p.c, of)
	return has, err
}

func (a *Pages) pageBody(ctx context.Context, v *page, p civic.BodyParams) error {
	b, err := civic.GetBody(ctx, v.c, p)
	if err != nil {
		return err
	}
	one := civic.OfBody{Body: &b.Slug}
	of := bodyQuery(one)
	v.also(asJSON("JSON", v.c.URL("/bodies/{id}", b.Slug)),
		site.Other{Type: files.AtomMedia, Title: v.Text("votes.splitfeed"),
			Address: v.c.URL("/feeds/split-votes.atom") + of},
		site.Other{Type: "text/calendar", Title: v.Text("meetings.calendar"),
			Address: v.c.URL("/feeds/meetings.ics") + of})
	v.Title, v.About = b.Name, v.Text("body.about", b.Name)
	v.Canonical = a.Root + rest.URL("", "/bodies/{id}", b.Slug)
	if err := v.addBodies(ctx, one); err != nil {
		return err
	}
	has, err := v.newest(ctx, one)
	if err != nil {
		return err
	}
	v.Has = &has
	v.Linked = a.linked(v, "GovernmentOrganization", b.Name, map[string]any{"description": v.About, "url": v.Canonical,
		"parentOrganization": thing("GovernmentOrganization", a.Town)})
	return nil
}

// Lists links to the main pages about the body of the page.
func (p *page) Lists() (all []ref) {
	for _, s := range sections() {
		if s[1] != "/about" {
			all = append(all, ref{p.Text(s[0]), p.Query(s[1])})
		}
	}
	return all
}
