package pages

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/files"
)

func (a *Pages) pageVotes(ctx context.Context, v *page, p civic.SearchParams) error {
	query := withoutPaging(v.c)
	forms := []ref{
		{"Atom", v.c.URL("/search/votes.atom") + query}, {"CSV", v.c.URL("/search/votes.csv") + query},
		{"JSON", v.c.URL("/search/votes") + query},
	}
	v.also(site.Other{Type: "application/json", Title: "JSON", Address: forms[2].Address},
		site.Other{Type: files.AtomMedia, Title: "Atom", Address: forms[0].Address},
		site.Other{Type: "text/csv", Title: "CSV", Address: forms[1].Address})
	v.Title, v.About = v.TitleOf("nav.votes"), v.TextOf("votes.about")
	v.Unlisted = query != ""
	members, err := v.memberOptions(ctx, p.OfBody)
	if err != nil {
		return err
	}
	v.Find = v.form(v.c.Path("/votes"), v.withBodies(
		v.field("search", "q"), v.field("", "topic", options(v, "topic.", council.Topics())...),
		v.field("", "split", option{"true", v.Text("filter.splityes")}, option{"false", v.Text("filter.splitno")}),
		v.field("", "member", members...)),
		v.field("", "result", options(v, "result.", council.Results())...), v.field("date", "from"), v.field("date", "to"),
		v.field("", "mover", members...), v.field("", "seconder", members...),
		v.field("text", "margin"), v.field("number", "ayes"), v.field("number", "nays"),
		v.field("", "via_consent", option{"true", v.Text("filter.yes")}, option{"false", v.Text("filter.no")}))
	p.Keyset = shorten(p.Keyset)
	list, err := civic.SearchVotes(ctx, v.c, p)
	if err != nil {
		return err
	}
	counts, err := civic.CountVotes(ctx, v.c, p.SearchFilters)
	if err != nil {
		return err
	}
	found := v.Many("votes.found", counts.Total)
	if !counts.Complete {
		found = v.Text("votes.more", v.Number(counts.Total-1))
	}
	lines := v.found(list.Data)
	v.Has = struct {
		Found  string // sentence with the number of votes
		Facets []facet
		Votes  votes
		Files  []ref // links to the same list in other formats
	}{found, v.facets(&counts), lines, forms}
	v.paged(list.NextCursor)
	v.Linked = a.listedVotes(v, lines)
	return nil
}

// memberOptions returns the members for a selection. Namesakes have their bodies after the name.
func (p *page) memberOptions(ctx context.Context, of civic.OfBody) ([]option, error) {
	members, err := civic.ListMembers(ctx, p.c, of)
	if err != nil {
		return nil, err
	}
	named := map[string]int{}
	for _, m := range members.Data {
		named[m.FullName]++
	}
	return each(members.Data, func(m *civic.Member) option {
		bodies := p.BodiesOf(civic.Member{BodyIDs: m.BodyIDs})
		if named[m.FullName] > 1 && bodies != "" {
			return option{number(m.ID), m.FullName + " (" + bodies + ")"}
		}
		return option{number(m.ID), m.FullName}
	}), nil
}

// maxValues is the number of values of one facet that a page shows: the most frequent values, or
// the newest years.
const maxValues = 8

// A facet links to parts of a list by the values of one property of the votes.
type facet struct {
	Name   string
	Values []counted
}

// facets returns the facets of a list. It omits facets that would not narrow the list.
func (p *page) facets(counts *civic.Facets) []facet {
	var all []facet
	// filters returns the word for a value and the parameters that select it, names and values in
	// turn.
	add := func(name string, list []civic.Facet, filters func(value string) (word string, parameters []string)) {
		f := facet{Name: p.Text(name)}
		for _, one := range list {
			value := council.Text(one.Value)
			if value == "" || one.Count == counts.Total || len(f.Values) == maxValues {
				continue
			}
			q := filtersOf(p.c)
			word, parameters := filters(value)
			for i := 0; i < len(parameters); i += 2 {
				q.Set(parameters[i], parameters[i+1])
			}
			f.Values = append(f.Values, counted{ref{word, p.ToQuery(q, "/votes")}, one.Count})
		}
		if len(f.Values) > 0 {
			all = append(all, f)
		}
	}
	yes, no := "true", "false"
	agreement := []civic.Facet{{Value: &yes, Count: counts.Split}, {Value: &no, Count: counts.Unanimous}}
	add("filter.split", slices.DeleteFunc(agreement, func(f civic.Facet) bool { return f.Count == 0 }),
		func(v string) (string, []string) {
			return p.Text(map[string]string{yes: "filter.splityes", no: "filter.splitno"}[v]), []string{"split", v}
		})
	add("facet.year", counts.Years, func(v string) (string, []string) {
		return v, []string{"from", v + "-01-01", "to", v + "-12-31"}
	})
	if counts.Split > 0 {
		margins := slices.DeleteFunc(counts.Margins, func(m civic.Facet) bool {
			return strings.HasSuffix(council.Text(m.Value), "-0")
		})
		add("facet.margin", margins, func(v string) (string, []string) {
			ayes, nays, _ := strings.Cut(v, "-")
			return p.Text("say.count", ayes, nays), []string{"ayes", ayes, "nays", nays}
		})
	}
	add("filter.result", counts.Results, func(v string) (string, []string) {
		return p.Text("result." + v), []string{"result", v}
	})
	add("filter.topic", counts.Topics, func(v string) (string, []string) {
		return p.Text("topic." + v), []string{"topic", v}
	})
	return all
}
