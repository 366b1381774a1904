package archive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// An Input is the stored data from which the items and votes of a meeting are derived.
type Input struct {
	ID        int64
	Body      string
	Date      string // local, YYYY-MM-DD
	StartsAt  time.Time
	Status    council.Status
	Cancelled bool
	HasAgenda bool
	SameAs    *int64
	Outline   []portal.Item // nil when the page was never read
	// Record is what the portal's data say, which comes from RecordID; Shown is what they said last,
	// another one while it says less. Both are nil for portals without.
	Record, Shown *portal.Detail
	RecordID      *int64 // the document
	// LatestID is of the minutes that the portal showed last, MinutesID of those of the last good
	// parse.
	LatestID, MinutesID *int64
	// Latest and Good are the documents of both; they may be the same, and either may be missing.
	Latest *MinutesText `db:"-"`
	Good   *MinutesText `db:"-"`
}

// MinutesText is a minutes document of a meeting.
type MinutesText struct {
	MinutesID  int64
	DocumentID int64
	MediaType  string
	Verdict    council.Verdict
	Text       *string
	Error      string
	Notes      []TextNote
}

const selectGround = `
	SELECT m.iqm2_id AS id, m.body, m.meeting_date::text AS date, m.starts_at, m.status, m.cancelled,
	       m.agenda_url IS NOT NULL AS has_agenda, m.same_as,
	       o.entries AS outline, m.latest_id, m.minutes_id, rt.text::json AS record, st.text::json AS shown,
	         r.document_id AS record_id
	FROM council.meeting m
	LEFT JOIN council.outline o USING (iqm2_id)
	LEFT JOIN council.record r ON r.record_id = m.record_id
	LEFT JOIN council.document_text rt ON rt.document_id = r.document_id
	LEFT JOIN council.record s ON s.record_id = m.latest_record_id
	LEFT JOIN council.document_text st ON st.document_id = s.document_id
	WHERE m.iqm2_id = $1`

// verdict is that of council.document_text t, where the version before wrote the row, too.
const verdict = `coalesce(t.verdict, CASE WHEN t.error IS NULL THEN 'whole' ELSE 'unreadable' END) AS verdict`

const selectSource = `
	SELECT n.minutes_id, n.document_id, d.media_type, ` + verdict + `, t.text, coalesce(t.error, '') AS error, t.notes
	FROM council.minutes n
	JOIN council.document d USING (document_id)
	JOIN council.document_text t USING (document_id)
	WHERE n.minutes_id = $1`

// ReadGround returns the ground of a meeting; pgx.ErrNoRows when there is no such meeting.
func ReadGround(ctx context.Context, tx pgx.Tx, meeting int64) (g Input, err error) {
	defer wrap(&err, "read meeting %d", meeting)
	g, err = pg.One[Input](ctx, tx, selectGround, meeting)
	if err != nil {
		return g, err
	}
	if g.Record != nil && !g.Record.NoItems {
		g.Outline = bounded(g.Record.Items)
	}
	g.Latest, err = readSource(ctx, tx, g.LatestID)
	if err != nil {
		return g, err
	}
	g.Good = g.Latest
	if g.MinutesID == nil || g.LatestID == nil || *g.MinutesID != *g.LatestID {
		g.Good, err = readSource(ctx, tx, g.MinutesID)
	}
	return g, err
}

func readSource(ctx context.Context, tx pgx.Tx, id *int64) (*MinutesText, error) {
	if id == nil {
		return nil, nil
	}
	s, err := pg.One[MinutesText](ctx, tx, selectSource, *id)
	if err != nil {
		return nil, fmt.Errorf("read minutes %d: %w", *id, err)
	}
	return &s, nil
}

// A Twin is one of the meetings that show the same minutes.
type Twin struct {
	ID   int64
	Date string // local, YYYY-MM-DD
}

// Twins lists the meetings whose votes come from a document, or would: one
// real meeting can be on the calendar under several ids.
func Twins(ctx context.Context, tx pgx.Tx, document int64) (twins []Twin, err error) {
	defer wrap(&err, "find meetings of document %d", document)
	return pg.List[Twin](ctx, tx, `
		SELECT m.iqm2_id AS id, m.meeting_date::text AS date FROM council.meeting m JOIN council.minutes n
		       ON n.minutes_id = m.minutes_id
		WHERE n.document_id = $1 ORDER BY m.iqm2_id`, document)
}

// SetSources records which document the votes come from, and which other meeting has the same one.
func SetSources(ctx context.Context, tx pgx.Tx, meeting int64, good, sameAs *int64) (changed bool, err error) {
	defer wrap(&err, "store sources of meeting %d", meeting)
	return exec(ctx, tx, `
		UPDATE council.meeting SET minutes_id = $2, same_as = $3
		WHERE iqm2_id = $1 AND (minutes_id, same_as) IS DISTINCT FROM ($2, $3)`, meeting, good, sameAs)
}

// SetStatus takes a meeting from one status to another and records it with its
// reason. A transition that does not exist is an error of the caller.
func SetStatus(ctx context.Context, tx pgx.Tx, meeting int64, from, to council.Status, reason, run string,
	now time.Time) (err error) {
	if !from.MayBecome(to) {
		return fmt.Errorf("meeting %d cannot pass from %s to %s", meeting, from, to)
	}
	defer wrap(&err, "pass meeting %d from %s to %s", meeting, from, to)
	passed, err := exec(ctx, tx, `UPDATE council.meeting SET status = $3 WHERE iqm2_id = $1
		AND status = $2`, meeting, from, to)
	if err != nil {
		return err
	}
	if !passed {
		return errors.New("it is not there, or not in that status")
	}
	return addStatusChange(ctx, tx, meeting, &from, to, reason, run, now)
}

// addStatusChange adds to the meeting's history and to the public record of changes.
func addStatusChange(ctx context.Context, tx pgx.Tx, meeting int64, from *council.Status, to council.Status,
	reason, run string, now time.Time) (err error) {
	defer wrap(&err, "record status of meeting %d", meeting)
	_, err = exec(ctx, tx, `
		WITH passed AS (
			INSERT INTO council.status_change (iqm2_id, seq, from_status, to_status, reason, changed_at)
			SELECT $1, coalesce(max(seq), 0) + 1, $2, $3, $4, $5 FROM council.status_change WHERE iqm2_id = $1
			RETURNING from_status, to_status)
		INSERT INTO council.change (kind, iqm2_id, before, after, reason, run_id, changed_at)
		SELECT CASE WHEN from_status IS NULL THEN 'meeting_added' ELSE 'meeting_status' END, $1,
		       CASE WHEN from_status IS NOT NULL THEN jsonb_build_object('status', from_status) END,
		         jsonb_build_object('status', to_status), $4, $6, $5
		FROM passed`, meeting, from, to, storable(reason, maxReason), now, run)
	return err
}

// Validators are what a conditional fetch of a meeting's newest minutes needs.
type Validators struct {
	portal.Validators
	SHA256 []byte `db:"sha256"`
}

// LatestFrom returns the validators of a meeting's newest minutes if they came
// from url; none if there are none, or if they came from elsewhere.
func LatestFrom(ctx context.Context, db *pgxpool.Pool, meeting int64, url string) (v Validators, err error) {
	defer wrap(&err, "look for minutes of meeting %d", meeting)
	v, err = pg.One[Validators](ctx, db, `
		SELECT coalesce(n.etag, '') AS etag, coalesce(n.last_modified, '') AS last_modified, d.sha256
		FROM council.meeting m
		JOIN council.minutes n ON n.minutes_id = m.latest_id
		JOIN council.document d USING (document_id)
		WHERE m.iqm2_id = $1 AND n.url = $2`, meeting, council.Storable(url))
	if errors.Is(err, pgx.ErrNoRows) {
		return Validators{}, nil
	}
	return v, err
}

// Doubtful reports whether a meeting's newest document looks like something that a portal in
// trouble shows in place of minutes: it is damaged or none, and minutes that could be read came
// before it, or it is the first that came, just fetched. A document that is whole and has no text,
// as a scan, is not.
func Doubtful(ctx context.Context, tx pgx.Tx, meeting int64, fetched bool) (doubtful bool, err error) {
	defer wrap(&err, "look at the minutes of meeting %d", meeting)
	return pg.Value[bool](ctx, tx, `
		SELECT EXISTS (
			SELECT FROM council.meeting m
			JOIN council.minutes n ON n.minutes_id = m.latest_id
			JOIN council.document_text t USING (document_id)
			WHERE m.iqm2_id = $1 AND t.error IS NOT NULL AND t.verdict IS DISTINCT FROM 'no_text'
			  AND (m.minutes_id IS NOT NULL OR $2
			    AND (SELECT count(*) FROM council.minutes WHERE iqm2_id = $1) = 1))`, meeting, fetched)
}

// Visited remembers the calendar's row with which a meeting was read, so that an
// unchanged one need not be read again. An empty one asks for another visit.
func Visited(ctx context.Context, tx pgx.Tx, meeting int64, row []byte) (err error) {
	defer wrap(&err, "store visit of meeting %d", meeting)
	_, err = exec(ctx, tx, `
		UPDATE council.meeting SET row_sha256 = $2 WHERE iqm2_id = $1 AND row_sha256 IS DISTINCT FROM $2`, meeting, row)
	return err
}
