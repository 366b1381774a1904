package realtimeapi

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// BoardStep is how often a departure board is computed again, to drop departures that have left.
const BoardStep = 10 * time.Second

const (
	boardTimeout    = 3 * time.Second // per feed, on a board of several feeds; a slower feed is omitted
	maxBoardCalls   = 500_000         // bounds the calls of a board's runs; no real stop comes near it
	maxBoardWindows = 200_000         // bounds the windows of the trips in updates
)

var errBusy = rest.BadRequest(rest.Fault{Path: "minutes",
	Message: "too many trips call at this stop in that time: ask for fewer minutes, or for one platform"})

func asBusy(err error) error {
	if errors.Is(err, kept.ErrTooMuch) {
		return errBusy
	}
	return err
}

// CanOmit reports whether a board of several feeds omits a feed with this error.
func CanOmit(err error) bool {
	var refused *rest.Error
	return errors.As(err, &refused) || errors.Is(err, context.DeadlineExceeded)
}

type feedID struct{ alias, id string }

// parseFeedIDs parses texts of the form FEED:ID. Aliases contain no colon.
func parseFeedIDs(texts []string) []feedID {
	all := make([]feedID, len(texts))
	for i, text := range texts {
		all[i].alias, all[i].id, _ = strings.Cut(text, ":")
	}
	return all
}

// DeparturesView has the data of a board.
type DeparturesView struct {
	Now         time.Time
	Feeds       []*FeedDepartures // in the order of the request
	annotations *annotation.State
	missing     []string // unknown aliases
}

// FeedDepartures has the data of one feed for a board.
type FeedDepartures struct {
	Alias    string
	Feed     *edition.Feed // never nil; it has no edition if its timetable was never imported
	Polled   *live.View    // trip updates, including those of stale sources
	now      time.Time
	updates  *live.View
	vehicles *live.View // for trips whose updates name no vehicle
	unplaced bool       // positions of vehicles are not shown
	alerts   *live.View
	operator *realtime.Snapshot // annotations of the operator; nil if there are none
}

// newBoardView returns a view without feeds, and the generations on which every board depends.
func (a *API) newBoardView() (v *DeparturesView, gens []rest.Generation, err error) {
	v = &DeparturesView{Now: a.Now().Truncate(BoardStep), annotations: a.Annotations.At(a.Now())}
	if a.Feeds.Now() == nil || v.annotations == nil {
		return nil, nil, live.ErrNotRead
	}
	return v, []rest.Generation{v.annotations.Generation, {N: v.Now.Unix(), Until: v.Now.Add(BoardStep)}}, nil
}

// boardGeneration joins the generations of a board. It drops the time of change, because a board
// changes with the clock.
func boardGeneration(gens []rest.Generation) rest.Generation {
	gen := rest.Join(gens...)
	gen.Time = time.Time{}
	return gen
}

// DepartureView returns the data for the departures at stops of the form FEED:STOP. If realtime
// data is unavailable, the view has only the timetable.
func (a *API) DepartureView(
	ctx context.Context, stops []string, withRealtime bool,
) (v *DeparturesView, gen rest.Generation, err error) {
	v, gens, err := a.newBoardView()
	if err != nil {
		return nil, gen, err
	}
	var aliases []string
	for _, s := range parseFeedIDs(stops) {
		if !slices.Contains(aliases, s.alias) {
			aliases = append(aliases, s.alias)
		}
	}
	if withRealtime {
		a.Live.Await(ctx, aliases, allKinds...)
	}
	for _, alias := range aliases {
		d, some, err := a.feedDepartures(alias, v, withRealtime)
		if err != nil {
			return nil, gen, err
		}
		if d == nil {
			v.missing = append(v.missing, alias)
			continue
		}
		v.Feeds, gens = append(v.Feeds, d), append(gens, some...)
	}
	if len(v.Feeds) == 0 {
		return nil, gen, rest.NotFound("unknown feed: %s", strings.Join(v.missing, ", "))
	}
	return v, boardGeneration(gens), nil
}

// allKinds are the kinds of entities that a board needs.
var allKinds = []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts}

// view is [live.Live.View] for answers that also have the timetable, or the state of the realtime
// data: they need not wait until the sources of a feed have been read.
func (a *API) view(alias, kind string) (*live.View, error) {
	v, err := a.Live.View(alias, kind)
	if errors.Is(err, live.ErrNotRead) && (alias == "" || a.Feeds.Feed(alias) != nil) {
		err = nil
	}
	return v, err
}

// feedDepartures returns the data of a feed, and its generations; nil if the feed is unknown.
func (a *API) feedDepartures(
	alias string, v *DeparturesView, withRealtime bool,
) (*FeedDepartures, []rest.Generation, error) {
	f, gens := a.Feeds.Feed(alias), []rest.Generation(nil)
	views, isKnown := [3]*live.View{{}, {}, {}}, f != nil
	for i, kind := range allKinds {
		if !withRealtime {
			break
		}
		view, err := a.view(alias, kind)
		if errors.Is(err, live.ErrNotRead) {
			return nil, nil, err
		}
		if err == nil {
			views[i], isKnown = view, true
			gens = append(gens, view.Generation)
		}
	}
	switch {
	case !isKnown:
		return nil, nil, nil
	case f == nil:
		f = &edition.Feed{Alias: alias, Name: alias, Zone: time.UTC}
	default:
		gens = append(gens, f.Generation)
	}
	operator, err := operatorAlerts(v.annotations, f)
	if err != nil {
		return nil, nil, err
	}
	now := v.Now
	return &FeedDepartures{Alias: alias, Feed: f, Polled: views[0], now: now, updates: views[0].Fresh(now),
		vehicles: views[1].Fresh(now), alerts: views[2].Fresh(now), operator: operator}, gens, nil
}

type result struct {
	stops      []feedID
	places     map[feedID][]annotation.Place
	feeds      []*FeedDepartures // feeds without errors
	byAlias    map[string]*FeedDepartures
	departures []board.Departure
	whole      bool
	oldest     int64    // oldest poll of the feeds in Unix seconds; 0 if there was none
	missing    []string // aliases of feeds with errors
	err        error    // error of one of the missing feeds
}

func (v *DeparturesView) search(
	ctx context.Context, b *board.Board, stops []feedID, until time.Time,
) (*result, error) {
	r := &result{stops: stops, places: map[feedID][]annotation.Place{}, byAlias: map[string]*FeedDepartures{},
		missing: slices.Clone(v.missing)}
	for _, d := range v.Feeds {
		var places []annotation.Place
		for _, s := range stops {
			if s.alias == d.Alias {
				r.places[s] = v.annotations.Places(s.alias, s.id, d.Feed.Identities)
				places = append(places, r.places[s]...)
			}
		}
		err := d.add(ctx, b, places, until, len(v.Feeds) > 1)
		switch {
		case err == nil:
			r.feeds, r.byAlias[d.Alias] = append(r.feeds, d), d
			if at := d.Polled.LastFetched; at != 0 && (r.oldest == 0 || at < r.oldest) {
				r.oldest = at
			}
		case ctx.Err() != nil || !CanOmit(err):
			return nil, err
		default:
			r.missing, r.err = append(r.missing, d.Alias), err
		}
	}
	r.departures, r.whole = b.Departures()
	if r.err != nil { // omit departures of a feed that failed later
		r.departures = slices.DeleteFunc(r.departures, func(d board.Departure) bool { return r.byAlias[d.Feed] == nil })
	}
	return r, nil
}

// add adds the departures of a feed at its places to a board. If the board has several feeds, its
// time is limited.
func (d *FeedDepartures) add(
	ctx context.Context, b *board.Board, places []annotation.Place, until time.Time, several bool,
) error {
	if several {
		limited, cancel := context.WithTimeout(ctx, boardTimeout)
		defer cancel()
		ctx = limited
	}
	if err := d.Feed.BoardsUnavailable(); err != nil {
		return err
	}
	var whole []string // stops with all their trips form one place, so that each call is listed once
	for _, place := range places {
		if place.HasAll() {
			whole = append(whole, place.Stop)
			continue
		}
		if err := d.addPlace(ctx, b, []string{place.Stop}, place.Has, until); err != nil {
			return err
		}
	}
	if whole == nil {
		return nil
	}
	return d.addPlace(ctx, b, whole, func(string, string) bool { return true }, until)
}

func (d *FeedDepartures) addPlace(
	ctx context.Context, b *board.Board, stops []string, allows func(route, trip string) bool, until time.Time,
) error {
	f := d.Feed
	p := d.newPlace()
	var ids []string
	for _, stop := range stops {
		p.Names, ids = append(p.Names, f.AllNames(stop)...), append(ids, f.StopIDs(stop)...)
	}
	slices.Sort(ids)
	visits, patterns, err := f.Visits(ctx, slices.Compact(ids), d.now, until, f.Zone)
	if err != nil {
		return asBusy(err)
	}
	p.Visits = slices.DeleteFunc(visits, func(v edition.Visit) bool { return !allows(v.Route.RouteID, v.TripID) })
	detoured, err := d.detouredTo(ctx, p, allows, until)
	if err != nil {
		return asBusy(err)
	}
	for t := range detoured {
		patterns = append(patterns, t.Pattern)
	}
	if err := d.complete(ctx, p, stops, allows, patterns, maxBoardCalls); err != nil {
		return asBusy(err)
	}
	return b.Add(ctx, p)
}

// detouredTo returns the trips that call at a place only because of a detour, and adds their visits.
func (d *FeedDepartures) detouredTo(
	ctx context.Context, p *board.Place, allows func(route, trip string) bool, until time.Time,
) (map[*edition.Trip]bool, error) {
	trips := map[*edition.Trip]bool{}
	for _, s := range d.updates.Of(d.Alias) {
		for _, stop := range p.Names {
			for _, t := range s.TripsDetouredTo(stop) {
				trips[t] = allows(t.Route.RouteID, t.TripID)
			}
		}
	}
	maps.DeleteFunc(trips, func(_ *edition.Trip, allowed bool) bool { return !allowed })
	if len(trips) == 0 {
		return nil, nil
	}
	type visit struct {
		*edition.Trip
		day int
	}
	known := map[visit]bool{}
	for _, v := range p.Visits {
		known[visit{v.Trip, v.Day.Number}] = true
	}
	counted := 0
	visits, err := d.Feed.Running(ctx, slices.Collect(maps.Keys(trips)), d.now.Add(-maxLate), until, d.Feed.Zone,
		func(calls int) error {
			if counted += calls; counted > maxBoardCalls {
				return kept.ErrTooMuch
			}
			return nil
		})
	for _, v := range visits {
		if !known[visit{v.Trip, v.Day.Number}] {
			p.Visits = append(p.Visits, v)
		}
	}
	return trips, err
}

// detoursOf returns the modifications of a trip.
func (d *FeedDepartures) detoursOf(trip string) (all []*gtfsrt.Modifications) {
	for _, s := range d.updates.Of(d.Alias) {
		all = append(all, s.DetoursOf(trip)...)
	}
	return all
}

func (d *FeedDepartures) newPlace() *board.Place {
	p := &board.Place{Alias: d.Alias, Edition: d.Feed.Edition, Zone: d.Feed.Zone, VehicleOn: d.vehicleOn}
	if slices.ContainsFunc(d.updates.Of(d.Alias), (*realtime.Snapshot).HasDetours) {
		p.Detours = d.detoursOf
	}
	return p
}

// complete adds to a place the updates of allowed trips that name its stops or follow its patterns,
// and the calls of all its trips, up to a maximum.
func (d *FeedDepartures) complete(
	ctx context.Context, p *board.Place, stops []string, allows func(route, trip string) bool, patterns []int32,
	maxCalls int,
) (err error) {
	p.Updates, err = d.updatesAt(ctx, stops, allows, patterns)
	if err != nil || p.Edition == nil {
		return err
	}
	return d.addRuns(ctx, p, maxCalls)
}

// addRuns adds the calls of all trips of a place, up to a maximum.
func (d *FeedDepartures) addRuns(ctx context.Context, p *board.Place, maxCalls int) (err error) {
	var keys []edition.RunKey
	for _, v := range p.Visits {
		keys = append(keys, v.RunKey())
	}
	var updated []*edition.Trip
	for _, u := range p.Updates {
		if t := p.Edition.Trip(u.TripID); t != nil && t.HasTimes() {
			updated, keys = append(updated, t), append(keys, t.RunKey())
		}
	}
	p.Windows, err = p.Edition.Windows(ctx, updated, maxBoardWindows)
	if err != nil {
		return err
	}
	p.Runs, err = p.Edition.Runs(ctx, keys, maxCalls)
	return err
}

// updatesAt returns the trip updates of allowed trips that name the stops or follow the patterns.
func (d *FeedDepartures) updatesAt(
	ctx context.Context, stops []string, allows func(route, trip string) bool, patterns []int32,
) ([]board.Update, error) {
	var out []board.Update
	for _, s := range d.updates.Of(d.Alias) {
		var named []int32
		for _, stop := range stops {
			named = append(named, s.UpdatesAt(stop)...)
		}
		for _, pattern := range patterns {
			named = append(named, s.UpdatesFollowing(pattern)...)
		}
		slices.Sort(named)
		for n, i := range slices.Compact(named) {
			if n%1000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if u := &s.Message.TripUpdates[i]; allows(s.RouteOf(u.Trip)) {
				out = append(out, board.Update{TripUpdate: u, TripID: s.TripID(u.Trip)})
			}
		}
	}
	return out, nil
}

func (d *FeedDepartures) vehicleOn(trip string, start realtime.Start) string {
	for _, s := range d.vehicles.Of(d.Alias) {
		if id := s.VehicleOn(trip, start); id != "" {
			return id
		}
	}
	return ""
}

func (a *API) describe(row *board.Departure, d *FeedDepartures) {
	row.Describe(d.Feed, d.vehicles.Of(d.Alias))
	if row.StopName == nil {
		row.StopName = d.newStop(row.StopID)
	}
}

// newStop returns the name of a stop that only the realtime feed has; nil if unknown.
func (d *FeedDepartures) newStop(id string) *string {
	for _, s := range d.updates.Of(d.Alias) {
		if name := s.NewStop(id); name != "" {
			return &name
		}
	}
	return nil
}
