// Package export writes the files that the council API offers for download to the database, so that
// every replica serves the same bytes. A file is written within the caller's transaction, and
// replaced as a whole.
package export

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
)

// VotesCSV is the name of the only file that always exists.
const VotesCSV = "votes.csv"

const chunkSize = 1 << 20

// keep is the number of generations of a file that are kept. A download that began before a
// replacement needs the previous file.
const keep = 2

// Stale returns the generation that the next votes.csv will have, or 0 if no vote has changed since
// the last one.
func Stale(ctx context.Context, tx pgx.Tx) (next int64, err error) {
	err = tx.QueryRow(ctx, `
		SELECT CASE WHEN (SELECT generation FROM council.export WHERE name = $1 ORDER BY export_id DESC LIMIT 1)
		       IS DISTINCT FROM generation
		            THEN generation + 1 ELSE 0 END
		FROM council.dataset`, VotesCSV).Scan(&next)
	if err != nil {
		return 0, fmt.Errorf("look for changes since the last export: %w", err)
	}
	return next, nil
}

// Write writes votes.csv as of generation, which the caller is about to commit. If the content has
// not changed, the file keeps its time.
func Write(ctx context.Context, tx pgx.Tx, generation int64, now time.Time) error {
	w := &chunks{sum: sha256.New()}
	err := tx.QueryRow(ctx, `
		INSERT INTO council.export (name, media_type, sha256, size, generation, created_at)
		VALUES ($1, 'text/csv', '', 0, $2, $3) RETURNING export_id`, VotesCSV, generation, now).Scan(&w.export)
	if err == nil {
		err = writeVotes(ctx, tx, w)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", VotesCSV, err)
	}
	// The content has not changed, so only set the new generation.
	tag, err := tx.Exec(ctx, `
		UPDATE council.export SET generation = $2
		WHERE export_id = (SELECT max(export_id) FROM council.export WHERE name = $1 AND export_id < $3) AND sha256 = $4`,
		VotesCSV, generation, w.export, w.sum.Sum(nil))
	if err != nil {
		return fmt.Errorf("compare %s with the one before: %w", VotesCSV, err)
	}
	if tag.RowsAffected() == 1 {
		if _, err := tx.Exec(ctx, `DELETE FROM council.export WHERE export_id = $1`, w.export); err != nil {
			return fmt.Errorf("drop an equal %s: %w", VotesCSV, err)
		}
		return nil
	}
	if _, err := tx.Exec(ctx, `UPDATE council.export SET sha256 = $2, size = $3
		WHERE export_id = $1`, w.export, w.sum.Sum(nil), w.size); err != nil {
		return fmt.Errorf("end %s: %w", VotesCSV, err)
	}
	_, err = tx.Exec(ctx, `
		DELETE FROM council.export WHERE name = $1 AND export_id NOT IN
			(SELECT export_id FROM council.export WHERE name = $1 ORDER BY export_id DESC LIMIT $2)`, VotesCSV, keep)
	if err != nil {
		return fmt.Errorf("drop old %s: %w", VotesCSV, err)
	}
	return nil
}

// selectVotes selects the columns of votes.csv. If a vote is only in the portal's record, it links
// to the portal's page of the meeting, as in the API.
const selectVotes = `
	DECLARE votes_csv NO SCROLL CURSOR FOR
	SELECT v.id AS vote_id, v.iqm2_id AS meeting_id, v.meeting_date, m.body, m.meeting_type, i.id AS item_id,
	       i.item_number, i.section,
	       i.title AS item_title, i.topic, i.topic_confidence, i.is_consent::text, v.motion_seq, v.motion_text, v.result,
	         v.result_raw,
	       v.ayes_count, v.nays_count, v.unanimous::text, v.via_consent::text, mover.full_name AS mover,
	         seconder.full_name AS seconder,
	       p.ayes, p.nays, p.abstentions, p.absences, p.recusals,
	       CASE WHEN v.origin = 'record' THEN m.source_url
	            ELSE n.url || CASE WHEN v.source_page IS NULL THEN '' ELSE '#page=' || v.source_page END END AS source_url,
	       m.source_url AS meeting_source_url%s
	FROM council.vote v
	JOIN council.item i ON i.id = v.item_id
	JOIN council.meeting m ON m.iqm2_id = v.iqm2_id
	LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	LEFT JOIN council.member mover ON mover.id = v.mover_id
	LEFT JOIN council.member seconder ON seconder.id = v.seconder_id
	CROSS JOIN LATERAL (
		SELECT string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'aye') AS ayes,
		       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'nay') AS nays,
		       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'abstain') AS abstentions,
		       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'absent') AS absences,
		       string_agg(b.full_name, '; ' ORDER BY p.ord) FILTER (WHERE p.position = 'recused') AS recusals
		FROM council.vote_position p JOIN council.member b ON b.id = p.member_id
		WHERE p.vote_id = v.id) p
	ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord`

// writeVotes writes a header row and a row for every vote, in the order of the API. A null is an
// empty cell. The body's id is a column only if there are several bodies.
func writeVotes(ctx context.Context, tx pgx.Tx, w *chunks) error {
	var bodies int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM council.body WHERE slug <> ''`).Scan(&bodies); err != nil {
		return err
	}
	more := ""
	if bodies > 1 {
		more = ", v.body_id"
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(selectVotes, more)); err != nil {
		return err
	}
	for first := true; ; first = false {
		rows, err := tx.Query(ctx, `FETCH 2000 FROM votes_csv`, pgx.QueryResultFormats{pgx.TextFormatCode})
		if err != nil {
			return err
		}
		var text []byte
		var cells []string
		if first {
			for _, column := range rows.FieldDescriptions() {
				cells = append(cells, column.Name)
			}
			text = council.AppendRow(text, cells...)
		}
		n := 0
		for ; rows.Next(); n++ {
			cells = cells[:0]
			for _, cell := range rows.RawValues() {
				cells = append(cells, string(cell))
			}
			text = council.AppendRow(text, cells...)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if err := w.write(ctx, tx, text, n == 0); err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	_, err := tx.Exec(ctx, `CLOSE votes_csv`)
	return err
}

type chunks struct {
	export int64
	buf    []byte
	seq    int
	size   int64
	sum    hash.Hash
}

// write stores the full chunks of the content. If end is true, it also stores the last chunk.
func (c *chunks) write(ctx context.Context, tx pgx.Tx, text []byte, end bool) error {
	c.sum.Write(text)
	c.size += int64(len(text))
	c.buf = append(c.buf, text...)
	for len(c.buf) >= chunkSize || end {
		n := min(chunkSize, len(c.buf))
		_, err := tx.Exec(ctx, `INSERT INTO council.export_chunk (export_id, seq, content)
			VALUES ($1, $2, $3)`, c.export, c.seq, c.buf[:n])
		if err != nil {
			return err
		}
		c.seq++
		end = end && n == chunkSize
		c.buf = append(c.buf[:0], c.buf[n:]...)
	}
	return nil
}
