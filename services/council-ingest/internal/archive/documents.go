package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/recorded"
)

// A DocumentRef is an archived document and the meetings that use it.
type DocumentRef struct {
	ID       int64
	Meetings []int64
	Source   string // source of a record; "" for minutes
	Versions string // versions of what read the document last
	IsParsed bool   // the document has a text, which was parsed
}

// Documents lists the archived documents, except those that were read by one of the current
// versions.
func Documents(ctx context.Context, db *pgxpool.Pool, current []string) (docs []DocumentRef, err error) {
	defer wrap(&err, "list documents")
	return pg.List[DocumentRef](ctx, db, `
		SELECT d.document_id AS id,
		       ARRAY(SELECT n.iqm2_id FROM council.minutes n WHERE n.document_id = d.document_id
		             UNION SELECT r.iqm2_id FROM council.record r WHERE r.document_id = d.document_id ORDER BY 1) AS meetings,
		       coalesce((SELECT max(r.source) FROM council.record r WHERE r.document_id = d.document_id), '') AS source,
		       d.parser_version AS versions, d.error IS NULL AS is_parsed
		FROM council.document_text d
		WHERE d.parser_version <> ALL (coalesce($1::text[], '{}'))
		ORDER BY d.document_id`, current)
}

type Archived struct {
	MediaType string
	SHA256    []byte `db:"sha256"`
	Size      int64
	Content   []byte
	Verdict   council.Verdict
	Text      *string
	Error     string
	Notes     []TextNote
	// FetchError is why the object store did not return the bytes.
	FetchError error `db:"-"`
}

const selectDocument = `
	SELECT d.media_type, d.sha256, d.size, d.content, ` + verdict + `, t.text, coalesce(t.error, '') AS error, t.notes
	FROM council.document d JOIN council.document_text t USING (document_id)`

// ReadDocument returns a document with its text and its bytes, which come from the database or the
// object store.
func ReadDocument(ctx context.Context, db *pgxpool.Pool, store *objects.Store, document int64) (a Archived, err error) {
	defer wrap(&err, "read document %d", document)
	return readDocument(ctx, db, store, selectDocument+` WHERE d.document_id = $1`, document)
}

func readDocument(ctx context.Context, db *pgxpool.Pool, store *objects.Store, sql string, id int64) (Archived, error) {
	a, err := pg.One[Archived](ctx, db, sql, id)
	if err != nil || a.Content != nil {
		return a, err
	}
	a.Content, err = store.Slice(ctx, a.SHA256, 0, a.Size)
	if ctx.Err() != nil {
		return a, context.Cause(ctx)
	}
	if err != nil {
		a.FetchError = err
	}
	return a, nil
}

// CheckBytes returns an error if the bytes differ from the archived hash.
func (a Archived) CheckBytes() error {
	sum := sha256.Sum256(a.Content)
	switch {
	case a.FetchError != nil:
		return fmt.Errorf("the bytes cannot be fetched: %w", a.FetchError)
	case !bytes.Equal(sum[:], a.SHA256):
		return errors.New("the bytes have another SHA-256 than was stored with them")
	case int64(len(a.Content)) != a.Size:
		return fmt.Errorf("%d bytes, stored as %d", len(a.Content), a.Size)
	}
	return nil
}

// IsRefused reports whether the document is refused although both its stored text and the fresh
// text are readable.
func (a Archived) IsRefused(fresh Text) bool {
	return a.CheckBytes() == nil && a.Error != "" && fresh.Error == "" && a.Text != nil && fresh.Text != nil &&
		*a.Text == *fresh.Text
}

// Compare returns an error if the stored bytes are damaged, or if the stored text differs from the
// fresh text.
func (a Archived) Compare(fresh Text) error {
	if err := a.CheckBytes(); err != nil {
		return err
	}
	switch {
	case fresh.Verdict != a.Verdict:
		return fmt.Errorf("stored as %s, now %s", a.Verdict, fresh.Verdict)
	case storable(fresh.Error, maxReason) != a.Error:
		return fmt.Errorf("stored error %q, now %q", a.Error, fresh.Error)
	case fresh.Text == nil && a.Error != "": // a text with an error is from an earlier version
		return nil
	case !slices.Equal(fresh.Notes, a.Notes):
		return fmt.Errorf("stored notes on its pages %v, now %v", a.Notes, fresh.Notes)
	case (fresh.Text == nil) != (a.Text == nil):
		return errors.New("one of the stored and the extracted text is missing")
	case fresh.Text != nil && *fresh.Text != *a.Text:
		n := 0
		for n < min(len(*fresh.Text), len(*a.Text)) && (*fresh.Text)[n] == (*a.Text)[n] {
			n++
		}
		return fmt.Errorf("the text differs from byte %d on (%d bytes stored, %d extracted)", n, len(*a.Text),
			len(*fresh.Text))
	}
	return nil
}

// Meetings lists the ids of all meetings.
func Meetings(ctx context.Context, db *pgxpool.Pool) (ids []int64, err error) {
	defer wrap(&err, "list meetings")
	return pg.Column[int64](ctx, db, `SELECT iqm2_id FROM council.meeting ORDER BY iqm2_id`)
}

// Bundle returns a portal's last answers about a meeting. It returns nil if there are none or they
// are unreadable; then the caller requests everything.
func Bundle(ctx context.Context, db *pgxpool.Pool, store *objects.Store, meeting int64) (b *portal.Bundle, err error) {
	defer wrap(&err, "read answers about meeting %d", meeting)
	a, err := readDocument(ctx, db, store, selectDocument+` WHERE d.document_id = (
		SELECT r.document_id FROM council.meeting m JOIN council.record r ON r.record_id = m.latest_record_id
		WHERE m.iqm2_id = $1)`, meeting)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	answers, unreadable := portal.ReadBundle(a.Content)
	if unreadable != nil {
		return nil, nil
	}
	return &answers, nil
}

// ReadDetail returns the portal's active record of a meeting, or nil if there is none.
func ReadDetail(ctx context.Context, db *pgxpool.Pool, meeting int64) (d *portal.Detail, err error) {
	defer wrap(&err, "read the record of meeting %d", meeting)
	d, err = pg.Value[*portal.Detail](ctx, db, `
		SELECT t.text::json FROM council.meeting m
		LEFT JOIN council.record r ON r.record_id = m.record_id
		LEFT JOIN council.document_text t USING (document_id)
		WHERE m.iqm2_id = $1`, meeting)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return d, err
}

// A Record is a portal's record of a meeting. The answers of the portal are the bytes of a
// document, and the portal.Detail is the text of the document.
type Record struct {
	Document
	Source string
	// Withheld keeps the earlier record active, because this record has less data.
	Withheld bool
}

// PutRecord archives the latest record of a meeting, and activates it unless it is withheld.
func PutRecord(ctx context.Context, tx pgx.Tx, meeting int64, r Record) (changed bool, err error) {
	defer wrap(&err, "archive the record of meeting %d", meeting)
	document, textChanged, err := putDocument(ctx, tx, r.Document)
	if err != nil {
		return false, err
	}
	id, err := pg.Value[int64](ctx, tx, `
		INSERT INTO council.record (iqm2_id, document_id, source, fetched_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (iqm2_id, document_id) DO UPDATE SET source = excluded.source
		RETURNING record_id`, meeting, document, r.Source, r.Fetched)
	if err != nil {
		return false, err
	}
	changed, err = exec(ctx, tx, `
		UPDATE council.meeting SET latest_record_id = $2, record_id = CASE WHEN $3 THEN coalesce(record_id, $2) ELSE $2 END,
		  last_fetched = $4
		WHERE iqm2_id = $1 AND (latest_record_id IS DISTINCT FROM $2 OR NOT $3 AND record_id IS DISTINCT FROM $2)`,
		meeting, id, r.Withheld, r.Fetched)
	return textChanged || changed, err
}

// putDocument archives bytes and their text. Equal bytes are stored only once.
func putDocument(ctx context.Context, tx pgx.Tx, d Document) (document int64, changed bool, err error) {
	sum := sha256.Sum256(d.Bytes)
	content := d.Bytes
	switch {
	case d.InStore:
		content = nil
	case content == nil: // store empty bytes, not NULL
		content = []byte{}
	}
	document, err = pg.Value[int64](ctx, tx, `SELECT document_id FROM council.document WHERE sha256 = $1`, sum[:])
	if errors.Is(err, pgx.ErrNoRows) {
		document, err = pg.Value[int64](ctx, tx, `
			INSERT INTO council.document (sha256, media_type, size, content) VALUES ($1, $2, $3, $4)
			RETURNING document_id`, sum[:], d.MediaType, len(d.Bytes), content)
	}
	if err == nil {
		changed, err = PutText(ctx, tx, document, d.Text, d.Fetched)
	}
	return document, changed, err
}

// Numbers maps a source's meeting ids to our meeting numbers.
func Numbers(ctx context.Context, db *pgxpool.Pool, source string) (numbers map[string]int64, err error) {
	defer wrap(&err, "read the numbers of meetings of %s", source)
	return pg.Value[map[string]int64](ctx, db, `
		SELECT coalesce(json_object_agg(source_id, iqm2_id), '{}') FROM council.meeting_key WHERE source = $1`, source)
}

// AssignNumber assigns our number to a source's meeting. If another source lists a meeting at the
// same time, or the only meeting of the day (alone), both share its number. Otherwise the meeting
// gets a new number. bodies are the names that the portals give the council, in lower case.
func AssignNumber(ctx context.Context, tx pgx.Tx, source, id string, starts time.Time, alone bool,
	bodies []string) (number int64, err error) {
	defer wrap(&err, "number meeting %q of %s", id, source)
	return pg.Value[int64](ctx, tx, `
		WITH other AS (
			SELECT m.iqm2_id, m.starts_at FROM council.meeting m
			WHERE m.meeting_date = $3::date AND lower(m.body) = ANY ($6)
			  AND m.source IS DISTINCT FROM $1 AND NOT EXISTS (SELECT FROM council.meeting_key k WHERE k.source = $1
			    AND k.iqm2_id = m.iqm2_id)),
		same AS (
			SELECT iqm2_id FROM other WHERE starts_at = $4
			UNION ALL SELECT min(iqm2_id) FROM other WHERE $5 HAVING count(*) = 1)
		INSERT INTO council.meeting_key AS k (source, source_id, iqm2_id)
		SELECT $1, $2, coalesce((SELECT min(iqm2_id) FROM same), nextval('council.meeting_number'))
		ON CONFLICT (source, source_id) DO UPDATE SET iqm2_id = k.iqm2_id
		RETURNING iqm2_id`, source, id, starts.Format(time.DateOnly), starts, alone, bodies)
}

// SetSource records the source of a meeting.
func SetSource(ctx context.Context, tx pgx.Tx, meeting int64, source string) (err error) {
	defer wrap(&err, "store the source of meeting %d", meeting)
	_, err = exec(ctx, tx, `UPDATE council.meeting SET source = $2 WHERE iqm2_id = $1 AND source
		IS DISTINCT FROM $2`, meeting, source)
	return err
}

// Namesakes returns what stored meetings show about people of one name, for a meeting whose record
// has the portal's ids of people.
func Namesakes(ctx context.Context, tx pgx.Tx, source string, meeting int64) (known recorded.Known, err error) {
	defer wrap(&err, "read the namesakes of %s", source)
	type person struct {
		Name, Plain, Key string
		Here, Earlier    bool
	}
	all, err := pg.List[person](ctx, tx, `
		SELECT m.full_name AS name, b.name_key AS plain, k.key, b.body_id = h.body_id AS here,
		       b.iqm2_id IS DISTINCT FROM h.iqm2_id AS earlier
		FROM council.meeting h
		JOIN council.person_key k ON k.source = $1
		JOIN council.member m ON m.id = k.member_id
		JOIN council.member_body b ON b.member_id = m.id
		WHERE h.iqm2_id = $2 AND (b.body_id = h.body_id OR m.full_name LIKE '% (' || k.key || ')')`, source, meeting)
	known = recorded.Known{IDs: map[string][]string{}, Spellings: map[string]bool{}, Earlier: map[string]bool{}}
	for _, p := range all {
		if p.Here {
			known.IDs[p.Plain] = append(known.IDs[p.Plain], p.Key)
		}
		if strings.HasSuffix(p.Name, " ("+p.Key+")") {
			known.Spellings[p.Name] = true
			known.Earlier[p.Name] = known.Earlier[p.Name] || p.Earlier
		}
	}
	return known, err
}
