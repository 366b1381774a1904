package pages

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/civic"
)

func (a *Pages) pageTopics(ctx context.Context, v *page, p civic.OfBody) error {
	v.also(asJSON("JSON", v.c.URL("/topics")+bodyQuery(p)),
		asJSON(v.Text("topics.time"), v.c.URL("/topics/timeline")+bodyQuery(p)))
	v.Title, v.About = v.TitleOf("nav.topics"), v.TextOf("topics.about")
	v.Find = v.form(v.c.Path("/topics"), v.withBodies())
	counts, err := civic.ListTopics(ctx, v.c, p)
	if err != nil {
		return err
	}
	v.Has = counts
	v.Linked = a.listed(v, each(counts.Data, func(t *civic.TopicCount) ref {
		return ref{v.Topic(t.Topic), v.Link("/topics/{topic}", t.Topic)}
	}))
	return nil
}

const topicVotes = 15

func (a *Pages) pageTopic(ctx context.Context, v *page, p topicParams) error {
	v.also(asJSON("JSON", v.c.URL("/topics/timeline")+bodyQuery(p.OfBody)))
	v.Others = append(v.Others, asJSON(v.Text("nav.votes"), v.c.URL("/search/votes")+"?"+
		v.inBody(query("topic", p.Topic)).Encode()))
	v.Title, v.About = v.Topic(p.Topic), v.Text("topic.about", v.Topic(p.Topic))
	times, err := civic.GetTopicTimeline(ctx, v.c, p.OfBody)
	if err != nil {
		return err
	}
	counts := map[string]int64{}
	for _, e := range times.Data {
		if string(e.Topic) == string(p.Topic) {
			counts[e.Quarter] = e.Count
		}
	}
	var bars chart
	if n := len(times.Data); n > 0 {
		bars = newChart(v, quarters(times.Data[0].Quarter, times.Data[n-1].Quarter), counts)
	}
	found, err := civic.ListFound(ctx, v.c, civic.SearchFilters{VoteFilters: civic.VoteFilters{OfBody: p.OfBody,
		Topic: &p.Topic}}, topicVotes)
	if err != nil {
		return err
	}
	lines := v.found(found)
	v.Has = struct {
		Topic council.Topic
		Chart chart
		Votes votes
	}{p.Topic, bars, lines}
	v.Linked = a.listedVotes(v, lines)
	return nil
}

const maxQuarters = 48

// quarters returns the quarters from first to last, written like "2025-Q4". It returns at most the
// newest maxQuarters.
func quarters(first, last string) (list []string) {
	var year, quarter int
	_, _ = fmt.Sscanf(first, "%d-Q%d", &year, &quarter)
	for now := first; now <= last; quarter++ {
		list = append(list, now)
		now = fmt.Sprintf("%d-Q%d", year+quarter/4, quarter%4+1)
	}
	return list[max(0, len(list)-maxQuarters):]
}

type topicParams struct {
	civic.TopicParams
	civic.OfBody
}

type chart struct {
	Width, Height int
	Bars          []bar
	Alt           string
}

type bar struct {
	X, Y, Width, Height int
	Quarter             string
	Count               int64
	Year                string // shown below the first quarter of a year
}

// wholeChart is the width of a chart in pixels, unless it has more quarters than fit.
const wholeChart = 640

func newChart(p *page, quarters []string, counts map[string]int64) chart {
	const top, high = 20, 120
	// A few quarters have wide bars; many fit into the width of a page.
	step := min(max(wholeChart/len(quarters), 16), 64)
	var most, sum int64
	for _, q := range quarters {
		most, sum = max(most, counts[q]), sum+counts[q]
	}
	c := chart{Width: step * len(quarters), Height: top + high + 20}
	for i, q := range quarters {
		n := counts[q]
		h := int(n * high / max(most, 1))
		if n > 0 {
			h = max(h, 2)
		}
		b := bar{X: i * step, Y: top + high - h, Width: step - step/5, Height: h, Quarter: q, Count: n}
		year, quarter, _ := strings.Cut(q, "-Q")
		if quarter == "1" || i == 0 && quarter != "4" {
			b.Year = year
		}
		c.Bars = append(c.Bars, b)
	}
	c.Alt = p.Text("topic.chart", strconv.FormatInt(sum, 10), quarters[0], quarters[len(quarters)-1])
	return c
}
