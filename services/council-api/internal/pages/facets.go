package pages

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/record"
)

// maxValues is how many values of one facet a page shows: the most frequent ones, or the newest
// years.
const maxValues = 8

// A facet links to parts of a list, by one property of the votes.
type facet struct {
	Name   string
	Values []facetValue
}

// A facetValue links to the votes with a value.
type facetValue struct {
	ref
	Count int64
}

// facets returns the facets of a list, without those that would not narrow it.
func (p *page) facets(counts *record.Facets) []facet {
	var all []facet
	// filters returns the word for a value, and the parameters that select it: names and values in
	// turn.
	add := func(name string, list []record.Facet, filters func(value string) (word string, parameters []string)) {
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
			f.Values = append(f.Values, facetValue{ref{word, p.ToQuery(q, "/votes")}, one.Count})
		}
		if len(f.Values) > 0 {
			all = append(all, f)
		}
	}
	add("facet.year", counts.Years, func(v string) (string, []string) {
		return v, []string{"from", v + "-01-01", "to", v + "-12-31"}
	})
	if counts.Split > 0 {
		margins := slices.DeleteFunc(counts.Margins, func(m record.Facet) bool {
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
