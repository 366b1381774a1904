package view

import (
	"strconv"

	"github.com/townline/townline/pkg/site"
)

// Matrix is the agreement of all pairs.
type Matrix struct {
	site.Head
	Means, Few, Cut string
	Toggle          Ref
	Heads           []Ref
	Rows            []MatrixRow
	Unconfirmed     []MemberRow
	Report          string
}

// A MatrixRow is a member with all others.
type MatrixRow struct {
	Ref
	Cells []Cell
}

// A Cell is a pair; it leads to the votes that it counts.
type Cell struct {
	Self                    bool
	Text, N, Label, Address string
	Shade                   int // 0 to 9; -1 with too few votes
}

// Pair is the votes of two members.
type Pair struct {
	site.Head
	Result, Means string
	Toggle        Ref
	Members       []Ref
	Lines         []VoteLine
	Pager
	Report string
}

// Topics is how often each topic came up.
type Topics struct {
	site.Head
	Rows   []TopicCount
	Report string
}

// A TopicCount is a line of it.
type TopicCount struct {
	Ref
	Items, Split int64
	Votes        string // address of the divided ones
}

// Topic is a topic over time.
type Topic struct {
	site.Head
	Chart      Chart
	Lines      []VoteLine
	All, Split string
	Report     string
}

// A Chart is bars over quarters. The table below it says the same.
type Chart struct {
	Width, Height int
	Bars          []Bar
	Alt           string
}

// A Bar is a quarter.
type Bar struct {
	X, Y, Width, Height int
	Quarter             string
	Count               int64
	Year                string // below the first quarter of a year
}

// NewChart draws counts by quarter.
func NewChart(say Speaker, quarters []string, counts map[string]int64) Chart {
	const step, high = 16, 120
	var most, sum int64
	for _, q := range quarters {
		most, sum = max(most, counts[q]), sum+counts[q]
	}
	c := Chart{Width: step * len(quarters), Height: high + 20}
	for i, q := range quarters {
		n := counts[q]
		h := int(n * high / max(most, 1))
		if n > 0 {
			h = max(h, 2)
		}
		b := Bar{X: i * step, Y: high - h, Width: step - 3, Height: h, Quarter: q, Count: n}
		if len(q) > 3 && (q[len(q)-1] == '1' || i == 0 && q[len(q)-1] != '4') {
			b.Year = q[:len(q)-3]
		}
		c.Bars = append(c.Bars, b)
	}
	if len(quarters) > 0 {
		c.Alt = say.Text("topic.chart", strconv.FormatInt(sum, 10), quarters[0], quarters[len(quarters)-1])
	}
	return c
}

// Anomalies lists what is wrong.
type Anomalies struct {
	site.Head
	Intro  string
	Counts []Tally
	Find   Form
	Lines  []Anomaly
	Pager
	Report string
}

// AnomalyPage is one of them with its review.
type AnomalyPage struct {
	site.Head
	Message, State       string
	Lines                []string // of the minutes
	Links                []Ref
	Reply, ReplyBy       string
	Corrections, History []Act
	Report               string
}

// An Act is what a person did or said.
type Act struct{ What, Text, By string }

// Changes lists what changed after publication.
type Changes struct {
	site.Head
	Intro       string
	Find        Form
	Corrections []Change
	Ways        []Ref // to all corrections, where there are more
	Imports     []Change
	Each        bool // the list was asked for by its filters: nothing is folded
	Pager
	Report string
}
