package onebusaway

import (
	"context"
	"slices"
	"strconv"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/onebusaway/ride"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Block has the trips that one vehicle runs.
type Block struct {
	Configurations []BlockConfiguration `json:"configurations"`
	ID             string               `json:"id"`
}

// A BlockConfiguration has the trips on days when some services run.
type BlockConfiguration struct {
	Active   []string    `json:"activeServiceIds"`
	Inactive []string    `json:"inactiveServiceIds"`
	Trips    []BlockTrip `json:"trips"`
}

// A BlockTrip is a trip of a block. Distances are in metres. Slack is the total time at stops
// before the trip, in seconds.
type BlockTrip struct {
	Slack     int64           `json:"accumulatedSlackTime"`
	StopTimes []BlockStopTime `json:"blockStopTimes"`
	Distance  float64         `json:"distanceAlongBlock"`
	TripID    string          `json:"tripId"`
}

// A BlockStopTime is a call of a block.
type BlockStopTime struct {
	Slack    int64     `json:"accumulatedSlackTime"`
	Sequence int       `json:"blockSequence"`
	Distance float64   `json:"distanceAlongBlock"`
	StopTime BlockCall `json:"stopTime"`
}

// A BlockCall has the times of a call, in seconds of the service day.
type BlockCall struct {
	ArrivalTime   int64  `json:"arrivalTime"`
	DepartureTime int64  `json:"departureTime"`
	DropOffType   int    `json:"dropOffType"`
	PickupType    int    `json:"pickupType"`
	StopID        string `json:"stopId"`
}

func oneBlock(ctx context.Context, x *answer, p idParams) (made Block, err error) {
	var trips []*edition.Trip
	for _, entity := range x.split(p.ID) {
		if trips = ride.InBlock(x.Edition, entity); len(trips) > 0 {
			break
		}
	}
	if len(trips) == 0 {
		return made, errNotFound
	}
	made.ID = combine(trips[0].Route.AgencyID, wire.Text(trips[0].BlockID))
	sets, err := x.servicesTogether(ctx, trips)
	if err != nil {
		return made, err
	}
	for _, running := range sets {
		if err := x.call.Reserve(ctx, serviceBytes*len(trips)); err != nil {
			return made, err
		}
		c := BlockConfiguration{Active: []string{}, Inactive: []string{}}
		var its []*edition.Trip
		for _, t := range trips {
			id := combine(t.Route.AgencyID, t.Service.ServiceID)
			if running[t.Service] {
				its, c.Active = append(its, t), append(c.Active, id)
			} else {
				c.Inactive = append(c.Inactive, id)
			}
		}
		c.Active, c.Inactive = distinct(c.Active), distinct(c.Inactive)
		c.Trips, err = x.blockTrips(ctx, its)
		if err != nil {
			return made, err
		}
		made.Configurations = append(made.Configurations, c)
	}
	return made, nil
}

const (
	maxDays      = 4000 // length of a calendar
	serviceBytes = 50   // memory per service id in an answer
)

// servicesTogether returns the sets of services, among those of the trips, that run on the same
// day. The sets are in the order of their first days. If the trips run on no day, it returns one
// set of all services.
func (x *answer) servicesTogether(
	ctx context.Context, trips []*edition.Trip,
) (sets []map[*edition.Service]bool, err error) {
	all := map[*edition.Service]bool{}
	var services []*edition.Service
	for _, t := range trips {
		if !all[t.Service] {
			all[t.Service], services = true, append(services, t.Service)
		}
	}
	if x.FirstDay == nil || x.LastDay == nil {
		return append(sets, all), nil
	}
	first, last := dayNumber(x.FirstDay), dayNumber(x.LastDay)
	met, key := map[string]bool{}, make([]byte, len(services))
	for day := first; day <= min(last, first+maxDays); day++ {
		running := 0
		for i, s := range services {
			key[i] = 0
			if s.Runs(day) {
				key[i] = 1
				running++
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if running == 0 || met[string(key)] {
			continue
		}
		if err := x.call.Reserve(ctx, serviceBytes*running+len(key)); err != nil {
			return nil, err
		}
		met[string(key)] = true
		set := make(map[*edition.Service]bool, running)
		for i, s := range services {
			if key[i] == 1 {
				set[s] = true
			}
		}
		sets = append(sets, set)
	}
	if sets == nil {
		sets = append(sets, all)
	}
	return sets, nil
}

func (x *answer) blockTrips(ctx context.Context, trips []*edition.Trip) (all []BlockTrip, err error) {
	paths, err := ride.Paths(ctx, x.Edition, trips)
	if err != nil {
		return nil, err
	}
	sequence := 0
	slack := int64(0)
	distance := 0.0
	for n, t := range trips {
		run, err := x.Calls(ctx, t.RunKey())
		if err != nil {
			return nil, err
		}
		if err := x.call.Reserve(ctx, stopBytes*len(run.StopID)); err != nil {
			return nil, err
		}
		of := BlockTrip{Slack: slack, Distance: distance, TripID: x.tripID(t), StopTimes: []BlockStopTime{}}
		for i, id := range run.StopID {
			if id == nil || x.Stop(*id) == nil {
				continue
			}
			at := BlockCall{ArrivalTime: int64(t.Start) + int64(run.Expected[i]),
				DepartureTime: int64(t.Start) + run.Leaves(i), StopID: x.stopID(x.Stop(*id))}
			at.PickupType, _ = strconv.Atoi(wire.Text(run.PickupType.At(i))) // an empty cell means 0, regular
			at.DropOffType, _ = strconv.Atoi(wire.Text(run.DropOffType.At(i)))
			of.StopTimes = append(of.StopTimes, BlockStopTime{slack, sequence, distance + paths[n].Calls[i], at})
			slack += at.DepartureTime - at.ArrivalTime
			sequence++
		}
		distance += paths[n].Length()
		all = append(all, of)
	}
	return slices.Clip(all), nil
}
