package pages

import (
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// mostWays is how many values of one facet a page shows: the most frequent ones, or the newest years.
const mostWays = 8

// facets are ways to fewer votes. A facet that would not leave any vote out is not shown.
func facets(h *site.Head, say view.Speaker, c *rest.Call, counts *record.Facets) []view.Facet {
	var all []view.Facet
	add := func(name string, list []record.Facet, word func(value string) string, query func(q url.Values, value string)) {
		f := view.Facet{Name: say.Text(name)}
		for _, one := range list {
			value := wire.Text(one.Value)
			if value == "" || one.Count == counts.Total || len(f.Ways) == mostWays {
				continue
			}
			q, err := url.ParseQuery(strings.TrimPrefix(withoutPaging(c), "?"))
			if err != nil {
				continue // cannot happen: the query was made of parameters
			}
			query(q, value)
			f.Ways = append(f.Ways, view.Tally{Word: word(value), Count: one.Count, Address: h.ToQuery(q, "/votes")})
		}
		if len(f.Ways) > 0 {
			all = append(all, f)
		}
	}
	set := func(name string) func(url.Values, string) {
		return func(q url.Values, value string) { q.Set(name, value) }
	}
	add("facet.year", counts.Years, func(v string) string { return v }, func(q url.Values, v string) {
		q.Set("from", v+"-01-01")
		q.Set("to", v+"-12-31")
	})
	if counts.Split > 0 {
		tally := func(v string) (ayes, nays string) { ayes, nays, _ = strings.Cut(v, "-"); return ayes, nays }
		add("facet.margin", divided(counts.Margins), func(v string) string {
			ayes, nays := tally(v)
			return say.Text("say.count", ayes, nays)
		}, func(q url.Values, v string) {
			q.Del("margin")
			ayes, nays := tally(v)
			q.Set("ayes", ayes)
			q.Set("nays", nays)
		})
	}
	add("filter.result", counts.Results, func(v string) string { return say.Text("result." + v) }, set("result"))
	add("filter.topic", counts.Topics, func(v string) string { return say.Topic(council.Topic(v)) }, set("topic"))
	return all
}

// divided leaves out tallies without a nay.
func divided(margins []record.Facet) []record.Facet {
	var list []record.Facet
	for _, m := range margins {
		if !strings.HasSuffix(wire.Text(m.Value), "-0") {
			list = append(list, m)
		}
	}
	return list
}
