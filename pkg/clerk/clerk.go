// Package clerk stores people's statements about votes: corrections of parsed values
// (corrections.go) and reviews of anomalies (reviews.go), each with author, time and reason.
// Statements are never changed or removed; a withdrawal is another statement.
//
// pkg/schema/council explains the tables. The townline command writes them,
// with a role that has no other right. council-ingest applies corrections (internal/merge), and
// council-api shows both.
package clerk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

// Limits of texts, in characters.
const (
	maxAuthor   = 120
	maxReason   = 2_000
	maxReply    = 4_000
	maxDocument = 500
)

var (
	ErrNotFound  = errors.New("not found")
	ErrWithdrawn = errors.New("it was withdrawn already")
	// ErrConflict means that a statement was added after the author last read them.
	ErrConflict = errors.New("someone else has made a statement in the meantime")
)

// Seen has the ids of the newest statements that an author has read: the last review of an anomaly
// and the last correction of a meeting, or 0. AddReview and AddCorrections return [ErrConflict] if
// there is a newer statement. A nil Seen skips this check.
type Seen struct{ Anomaly, Review, Meeting, Correction int64 }

// LatestSeen reads the ids of the newest review of an anomaly and of the newest correction of a
// meeting. anomaly is 0 if only the meeting matters.
func LatestSeen(ctx context.Context, db pg.Querier, anomaly, meeting int64) (Seen, error) {
	s, err := pg.One[Seen](ctx, db, `
		SELECT $1::bigint AS anomaly,
		       coalesce((SELECT max(review_id) FROM council.review WHERE anomaly_id = $1), 0) AS review,
		       $2::bigint AS meeting,
		       coalesce((SELECT max(correction_id) FROM council.correction WHERE iqm2_id = $2), 0) AS correction`,
		anomaly, meeting)
	if err != nil {
		return s, fmt.Errorf("read newest statements: %w", err)
	}
	return s, nil
}

// A Fault is a mistake in a statement.
type Fault struct {
	Field string // author, reason, document, …
	Why   string
}

func (f *Fault) Error() string { return f.Field + ": " + f.Why }

// checkText trims and checks a text. It rejects characters that can hide others on a page.
func checkText(field, text string, longest int, required bool) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && required:
		return "", &Fault{field, "is required"}
	case !utf8.ValidString(text):
		return "", &Fault{field, "is not UTF-8"}
	case utf8.RuneCountInString(text) > longest:
		return "", &Fault{field, fmt.Sprintf("has more than %d characters", longest)}
	case strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r)
	}):
		return "", &Fault{field, "has control characters"}
	}
	return text, nil
}

// add runs fn while no other statement can be added, so that ids rise in the order of commits. It
// uses an advisory lock: a table lock needs rights that the role lacks.
func add(ctx context.Context, db *pgxpool.Pool, seen *Seen, fn func(pgx.Tx) error) error {
	return pg.Tx(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('council.correction'))`); err != nil {
			return err
		}
		if seen != nil {
			latest, err := LatestSeen(ctx, tx, seen.Anomaly, seen.Meeting)
			if err == nil && latest != *seen {
				err = ErrConflict
			}
			if err != nil {
				return err
			}
		}
		return fn(tx)
	})
}
