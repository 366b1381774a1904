// Package visit asks the council's portals for what may have changed, and stores each meeting in one transaction: the
// answers and the minutes as fetched, and what follows from them.
//
// It knows no product, parses nothing and decides on no vote: package portal asks, package archive keeps, package
// publish derives. What is missing is not empty: an error or a shorter list deletes nothing, and a meeting that was not
// read in full is visited again.
//
// Start with Ingest; number.go gives meetings their numbers, due.go chooses which to visit, meeting.go is one visit,
// minutes.go the document that is its minutes. visitor.go is what they share.
package visit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// A Request says what to ingest. The zero value is everything that can have
// changed: at first all meetings, later those of the last months and those whose row
// on the calendar looks different.
type Request struct {
	// Since and Until bound the local date of meetings, both inclusive, YYYY-MM-DD; empty is open.
	Since, Until string
	// MeetingID is the one meeting to look at; 0 is all.
	MeetingID int64
	// All reads every meeting of the range again, changed or not.
	All bool
	// DryRun does everything but keep it.
	DryRun bool
	// AllowPrivate lets the portal be on a private or loopback address.
	AllowPrivate bool
	// Accept takes over a record that shows less than an earlier one; without it that is kept back.
	Accept bool
	// Progress, if set, is called for each meeting once it is done.
	Progress func(Progress)
	// Waiting, if set, is called once if another ingest runs, which this one waits for.
	Waiting func(message string)
	// Again are meetings to read again, changed or not.
	Again []int64
}

// Progress is one meeting of an ingest, done.
type Progress struct {
	Done, Total int
	MeetingID   int64
	Date        string
	Status      council.Status
	Votes       int
	Anomalies   int
	Changed     bool
	Err         error // why it failed; it is tried again at the next ingest
}

// A visitor is one ingest of one portal under way.
type visitor struct {
	*publish.Publisher
	set    *settings.Settings
	req    Request
	src    *settings.Source
	all    []settings.Source // the portals of the council
	source portal.Source
	from   time.Time // the first and the last day of meetings
	to     time.Time
	board  string               // whose meetings are kept, as the calendar writes it
	others map[int64]other      // meetings of other boards that are known by now; this ingest adds to them
	asked  func(portal.Outcome) // counts requests, if set
	kept   int                  // pages and documents that robots.txt keeps from us
}

// forbidden reports whether it is robots.txt that keeps from us what was asked for, and counts it. That is no reason to come again soon.
func (v *visitor) forbidden(err error) bool {
	is := errors.Is(err, portal.ErrForbidden)
	if is {
		v.kept++
	}
	return is
}

// setDates computes the days to ask the calendar for.
func (v *visitor) setDates() (err error) {
	zone := v.set.Zone()
	v.from, v.to = time.Date(1900, 1, 1, 0, 0, 0, 0, zone), v.Now().In(zone).Add(ahead)
	for _, bound := range []struct {
		name, text string
		into       *time.Time
	}{{"since", v.req.Since, &v.from}, {"until", v.req.Until, &v.to}} {
		if bound.text == "" {
			continue
		}
		*bound.into, err = time.ParseInLocation(time.DateOnly, bound.text, zone)
		if err != nil {
			return fmt.Errorf("%s %q is not a day, written YYYY-MM-DD", bound.name, bound.text)
		}
	}
	if v.src.From.After(v.from) {
		v.from = v.src.From
	}
	if !v.src.To.IsZero() && v.src.To.Before(v.to) {
		v.to = v.src.To
	}
	return nil
}

// within reports whether a meeting is on one of those days; one of which nobody knows when it is may be.
func (v *visitor) within(starts time.Time) bool {
	return starts.IsZero() || !starts.Before(v.from) && starts.Before(v.to.AddDate(0, 0, 1))
}

// An other is a meeting of another board, which only its page names. As long as its row stays the same, its page is not requested again.
type other struct {
	row   [sha256.Size]byte
	board string
}

// ahead is how far into the future calendars are read.
const ahead = 2 * 365 * 24 * time.Hour
