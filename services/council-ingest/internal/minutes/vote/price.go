package vote

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// price says how unlikely a row is; 0 is as it should be.
func (a *aligner) price(r row) int {
	value := r.value()
	switch {
	case r.Kind == dialect.Result:
		switch {
		case value == "":
			return 30
		case a.LooksLikeResult(value):
			return 0
		}
		known, _ := a.People.Known(value)
		if i := strings.IndexByte(value, ']'); i > 0 && i+1 < len(value) && len(r.parts) > 1 && strings.ContainsAny(value[i:], ",;") {
			known += 2 // behind its tally stand names
		}
		return 3 + 8*known
	case r.Kind == dialect.Motion:
		return 0
	case r.Kind == dialect.Next || r.Kind == dialect.Unknown:
		if len(r.parts) > 1 {
			return 6
		}
		return 0
	case r.Kind == dialect.Mover || r.Kind == dialect.Seconder:
		return a.pricePerson(r, value)
	}
	return a.priceList(r, value)
}

func (a *aligner) pricePerson(r row, value string) int {
	if value == "" {
		return 8
	}
	if shape.IsNobody(value) {
		return 1
	}
	// The name can take several lines; behind it come lines of his office.
	name := 1
	for n := 2; n <= len(r.parts); n++ {
		if text, _, _ := strings.Cut(shape.JoinNames(r.parts[:n]), ","); a.People.Resolve(a.StripTitle(text)).Match == council.MatchFull {
			name = n
			break
		}
	}
	c := 0
	for _, part := range r.parts[name:] {
		if !a.IsTitle(part) && len(part) > 2 { // a district's letter
			c += 3
		}
	}
	persons := a.membersOn(value)
	switch {
	case len(persons) == 1:
		if !a.People.Resolve(persons[0].Text).Match.Found() {
			c += 4
		}
	case len(persons) == 0:
		c += 5
	default:
		c += 5 * (len(persons) - 1)
	}
	if strings.HasSuffix(value, ",") {
		c += 4
	}
	return c
}

func (a *aligner) priceList(r row, value string) int {
	want := -1
	switch {
	case a.tally.Unanimous && r.Kind == dialect.Nay:
		want = 0
	case !a.tally.Counted || a.tally.Voice:
	case r.Kind == dialect.Aye:
		want = a.tally.Ayes
	case r.Kind == dialect.Nay:
		want = a.tally.Nays
	}
	if value == "" || shape.IsNobody(value) {
		switch {
		case want == 0, shape.IsNobody(value) && value != "":
			return 0
		case want > 0:
			return 10
		}
		return 6
	}
	c, count := 0, 0
	if len(r.parts) > 1 && slices.ContainsFunc(r.parts, shape.IsNobody) {
		c += 20 // "None" is the whole of its row
	}
	if said, names := shape.CutCount(value); said >= 0 {
		value = names
	}
	for _, n := range a.People.Split(value) {
		count++
		if r := a.People.Resolve(n.Text); !r.Match.Found() && r.Match != council.MatchAmbiguous {
			if many := a.People.SplitUnparted(n.Text); many != nil {
				c += 2
				count += len(many) - 1
				continue
			}
			c += 3
		} else if r.Match == council.MatchMisspelt {
			c++
		}
	}
	if strings.HasSuffix(value, ",") {
		c += 3
	}
	if want >= 0 && want != count {
		c += 4
	}
	return c
}
