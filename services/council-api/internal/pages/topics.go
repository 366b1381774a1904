package pages

import (
	"context"
	"fmt"
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

func (a *Pages) pageTopic(ctx context.Context, v *page, p civic.TopicParams) error {
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
		bars = newChart(quarters(times.Data[0].Quarter, times.Data[n-1].Quarter), counts)
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

// A chart has a bar for each quarter. Its methods return places and sizes in pixels.
type chart struct {
	Quarters  []civic.TimelineEntry
	step      int
	most, sum int64
}

const (
	// wholeChart is the width of a chart, unless it has more quarters than fit.
	wholeChart = 640
	chartTop   = 20 // space for the numbers above the bars
	chartHigh  = 120
)

// newChart makes a chart: a few quarters have wide bars, and many fit into the width of a page.
func newChart(quarters []string, counts map[string]int64) chart {
	c := chart{step: min(max(wholeChart/len(quarters), 16), 64)}
	for _, q := range quarters {
		n := counts[q]
		c.most, c.sum = max(c.most, n), c.sum+n
		c.Quarters = append(c.Quarters, civic.TimelineEntry{Quarter: q, Count: n})
	}
	return c
}

// Alt says what the chart shows.
func (c chart) Alt(p *page) string {
	return p.Text("topic.chart", number(c.sum), c.Quarters[0].Quarter, c.Quarters[len(c.Quarters)-1].Quarter)
}

func (c chart) Width() int { return c.step * len(c.Quarters) }

func (chart) Height() int { return chartTop + chartHigh + 20 }

// X returns the left edge of a bar.
func (c chart) X(bar int) int { return bar * c.step }

// Bar returns the width of a bar.
func (c chart) Bar() int { return c.step - c.step/5 }

// High returns the height of a bar.
func (c chart) High(count int64) int {
	if count == 0 {
		return 0
	}
	return max(2, int(count*chartHigh/c.most))
}

// Top returns the upper edge of a bar.
func (c chart) Top(count int64) int { return chartTop + chartHigh - c.High(count) }

// Year returns the year below a bar: that of the first quarter, and of the first bar unless the next
// one has a year.
func (c chart) Year(bar int) string {
	year, quarter, _ := strings.Cut(c.Quarters[bar].Quarter, "-Q")
	if quarter == "1" || bar == 0 && quarter != "4" {
		return year
	}
	return ""
}
