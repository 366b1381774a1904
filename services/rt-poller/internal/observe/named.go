package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/pg"
)

// description returns what identifies a trip that a descriptor without trip_id names; "" if it names
// none.
func description(d *gtfsrt.Trip) string {
	if len(d.TripID) > 0 || len(d.RouteID) == 0 || len(d.StartTime) == 0 || len(d.RouteID) > maxID ||
		!plain(string(d.RouteID)) {
		return ""
	}
	return strings.Join([]string{string(d.RouteID), d.Direction, string(d.StartDate), string(d.StartTime)}, "\x00")
}

// name returns the message with the ids of trips that it names only by route, direction, start time
// and day. The message itself does not change, because others read it.
func (t *feedTimetable) name(ctx context.Context, m *gtfsrt.Message, today int32) (*gtfsrt.Message, error) {
	var wanted []*gtfsrt.Trip
	isNamed := false
	want := func(d *gtfsrt.Trip) {
		text := description(d)
		if text == "" {
			return
		}
		isNamed = true
		if _, met := t.named[text]; !met {
			wanted = append(wanted, d)
		}
	}
	for i := range m.TripUpdates {
		want(&m.TripUpdates[i].Trip)
	}
	for i := range m.Vehicles {
		want(&m.Vehicles[i].Trip)
	}
	if !isNamed || t.version == 0 {
		return m, nil
	}
	if err := t.readNamed(ctx, wanted, today); err != nil {
		return nil, err
	}
	own := *m
	own.TripUpdates, own.Vehicles = slices.Clone(m.TripUpdates), slices.Clone(m.Vehicles)
	for i := range own.TripUpdates {
		t.setID(&own.TripUpdates[i].Trip)
	}
	for i := range own.Vehicles {
		t.setID(&own.Vehicles[i].Trip)
	}
	return &own, nil
}

func (t *feedTimetable) setID(d *gtfsrt.Trip) {
	if found := t.named[description(d)]; found != nil {
		d.TripID, d.StartDate = []byte(found.id), []byte(found.date)
	}
}

// A namedTrip is the run that a description means.
type namedTrip struct{ id, date string }

// readNamed finds runs by their descriptions. A description that fits several trips means none: a
// guess would be wrong for some of them. Some feeds count trips after midnight from the day before.
func (t *feedTimetable) readNamed(ctx context.Context, wanted []*gtfsrt.Trip, today int32) error {
	var routes []string
	var starts []int32
	for _, d := range wanted {
		if at, ok := parseClock(d.StartTime); ok {
			routes, starts = append(routes, string(d.RouteID)), append(starts, at)
		}
	}
	rows, err := pg.List[tripRow](ctx, t.db, `SELECT DISTINCT `+tripColumns+`
		FROM transit.trip t JOIN unnest($2::text[], $3::integer[]) AS k (route, at)
		  ON t.route_id = k.route AND t.start_time IN (k.at, k.at + 86400)
		WHERE t.version_id = $1 AND t.pattern IS NOT NULL`, t.version, routes, starts)
	if err != nil {
		return fmt.Errorf("find trips of version %d by route and start: %w", t.version, err)
	}
	if len(t.named)+len(wanted) > maxTrips {
		clear(t.named)
	}
	for _, d := range wanted {
		t.named[description(d)] = t.runOf(d, rows, today)
	}
	return nil
}

func (t *feedTimetable) runOf(d *gtfsrt.Trip, rows []tripRow, today int32) *namedTrip {
	at, ok := parseClock(d.StartTime)
	day, dated := parseDay(d.StartDate)
	if !dated {
		day = today
	}
	for late := int32(0); ok && late < 2; late++ {
		var found []string
		for _, r := range rows {
			if r.RouteID == string(d.RouteID) && r.StartTime == at+late*86400 && t.services[r.ServiceID].Runs(day-late) &&
				(d.Direction == "" || r.DirectionID == d.Direction) {
				found = append(found, r.TripID)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return &namedTrip{found[0], Date(day - late).Format("20060102")}
		default:
			return nil
		}
	}
	return nil
}
