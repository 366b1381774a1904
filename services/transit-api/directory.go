package transitapi

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // agencies' time zones, also where the system has none

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// lookEvery is how often the table is read when no event says so: what a lost
// event costs.
const lookEvery = time.Second

// A liveFeed is one alias and the version that it serves now. It never changes:
// an import puts another in its place.
type liveFeed struct {
	alias   string
	name    string
	version versionID // of transit.feed_version; every query is for this version
	sha256  string
	zone    *time.Location // of the first agency; dates are local to it
	row     feedRow
	*index
	gen rest.Generation // Ref is this
}

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
	VersionID  versionID
	Generation int64
	UpdatedAt  rest.Time
	SHA256     []byte `db:"sha256"`
	TimeZone   *string
	FirstDay   *rest.Date
	LastDay    *rest.Date
	Counts     counts
}

// Feeds that were never imported serve nothing yet, so they are not there.
var liveFeeds = rest.SQL[rest.None, feedRow](`
	SELECT f.feed_id, f.alias, f.name, f.version_id, f.generation, f.updated_at,
	       v.sha256, v.time_zone, v.first_day, v.last_day, v.counts
	FROM transit.feed f JOIN transit.feed_version v ON v.version_id = f.version_id
	WHERE f.removed_at IS NULL
	ORDER BY f.alias`)

// feeds is all live feeds at one moment.
type feeds struct {
	byAlias map[string]*liveFeed
	sorted  []*liveFeed // by alias
	gen     rest.Generation
}

// A directory knows which feeds are live. Requests read it from memory; events
// and a look every second move it.
type directory struct {
	db    *pgxpool.Pool
	bus   *events.Bus
	log   *slog.Logger
	now   atomic.Pointer[feeds] // nil until the table could be read
	poke  chan struct{}
	every time.Duration
	mu    sync.Mutex // one look at a time
}

func newDirectory(deps run.Deps) *directory {
	return &directory{db: deps.DB, bus: deps.Events, log: deps.Log, poke: make(chan struct{}, 1), every: lookEvery}
}

// run keeps the directory up to date until ctx ends.
func (d *directory) run(ctx context.Context) error {
	moved := func() {
		select {
		case d.poke <- struct{}{}:
		default: // a look is due already
		}
	}
	err := errors.Join(
		events.Subscribe(ctx, d.bus, func(*eventsv1.FeedImported) { moved() }),
		events.Subscribe(ctx, d.bus, func(*eventsv1.FeedRemoved) { moved() }))
	if err != nil {
		return err
	}
	return run.Every(ctx, run.Loop{
		Name: "look at the feed table", Period: d.every, Timeout: time.Minute, MaxBackoff: 2 * d.every,
		Now: d.poke, Log: d.log,
	}, d.look)
}

// check tells whether there is anything to serve from; for /readyz.
func (d *directory) check(context.Context) error {
	if d.now.Load() == nil {
		return errors.New("the feed table could not be read yet")
	}
	return nil
}

// look reads the table and puts what it says in the directory's place.
func (d *directory) look(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	rows, err := liveFeeds.List(ctx, d.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read live feeds: %w", err)
	}
	old := d.now.Load()
	if old == nil {
		old = &feeds{}
	}
	next := &feeds{byAlias: make(map[string]*liveFeed, len(rows))}
	all := fnv.New64a()
	var errs []error
	for _, row := range rows {
		f := old.byAlias[row.Alias]
		if n := row.number(); f == nil || f.gen.N != n {
			opened, err := d.open(ctx, row, f)
			if err != nil { // the other feeds go on, and this one as it was
				errs = append(errs, fmt.Errorf("open feed %s: %w", row.Alias, err))
			} else {
				f = opened
			}
		}
		if f == nil {
			continue
		}
		next.byAlias[f.alias] = f
		next.sorted = append(next.sorted, f)
		fmt.Fprintf(all, "%s %d\n", f.alias, f.gen.N)
		if f.gen.Time.After(next.gen.Time) {
			next.gen.Time = f.gen.Time
		}
	}
	next.gen.N = int64(all.Sum64())
	next.gen.Ref = next
	if len(errs) == 0 || len(next.sorted) > 0 {
		d.now.Store(next)
	}
	return errors.Join(errs...)
}

// number names the state of a feed. The counter alone would repeat itself when a feed is removed and made
// again, or when a database is; clients would keep bodies of another feed under the same tag.
func (row *feedRow) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %d %d %x", row.FeedID, row.VersionID, row.Generation, row.UpdatedAt.UnixMicro(), row.SHA256)
	return int64(h.Sum64())
}

// open makes the live feed of a row; before is what the alias served until now, or nil.
func (d *directory) open(ctx context.Context, row feedRow, before *liveFeed) (*liveFeed, error) {
	f := &liveFeed{alias: row.Alias, name: row.Name, version: row.VersionID, sha256: hex.EncodeToString(row.SHA256), zone: time.UTC, row: row}
	if row.TimeZone != nil {
		zone, err := time.LoadLocation(*row.TimeZone)
		if err != nil {
			d.log.Warn("unknown time zone; dates are told in UTC", "feed", row.Alias, "agency_timezone", *row.TimeZone)
		} else {
			f.zone = zone
		}
	}
	f.gen = rest.Generation{N: row.number(), Time: row.UpdatedAt.Time, Ref: f}
	if before != nil && before.version == f.version && before.sha256 == f.sha256 && before.row.FeedID == row.FeedID {
		f.index = before.index
		return f, nil
	}
	var err error
	f.index, err = readIndex(ctx, versionedDB{d.db}, f.version)
	return f, err
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
	return f.gen, nil
}

// feedOf is the feed that the answer is made of.
func feedOf(c *rest.Call) *liveFeed { return c.Generation().Ref.(*liveFeed) }
