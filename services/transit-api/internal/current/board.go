package current

import (
	"context"
	"errors"
	"slices"
	"time"

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
	// maxBoardCalls is how many calls the runs of one board may have together. No real stop comes near it.
	maxBoardCalls = 500_000
	// maxBoardWindows is how many frequencies the trips of updates may have.
	maxBoardWindows = 200_000
)

// errBusy is the error for a stop with more calls than one board may have.
var errBusy = rest.BadRequest(rest.Fault{Path: "minutes", Message: "too many trips call at this stop in that time: ask for fewer minutes, or for one platform"})

// boardView holds the sources of a departure board.
type boardView struct {
	now      time.Time
	feeds    []*edition.Feed
	updates  *live.View
	vehicles *live.View // for the vehicles of trips whose updates name none; no refresh of these sources is requested
	notices  *notice.State
}

// busy is an error as the answer has it.
func busy(err error) error {
	if errors.Is(err, edition.ErrTooMuch) {
		return errBusy
	}
	return err
}

// Missable reports whether a board of several feeds does without one that has this error.
func Missable(err error) bool {
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
	p.Updates, err = v.updatesAt(ctx, f.Alias, stops, allows, patterns)
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
func (v *boardView) vehicleOn(alias string) func(trip string, start realtime.Start) string {
	positions := v.vehicles.Of(alias)
	return func(trip string, start realtime.Start) string {
		for _, s := range positions {
			if id := s.VehicleOn(trip, start); id != "" {
				return id
			}
		}
		return ""
	}
}
