package pages

import (
	"context"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
)

func (a *Pages) topicPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.topics", Path: "/topics", Summary: "Topics over time"}, a.pageTopics),
		rest.Page(rest.Spec{ID: "page.topic", Path: "/topics/{topic}", Summary: "One topic over time, with its votes", NotFound: "unknown topic"}, a.pageTopic),
	}
}

func (a *Pages) pageTopics(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := a.page(c, "/topics", asJSON("JSON", c.URL("/topics")), asJSON(a.word(c, "topics.time"), c.URL("/topics/timeline")))
	v.Title, v.About = v.Text("nav.topics"), v.Text("topics.about")
	counts, err := record.ListTopics(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	v.Has = counts
	entries := make([]ref, len(counts.Data))
	for i, t := range counts.Data {
		entries[i] = ref{v.Topic(t.Topic), v.Link("/topics/{topic}", t.Topic)}
	}
	v.Linked = a.listed(v, entries)
	return a.show("topics.html", v)
}

// topicVotes is how many votes the page of a topic lists.
const topicVotes = 15

func (a *Pages) pageTopic(ctx context.Context, c *rest.Call, p record.TopicParams) ([]byte, error) {
	v := a.page(c, "/topics", asJSON("JSON", c.URL("/topics/timeline")), asJSON(a.word(c, "nav.votes"), c.URL("/search/votes?topic="+string(p.Topic))))
	v.Title, v.About = v.Topic(p.Topic), v.Text("topic.about", v.Topic(p.Topic))
	times, err := record.GetTopicTimeline(ctx, c, rest.None{})
	if err != nil {
		return nil, err
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
	found, err := record.ListFound(ctx, c, record.SearchFilters{VoteFilters: record.VoteFilters{Topic: &p.Topic}}, topicVotes)
	if err != nil {
		return nil, err
	}
	lines := v.found(found)
	v.Has = struct {
		Topic council.Topic
		Chart chart
		Votes []vote
	}{p.Topic, bars, lines}
	v.Linked = a.listedVotes(v, lines)
	return a.show("topic.html", v)
}

// maxQuarters is how many quarters a chart shows: the newest ones.
const maxQuarters = 48

// quarters are all quarters between two, "2025-Q4".
func quarters(first, last string) []string {
	var list []string
	year, _ := strconv.Atoi(first[:max(0, len(first)-3)])
	quarter := 1
	if n := len(first); n > 0 {
		quarter = int(first[n-1] - '0')
	}
	for range 4000 {
		now := strconv.Itoa(year) + "-Q" + strconv.Itoa(quarter)
		list = append(list, now)
		if now >= last {
			break
		}
		if quarter++; quarter > 4 {
			year, quarter = year+1, 1
		}
	}
	return list[max(0, len(list)-maxQuarters):]
}

// A chart is bars over quarters. The table below it says the same.
type chart struct {
	Width, Height int
	Bars          []bar
	Alt           string
}

// A bar is a quarter.
type bar struct {
	X, Y, Width, Height int
	Quarter             string
	Count               int64
	Year                string // below the first quarter of a year
}

// newChart draws counts by quarter.
func newChart(p *page, quarters []string, counts map[string]int64) chart {
	const step, high = 16, 120
	var most, sum int64
	for _, q := range quarters {
		most, sum = max(most, counts[q]), sum+counts[q]
	}
	c := chart{Width: step * len(quarters), Height: high + 20}
	for i, q := range quarters {
		n := counts[q]
		h := int(n * high / max(most, 1))
		if n > 0 {
			h = max(h, 2)
		}
		b := bar{X: i * step, Y: high - h, Width: step - 3, Height: h, Quarter: q, Count: n}
		if len(q) > 3 && (q[len(q)-1] == '1' || i == 0 && q[len(q)-1] != '4') {
			b.Year = q[:len(q)-3]
		}
		c.Bars = append(c.Bars, b)
	}
	if len(quarters) > 0 {
		c.Alt = p.Text("topic.chart", strconv.FormatInt(sum, 10), quarters[0], quarters[len(quarters)-1])
	}
	return c
}
