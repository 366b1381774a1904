package writer

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Summary counts the results of a command.
type Summary struct {
	Meetings   int
	Changed    int // meetings that changed
	Votes      int // votes of the changed meetings
	Anomalies  int // anomalies of the changed meetings
	Failed     int // meetings that could not be read; the log has the errors
	Unreadable int // documents with status parse_error
	Forbidden  int // pages and documents that robots.txt forbids; their meetings do not count as failed
}

// Plus adds the summary of another portal.
func (s Summary) Plus(o Summary) Summary {
	return Summary{
		Meetings:   s.Meetings + o.Meetings,
		Changed:    s.Changed + o.Changed,
		Votes:      s.Votes + o.Votes,
		Anomalies:  s.Anomalies + o.Anomalies,
		Failed:     s.Failed + o.Failed,
		Unreadable: s.Unreadable + o.Unreadable,
		Forbidden:  s.Forbidden + o.Forbidden,
	}
}

// AllAdvice follows the advice on robots.txt. It is needed because scheduled ingests do not return
// to old meetings.
const AllAdvice = "; with leave, townline council ingest --all reads what was left out"

// Incomplete returns an error with the failures of an ingest and the next step, or nil.
func (s Summary) Incomplete() error {
	var errs []error
	if s.Failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %d meetings could not be read in full; what could is stored, and the next "+
			"ingest tries them again", s.Failed, s.Meetings))
	}
	if s.Forbidden > 0 {
		advice := portal.Advice(portal.Product{}, portal.ErrForbidden)
		errs = append(errs, fmt.Errorf("%d pages or documents were not read: %w (%s%s)", s.Forbidden, portal.ErrForbidden,
			advice, AllAdvice))
	}
	return errors.Join(errs...)
}

// ErrStorage marks errors of the database or the object store that concern every meeting.
var ErrStorage = errors.New("cannot store")

// MarkStorage marks err with ErrStorage if the database as a whole is affected, not only one
// meeting's data.
func MarkStorage(err error) error {
	if pg.FaultOf(err) == pg.FaultDatabase {
		return fmt.Errorf("%w: %w", ErrStorage, err)
	}
	return err
}

// Recover turns a panic into an error. Call it with defer, so that one bad page or document only
// fails its own meeting.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
