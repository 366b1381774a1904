package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// rows has the rows of one meeting: the stored rows or the wanted rows. Rows are equal if all their
// fields are equal. Names have the spelling of their member (members.go).
type rows struct {
	items      []itemRow
	votes      []council.StoredVote
	attendance []attendanceRow
	anomalies  []anomalyRow
}

// An itemRow has no votes, because they are rows of their own.
type itemRow struct {
	ID  int64 `json:"id"`
	Ord int   `json:"ord"`
	record.Item
	Topic *string `json:"-"` // set by the classifier
}

const selectItems = `
	SELECT id, ord, legifile_id, file_number, item_number, section, title, is_consent, source_url AS url,
	       source_page AS page, topic
	FROM council.item WHERE iqm2_id = $1 ORDER BY ord, id`

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
	collect(b, &r.votes, clerk.SelectVotes, meeting)
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
	return slices.IndexFunc(r.votes, func(v council.StoredVote) bool { return id != nil && v.ID == *id })
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
