// Package export writes the files that the council API offers for download, into
// the database, so that every replica serves the same bytes. A file is written
// within the caller's transaction and replaced as a whole.
package export

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// VotesCSV is the name of the one file that is always there.
const VotesCSV = "votes.csv"

// chunkSize is the length of all chunks of a file but the last.
const chunkSize = 1 << 20

// keep is how many generations of a file stay: the one before serves the
// downloads that began before it was replaced.
const keep = 2

// Stale reports whether the votes changed since votes.csv was written, or it never was.
func Stale(ctx context.Context, tx pgx.Tx) (bool, error) {
	var stale bool
	err := tx.QueryRow(ctx, `
		SELECT (SELECT generation FROM council.export WHERE name = $1 ORDER BY export_id DESC LIMIT 1) IS DISTINCT FROM generation
		FROM council.dataset`, VotesCSV).Scan(&stale)
	if err != nil {
		return false, fmt.Errorf("look for changes since the last export: %w", err)
	}
	return stale, nil
}

// Write writes votes.csv as of generation, which the caller is about to commit.
// Equal content keeps the file and its time.
func Write(ctx context.Context, tx pgx.Tx, generation int64, now time.Time) error {
	w := &chunks{ctx: ctx, tx: tx, sum: sha256.New()}
	err := tx.QueryRow(ctx, `
		INSERT INTO council.export (name, media_type, sha256, size, generation, created_at)
		VALUES ($1, 'text/csv', '', 0, $2, $3) RETURNING export_id`, VotesCSV, generation, now).Scan(&w.export)
	if err != nil {
		return fmt.Errorf("begin %s: %w", VotesCSV, err)
	}
	if err := writeVotes(ctx, tx, w); err != nil {
		return fmt.Errorf("write %s: %w", VotesCSV, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write %s: %w", VotesCSV, err)
	}
	// The same bytes as before: only their generation is new.
	var same int64
	err = tx.QueryRow(ctx, `
		SELECT export_id FROM council.export WHERE name = $1 AND export_id < $2 ORDER BY export_id DESC LIMIT 1`, VotesCSV, w.export).Scan(&same)
	if err == nil {
		var tag interface{ RowsAffected() int64 }
		tag, err = tx.Exec(ctx, `UPDATE council.export SET generation = $2 WHERE export_id = $1 AND sha256 = $3`, same, generation, w.sum.Sum(nil))
		if err == nil && tag.RowsAffected() == 1 {
			_, err = tx.Exec(ctx, `DELETE FROM council.export WHERE export_id = $1`, w.export)
			if err != nil {
				return fmt.Errorf("drop an equal %s: %w", VotesCSV, err)
			}
			return nil
		}
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("compare %s with the one before: %w", VotesCSV, err)
	}
	if _, err := tx.Exec(ctx, `UPDATE council.export SET sha256 = $2, size = $3 WHERE export_id = $1`, w.export, w.sum.Sum(nil), w.size); err != nil {
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

// header is the columns of votes.csv, in the order of selectVotes.
var header = []string{
	"vote_id", "meeting_id", "meeting_date", "body", "meeting_type", "item_id", "item_number", "section", "item_title", "topic", "topic_confidence",
	"is_consent", "motion_seq", "motion_text", "result", "result_raw", "ayes_count", "nays_count", "unanimous", "via_consent", "mover", "seconder",
	"ayes", "nays", "abstentions", "absences", "recusals", "source_url", "meeting_source_url",
}

// selectVotes gives every cell as text; a null is an empty one. What the portal records and no minutes have yet leads to the portal's page of the meeting, as in the API.
const selectVotes = `
	DECLARE votes_csv NO SCROLL CURSOR FOR
	SELECT array_replace(ARRAY[
		v.id::text, v.iqm2_id::text, v.meeting_date::text, m.body, m.meeting_type, i.id::text, i.item_number, i.section, i.title, i.topic, i.topic_confidence::text,
		i.is_consent::text, v.motion_seq::text, v.motion_text, v.result, v.result_raw, v.ayes_count::text, v.nays_count::text, v.unanimous::text, v.via_consent::text,
		mover.full_name, seconder.full_name, p.ayes, p.nays, p.abstentions, p.absences, p.recusals,
		CASE WHEN v.origin = 'record' THEN m.source_url ELSE n.url || CASE WHEN v.source_page IS NULL THEN '' ELSE '#page=' || v.source_page END END, m.source_url], NULL, '')
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

// writeVotes writes a header row, and a row for every vote in the order of the API.
func writeVotes(ctx context.Context, tx pgx.Tx, w *chunks) error {
	if _, err := tx.Exec(ctx, selectVotes); err != nil {
		return err
	}
	if _, err := io.WriteString(w, strings.Join(header, ",")+"\r\n"); err != nil {
		return err
	}
	var line []byte
	for {
		rows, err := pg.Column[[]string](ctx, tx, `FETCH 2000 FROM votes_csv`)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, cells := range rows {
			line = council.AppendRow(line[:0], cells...)
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	_, err := tx.Exec(ctx, `CLOSE votes_csv`)
	return err
}

// chunks is a writer that stores what it is given as chunks of an export.
type chunks struct {
	ctx    context.Context
	tx     pgx.Tx
	export int64
	buf    []byte
	seq    int
	size   int64
	sum    hash.Hash
}

func (c *chunks) Write(p []byte) (int, error) {
	c.sum.Write(p)
	c.size += int64(len(p))
	c.buf = append(c.buf, p...)
	for len(c.buf) >= chunkSize {
		if err := c.store(c.buf[:chunkSize]); err != nil {
			return 0, err
		}
		c.buf = append(c.buf[:0], c.buf[chunkSize:]...)
	}
	return len(p), nil
}

// Close stores the last chunk.
func (c *chunks) Close() error { return c.store(c.buf) }

func (c *chunks) store(p []byte) error {
	_, err := c.tx.Exec(c.ctx, `INSERT INTO council.export_chunk (export_id, seq, content) VALUES ($1, $2, $3)`, c.export, c.seq, p)
	c.seq++
	return err
}
