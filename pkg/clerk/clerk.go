// Package clerk stores what people say of votes: corrections of what was read (corrections.go) and
// reviews of anomalies (reviews.go), each with author, time and reason. Nothing that was said is
// changed or removed; to take it back is to say so.
//
// The tables are explained in pkg/schema/council, 0007_correction.sql. The townline command writes
// them, with a role that needs no other right; council-ingest lays corrections over what it reads
// (internal/merge); council-api shows both. The package decides no vote and prints nothing.
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

// Limits of what a person writes, in characters.
const (
	maxAuthor = 120
	maxReason = 2_000
	maxReply  = 4_000
	maxRests  = 500
)

// ErrNothing reports an id of which there is nothing.
var ErrNothing = errors.New("there is no such row")

// ErrTakenBack reports that there is nothing to take back any more.
var ErrTakenBack = errors.New("it was taken back already")

// ErrMoved reports that somebody else has said something since.
var ErrMoved = errors.New("somebody has said something else in between")

// Seen is what somebody had seen when they said something: the newest review of an anomaly and the
// newest correction of a meeting, 0 for none. Nothing is stored if there are newer ones. A nil Seen
// has no opinion.
type Seen struct{ Anomaly, Review, Meeting, Correction int64 }

// Look returns what is to be seen of an anomaly, 0 for none, and of a meeting.
func Look(ctx context.Context, db pg.Querier, anomaly, meeting int64) (Seen, error) {
	s, err := pg.One[Seen](ctx, db, `
		SELECT $1::bigint AS anomaly, coalesce((SELECT max(review_id) FROM council.review WHERE anomaly_id = $1),
		       0) AS review,
		       $2::bigint AS meeting,
		         coalesce((SELECT max(correction_id) FROM council.correction WHERE iqm2_id = $2),
		           0) AS correction`, anomaly, meeting)
	if err != nil {
		return s, fmt.Errorf("look for what was said: %w", err)
	}
	return s, nil
}

// A Fault is a mistake in what somebody wants to store.
type Fault struct {
	Field string // author, reason, document, …
	Why   string
}

func (f *Fault) Error() string { return f.Field + ": " + f.Why }

// checkText trims and checks a text that a person wrote. Characters that would write over others
// when they are shown are refused; line ends are not.
func checkText(field, text string, longest int, needed bool) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && needed:
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

// add runs fn as the only one that adds rows here, so that ids rise in the order of commits: who
// has seen one has seen all before it. A lock of the table would take rights that its writer need
// not have. Nothing is added if seen is not the newest.
func add(ctx context.Context, db *pgxpool.Pool, seen *Seen, fn func(pgx.Tx) error) error {
	return pg.Tx(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('council.correction'))`); err != nil {
			return err
		}
		if seen != nil {
			now, err := Look(ctx, tx, seen.Anomaly, seen.Meeting)
			if err == nil && now != *seen {
				err = ErrMoved
			}
			if err != nil {
				return err
			}
		}
		return fn(tx)
	})
}
