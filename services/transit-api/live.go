package transitapi

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// firstLook is how soon after the feeds the realtime sources are read.
const firstLook = 20 * time.Millisecond

// A source is one realtime source at one moment: what is known of it and what it last said. It never changes.
type source struct {
	sourceRow
	version   replica.Version // the feed version that the snapshot was indexed with; 0 when the feed is not there
	known     *timetable      // of that version
	*snapshot                 // nil until the first
	asked     *atomic.Int64
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

type snapshotKey struct{ SnapshotID int64 }

var snapshotData = rest.SQL[snapshotKey, []byte](`SELECT data FROM transit.snapshot WHERE snapshot_id = @snapshot_id`)

// A view is what one kind of realtime answers is made of at one moment: the sources that carry the kind, of one feed or of all;
// and whether anybody has asked for such an answer since.
type view struct {
	sources     []*source
	gen         rest.Generation
	lastFetched int64 // oldest poll of the sources that ever answered; 0 when none did
	read        atomic.Bool
}

// A moment is all realtime data at one moment. It never changes: what is new makes another.
type moment struct {
	sources []*source
	views   map[string]map[string]*view // by alias ("" is all feeds) and kind of entities
}

// live keeps the current moment. Requests read it from memory; events and a look every second move it.
type live struct {
	db      rest.DB
	bus     *events.Bus
	log     *slog.Logger
	dir     *directory
	now     atomic.Pointer[moment] // nil until the table could be read
	news    *news
	every   time.Duration
	mu      sync.Mutex // one look at a time
	asked   map[string]*atomic.Int64
	trouble map[string]string // what is logged already, by source
}

func newLive(deps run.Deps, dir *directory, news *news) *live {
	return &live{db: replica.DB{DB: deps.DB}, bus: deps.Events, log: deps.Log, dir: dir, news: news,
		every: lookEvery, asked: map[string]*atomic.Int64{}, trouble: map[string]string{}}
}

// run keeps the moment up to date until ctx ends.
func (l *live) run(ctx context.Context) error {
	// What is indexed is indexed by feed: without its timetable a message would be served without the names of its trips.
	for l.dir.check(ctx) != nil && run.Sleep(ctx, firstLook) {
	}
	loop := run.Loop{Name: "look at the realtime sources", Period: l.every, Timeout: 30 * time.Second, Log: l.log}
	return run.Watch(ctx, l.bus, loop, func(ctx context.Context) error {
		err := l.look(ctx)
		l.attend(ctx, time.Now())
		return err
	}, run.On[eventsv1.SnapshotStored])
}

// look reads the table of sources, fetches and indexes what is new, and puts it in the moment's place as a whole. A source that cannot
// be indexed keeps what it has.
func (l *live) look(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, err := liveSources.List(ctx, l.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read realtime sources: %w", err)
	}
	feeds := l.dir.now.Load()
	if feeds == nil {
		return errors.New("the feed table could not be read yet")
	}
	before := map[string]*source{}
	changed := true
	if old := l.now.Load(); old != nil {
		for _, s := range old.sources {
			before[s.name()] = s
		}
		changed = len(rows) != len(old.sources)
	}
	next := &moment{sources: make([]*source, len(rows))}
	for i, row := range rows {
		old := before[row.name()]
		s, err := l.source(ctx, feeds, row, old)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.tell(row.name(), err)
		next.sources[i] = s
		changed = changed || s != old
	}
	if !changed {
		return nil
	}
	next.arrange()
	l.now.Store(next)
	l.news.tell()
	return nil
}

// tell logs what is wrong with a source, once.
func (l *live) tell(name string, err error) {
	if err == nil {
		delete(l.trouble, name)
		return
	}
	if text := err.Error(); l.trouble[name] != text {
		l.trouble[name] = text
		l.log.Error("a realtime source keeps its last data", "source", name, "error", err)
	}
}

func (r *sourceRow) name() string { return r.Alias + " " + r.Source }

// source is the source of a row: the one that we have when nothing about it is new. With an error it is the old one, whose
// fetched_at stays honest.
func (l *live) source(ctx context.Context, all *feeds, row sourceRow, old *source) (*source, error) {
	s := &source{sourceRow: row, asked: l.askedOf(row.name())}
	if feed := all.byAlias[row.Alias]; feed != nil && feed.edition != nil {
		s.version, s.known = feed.version, feed.known()
	}
	if old != nil && old.same(s) {
		return old, nil
	}
	err := l.index(ctx, all, s, old)
	switch {
	case err == nil:
		return s, nil
	case old != nil:
		return old, err
	}
	s.FetchedAt, s.SnapshotID = nil, nil
	return s, err
}

func (l *live) askedOf(name string) *atomic.Int64 {
	if l.asked[name] == nil {
		l.asked[name] = new(atomic.Int64)
	}
	return l.asked[name]
}

// same tells whether two states of a source are one.
func (s *source) same(t *source) bool {
	return s.version == t.version && s.sourceKey() == t.sourceKey()
}

// sourceKey is the row as a value that can be compared.
func (r *sourceRow) sourceKey() string {
	key := fmt.Sprintf("%s %s %d", r.name(), r.Kind, r.StaleAfter)
	if r.FetchedAt != nil {
		key += fmt.Sprintf(" at %d", r.FetchedAt.UnixMicro())
	}
	if r.SnapshotID != nil {
		key += fmt.Sprintf(" is %d", *r.SnapshotID)
	}
	return key
}

// index gives the source its timetable and its snapshot.
func (l *live) index(ctx context.Context, all *feeds, s, old *source) error {
	if s.SnapshotID == nil {
		return nil
	}
	var before map[tripName]*plannedTrip
	var message *gtfsrt.Message
	if old != nil && old.snapshot != nil {
		if old.version == s.version {
			before = old.snapshot.planned
			if old.id == *s.SnapshotID && old.Kind == s.Kind {
				s.snapshot = old.snapshot // polled again, nothing new
				return nil
			}
		}
		if old.id == *s.SnapshotID {
			message = old.message
		}
	}
	if message == nil {
		data, err := snapshotData.One(ctx, l.db, snapshotKey{*s.SnapshotID})
		if err != nil {
			return fmt.Errorf("read snapshot %d: %w", *s.SnapshotID, err)
		}
		if message, err = gtfsrt.Scan(data); err != nil {
			return fmt.Errorf("read snapshot %d: %w", *s.SnapshotID, err)
		}
	}
	var planned map[tripName]*plannedTrip
	if s.known != nil {
		made := gtfsrt.Seconds(int64(min(message.Timestamp, math.MaxInt64)))
		if made == 0 {
			made = s.FetchedAt.Unix()
		}
		look := lookup{l.db, s.version, dayNumber(time.Unix(made, 0), all.byAlias[s.Alias].zone), before}
		var err error
		if planned, err = s.known.trips(ctx, look, tripNames(message, s.Kind)); err != nil {
			return err
		}
	}
	s.snapshot = newSnapshot(*s.SnapshotID, message, s.Kind, planned)
	return nil
}

// kinds are the kinds of entities that realtime answers are about.
var kinds = []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts}

// arrange makes the views.
func (m *moment) arrange() {
	m.views = map[string]map[string]*view{"": {}}
	for _, s := range m.sources {
		m.views[s.Alias] = map[string]*view{}
	}
	for alias, views := range m.views {
		for _, kind := range kinds {
			v := &view{}
			for _, s := range m.sources {
				if (alias == "" || s.Alias == alias) && carries(s.Kind, kind) {
					v.sources = append(v.sources, s)
				}
			}
			v.settle()
			views[kind] = v
		}
	}
}

// settle works out what the sources of a view amount to.
func (v *view) settle() {
	h := fnv.New64a()
	for _, s := range v.sources {
		fmt.Fprintf(h, "%s %d\n", s.sourceKey(), s.version)
		if s.FetchedAt == nil {
			continue
		}
		at := s.FetchedAt.Unix()
		if v.lastFetched == 0 || at < v.lastFetched {
			v.lastFetched = at
		}
		if s.FetchedAt.After(v.gen.Time) {
			v.gen.Time = *s.FetchedAt
		}
	}
	v.gen.N = int64(h.Sum64())
	v.gen.Ref = v
}

// noSources is the view of a feed without realtime sources.
var noSources = func() *view {
	v := &view{}
	v.settle()
	return v
}()

var errNoLive = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the realtime data cannot be read yet; try again soon",
	Header: http.Header{"Retry-After": {"1"}}}

// view is what an answer about entities of a kind is made of, by the request's feed parameter. It asks for what is stale.
func (l *live) view(ctx context.Context, c *rest.Call, kind string) (*view, error) {
	m := l.now.Load()
	if m == nil {
		return nil, errNoLive
	}
	alias := c.Param("feed")
	views := m.views[alias]
	if views == nil {
		if all := l.dir.now.Load(); all == nil || all.byAlias[alias] == nil {
			return nil, rest.NotFound("unknown feed")
		}
		return noSources, nil
	}
	v := views[kind]
	if !v.read.Load() {
		v.read.Store(true)
	}
	l.demand(ctx, v, time.Now())
	return v, nil
}

// sourceOf is the generation of answers about entities of a kind.
func (l *live) sourceOf(kind string) *rest.Source {
	return &rest.Source{
		Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
			v, err := l.view(ctx, c, kind)
			if err != nil {
				return rest.Generation{}, err
			}
			return v.gen, nil
		},
		Changed: l.news.changed,
	}
}

// viewOf is what the answer is made of.
func viewOf(c *rest.Call) *view { return c.Generation().Ref.(*view) }
