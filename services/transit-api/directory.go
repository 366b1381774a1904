package transitapi

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// lookEvery is how often the table is read when no event says so: what a lost
// event costs.
const lookEvery = time.Second

// A liveFeed is one alias and the version that it serves now. It never changes:
// an import puts another in its place.
type liveFeed struct {
	alias    string
	name     string
	version  replica.Version // of transit.feed_version; every query is for this version
	sha256   string
	zone     *time.Location // of the first agency; dates are local to it
	row      feedRow
	*edition                 // nil while there is none, see trouble
	trouble  *rest.Error     // why nothing of the feed is answered
	gen      rest.Generation // Ref is this
}

// boards is the timetable of the feed, or why there is none.
func (f *liveFeed) boards() (*timetable, *rest.Error) {
	switch {
	case f.edition == nil:
		return nil, f.trouble
	case f.timetable == nil:
		return nil, errNoBoards
	}
	return f.timetable, nil
}

// known is the timetable of the feed; nil when there is none.
func (f *liveFeed) known() *timetable {
	t, _ := f.boards()
	return t
}

// Why a feed, or what needs its timetable, is not answered.
var (
	errReading = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the feed is being read; try again soon",
		Header: http.Header{"Retry-After": {"2"}}}
	errNoRoom   = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the feed is too large for this deployment; its operator can raise TRANSIT_FEED_BYTES"}
	errNoBoards = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the calendar of the feed is too large for departure boards of this deployment; its operator can raise TRANSIT_FEED_BYTES"}
)

// counts are the rows of a version, by table of transit.
type counts struct {
	Agency      int `json:"agency"`
	Route       int `json:"route"`
	Stop        int `json:"stop"`
	Service     int `json:"service"`
	ServiceDate int `json:"service_date"`
	Trip        int `json:"trip"`
	StopTime    int `json:"stop_time"`
	Shape       int `json:"shape"`
	ShapePoint  int `json:"shape_point"`
	Frequency   int `json:"frequency"`
}

type feedRow struct {
	FeedID     int32
	Alias      string
	Name       string
	VersionID  replica.Version
	Generation int64
	UpdatedAt  rest.Time
	SHA256     []byte `db:"sha256"`
	TimeZone   *string
	FirstDay   *rest.Date
	LastDay    *rest.Date
	Counts     counts
	Gone       bool // removed, or never imported: it serves nothing
}

// Feeds that are gone are told too: by their generation, which is higher, one knows that they are not just unheard of.
var liveFeeds = rest.SQL[rest.None, feedRow](`
	SELECT f.feed_id, f.alias, f.name, coalesce(f.version_id, 0) AS version_id, f.generation, f.updated_at,
	       v.sha256, v.time_zone, v.first_day, v.last_day, coalesce(v.counts, '{}') AS counts,
	       f.removed_at IS NOT NULL OR v.version_id IS NULL AS gone
	FROM transit.feed f LEFT JOIN transit.feed_version v ON v.version_id = f.version_id
	ORDER BY f.alias`)

// feeds is all live feeds at one moment.
type feeds struct {
	byAlias map[string]*liveFeed
	sorted  []*liveFeed // by alias
	gen     rest.Generation
}

// A directory knows which feeds are live. Requests read it from memory; events
// and a look every second move it. Versions are read apart from both, each once and a few at a time; a feed
// goes on with the version it has until the next one is there.
type directory struct {
	db    *pgxpool.Pool
	bus   *events.Bus
	log   *slog.Logger
	now   atomic.Pointer[feeds] // nil until the table could be read
	every time.Duration
	limit int64 // memory that one feed may take
	clock func() time.Time

	mu       sync.Mutex // one change at a time; of all that follows
	began    time.Time  // of the first look
	rows     []feedRow  // as they are believed
	doubts   map[string]*replica.Doubt
	readings map[edited]*reading
	trouble  map[string]string // what is logged already, by alias
	atOnce   chan struct{}     // readings that run
	running  sync.WaitGroup
}

const (
	// readyWithin is how long a start waits for feeds that take their time before it says that it is ready without them.
	readyWithin = 20 * time.Second
)

func newDirectory(deps run.Deps, limit int64) *directory {
	return &directory{db: deps.DB, bus: deps.Events, log: deps.Log, every: lookEvery, limit: limit, clock: time.Now,
		doubts: map[string]*replica.Doubt{}, readings: map[edited]*reading{}, trouble: map[string]string{}, atOnce: make(chan struct{}, readAtOnce)}
}

// run keeps the directory up to date until ctx ends.
func (d *directory) run(ctx context.Context) error {
	defer d.running.Wait()
	loop := run.Loop{Name: "look at the feed table", Period: d.every, Log: d.log} // a look has its own timeout: what it begins goes on
	return run.Watch(ctx, d.bus, loop, d.look, run.On[eventsv1.FeedImported], run.On[eventsv1.FeedRemoved])
}

// check tells whether there is anything to serve from, and whether all that was live at the start is there; for /readyz.
func (d *directory) check(context.Context) error {
	all := d.now.Load()
	if all == nil {
		return errors.New("the feed table could not be read yet")
	}
	d.mu.Lock()
	late := d.clock().Sub(d.began) > readyWithin
	d.mu.Unlock()
	for _, f := range all.sorted {
		if f.trouble == errReading && !late {
			return fmt.Errorf("feed %s is being read", f.alias)
		}
	}
	return nil
}

// look reads the table, begins to read what is new, and puts what is there in the directory's place. Readings go on until ctx ends.
func (d *directory) look(ctx context.Context) error {
	rows, err := d.table(ctx)
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
	d.settle()
	return nil
}

// lookWithin is how long reading the table may take.
const lookWithin = 10 * time.Second

func (d *directory) table(ctx context.Context) ([]feedRow, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	return liveFeeds.List(ctx, d.db, rest.None{})
}

// believed are the rows of a look, with the last ones in place of those that went back, until that has lasted.
func (d *directory) believed(rows []feedRow) []feedRow {
	next := make([]feedRow, 0, len(rows))
	said := make(map[string]feedRow, len(rows))
	for _, row := range rows {
		said[row.Alias] = row
	}
	for _, old := range d.rows {
		row, told := said[old.Alias]
		doubts := d.doubts[old.Alias]
		if doubts == nil {
			doubts = &replica.Doubt{}
			d.doubts[old.Alias] = doubts
		}
		back := !told || row.before(&old)
		if back && !doubts.Pending() {
			d.log.Warn("the database tells of an earlier state of a feed: a replica that lags, or a database that was restored; the later one is kept meanwhile",
				"feed", old.Alias, "generation", old.Generation, "told", row.Generation, "believed_in", replica.Patience)
		}
		if !doubts.Believe(back, d.clock()) {
			said[old.Alias] = old
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(said)) {
		next = append(next, said[alias])
	}
	return next
}

// before tells whether a row is of an earlier state of its feed. The same feed counts its generations; of two feeds with one
// alias, as after a restore, the time tells.
func (row *feedRow) before(old *feedRow) bool {
	if row.FeedID == old.FeedID {
		return row.Generation < old.Generation
	}
	return row.UpdatedAt.Before(old.UpdatedAt.Time)
}

// settle makes what is there the state that requests see.
func (d *directory) settle() {
	old := d.now.Load()
	if old == nil {
		old = &feeds{}
	}
	next := &feeds{byAlias: make(map[string]*liveFeed, len(d.rows))}
	all := fnv.New64a()
	for _, row := range d.rows {
		if row.Gone {
			continue
		}
		f := d.open(row, old.byAlias[row.Alias])
		next.byAlias[f.alias] = f
		next.sorted = append(next.sorted, f)
		fmt.Fprintf(all, "%s %d %t\n", f.alias, f.gen.N, f.edition != nil)
		if f.gen.Time.After(next.gen.Time) {
			next.gen.Time = f.gen.Time
		}
	}
	next.gen.N = int64(all.Sum64())
	next.gen.Ref = next
	d.now.Store(next)
}

// number names the state of a feed. The counter alone would repeat itself when a feed is removed and made
// again, or when a database is; clients would keep bodies of another feed under the same tag.
func (row *feedRow) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %d %d %x", row.FeedID, row.VersionID, row.Generation, row.UpdatedAt.UnixMicro(), row.SHA256)
	return int64(h.Sum64())
}

// open is the live feed of a row; before is what the alias served until now, or nil.
func (d *directory) open(row feedRow, before *liveFeed) *liveFeed {
	r := d.readings[row.edited()]
	waiting := r == nil || !r.over || r.err != nil && !errors.Is(r.err, errTooLarge)
	d.tell(row.Alias, r)
	if waiting && before != nil && (before.edition != nil || before.gen.N == row.number()) {
		return before
	}
	if before != nil && before.gen.N == row.number() && r != nil && before.edition == r.edition {
		return before
	}
	f := &liveFeed{alias: row.Alias, name: row.Name, version: row.VersionID, sha256: hex.EncodeToString(row.SHA256), zone: time.UTC, row: row}
	switch {
	case waiting:
		f.trouble = errReading
	case r.err != nil:
		f.trouble = errNoRoom
	default:
		f.edition = r.edition
	}
	if row.TimeZone != nil {
		zone, err := time.LoadLocation(*row.TimeZone)
		if err != nil {
			d.log.Warn("unknown time zone; dates are told in UTC", "feed", row.Alias, "agency_timezone", *row.TimeZone)
		} else {
			f.zone = zone
		}
	}
	f.gen = rest.Generation{N: row.number(), Time: row.UpdatedAt.Time, Ref: f}
	return f
}

var (
	feedBytes    = prometheus.NewDesc("townline_transit_feed_bytes", "Memory that a feed takes in this process, estimated; at most TRANSIT_FEED_BYTES.", []string{"feed"}, nil)
	feedWithheld = prometheus.NewDesc("townline_transit_feed_withheld", "1 when a feed (what is all) or its departure boards (what is boards) are not answered, being read or too large; the log says which.", []string{"feed", "what"}, nil)
)

// Describe is part of prometheus.Collector.
func (d *directory) Describe(ch chan<- *prometheus.Desc) {
	ch <- feedBytes
	ch <- feedWithheld
}

// Collect is part of prometheus.Collector.
func (d *directory) Collect(ch chan<- prometheus.Metric) {
	all := d.now.Load()
	if all == nil {
		return
	}
	for _, f := range all.sorted {
		if f.edition != nil {
			ch <- prometheus.MustNewConstMetric(feedBytes, prometheus.GaugeValue, float64(f.bytes), f.alias)
		}
		for what, withheld := range map[string]bool{"all": f.edition == nil, "boards": f.known() == nil} {
			value := 0.0
			if withheld {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(feedWithheld, prometheus.GaugeValue, value, f.alias, what)
		}
	}
}

var errNoFeeds = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the database cannot be reached; try again soon",
	Header: http.Header{"Retry-After": {"5"}}}

// allSource is the generation of answers about all feeds.
func (d *directory) allSource() *rest.Source {
	return &rest.Source{Now: func(context.Context, *rest.Call) (rest.Generation, error) {
		all := d.now.Load()
		if all == nil {
			return rest.Generation{}, errNoFeeds
		}
		return all.gen, nil
	}}
}

// feedSource is the generation of answers about the feed in the path.
func (d *directory) feedSource() *rest.Source {
	return &rest.Source{Now: d.feedNow}
}

func (d *directory) feedNow(_ context.Context, c *rest.Call) (rest.Generation, error) {
	all := d.now.Load()
	if all == nil {
		return rest.Generation{}, errNoFeeds
	}
	f := all.byAlias[c.Param("feed_alias")]
	if f == nil {
		return rest.Generation{}, rest.NotFound("unknown feed")
	}
	if f.trouble != nil {
		return rest.Generation{}, f.trouble
	}
	return f.gen, nil
}

// feedOf is the feed that the answer is made of.
func feedOf(c *rest.Call) *liveFeed { return c.Generation().Ref.(*liveFeed) }
