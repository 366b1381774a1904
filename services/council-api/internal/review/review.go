package review

import (
	"context"
	"strconv"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// An AnomalyDetail is an anomaly with its review and corrections.
type AnomalyDetail struct {
	Anomaly
	State         clerk.State     `json:"state" doc:"Where its review stands: open (nobody has decided; there may be a reply); accepted (the document is like that); rejected (nothing is wrong there); corrected (a correction in force answers it); reopened (it was reviewed and reads otherwise since); gone (it was reviewed, and the newest reading does not have it)."`
	Reply         *AnomalyReply   `json:"reply" doc:"What the clerk answers; the newest one that was not taken back. Null without one."`
	Corrections   []Correction    `json:"corrections" db:"-" doc:"Corrections that answer it, oldest first."`
	History       []AnomalyReview `json:"history" db:"-" doc:"Everything that was said of it, oldest first. Nothing is removed: to take an act back is another one."`
	VoteID        *int64          `json:"vote_id" doc:"The vote concerned; null if it concerns the item or the meeting, or if the vote is gone."`
	Links         AnomalyLinks    `json:"links" db:"-" doc:"Where to look."`
	MinutesSHA256 *string         `json:"minutes_sha256" db:"minutes_sha256" doc:"SHA-256 of the archived minutes of the meeting; null if there are none."`
}

// An AnomalyReply is a public answer to an anomaly.
type AnomalyReply struct {
	Text   string `json:"text" doc:"The answer, in the author's words."`
	Author string `json:"author" doc:"Who answers."`
	MadeAt string `json:"made_at" format:"date-time" doc:"When, UTC."`
}

// An AnomalyReview is one act of a review.
type AnomalyReview struct {
	ID      int64     `json:"id" doc:"Rises with time."`
	Act     clerk.Act `json:"act" doc:"accepted, rejected, replied; undone takes back the act that undoes names."`
	Undoes  *int64    `json:"undoes" doc:"The act that is taken back."`
	Text    string    `json:"text" doc:"The reply, or a note; empty without one."`
	Author  string    `json:"author" doc:"Who said it, with office."`
	MadeAt  rest.Time `json:"made_at" doc:"When, UTC."`
	Message string    `json:"message" doc:"What the anomaly said then."`
}

// AnomalyLinks are the addresses of an anomaly's data in this API.
type AnomalyLinks struct {
	Meeting string  `json:"meeting" format:"uri" doc:"The meeting with its items and votes."`
	Item    *string `json:"item" format:"uri" doc:"The item with its votes."`
	Vote    *string `json:"vote" format:"uri" doc:"The vote with its proof."`
	PDF     *string `json:"minutes_pdf" db:"-" format:"uri" doc:"The archived minutes, at the page; null if they are no PDF."`
	Text    *string `json:"minutes_text" db:"-" format:"uri" doc:"The text that was read."`
}

// A detailRow also has the media type, from which the links are made.
type detailRow struct {
	AnomalyDetail
	Media *string `json:"-" db:"media_type"`
}

var (
	// If an anomaly is gone, its data comes from its last review.
	oneAnomaly = rest.SQL[civic.IDLinks, detailRow](`
		WITH x AS (
			SELECT a.id, a.iqm2_id, a.item_id, a.motion_seq, a.kind, a.code, a.message, a.message AS now, a.source_page, a.ord
			       FROM council.anomaly a WHERE a.id = @id
			UNION ALL
			(SELECT r.anomaly_id, r.iqm2_id, r.item_id, r.motion_seq, r.kind, r.code, r.message, NULL, r.source_page, 0
			 FROM council.review r WHERE r.anomaly_id = @id AND NOT EXISTS (SELECT FROM council.anomaly a WHERE a.id = @id)
			 ORDER BY r.review_id DESC LIMIT 1))
		SELECT` + anomalyColumns + `,
		       ` + clerk.StateSQL("a.id", "a.now") + ` AS state,
		       ` + replyOf("a.id") + ` AS reply,
		       v.id AS vote_id, encode(d.sha256, 'hex') AS minutes_sha256, d.media_type
		FROM x a` + anomalySources + `
		LEFT JOIN council.vote v ON v.item_id = a.item_id AND v.motion_seq = a.motion_seq`)

	reviewsOfAnomaly = rest.SQL[civic.IDParams, AnomalyReview](`
		SELECT review_id AS id, act, undoes, body AS text, author, made_at, message FROM council.review
		       WHERE anomaly_id = @id ORDER BY review_id`)
)

func linksOf(c *rest.Call, a detailRow) AnomalyLinks {
	at := func(path string, id int64) *string {
		return new(c.URL(path, strconv.FormatInt(id, 10)))
	}
	out := AnomalyLinks{Meeting: *at("/meetings/{id}", a.MeetingID)}
	if a.ItemID != nil {
		out.Item = at("/items/{id}", *a.ItemID)
	}
	if a.VoteID != nil {
		out.Vote = at("/votes/{id}", *a.VoteID)
	}
	if a.Media != nil {
		out.Text = at("/meetings/{id}/minutes.txt", a.MeetingID)
		if *a.Media == "application/pdf" {
			out.PDF = at("/meetings/{id}/minutes.pdf", a.MeetingID)
			if a.SourcePage != nil {
				*out.PDF += "#page=" + strconv.Itoa(*a.SourcePage)
			}
		}
	}
	return out
}

func GetAnomaly(ctx context.Context, c *rest.Call, p civic.IDParams) (AnomalyDetail, error) {
	row, err := oneAnomaly.One(ctx, c, civic.LinksTo(c, p))
	if err != nil {
		return AnomalyDetail{}, civic.Missing(err, "anomaly", p.ID)
	}
	a := row.AnomalyDetail
	a.History, err = reviewsOfAnomaly.List(ctx, c, p)
	if err != nil {
		return a, err
	}
	a.Corrections, err = correctionsOfAnomaly.List(ctx, c, p)
	a.Links = linksOf(c, row)
	return a, err
}
