package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// The rows below a meeting, as stored and as they should be. Two rows are equal
// when all their fields are; that is the whole comparison.

type itemRow struct {
	ID         int64
	Ord        int32
	LegifileID *int64
	FileNumber *string
	ItemNumber *string
	Section    *string
	Title      string
	IsConsent  bool
	SourceURL  *string
	SourcePage *int32
	Topic      *string // the classifier's; unchanged
}

const selectItems = `
	SELECT id, ord, legifile_id, file_number, item_number, section, title, is_consent, source_url, source_page, topic
	FROM council.item WHERE iqm2_id = $1 ORDER BY ord, id`

type voteRow struct {
	ID          int64
	ItemID      int64
	Ord         int32
	MotionSeq   int32
	MotionText  string
	Result      string
	ResultRaw   string
	AyesCount   int32
	NaysCount   int32
	Unanimous   bool
	ViaConsent  bool
	MoverID     *int64
	SeconderID  *int64
	ParseSource string
	Origin      string
	SourcePage  *int32
	Topic       *string       // the item's
	Roll        []positionRow `db:"-" json:"-"`
}

const selectVotes = `
	SELECT id, item_id, ord, motion_seq, motion_text, result, result_raw, ayes_count, nays_count, unanimous, via_consent,
	       mover_id, seconder_id, parse_source, origin, source_page, topic
	FROM council.vote WHERE iqm2_id = $1 ORDER BY ord, id`

type positionRow struct {
	MemberID int64
	Ord      int16
	Position string
}

// A rollRow is a position with its vote, as tables and kept readings have it.
type rollRow struct {
	VoteID int64
	positionRow
}

const selectPositions = `
	SELECT vote_id, member_id, ord, position
	FROM council.vote_position WHERE iqm2_id = $1 ORDER BY vote_id, ord`

type attendanceRow struct {
	Ord     int16
	Name    string
	NameKey string
	Title   string
	Status  string
}

const selectAttendance = `
	SELECT ord, name, name_key, title, status
	FROM council.attendance WHERE iqm2_id = $1 ORDER BY ord`

type anomalyRow struct {
	ID         int64
	Ord        int32
	ItemID     *int64
	MotionSeq  *int32
	Kind       string
	Code       string
	Message    string
	SourcePage *int32
}

const selectAnomalies = `
	SELECT id, ord, item_id, motion_seq, kind, code, message, source_page
	FROM council.anomaly WHERE iqm2_id = $1 ORDER BY ord, id`

// rows is everything below one meeting.
type rows struct {
	items      []itemRow
	votes      []voteRow
	attendance []attendanceRow
	anomalies  []anomalyRow
}

// readRows reads what is stored of a meeting, in one round trip.
func readRows(ctx context.Context, tx pgx.Tx, meeting int64) (rows, error) {
	var r rows
	var rolls []rollRow
	b := &pgx.Batch{}
	collect(b, &r.items, selectItems, meeting)
	collect(b, &r.votes, selectVotes, meeting)
	collect(b, &rolls, selectPositions, meeting)
	collect(b, &r.attendance, selectAttendance, meeting)
	collect(b, &r.anomalies, selectAnomalies, meeting)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return r, fmt.Errorf("read stored rows of meeting %d: %w", meeting, err)
	}
	r.enter(rolls)
	return r, nil
}

// enter gives votes their rolls.
func (r *rows) enter(rolls []rollRow) {
	at := map[int64]*voteRow{}
	for i := range r.votes {
		at[r.votes[i].ID] = &r.votes[i]
	}
	for _, p := range rolls {
		at[p.VoteID].Roll = append(at[p.VoteID].Roll, p.positionRow)
	}
}

func collect[R any](b *pgx.Batch, into *[]R, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(found pgx.Rows) error {
		var err error
		*into, err = pgx.CollectRows(found, pgx.RowToStructByPos[R])
		return err
	})
}

func origin(recorded bool) string {
	if recorded {
		return "record"
	}
	return "minutes"
}

func page(n *int) *int32 {
	if n == nil {
		return nil
	}
	p := int32(*n)
	return &p
}

// takeTopics gives items and their votes the topics that are stored: those are the classifier's, and no reading changes them.
func (r *rows) takeTopics(stored rows) {
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

// clone copies rows so that one can be changed without the other.
func (r rows) clone() rows {
	out := rows{items: slices.Clone(r.items), votes: slices.Clone(r.votes), attendance: r.attendance, anomalies: slices.Clone(r.anomalies)}
	for i := range out.votes {
		out.votes[i].Roll = slices.Clone(out.votes[i].Roll)
	}
	return out
}
