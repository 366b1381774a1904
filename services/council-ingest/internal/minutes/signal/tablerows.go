package signal

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A tableRow is a label of a table with its lines.
type tableRow struct {
	kind  lexicon.Sense
	label string
	parts []string
}

func (r tableRow) value() string {
	if r.kind == lexicon.Result {
		return lexicon.Join(r.parts)
	}
	return person.Join(r.parts)
}

// align assigns every line of values to a label, usually the label on the same line. In column
// order, all labels may come first, a label may be centred next to a list, or a row may be empty.
// In that case it chooses the cheapest assignment in reading order: RESULT has a result, MOVER one
// member, and the lists have as many members as the tally counts. clear is false if even the
// cheapest assignment is unlikely. tied means that another assignment of the names costs the same.
func (s tableReader) align(cells []cell) (rows []tableRow, clear, tied bool) {
	a := aligner{tableReader: s}
	// First, every line belongs to the label above it.
	for _, c := range cells {
		last := len(a.labels) - 1
		if c.IsLabel {
			a.labels = append(a.labels, tableRow{kind: c.Row, label: c.Text})
			continue
		}
		v := alignValue{text: c.Text, after: last, fixed: -1}
		if c.inline {
			v.fixed = last
		}
		a.values = append(a.values, v)
		a.labels[max(last, 0)].parts = append(a.labels[max(last, 0)].parts, v.text)
	}
	if a.total() == 0 {
		return a.labels, true, false
	}
	cost := a.solve()
	return a.labels, cost < unclearCost, a.tied
}

type alignValue struct {
	text  string
	fixed int // label on the same line, or -1
	after int // last label before it
}

// aligner assigns the values of a table to its labels.
type aligner struct {
	tableReader
	labels []tableRow
	values []alignValue
	tally  lexicon.Tally
	tied   bool // another assignment of the name lists costs the same
}

const (
	unclearCost = 20
	impossible  = 1 << 20
)

// solve divides the values into consecutive runs, one for each label, at the lowest cost.
func (a *aligner) solve() int {
	n, m := len(a.values), len(a.labels)
	// The first value that looks like a result has the tally.
	for _, v := range a.values {
		if a.LooksLikeResult(v.text) {
			a.tally = a.English().ReadTally(v.text)
			break
		}
	}
	best := make([][]int, m+1)
	from := make([][]int, m+1)
	tied := make([][]bool, m+1)
	for j := range best {
		best[j] = make([]int, n+1)
		from[j] = make([]int, n+1)
		tied[j] = make([]bool, n+1)
		for i := range best[j] {
			best[j][i] = impossible
		}
	}
	best[0][0] = 0
	for j := 0; j < m; j++ {
		for start := 0; start <= n; start++ {
			if best[j][start] >= impossible {
				continue
			}
			for end := start; end <= n && end-start <= longest(a.labels[j].kind); end++ {
				c := a.cost(j, start, end)
				t := best[j][start] + c
				switch {
				case t < best[j+1][end]:
					best[j+1][end] = t
					from[j+1][end] = start
					tied[j+1][end] = tied[j][start]
				case c < impossible && t == best[j+1][end]:
					tied[j+1][end] = tied[j+1][end] || a.labels[j].kind.IsList()
				}
			}
		}
	}
	if best[m][n] >= impossible {
		return impossible // each line stays with the label above it
	}
	a.tied = tied[m][n]
	for j, end := m, n; j > 0; j-- {
		start := from[j][end]
		a.labels[j-1].parts = nil
		for _, v := range a.values[start:end] {
			a.labels[j-1].parts = append(a.labels[j-1].parts, v.text)
		}
		end = start
	}
	return best[m][n]
}

func longest(kind lexicon.Sense) int {
	switch kind {
	case lexicon.Result:
		return 4
	case lexicon.Mover, lexicon.Seconder:
		return 3
	}
	return maxTableLines // names with offices, in a narrow column
}

func (a *aligner) cost(j, start, end int) int {
	parts := make([]string, 0, end-start)
	own, above := false, 0
	for _, v := range a.values[start:end] {
		switch {
		case v.fixed >= 0 && v.fixed != j:
			return impossible
		case v.fixed == j:
			own = true
		case v.after < j:
			above = max(above, 1+j-v.after)
		}
		parts = append(parts, v.text)
	}
	if !own {
		for _, v := range a.values {
			if v.fixed == j {
				return impossible // the assignment would give the label's own value to another label
			}
		}
	}
	return above + a.price(tableRow{kind: a.labels[j].kind, label: a.labels[j].label, parts: parts})
}

func (a *aligner) total() int {
	for _, r := range a.labels {
		if r.kind == lexicon.Result {
			a.tally = a.English().ReadTally(r.value())
		}
	}
	c := 0
	for _, r := range a.labels {
		c += a.price(r)
	}
	return c
}

func (a *aligner) price(r tableRow) int {
	value := r.value()
	switch {
	case r.kind == lexicon.Result:
		switch {
		case value == "":
			return 30
		case a.LooksLikeResult(value):
			return 0
		}
		known, _ := a.People.Known(value)
		return 3 + 8*known
	case r.kind <= lexicon.Motion:
		return 0
	case r.kind == lexicon.Mover || r.kind == lexicon.Seconder:
		return a.pricePerson(value)
	}
	return a.priceList(r, value)
}

func (a *aligner) pricePerson(value string) int {
	if value == "" {
		return 8
	}
	if a.People.IsNobody(value) {
		return 1
	}
	persons := a.membersOn(value)
	c := 5 * max(len(persons)-1, 1-len(persons)) // for each missing or extra person
	if len(persons) == 1 {
		if _, match := a.People.Resolve(persons[0]); !match.Found() {
			c += 4
		}
	}
	if strings.HasSuffix(value, ",") {
		c += 4
	}
	return c
}

func (a *aligner) priceList(r tableRow, value string) int {
	want, value := countOf(r, value)
	switch {
	case a.tally.Unanimous && r.kind == lexicon.Nay:
		want = 0
	case !a.tally.Counted || a.tally.Voice:
	case r.kind == lexicon.Aye:
		want = a.tally.Ayes
	case r.kind == lexicon.Nay:
		want = a.tally.Nays
	}
	if value == "" || a.People.IsNobody(value) {
		switch {
		case want > 0 && value != "":
			return 2 // the tally contradicts "None"
		case want == 0, value != "":
			return 0
		case want > 0:
			return 10
		case r.kind != lexicon.Aye && r.kind != lexicon.Nay:
			return 4 // these rows are often empty
		}
		return 6
	}
	c, count := 0, 0
	if len(r.parts) > 1 && slices.ContainsFunc(r.parts, a.People.IsNobody) {
		c += 20 // "None" must be the only value of a row
	}
	for _, n := range a.People.Split(value) {
		count++
		if _, match := a.People.Resolve(n); !match.Found() && match != council.MatchAmbiguous {
			if many := a.People.SplitUnparted(n.Text); many != nil {
				c += 2
				count += len(many) - 1
				continue
			}
			c += 3
		} else if match == council.MatchMisspelt {
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
