// Package visit reads the council's portals. It stores each meeting in one transaction: answers and
// minutes as fetched, and the derived data.
//
// It does not depend on products and does not parse; see packages portal, archive and publish. An
// error or a shorter list deletes nothing, and an incomplete meeting is visited again.
//
// Start with Ingest; due.go numbers meetings and selects those to visit, meeting.go visits one,
// minutes.go fetches its minutes.
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
	"github.com/townline/townline/services/council-ingest/internal/bodies"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// Portals are the portals of one council.
type Portals struct {
	deps   run.Deps
	set    *settings.Settings
	others map[int64]other // meetings of other bodies, kept from one ingest to the next in this process

	onRequest func(portal.Outcome)
}

// New returns the portals of a council. onRequest, if not nil, is called with the outcome of each
// request.
func New(deps run.Deps, set *settings.Settings, onRequest func(portal.Outcome)) *Portals {
	return &Portals{deps: deps, set: set, onRequest: onRequest, others: map[int64]other{}}
}

// ingestLock is the lock of a council's only ingest, by a service or a command. It is needed
// because a portal must get its requests at a limited rate.
const ingestLock = "council portals"

const retryLock = time.Second

// Ingest waits until no other process ingests from the portals of this council, and then ingests.
// It reports that it waits.
func (p *Portals) Ingest(ctx context.Context, req Request) (writer.Summary, error) {
	if !p.set.Configured() {
		return writer.Summary{}, errors.New("no portal is configured: let COUNCIL_CONFIG name a council.yaml with " +
			"portal.url in it, or give its address with --portal")
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
		if !wait.For(ctx, retryLock) {
			return writer.Summary{}, context.Cause(ctx)
		}
	}
}

// ingest updates the tables from the portals. If it is interrupted, the next ingest continues.
// Meetings that cannot be read are counted and logged, and the next ingest tries them again. An
// error concerns all meetings, or all meetings of one portal; then the other portals are still
// read.
func (p *Portals) ingest(ctx context.Context, req Request) (writer.Summary, error) {
	publisher := publish.New(p.deps, p.set)
	publisher.DryRun = req.DryRun
	sources, err := p.set.Sources()
	if err != nil {
		return writer.Summary{}, err
	}
	var sum writer.Summary
	var failed []error
	unlisted := 0
	for i := range sources {
		v := &visitor{Publisher: publisher, Portals: p, req: req, src: &sources[i], all: sources}
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
			failed = append(failed, fmt.Errorf("%s: %w", v.src.Key, err))
		case err != nil:
			return sum, err
		}
	}
	err = errors.Join(failed...)
	if stored := p.storeDivision(ctx, publisher); stored != nil {
		return sum, stored
	}
	if req.DryRun {
		return sum, err
	}
	if req.MeetingID == 0 {
		if err := publisher.PublishOver(ctx, &sum); err != nil {
			return sum, err
		}
	}
	if ended := publisher.Finish(ctx, sum.Changed > 0); ended != nil || err != nil || sum.Failed > 0 || req.Since != "" ||
		req.Until != "" || req.MeetingID != 0 || req.Body != "" {
		return sum, errors.Join(err, ended)
	}
	// Other replicas, and this one after a restart, wait until the next ingest is due.
	if _, err := p.deps.DB.Exec(ctx, `UPDATE council.dataset SET checked_at = now()`); err != nil {
		return sum, fmt.Errorf("end the ingest: %w", err)
	}
	return sum, nil
}

func (v *visitor) ingest(ctx context.Context) (writer.Summary, error) {
	if err := v.setDates(); err != nil || v.to.Before(v.from) { // the portal has no meetings on these days
		return writer.Summary{}, err
	}
	var err error
	v.reader, err = v.src.Open(ctx, v.req.AllowPrivate, 0, v.onRequest)
	if err != nil {
		return writer.Summary{}, v.withAdvice(err)
	}
	defer v.reader.Close()
	stored, err := v.storedMeetings(ctx)
	if err != nil {
		return writer.Summary{}, err
	}
	window := portal.Window{From: v.from, To: v.to, Back: v.from}
	// The first ingest, and an ingest of old meetings, read everything. Other ingests only read data
	// that may still change.
	if len(stored) > 0 && !v.req.All && v.req.Since == "" && v.req.Until == "" &&
		(v.req.MeetingID == 0 || stored[v.req.MeetingID] != nil) {
		window.Back = v.Now().In(v.set.Zone()).Add(-recentFor)
		for _, id := range v.req.Again {
			if k := stored[id]; k != nil && k.StartsAt.Before(window.Back) {
				window.Back = k.StartsAt.In(v.set.Zone())
			}
		}
		window.Changed, err = v.changedSince(ctx)
		if err != nil {
			return writer.Summary{}, err
		}
	}
	rows, err := v.reader.Meetings(ctx, window)
	if err != nil {
		return writer.Summary{}, v.withAdvice(err)
	}
	for i := range rows {
		rows[i].Clean()
	}
	if err := v.chooseBodies(ctx, rows, stored); err != nil {
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
	if err == nil {
		err = v.noteBodies(ctx)
	}
	if err == nil && len(stored) == 0 && sum.Meetings == 0 && len(v.others) > 0 {
		err = v.noneOurs()
	}
	return sum, err
}

func (v *visitor) withAdvice(err error) error {
	if advice := portal.Advice(v.src.Product, err); advice != "" {
		return fmt.Errorf("ingest: %w (%s)", err, advice)
	}
	return fmt.Errorf("ingest: %w", err)
}

func (v *visitor) visitAll(ctx context.Context, due []listed) (writer.Summary, error) {
	var sum writer.Summary
	v.failures = map[bodies.Name]int{}
	for i, row := range due {
		p := Progress{Done: i + 1, Total: len(due), MeetingID: row.id, Body: row.Body}
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
			v.Deps.Log.Warn("the portal links to a missing page or document; the next ingest tries it again", "meeting",
				row.id, "error",
				err)
			err = nil
		case v.isForbidden(err):
			err = nil
		case err != nil:
			sum.Failed++
			v.failures[nameOf(row.Meeting)]++
			v.Deps.Log.Warn("a meeting could not be ingested; the next ingest tries it again", "meeting", row.id, "error", err)
		}
		sum.Forbidden = v.forbiddenCount
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
		v.Deps.Log.Warn("robots.txt of the portal forbids pages or documents; the rest of their meetings is stored",
			"forbidden", sum.Forbidden, "advice", portal.Advice(v.src.Product, portal.ErrForbidden)+writer.AllAdvice)
	}
	return sum, nil
}

// A Request says what to ingest. The zero value means everything that may have changed: at first
// all meetings, later recent meetings and meetings whose calendar row has changed.
type Request struct {
	Since, Until string // first and last local date of meetings, YYYY-MM-DD; "" means no limit
	MeetingID    int64  // the only meeting to read; 0 means all
	Body         string // the only body to read, by its name; "" means all
	All          bool   // read unchanged meetings too
	DryRun       bool   // roll everything back
	AllowPrivate bool   // allow portals on private and loopback addresses
	Accept       bool   // accept a record with less data than an earlier record; by default it is withheld
	// Progress, if not nil, is called after each meeting.
	Progress func(Progress)
	// Waiting, if not nil, is called once if this ingest waits for another ingest.
	Waiting func(message string)
	// Again lists meetings to read again, whether they changed or not.
	Again []int64
}

// Progress is the result for one meeting of an ingest.
type Progress struct {
	Done, Total int
	MeetingID   int64
	Body        string // as the calendar writes it
	Date        string
	Status      council.Status
	Votes       int
	Anomalies   int
	Changed     bool
	Err         error // the next ingest tries the meeting again
}

type visitor struct {
	*publish.Publisher
	*Portals
	req            Request
	src            *settings.PortalSource
	all            []settings.PortalSource // all portals of the council
	reader         portal.Reader
	from, to       time.Time // first and last day of the meetings
	body           string    // body of council.yaml, as the calendar writes it
	meanings       map[bodies.Name]bodies.Meaning
	failures       map[bodies.Name]int // number of failed meetings by body
	forbiddenCount int                 // number of pages and documents that robots.txt forbids
}

// isForbidden reports whether robots.txt forbids a request, and counts it. A forbidden request does
// not cause an early retry.
func (v *visitor) isForbidden(err error) bool {
	is := errors.Is(err, portal.ErrForbidden)
	if is {
		v.forbiddenCount++
	}
	return is
}

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

// within reports whether a meeting is on one of the days, or has no known start.
func (v *visitor) within(starts time.Time) bool {
	return starts.IsZero() || !starts.Before(v.from) && starts.Before(v.to.AddDate(0, 0, 1))
}

// An other is a meeting of another body that only its page names. The page is requested again only
// if the meeting's row changes.
type other struct {
	rowHash [sha256.Size]byte
	body    string
}

// ahead is how far into the future meetings are listed.
const ahead = 2 * 365 * 24 * time.Hour
