package transitapi

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// boardStep is how often a departure board is computed again, to drop departures that have left.
const boardStep = 10 * time.Second

type predictionParams struct {
	StopID  string `path:"stop_id" doc:"The stop by its stop_id or stop_code in the static feed, or its id in the realtime feed. A station includes its platforms."`
	Minutes int64  `query:"minutes" min:"1" max:"1440" default:"120" doc:"How many minutes ahead to list departures."`
	feedChoice
}

func (a *api) predictionEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "realtime.predictions", Path: "/rt/predictions/{stop_id}", Summary: "Departure board of a stop",
			Doc: "Trip updates and timetable in one list, soonest first; each line says where its time comes from. Cancelled trips, skipped calls and " +
				"departures that have left are not listed. A board has at most 5,000 lines, the soonest ones; meta.truncated reports that lines were left out. meta.missing names feeds that cannot be served now. If an override annotation on the stop is active, the board is that of the stop it names.",
			Kind: rest.Realtime, Source: a.predictionSource(), Tag: tagRealtime, NotFound: "unknown feed"}, a.listPredictions),
	}
}

// boardView holds the sources of a departure board.
type boardView struct {
	now      time.Time
	feeds    []*edition.Feed
	updates  *live.View
	vehicles *live.View // for the vehicles of trips whose updates name none; no refresh of these sources is requested
	notices  *notice.State
}

func (a *api) predictionSource() *rest.Source {
	return a.changing(func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		alias, feeds := c.Param("feed"), a.dir.Now()
		b := &boardView{now: a.now().Truncate(boardStep), notices: a.notices.At(a.now())}
		if feeds == nil || b.notices == nil {
			return rest.Generation{}, live.ErrNotRead
		}
		var err error
		if b.updates, err = a.live.Read(ctx, alias, conf.TripUpdates); err != nil {
			return rest.Generation{}, err
		}
		if b.vehicles, err = a.live.View(alias, conf.VehiclePositions); err != nil {
			return rest.Generation{}, err
		}
		all := []rest.Generation{b.updates.Generation, b.vehicles.Generation, b.notices.Redirects, {N: b.now.Unix(), Until: b.now.Add(boardStep)}}
		if alias == "" {
			b.feeds, all = feeds.Sorted, append(all, feeds.Generation)
		} else if f := feeds.ByAlias[alias]; f != nil {
			b.feeds, all = []*edition.Feed{f}, append(all, f.Generation)
		}
		gen := joined(b, all...)
		gen.Time = time.Time{} // it changes with the clock, so it has no time of change
		return gen, nil
	})
}

const (
	// boardWithin is how long one feed may take in a board of all feeds; a slower feed is left out.
	boardWithin = 3 * time.Second
	// maxBoardCalls is how many calls the runs of one board may have together. No real stop comes near it.
	maxBoardCalls = 500_000
	// maxBoardWindows is how many frequencies the trips of updates may have.
	maxBoardWindows = 200_000
)

// errBusy is the error for a stop with more calls than one board may have.
var errBusy = rest.BadRequest(rest.Fault{Path: "minutes", Message: "too many trips call at this stop in that time: ask for fewer minutes, or for one platform"})

func (a *api) listPredictions(ctx context.Context, c *rest.Call, p predictionParams) (wire.Envelope[[]board.Prediction], error) {
	view := c.Generation().Ref.(*boardView)
	until := view.now.Add(time.Duration(p.Minutes) * time.Minute)
	b := board.New(view.now, until)
	feeds := map[string]*edition.Feed{}
	for _, s := range view.updates.Sources {
		feeds[s.Alias] = nil // unless its timetable was imported
	}
	for _, f := range view.feeds {
		feeds[f.Alias] = f
	}
	var missing []string
	for _, alias := range slices.Sorted(maps.Keys(feeds)) {
		switch err := view.add(ctx, b, alias, feeds[alias], p, until); {
		case err == nil:
		case ctx.Err() != nil || p.Feed != nil || !missable(err):
			return wire.Envelope[[]board.Prediction]{}, err
		default:
			missing = append(missing, alias) // keep the lines of the other feeds
		}
	}
	rows, whole := b.Lines()
	e := wire.Whole(c, rows, &view.updates.LastFetched, nil)
	e.Meta.Truncated, e.Meta.Missing = !whole, missing
	return e, nil
}

// add adds the lines of one feed to a board; f is nil if its timetable was never imported.
func (v *boardView) add(ctx context.Context, b *board.Board, alias string, f *edition.Feed, p predictionParams, until time.Time) error {
	if p.Feed == nil {
		within, cancel := context.WithTimeout(ctx, boardWithin)
		defer cancel()
		ctx = within
	}
	if f == nil {
		f = &edition.Feed{Alias: alias}
	} else if refused := f.Boards(); refused != nil {
		return refused
	}
	for _, place := range v.notices.Places(alias, p.StopID, f.Identities) {
		at, err := v.at(ctx, f, []string{place.Stop}, place.Allows, until)
		if err == nil {
			err = b.Add(ctx, at)
		}
		if err != nil {
			return busy(err)
		}
	}
	return nil
}

// busy is an error as the answer has it.
func busy(err error) error {
	if errors.Is(err, edition.ErrTooMuch) {
		return errBusy
	}
	return err
}

// missable reports whether a board of several feeds does without one that has this error.
func missable(err error) bool {
	var refused *rest.Error
	return errors.As(err, &refused) || errors.Is(err, context.DeadlineExceeded)
}

// at is what may call at some stops, of the trips that are allowed.
func (v *boardView) at(ctx context.Context, f *edition.Feed, stops []string, allows func(route, trip string) bool, until time.Time) (*board.Place, error) {
	p := &board.Place{Alias: f.Alias, Edition: f.Edition, Zone: f.Zone, VehicleOn: v.vehicleOn(f.Alias)}
	var ids []string
	for _, stop := range stops {
		p.Names, ids = append(p.Names, f.AllNames(stop)...), append(ids, f.StopIDs(stop)...)
	}
	slices.Sort(ids)
	visits, patterns, err := f.Visits(ctx, slices.Compact(ids), v.now, until, f.Zone)
	if err != nil {
		return nil, err
	}
	if p.Updates, err = v.updatesAt(ctx, f.Alias, stops, allows, patterns); err != nil || f.Edition == nil {
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
	if p.Windows, err = f.Windows(ctx, named, maxBoardWindows); err != nil {
		return nil, err
	}
	p.Runs, err = f.Runs(ctx, ways, maxBoardCalls)
	return p, err
}

// updatesAt are the trip updates that name the stops or are about trips that call there by the timetable.
func (v *boardView) updatesAt(ctx context.Context, alias string, stops []string, allows func(route, trip string) bool, patterns []int32) ([]board.Update, error) {
	var out []board.Update
	for _, s := range v.updates.Of(alias) {
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

// vehicleOn finds the id of the vehicle on a trip of a feed, from the vehicle positions.
func (v *boardView) vehicleOn(alias string) func(trip string) string {
	positions := v.vehicles.Of(alias)
	return func(trip string) string {
		for _, s := range positions {
			if id := s.VehicleOn(trip); id != "" {
				return id
			}
		}
		return ""
	}
}
