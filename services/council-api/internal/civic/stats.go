package civic

import (
	"context"

	"github.com/townline/townline/pkg/rest"
)

// Stats has counts of the whole dataset.
type Stats struct {
	Meetings         int64      `json:"meetings" doc:"All meetings, future and cancelled ones too."`
	MeetingsComplete int64      `json:"meetings_complete" doc:"Meetings whose minutes are archived and parsed."`
	Items            int64      `json:"items" doc:"Agenda items."`
	Votes            int64      `json:"votes" doc:"Votes."`
	Members          int64      `json:"members" doc:"Everyone who voted, moved or seconded."`
	EarliestMeeting  *rest.Date `json:"earliest_meeting" doc:"Local date."`
	LatestMeeting    *rest.Date `json:"latest_meeting" doc:"Local date."`
	LastIngestAt     *rest.Time `json:"last_ingest_at" doc:"End of the last ingest that found something new."`
	ClassifiedItems  int64      `json:"classified_items" doc:"Agenda items with a topic."`
	Anomalies        int64      `json:"anomalies" doc:"Anomalies found in the sources."`
}

// Items and votes count once, in their meeting.
var selectStats = rest.SQL[OfBody, Stats](`
	SELECT m.meetings, m.meetings_complete, m.items, m.votes,
	       (SELECT count(*) FROM council.member b WHERE true` + MemberInBody("b.id") + `) AS members,
	       m.earliest_meeting, m.latest_meeting, d.last_ingest_at,
	       m.items - (SELECT count(*) FROM council.item WHERE topic IS NULL` + InBody("item") + `) AS classified_items,
	       (SELECT count(*) FROM council.anomaly WHERE true` + InBody("anomaly") + `) AS anomalies
	FROM council.dataset d
	CROSS JOIN (
		SELECT count(*) AS meetings, count(*) FILTER (WHERE status = 'complete') AS meetings_complete,
		       coalesce(sum(item_count), 0)::bigint AS items, coalesce(sum(vote_count), 0)::bigint AS votes,
		       min(meeting_date) AS earliest_meeting, max(meeting_date) AS latest_meeting
		FROM council.meeting WHERE true` + InBody("meeting") + `) m`)

var StatsEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "getStats", Path: "/stats", Tag: "Dataset", Summary: "The dataset in numbers",
		Queries: rest.Queries(selectStats)}, GetStats),
}

func GetStats(ctx context.Context, c *rest.Call, of OfBody) (Stats, error) {
	return selectStats.One(ctx, c, of)
}
