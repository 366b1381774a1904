package review

import (
	"context"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A Reviewed is the state of the review of an anomaly.
type Reviewed struct {
	AnomalyID int64         `json:"anomaly_id" doc:"The anomaly."`
	ItemID    *int64        `json:"item_id" doc:"Its item; null if it concerns the whole meeting."`
	VoteID    *int64        `json:"vote_id" doc:"Its vote; null if it concerns the item or the meeting."`
	State     clerk.State   `json:"state" doc:"Where its review stands."`
	Reply     *AnomalyReply `json:"reply" doc:"What the clerk answers; null without an answer."`
}

// A ReviewedList has the reviewed anomalies of a meeting.
type ReviewedList struct {
	Data []Reviewed `json:"data" doc:"Anomalies of which somebody has said something, in document order."`
}

var reviewedOfMeeting = rest.SQL[civic.IDParams, Reviewed](`
	SELECT a.id AS anomaly_id, a.item_id, v.id AS vote_id, ` + clerk.StateSQL("a.id", "a.message") + ` AS state, ` +
	replyOf("a.id") + ` AS reply
	FROM council.anomaly a
	LEFT JOIN council.vote v ON v.item_id = a.item_id AND v.motion_seq = a.motion_seq
	WHERE a.iqm2_id = @id
	  AND (EXISTS (SELECT FROM council.review r WHERE r.anomaly_id = a.id)
	    OR EXISTS (SELECT FROM council.correction c WHERE c.anomaly_id = a.id))
	ORDER BY a.ord, a.id`)

var thisMeeting = rest.SQL[civic.IDParams, int64](`SELECT iqm2_id FROM council.meeting WHERE iqm2_id = @id`)

func replyOf(anomaly string) string {
	return clerk.ReplySQL(anomaly, `jsonb_build_object('text', r.body, 'author', r.author, 'made_at',
		to_char(r.made_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`)
}

func repliesEndpoint() rest.Endpoint {
	return rest.Func(rest.Spec{ID: "listMeetingReviews", Path: "/meetings/{id}/reviews", Tag: "Anomalies",
		Summary: "What people said of the anomalies of a meeting: states and replies",
		Doc: "Only anomalies of which somebody has said something; the others are open. /anomalies/{id} has " +
			"everything that was said of one.",
		NotFound: "unknown meeting", Queries: rest.Queries(thisMeeting, reviewedOfMeeting)}, MeetingReviews)
}

// MeetingReviews lists the reviewed anomalies of a meeting.
func MeetingReviews(ctx context.Context, c *rest.Call, p civic.IDParams) (ReviewedList, error) {
	all, err := reviewedOfMeeting.List(ctx, c, p)
	if err == nil && len(all) == 0 {
		_, err = thisMeeting.One(ctx, c, p)
	}
	return ReviewedList{all}, civic.Missing(err, "meeting", p.ID)
}
