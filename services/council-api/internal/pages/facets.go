package pages

import (
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/record"
)

// mostWays is how many values of one facet a page shows: the most frequent ones, or the newest years.
const mostWays = 8

// A facet is ways to a part of a list, by one thing that votes have in common.
type facet struct {
	Name string
	Ways []way
}

// A way leads to so many votes.
type way struct {
	ref
	Count int64
}

// facets are ways to fewer votes. A facet that would not leave any vote out is not shown.
func (p *page) facets(counts *record.Facets) []facet {
	var all []facet
	add := func(name string, list []record.Facet, word func(value string) string, query func(q url.Values, value string)) {
		f := facet{Name: p.Text(name)}
		for _, one := range list {
			value := council.Text(one.Value)
			if value == "" || one.Count == counts.Total || len(f.Ways) == mostWays {
				continue
			}
			q, err := url.ParseQuery(strings.TrimPrefix(withoutPaging(p.c), "?"))
			if err != nil {
				continue // cannot happen: the query was made of parameters
			}
			query(q, value)
			f.Ways = append(f.Ways, way{ref{word(value), p.ToQuery(q, "/votes")}, one.Count})
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
			return p.Text("say.count", ayes, nays)
		}, func(q url.Values, v string) {
			q.Del("margin")
			ayes, nays := tally(v)
			q.Set("ayes", ayes)
			q.Set("nays", nays)
		})
	}
	add("filter.result", counts.Results, func(v string) string { return p.Text("result." + v) }, set("result"))
	add("filter.topic", counts.Topics, func(v string) string { return p.Topic(council.Topic(v)) }, set("topic"))
	return all
}

// divided leaves out tallies without a nay.
func divided(margins []record.Facet) []record.Facet {
	var list []record.Facet
	for _, m := range margins {
		if !strings.HasSuffix(council.Text(m.Value), "-0") {
			list = append(list, m)
		}
	}
	return list
}
