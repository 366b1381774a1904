package legistar

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// most is how many rows the API answers, whatever it is asked for; it does not say so.
const most = 1000

// list answers with the events that a query of the API asks for.
func (p *Portal) list(r *http.Request) (any, error) {
	q := r.URL.Query()
	out := []event{}
	for _, e := range p.entries() {
		row := p.row(r.Host, e)
		ok, err := matches(row, q.Get("$filter"))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, row)
		}
	}
	switch order := q.Get("$orderby"); order {
	case "":
	case "EventId asc":
		slices.SortFunc(out, func(a, b event) int { return cmp.Compare(a.EventID, b.EventID) })
	default:
		return nil, fmt.Errorf("the query specified in the URI is not valid: $orderby=%s", order)
	}
	out = out[min(number(q.Get("$skip")), len(out)):]
	top := most
	if n := number(q.Get("$top")); n > 0 && n < top {
		top = n
	}
	return out[:min(top, len(out))], nil
}

// condition is one comparison of a filter.
var condition = regexp.MustCompile(`^(EventDate|EventLastModifiedUtc) (ge|lt) datetime'([0-9T:.-]+)'$`)

// matches reports whether a row is what a filter asks for: comparisons joined by "and", of which one may be a choice in brackets.
func matches(e event, filter string) (bool, error) {
	if filter == "" {
		return true, nil
	}
	for _, clause := range strings.Split(filter, " and ") {
		any := false
		for _, one := range strings.Split(strings.Trim(clause, "()"), " or ") {
			c := condition.FindStringSubmatch(one)
			if c == nil {
				return false, fmt.Errorf("the query specified in the URI is not valid: %s", one)
			}
			value := e.EventDate
			if c[1] == "EventLastModifiedUtc" {
				value = e.EventLastModifiedUtc
			}
			any = any || (value >= c[3]) == (c[2] == "ge")
		}
		if !any {
			return false, nil
		}
	}
	return true, nil
}
