package merge

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
)

// Each row repeats the date and start of its meeting.
const (
	insertItem = `
		INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, legifile_id, file_number, item_number, section,
		  title, is_consent, source_url, source_page, body_id)
		SELECT $2, m.iqm2_id, m.meeting_date, m.starts_at, $3, $4, $5, $6, $7, $8, $9, $10, $11, m.body_id
		FROM council.meeting m WHERE m.iqm2_id = $1`
	updateItem = `
		UPDATE council.item SET ord = $3, legifile_id = $4, file_number = $5, item_number = $6, section = $7, title = $8,
		  is_consent = $9, source_url = $10, source_page = $11
		WHERE iqm2_id = $1 AND id = $2`
	deleteItem = `DELETE FROM council.item WHERE iqm2_id = $1 AND id = $2`

	insertVote = `
		INSERT INTO council.vote (id, iqm2_id, meeting_date, starts_at, item_id, ord, motion_seq, motion_text, result,
		  result_raw, ayes_count, nays_count,
		                          unanimous, via_consent, mover_id, seconder_id, parse_source, source_page, topic, parsed_at,
		                            origin, body_id)
		SELECT $2, m.iqm2_id, m.meeting_date, m.starts_at, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
		       $18, $19, m.body_id
		FROM council.meeting m WHERE m.iqm2_id = $1`
	updateVote = `
		UPDATE council.vote SET item_id = $3, ord = $4, motion_seq = $5, motion_text = $6, result = $7, result_raw = $8,
		  ayes_count = $9, nays_count = $10,
		                        unanimous = $11, via_consent = $12, mover_id = $13, seconder_id = $14, parse_source = $15,
		                          source_page = $16, topic = $17, parsed_at = coalesce($18, parsed_at), origin = $19
		WHERE iqm2_id = $1 AND id = $2`
	// An inserted motion has the same number as the next one until that one is updated.
	deferOrder = `SET CONSTRAINTS council.vote_item_id_motion_seq_key DEFERRED`
	checkOrder = `SET CONSTRAINTS council.vote_item_id_motion_seq_key IMMEDIATE`
	deleteVote = `DELETE FROM council.vote WHERE iqm2_id = $1 AND id = $2`

	deleteRolls = `DELETE FROM council.vote_position WHERE vote_id = ANY($1)`
	insertRoll  = `
		INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date, starts_at, ord, position,
		  body_id)
		SELECT p.vote_id, p.member_id, m.iqm2_id, m.meeting_date, m.starts_at, p.ord, p.position, m.body_id
		FROM council.meeting m, unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::text[]) AS p(vote_id, member_id, ord,
		  position)
		WHERE m.iqm2_id = $1`

	deleteAttendance = `DELETE FROM council.attendance WHERE iqm2_id = $1`
	insertAttendance = `
		INSERT INTO council.attendance (iqm2_id, meeting_date, starts_at, ord, name, name_key, title, status, body_id)
		SELECT m.iqm2_id, m.meeting_date, m.starts_at, $2, $3, $4, $5, $6, m.body_id
		FROM council.meeting m WHERE m.iqm2_id = $1`

	insertAnomaly = `
		INSERT INTO council.anomaly (id, iqm2_id, meeting_date, starts_at, ord, item_id, motion_seq, kind, code, message,
		  source_page, body_id)
		SELECT $2, m.iqm2_id, m.meeting_date, m.starts_at, $3, $4, $5, $6, $7, $8, $9, m.body_id
		FROM council.meeting m WHERE m.iqm2_id = $1`
	updateAnomaly = `
		UPDATE council.anomaly SET ord = $3, item_id = $4, motion_seq = $5, kind = $6, code = $7, message = $8,
		  source_page = $9
		WHERE iqm2_id = $1 AND id = $2`
	deleteAnomaly = `DELETE FROM council.anomaly WHERE iqm2_id = $1 AND id = $2`

	updateCounts = `UPDATE council.meeting SET item_count = $2, vote_count = $3 WHERE iqm2_id = $1
		AND (item_count, vote_count) IS DISTINCT FROM ($2, $3)`
)

// write stores the difference. Rows that refer to other rows are deleted before them and inserted
// after them.
func (d *difference) write(ctx context.Context, tx pgx.Tx, meeting int64, p *people, now time.Time) error {
	b := &pgx.Batch{}
	queueDeletions(b, d.anomalies, deleteAnomaly, meeting)
	var rolls []*council.StoredVote
	var ids []int64 // ids of votes with a new roll
	for _, c := range d.votes {
		if c.is != nil && (c.was == nil || c.was.Foreign != nil || !slices.Equal(c.was.Roll, c.is.Roll)) {
			rolls, ids = append(rolls, c.is), append(ids, c.id)
		}
	}
	b.Queue(deferOrder)
	b.Queue(deleteRolls, ids)
	queueDeletions(b, d.votes, deleteVote, meeting)
	for _, c := range d.items {
		queue(b, c, insertItem, updateItem, func(r *itemRow) []any {
			return []any{meeting, r.ID, r.Ord, r.LegifileID, r.FileNumber, r.ItemNumber, r.Section, r.Title, r.IsConsent,
				r.URL, r.Page}
		})
	}
	for _, c := range d.votes {
		queue(b, c, insertVote, updateVote, func(r *council.StoredVote) []any {
			return []any{meeting, r.ID, r.ItemID, r.Ord, r.MotionSeq, r.MotionText, r.Result, r.ResultRaw, r.AyesCount,
				r.NaysCount, r.Unanimous, r.ViaConsent, p.idOf(r.Mover), p.idOf(r.Seconder), r.ParseSource, r.Page, r.Topic,
				parsedAt(c, now), r.Origin}
		})
	}
	b.Queue(checkOrder)
	queueRolls(b, meeting, p, rolls)
	queueDeletions(b, d.items, deleteItem, meeting) // their votes were deleted above
	if d.newAttendance {
		b.Queue(deleteAttendance, meeting)
		for _, a := range d.want.attendance {
			b.Queue(insertAttendance, meeting, a.Ord, a.Name, a.NameKey, a.Title, a.Status)
		}
	}
	for _, c := range d.anomalies {
		queue(b, c, insertAnomaly, updateAnomaly, func(r *anomalyRow) []any {
			return []any{meeting, r.ID, r.Ord, r.ItemID, r.MotionSeq, r.Kind, r.Code, r.Message, r.SourcePage}
		})
	}
	b.Queue(updateCounts, meeting, len(d.want.items), len(d.want.votes))
	return tx.SendBatch(ctx, b).Close()
}

func queue[R any](b *pgx.Batch, c change[R], insert, update string, args func(*R) []any) {
	switch {
	case c.is == nil:
	case c.was == nil:
		b.Queue(insert, args(c.is)...)
	default:
		b.Queue(update, args(c.is)...)
	}
}

func queueDeletions[R any](b *pgx.Batch, all []change[R], sql string, meeting int64) {
	for _, c := range all {
		if c.is == nil {
			b.Queue(sql, meeting, c.id)
		}
	}
}

func queueRolls(b *pgx.Batch, meeting int64, p *people, rolls []*council.StoredVote) {
	var votes, members []int64
	var ords []int
	var positions []string
	for _, v := range rolls {
		for i, e := range v.Roll {
			votes, members = append(votes, v.ID), append(members, p.ids[e.Member])
			ords, positions = append(ords, i+1), append(positions, string(e.Position))
		}
	}
	b.Queue(insertRoll, meeting, votes, members, ords, positions)
}

// parsedAt returns now for a vote with new content. It returns nil, which means unchanged, for a
// vote that only moved or only has another topic.
func parsedAt(c change[council.StoredVote], now time.Time) *time.Time {
	if c.was != nil {
		moved := *c.was
		moved.Ord, moved.Topic = c.is.Ord, c.is.Topic
		if reflect.DeepEqual(moved, *c.is) {
			return nil
		}
	}
	return &now
}
