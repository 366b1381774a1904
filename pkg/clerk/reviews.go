package clerk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// An Act is one step in the review of an anomaly.
type Act string

// Accepted means that the document contains the error, Rejected that nothing is wrong.
const (
	Accepted Act = "accepted"
	Rejected Act = "rejected"
	Replied  Act = "replied"
	Undone   Act = "undone"
)

func (Act) Values() []string { return council.Words([]Act{Accepted, Rejected, Replied, Undone}) }

// A State is the progress of the review of an anomaly.
type State string

const (
	Open        State = "open"
	IsAccepted  State = "accepted"
	IsRejected  State = "rejected"
	IsCorrected State = "corrected" // a correction in force answers the anomaly, see council.answered
	Reopened    State = "reopened"  // reviewed, but the anomaly's message has changed since
	Gone        State = "gone"      // reviewed, but the minutes as read no longer have the anomaly
)

// States lists every state in the order of the API description.
func States() []State { return []State{Open, IsAccepted, IsRejected, IsCorrected, Reopened, Gone} }

func (State) Values() []string { return council.Words(States()) }

// StateSQL is an SQL expression for the state of an anomaly. The arguments are expressions for its
// id and its current message, NULL if it is gone. A review applies to one message; an undone act
// does not count.
func StateSQL(anomaly, message string) string {
	return `(CASE WHEN ` + message + ` IS NULL THEN 'gone'
		WHEN EXISTS (SELECT FROM council.answered an WHERE an.anomaly_id = ` + anomaly + `) THEN 'corrected'
		ELSE coalesce((SELECT CASE WHEN r.message = ` + message + ` THEN r.act ELSE 'reopened' END FROM council.review r
			WHERE r.anomaly_id = ` + anomaly + ` AND r.act IN ('accepted', 'rejected')
				AND NOT EXISTS (SELECT FROM council.review u WHERE u.undoes = r.review_id)
			ORDER BY r.review_id DESC LIMIT 1), 'open') END)`
}

// An Anomaly is an anomaly with the state of its review.
type Anomaly struct {
	ID        int64      `json:"id" db:"id"`
	State     State      `json:"state" db:"state"`
	Meeting   int64      `json:"meeting_id" db:"iqm2_id"`
	Date      string     `json:"meeting_date" db:"meeting_date"`
	ItemID    *int64     `json:"item_id" db:"item_id"`
	ItemTitle *string    `json:"item_title" db:"item_title"`
	VoteID    *int64     `json:"vote_id" db:"vote_id"`
	Page      *int       `json:"source_page" db:"source_page"`
	Code      string     `json:"code" db:"code"`
	Message   string     `json:"message" db:"message"`
	MotionSeq *int       `json:"motion_seq" db:"motion_seq"`
	Reply     *string    `json:"reply" db:"reply"`
	Reviewed  *time.Time `json:"reviewed_at" db:"reviewed_at"` // time of the last act
}

// A Review is one act about an anomaly.
type Review struct {
	ID      int64     `json:"id" db:"review_id"`
	Act     Act       `json:"act" db:"act"`
	Undoes  *int64    `json:"undoes,omitempty" db:"undoes"`
	Body    string    `json:"text" db:"body"`
	Author  string    `json:"author" db:"author"`
	MadeAt  time.Time `json:"made_at" db:"made_at"`
	Message string    `json:"message" db:"message"` // the anomaly's message at that time
}

// A Filter selects anomalies; nil fields select all.
type Filter struct {
	ID      *int64
	Meeting *int64
	State   *State
	Code    *string
	ToDo    bool // only open and reopened anomalies
	Limit   int
	Skip    int
}

// ReplySQL is an SQL expression for a value of the newest reply to an anomaly. It ignores undone
// replies. The value refers to the reply's row as r.
func ReplySQL(anomaly, value string) string {
	return `(SELECT ` + value + ` FROM council.review r WHERE r.anomaly_id = ` + anomaly + ` AND r.act = 'replied'
		AND NOT EXISTS (SELECT FROM council.review u WHERE u.undoes = r.review_id)
		ORDER BY r.review_id DESC LIMIT 1)`
}

// Anomalies lists anomalies with the state of their review, newest meeting first. It includes
// reviewed anomalies that are gone.
func Anomalies(ctx context.Context, db pg.Querier, f Filter) ([]Anomaly, error) {
	all, err := pg.List[Anomaly](ctx, db, `
		WITH gone AS (
			SELECT DISTINCT ON (r.anomaly_id) r.anomaly_id, r.iqm2_id, r.item_id, r.motion_seq, r.code, r.message, r.source_page
			FROM council.review r WHERE NOT EXISTS (SELECT FROM council.anomaly a WHERE a.id = r.anomaly_id)
			ORDER BY r.anomaly_id, r.review_id DESC),
		x AS (
			SELECT a.id, a.iqm2_id, a.ord, a.item_id, a.motion_seq, a.code, a.message,
			       a.source_page, `+StateSQL("a.id", "a.message")+` AS state
			FROM council.anomaly a
			UNION ALL
			SELECT anomaly_id, iqm2_id, 0, item_id, motion_seq, code, message, source_page, 'gone' FROM gone)
		SELECT x.id, x.state, x.iqm2_id, m.meeting_date::text AS meeting_date, x.item_id, i.title AS item_title,
		       v.id AS vote_id, x.source_page, x.code, x.message, x.motion_seq,
		       `+ReplySQL("x.id", "r.body")+` AS reply,
		       (SELECT max(r.made_at) FROM council.review r WHERE r.anomaly_id = x.id) AS reviewed_at
		FROM x
		JOIN council.meeting m ON m.iqm2_id = x.iqm2_id
		LEFT JOIN council.item i ON i.id = x.item_id
		LEFT JOIN council.vote v ON v.item_id = x.item_id AND v.motion_seq = x.motion_seq
		WHERE ($1::bigint IS NULL OR x.id = $1) AND ($2::bigint IS NULL OR x.iqm2_id = $2)
		  AND ($3::text IS NULL OR x.state = $3)
		  AND (NOT $4 OR x.state IN ('open', 'reopened')) AND ($7::text IS NULL OR x.code = $7)
		ORDER BY m.meeting_date DESC, m.starts_at DESC, x.iqm2_id DESC, x.ord, x.id
		LIMIT $5 OFFSET $6`, f.ID, f.Meeting, f.State, f.ToDo, f.Limit, f.Skip, f.Code)
	if err != nil {
		return nil, fmt.Errorf("list anomalies: %w", err)
	}
	return all, nil
}

// Progress counts anomalies by the state of their review.
func Progress(ctx context.Context, db pg.Querier, meeting *int64) (map[State]int, error) {
	type count struct {
		State State
		Count int
	}
	counts, err := pg.List[count](ctx, db, `
		SELECT state, count(*) FROM (SELECT `+StateSQL("a.id", "a.message")+` AS state FROM council.anomaly a
			WHERE $1::bigint IS NULL OR a.iqm2_id = $1) x
		GROUP BY state`, meeting)
	if err != nil {
		return nil, fmt.Errorf("count anomalies: %w", err)
	}
	out := map[State]int{}
	for _, c := range counts {
		out[c.State] = c.Count
	}
	return out, nil
}

// Reviews returns the acts about an anomaly, oldest first.
func Reviews(ctx context.Context, db pg.Querier, anomaly int64) ([]Review, error) {
	all, err := pg.List[Review](ctx, db, `
		SELECT review_id, act, undoes, body, author, made_at, message FROM council.review WHERE anomaly_id = $1
		       ORDER BY review_id`, anomaly)
	if err != nil {
		return nil, fmt.Errorf("read reviews of anomaly %d: %w", anomaly, err)
	}
	return all, nil
}

// AddReview stores an act about an anomaly. Undone undoes the last act that was not undone. It
// returns [ErrConflict] if there are newer statements than seen.
func AddReview(ctx context.Context, db *pgxpool.Pool, anomaly int64, act Act, body, author string, now time.Time,
	seen *Seen) (Review, error) {
	author, err := checkText("author", author, maxAuthor, true)
	if err == nil {
		body, err = checkText("text", body, maxReply, act == Replied)
	}
	if err != nil {
		return Review{}, err
	}
	out := Review{Act: act, Body: body, Author: author, MadeAt: now}
	err = add(ctx, db, seen, func(tx pgx.Tx) error {
		found, err := Anomalies(ctx, tx, Filter{ID: &anomaly, Limit: 1})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("find anomaly %d: %w", anomaly, ErrNotFound)
		}
		a := found[0]
		if act == Undone {
			out.Undoes, err = lastAct(ctx, tx, anomaly)
			if err != nil {
				return err
			}
		}
		out.Message = a.Message
		return tx.QueryRow(ctx, `
			INSERT INTO council.review (anomaly_id, act, undoes, body, author, made_at, iqm2_id, item_id, motion_seq, kind, code,
			  message, source_page)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING review_id`,
			anomaly, string(act), out.Undoes, body, author, now, a.Meeting, a.ItemID, a.MotionSeq,
			string(council.KindOf(council.AnomalyCode(a.Code))), a.Code, a.Message, a.Page).Scan(&out.ID)
	})
	if err != nil {
		return Review{}, fmt.Errorf("store review: %w", err)
	}
	return out, nil
}

func lastAct(ctx context.Context, tx pgx.Tx, anomaly int64) (*int64, error) {
	all, err := Reviews(ctx, tx, anomaly)
	if err != nil {
		return nil, err
	}
	undone := map[int64]bool{}
	for _, r := range slices.Backward(all) {
		switch {
		case r.Act == Undone:
			undone[council.OrZero(r.Undoes)] = true
		case !undone[r.ID]:
			return &r.ID, nil
		}
	}
	return nil, fmt.Errorf("undo the last act about anomaly %d: %w", anomaly, ErrWithdrawn)
}
