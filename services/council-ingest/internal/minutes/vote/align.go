package vote

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// row is a label with its value.
type row struct {
	Kind  dialect.Row
	Label string
	parts []string // lines of the value
}

func (r row) value() string {
	if r.Kind == dialect.Result {
		return shape.Join(r.parts)
	}
	return shape.JoinNames(r.parts)
}

// align gives every line of values to its label. Mostly they stand side by
// side. Where column order has put labels first, where a label is centred
// beside a list of several lines, or where a row is empty, the cheapest
// assignment in reading order wins: one in which RESULT reads like a result,
// MOVER names one member, lists name members and are as long as the tally
// says. It reports whether the choice was clear.
func (s *Reader) align(cells []Cell) ([]row, bool) {
	var labels []row
	var values []alignValue
	for _, c := range cells {
		if c.IsLabel {
			labels = append(labels, row{Kind: c.Row, Label: c.Text})
			continue
		}
		v := alignValue{Text: c.Text, after: len(labels) - 1, fixed: -1}
		if c.inline {
			v.fixed = v.after
		}
		values = append(values, v)
	}
	a := aligner{Reader: s, labels: labels, values: values}
	// The plain reading first: every line belongs to the label above it.
	for _, v := range values {
		labels[max(v.after, 0)].parts = append(labels[max(v.after, 0)].parts, v.Text)
	}
	if a.total(labels) == 0 {
		return labels, true
	}
	// Then that of columns: values in the order of their labels, a list as long
	// as its commas.
	if a.inOrder(); a.total(labels) == 0 {
		return labels, true
	}
	for i := range labels {
		labels[i].parts = nil
	}
	cost := a.solve()
	return a.labels, cost < unclearCost
}

type alignValue struct {
	Text  string
	fixed int // the label on the same line, or -1
	after int // the last label at or before it
}

type aligner struct {
	*Reader
	labels []row
	values []alignValue
	tally  shape.Tally
}

const (
	unclearCost = 20
	impossible  = 1 << 20
)

// inOrder hands the values to the labels in order: one line to each, and to a
// list the lines that end with a comma besides. A value beside its own label
// goes to that label.
func (a *aligner) inOrder() {
	next := 0
	for j := range a.labels {
		r := &a.labels[j]
		r.parts = nil
		for next < len(a.values) {
			v := a.values[next]
			if v.fixed >= 0 && v.fixed != j || v.fixed < 0 && len(r.parts) == 0 && a.hasOwn(j) {
				break
			}
			r.parts = append(r.parts, v.Text)
			next++
			if !r.Kind.IsList() || !strings.HasSuffix(v.Text, ",") && !strings.HasSuffix(v.Text, "-") {
				break
			}
		}
	}
	if next < len(a.values) && len(a.labels) > 0 {
		// Something is left over: no reading in order.
		a.labels[0].parts = nil
	}
}

// hasOwn reports whether a value stands beside label j.
func (a *aligner) hasOwn(j int) bool {
	for _, v := range a.values {
		if v.fixed == j {
			return true
		}
	}
	return false
}

// solve finds the cheapest way to cut the values into consecutive runs, one
// for each label, and fills the labels' parts.
func (a *aligner) solve() int {
	n, m := len(a.values), len(a.labels)
	if m == 0 {
		return impossible
	}
	// The tally is read from whatever value looks like a result.
	for _, v := range a.values {
		if a.LooksLikeResult(v.Text) {
			a.tally = shape.ReadTally(v.Text)
			break
		}
	}
	best := make([][]int, m+1)
	from := make([][]int, m+1)
	for j := range best {
		best[j], from[j] = make([]int, n+1), make([]int, n+1)
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
			for end := start; end <= n && end-start <= longest(a.labels[j].Kind); end++ {
				c := a.cost(j, start, end)
				if c >= impossible {
					if end > start && a.values[end-1].fixed >= 0 && a.values[end-1].fixed != j {
						break
					}
					continue
				}
				if t := best[j][start] + c; t < best[j+1][end] {
					best[j+1][end], from[j+1][end] = t, start
				}
			}
		}
	}
	if best[m][n] >= impossible {
		// Nothing fits: leave every line with the label above it.
		for _, v := range a.values {
			k := max(v.after, 0)
			a.labels[k].parts = append(a.labels[k].parts, v.Text)
		}
		return impossible
	}
	for j, end := m, n; j > 0; j-- {
		start := from[j][end]
		for _, v := range a.values[start:end] {
			a.labels[j-1].parts = append(a.labels[j-1].parts, v.Text)
		}
		end = start
	}
	return best[m][n]
}

// longest is how many lines a value of a row can have.
func longest(kind dialect.Row) int {
	switch kind {
	case dialect.Result:
		return 4
	case dialect.Mover, dialect.Seconder:
		return 3
	}
	return MaxLines // a list of people with their offices in a narrow column
}

// cost prices the values [start,end) as the value of label j.
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
		parts = append(parts, v.Text)
	}
	if !own {
		for _, v := range a.values {
			if v.fixed == j {
				return impossible // its own value went elsewhere
			}
		}
	}
	r := row{Kind: a.labels[j].Kind, parts: parts}
	if own && above > 0 && r.Kind == dialect.Result {
		above += 40 // what stands above RESULT is the end of a list
	}
	return above + a.price(r)
}

// total prices an assignment without looking at positions on the page.
func (a *aligner) total(rows []row) int {
	for _, r := range rows {
		if r.Kind == dialect.Result {
			a.tally = shape.ReadTally(r.value())
		}
	}
	c := 0
	for _, r := range rows {
		c += a.price(r)
	}
	return c
}
