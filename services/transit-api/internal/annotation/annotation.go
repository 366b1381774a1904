// Package annotation keeps the operator's annotations in memory: which are active, their bodies as
// safe HTML, and their redirects of stops. Annotations are rows of transit.annotation, which the
// operator's command writes.
//
// Answers change with the table and with the clock: see [Store.At].
package annotation

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Store holds the annotations. Run keeps them up to date.
type Store struct {
	*replica.CountedTable
	db      rest.DB
	log     *slog.Logger
	changed func()                // called after each change
	now     atomic.Pointer[State] // nil until the table has been read
	clock   func() time.Time
	mu      sync.Mutex // held during a change
}

// An Annotation is a message of the operator about an entity, or an override of it.
type Annotation struct {
	ID                  int     `json:"id"`
	AnnotationType      string  `json:"annotation_type" enum:"comment,override" doc:"comment: a message. override: predictions are taken from another entity."`
	EntityType          string  `json:"entity_type" enum:"stops,routes,trips,agency"`
	EntityID            string  `json:"entity_id"`
	SecondaryEntityType *string `json:"secondary_entity_type" doc:"Limits the annotation, for example to one route at the stop."`
	SecondaryEntityID   *string `json:"secondary_entity_id"`
	Body                string  `json:"body" doc:"Safe HTML."`
	OverrideEntityID    *string `json:"override_entity_id" doc:"The entity that replaces this one; it has the same type."`
	Active              bool    `json:"active" doc:"Always true: only active annotations are listed."`
}

// A scheduled annotation also has the times when it is active.
type scheduled struct {
	Annotation
	Alias      *string // feed of its entity; nil means any feed
	Format     string
	TimeZone   string
	StartsAt   pgtype.Timestamp // local time
	EndsAt     pgtype.Timestamp
	HoursFrom  []int32 // in minutes of the local week, from Monday
	HoursUntil []int32 // in the same order as HoursFrom
	CreatedAt  rest.Time

	Text       string `db:"-"` // the body without HTML
	zone       *time.Location
	start, end time.Time // zero means open-ended
}

// A State has all annotations at one moment. It is immutable.
type State struct {
	changed int64
	all     []*scheduled
	active  []*scheduled
	at      time.Time // the moment of the state
	until   time.Time // when the set of active annotations changes; zero means never
	// Generation is for answers that list annotations, Redirects for answers that follow overrides.
	Generation rest.Generation
	Redirects  rest.Generation

	redirects map[string][]*scheduled // active overrides, keyed by stop
}

// liveAnnotations omits annotations that have ended.
var liveAnnotations = rest.SQL[rest.None, scheduled](`
	SELECT annotation_id AS id, annotation_type, entity_type, entity_id, secondary_entity_type, secondary_entity_id, body,
	       override_entity_id,
	       false AS active, alias, format, time_zone, starts_at, ends_at,
	       CASE WHEN hours IS NOT NULL THEN ARRAY(SELECT lower(h) FROM unnest(hours) AS h ORDER BY h) END AS hours_from,
	       CASE WHEN hours IS NOT NULL THEN ARRAY(SELECT upper(h) FROM unnest(hours) AS h ORDER BY h) END AS hours_until,
	       created_at
	FROM transit.annotation
	WHERE ends_at IS NULL OR ends_at > now() AT TIME ZONE 'UTC' - interval '2 days'
	ORDER BY annotation_id`)

var changeCount = rest.SQL[rest.None, int64](`SELECT coalesce(max(changed), 0) FROM transit.annotation`)

// New returns an empty store. It calls changed after each change.
func New(deps run.Deps, clock func() time.Time, changed func()) *Store {
	s := &Store{db: deps.DB, log: deps.Log, changed: changed, clock: clock}
	s.CountedTable = replica.NewCountedTable("annotations", deps.DB, deps.Log, changeCount, s.read)
	return s
}

func (s *Store) read(ctx context.Context, changes int64) error {
	rows, err := liveAnnotations.List(ctx, s.db, rest.None{})
	if err != nil {
		return err
	}
	next := &State{changed: changes}
	for i := range rows {
		if err := rows[i].prepare(); err != nil {
			s.log.Error("an annotation is not shown", "annotation", rows[i].ID, "error", err)
			continue
		}
		next.all = append(next.all, &rows[i])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(next, s.clock())
	return nil
}

func (s *Store) set(next *State, now time.Time) {
	next.activate(now)
	s.now.Store(next)
	s.changed()
}

// At returns the state at a moment; nil until the table has been read.
func (s *Store) At(now time.Time) *State {
	state := s.now.Load()
	if state == nil || state.isValid(now) {
		return state
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state = s.now.Load()
	if !state.isValid(now) { // otherwise another request was faster
		s.set(&State{changed: state.changed, all: state.all}, now)
	}
	return s.now.Load()
}

// isValid reports whether the state is correct for a moment. It also accepts earlier moments, so
// that a slow request does not restore an earlier state.
func (s *State) isValid(now time.Time) bool {
	return s.until.IsZero() || now.Before(s.until)
}

func (n *scheduled) prepare() error {
	var err error
	n.Body, err = RenderBody(n.Format, n.Body)
	if err != nil {
		return err
	}
	n.Text = Plain(n.Body, true)
	n.zone, err = time.LoadLocation(n.TimeZone)
	if err != nil {
		return fmt.Errorf("load the time zone: %w", err)
	}
	n.Active = true // only active annotations are listed
	n.start, n.end = instant(n.StartsAt, n.zone), instant(n.EndsAt, n.zone)
	return nil
}

// instant converts a local time. NULL and infinity become the zero time.
func instant(t pgtype.Timestamp, zone *time.Location) time.Time {
	if !t.Valid || t.InfinityModifier != pgtype.Finite {
		return time.Time{}
	}
	l := t.Time
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), zone)
}

// activate finds the annotations that are active at a moment, and when that set changes.
func (s *State) activate(now time.Time) {
	s.redirects, s.at = map[string][]*scheduled{}, now
	all, redirects := fnv.New64a(), fnv.New64a()
	fmt.Fprintf(all, "%d", s.changed)
	for _, n := range s.all {
		override := n.AnnotationType == "override" && n.EntityType == "stops"
		active, until := n.activeAt(now)
		if active {
			s.active = append(s.active, n)
			fmt.Fprintf(all, " %d", n.ID)
		}
		if active && override {
			s.redirects[n.EntityID] = append(s.redirects[n.EntityID], n)
			fmt.Fprintf(redirects, "%d %d\n", s.changed, n.ID)
		}
		s.until = sooner(s.until, until)
		if override {
			s.Redirects.Until = sooner(s.Redirects.Until, until)
		}
	}
	s.Generation = rest.Generation{N: int64(all.Sum64()), Until: s.until}
	s.Redirects.N = int64(redirects.Sum64())
}

// sooner returns the earlier of two times; the zero time means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

const minutesOfWeek = 7 * 24 * 60

// activeAt reports whether the annotation is active, and until when that cannot change; zero means
// forever.
func (n *scheduled) activeAt(now time.Time) (active bool, until time.Time) {
	if !n.end.IsZero() && !now.Before(n.end) {
		return false, time.Time{}
	}
	if now.Before(n.start) {
		return false, n.start
	}
	if n.HoursFrom == nil {
		return true, n.end
	}
	local := now.In(n.zone)
	minute := minuteOfWeek(local)
	for i, from := range n.HoursFrom {
		active = active || from <= minute && minute < n.HoursUntil[i]
	}
	_, until = local.ZoneBounds() // the offset of local time is constant until then
	until = sooner(until, n.end)
	for _, edge := range n.edges(now) {
		until = sooner(until, edge)
	}
	return active, until
}

// edges returns when the hours of the annotation begin or end in the week after a moment.
func (n *scheduled) edges(now time.Time) (all []time.Time) {
	minute, begin := minuteOfWeek(now.In(n.zone)), now.Truncate(time.Minute) // offsets are whole minutes
	for _, edge := range slices.Concat(n.HoursFrom, n.HoursUntil) {
		wait := (edge - minute + minutesOfWeek) % minutesOfWeek
		if wait == 0 {
			wait = minutesOfWeek
		}
		all = append(all, begin.Add(time.Duration(wait)*time.Minute))
	}
	return all
}

func minuteOfWeek(local time.Time) int32 {
	return (int32(local.Weekday())+6)%7*24*60 + int32(local.Hour())*60 + int32(local.Minute())
}

// isOf reports whether the annotation applies to a feed. A nil alias means any feed.
func (n *scheduled) isOf(alias *string) bool {
	return alias == nil || n.Alias == nil || *n.Alias == *alias
}

// About returns the active annotations of an entity in one feed, or in any feed if alias is nil. It
// omits comments if no feed of theirs has the entity; has reports whether one does (nil means any).
func (s *State) About(
	entityType, id string, alias *string, has func(alias *string, entityType, id string) bool,
) []Annotation {
	var rows []Annotation
	for _, n := range s.active {
		of := alias
		if n.Alias != nil {
			of = n.Alias
		}
		if n.EntityType == entityType && n.EntityID == id && n.isOf(alias) &&
			(n.AnnotationType != "comment" || n.concerns(func(kind, id string) bool { return has(of, kind, id) })) {
			rows = append(rows, n.Annotation)
		}
	}
	return rows
}

// concerns reports whether a feed has the entities that the annotation is about.
func (n *scheduled) concerns(has func(entityType, id string) bool) bool {
	return has(n.EntityType, n.EntityID) &&
		(n.SecondaryEntityType == nil || has(*n.SecondaryEntityType, *n.SecondaryEntityID))
}

// A Place is a stop with all or some of its trips. Overrides replace a requested stop by other
// stops.
type Place struct {
	Stop string
	keep func(route, trip string) bool // nil means all trips
}

// maxRedirects bounds a chain of overrides, which may be a cycle.
const maxRedirects = 4

// Places returns the stops and trips that an answer about a stop lists. An override may use any of
// the stop's names.
func (s *State) Places(alias, stop string, names func(string) []string) []Place {
	return s.follow(alias, stop, names, maxRedirects)
}

func (s *State) follow(alias, stop string, names func(string) []string, hops int) []Place {
	here := []Place{{Stop: stop}}
	if len(s.redirects) == 0 || hops == 0 {
		return here
	}
	var there []Place
	for _, name := range names(stop) {
		for _, n := range s.redirects[name] {
			if !n.isOf(&alias) {
				continue
			}
			onward := s.follow(alias, *n.OverrideEntityID, names, hops-1)
			matches := n.condition()
			if matches == nil {
				return onward
			}
			for i := range here {
				here[i].keep = both(here[i].keep, func(route, trip string) bool { return !matches(route, trip) })
			}
			for _, p := range onward {
				there = append(there, Place{p.Stop, both(p.keep, matches)})
			}
		}
	}
	return append(here, there...)
}

// condition returns which route or trip an override applies to; nil if it applies to all.
func (n *scheduled) condition() func(route, trip string) bool {
	if n.SecondaryEntityType == nil {
		return nil
	}
	kind, id := *n.SecondaryEntityType, *n.SecondaryEntityID
	return func(route, trip string) bool { return kind == "routes" && route == id || kind == "trips" && trip == id }
}

func both(a, b func(route, trip string) bool) func(route, trip string) bool {
	if a == nil {
		return b
	}
	return func(route, trip string) bool { return a(route, trip) && b(route, trip) }
}

// HasAll reports whether the place includes all trips.
func (p Place) HasAll() bool { return p.keep == nil }

func (p Place) Has(route, trip string) bool { return p.keep == nil || p.keep(route, trip) }
