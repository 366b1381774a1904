package transitapi

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// notices knows the annotations and which of them hold now. They change with the table, which a look every second
// notices, and by the clock, which every request reads.
type notices struct {
	db    rest.DB
	log   *slog.Logger
	dir   *directory
	news  *news
	now   atomic.Pointer[noticed] // nil until the table could be read
	every time.Duration
	clock func() time.Time
	turn  sync.Mutex // one look at a time
	doubt replica.Doubt
	mu    sync.Mutex // one change at a time
}

// A notice is an annotation with the times when it holds.
type notice struct {
	Annotation
	Alias      *string // the feed it is about; nil: any
	Format     string
	TimeZone   string
	StartsAt   pgtype.Timestamp // local
	EndsAt     pgtype.Timestamp
	HoursFrom  []int32 // minutes of the local week from Monday, in step with HoursUntil
	HoursUntil []int32

	zone       *time.Location
	start, end time.Time // zero: open
}

// noticed is all annotations at one moment. It never changes.
type noticed struct {
	changed int64
	all     []*notice
	active  []*notice
	until   time.Time // when others will be active; zero: never
	gen     rest.Generation
	// redirects are the active overrides by the stop that they redirect; redirectGen is what answers that follow them depend on.
	redirects   map[string][]*notice
	redirectGen rest.Generation
}

// Annotations that are over are of no use here.
var liveNotices = rest.SQL[rest.None, notice](`
	SELECT annotation_id AS id, annotation_type, entity_type, entity_id, secondary_entity_type, secondary_entity_id, body, override_entity_id,
	       false AS active, alias, format, time_zone, starts_at, ends_at,
	       CASE WHEN hours IS NOT NULL THEN ARRAY(SELECT lower(h) FROM unnest(hours) AS h ORDER BY h) END AS hours_from,
	       CASE WHEN hours IS NOT NULL THEN ARRAY(SELECT upper(h) FROM unnest(hours) AS h ORDER BY h) END AS hours_until
	FROM transit.annotation
	WHERE ends_at IS NULL OR ends_at > now() AT TIME ZONE 'UTC' - interval '2 days'
	ORDER BY annotation_id`)

var noticesChanged = rest.SQL[rest.None, int64](`SELECT coalesce(max(changed), 0) FROM transit.annotation`)

func newNotices(deps run.Deps, dir *directory, news *news) *notices {
	return &notices{db: deps.DB, log: deps.Log, dir: dir, news: news, every: lookEvery, clock: time.Now}
}

// run keeps the annotations up to date until ctx ends.
func (n *notices) run(ctx context.Context) error {
	return run.Watch(ctx, nil, run.Loop{Name: "look at the annotations", Period: n.every, Timeout: 5 * time.Second, Log: n.log}, n.look)
}

// look reads the table if it has changed. A replica that lags tells of fewer changes: that is not believed at once.
func (n *notices) look(ctx context.Context) error {
	n.turn.Lock()
	defer n.turn.Unlock()
	changed, err := noticesChanged.One(ctx, n.db, rest.None{})
	if err != nil {
		return fmt.Errorf("look for new annotations: %w", err)
	}
	if old := n.now.Load(); old != nil && (!n.doubt.Believe(changed < old.changed, n.clock()) || changed == old.changed) {
		return nil
	}
	rows, err := liveNotices.List(ctx, n.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read annotations: %w", err)
	}
	next := &noticed{changed: changed}
	for i := range rows {
		if err := rows[i].ready(); err != nil {
			n.log.Error("an annotation is not shown", "annotation", rows[i].ID, "error", err)
			continue
		}
		next.all = append(next.all, &rows[i])
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.put(next, n.clock())
	return nil
}

// put makes a state the one that requests read.
func (n *notices) put(next *noticed, now time.Time) {
	next.settle(now)
	n.now.Store(next)
	n.news.tell()
}

// at is the state of a moment; nil until the table could be read.
func (n *notices) at(now time.Time) *noticed {
	state := n.now.Load()
	if state == nil || state.holds(now) {
		return state
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if state = n.now.Load(); !state.holds(now) { // else somebody else was first
		n.put(&noticed{changed: state.changed, all: state.all}, now)
	}
	return n.now.Load()
}

// holds tells whether the state is still that of a moment. A moment before it, of a request that was slow to come here, does
// not bring an earlier one back.
func (s *noticed) holds(now time.Time) bool {
	return s.until.IsZero() || now.Before(s.until)
}

// ready makes the body safe and finds the instants of local times.
func (n *notice) ready() error {
	var err error
	if n.Body, err = RenderBody(n.Format, n.Body); err != nil {
		return err
	}
	if n.zone, err = time.LoadLocation(n.TimeZone); err != nil {
		return fmt.Errorf("time zone: %w", err)
	}
	n.Active = true // as it will be listed
	n.start, n.end = instant(n.StartsAt, n.zone), instant(n.EndsAt, n.zone)
	return nil
}

// instant is a local time as a moment; zero for none and for an infinite one.
func instant(t pgtype.Timestamp, zone *time.Location) time.Time {
	if !t.Valid || t.InfinityModifier != pgtype.Finite {
		return time.Time{}
	}
	l := t.Time
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), zone)
}

// settle finds what holds at a moment, and when that will change.
func (s *noticed) settle(now time.Time) {
	s.redirects = map[string][]*notice{}
	all, redirects := fnv.New64a(), fnv.New64a()
	sooner := func(t *time.Time, than time.Time) {
		if !than.IsZero() && (t.IsZero() || than.Before(*t)) {
			*t = than
		}
	}
	fmt.Fprintf(all, "%d", s.changed)
	for _, n := range s.all {
		override := n.AnnotationType == "override" && n.EntityType == "stops"
		holds, until := n.at(now)
		if holds {
			s.active = append(s.active, n)
			fmt.Fprintf(all, " %d", n.ID)
		}
		if holds && override {
			s.redirects[n.EntityID] = append(s.redirects[n.EntityID], n)
			fmt.Fprintf(redirects, "%d %d\n", s.changed, n.ID)
		}
		sooner(&s.until, until)
		if override {
			sooner(&s.redirectGen.Until, until)
		}
	}
	s.gen = rest.Generation{N: int64(all.Sum64()), Ref: s, Until: s.until}
	s.redirectGen.N = int64(redirects.Sum64())
}

const minutesOfWeek = 7 * 24 * 60

// at tells whether the annotation holds at a moment, and the next moment at which that may be otherwise; zero: it stays so.
func (n *notice) at(now time.Time) (holds bool, until time.Time) {
	if !n.end.IsZero() && !now.Before(n.end) {
		return false, time.Time{}
	}
	if now.Before(n.start) {
		return false, n.start
	}
	until = n.end
	if n.HoursFrom == nil {
		return true, until
	}
	sooner := func(t time.Time) {
		if t.After(now) && (until.IsZero() || t.Before(until)) {
			until = t
		}
	}
	local := now.In(n.zone)
	minute := (int32(local.Weekday())+6)%7*24*60 + int32(local.Hour())*60 + int32(local.Minute())
	begin := now.Add(-time.Duration(local.Second())*time.Second - time.Duration(local.Nanosecond())) // of this minute
	for i, from := range n.HoursFrom {
		holds = holds || from <= minute && minute < n.HoursUntil[i]
		for _, edge := range []int32{from, n.HoursUntil[i]} {
			wait := (edge - minute + minutesOfWeek) % minutesOfWeek
			if wait == 0 {
				wait = minutesOfWeek
			}
			sooner(begin.Add(time.Duration(wait) * time.Minute))
		}
	}
	_, change := local.ZoneBounds() // up to then the clock on the wall goes evenly
	if !change.IsZero() {
		sooner(change)
	}
	return holds, until
}

// of tells whether the annotation is about entities of a feed; nil is any.
func (n *notice) of(alias *string) bool { return alias == nil || n.Alias == nil || *n.Alias == *alias }

// source is the generation of answers that are made of annotations.
func (n *notices) source() *rest.Source {
	return &rest.Source{
		Now: func(_ context.Context, c *rest.Call) (rest.Generation, error) {
			state := n.at(n.clock())
			if state == nil {
				return rest.Generation{}, errNoLive
			}
			if alias := c.Param("feed"); alias != "" {
				if all := n.dir.now.Load(); all == nil || all.byAlias[alias] == nil {
					return rest.Generation{}, rest.NotFound("unknown feed")
				}
			}
			return state.gen, nil
		},
		Changed: n.news.changed,
	}
}
