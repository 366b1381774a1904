package archive

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// What portals that answer with data said of a meeting, and the numbers of meetings.

// Bundle returns the answers that a portal gave last about a meeting; nil when there are none, or when they cannot be had or read any more:
// then everything is asked for again.
func Bundle(ctx context.Context, db *pgxpool.Pool, store *objects.Store, meeting int64) (*portal.Bundle, error) {
	var sum, content []byte
	var size int64
	err := db.QueryRow(ctx, `
		SELECT d.sha256, d.size, d.content FROM council.meeting m
		JOIN council.record r ON r.record_id = m.latest_record_id
		JOIN council.document d USING (document_id)
		WHERE m.iqm2_id = $1`, meeting).Scan(&sum, &size, &content)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read answers about meeting %d: %w", meeting, err)
	}
	if content == nil && store != nil {
		content, err = store.Slice(ctx, sum, 0, size)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		} else if err != nil {
			return nil, nil
		}
	}
	b, err := portal.ReadBundle(content)
	if err != nil {
		return nil, nil
	}
	return &b, nil
}

// ReadDetail returns what counts of what a portal said of a meeting; nil when there is nothing.
func ReadDetail(ctx context.Context, db *pgxpool.Pool, meeting int64) (*portal.Detail, error) {
	var text *string
	err := db.QueryRow(ctx, `
		SELECT t.text FROM council.meeting m
		JOIN council.record r ON r.record_id = m.record_id
		JOIN council.document_text t USING (document_id)
		WHERE m.iqm2_id = $1`, meeting).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && text == nil {
		return nil, nil
	}
	d := &portal.Detail{}
	if err == nil {
		err = json.Unmarshal([]byte(*text), d)
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of meeting %d: %w", meeting, err)
	}
	return d, nil
}

// A Record is what a portal said of a meeting: the answers as a document, with what they say as its text.
type Record struct {
	Document
	Source string
	// Holds says that what was recorded before stays what counts, for the new record shows less.
	Holds bool
}

// PutRecord archives what a portal said of a meeting last, and makes it what counts unless it is held back.
func PutRecord(ctx context.Context, tx pgx.Tx, meeting int64, r Record) (bool, error) {
	document, changed, err := putDocument(ctx, tx, r.Document)
	if err != nil {
		return false, fmt.Errorf("archive the record of meeting %d: %w", meeting, err)
	}
	var id int64
	if err := tx.QueryRow(ctx, `
		INSERT INTO council.record (iqm2_id, document_id, source, fetched_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (iqm2_id, document_id) DO UPDATE SET source = excluded.source
		RETURNING record_id`, meeting, document, r.Source, r.Fetched).Scan(&id); err != nil {
		return false, fmt.Errorf("archive the record of meeting %d: %w", meeting, err)
	}
	tag, err := tx.Exec(ctx, `
		UPDATE council.meeting SET latest_record_id = $2, record_id = CASE WHEN $3 THEN coalesce(record_id, $2) ELSE $2 END, last_fetched = $4
		WHERE iqm2_id = $1 AND (latest_record_id IS DISTINCT FROM $2 OR NOT $3 AND record_id IS DISTINCT FROM $2)`, meeting, id, r.Holds, r.Fetched)
	if err != nil {
		return false, fmt.Errorf("archive the record of meeting %d: %w", meeting, err)
	}
	return changed || tag.RowsAffected() > 0, nil
}

// putDocument archives bytes and what was read out of them. Equal bytes are one document, on whichever page.
func putDocument(ctx context.Context, tx pgx.Tx, d Document) (document int64, changed bool, err error) {
	sum := sha256.Sum256(d.Bytes)
	content := d.Bytes
	switch {
	case d.Elsewhere:
		content = nil
	case content == nil: // an empty document is here, too
		content = []byte{}
	}
	err = tx.QueryRow(ctx, `SELECT document_id FROM council.document WHERE sha256 = $1`, sum[:]).Scan(&document)
	if errors.Is(err, pgx.ErrNoRows) {
		err = tx.QueryRow(ctx, `
			INSERT INTO council.document (sha256, media_type, size, content) VALUES ($1, $2, $3, $4)
			RETURNING document_id`, sum[:], d.MediaType, len(d.Bytes), content).Scan(&document)
	}
	if err != nil {
		return 0, false, err
	}
	changed, err = PutText(ctx, tx, document, d.Text, d.Fetched)
	return document, changed, err
}

// Numbers are the numbers of a source's meetings by the source's ids.
func Numbers(ctx context.Context, db *pgxpool.Pool, source string) (map[string]int64, error) {
	found, err := db.Query(ctx, `SELECT source_id, iqm2_id FROM council.meeting_key WHERE source = $1`, source)
	if err != nil {
		return nil, fmt.Errorf("read the numbers of meetings of %s: %w", source, err)
	}
	numbers := map[string]int64{}
	var id string
	var number int64
	if _, err := pgx.ForEachRow(found, []any{&id, &number}, func() error { numbers[id] = number; return nil }); err != nil {
		return nil, fmt.Errorf("read the numbers of meetings of %s: %w", source, err)
	}
	return numbers, nil
}

// Number gives a source's meeting its number: the one of the meeting that another source lists for the same time, or alone for the same
// day, else a new one. bodies are the names that the council has at its portals.
func Number(ctx context.Context, tx pgx.Tx, key portal.Key, starts time.Time, alone bool, bodies []string) (int64, error) {
	var number int64
	err := tx.QueryRow(ctx, `
		WITH other AS (
			SELECT m.iqm2_id, m.starts_at FROM council.meeting m
			WHERE m.meeting_date = $3::date AND lower(m.body) = ANY ($6)
			  AND m.source IS DISTINCT FROM $1 AND NOT EXISTS (SELECT FROM council.meeting_key k WHERE k.source = $1 AND k.iqm2_id = m.iqm2_id)),
		same AS (
			SELECT iqm2_id FROM other WHERE starts_at = $4
			UNION ALL SELECT min(iqm2_id) FROM other WHERE $5 HAVING count(*) = 1)
		INSERT INTO council.meeting_key AS k (source, source_id, iqm2_id)
		SELECT $1, $2, coalesce((SELECT min(iqm2_id) FROM same), nextval('council.meeting_number'))
		ON CONFLICT (source, source_id) DO UPDATE SET iqm2_id = k.iqm2_id
		RETURNING iqm2_id`, key.Source, key.ID, starts.Format(time.DateOnly), starts, alone, bodies).Scan(&number)
	if err != nil {
		return 0, fmt.Errorf("give meeting %s of %s a number: %w", strconv.Quote(key.ID), key.Source, err)
	}
	return number, nil
}

// LookAfter records which source looks after a meeting.
func LookAfter(ctx context.Context, tx pgx.Tx, meeting int64, source string) error {
	if _, err := tx.Exec(ctx, `UPDATE council.meeting SET source = $2 WHERE iqm2_id = $1 AND source IS DISTINCT FROM $2`, meeting, source); err != nil {
		return fmt.Errorf("store the source of meeting %d: %w", meeting, err)
	}
	return nil
}
