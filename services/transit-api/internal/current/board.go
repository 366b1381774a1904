package current

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// BoardStep is how often a departure board is computed again, to drop departures that have left.
const BoardStep = 10 * time.Second

const (
	// boardWithin is how long one feed may take in a board of all feeds; a slower feed is left out.
	boardWithin = 3 * time.Second
	// maxBoardCalls is how many calls the runs of one board may have together. No real stop comes near
	// it.
	maxBoardCalls = 500_000
	// maxBoardWindows is how many frequencies the trips of updates may have.
	maxBoardWindows = 200_000
)

// errBusy is the error for a stop with more calls than one board may have.
var errBusy = rest.BadRequest(rest.Fault{Path: "minutes",
	Message: "too many trips call at this stop in that time: ask for fewer minutes, or for one platform"})

// busy turns [edition.ErrTooMuch] into the error of the answer.
func busy(err error) error {
	if errors.Is(err, edition.ErrTooMuch) {
		return errBusy
	}
	return err
}

// Missable reports whether a board of several feeds leaves out a feed that has this error.
func Missable(err error) bool {
	var refused *rest.Error
	return errors.As(err, &refused) || errors.Is(err, context.DeadlineExceeded)
}

// A feedID names something of a feed.
type feedID struct{ alias, id string }

// feedIDs reads FEED:ID. An alias has no colon.
func feedIDs(texts []string) []feedID {
	all := make([]feedID, len(texts))
	for i, text := range texts {
		all[i].alias, all[i].id, _ = strings.Cut(text, ":")
	}
	return all
}

// DeparturesView holds the data of a board.
type DeparturesView struct {
	Now     time.Time
	Feeds   []*FeedDepartures // in the order in which they are asked for
	notices *notice.State
	missing []string // unknown
}

// FeedDepartures holds the data that one feed has for a board.
type FeedDepartures struct {
	Alias    string
	Feed     *edition.Feed // never nil; without an edition if its timetable was never imported
	Polled   *live.View    // trip updates, also of stale sources
	now      time.Time
	updates  *live.View
	vehicles *live.View // for the vehicles of trips whose updates name none
	alerts   *live.View
}

// newView returns a view without feeds, and the generations on which every board depends.
func (a *API) newView() (v *DeparturesView, gens []rest.Generation, err error) {
	v = &DeparturesView{Now: a.Now().Truncate(BoardStep), notices: a.Notices.At(a.Now())}
	if a.Static.Feeds.Now() == nil || v.notices == nil {
		return nil, nil, live.ErrNotRead
	}
	return v, []rest.Generation{v.notices.Redirects, {N: v.Now.Unix(), Until: v.Now.Add(BoardStep)}}, nil
}

// joined joins the generations of a board. It changes with the clock, so it has no time of change.
func joined(gens []rest.Generation) rest.Generation {
	gen := rest.Join(gens...)
	gen.Time = time.Time{}
	return gen
}

// DepartureView finds the data for the departures at some stops, as FEED:STOP. Without withRealtime
// it is the timetable alone, for readers who may not read the rest.
func (a *API) DepartureView(
	ctx context.Context, stops []string, withRealtime bool,
) (v *DeparturesView, gen rest.Generation, err error) {
	v, gens, err := a.newView()
	if err != nil {
		return nil, gen, err
	}
	met := map[string]bool{}
	for _, s := range feedIDs(stops) {
		if met[s.alias] {
			continue
		}
		met[s.alias] = true
		f := a.Static.Feeds.Feed(s.alias)
		views, known := [3]*live.View{{}, {}, {}}, f != nil
		for i, kind := range []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts} {
			if !withRealtime {
				break
			}
			view, err := a.Live.Read(ctx, s.alias, kind)
			if errors.Is(err, live.ErrNotRead) {
				return nil, gen, err
			}
			if err == nil {
				views[i], known = view, true
				gens = append(gens, view.Generation)
			}
		}
		if !known {
			v.missing = append(v.missing, s.alias)
			continue
		}
		if f == nil {
			f = &edition.Feed{Alias: s.alias, Name: s.alias, Zone: time.UTC}
		} else {
			gens = append(gens, f.Generation)
		}
		v.Feeds = append(v.Feeds, &FeedDepartures{Alias: s.alias, Feed: f, Polled: views[0], now: v.Now,
			updates: views[0].Fresh(v.Now), vehicles: views[1].Fresh(v.Now), alerts: views[2].Fresh(v.Now)})
	}
	if len(v.Feeds) == 0 {
		return nil, gen, rest.NotFound("unknown feed: %s", strings.Join(v.missing, ", "))
	}
	return v, joined(gens), nil
}

// A search holds the departures that were found in the feeds of a view.
type search struct {
	stops      []feedID
	places     map[feedID][]notice.Place
	feeds      []*FeedDepartures // that answered
	byAlias    map[string]*FeedDepartures
	departures []board.Departure
	whole      bool
	oldest     int64    // Unix seconds of the oldest poll of the feeds; 0: none
	missing    []string // feeds that did not answer
	refused    error    // of one of them
}

// search finds the departures at some stops.
func (v *DeparturesView) search(ctx context.Context, b *board.Board, stops []feedID, until time.Time) (*search, error) {
	r := &search{stops: stops, places: map[feedID][]notice.Place{}, byAlias: map[string]*FeedDepartures{},
		missing: slices.Clone(v.missing)}
	for _, d := range v.Feeds {
		for _, s := range stops {
			if s.alias == d.Alias {
				r.places[s] = v.notices.Places(s.alias, s.id, d.Feed.Identities)
			}
		}
		err := d.add(ctx, b, stops, r.places, until, len(v.Feeds) > 1)
		switch {
		case err == nil:
			r.feeds, r.byAlias[d.Alias] = append(r.feeds, d), d
			if at := d.Polled.LastFetched; at != 0 && (r.oldest == 0 || at < r.oldest) {
				r.oldest = at
			}
		case ctx.Err() != nil || !Missable(err):
			return nil, err
		default:
			r.missing, r.refused = append(r.missing, d.Alias), err
		}
	}
	r.departures, r.whole = b.Departures()
	if r.refused != nil { // what a feed brought before it failed is left out
		r.departures = slices.DeleteFunc(r.departures, func(d board.Departure) bool { return r.byAlias[d.Feed] == nil })
	}
	return r, nil
}

// add adds the departures of a feed to a board. With several feeds its time is limited.
func (d *FeedDepartures) add(
	ctx context.Context, b *board.Board, stops []feedID, places map[feedID][]notice.Place, until time.Time, several bool,
) error {
	if several {
		within, cancel := context.WithTimeout(ctx, boardWithin)
		defer cancel()
		ctx = within
	}
	if refused := d.Feed.Boards(); refused != nil {
		return refused
	}
	var whole []string // stops without an override that selects trips: one place, so that each call is found once
	for _, s := range stops {
		for _, place := range places[s] {
			if s.alias != d.Alias {
				continue
			}
			if place.All() {
				whole = append(whole, place.Stop)
				continue
			}
			if err := d.addPlace(ctx, b, []string{place.Stop}, place.Allows, until); err != nil {
				return err
			}
		}
	}
	if whole == nil {
		return nil
	}
	return d.addPlace(ctx, b, whole, func(string, string) bool { return true }, until)
}

// addPlace adds the calls at some stops of the trips that are allowed.
func (d *FeedDepartures) addPlace(
	ctx context.Context, b *board.Board, stops []string, allows func(route, trip string) bool, until time.Time,
) error {
	p, err := d.place(ctx, stops, allows, until)
	if err != nil {
		return busy(err)
	}
	return b.Add(ctx, p)
}

// place collects what may call at some stops, of the trips that are allowed.
func (d *FeedDepartures) place(
	ctx context.Context, stops []string, allows func(route, trip string) bool, until time.Time,
) (*board.Place, error) {
	f := d.Feed
	p := &board.Place{Alias: d.Alias, Edition: f.Edition, Zone: f.Zone, VehicleOn: d.vehicleOn}
	var ids []string
	for _, stop := range stops {
		p.Names, ids = append(p.Names, f.AllNames(stop)...), append(ids, f.StopIDs(stop)...)
	}
	slices.Sort(ids)
	visits, patterns, err := f.Visits(ctx, slices.Compact(ids), d.now, until, f.Zone)
	if err != nil {
		return nil, err
	}
	p.Updates, err = d.updatesAt(ctx, stops, allows, patterns)
	if err != nil || f.Edition == nil {
		return p, err
	}
	p.Visits = slices.DeleteFunc(visits, func(v edition.Visit) bool { return !allows(v.Route.ID, v.ID) })
	var ways []edition.Way
	for _, v := range p.Visits {
		ways = append(ways, v.Way())
	}
	var named []*edition.Trip
	for _, u := range p.Updates {
		if t := f.Trip(u.TripID); t != nil && t.Timed() {
			named, ways = append(named, t), append(ways, t.Way())
		}
	}
	p.Windows, err = f.Windows(ctx, named, maxBoardWindows)
	if err != nil {
		return nil, err
	}
	p.Runs, err = f.Runs(ctx, ways, maxBoardCalls)
	return p, err
}

// updatesAt returns the trip updates that name the stops, or that concern trips that call there by
// the timetable.
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

// vehicleOn returns the id of the vehicle on a trip, from the vehicle positions; "" if unknown.
func (d *FeedDepartures) vehicleOn(trip string, start realtime.Start) string {
	for _, s := range d.vehicles.Of(d.Alias) {
		if id := s.VehicleOn(trip, start); id != "" {
			return id
		}
	}
	return ""
}

// describe adds what riders see of a departure.
func (a *API) describe(row *board.Departure, d *FeedDepartures) {
	names := func(r *edition.Route) edition.RouteNames { return a.Static.Names(d.Feed, r) }
	row.Describe(d.Feed, names, d.vehicles.Of(d.Alias))
}

// maxAlerts is how many alerts one board has: the severest.
const maxAlerts = 50

// About returns the alerts that hold now and concern something of the feed, at most maxAlerts of
// each source.
func (d *FeedDepartures) About(concern *realtime.Concern) (all []realtime.DepartureAlert, err error) {
	for _, s := range d.alerts.Of(d.Alias) {
		about, err := s.Concerning(d.Alias, concern)
		if err != nil {
			return nil, err
		}
		all = append(all, about[:min(len(about), maxAlerts)]...)
	}
	return all, nil
}
