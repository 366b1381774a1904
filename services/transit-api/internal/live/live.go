// Package live keeps the last snapshot of each realtime source in memory, indexed with the edition
// of its feed. When a client reads a stale source, it requests a poll and waits for it a moment.
//
// Tables are the truth and events are hints: a lost event costs a second. Package realtime decodes
// the messages. refresh.go reads the sources, demand.go requests polls.
package live

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A SourceState is a realtime source at one moment: its row and last snapshot. It is immutable.
type SourceState struct {
	sourceRow
	version            replica.Version  // version with which the snapshot was indexed; 0 if the feed is not loaded
	edition            *edition.Edition // edition of that version
	*realtime.Snapshot                  // nil before the first poll
	demand             *demand
	bytes              int64  // size of the snapshot
	unread             bool   // the source has not been read since the start
	digest             uint64 // of key and version
}

// Live holds the current realtime data. Run keeps it up to date.
type Live struct {
	// ColdFor bounds the time that a client waits for the poll of a stale source.
	ColdFor time.Duration

	db     rest.DB
	bus    *events.Bus
	log    *slog.Logger
	dir    *edition.Directory
	news   *News
	now    atomic.Pointer[moment]
	places chan struct{} // held by each read of a source
	large  chan struct{} // held by the one read of a large snapshot
	mu     sync.Mutex    // guards entries and replacements of now
	begun  time.Time     // when the table was first read; zero before
	all    map[string]*entry
}

func New(deps run.Deps, dir *edition.Directory, news *News) *Live {
	l := &Live{ColdFor: coldFor, db: deps.DB, bus: deps.Events, log: deps.Log, dir: dir, news: news,
		all:    map[string]*entry{},
		places: make(chan struct{}, readsAtOnce), large: make(chan struct{}, 1)}
	l.now.Store(&moment{replaced: make(chan struct{})})
	return l
}

// A moment has all realtime data at one moment. It is immutable.
type moment struct {
	number   uint64 // 0 until the table has been read
	sources  []*SourceState
	views    map[string]map[string]*View // keyed by alias ("" for all feeds) and kind of entities
	replaced chan struct{}               // closed when a later moment is current
}

// A View has the sources of one kind of entities at one moment, of one feed or of all feeds.
type View struct {
	Sources     []*SourceState // sources with a snapshot
	Generation  rest.Generation
	LastFetched int64 // oldest of the sources' last successful polls in Unix seconds; 0 if none succeeded

	all    []*SourceState
	unread bool          // no source has been read since the start
	read   atomic.Uint64 // number of the last moment at which it was requested
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

// next returns the moment after m. Only the views of the feeds with these aliases have changed, and
// those of all feeds.
func (m *moment) next(sources []*SourceState, changed map[string]bool) *moment {
	n := &moment{number: m.number + 1, sources: sources, views: map[string]map[string]*View{},
		replaced: make(chan struct{})}
	n.views[""] = viewsOf(sources)
	for from := 0; from < len(sources); {
		alias, to := sources[from].Alias, from
		for to < len(sources) && sources[to].Alias == alias {
			to++
		}
		n.views[alias] = m.views[alias]
		if changed[alias] || n.views[alias] == nil {
			n.views[alias] = viewsOf(sources[from:to])
		}
		from = to
	}
	return n
}

func viewsOf(sources []*SourceState) map[string]*View {
	views := map[string]*View{}
	for _, kind := range []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts} {
		var of []*SourceState
		for _, s := range sources {
			if realtime.Carries(s.Kind, kind) {
				of = append(of, s)
			}
		}
		views[kind] = newView(of)
	}
	return views
}

func newView(sources []*SourceState) *View {
	v := &View{all: sources, unread: len(sources) > 0}
	h := fnv.New64a()
	for _, s := range sources {
		v.unread = v.unread && s.unread
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, s.digest)) // never returns an error
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

// View returns the sources of a kind of entities, of one feed or, if alias is "", of all feeds. If
// none of them has been read since the start, the view has no data and the error is [ErrNotRead].
func (l *Live) View(alias, kind string) (*View, error) {
	m := l.now.Load()
	switch views := m.views[alias]; {
	case views != nil && views[kind].unread, m.number == 0:
		return &View{all: []*SourceState{{unread: true}}}, ErrNotRead
	case views != nil:
		return views[kind], nil
	case l.dir.Feed(alias) == nil:
		return nil, rest.NotFound("unknown feed")
	}
	return newView(nil), nil
}

// Read is View for a client. If sources are stale, it requests polls, and waits for them a moment;
// see [Live.Await].
func (l *Live) Read(ctx context.Context, alias, kind string) (*View, error) {
	l.Await(ctx, []string{alias}, kind)
	return l.View(alias, kind)
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
