package static

import (
	"cmp"
	"context"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Timetable is a grid with a row for each stop and a column for each trip. Each StopTimes has as
// many elements as Stops. It is the answer of the API, and pages print it.
type Timetable struct {
	Stops []ScheduleStop `json:"stops" doc:"Rows in service order. A stop has two rows if a trip calls there twice."`
	Trips []ScheduleTrip `json:"trips" doc:"Columns by first departure; a trip of frequencies.txt appears once for each departure."`

	Main       []int `json:"-"` // rows to show first: timepoints, or stops spread over the route
	Timepoints bool  `json:"-"` // Main has the feed's timepoints
}

// A ScheduleStop is a row of a timetable.
type ScheduleStop struct {
	Label    string `json:"label" doc:"stop_name, else stop_id."`
	StopID   string `json:"stop_id"`
	StopName string `json:"stop_name" translate:"stops.stop_name,StopID"`
}

// A ScheduleTrip is a column of a timetable.
type ScheduleTrip struct {
	Label       string          `json:"label" doc:"trip_headsign, else trip_short_name, else trip_id."`
	TripID      string          `json:"trip_id"`
	RouteID     string          `json:"route_id"`
	ServiceID   string          `json:"service_id"`
	DirectionID string          `json:"direction_id"`
	StopTimes   []*ScheduleCell `json:"stop_times" doc:"One for each row; null if the trip does not call there."`

	Headed bool            `json:"-"`
	Timed  board.TimedTrip `json:"-"`
}

// A ScheduleCell is a call in a timetable.
type ScheduleCell struct {
	StopID             int64  `json:"stop_id" doc:"stop_id if that is a whole number, else a number for the stop in this version of the feed."`
	ArrivalTime        string `json:"arrival_time" doc:"For display, such as 6:05 am; interpolated if the feed has no time."`
	ArrivalTimeSeconds int32  `json:"arrival_time_seconds" doc:"Seconds of the service day; more than 86400 past midnight."`

	Call int `json:"-"` // index in the run of the trip
}

// NewTimetable makes the timetable of trips, in their order. order has the stop_ids of their service
// order; stops without a call are left out.
func NewTimetable(ctx context.Context, f *edition.Feed, order []string, trips []board.TimedTrip) (*Timetable, error) {
	number, used := board.UsedRows(trips, len(order))
	t := &Timetable{Stops: make([]ScheduleStop, len(used)), Trips: make([]ScheduleTrip, len(trips))}
	numbers := make([]int64, len(used))
	for i, r := range used {
		s, err := FindStop(f, order[r])
		if err != nil {
			return nil, err
		}
		t.Stops[i] = ScheduleStop{Label: s.Label, StopID: s.StopID, StopName: s.StopName}
		numbers[i] = s.Num
	}
	for i, timed := range trips {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cells := make([]ScheduleCell, 0, len(timed.Rows))
		line := make([]*ScheduleCell, len(used))
		for call, r := range timed.Rows {
			if !r.Valid || int(r.Int32) >= len(order) || call >= len(timed.Run.Expected) {
				continue
			}
			row := number[r.Int32]
			cells = append(cells, ScheduleCell{StopID: numbers[row], Call: call,
				ArrivalTimeSeconds: timed.Start + timed.Run.Expected[call]})
			line[row] = &cells[len(cells)-1]
		}
		t.Trips[i] = ScheduleTrip{Label: cmp.Or(wire.Text(timed.TripHeadsign), wire.Text(timed.TripShortName), timed.TripID),
			TripID: timed.TripID, RouteID: timed.Route.RouteID, ServiceID: timed.Service.ServiceID,
			DirectionID: timed.Direction(), StopTimes: line, Headed: timed.TripHeadsign != nil, Timed: timed}
	}
	return t, nil
}

// write fills in the times for display.
func (t *Timetable) write(clock DisplayClock) {
	for _, trip := range t.Trips {
		for _, c := range trip.StopTimes {
			if c != nil {
				c.ArrivalTime = clock.format(c.ArrivalTimeSeconds)
			}
		}
	}
}

// MaxMain is the maximum number of main stops.
const MaxMain = 10

// Arrange sorts the trips in the order in which they pass, and chooses the main stops, as a printed
// timetable has them.
func (t *Timetable) Arrange() {
	calling := make([]int, len(t.Stops)) // by row: number of trips that call there
	for _, trip := range t.Trips {
		for r, c := range trip.StopTimes {
			if c != nil {
				calling[r]++
			}
		}
	}
	t.order(calling)
	t.pick(calling)
}

// order sorts the trips by their time at the hub, the stop with the most calls. For a trip that
// does not call there it estimates the time from the median ride of the other trips.
func (t *Timetable) order(calling []int) {
	if len(calling) == 0 {
		return
	}
	hub := 0
	for r := range calling {
		if calling[r] > calling[hub] {
			hub = r
		}
	}
	rides := make([][]int32, len(calling)) // by row: riding times to the hub of all trips that call at both
	for i := range t.Trips {
		trip := &t.Trips[i]
		at, ok := trip.at(hub)
		if !ok {
			continue
		}
		for r := range rides {
			if here, ok := trip.at(r); ok {
				rides[r] = append(rides[r], at-here)
			}
		}
	}
	for r := range rides {
		slices.Sort(rides[r])
	}
	by := make(map[*ScheduleTrip]int32, len(t.Trips))
	sorted := make([]*ScheduleTrip, len(t.Trips))
	for i := range t.Trips {
		trip := &t.Trips[i]
		sorted[i], by[trip] = trip, trip.Timed.Start
		best := len(calling) + 1
		for r, all := range rides {
			if here, ok := trip.at(r); ok && len(all) > 0 && max(hub-r, r-hub) < best {
				best, by[trip] = max(hub-r, r-hub), here+all[len(all)/2]
			}
		}
	}
	slices.SortStableFunc(sorted, func(a, b *ScheduleTrip) int {
		return cmp.Or(cmp.Compare(by[a], by[b]), cmp.Compare(a.Timed.Start, b.Timed.Start), cmp.Compare(a.TripID, b.TripID))
	})
	next := make([]ScheduleTrip, len(sorted))
	for i, trip := range sorted {
		next[i] = *trip
	}
	t.Trips = next
}

// at returns the time of the trip in a row.
func (t *ScheduleTrip) at(row int) (int32, bool) {
	c := t.StopTimes[row]
	if c == nil {
		return 0, false
	}
	at, _ := t.Timed.At(c.Call)
	return at, true
}

// pick chooses the main rows: the timepoints if they are few enough, otherwise rows where many
// trips begin or end, and evenly between them the rows with the most calls.
func (t *Timetable) pick(calling []int) {
	rows := make([]int, len(calling))
	for r := range rows {
		rows[r] = r
	}
	if len(rows) <= MaxMain {
		t.Main = rows
		return
	}
	var timed []int
	ends := map[int]int{} // rows where trips begin or end, with the number of these trips
	for _, r := range rows {
		if slices.ContainsFunc(t.Trips, func(t ScheduleTrip) bool { return t.isTimepoint(r) }) {
			timed = append(timed, r)
		}
	}
	for i := range t.Trips {
		first, last := -1, -1
		for _, r := range rows {
			if t.Trips[i].StopTimes[r] != nil {
				last = r
				if first < 0 {
					first = r
				}
			}
		}
		ends[first]++
		ends[last]++
	}
	if len(timed) >= 2 && len(timed) < len(rows) && len(timed) <= MaxMain+4 {
		t.Main, t.Timepoints = timed, true
		return
	}
	var terminals []int
	for _, r := range rows {
		if 10*ends[r] >= len(t.Trips) {
			terminals = append(terminals, r)
		}
	}
	slices.SortStableFunc(terminals, func(a, b int) int { return ends[b] - ends[a] })
	t.Main = terminals[:min(len(terminals), MaxMain/2)]
	for len(t.Main) < MaxMain {
		best, gap := -1, 0
		for _, r := range rows {
			near := len(rows)
			for _, m := range t.Main {
				near = min(near, max(m-r, r-m))
			}
			if weight := near * calling[r]; near > 0 && weight > gap {
				best, gap = r, weight
			}
		}
		if best < 0 {
			break
		}
		t.Main = append(t.Main, best)
	}
	slices.Sort(t.Main)
}

func (t *ScheduleTrip) isTimepoint(row int) bool {
	c := t.StopTimes[row]
	if c == nil {
		return false
	}
	_, given := t.Timed.At(c.Call)
	exact := t.Timed.Run.Timepoint.At(c.Call)
	return given && (exact == nil || *exact != "0")
}
