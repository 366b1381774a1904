// Package visit asks the council's portals for what may have changed, and stores each meeting in
// one transaction: the answers and the minutes as fetched, and what follows from them.
//
// It knows no product, parses nothing and decides on no vote: package portal asks, package archive
// keeps, package publish derives. What is missing is not empty: an error or a shorter list deletes
// nothing, and a meeting that was not read in full is visited again.
//
// Start with Ingest; due.go gives meetings their numbers and chooses which to visit, meeting.go is
// one visit, minutes.go the document that is its minutes.
package visit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// Portals are those of one council, asked by one ingest at a time.
type Portals struct {
	deps   run.Deps
	set    *settings.Settings
	asked  func(portal.Outcome)
	others map[int64]other // meetings of other boards that are known by now; each ingest adds to them
}

// New returns the portals of a council; asked, if set, is called with the outcome of each request.
func New(deps run.Deps, set *settings.Settings, asked func(portal.Outcome)) *Portals {
	return &Portals{deps: deps, set: set, asked: asked, others: map[int64]other{}}
}

// ingestLock is held by the one ingest of a council's portals: a portal is asked by one, at one
// pace, whether a service or a command asks.
const ingestLock = "council portals"

// askAgain is how often an ingest that waits looks whether the other has ended.
const askAgain = time.Second

// Ingest waits until no other process ingests from the portals of this council, and says so; then
// it ingests.
func (p *Portals) Ingest(ctx context.Context, req Request) (writer.Summary, error) {
	if !p.set.Configured() {
		return writer.Summary{}, errors.New("no portal is configured: let COUNCIL_CONFIG name a council.yaml with portal.url " +
			"in it, or give its address with --portal")
	}
	var sum writer.Summary
	for waited := false; ; waited = true {
		alone, err := pg.TryAlone(ctx, p.deps.DB, ingestLock, func(ctx context.Context) (err error) {
			sum, err = p.ingest(ctx, req)
			return err
		})
		if alone || err != nil {
			return sum, err
		}
		if !waited {
			const message = "another ingest of this council is running; this one begins when it has ended"
			p.deps.Log.Info(message)
			if req.Waiting != nil {
				req.Waiting(message)
			}
		}
		if !wait.For(ctx, askAgain) {
			return writer.Summary{}, context.Cause(ctx)
		}
	}
}

// ingest brings the tables to what the portals show. It ends when everything that it found is
// stored, or its context does; what was stored by then stays, and the next ingest goes on from
// there. Meetings that cannot be read are counted, logged, and tried again at the next ingest; the
// error is for what concerns all of them, or all of one portal: the others are read all the same.
func (p *Portals) ingest(ctx context.Context, req Request) (writer.Summary, error) {
	d := publish.New(p.deps, p.set)
	d.DryRun = req.DryRun
	sources, err := p.set.Sources()
	if err != nil {
		return writer.Summary{}, err
	}
	var sum writer.Summary
	var wrong []error
	unlisted := 0
	for i := range sources {
		v := &visitor{Publisher: d, Portals: p, req: req, src: &sources[i], all: sources}
		one, err := v.ingest(ctx)
		sum = sum.Plus(one)
		switch {
		case ctx.Err() != nil:
			return sum, context.Cause(ctx)
		case errors.Is(err, writer.ErrStorage):
			return sum, err
		case errors.Is(err, errNotListed):
			if unlisted++; unlisted < len(sources) {
				continue
			}
			return sum, err
		case err != nil && len(sources) > 1:
			wrong = append(wrong, fmt.Errorf("%s: %w", v.src.Key, err))
		case err != nil:
			return sum, err
		}
	}
	err = errors.Join(wrong...)
	if req.DryRun {
		return sum, err
	}
	if req.MeetingID == 0 {
		if err := d.PublishOver(ctx, &sum); err != nil {
			return sum, err
		}
	}
	if ended := d.Finish(ctx, sum.Changed > 0); ended != nil || err != nil || sum.Failed > 0 || req.Since != "" ||
		req.Until != "" || req.MeetingID != 0 {
		return sum, errors.Join(err, ended)
	}
	// So that no other replica, and no restart, asks the portal for the same again before its time.
	if _, err := d.Deps.DB.Exec(ctx, `UPDATE council.dataset SET checked_at = now()`); err != nil {
		return sum, fmt.Errorf("end the ingest: %w", err)
	}
	return sum, nil
}

// ingest reads one portal.
func (v *visitor) ingest(ctx context.Context) (writer.Summary, error) {
	if err := v.setDates(); err != nil || v.to.Before(v.from) { // on none of the days the portal is the council's
		return writer.Summary{}, err
	}
	var err error
	v.source, err = v.src.Open(ctx, v.req.AllowPrivate, 0, v.asked)
	if err != nil {
		return writer.Summary{}, v.unreachable(err)
	}
	defer v.source.Close()
	stored, err := v.known(ctx)
	if err != nil {
		return writer.Summary{}, err
	}
	window := portal.Window{From: v.from, To: v.to, Back: v.from}
	// A first load, and one of old meetings, goes after all that there is; the daily one after what
	// can still change.
	if len(stored) > 0 && !v.req.All && v.req.Since == "" && v.req.Until == "" &&
		(v.req.MeetingID == 0 || stored[v.req.MeetingID] != nil) {
		window.Back = v.Now().In(v.set.Zone()).Add(-recent)
		for _, id := range v.req.Again {
			if k := stored[id]; k != nil && k.StartsAt.Before(window.Back) {
				window.Back = k.StartsAt.In(v.set.Zone())
			}
		}
		window.Changed, err = v.checked(ctx)
		if err != nil {
			return writer.Summary{}, err
		}
	}
	rows, err := v.source.Meetings(ctx, window)
	if err != nil {
		return writer.Summary{}, v.unreachable(err)
	}
	v.board, err = v.chooseBoard(rows, stored)
	if err != nil {
		return writer.Summary{}, err
	}
	numbered, err := v.numbered(ctx, rows)
	if err != nil {
		return writer.Summary{}, err
	}
	due, err := v.due(numbered, stored)
	if err != nil {
		return writer.Summary{}, err
	}
	sum, err := v.visitAll(ctx, due)
	if err == nil && len(stored) == 0 && sum.Meetings == 0 && len(v.others) > 0 {
		err = v.noneOurs()
	}
	return sum, err
}

// unreachable says of an error that concerns the whole portal what to do about it.
func (v *visitor) unreachable(err error) error {
	if advice := portal.Advice(v.src.Product, err); advice != "" {
		return fmt.Errorf("ingest: %w (%s)", err, advice)
	}
	return fmt.Errorf("ingest: %w", err)
}

func (v *visitor) visitAll(ctx context.Context, due []listed) (writer.Summary, error) {
	var sum writer.Summary
	for i, row := range due {
		p := Progress{Done: i + 1, Total: len(due), MeetingID: row.id}
		if !row.Starts.IsZero() {
			p.Date = row.Starts.Format(time.DateOnly)
		}
		err := v.visit(ctx, row, &p)
		switch {
		case ctx.Err() != nil:
			return sum, context.Cause(ctx)
		case errors.Is(err, errNotOurs):
			continue
		}
		sum.Meetings++
		if p.Changed {
			sum.Changed++
		}
		switch {
		case errors.Is(err, writer.ErrStorage):
			return sum, err
		case portal.IsRefused(err):
			v.Deps.Log.Warn("the portal leads to what it does not have; it will be looked for again", "meeting", row.id, "error",
				err)
			err = nil
		case v.forbidden(err): // so that there is nothing to store
			err = nil
		case err != nil:
			sum.Failed++
			v.Deps.Log.Warn("a meeting could not be ingested; it will be tried again", "meeting", row.id, "error", err)
		}
		sum.Forbidden = v.kept
		sum.Votes += p.Votes
		sum.Anomalies += p.Anomalies
		if p.Status == council.StatusParseError {
			sum.Unreadable++
		}
		if v.req.Progress != nil {
			p.Err = err
			v.req.Progress(p)
		}
	}
	if sum.Forbidden > 0 {
		v.Deps.Log.Warn("robots.txt of the portal forbids pages or documents; what else is known of their meetings is kept",
			"forbidden", sum.Forbidden, "advice", portal.Advice(v.src.Product, portal.ErrForbidden)+writer.AllAdvice)
	}
	return sum, nil
}

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
	*Portals
	req    Request
	src    *settings.PortalSource
	all    []settings.PortalSource // the portals of the council
	source portal.Reader
	from   time.Time // the first and the last day of meetings
	to     time.Time
	board  string // whose meetings are kept, as the calendar writes it
	kept   int    // pages and documents that robots.txt keeps from us
}

// forbidden reports whether it is robots.txt that keeps from us what was asked for, and counts it.
// That is no reason to come again soon.
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

// within reports whether a meeting is on one of those days; one of which nobody knows when it is
// may be.
func (v *visitor) within(starts time.Time) bool {
	return starts.IsZero() || !starts.Before(v.from) && starts.Before(v.to.AddDate(0, 0, 1))
}

// An other is a meeting of another board, which only its page names. As long as its row stays the
// same, its page is not requested again.
type other struct {
	row   [sha256.Size]byte
	board string
}

// ahead is how far into the future calendars are read.
const ahead = 2 * 365 * 24 * time.Hour
