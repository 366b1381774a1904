package desk

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Summary is what a command did, for the person who called it.
type Summary struct {
	Meetings   int // looked at
	Changed    int // of them
	Votes      int // stored for them now
	Anomalies  int // likewise
	Failed     int // meetings that could not be read; the log says why
	Unreadable int // documents that ended as parse_error
	Forbidden  int // pages and documents that robots.txt keeps from us; they do not make a meeting fail
}

// Plus adds what was done at another portal.
func (s Summary) Plus(o Summary) Summary {
	return Summary{s.Meetings + o.Meetings, s.Changed + o.Changed, s.Votes + o.Votes, s.Anomalies + o.Anomalies, s.Failed +
		o.Failed, s.Unreadable + o.Unreadable, s.Forbidden + o.Forbidden}
}

// Advised is what comes after the advice on what robots.txt forbids: old meetings that were visited
// are not asked for again by themselves.
const Advised = "; with leave, townline council ingest --all reads what was left out"

// Left says what an ingest could not read, and what comes of it; nil when there is nothing.
func (s Summary) Left() error {
	var left []error
	if s.Failed > 0 {
		left = append(left, fmt.Errorf("%d of %d meetings could not be read in full; what could is stored, and the next "+
			"ingest tries them again", s.Failed, s.Meetings))
	}
	if s.Forbidden > 0 {
		advice := portal.Advice(portal.Product{}, portal.ErrForbidden)
		left = append(left, fmt.Errorf("%d pages or documents were not read: %w (%s%s)", s.Forbidden, portal.ErrForbidden,
			advice, Advised))
	}
	return errors.Join(left...)
}

// ErrDatabase marks errors of the database, or of the store of documents, that concern every
// meeting.
var ErrDatabase = errors.New("cannot store")

// Unstored marks an error of the database that concerns every meeting, not only the one that was to
// be stored.
func Unstored(err error) error {
	if pg.FaultOf(err) == pg.FaultDatabase {
		return fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	return err
}

// Caught makes an error of a panic, when it is deferred: one page or document that the code for it
// cannot take ends no more than its meeting.
func Caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
