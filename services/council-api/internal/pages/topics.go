package pages

import (
	"context"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) topicPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.topics", Path: "/topics", Summary: "Topics over time"}, a.pageTopics),
		rest.Page(rest.Spec{ID: "page.topic", Path: "/topics/{topic}", Summary: "One topic over time, with its votes", NotFound: "unknown topic"}, a.pageTopic),
	}
}

func (a *Pages) pageTopics(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Topics{Head: a.head(c, "/topics", asJSON("JSON", c.URL("/topics")), asJSON(a.word(c, "topics.time"), c.URL("/topics/timeline")))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("nav.topics"), say.Text("topics.about")
	counts, err := record.ListTopics(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	for _, t := range counts.Data {
		v.Rows = append(v.Rows, view.TopicCount{Ref: view.Ref{Text: say.Topic(t.Topic), Address: v.To("/topics/{topic}", string(t.Topic))}, Items: t.Count, Split: t.SplitVotes,
			Votes: v.ToQuery(url.Values{"topic": {string(t.Topic)}, "split": {"true"}}, "/votes")})
	}
	v.Rows = append(v.Rows, view.TopicCount{Ref: view.Ref{Text: say.Text("topic.none")}, Items: counts.Unclassified})
	entries := make([]view.Ref, 0, len(v.Rows))
	for _, row := range v.Rows {
		if row.Address != "" {
			entries = append(entries, row.Ref)
		}
	}
	v.Linked, v.Report = a.listed(c, v.Title, entries), a.report(say, c, v.Title, "")
	return a.site.Render("topics.html", v)
}

// topicVotes is how many votes the page of a topic lists.
const topicVotes = 15

func (a *Pages) pageTopic(ctx context.Context, c *rest.Call, p record.TopicParams) ([]byte, error) {
	topic := string(p.Topic)
	v := &view.Topic{Head: a.head(c, "/topics", asJSON("JSON", c.URL("/topics/timeline")), asJSON(a.word(c, "nav.votes"), c.URL("/search/votes?topic="+topic)))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Topic(p.Topic), say.Text("topic.about", say.Topic(p.Topic))
	times, err := record.GetTopicTimeline(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, e := range times.Data {
		if string(e.Topic) == topic {
			counts[e.Quarter] = e.Count
		}
	}
	if n := len(times.Data); n > 0 {
		v.Chart = view.NewChart(say, quarters(times.Data[0].Quarter, times.Data[n-1].Quarter), counts)
	}
	found, err := record.ListFound(ctx, c, record.SearchFilters{VoteFilters: record.VoteFilters{Topic: &p.Topic}}, topicVotes)
	if err != nil {
		return nil, err
	}
	v.Lines = foundLines(&v.Head, say, found)
	v.All, v.Split = v.ToQuery(url.Values{"topic": {topic}}, "/votes"), v.ToQuery(url.Values{"topic": {topic}, "split": {"true"}}, "/votes")
	v.Linked, v.Report = a.listedVotes(c, v.Title, v.Lines), a.report(say, c, v.Title, "")
	return a.site.Render("topic.html", v)
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
