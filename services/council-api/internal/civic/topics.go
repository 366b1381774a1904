package civic

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
)

// A TopicCount has the numbers of items and split votes of a topic.
type TopicCount struct {
	Topic      council.Topic `json:"topic" doc:"The topic."`
	Count      int64         `json:"count" doc:"Agenda items with this topic."`
	SplitVotes int64         `json:"split_votes" doc:"Votes on these items that were not unanimous."`
}

// TopicCounts has the number of items of each topic.
type TopicCounts struct {
	Data         []TopicCount `json:"data" doc:"All topics, also those without an item."`
	Unclassified int64        `json:"unclassified" doc:"Agenda items without a topic."`
}

type topicArgs struct {
	Topics []council.Topic
	OfBody
}

var (
	topicRows = rest.SQL[topicArgs, TopicCount](`
		SELECT t.topic, coalesce(i.count, 0) AS count, coalesce(v.count, 0) AS split_votes
		FROM unnest(@topics::text[]) WITH ORDINALITY AS t(topic, ord)
		LEFT JOIN (SELECT topic, count(*) FROM council.item WHERE true` + InBody("item") + `
		           GROUP BY topic) i ON i.topic = t.topic
		LEFT JOIN (SELECT topic, count(*) FROM council.vote WHERE NOT unanimous` + InBody("vote") + `
		           GROUP BY topic) v ON v.topic = t.topic
		ORDER BY t.ord`)

	unclassifiedItems = rest.SQL[OfBody, int64](`
		SELECT count(*) FROM council.item WHERE topic IS NULL` + InBody("item"))
)

// A TimelineEntry is the number of items of a topic in a quarter.
type TimelineEntry struct {
	Quarter string        `json:"quarter" doc:"Calendar quarter of the meeting's local date." pattern:"^\\d{4}-Q[1-4]$" example:"2026-Q3"`
	Topic   TimelineTopic `json:"topic" doc:"A topic, or unclassified."`
	Count   int64         `json:"count" doc:"Agenda items."`
}

// A TimelineTopic is a topic, or "unclassified".
type TimelineTopic string

func (TimelineTopic) Values() []string { return append(council.Topic("").Values(), "unclassified") }

var timelineRows = rest.SQL[topicArgs, TimelineEntry](`
	SELECT extract(year FROM q.quarter) || '-Q' || extract(quarter FROM q.quarter) AS quarter,
	       coalesce(q.topic, 'unclassified') AS topic, q.count
	FROM (SELECT date_trunc('quarter', d.meeting_date::timestamp) AS quarter, d.topic, sum(d.count)::bigint AS count
	      FROM (SELECT topic, meeting_date, count(*) FROM council.item WHERE true` + InBody("item") + `
	            GROUP BY topic, meeting_date) d GROUP BY 1, 2) q
	ORDER BY q.quarter, array_position(@topics::text[], q.topic)`)

type TopicParams struct {
	Topic council.Topic `path:"topic" doc:"The topic."`
	OfBody
}

var TopicEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listTopics", Path: "/topics", Tag: "Topics", Summary: "Agenda items and split votes by " +
		"topic",
		Queries: rest.Queries(topicRows, unclassifiedItems)}, ListTopics),
	rest.Func(rest.Spec{ID: "getTopicTimeline", Path: "/topics/timeline", Tag: "Topics",
		Summary: "Agenda items by quarter and topic, oldest first",
		Queries: rest.Queries(timelineRows)}, GetTopicTimeline),
}

func ListTopics(ctx context.Context, c *rest.Call, of OfBody) (TopicCounts, error) {
	rows, err := topicRows.List(ctx, c, topicArgs{council.Topics(), of})
	if err != nil {
		return TopicCounts{}, err
	}
	none, err := unclassifiedItems.One(ctx, c, of)
	return TopicCounts{rows, none}, err
}

func GetTopicTimeline(ctx context.Context, c *rest.Call, of OfBody) (List[TimelineEntry], error) {
	rows, err := timelineRows.List(ctx, c, topicArgs{council.Topics(), of})
	return List[TimelineEntry]{rows}, err
}
