package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// rows has the rows of one meeting: the stored rows or the wanted rows. Rows are equal if all their
// fields are equal. Names have the spelling of their member (members.go).
type rows struct {
	items      []itemRow
	votes      []voteRow
	attendance []attendanceRow
	anomalies  []anomalyRow
}

type itemRow struct {
	ID  int64
	Ord int
	itemFields
	Topic *string `json:"-"` // set by the classifier
}

const selectItems = `
	SELECT id, ord, legifile_id, file_number, item_number, section, title, is_consent, source_url, source_page, topic
	FROM council.item WHERE iqm2_id = $1 ORDER BY ord, id`

type voteRow struct {
	ID     int64
	ItemID int64
	Ord    int
	voteFields
	ParseSource council.ParseSource
	Origin      council.VoteOrigin
	Topic       *string `json:"-"` // the item's
	Foreign     []int64 `json:"-"` // stored people who are not on the body, because the meeting moved to another body
}

const selectVotes = `
	SELECT v.id, v.item_id, v.ord, v.motion_seq, v.motion_text, v.result, v.result_raw, v.ayes_count, v.nays_count,
	       v.unanimous, v.via_consent,
	       mover.full_name AS mover, seconder.full_name AS seconder, v.parse_source, v.origin, v.source_page, v.topic,
	       (SELECT jsonb_agg(jsonb_build_object('member', b.full_name, 'position', p.position) ORDER BY p.ord)
	        FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = v.id) AS roll,
	       (SELECT array_agg(n.id) FROM (SELECT v.mover_id AS id UNION SELECT v.seconder_id
	          UNION SELECT member_id FROM council.vote_position WHERE vote_id = v.id) n
	        WHERE n.id IS NOT NULL AND NOT EXISTS (SELECT FROM council.member_body b
	          WHERE b.body_id = v.body_id AND b.member_id = n.id)) AS foreign
	FROM council.vote v
	LEFT JOIN council.member mover ON mover.id = v.mover_id
	LEFT JOIN council.member seconder ON seconder.id = v.seconder_id
	WHERE v.iqm2_id = $1 ORDER BY v.ord, v.id`

type attendanceRow struct {
	Ord     int
	Name    string
	NameKey string
	Title   string
	Status  string
}

const selectAttendance = `
	SELECT ord, name, name_key, title, status
	FROM council.attendance WHERE iqm2_id = $1 ORDER BY ord`

type anomalyRow struct {
	ID         int64 // 0 if not stored
	Ord        int
	ItemID     *int64
	MotionSeq  *int
	Kind       council.AnomalyKind
	Code       council.AnomalyCode
	Message    string
	SourcePage *int
}

const selectAnomalies = `
	SELECT id, ord, item_id, motion_seq, kind, code, message, source_page
	FROM council.anomaly WHERE iqm2_id = $1 ORDER BY ord, id`

// readRows reads the stored rows of a meeting in one round trip.
func readRows(ctx context.Context, tx pgx.Tx, meeting int64) (rows, error) {
	var r rows
	b := &pgx.Batch{}
	collect(b, &r.items, selectItems, meeting)
	collect(b, &r.votes, selectVotes, meeting)
	collect(b, &r.attendance, selectAttendance, meeting)
	collect(b, &r.anomalies, selectAnomalies, meeting)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return r, fmt.Errorf("read stored rows of meeting %d: %w", meeting, err)
	}
	return r, nil
}

func collect[R any](b *pgx.Batch, into *[]R, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(found pgx.Rows) error {
		var err error
		*into, err = pgx.CollectRows(found, pgx.RowToStructByName[R])
		return err
	})
}

func (r *rows) itemAt(id *int64) int {
	return slices.IndexFunc(r.items, func(it itemRow) bool { return id != nil && it.ID == *id })
}

func (r *rows) voteAt(id *int64) int {
	return slices.IndexFunc(r.votes, func(v voteRow) bool { return id != nil && v.ID == *id })
}

// itemFields and voteFields are record.Item and record.Vote with other tags, so that each converts
// to the other. council.laid has these names (meeting.go), which programs of the previous version
// read too.
type itemFields struct {
	ItemNumber *string
	FileNumber *string
	Section    *string
	Title      string
	IsConsent  bool
	Page       *int          `json:"SourcePage" db:"source_page"`
	Votes      []record.Vote `json:"-" db:"-"` // nil, because votes are rows of their own
	LegifileID *int64
	URL        *string `json:"SourceURL" db:"source_url"`
	Shown      string  `json:"-" db:"-"`
}

type voteFields struct {
	MotionSeq  int
	MotionText string
	ResultRaw  string
	Result     council.Result
	AyesCount  int
	NaysCount  int
	Unanimous  bool
	ViaConsent bool
	Page       *int         `json:"SourcePage" db:"source_page"`
	Mover      *string      `json:"-"`
	Seconder   *string      `json:"-"`
	Roll       council.Roll `json:"-"` // in printed order
}

func (r *rows) copyTopics(stored rows) {
	topics := map[int64]*string{}
	for _, it := range stored.items {
		topics[it.ID] = it.Topic
	}
	for i := range r.items {
		r.items[i].Topic = topics[r.items[i].ID]
	}
	for i := range r.votes {
		r.votes[i].Topic = topics[r.votes[i].ItemID]
	}
}

// clone copies rows. Attendance and rolls are shared, because they never change in place.
func (r rows) clone() rows {
	return rows{slices.Clone(r.items), slices.Clone(r.votes), r.attendance, slices.Clone(r.anomalies)}
}
