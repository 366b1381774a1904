package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
)

// A Listed is an archived document and the meetings that have shown it.
type Listed struct {
	ID       int64
	Meetings []int64
	Source   string // of a record; "" for minutes
}

// Documents lists the archived documents: all of them, or those that another
// version than version has read.
func Documents(ctx context.Context, db *pgxpool.Pool, version string, all bool) (docs []Listed, err error) {
	defer wrap(&err, "list documents")
	return pg.List[Listed](ctx, db, `
		SELECT d.document_id AS id,
		       ARRAY(SELECT n.iqm2_id FROM council.minutes n WHERE n.document_id = d.document_id
		             UNION SELECT r.iqm2_id FROM council.record r WHERE r.document_id = d.document_id ORDER BY 1) AS meetings,
		       coalesce((SELECT max(r.source) FROM council.record r WHERE r.document_id = d.document_id), '') AS source
		FROM council.document_text d
		WHERE $2 OR d.parser_version <> $1
		ORDER BY d.document_id`, version, all)
}

// An Archived is everything that is stored of one document.
type Archived struct {
	MediaType string
	SHA256    []byte `db:"sha256"`
	Size      int64
	Content   []byte
	Verdict   council.Verdict
	Text      *string
	Error     string
	Notes     []TextNote
	// Unread says why the bytes could not be had from the object store; "" when they were.
	Unread string `db:"-"`
}

const selectDocument = `
	SELECT d.media_type, d.sha256, d.size, d.content, ` + verdict + `, t.text, coalesce(t.error, '') AS error, t.notes
	FROM council.document d JOIN council.document_text t USING (document_id)`

// ReadDocument returns a document with its bytes and text. Bytes that are not in the
// database come from store.
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
		a.Unread = err.Error()
	}
	return a, nil
}

// Spoilt says why the bytes are not those that were archived; "" when they are.
func (a Archived) Spoilt() string {
	sum := sha256.Sum256(a.Content)
	switch {
	case a.Unread != "":
		return "the bytes cannot be had: " + a.Unread
	case !bytes.Equal(sum[:], a.SHA256):
		return "the bytes have another SHA-256 than was stored with them"
	case int64(len(a.Content)) != a.Size:
		return fmt.Sprintf("%d bytes, stored as %d", len(a.Content), a.Size)
	}
	return ""
}

// Refused reports whether the document was refused although its text could be read, as it can be now: see [Refuse].
func (a Archived) Refused(fresh Text) bool {
	return a.Spoilt() == "" && a.Error != "" && fresh.Error == "" && a.Text != nil && fresh.Text != nil && *a.Text == *fresh.Text
}

// Differs compares what is stored of a document with its bytes and with what is
// read out of them now; "" when all agree.
func (a Archived) Differs(fresh Text) string {
	spoilt := a.Spoilt()
	switch {
	case spoilt != "":
		return spoilt
	case fresh.Verdict != a.Verdict:
		return fmt.Sprintf("stored as %s, now %s", a.Verdict, fresh.Verdict)
	case storable(fresh.Error, maxReason) != a.Error:
		return fmt.Sprintf("stored error %q, now %q", a.Error, fresh.Error)
	case fresh.Text == nil && a.Error != "": // a text beside the error is that of an earlier version
		return ""
	case !slices.Equal(fresh.Notes, a.Notes):
		return fmt.Sprintf("stored notes on its pages %v, now %v", a.Notes, fresh.Notes)
	case fresh.Text == nil || a.Text == nil:
		if fresh.Text != a.Text {
			return "there is text now and was none, or the reverse"
		}
	case *fresh.Text != *a.Text:
		n := 0
		for n < min(len(*fresh.Text), len(*a.Text)) && (*fresh.Text)[n] == (*a.Text)[n] {
			n++
		}
		return fmt.Sprintf("the text differs from byte %d on (%d bytes stored, %d extracted)", n, len(*a.Text), len(*fresh.Text))
	}
	return ""
}

// Meetings lists all meetings by id.
func Meetings(ctx context.Context, db *pgxpool.Pool) (ids []int64, err error) {
	defer wrap(&err, "list meetings")
	return pg.Column[int64](ctx, db, `SELECT iqm2_id FROM council.meeting ORDER BY iqm2_id`)
}
