package ride

import (
	"context"
	"math"
	"sort"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A Progress is the position of a trip along its path. It comes from the vehicle's position if
// known, otherwise from the timetable and the feed's delay. Distances are metres along the path,
// times are seconds.
type Progress struct {
	Call           *board.Departure
	Running        bool // it has left its first call and has not reached the last one, or a vehicle is on it
	Predicted      bool // it is based on live data
	Late           int64
	Along          float64
	ScheduledAlong float64
	Length         float64
	Closest        int   // index of the closest call
	ClosestIn      int64 // scheduled time until the closest call; negative if the trip has passed it
	Next           int   // index of the next call; the number of calls if the trip has passed the last one
	NextIn         int64
	Lat, Lon       float64 // expected position of the vehicle; 0, 0 if unknown
	Bearing        float64 // degrees clockwise from north
	Vehicle        *realtime.Located
	Calls          []float64 // distance of each call along the path
}

// maxOff is the maximum distance in metres of a vehicle from its path. A vehicle further away is
// ignored.
const maxOff = 500

// stopReach is the maximum distance in metres between a stop and a vehicle that stands at the stop.
const stopReach = 10

// pathOf returns the path of a departure's run by the path of its trip; nil if they do not fit.
// The stops of a detour have no shape: new ones are placed between their neighbours by time.
func pathOf(d *board.Departure, path *Path) *Path {
	if d.Planned == nil {
		if len(path.Calls) != len(d.Run.Expected) {
			return nil
		}
		return path
	}
	calls, known := make([]float64, len(d.Planned)), -1
	for i, call := range d.Planned {
		switch {
		case call >= len(path.Calls):
			return nil
		case call < 0:
			continue
		}
		calls[i] = path.Calls[call]
		for k := known + 1; k < i; k++ {
			calls[k] = calls[i]
			if known >= 0 && d.Run.Expected[i] > d.Run.Expected[known] {
				part := float64(d.Run.Expected[k]-d.Run.Expected[known]) / float64(d.Run.Expected[i]-d.Run.Expected[known])
				calls[k] = calls[known] + min(max(part, 0), 1)*(calls[i]-calls[known])
			}
		}
		known = i
	}
	for k := known + 1; k < len(calls); k++ {
		calls[k] = path.Length()
	}
	return &Path{Calls: calls, line: path.line}
}

// Follow returns the progress of each call's trip; nil for a trip without a timetable. vehicleOf
// returns the vehicle on the trip of a call; nil if its position is unknown.
func Follow(
	ctx context.Context, e *edition.Edition, vehicleOf func(*board.Departure) *realtime.Located, now time.Time,
	calls []board.Departure,
) ([]*Progress, error) {
	var trips []*edition.Trip
	for i := range calls {
		if t := calls[i].Trip; t != nil {
			trips = append(trips, t)
		}
	}
	paths, err := Paths(ctx, e, trips)
	if err != nil {
		return nil, err
	}
	all := make([]*Progress, len(calls))
	next := 0
	for i := range calls {
		c := &calls[i]
		if c.Trip == nil {
			continue
		}
		path := paths[next]
		next++
		if path != nil {
			all[i] = follow(c, path, vehicleOf(c), now.Unix())
		}
	}
	return all, nil
}

// follow returns the progress of a departure's trip at an instant, in Unix seconds; nil if path,
// which is the path of the trip, does not fit the run. vehicle is nil if its position is unknown.
func follow(d *board.Departure, path *Path, vehicle *realtime.Located, now int64) *Progress {
	path = pathOf(d, path)
	if path == nil {
		return nil
	}
	elapsed := now - d.Begins
	p := &Progress{Call: d, Vehicle: vehicle, Predicted: vehicle != nil || d.Late != nil, Length: path.Length(),
		Calls: path.Calls, ScheduledAlong: path.alongAt(d.Run, elapsed)}
	if d.Late != nil {
		p.Late = *d.Late
	}
	done := elapsed - p.Late // scheduled seconds since the start for the vehicle's position
	located := false
	if vehicle != nil {
		along, off := path.Nearest(vehicle.Lat, vehicle.Lon, path.alongAt(d.Run, done))
		located = off <= maxOff
		if located {
			p.Along = along
			p.Lat = vehicle.Lat
			p.Lon = vehicle.Lon
			_, _, p.Bearing, _ = path.At(along)
			done = path.secondsAt(d.Run, along)
			p.Next = sort.SearchFloat64s(path.Calls, along-stopReach)
			if d.Late == nil && p.Next > 0 {
				p.Late = elapsed - done
			}
		}
	}
	if !located {
		p.Along, p.Next = path.alongAt(d.Run, done), nextAt(d.Run, done)
		p.Lat, p.Lon, p.Bearing, _ = path.At(p.Along)
	}
	if vehicle != nil && vehicle.Bearing != nil {
		p.Bearing = *vehicle.Bearing
	}
	last := len(path.Calls) - 1
	p.Running = vehicle != nil || done >= int64(d.Run.Expected[0]) && p.Next <= last
	for i, at := range path.Calls {
		if math.Abs(at-p.Along) < math.Abs(path.Calls[p.Closest]-p.Along) {
			p.Closest = i
		}
	}
	p.ClosestIn, p.NextIn = int64(d.Run.Expected[p.Closest])-done, int64(d.Run.Expected[min(p.Next, last)])-done
	return p
}
