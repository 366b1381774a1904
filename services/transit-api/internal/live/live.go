// Package live keeps the last snapshot of each realtime source in memory, indexed with the edition
// of its feed. When a client reads a stale source, it requests a poll.
//
// Tables are the truth and events are hints: a lost event costs a second. Package realtime decodes
// the messages.
package live

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

const (
	period      = time.Second           // between reads of the source table without events
	feedsPeriod = 20 * time.Millisecond // between checks, at the start, that the feeds are loaded
	maxCalls    = 1_000_000             // maximum calls of the trips in a message: several times those of large feeds
)

// A SourceState is a realtime source at one moment: its row and last snapshot. It is immutable.
type SourceState struct {
	sourceRow
	version            replica.Version  // version with which the snapshot was indexed; 0 if the feed is not loaded
	edition            *edition.Edition // edition of that version
	*realtime.Snapshot                  // nil before the first poll
	requested          *atomic.Int64    // when a refresh was last requested
}

type sourceRow struct {
	Alias      string
	Source     string
	Kind       string
	StaleAfter time.Duration
	FetchedAt  *time.Time
	SnapshotID *int64
}

var liveSources = rest.SQL[rest.None, sourceRow](`
	SELECT alias, source, kind, stale_after, fetched_at, snapshot_id
	FROM transit.source
	ORDER BY alias, source`)

type sourceKey struct{ Alias, Source string }

// A storedSource is the row of a source with its snapshot. One query reads both, because the poller
// replaces them together.
type storedSource struct {
	sourceRow
	Data []byte
}

var liveSource = rest.SQL[sourceKey, storedSource](`
	SELECT s.alias, s.source, s.kind, s.stale_after, s.fetched_at, s.snapshot_id, n.data
	FROM transit.source s
	LEFT JOIN transit.snapshot n USING (snapshot_id)
	WHERE s.alias = @alias AND s.source = @source`)

func (r *sourceRow) name() string { return r.Alias + " " + r.Source }

func (r *sourceRow) key() string {
	key := fmt.Sprintf("%s %s %d", r.name(), r.Kind, r.StaleAfter)
	if r.FetchedAt != nil {
		key += fmt.Sprintf(" at %d", r.FetchedAt.UnixMicro())
	}
	if r.SnapshotID != nil {
		key += fmt.Sprintf(" is %d", *r.SnapshotID)
	}
	return key
}

// Live holds the current realtime data. Run keeps it up to date.
type Live struct {
	db        rest.DB
	bus       *events.Bus
	log       *slog.Logger
	dir       *edition.Directory
	news      *News
	now       atomic.Pointer[moment] // nil until the table has been read
	mu        sync.Mutex             // held during a refresh; guards the fields below
	requested map[string]*atomic.Int64
	logged    map[string]string // last logged problem, by source
}

func New(deps run.Deps, dir *edition.Directory, news *News) *Live {
	return &Live{db: deps.DB, bus: deps.Events, log: deps.Log, dir: dir, news: news, requested: map[string]*atomic.Int64{},
		logged: map[string]string{}}
}

// Run keeps the data up to date until ctx ends.
func (l *Live) Run(ctx context.Context) error {
	// Wait for the feeds: without an edition, messages would be served without their trips.
	for l.dir.Ready(ctx) != nil && wait.For(ctx, feedsPeriod) {
	}
	loop := run.Loop{Name: "read the realtime sources", Period: period, Timeout: 30 * time.Second, Log: l.log}
	return run.Watch(ctx, l.bus, loop, func(ctx context.Context) error {
		err := l.Refresh(ctx)
		l.RequestStale(ctx, time.Now())
		return err
	}, run.On[eventsv1.SnapshotStored])
}

// Ready returns nil after the sources have been read.
func (l *Live) Ready(context.Context) error {
	if l.now.Load() == nil {
		return errors.New("not read yet")
	}
	return nil
}

// Refresh reads the source table, loads and indexes new snapshots, and replaces all data at once. A
// source that cannot be indexed keeps its last snapshot.
func (l *Live) Refresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, err := liveSources.List(ctx, l.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read realtime sources: %w", err)
	}
	feeds := l.dir.Now()
	if feeds == nil {
		return errors.New("the feed table has not been read yet")
	}
	before := map[string]*SourceState{}
	changed := true
	if old := l.now.Load(); old != nil {
		for _, s := range old.sources {
			before[s.name()] = s
		}
		changed = len(rows) != len(old.sources)
	}
	next := &moment{sources: make([]*SourceState, 0, len(rows))}
	for _, row := range rows {
		old := before[row.name()]
		s, err := l.source(ctx, feeds.ByAlias[row.Alias], row, old)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.report(row.name(), err)
		changed = changed || s != old
		if s != nil {
			next.sources = append(next.sources, s)
		}
	}
	if !changed {
		return nil
	}
	next.makeViews()
	l.now.Store(next)
	l.news.Notify()
	return nil
}

func (l *Live) report(name string, err error) {
	if err == nil {
		delete(l.logged, name)
		return
	}
	if text := err.Error(); l.logged[name] != text {
		l.logged[name] = text
		l.log.Error("a realtime source keeps its last data", "source", name, "error", err)
	}
}

// source returns the state of a row. If nothing has changed, or after an error, it returns the old
// state, so that fetched_at stays the time of the served data. It returns nil if the source was
// removed meanwhile.
func (l *Live) source(ctx context.Context, feed *edition.Feed, row sourceRow, old *SourceState) (*SourceState, error) {
	if l.requested[row.name()] == nil {
		l.requested[row.name()] = new(atomic.Int64)
	}
	s := &SourceState{sourceRow: row, requested: l.requested[row.name()]}
	if feed != nil && feed.Edition != nil {
		s.version, s.edition = feed.Version, feed.Edition
	}
	if old != nil && old.edition == s.edition && old.version == s.version && old.key() == s.key() {
		return old, nil
	}
	err := l.index(ctx, feed, s, old)
	switch {
	case errors.Is(err, errGone):
		return nil, nil
	case err == nil:
		return s, nil
	case old != nil:
		return old, err
	}
	s.FetchedAt, s.SnapshotID = nil, nil
	return s, err
}

var errGone = errors.New("the source was removed")

// index loads and indexes the snapshot of a source. If the row has changed since it was listed,
// index updates it in s.
func (l *Live) index(ctx context.Context, feed *edition.Feed, s, old *SourceState) error {
	if s.SnapshotID == nil {
		return nil
	}
	var message *gtfsrt.Message
	if old != nil && old.Snapshot != nil && old.ID == *s.SnapshotID {
		if old.edition == s.edition && old.Kind == s.Kind {
			s.Snapshot = old.Snapshot // the poll returned the same message
			return nil
		}
		message = old.Message
	} else {
		var err error
		message, err = l.load(ctx, s)
		if err != nil || message == nil {
			return err
		}
	}
	made := timestampOf(message)
	if made == 0 {
		made = s.FetchedAt.Unix()
	}
	today := 0
	if feed != nil {
		today = edition.DayNumber(time.Unix(made, 0), feed.Zone)
	}
	trips := realtime.Identify(message, s.Kind, s.edition, today)
	var patterns map[int32]*edition.Pattern
	if s.edition != nil {
		var err error
		patterns, err = s.edition.Patterns(ctx, trips.Patterns(), maxCalls)
		if err != nil {
			return fmt.Errorf("look up the calls of trips: %w", err)
		}
	}
	s.Snapshot = realtime.New(*s.SnapshotID, message, s.Kind, trips, patterns)
	return nil
}

// load reads the row of a source and its message. The message is nil if the source has a new
// address and no message yet.
func (l *Live) load(ctx context.Context, s *SourceState) (*gtfsrt.Message, error) {
	stored, err := liveSource.One(ctx, l.db, sourceKey{s.Alias, s.Source})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errGone
	case err != nil:
		return nil, fmt.Errorf("read snapshot %d: %w", *s.SnapshotID, err)
	}
	s.sourceRow = stored.sourceRow
	switch {
	case s.SnapshotID == nil:
		return nil, nil
	case stored.Data == nil:
		return nil, fmt.Errorf("read snapshot %d: the source refers to it, but it is not stored", *s.SnapshotID)
	}
	message, err := gtfsrt.Scan(stored.Data)
	if err != nil {
		return nil, fmt.Errorf("read snapshot %d: %w", *s.SnapshotID, err)
	}
	return message, nil
}

// A moment has all realtime data at one moment. It is immutable.
type moment struct {
	sources []*SourceState
	views   map[string]map[string]*View // keyed by alias ("" for all feeds) and kind of entities
}

// A View has the sources of one kind of entities at one moment, of one feed or of all feeds.
type View struct {
	Sources     []*SourceState // sources with a snapshot
	Generation  rest.Generation
	LastFetched int64 // oldest of the sources' last successful polls in Unix seconds; 0 if none succeeded

	all  []*SourceState
	read atomic.Bool // set by any request
}

func (v *View) Of(alias string) []*realtime.Snapshot {
	var all []*realtime.Snapshot
	for _, s := range v.Sources {
		if s.Alias == alias {
			all = append(all, s.Snapshot)
		}
	}
	return all
}

func (m *moment) makeViews() {
	m.views = map[string]map[string]*View{"": {}}
	for _, s := range m.sources {
		m.views[s.Alias] = map[string]*View{}
	}
	for alias, views := range m.views {
		for _, kind := range []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts} {
			var sources []*SourceState
			for _, s := range m.sources {
				if (alias == "" || s.Alias == alias) && realtime.Carries(s.Kind, kind) {
					sources = append(sources, s)
				}
			}
			views[kind] = newView(sources)
		}
	}
}

func newView(sources []*SourceState) *View {
	v := &View{all: sources}
	h := fnv.New64a()
	for _, s := range sources {
		fmt.Fprintf(h, "%s %d\n", s.key(), s.version)
		if s.Snapshot != nil {
			v.Sources = append(v.Sources, s)
		}
		if s.FetchedAt == nil {
			continue
		}
		at := s.FetchedAt.Unix()
		if v.LastFetched == 0 || at < v.LastFetched {
			v.LastFetched = at
		}
		if s.FetchedAt.After(v.Generation.Time) {
			v.Generation.Time = *s.FetchedAt
		}
	}
	v.Generation.N = int64(h.Sum64())
	return v
}

// ErrNotRead is the error of requests before the tables have been read.
var ErrNotRead = rest.Unavailable(time.Second, "the realtime data cannot be read yet; try again soon")

// View returns the sources of a kind of entities, of one feed or, if alias is "", of all feeds.
func (l *Live) View(alias, kind string) (*View, error) {
	m := l.now.Load()
	if m == nil {
		return nil, ErrNotRead
	}
	if views := m.views[alias]; views != nil {
		return views[kind], nil
	}
	if l.dir.Feed(alias) == nil {
		return nil, rest.NotFound("unknown feed")
	}
	return newView(nil), nil
}

// Read is View for a client: it also requests a refresh of stale sources.
func (l *Live) Read(ctx context.Context, alias, kind string) (*View, error) {
	v, err := l.View(alias, kind)
	if err != nil {
		return nil, err
	}
	v.read.Store(true)
	l.request(ctx, v, time.Now())
	return v, nil
}

// Of returns the source of answers about a kind of entities in the chosen feed.
func Of[P interface{ Choice() string }](l *Live, kind string) rest.Source[P, *View] {
	return rest.Source[P, *View]{Changed: l.news.Changed, Now: func(ctx context.Context, _ *rest.Call,
		p P) (*View, rest.Generation, error) {
		v, err := l.Read(ctx, p.Choice(), kind)
		if err != nil {
			return nil, rest.Generation{}, err
		}
		return v, v.Generation, nil
	}}
}

// Queries returns the SQL statements of this package.
func Queries() []rest.Statement { return rest.Queries(liveSources, liveSource) }
