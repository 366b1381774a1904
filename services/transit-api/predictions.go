package transitapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Prediction is one line of a departure board.
type Prediction struct {
	TripID                  string  `json:"trip_id"`
	RouteID                 string  `json:"route_id"`
	StopID                  string  `json:"stop_id" doc:"Of a station, the platform."`
	PredictedArrivalEpoch   int64   `json:"predicted_arrival_epoch" doc:"Unix time; where the trip begins, that of its departure."`
	Delay                   *int64  `json:"delay,omitempty" doc:"Seconds behind schedule, negative is early; absent for a trip without a schedule."`
	VehicleID               string  `json:"vehicle_id,omitempty" doc:"Absent when it is not known."`
	Headsign                *string `json:"headsign,omitempty" doc:"Absent when it is not known."`
	IsLastStop              bool    `json:"is_last_stop"`
	Origin                  string  `json:"origin" enum:"asserted,propagated,scheduled" doc:"asserted: the feed says so; propagated: carried on from an earlier call; scheduled: the timetable, nothing else is known."`
	PredictedDepartureEpoch int64   `json:"predicted_departure_epoch" doc:"Unix time."`
	ScheduledArrivalEpoch   *int64  `json:"scheduled_arrival_epoch,omitempty" doc:"Unix time by the timetable; absent for a trip without one."`
	StartDate               string  `json:"start_date,omitempty" doc:"Service day of the trip, YYYYMMDD."`
	Feed                    string  `json:"feed" doc:"Alias of the feed."`

	sequence int
}

// boardStep is how often a departure board loses what has left: its answers are made anew as often.
const boardStep = 10 * time.Second

type predictionParams struct {
	StopID  string `path:"stop_id" doc:"The stop by its stop_id or stop_code in the static feed, or as the realtime feed names it. A station stands for its platforms too."`
	Minutes int64  `query:"minutes" min:"1" max:"1440" default:"120" doc:"How far to look ahead."`
	feedChoice
}

func (a *api) predictionEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "realtime.predictions", Path: "/rt/predictions/{stop_id}", Summary: "Departure board of a stop",
			Doc: "Trip updates and timetable in one list, soonest first; each line tells where its time comes from. Trips that are cancelled and calls that are " +
				"skipped are not in it, nor is what has left. Of more than 5,000 lines the soonest are there, and meta.truncated says so; a feed that cannot be answered now is named in meta.missing. An override annotation on the stop that is active now leads to the stop that it names.",
			Kind: rest.Realtime, Source: a.predictionSource(), Tag: tagRealtime, Queries: boardQueries(), NotFound: "unknown feed"}, a.listPredictions),
	}
}

// boardView is what a departure board is made of.
type boardView struct {
	now      time.Time
	feeds    []*liveFeed // those it is about
	live     *feeds
	updates  *view
	vehicles *view // for the vehicles of trips whose updates name none; nobody asks these sources for more
	notices  *noticed
}

func (a *api) predictionSource() *rest.Source {
	now := func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		b := &boardView{now: a.notices.clock().Truncate(boardStep), live: a.dir.now.Load(), notices: a.notices.at(a.notices.clock())}
		if b.live == nil || b.notices == nil {
			return rest.Generation{}, errNoLive
		}
		var err error
		if b.updates, err = a.live.view(ctx, c, conf.TripUpdates); err != nil {
			return rest.Generation{}, err
		}
		b.vehicles = noSources
		if views := a.live.now.Load().views[c.Param("feed")]; views != nil {
			b.vehicles = views[conf.VehiclePositions]
		}
		gen := joined(joined(b.updates.gen, b.vehicles.gen), b.notices.redirectGen)
		if alias := c.Param("feed"); alias == "" {
			b.feeds, gen = b.live.sorted, joined(gen, b.live.gen)
		} else if f := b.live.byAlias[alias]; f != nil {
			b.feeds, gen = []*liveFeed{f}, joined(gen, f.gen)
		}
		gen = joined(gen, rest.Generation{N: b.now.Unix(), Until: b.now.Add(boardStep)})
		gen.Time, gen.Ref = time.Time{}, b // by the clock: no time of change is right
		return gen, nil
	}
	return &rest.Source{Now: now, Changed: a.live.news.changed}
}

// boardWithin is how long one feed may take of a board of all feeds; one that takes longer is left out.
const boardWithin = 3 * time.Second

func (a *api) listPredictions(ctx context.Context, c *rest.Call, p predictionParams) (wire.Envelope[[]Prediction], error) {
	view := c.Generation().Ref.(*boardView)
	rows := newSoonest(maxBoardLines, func(p *Prediction) int64 { return p.PredictedArrivalEpoch }, func(x, y *Prediction) int {
		return cmp.Or(cmp.Compare(x.PredictedArrivalEpoch, y.PredictedArrivalEpoch), cmp.Compare(x.TripID, y.TripID), cmp.Compare(x.sequence, y.sequence))
	})
	byAlias := map[string]*board{}
	until := view.now.Add(time.Duration(p.Minutes) * time.Minute)
	for _, f := range view.feeds {
		byAlias[f.alias] = &board{view: view, until: until, rows: rows, alias: f.alias, feed: f}
	}
	for _, s := range view.updates.indexed() {
		if byAlias[s.Alias] == nil { // its timetable was never imported
			byAlias[s.Alias] = &board{view: view, until: until, rows: rows, alias: s.Alias}
		}
		byAlias[s.Alias].sources = append(byAlias[s.Alias].sources, s)
	}
	var missing []string
	for _, alias := range slices.Sorted(maps.Keys(byAlias)) {
		err := byAlias[alias].list(ctx, c, p)
		var refused *rest.Error
		switch {
		case err == nil:
		case ctx.Err() != nil || p.Feed != nil:
			return wire.Envelope[[]Prediction]{}, err
		case errors.As(err, &refused), errors.Is(err, context.DeadlineExceeded):
			missing = append(missing, alias) // the other feeds have their lines all the same
		default:
			return wire.Envelope[[]Prediction]{}, err
		}
	}
	e := wire.Whole(c, rows.sorted(), &view.updates.lastFetched, nil)
	e.Meta.Truncated, e.Meta.Missing = rows.fell, missing
	return e, nil
}

// list adds the lines of one feed.
func (b *board) list(ctx context.Context, c *rest.Call, p predictionParams) error {
	if b.feed != nil {
		known, refused := b.feed.boards()
		if refused != nil {
			return refused
		}
		b.known = known
	}
	if p.Feed == nil {
		within, cancel := context.WithTimeout(ctx, boardWithin)
		defer cancel()
		ctx = within
	}
	for _, place := range b.view.notices.places(b.alias, p.StopID, b.known.identities) {
		if err := b.at(ctx, c, place); err != nil {
			return err
		}
	}
	return nil
}

// A board is the departure board of one feed.
type board struct {
	view    *boardView
	until   time.Time
	alias   string
	feed    *liveFeed  // nil when its timetable was never imported
	known   *timetable // of the feed
	sources []*source
	rows    *soonest[Prediction]
}

// at lists what calls at a place.
func (b *board) at(ctx context.Context, c *rest.Call, p place) error {
	updates, err := b.updatesAt(ctx, p)
	if err != nil {
		return err
	}
	table, err := b.load(ctx, c, p, updates)
	if err != nil {
		return err
	}
	l := &lines{board: b, place: p, stops: map[string]bool{}, here: map[*boardRun][]int{}}
	for _, id := range b.known.everyName(p.stop) {
		l.stops[id] = true
	}
	taken := map[string]bool{} // journeys of which an update has told
	for _, u := range updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.update(u, table, taken)
	}
	for _, r := range table.runs {
		for i, stop := range r.StopID {
			if stop != nil && l.stops[*stop] {
				l.here[r] = append(l.here[r], i)
			}
		}
	}
	for i := range table.trips {
		if err := l.timetabled(ctx, table, &table.trips[i], taken); err != nil {
			return err
		}
	}
	return nil
}

// boardUpdate is a trip update that may concern a place. Its predictions are read when its turn comes: all of them at once can be
// many times as large as the message.
type boardUpdate struct {
	*gtfsrt.TripUpdate
	tripID  string // as published, else as the static feed has it
	planned *plannedTrip
	looked  bool // planned is what the board's version of the feed has; false right after an import
}

// updatesAt are the trip updates that name the place or are about trips that call there by the timetable.
func (b *board) updatesAt(ctx context.Context, p place) ([]boardUpdate, error) {
	planned := b.known.planned(p.stop)
	var out []boardUpdate
	for _, s := range b.sources {
		named := slices.Clone(s.updatesAt(p.stop))
		for _, id := range planned {
			for _, calls := range s.patternsByStop[id] {
				named = append(named, s.updatesByPattern[calls]...)
			}
		}
		slices.Sort(named)
		for n, i := range slices.Compact(named) {
			if n%1000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if u := &s.message.TripUpdates[i]; p.allows(s.routeOf(u.Trip)) {
				update := boardUpdate{TripUpdate: u, tripID: s.tripID(u.Trip)}
				if b.feed != nil && s.version == b.feed.version {
					update.planned, update.looked = s.trip(u.Trip), true
				}
				out = append(out, update)
			}
		}
	}
	return out, nil
}

// boardTable is what the timetable says.
type boardTable struct {
	days  map[int]serviceDay
	trips []boardTrip            // that call at the place in the hours asked for
	byID  map[string]*boardTrip  // those that updates are about
	runs  map[[2]int32]*boardRun // of both
	// repeated are the frequencies of trips that updates are about.
	repeated map[string][]window
}

func (b *board) load(ctx context.Context, db rest.DB, p place, updates []boardUpdate) (*boardTable, error) {
	table := &boardTable{byID: map[string]*boardTrip{}, repeated: map[string][]window{}}
	if b.known == nil {
		return table, nil
	}
	stops := b.known.planned(p.stop)
	if len(stops) > maxBoardStops {
		return nil, errBusy
	}
	if len(stops) > 0 {
		args, days, err := b.known.boardDays(ctx, b.view.now, b.until, b.feed.zone)
		if err != nil {
			return nil, err
		}
		table.days = days
		args.VersionID, args.StopIDs = b.feed.version, stops
		if table.trips, err = bounded(ctx, db, boardTrips, args, nil); err != nil {
			return nil, err
		}
		if b.feed.row.Counts.Frequency > 0 {
			if table.trips, err = bounded(ctx, db, boardFrequencies, args, table.trips); err != nil {
				return nil, err
			}
		}
		table.trips = slices.DeleteFunc(table.trips, func(t boardTrip) bool { return !p.allows(t.RouteID, t.TripID) })
	}
	var ids, unknown []string
	all := slices.Clone(table.trips)
	for _, u := range updates {
		if u.tripID == "" || !storable(u.tripID) {
			continue
		}
		ids = append(ids, u.tripID)
		if !u.looked {
			unknown = append(unknown, u.tripID)
		} else if trip := u.planned.onBoard(); trip != nil {
			all = append(all, *trip)
			table.byID[trip.TripID] = trip
		}
	}
	if len(unknown) > 0 {
		byID, err := boardTripsByID.List(ctx, db, tripList{b.feed.version, unknown})
		if err != nil {
			return nil, err
		}
		for i := range byID {
			table.byID[byID[i].TripID] = &byID[i]
		}
		all = append(all, byID...)
	}
	if b.feed.row.Counts.Frequency > 0 && len(ids) > 0 {
		windows, err := windowsOf(ctx, db, b.feed.version, ids)
		if err != nil {
			return nil, err
		}
		for _, w := range windows {
			table.repeated[w.TripID] = append(table.repeated[w.TripID], w)
		}
	}
	var err error
	table.runs, err = b.known.runs.of(ctx, db, b.feed.version, all)
	return table, err
}
