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

// An Input is the stored data from which a meeting's items and votes are derived.
type Input struct {
	ID        int64
	Body      string
	Source    string
	Date      string // local date, YYYY-MM-DD
	StartsAt  time.Time
	Status    council.Status
	Cancelled bool
	HasAgenda bool
	SameAs    *int64
	Outline   []portal.Item // nil if the page was never read
	// Record is the portal's active record, from document RecordID. Shown is the portal's latest
	// record, which differs from Record while it is withheld. Both are nil if the portal has no
	// records.
	Record, Shown *portal.Detail
	RecordID      *int64
	// LatestID identifies the portal's latest minutes, MinutesID those of the last successful parse.
	// Latest and Good are their documents. Either may be missing.
	LatestID, MinutesID *int64
	Latest              *MinutesText `db:"-"`
	Good                *MinutesText `db:"-"`
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

const selectInput = `
	SELECT m.iqm2_id AS id, m.body, coalesce(r.source, '') AS source,
	       m.meeting_date::text AS date, m.starts_at, m.status, m.cancelled,
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

// verdict selects the verdict of council.document_text t. It also works for rows of the previous
// version, which have none.
const verdict = `coalesce(t.verdict, CASE WHEN t.error IS NULL THEN 'whole' ELSE 'unreadable' END) AS verdict`

const selectMinutes = `
	SELECT n.minutes_id, n.document_id, d.media_type, ` + verdict + `, t.text, coalesce(t.error, '') AS error, t.notes
	FROM council.minutes n
	JOIN council.document d USING (document_id)
	JOIN council.document_text t USING (document_id)
	WHERE n.minutes_id = $1`

// ReadInput returns the Input of a meeting. The error is pgx.ErrNoRows if the meeting does not
// exist.
func ReadInput(ctx context.Context, tx pgx.Tx, meeting int64) (in Input, err error) {
	defer wrap(&err, "read meeting %d", meeting)
	in, err = pg.One[Input](ctx, tx, selectInput, meeting)
	if err != nil {
		return in, err
	}
	if in.Record != nil && !in.Record.NoItems {
		in.Outline = bounded(in.Record.Items)
	}
	in.Latest, err = readMinutes(ctx, tx, in.LatestID)
	if err != nil {
		return in, err
	}
	in.Good = in.Latest
	if in.MinutesID == nil || in.LatestID == nil || *in.MinutesID != *in.LatestID {
		in.Good, err = readMinutes(ctx, tx, in.MinutesID)
	}
	return in, err
}

func readMinutes(ctx context.Context, tx pgx.Tx, id *int64) (*MinutesText, error) {
	if id == nil {
		return nil, nil
	}
	m, err := pg.One[MinutesText](ctx, tx, selectMinutes, *id)
	if err != nil {
		return nil, fmt.Errorf("read minutes %d: %w", *id, err)
	}
	return &m, nil
}

// A Twin is a meeting with the same minutes as other meetings.
type Twin struct {
	ID   int64
	Date string // local date, YYYY-MM-DD
}

// Twins lists the meetings whose last good minutes are the document. There can be several, because
// a calendar can list one real meeting under several ids.
func Twins(ctx context.Context, tx pgx.Tx, document int64) (twins []Twin, err error) {
	defer wrap(&err, "find meetings of document %d", document)
	return pg.List[Twin](ctx, tx, `
		SELECT m.iqm2_id AS id, m.meeting_date::text AS date FROM council.meeting m JOIN council.minutes n
		       ON n.minutes_id = m.minutes_id
		WHERE n.document_id = $1 ORDER BY m.iqm2_id`, document)
}

// SetMinutes records which minutes a meeting's votes come from (good), and the other meeting that
// has the same minutes (sameAs).
func SetMinutes(ctx context.Context, tx pgx.Tx, meeting int64, good, sameAs *int64) (changed bool, err error) {
	defer wrap(&err, "store minutes of meeting %d", meeting)
	return exec(ctx, tx, `
		UPDATE council.meeting SET minutes_id = $2, same_as = $3
		WHERE iqm2_id = $1 AND (minutes_id, same_as) IS DISTINCT FROM ($2, $3)`, meeting, good, sameAs)
}

// A StatusChange is a new status of a meeting.
type StatusChange struct {
	From   council.Status // "" for a new meeting
	To     council.Status
	Reason string
	Run    string
	At     time.Time
}

// SetStatus changes the status of a meeting and records the reason. An impossible transition is an
// error of the program.
func SetStatus(ctx context.Context, tx pgx.Tx, meeting int64, c StatusChange) (err error) {
	if !c.From.MayBecome(c.To) {
		return fmt.Errorf("meeting %d cannot pass from %s to %s", meeting, c.From, c.To)
	}
	defer wrap(&err, "pass meeting %d from %s to %s", meeting, c.From, c.To)
	passed, err := exec(ctx, tx, `UPDATE council.meeting SET status = $3 WHERE iqm2_id = $1
		AND status = $2`, meeting, c.From, c.To)
	if err != nil {
		return err
	}
	if !passed {
		return errors.New("it is not there, or not in that status")
	}
	return addStatusChange(ctx, tx, meeting, c)
}

// addStatusChange adds a status change to the meeting's history and to the public changes.
func addStatusChange(ctx context.Context, tx pgx.Tx, meeting int64, c StatusChange) (err error) {
	defer wrap(&err, "record status of meeting %d", meeting)
	_, err = exec(ctx, tx, `
		WITH passed AS (
			INSERT INTO council.status_change (iqm2_id, seq, from_status, to_status, reason, changed_at)
			SELECT $1, coalesce(max(seq), 0) + 1, nullif($2, ''), $3, $4, $5 FROM council.status_change WHERE iqm2_id = $1
			RETURNING from_status, to_status)
		INSERT INTO council.change (kind, iqm2_id, before, after, reason, run_id, changed_at, body_id)
		SELECT CASE WHEN from_status IS NULL THEN 'meeting_added' ELSE 'meeting_status' END, $1,
		       CASE WHEN from_status IS NOT NULL THEN jsonb_build_object('status', from_status) END,
		         jsonb_build_object('status', to_status), $4, $6, $5,
		         (SELECT body_id FROM council.meeting WHERE iqm2_id = $1)
		FROM passed`, meeting, c.From, c.To, storable(c.Reason, maxReason), c.At, c.Run)
	return err
}

// Validators are the HTTP validators of a meeting's latest minutes.
type Validators struct {
	portal.Validators
	SHA256 []byte `db:"sha256"`
}

// LatestValidators returns the validators of a meeting's latest minutes if those came from url.
func LatestValidators(ctx context.Context, db *pgxpool.Pool, meeting int64, url string) (v Validators, err error) {
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

// IsDoubtful reports whether the portal may have been overloaded when it sent a meeting's latest
// document. Such a document is damaged, or not a document at all. It replaced readable minutes, or
// it is the first document and was just fetched. An intact scan without text is not doubtful.
func IsDoubtful(ctx context.Context, tx pgx.Tx, meeting int64, fetched bool) (doubtful bool, err error) {
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

// SetRowHash stores the hash of a meeting's row in the calendar after a complete visit. While the
// row has this hash, the meeting needs no visit. An empty hash requests a visit.
func SetRowHash(ctx context.Context, tx pgx.Tx, meeting int64, hash []byte) (err error) {
	defer wrap(&err, "store visit of meeting %d", meeting)
	_, err = exec(ctx, tx, `
		UPDATE council.meeting SET row_sha256 = $2 WHERE iqm2_id = $1 AND row_sha256 IS DISTINCT FROM $2`, meeting, hash)
	return err
}
