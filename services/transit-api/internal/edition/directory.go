package edition

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// A Directory decides which edition each alias serves. Events, and a read of the table every
// second, keep it up to date. Editions load in the background, a few at a time; a feed keeps its
// edition until the next edition is loaded.
type Directory struct {
	// Period is how often the table is read if there are no events. A lost event delays a change by
	// this time.
	Period time.Duration

	// Alter changes a route of a feed as the operator wants, before it is served; nil changes none.
	Alter func(feed string, r *Route)

	// MapProblem returns the error that occurred when an edition's map was built, if one was
	// requested.
	MapProblem func(*Edition) error

	db    rest.DB
	bus   *events.Bus
	log   *slog.Logger
	now   atomic.Pointer[Feeds] // nil until the table has been read
	limit int64                 // maximum bytes per feed
	clock func() time.Time

	mu      sync.Mutex // guards the fields below
	began   time.Time  // time of the first refresh
	rows    []feedRow  // the rows that are served, see accepted
	rewinds map[string]*pg.Rewind
	loads   map[loadKey]*load
	logged  map[string]string // last logged problem, by alias
	atOnce  chan struct{}     // bounds concurrent loads
	running sync.WaitGroup
}

// maxReadyDelay is how long a starting service waits for slow feeds.
const maxReadyDelay = 20 * time.Second

// NewDirectory returns an empty directory. Each feed may use limit bytes.
func NewDirectory(deps run.Deps, limit int64, clock func() time.Time) *Directory {
	return &Directory{Period: time.Second, db: deps.DB, bus: deps.Events, log: deps.Log, limit: limit, clock: clock,
		MapProblem: func(*Edition) error { return nil },
		rewinds:    map[string]*pg.Rewind{}, loads: map[loadKey]*load{}, logged: map[string]string{},
		atOnce: make(chan struct{}, maxLoads)}
}

// Run keeps the directory up to date until ctx ends.
func (d *Directory) Run(ctx context.Context) error {
	defer d.Wait()
	if err := d.bus.AnswerServed(ctx, d.answerServed); err != nil {
		return err
	}
	// The timeout is only for the refresh; the loads that it starts continue.
	loop := run.Loop{Name: "read the feed table", Period: d.Period, Log: d.log}
	return run.Watch(ctx, d.bus, loop, d.Refresh, run.On[eventsv1.FeedImported], run.On[eventsv1.FeedRemoved])
}

// Wait returns when no edition is loading.
func (d *Directory) Wait() { d.running.Wait() }

// Ready returns nil after every version that was live at the start is loaded.
func (d *Directory) Ready(context.Context) error {
	all := d.now.Load()
	if all == nil {
		return errors.New("the feed table has not been read yet")
	}
	d.mu.Lock()
	late := d.clock().Sub(d.began) > maxReadyDelay
	d.mu.Unlock()
	for _, f := range all.Sorted {
		if f.Refusal == errLoading && !late {
			return fmt.Errorf("feed %s is still loading", f.Alias)
		}
	}
	return nil
}

// Now returns the current feeds; nil until the table has been read.
func (d *Directory) Now() *Feeds { return d.now.Load() }

// Feed returns the feed with an alias; nil if there is none.
func (d *Directory) Feed(alias string) *Feed {
	if all := d.now.Load(); all != nil {
		return all.ByAlias[alias]
	}
	return nil
}

const refreshTimeout = 10 * time.Second

// Refresh reads the table, starts to load new editions, and publishes loaded editions. Loads
// continue until ctx ends.
func (d *Directory) Refresh(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, refreshTimeout)
	rows, err := liveFeeds.List(within, d.db, rest.None{})
	cancel()
	if err != nil {
		return fmt.Errorf("read live feeds: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.began.IsZero() {
		d.began = d.clock()
	}
	d.rows = d.accepted(rows)
	d.startLoads(ctx)
	d.publish()
	return nil
}

// accepted returns the rows to serve. If a row went back to an earlier state, it returns the later
// state until the earlier state has lasted for [pg.Patience].
func (d *Directory) accepted(rows []feedRow) []feedRow {
	next := make(map[string]feedRow, len(rows))
	for _, row := range rows {
		next[row.Alias] = row
	}
	for _, old := range d.rows {
		row, found := next[old.Alias]
		rewind := d.rewinds[old.Alias]
		if rewind == nil {
			rewind = &pg.Rewind{}
			d.rewinds[old.Alias] = rewind
		}
		back := !found || row.isBefore(&old)
		if back && !rewind.Pending() {
			d.log.Warn("the database returned an earlier state of a feed: a replica lags, or the database was restored; the "+
				"later state is kept for now",
				"feed", old.Alias, "generation", old.Generation, "reported", row.Generation, "believed_in", pg.Patience)
		}
		if !rewind.Accept(back, d.clock()) {
			next[old.Alias] = old
		}
	}
	sorted := make([]feedRow, 0, len(next))
	for _, alias := range slices.Sorted(maps.Keys(next)) {
		sorted = append(sorted, next[alias])
	}
	return sorted
}

func (d *Directory) publish() {
	old := d.now.Load()
	if old == nil {
		old = &Feeds{}
	}
	next := &Feeds{ByAlias: make(map[string]*Feed, len(d.rows))}
	all := fnv.New64a()
	for _, row := range d.rows {
		if row.Gone {
			continue
		}
		f := d.feed(row, old.ByAlias[row.Alias])
		next.ByAlias[f.Alias] = f
		next.Sorted = append(next.Sorted, f)
		fmt.Fprintf(all, "%s %d %t\n", f.Alias, f.Generation.N, f.Edition != nil)
		if f.Generation.Time.After(next.Generation.Time) {
			next.Generation.Time = f.Generation.Time
		}
		next.Generation.Languages = lang.Join(next.Generation.Languages, f.Generation.Languages)
	}
	next.Generation.N = int64(all.Sum64())
	d.now.Store(next)
}

// feed returns the feed of a row. before is the previous feed with this alias, or nil.
func (d *Directory) feed(row feedRow, before *Feed) *Feed {
	l := d.loads[row.loadKey()]
	waiting := l == nil || !l.done || l.err != nil && !errors.Is(l.err, ErrTooLarge)
	d.report(row.Alias, l)
	n := row.number()
	if waiting && before != nil && (before.Edition != nil || before.Generation.N == n) {
		return before
	}
	if before != nil && before.Generation.N == n && l != nil && before.Edition == l.edition &&
		before.Refusal != errLoading {
		return before
	}
	f := &Feed{Alias: row.Alias, Name: row.Name, Version: row.VersionID, SHA256: hex.EncodeToString(row.SHA256),
		Zone: time.UTC, FirstDay: row.FirstDay, LastDay: row.LastDay, Counts: row.Counts}
	switch {
	case waiting:
		f.Refusal = errLoading
	case l.err != nil:
		f.Refusal = row.Counts.tooLarge("the feed", d.limit)
	default:
		f.Edition, f.noBoards = l.edition, row.Counts.tooLarge("the calendar of the feed", d.limit)
	}
	if row.TimeZone != nil {
		zone, err := time.LoadLocation(*row.TimeZone)
		if err != nil {
			d.log.Warn("unknown time zone; dates are shown in UTC", "feed", row.Alias, "agency_timezone", *row.TimeZone)
		} else {
			f.Zone = zone
		}
	}
	f.Generation = rest.Generation{N: n, Time: row.UpdatedAt.Time}
	if f.Edition != nil {
		f.Generation.Languages = f.Languages
	}
	return f
}

// answerServed answers an operator's question which feeds are served.
func (d *Directory) answerServed() *eventsv1.FeedsServed {
	all := &eventsv1.FeedsServed{}
	feeds := d.now.Load()
	if feeds == nil {
		return all
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, row := range d.rows {
		f := feeds.ByAlias[row.Alias]
		if row.Gone || f == nil {
			continue
		}
		one := &eventsv1.FeedServed{Alias: row.Alias, NewestId: int64(row.VersionID)}
		l := d.loads[row.loadKey()]
		var refused *rest.Error
		switch {
		case l != nil && l.done && l.err != nil && !errors.Is(l.err, ErrTooLarge):
			one.Problem = "the newest version cannot be loaded: " + l.err.Error()
		case errors.As(f.BoardsUnavailable(), &refused):
			one.Problem = refused.Detail
		case d.MapProblem(f.Edition) != nil:
			one.Problem = "left out of maps: " + d.MapProblem(f.Edition).Error()
		case f.Version != row.VersionID:
			one.Problem = errLoading.Detail
		}
		one.Loading = l == nil || !l.done
		if f.Edition != nil {
			one.VersionId = int64(f.Version)
		}
		all.Feeds = append(all.Feeds, one)
	}
	return all
}

var (
	feedBytes = prometheus.NewDesc("townline_transit_feed_bytes",
		"Estimated memory of a feed in this process; at most TRANSIT_FEED_BYTES.", []string{"feed"}, nil)
	feedWithheld = prometheus.NewDesc("townline_transit_feed_withheld",
		"1 if a feed (what=all) or its departure boards (what=boards) cannot be served, because they are loading or too "+
			"large, or its map (what=map) cannot be drawn; the log says which.", []string{"feed", "what"}, nil)
)

// Describe implements [prometheus.Collector].
func (d *Directory) Describe(ch chan<- *prometheus.Desc) {
	ch <- feedBytes
	ch <- feedWithheld
}

// Collect implements [prometheus.Collector].
func (d *Directory) Collect(ch chan<- prometheus.Metric) {
	all := d.now.Load()
	if all == nil {
		return
	}
	for _, f := range all.Sorted {
		if f.Edition != nil {
			ch <- prometheus.MustNewConstMetric(feedBytes, prometheus.GaugeValue, float64(f.Bytes), f.Alias)
		}
		for what, withheld := range map[string]bool{"all": f.Edition == nil, "boards": f.BoardsUnavailable() != nil,
			"map": d.MapProblem(f.Edition) != nil} {
			value := 0.0
			if withheld {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(feedWithheld, prometheus.GaugeValue, value, f.Alias, what)
		}
	}
}

// AllFeeds returns the source for answers about all feeds.
func AllFeeds[P any](d *Directory) rest.Source[P, *Feeds] {
	return rest.Source[P, *Feeds]{Now: func(context.Context, *rest.Call, P) (*Feeds, rest.Generation, error) {
		all, err := d.All()
		if err != nil {
			return nil, rest.Generation{}, err
		}
		return all, all.Generation, nil
	}}
}

// OfFeed is implemented by parameters that name a feed.
type OfFeed interface{ Alias() string }

// OneFeed returns the source for answers about the feed that the parameters name.
func OneFeed[P OfFeed](d *Directory) rest.Source[P, *Feed] {
	return rest.Source[P, *Feed]{Now: func(_ context.Context, _ *rest.Call, p P) (*Feed, rest.Generation, error) {
		f, err := d.Served(p.Alias())
		if err != nil {
			return nil, rest.Generation{}, err
		}
		return f, f.Generation, nil
	}}
}

// All returns the current feeds, or an error if the table has not been read.
func (d *Directory) All() (*Feeds, error) {
	if all := d.now.Load(); all != nil {
		return all, nil
	}
	return nil, errNoFeeds
}

// Choose returns the feed with an alias, or all feeds if alias is nil.
func (all *Feeds) Choose(alias *string) ([]*Feed, error) {
	if alias == nil {
		return all.Sorted, nil
	}
	if f := all.ByAlias[*alias]; f != nil {
		return []*Feed{f}, nil
	}
	return nil, rest.NotFound("unknown feed")
}

// Served returns the feed with an alias, or the error for requests about it.
func (d *Directory) Served(alias string) (*Feed, error) {
	all, err := d.All()
	if err != nil {
		return nil, err
	}
	f := all.ByAlias[alias]
	switch {
	case f == nil:
		return nil, rest.NotFound("unknown feed")
	case f.Refusal != nil:
		return nil, f.Refusal
	}
	return f, nil
}
