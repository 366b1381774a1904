package councilingest

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

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/portal"
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

	visit  []int64              // meetings to read again, changed or not
	others map[int64]other      // what earlier requests learned of meetings that are not stored; this one adds to it
	asked  func(portal.Outcome) // counts requests to the portal
}

// An other is a meeting of another board, which only its page names. As long as its row stays the same, its page is not requested again.
type other struct {
	row   [sha256.Size]byte
	board string
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

const (
	// recent is how long after a meeting its page and minutes are looked at again
	// although the calendar shows nothing new: minutes get approved, and corrected.
	recent = 120 * 24 * time.Hour
	// ahead is how far into the future calendars are read.
	ahead = 2 * 365 * 24 * time.Hour
)

// errDry ends a transaction of a dry run.
var errDry = errors.New("dry run")

// Ingest brings the tables to what the portals show. It ends when everything that
// it found is stored, or its context does; what was stored by then stays, and the
// next ingest goes on from there. Meetings that cannot be read are counted,
// logged, and tried again at the next ingest; the error is for what concerns all of them, or all of one portal: the others are read all the same.
func Ingest(ctx context.Context, deps run.Deps, set *Settings, req Request) (Summary, error) {
	if !set.configured() {
		return Summary{}, errors.New("no portal is configured: let COUNCIL_CONFIG name a council.yaml with portal.url in it, or give its address with --portal")
	}
	if req.others == nil {
		req.others = map[int64]other{}
	}
	d := newDesk(deps, set)
	sources, err := set.sources()
	if err != nil {
		return Summary{}, err
	}
	var sum Summary
	var wrong []error
	unlisted := 0
	for i := range sources {
		v := &visitor{desk: d, req: req, src: &sources[i], all: sources}
		one, err := v.ingest(ctx)
		sum = sum.plus(one)
		switch {
		case ctx.Err() != nil:
			return sum, context.Cause(ctx)
		case errors.Is(err, errDatabase):
			return sum, err
		case errors.Is(err, errNotListed):
			if unlisted++; unlisted < len(sources) {
				continue
			}
			return sum, err
		case err != nil && len(sources) > 1:
			wrong = append(wrong, fmt.Errorf("%s: %w", v.src.key, err))
		case err != nil:
			return sum, err
		}
	}
	err = errors.Join(wrong...)
	if req.DryRun {
		return sum, err
	}
	if req.MeetingID == 0 {
		if err := d.passTime(ctx, &sum); err != nil {
			return sum, err
		}
	}
	if ended := d.finish(ctx, sum.Changed > 0); ended != nil || err != nil || sum.Failed > 0 || req.Since != "" || req.Until != "" || req.MeetingID != 0 {
		return sum, errors.Join(err, ended)
	}
	// So that no other replica, and no restart, asks the portal for the same again before its time.
	if _, err := deps.DB.Exec(ctx, `UPDATE council.dataset SET checked_at = now()`); err != nil {
		return sum, fmt.Errorf("end the ingest: %w", err)
	}
	return sum, nil
}

// ingest reads one portal.
func (v *visitor) ingest(ctx context.Context) (Summary, error) {
	from, to, err := v.dates()
	if err != nil || to.Before(from) { // on none of the days the portal is the council's
		return Summary{}, err
	}
	v.source, err = v.src.open(ctx, v.src.config(v.req.AllowPrivate, 0, v.req.asked))
	if err != nil {
		return Summary{}, v.unreachable(err)
	}
	defer v.source.Close()
	stored, err := v.known(ctx)
	if err != nil {
		return Summary{}, err
	}
	window := portal.Window{From: from, To: to, Back: from}
	// A first load, and one of old meetings, goes after all that there is; the daily one after what can still change.
	if len(stored) > 0 && !v.req.All && v.req.Since == "" && v.req.Until == "" && (v.req.MeetingID == 0 || stored[v.req.MeetingID] != nil) {
		window.Back = v.now().In(v.set.zone).Add(-recent)
		for _, id := range v.req.visit {
			if k := stored[id]; k != nil && k.StartsAt.Before(window.Back) {
				window.Back = k.StartsAt.In(v.set.zone)
			}
		}
		if window.Changed, err = v.checked(ctx); err != nil {
			return Summary{}, err
		}
	}
	rows, err := v.source.Meetings(ctx, window)
	if err != nil {
		return Summary{}, v.unreachable(err)
	}
	if v.board, err = v.chooseBoard(rows, stored); err != nil {
		return Summary{}, err
	}
	numbered, err := v.numbered(ctx, rows, from, to)
	if err != nil {
		return Summary{}, err
	}
	due, err := v.due(numbered, stored, from, to)
	if err != nil {
		return Summary{}, err
	}
	sum, err := v.visitAll(ctx, due)
	if err == nil && len(stored) == 0 && sum.Meetings == 0 && len(v.req.others) > 0 {
		err = v.noneOurs()
	}
	return sum, err
}

// checked is since when changes have to be asked for; zero when that is not known.
func (v *visitor) checked(ctx context.Context) (time.Time, error) {
	if !v.source.Can().Changes {
		return time.Time{}, nil
	}
	var at *time.Time
	var here bool
	err := v.deps.DB.QueryRow(ctx, `SELECT checked_at, EXISTS (SELECT FROM council.meeting_key WHERE source = $1) FROM council.dataset`, v.src.Name).Scan(&at, &here)
	if err != nil {
		return time.Time{}, unstored(fmt.Errorf("ingest: read when the portal was looked at: %w", err))
	}
	if at == nil || !here { // of a portal that is new everything is
		return time.Time{}, nil
	}
	return at.Add(-overlap), nil
}

// overlap is how much of the time before the last look is asked for again: clocks differ, and an ingest takes its time.
const overlap = 48 * time.Hour

// unreachable says of an error that concerns the whole portal what to do about it.
func (v *visitor) unreachable(err error) error {
	if advice := portal.Advice(v.src.product, err); advice != "" {
		return fmt.Errorf("ingest: %w (%s)", err, advice)
	}
	return fmt.Errorf("ingest: %w", err)
}

// A visitor is one ingest of one portal under way.
type visitor struct {
	*desk
	req    Request
	src    *source
	all    []source // the portals of the council
	source portal.Source
	board  string // whose meetings are kept, as the calendar writes it
	kept   int    // pages and documents that robots.txt keeps from us
}

// forbidden reports whether it is robots.txt that keeps from us what was asked for, and counts it. That is no reason to come again soon.
func (v *visitor) forbidden(err error) bool {
	is := errors.Is(err, portal.ErrForbidden)
	if is {
		v.kept++
	}
	return is
}

// dates are the days to ask the calendar for.
func (v *visitor) dates() (from, to time.Time, err error) {
	from, to = time.Date(1900, 1, 1, 0, 0, 0, 0, v.set.zone), v.now().In(v.set.zone).Add(ahead)
	for _, bound := range []struct {
		name, text string
		into       *time.Time
	}{{"since", v.req.Since, &from}, {"until", v.req.Until, &to}} {
		if bound.text == "" {
			continue
		}
		if *bound.into, err = time.ParseInLocation(time.DateOnly, bound.text, v.set.zone); err != nil {
			return from, to, fmt.Errorf("%s %q is not a day, written YYYY-MM-DD", bound.name, bound.text)
		}
	}
	if f := v.src.from; f.After(from) {
		from = f
	}
	if t := v.src.to; !t.IsZero() && t.Before(to) {
		to = t
	}
	return from, to, nil
}

// A known is what is stored of a meeting that decides whether to visit it again.
type known struct {
	IQM2ID   int64 `db:"iqm2_id"`
	Source   string
	Body     string
	StartsAt time.Time
	Row      []byte
}

const selectKnown = `SELECT iqm2_id, coalesce(source, '') AS source, body, starts_at, row_sha256 AS row FROM council.meeting`

// known is what is stored of the meetings, by id.
func (v *visitor) known(ctx context.Context) (map[int64]*known, error) {
	found, err := v.deps.DB.Query(ctx, selectKnown)
	if err != nil {
		return nil, fmt.Errorf("ingest: read what is known: %w", err)
	}
	all, err := pgx.CollectRows(found, pgx.RowToStructByName[known])
	if err != nil {
		return nil, fmt.Errorf("ingest: read what is known: %w", err)
	}
	stored := make(map[int64]*known, len(all))
	for _, k := range all {
		stored[k.IQM2ID] = &k
	}
	return stored, nil
}

// due is the rows of meetings to visit: of our board and days, and new, changed,
// recent, or asked for. Not every portal keeps to the days that it is asked for, and what a row does not say is on the page.
func (v *visitor) due(rows []listed, stored map[int64]*known, from, to time.Time) ([]listed, error) {
	now := v.now()
	var due []listed
	found := false
	for _, row := range rows {
		if v.req.MeetingID != 0 && row.id != v.req.MeetingID {
			continue
		}
		found = true
		sum, board := row.Sum, row.Body
		if o, seen := v.req.others[row.id]; board == "" && seen && o.row == sum {
			board = o.board
		}
		ours := board == "" || strings.EqualFold(board, v.board)
		if v.req.MeetingID != 0 {
			if !ours {
				return nil, fmt.Errorf("meeting %d is of %q, not of %q", row.id, board, v.board)
			}
			due = append(due, row)
			continue
		}
		if !ours || !within(row.Starts, from, to) {
			continue
		}
		k, starts := stored[row.id], row.Starts
		if k != nil && v.others(k) {
			continue
		}
		if starts.IsZero() && k != nil {
			starts = k.StartsAt
		}
		switch {
		case v.req.All, slices.Contains(v.req.visit, row.id), k == nil, !bytes.Equal(k.Row, sum[:]):
		case !row.State.Off() && now.Sub(starts) < recent:
		default:
			continue
		}
		due = append(due, row)
	}
	if v.req.MeetingID != 0 && !found {
		return nil, fmt.Errorf("meeting %d %w", v.req.MeetingID, errNotListed)
	}
	// Oldest first: ids count up with time, as people expect.
	slices.SortStableFunc(due, func(a, b listed) int { return a.Starts.Compare(b.Starts) })
	return due, nil
}

// within reports whether a meeting is on one of the days; one of which nobody knows when it is may be.
func within(starts, from, to time.Time) bool {
	return starts.IsZero() || !starts.Before(from) && starts.Before(to.AddDate(0, 0, 1))
}

// errNotListed says that a meeting that was asked for is not there.
var errNotListed = errors.New("is not on the portal's calendar")

func (v *visitor) visitAll(ctx context.Context, due []listed) (Summary, error) {
	var sum Summary
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
		case errors.Is(err, errDatabase):
			return sum, err
		case portal.Refused(err):
			v.deps.Log.Warn("the portal leads to what it does not have; it will be looked for again", "meeting", row.id, "error", err)
			err = nil
		case v.forbidden(err): // so that there is nothing to store
			err = nil
		case err != nil:
			sum.Failed++
			v.deps.Log.Warn("a meeting could not be ingested; it will be tried again", "meeting", row.id, "error", err)
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
		v.deps.Log.Warn("robots.txt of the portal forbids pages or documents; what else is known of their meetings is kept", "forbidden", sum.Forbidden, "advice", portal.Advice(v.src.product, portal.ErrForbidden)+advised)
	}
	return sum, nil
}

// errNotOurs says that a meeting turned out to be another board's, or of another day than was asked for.
var errNotOurs = errors.New("not a meeting that was asked for")
