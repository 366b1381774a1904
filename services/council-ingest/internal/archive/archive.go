// Package archive stores the sources of the council data: the portal's data of each meeting,
// minutes as fetched with their hash and their text, agenda outlines, and the history of statuses.
//
// A function with a transaction requires that the caller holds Lock. It reports whether it changed
// anything; if so, the caller raises the generation. Package merge writes items and votes.
package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// wrap adds the attempted action to an error. Call it with defer.
func wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf(format+": %w", append(args, *err)...)
	}
}

func exec(ctx context.Context, tx pgx.Tx, sql string, args ...any) (bool, error) {
	tag, err := tx.Exec(ctx, sql, args...)
	return tag.RowsAffected() > 0, err
}

// Lock makes the transaction the only writer of council data until the transaction ends.
func Lock(ctx context.Context, tx pgx.Tx) (err error) {
	defer wrap(&err, "lock the dataset")
	_, err = exec(ctx, tx, `SELECT FROM council.dataset FOR UPDATE`)
	return err
}

// Raise increments the generation of the dataset and returns it.
func Raise(ctx context.Context, tx pgx.Tx, now time.Time) (generation int64, err error) {
	defer wrap(&err, "raise the generation")
	return pg.Value[int64](ctx, tx, `UPDATE council.dataset SET generation = generation + 1, updated_at = $1
		RETURNING generation`, now)
}

// A Meeting is a row of council.meeting, with the columns that come from the portal.
type Meeting struct {
	ID         int64
	BodyID     int64   // 0 means body 1
	Body       string  // name on the portal, without Remark
	Remark     *string // what the portal adds to the name of the body
	Type       council.MeetingType
	TypeRaw    string
	Date       string // local date, YYYY-MM-DD
	StartsAt   time.Time
	Title      string
	Location   *string
	SourceURL  *string
	Cancelled  bool
	AgendaURL  *string
	MinutesURL *string
	VideoURL   *string
	// Partial is set if the meeting's page was unreadable. Then empty fields keep their stored values.
	Partial bool
}

// PutMeeting stores a meeting. A new meeting gets the status discovered.
func PutMeeting(ctx context.Context, tx pgx.Tx, m Meeting, run string, fetched time.Time) (changed bool, err error) {
	defer wrap(&err, "store meeting %d", m.ID)
	m = m.bounded()
	inserted, err := pg.Value[bool](ctx, tx, `
		INSERT INTO council.meeting AS m (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title,
		  location,
		                                  source_url, cancelled, agenda_url, minutes_url, video_url, last_fetched,
		                                  status, body_id, remark)
		-- A partial meeting keeps what only its page has.
		SELECT $1::bigint, $2, $3, $4, $5::date, $6::timestamptz, $7, coalesce($8, old.location),
		       $9, $10 OR coalesce(old.cancelled, false), coalesce($11, old.agenda_url), coalesce($12, old.minutes_url),
		         coalesce($13, old.video_url),
		       $14::timestamptz, 'discovered', coalesce(nullif($16::bigint, 0), 1), $17
		FROM (SELECT) AS said LEFT JOIN council.meeting old ON $15 AND old.iqm2_id = $1
		ON CONFLICT (iqm2_id) DO UPDATE SET
			body = excluded.body, meeting_type = excluded.meeting_type, meeting_type_raw = excluded.meeting_type_raw,
			meeting_date = excluded.meeting_date, starts_at = excluded.starts_at, title = excluded.title,
			  location = excluded.location,
			source_url = excluded.source_url, cancelled = excluded.cancelled, agenda_url = excluded.agenda_url,
			minutes_url = excluded.minutes_url, video_url = excluded.video_url, last_fetched = excluded.last_fetched,
			body_id = excluded.body_id, remark = excluded.remark
		WHERE (m.body, m.meeting_type, m.meeting_type_raw, m.meeting_date, m.starts_at, m.title, m.location,
		       m.source_url, m.cancelled, m.agenda_url, m.minutes_url, m.video_url, m.body_id, m.remark)
		      IS DISTINCT FROM (excluded.body, excluded.meeting_type, excluded.meeting_type_raw, excluded.meeting_date,
		        excluded.starts_at, excluded.title,
		                        excluded.location, excluded.source_url, excluded.cancelled, excluded.agenda_url,
		                          excluded.minutes_url, excluded.video_url, excluded.body_id, excluded.remark)
		RETURNING xmax = 0`,
		m.ID, m.Body, m.Type, m.TypeRaw, m.Date, m.StartsAt, m.Title, m.Location,
		m.SourceURL, m.Cancelled, m.AgendaURL, m.MinutesURL, m.VideoURL, fetched, m.Partial, m.BodyID, m.Remark)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err == nil && inserted && m.BodyID <= 1 {
		// The first meeting gives body 1 its name.
		_, err = exec(ctx, tx, `UPDATE council.body SET name = $1, slug = CASE WHEN council.slug($1) ~ '^([0-9]+|null)$'
			THEN council.slug($1) || '-1' ELSE council.slug($1) END WHERE body_id = 1 AND name = ''`, m.Body)
	}
	if err == nil && inserted {
		err = addStatusChange(ctx, tx, m.ID, StatusChange{To: council.StatusDiscovered, Reason: "found on the calendar",
			Run: run, At: fetched})
	}
	return true, err
}

// PutOutline stores the agenda outline of a meeting.
func PutOutline(ctx context.Context, tx pgx.Tx, meeting int64, entries []portal.Item,
	fetched time.Time) (changed bool, err error) {
	defer wrap(&err, "store outline of meeting %d", meeting)
	text, err := json.Marshal(bounded(entries))
	if err != nil {
		return false, err
	}
	return exec(ctx, tx, `
		WITH stored AS (
			INSERT INTO council.outline AS o (iqm2_id, entries, fetched_at) VALUES ($1, $2::jsonb, $3)
			ON CONFLICT (iqm2_id) DO UPDATE SET entries = excluded.entries, fetched_at = excluded.fetched_at
			WHERE o.entries <> excluded.entries
			RETURNING iqm2_id)
		UPDATE council.meeting m SET last_fetched = $3 FROM stored s
		  WHERE m.iqm2_id = s.iqm2_id`, meeting, string(text), fetched)
}

// A Document is minutes that were fetched or loaded, with their text.
type Document struct {
	Bytes []byte
	// MediaType is detected from the content: application/pdf, text/plain or text/html, otherwise
	// application/octet-stream.
	MediaType    string
	URL          *string
	Fetched      time.Time
	ETag         string
	LastModified string
	InStore      bool // the object store has the bytes
	Text
}

// A Text is the text of a document, for the parser.
type Text struct {
	Verdict council.Verdict
	Text    *string // pages are separated by form feeds; nil unless the verdict is readable
	Pages   int
	Error   string // reason for a missing text, in words
	Notes   []TextNote
	Version string
}

// A TextNote is a problem on a page of a document. It becomes an anomaly of the meeting.
type TextNote struct {
	Page    int                 `json:"page"` // from 1
	Code    council.AnomalyCode `json:"code"`
	Message string              `json:"message"`
}

// Refuse marks a text as unfit for the parser.
func (t *Text) Refuse(v council.Verdict, why string) { t.Verdict, t.Error = v, why }

// PutMinutes archives a document as the latest minutes of a meeting.
func PutMinutes(ctx context.Context, tx pgx.Tx, meeting int64, d Document) (changed bool, err error) {
	defer wrap(&err, "archive minutes of meeting %d", meeting)
	document, textChanged, err := putDocument(ctx, tx, d)
	if err != nil {
		return false, err
	}
	minutes, err := pg.Value[int64](ctx, tx, `
		INSERT INTO council.minutes (iqm2_id, document_id, url, fetched_at, etag, last_modified)
		VALUES ($1, $2, $3, $4, nullif($5, ''), nullif($6, ''))
		ON CONFLICT (iqm2_id, document_id) DO UPDATE SET url = excluded.url, etag = excluded.etag,
		  last_modified = excluded.last_modified
		RETURNING minutes_id`, meeting, document, address(d.URL), d.Fetched, header(d.ETag), header(d.LastModified))
	if err != nil {
		return false, err
	}
	changed, err = exec(ctx, tx, `
		UPDATE council.meeting SET latest_id = $2, last_fetched = $3
		WHERE iqm2_id = $1 AND latest_id IS DISTINCT FROM $2`, meeting, minutes, d.Fetched)
	return textChanged || changed, err
}

// PutText stores the text of a document. If a new program version extracts an equal text, that is
// not a change. A document that became unreadable gets the error and keeps its text, because
// published votes depend on the text.
func PutText(ctx context.Context, tx pgx.Tx, document int64, t Text, now time.Time) (changed bool, err error) {
	defer wrap(&err, "store text of document %d", document)
	notes := make([]TextNote, len(t.Notes))
	for i, n := range t.Notes {
		n.Message = storable(n.Message, maxReason)
		notes[i] = n
	}
	return pg.Value[bool](ctx, tx, `
		WITH old AS (SELECT text, error, notes FROM council.document_text WHERE document_id = $1)
		INSERT INTO council.document_text AS d (document_id, text, pages, error, parser_version, parsed_at, notes, verdict)
		VALUES ($1, $2, $3, nullif($4, ''), $5, $6, $7, $8)
		ON CONFLICT (document_id) DO UPDATE SET text = coalesce($2, d.text), error = nullif($4, ''), parser_version = $5,
		  parsed_at = $6, verdict = $8,
			pages = CASE WHEN $2 IS NULL AND d.text IS NOT NULL THEN d.pages ELSE $3 END, notes = CASE WHEN $2 IS NULL
			  AND d.text IS NOT NULL THEN d.notes ELSE $7 END
		RETURNING (SELECT notes::text || concat_ws(E'\f', error, text) FROM old)
		  IS DISTINCT FROM d.notes::text || concat_ws(E'\f', d.error, d.text)`,
		document, t.Text, t.Pages, storable(t.Error, maxReason), t.Version, now, notes, t.Verdict)
}

// MarkParsed records the versions of what read a document whose text stays.
func MarkParsed(ctx context.Context, tx pgx.Tx, document int64, versions string, now time.Time) (err error) {
	defer wrap(&err, "store versions of document %d", document)
	_, err = exec(ctx, tx, `UPDATE council.document_text SET parser_version = $2, parsed_at = $3
		WHERE document_id = $1`, document, versions, now)
	return err
}

// Refuse records that the parser or the tables rejected a readable document, and reports whether
// that is new. The next version of the parser tries the document again.
func Refuse(ctx context.Context, tx pgx.Tx, document int64, v council.Verdict, why string) (changed bool, err error) {
	defer wrap(&err, "refuse document %d", document)
	return exec(ctx, tx, `
		UPDATE council.document_text SET error = $2, verdict = $3
		WHERE document_id = $1 AND error IS NULL`, document, storable(why, maxReason), v)
}

func HasMeeting(ctx context.Context, tx pgx.Tx, meeting int64) (stored bool, err error) {
	defer wrap(&err, "look for meeting %d", meeting)
	return pg.Value[bool](ctx, tx, `SELECT EXISTS (SELECT FROM council.meeting WHERE iqm2_id = $1)`, meeting)
}

// Limits in characters for texts of portals. Real texts are far shorter; the limits protect the
// tables and APIs from hostile texts.
const (
	maxTitle  = 4_000 // title of a meeting, or of an entry of the outline
	maxLabel  = 500   // names of bodies and types, numbers, places
	maxURL    = 4_000 // longer URLs are dropped
	maxTag    = 1_000 // an ETag or a date in a header
	maxReason = 2_000 // reason why a document is unreadable
)

func storable(s string, most int) string { return council.Clip(council.Storable(s), most) }

// address returns a URL that can be stored, or nil if it is too long.
func address(s *string) *string {
	if s == nil || len(*s) > maxURL {
		return nil
	}
	return new(council.Storable(*s))
}

// header returns a response header for a later request, or "" if it cannot be stored unchanged.
func header(s string) string {
	if len(s) > maxTag || council.Storable(s) != s {
		return ""
	}
	return s
}

func (m Meeting) bounded() Meeting {
	m.Body = storable(m.Body, maxLabel)
	m.TypeRaw = storable(m.TypeRaw, maxLabel)
	m.Title = storable(m.Title, maxTitle)
	m.Location, m.Remark = council.Fit(m.Location, maxLabel), council.Fit(m.Remark, maxLabel)
	m.SourceURL = address(m.SourceURL)
	m.AgendaURL = address(m.AgendaURL)
	m.MinutesURL = address(m.MinutesURL)
	m.VideoURL = address(m.VideoURL)
	return m
}

// maxEntries bounds the entries of an outline. The longest real agendas have a few hundred.
const maxEntries = 5_000

func bounded(entries []portal.Item) []portal.Item {
	out := make([]portal.Item, 0, len(entries))
	for _, e := range entries[:min(len(entries), maxEntries)] {
		e.Number = storable(e.Number, maxLabel)
		e.Title = storable(e.Title, maxTitle)
		e.Result = storable(e.Result, maxLabel)
		e.FileNumber, e.Attachments = storable(e.FileNumber, maxLabel), nil
		e.URL = council.Text(address(&e.URL))
		out = append(out, e)
	}
	return out
}
