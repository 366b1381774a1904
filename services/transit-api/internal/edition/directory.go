package edition

import (
	"context"
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
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Directory decides which edition each alias shows. Requests read it from memory; events and a reading of the table
// every second update it. Editions are read apart from both, each once and a few at a time; a feed keeps the edition that
// it has until the next one is there.
type Directory struct {
	// Period is how often the table is read when no event arrives: what a lost event costs.
	Period time.Duration

	db    rest.DB
	bus   *events.Bus
	log   *slog.Logger
	now   atomic.Pointer[Feeds] // nil until the table could be read
	limit int64                 // memory that one feed may take
	clock func() time.Time

	mu       sync.Mutex // one change at a time; of all that follows
	began    time.Time  // of the first refresh
	rows     []feedRow  // as they are believed
	doubts   map[string]*replica.Doubt
	readings map[source]*reading
	logged   map[string]string // what is wrong with a feed, by alias
	atOnce   chan struct{}     // readings that run
	running  sync.WaitGroup
}

// readyWithin is how long a start waits for slow feeds before it is ready without them.
const readyWithin = 20 * time.Second

// NewDirectory makes an empty directory of which each feed may take so many bytes.
func NewDirectory(deps run.Deps, limit int64, clock func() time.Time) *Directory {
	return &Directory{Period: time.Second, db: deps.DB, bus: deps.Events, log: deps.Log, limit: limit, clock: clock,
		doubts: map[string]*replica.Doubt{}, readings: map[source]*reading{}, logged: map[string]string{}, atOnce: make(chan struct{}, readAtOnce)}
}

// Run keeps the directory up to date until ctx ends.
func (d *Directory) Run(ctx context.Context) error {
	defer d.Wait()
	loop := run.Loop{Name: "read the feed table", Period: d.Period, Log: d.log} // a refresh has its own timeout: what it begins goes on
	return run.Watch(ctx, d.bus, loop, d.Refresh, run.On[eventsv1.FeedImported], run.On[eventsv1.FeedRemoved])
}

// Wait returns when no edition is being read.
func (d *Directory) Wait() { d.running.Wait() }

// Ready reports whether there is anything to serve from, and whether all that was live at the start is there.
func (d *Directory) Ready(context.Context) error {
	all := d.now.Load()
	if all == nil {
		return errors.New("the feed table could not be read yet")
	}
	d.mu.Lock()
	late := d.clock().Sub(d.began) > readyWithin
	d.mu.Unlock()
	for _, f := range all.Sorted {
		if f.Refusal == errReading && !late {
			return fmt.Errorf("feed %s is being read", f.Alias)
		}
	}
	return nil
}

// Now are the feeds of this moment; nil until the table could be read.
func (d *Directory) Now() *Feeds { return d.now.Load() }

// Feed is the feed with an alias; nil when there is none.
func (d *Directory) Feed(alias string) *Feed {
	if all := d.now.Load(); all != nil {
		return all.ByAlias[alias]
	}
	return nil
}

// refreshWithin is how long reading the table may take.
const refreshWithin = 10 * time.Second

// Refresh reads the table, begins to read new editions, and shows those that are there. Readings go on until ctx ends.
func (d *Directory) Refresh(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, refreshWithin)
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
	d.rows = d.believed(rows)
	d.read(ctx)
	d.show()
	return nil
}

// believed are the rows of a reading, with the last ones in place of those that went back, until that has lasted.
func (d *Directory) believed(rows []feedRow) []feedRow {
	next := make(map[string]feedRow, len(rows))
	for _, row := range rows {
		next[row.Alias] = row
	}
	for _, old := range d.rows {
		row, found := next[old.Alias]
		doubt := d.doubts[old.Alias]
		if doubt == nil {
			doubt = &replica.Doubt{}
			d.doubts[old.Alias] = doubt
		}
		back := !found || row.before(&old)
		if back && !doubt.Pending() {
			d.log.Warn("the database reports an earlier state of a feed: a replica that lags, or a database that was restored; the later one is kept meanwhile",
				"feed", old.Alias, "generation", old.Generation, "reported", row.Generation, "believed_in", replica.Patience)
		}
		if !doubt.Believe(back, d.clock()) {
			next[old.Alias] = old
		}
	}
	sorted := make([]feedRow, 0, len(next))
	for _, alias := range slices.Sorted(maps.Keys(next)) {
		sorted = append(sorted, next[alias])
	}
	return sorted
}

// show makes what is there the state that requests see.
func (d *Directory) show() {
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
	}
	next.Generation.N = int64(all.Sum64())
	next.Generation.Ref = next
	d.now.Store(next)
}

// feed is the feed of a row; before is what the alias showed until now, or nil.
func (d *Directory) feed(row feedRow, before *Feed) *Feed {
	r := d.readings[row.source()]
	waiting := r == nil || !r.over || r.err != nil && !errors.Is(r.err, ErrTooLarge)
	d.report(row.Alias, r)
	n := row.number()
	if waiting && before != nil && (before.Edition != nil || before.Generation.N == n) {
		return before
	}
	if before != nil && before.Generation.N == n && r != nil && before.Edition == r.edition {
		return before
	}
	f := newFeed(row)
	switch {
	case waiting:
		f.Refusal = errReading
	case r.err != nil:
		f.Refusal = errNoRoom
	default:
		f.Edition = r.edition
	}
	if row.TimeZone != nil {
		zone, err := time.LoadLocation(*row.TimeZone)
		if err != nil {
			d.log.Warn("unknown time zone; dates are given in UTC", "feed", row.Alias, "agency_timezone", *row.TimeZone)
		} else {
			f.Zone = zone
		}
	}
	f.Generation = rest.Generation{N: n, Time: row.UpdatedAt.Time, Ref: f}
	return f
}

var (
	feedBytes    = prometheus.NewDesc("townline_transit_feed_bytes", "Memory that a feed takes in this process, estimated; at most TRANSIT_FEED_BYTES.", []string{"feed"}, nil)
	feedWithheld = prometheus.NewDesc("townline_transit_feed_withheld", "1 when a feed (what is all) or its departure boards (what is boards) are not answered, being read or too large; the log says which.", []string{"feed", "what"}, nil)
)

// Describe is part of prometheus.Collector.
func (d *Directory) Describe(ch chan<- *prometheus.Desc) {
	ch <- feedBytes
	ch <- feedWithheld
}

// Collect is part of prometheus.Collector.
func (d *Directory) Collect(ch chan<- prometheus.Metric) {
	all := d.now.Load()
	if all == nil {
		return
	}
	for _, f := range all.Sorted {
		if f.Edition != nil {
			ch <- prometheus.MustNewConstMetric(feedBytes, prometheus.GaugeValue, float64(f.Bytes), f.Alias)
		}
		for what, withheld := range map[string]bool{"all": f.Edition == nil, "boards": f.Boards() != nil} {
			value := 0.0
			if withheld {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(feedWithheld, prometheus.GaugeValue, value, f.Alias, what)
		}
	}
}

// AllSource is the generation of answers about all feeds; its Ref is [Feeds].
func (d *Directory) AllSource() *rest.Source {
	return &rest.Source{Now: func(context.Context, *rest.Call) (rest.Generation, error) {
		all := d.now.Load()
		if all == nil {
			return rest.Generation{}, errNoFeeds
		}
		return all.Generation, nil
	}}
}

// FeedSource is the generation of answers about the feed in the path, feed_alias; its Ref is [Feed].
func (d *Directory) FeedSource() *rest.Source {
	return &rest.Source{Now: func(_ context.Context, c *rest.Call) (rest.Generation, error) {
		all := d.now.Load()
		if all == nil {
			return rest.Generation{}, errNoFeeds
		}
		f := all.ByAlias[c.Param("feed_alias")]
		switch {
		case f == nil:
			return rest.Generation{}, rest.NotFound("unknown feed")
		case f.Refusal != nil:
			return rest.Generation{}, f.Refusal
		}
		return f.Generation, nil
	}}
}
