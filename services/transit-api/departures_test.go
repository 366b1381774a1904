package transitapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// departures has the part of an answer that tests compare.
type departures struct {
	Meta struct {
		TotalCount int
		Truncated  bool
		Missing    []string
	}
	Data struct {
		Departures []board.Departure
		Stops      []struct {
			board.DepartureStop
			Links any `json:"links"`
		}
		Feeds  []realtimeapi.DepartureFeed
		Alerts []realtime.DepartureAlert
	}
}

func (w *world) departures(t *testing.T, query string) departures {
	t.Helper()
	d := decoded[departures](t, w, "/rt/departures?"+query)
	if d.Meta.TotalCount != len(d.Data.Departures) {
		t.Errorf("%s: %d of %d departures", query, len(d.Data.Departures), d.Meta.TotalCount)
	}
	return d
}

// departs compares departures by local time, trip, stop, relationship, origin and delay.
func (w *world) departs(t *testing.T, query string, want ...string) {
	t.Helper()
	zone := in(t, "2026-03-04 00:00:00").Location()
	got := []string{}
	for _, d := range w.departures(t, query).Data.Departures {
		delay := "-"
		if d.Delay != nil {
			delay = fmt.Sprint(*d.Delay)
		}
		line := fmt.Sprintf("%s %s %s %s %s %s", time.Unix(d.PredictedDepartureEpoch, 0).In(zone).Format("15:04:05"),
			d.TripID, d.StopID, d.ScheduleRelationship, d.Origin, delay)
		if d.VehicleID != "" {
			line += " by " + d.VehicleID
		}
		got = append(got, line)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", query, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestDeparturesByTimetable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(t, `UPDATE transit.trip SET wheelchair_accessible = '1' WHERE trip_id = 'early'; UPDATE transit.stop
		SET wheelchair_boarding = '2' WHERE stop_id = 'S';
		UPDATE transit.stop SET platform_code = '2', wheelchair_boarding = '0' WHERE stop_id = 'S1'`)
	w.reimport(t, "SELECT")
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	golden(t, "realtime.departures", w.ask(t, "/rt/departures?stop_id=metro:C&minutes=30&route_id=metro:R%2F1"))
	w.departs(t, "stop_id=metro:C&minutes=30", "06:01:40 every C SCHEDULED scheduled 0",
		"06:01:40 l1 C SCHEDULED scheduled 0", "06:20:00 early C SCHEDULED scheduled 0")
	// The last stop of a trip has no departure; the trip early ends at D.
	w.departs(t, "stop_id=metro:D&minutes=30")
	w.departs(t, "stop_id=metro:D&minutes=30&arrivals=true", "06:21:40 early D SCHEDULED scheduled 0")
	// Several stops have one list. A departure is listed once even if its stop is requested twice.
	loop := []string{"06:00:00 every 100 SCHEDULED scheduled 0", "06:00:00 l1 100 SCHEDULED scheduled 0",
		"06:01:40 every C SCHEDULED scheduled 0",
		"06:01:40 l1 C SCHEDULED scheduled 0", "06:05:00 early 100 SCHEDULED scheduled 0"}
	w.departs(t, "stop_id=metro:C&stop_id=metro:A&minutes=10", loop...)
	w.departs(t, "stop_id=metro:A&stop_id=metro:100&stop_id=metro:C&minutes=10", loop...)
	w.departs(t, "stop_id=metro:C&stop_id=metro:A&minutes=10&route_id=metro:loop", loop[:4]...)
	w.departs(t, "stop_id=metro:C&stop_id=metro:A&minutes=10&route_id=metro:loop&route_id=metro:R%2F1", loop...)
	w.departs(t, "stop_id=metro:C&stop_id=metro:A&minutes=10&route_id=metro:nobody")
	w.departs(t, "stop_id=metro:C&minutes=180&direction_id=1", "08:21:40 back C SCHEDULED scheduled 0")
	if d := w.departures(t, "stop_id=metro:C&stop_id=metro:A&minutes=10&limit=3"); len(d.Data.Departures) != 3 ||
		!d.Meta.Truncated {
		t.Errorf("limit: %+v", d.Meta)
	}
	// A station includes its platforms; a platform inherits missing fields.
	w.clockAt(in(t, "2026-12-24 05:55:00"))
	w.departs(t, "stop_id=metro:S1&stop_id=metro:S", "06:00:00 f1 S1 SCHEDULED scheduled 0")
	ferry := w.departures(t, "stop_id=metro:S&arrivals=true").Data.Departures
	if len(ferry) != 2 || *ferry[0].PlatformCode != "2" || *ferry[0].WheelchairBoarding != "2" ||
		*ferry[0].ParentStation != "S" || *ferry[0].StopName != "Station platform 1" ||
		ferry[0].AgencyID != "ferry" || ferry[0].RouteType != "4" || ferry[1].PlatformCode != nil {
		t.Errorf("%+v", ferry)
	}
	// If a feed is unavailable, a board of several feeds omits it, and a board of that feed is an
	// error.
	if d := w.departures(t, "stop_id=metro:C&stop_id=nobody:C"); !slices.Equal(d.Meta.Missing, []string{"nobody"}) ||
		len(d.Data.Stops) != 1 {
		t.Errorf("%+v", d)
	}
}

// An answer states whether a stop has service today, and its next departure.
func TestNextDepartures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, c := range []struct{ at, stop, today, next string }{
		{"2026-03-04 05:45:00", "C", "true", ""}, // the next departure is within the requested time
		{"2026-03-04 13:00:00", "C", "true", "03-05 00:08:20 late C of 20260304"},
		{"2026-03-05 00:09:00", "C", "true", "03-05 05:51:40 every C of 20260305"}, // a trip by frequency
		{"2026-03-05 06:20:10", "C", "true", "03-05 08:21:40 back C of 20260305"},
		{"2026-03-07 01:00:00", "C", "false", "03-09 05:51:40 every C of 20260309"}, // a weekend
		{"2026-07-03 01:00:00", "100", "false", "07-06 05:50:00 every 100 of 20260706"},
		{"2026-07-02 12:30:00", "100", "true", "07-02 23:53:20 late 100 of 20260702"}, // the next day has no service
		{"2026-12-10 00:00:00", "S", "false", "12-24 06:00:00 f1 S1 of 20261224"},
		{"2026-12-09 00:00:00", "S", "false", ""}, // the next departure is more than two weeks away
		{"2026-12-24 06:00:10", "S", "true", "12-25 06:00:00 f1 S1 of 20261225"},
		{"2026-12-25 12:00:00", "S2", "false", ""}, // trips only end here
		{"2026-03-04 13:00:00", "lost", "false", ""},
		{"2026-03-04 13:00:00", "nowhere", "false", ""},
	} {
		at := in(t, c.at)
		w.clockAt(at)
		s := w.departures(t, "minutes=30&stop_id=metro:"+c.stop).Data.Stops[0]
		next := ""
		if n := s.Next; n != nil {
			next = fmt.Sprintf("%s %s %s of %s", time.Unix(n.DepartureEpoch, 0).In(at.Location()).Format("01-02 15:04:05"),
				n.TripID, n.StopID, n.StartDate)
		}
		if got := fmt.Sprint(*s.ServiceToday); got != c.today || next != c.next {
			t.Errorf("%s at %s: today %s, next %q; want %s, %q", c.stop, c.at, got, next, c.today, c.next)
		}
		if known := c.stop != "nowhere"; s.Known != known {
			t.Errorf("unknown stop %s: %v", c.stop, s.Known)
		}
	}
	if s := w.departures(t, "stop_id=metro:A").Data.Stops[0]; s.StopID != "100" || *s.StopName != "Alder" ||
		*s.StopCode != "A" {
		t.Errorf("stop by code: %+v", s)
	}
}

func TestDeparturesByTripUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	canceled := updateOf("l1")
	canceled.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_CANCELED.Enum()
	skips := updateOf("early")
	skips.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(1, nil, byDelay(60)), timed(3, nil, nil),
		timed(4, byDelay(30), nil)}
	skips.TripUpdate.StopTimeUpdate[1].ScheduleRelationship = rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()
	added := updateOf("extra")
	added.TripUpdate.Trip.ScheduleRelationship, added.TripUpdate.Trip.RouteId,
		added.TripUpdate.Trip.DirectionId = rt.TripDescriptor_ADDED.Enum(), proto.String("R/1"), proto.Uint32(1)
	added.TripUpdate.Vehicle = &rt.VehicleDescriptor{Id: proto.String("v9")}
	added.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{
		{StopId: proto.String("C"), Arrival: byTime(in(t, "2026-03-04 05:59:00"))},
		{StopId: proto.String("100"), Arrival: byTime(in(t, "2026-03-04 06:09:00"))}}
	deleted := updateOf("every")
	deleted.TripUpdate.Trip.StartTime, deleted.TripUpdate.Trip.StartDate = proto.String("06:00:00"),
		proto.String("20260304")
	deleted.TripUpdate.Trip.ProtoReflect().SetUnknown(
		protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), 7))
	w.sent(t, "trip_updates", now, canceled, skips, added, deleted)
	vehicle := func(id, trip, date string, status rt.VehiclePosition_OccupancyStatus) *rt.FeedEntity {
		v := &rt.VehiclePosition{Trip: &rt.TripDescriptor{TripId: &trip}, Vehicle: &rt.VehicleDescriptor{Id: &id},
			OccupancyStatus: &status}
		if date != "" {
			v.Trip.StartDate = &date
		}
		return &rt.FeedEntity{Id: &id, Vehicle: v}
	}
	w.sent(t, "vehicle_positions", now, vehicle("v8", "early", "20260303", rt.VehiclePosition_FULL),
		vehicle("v7", "early", "", rt.VehiclePosition_FEW_SEATS_AVAILABLE),
		vehicle("v9", "extra", "", rt.VehiclePosition_EMPTY))
	// l1 is cancelled and listed at its time; early skips C and is a minute late; a run of every is
	// deleted.
	w.departs(t, "stop_id=metro:C&minutes=30", "05:59:00 extra C ADDED asserted - by v9",
		"06:01:40 l1 C CANCELED scheduled 0", "06:21:00 early C SKIPPED propagated 60 by v8")
	w.departs(t, "stop_id=metro:C&minutes=30&direction_id=0", "06:01:40 l1 C CANCELED scheduled 0",
		"06:21:00 early C SKIPPED propagated 60 by v8")
	w.departs(t, "stop_id=metro:100&minutes=11&route_id=metro:R%2F1", "06:06:00 early 100 SCHEDULED asserted 60 by v8")
	d := w.departures(t, "stop_id=metro:100&stop_id=metro:C&minutes=11&route_id=metro:R%2F1").Data
	occupancy := map[string]string{}
	for _, x := range d.Departures {
		if x.OccupancyStatus != nil {
			occupancy[x.TripID] = *x.OccupancyStatus
		}
	}
	if fmt.Sprint(occupancy) != "map[extra:EMPTY]" { // the vehicle of the trip early is v8, which is on yesterday's trip
		t.Errorf("%v", occupancy)
	}
	if f := d.Feeds[0]; f.Realtime != "live" || f.LastFetched != now.Unix() || f.FeedTimestamp != now.Unix() ||
		f.TimeZone != "America/New_York" {
		t.Errorf("%+v", f)
	}
	// Departures and predictions have the same trips.
	for _, stop := range []string{"100", "C", "D", "E"} {
		var rows []string
		for _, x := range w.departures(t, "arrivals=true&minutes=600&limit=1000&stop_id=metro:"+stop).Data.Departures {
			if x.ScheduleRelationship != "CANCELED" && x.ScheduleRelationship != "SKIPPED" {
				rows = append(rows, fmt.Sprintf("%+v", x.Prediction))
			}
		}
		var predicted []string
		for _, p := range w.boarded(t, "/rt/predictions/"+stop+"?feed=metro&minutes=600").Data {
			predicted = append(predicted, fmt.Sprintf("%+v", p))
		}
		if len(rows) != len(predicted) || len(rows) == 0 {
			t.Errorf("%s: %d departures that run, %d predictions", stop, len(rows), len(predicted))
		}
	}
	// If all calls of a day are cancelled, the next departure is on a later day.
	w.clockAt(in(t, "2026-03-04 23:50:00"))
	canceled = updateOf("late")
	canceled.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_CANCELED.Enum()
	at := w.api.current.Now()
	w.sent(t, "trip_updates", at, canceled)
	if s := w.departures(t, "stop_id=metro:100&minutes=10").Data; len(s.Departures) != 1 || s.Stops[0].Next == nil ||
		s.Stops[0].Next.StartDate != "20260305" {
		t.Errorf("%+v", s)
	}
}

// Each realtime state has a name, and predictions of a silent source are dropped.
func TestSilences(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	start := in(t, "2026-03-04 05:55:00")
	w.clockAt(start)
	state := func(want string) {
		t.Helper()
		d := w.departures(t, "stop_id=metro:100&route_id=metro:R%2F1&minutes=15").Data
		origin := ""
		for _, x := range d.Departures {
			origin = x.Origin
		}
		if got := string(d.Feeds[0].Realtime) + " " + origin; got != want {
			t.Errorf("at %s: %s, want %s", w.now(), got, want)
		}
	}
	state("none scheduled")
	w.exec(t, `INSERT INTO transit.source (alias, source, kind, stale_after, min_interval)
		VALUES ('metro', 'trip_updates/0', 'trip_updates', '30 s', '10 s')`)
	w.refresh(t)
	state("never scheduled")
	late := updateOf("early")
	late.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(1, nil, byDelay(60))}
	message := &rt.FeedMessage{Header: header(start), Entity: []*rt.FeedEntity{late}}
	w.polled(t, "metro", "trip_updates", start, message)
	state("live asserted")
	w.clockAt(start.Add(3 * time.Minute))
	state("live asserted")
	w.clockAt(start.Add(3*time.Minute + realtimeapi.BoardStep))
	state("silent scheduled")
	w.polled(t, "metro", "trip_updates", w.now(), message) // the poll succeeded, but the data is unchanged
	state("live asserted")
	message.Header = header(start.Add(-8 * time.Minute))
	w.polled(t, "metro", "trip_updates", w.now(), message)
	state("silent scheduled")
	message.Header.Timestamp = nil
	w.polled(t, "metro", "trip_updates", w.now(), message)
	state("live asserted")
}

func TestDepartureAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	route, stop := func(id string) *rt.EntitySelector {
		return &rt.EntitySelector{RouteId: &id}
	}, func(id string) *rt.EntitySelector { return &rt.EntitySelector{StopId: &id} }
	both := func(r, s string) *rt.EntitySelector { return &rt.EntitySelector{RouteId: &r, StopId: &s} }
	alert := func(id string, in ...*rt.EntitySelector) *rt.FeedEntity {
		return &rt.FeedEntity{Id: &id, Alert: &rt.Alert{InformedEntity: in,
			HeaderText: &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &id}}}}}
	}
	severe := alert("severe", route("loop"))
	severe.Alert.SeverityLevel, severe.Alert.Effect = rt.Alert_SEVERE.Enum(), rt.Alert_DETOUR.Enum()
	over, later, on := alert("over", stop("C")), alert("later", stop("C")), alert("on", stop("C"))
	over.Alert.ActivePeriod = []*rt.TimeRange{{End: proto.Uint64(uint64(now.Unix()))}}
	later.Alert.ActivePeriod = []*rt.TimeRange{{Start: proto.Uint64(uint64(now.Unix()) + 1)}}
	on.Alert.ActivePeriod = []*rt.TimeRange{{End: proto.Uint64(1)}, {Start: proto.Uint64(uint64(now.Unix())),
		End: proto.Uint64(uint64(now.Unix()) + 1)}}
	w.sent(t, "alerts", now,
		alert("here", both("R/1", "C")), alert("elsewhere", both("R/1", "B 50%/x")), alert("other route", both("F", "C")),
		severe, over, later, on,
		alert("agency", &rt.EntitySelector{AgencyId: proto.String("M T")}),
		alert("ferries", &rt.EntitySelector{RouteType: proto.Int32(4)}),
		alert("buses", &rt.EntitySelector{RouteType: proto.Int32(3)}),
		alert("back", &rt.EntitySelector{RouteId: proto.String("R/1"), DirectionId: proto.Uint32(1)}),
		alert("trip", &rt.EntitySelector{Trip: &rt.TripDescriptor{TripId: proto.String("early")}}),
		alert("trip gone by", &rt.EntitySelector{Trip: &rt.TripDescriptor{TripId: proto.String("late")}}),
		alert("nothing", &rt.EntitySelector{}), alert("nobody"), alert("station", stop("S")))
	for query, want := range map[string][]string{
		"stop_id=metro:C&minutes=60":                            {"severe", "here", "on", "agency", "buses", "trip"},
		"stop_id=metro:C&minutes=180":                           {"severe", "here", "on", "agency", "buses", "back", "trip"},
		"stop_id=metro:C&minutes=60&route_id=metro:R%2F1":       {"here", "on", "agency", "buses", "trip"},
		"stop_id=metro:S1":                                      {"ferries", "station"},
		"stop_id=metro:S":                                       {"ferries", "station"},
		"stop_id=metro:E&minutes=1&stop_id=metro:B%2050%25%2Fx": {"severe", "elsewhere", "agency", "buses"},
		"stop_id=metro:nowhere":                                 nil,
	} {
		var got []string
		for _, a := range w.departures(t, query).Data.Alerts {
			got = append(got, a.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	a := w.departures(t, "stop_id=metro:C").Data.Alerts
	if *a[0].SeverityLevel != "SEVERE" || *a[0].Effect != "DETOUR" || a[0].HeaderText.Translation[0].Text != "severe" ||
		!slices.Equal(a[0].RouteIDs, []string{"loop"}) || len(a[0].StopIDs) != 0 ||
		!slices.Equal(a[1].StopIDs, []string{"C"}) || !slices.Equal(a[1].RouteIDs, []string{"R/1"}) {
		t.Errorf("%+v", a)
	}
}

// A board is limited, whether one trip runs every second or there are too many trips.
func TestDeparturesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reimport(t, everySecond)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	d := w.departures(t, "stop_id=metro:C&stop_id=metro:E&stop_id=metro:100&limit=5000")
	if len(d.Data.Departures) != realtimeapi.MaxDepartures || !d.Meta.Truncated {
		t.Errorf("%d departures, truncated: %v", len(d.Data.Departures), d.Meta.Truncated)
	}
	if !slices.IsSortedFunc(d.Data.Departures, func(x, y board.Departure) int {
		return int(x.PredictedDepartureEpoch - y.PredictedDepartureEpoch)
	}) {
		t.Error("departures are not sorted by time")
	}
	w.reimport(t, fmt.Sprintf(`
		INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id)
		SELECT 2, 5000 + i, 3, 2, 21600, 'crowd ' || i, 'loop', 'wk' FROM generate_series(1, %d) i`, 20_000+1))
	if a := w.get(t, "/rt/departures?stop_id=metro:C&minutes=60"); a.Status != http.StatusBadRequest ||
		!strings.Contains(string(a.Body), "minutes") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// Runs of a trip by frequency have the same trip_id; a vehicle identifies its run by the start
// time.
func TestOccupancyIsOfTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:45:00")
	w.clockAt(now)
	vehicle := func(id, start string, status rt.VehiclePosition_OccupancyStatus) *rt.FeedEntity {
		trip := &rt.TripDescriptor{TripId: proto.String("every"), StartDate: proto.String("20260304")}
		if start != "" {
			trip.StartTime = &start
		}
		return &rt.FeedEntity{Id: &id, Vehicle: &rt.VehiclePosition{Trip: trip, Vehicle: &rt.VehicleDescriptor{Id: &id},
			OccupancyStatus: &status}}
	}
	// v1 left 30 seconds late; v0 does not name its run.
	w.sent(t, "vehicle_positions", now, vehicle("v0", "", rt.VehiclePosition_FULL),
		vehicle("v1", "05:50:30", rt.VehiclePosition_CRUSHED_STANDING_ROOM_ONLY))
	var got []string
	for _, x := range w.departures(t, "stop_id=metro:C&minutes=30").Data.Departures {
		if x.TripID == "every" {
			status := "-"
			if x.OccupancyStatus != nil {
				status = *x.OccupancyStatus
			}
			got = append(got, time.Unix(x.PredictedDepartureEpoch, 0).In(now.Location()).Format("15:04:05 ")+status)
		}
	}
	if want := "05:51:40 CRUSHED_STANDING_ROOM_ONLY, 06:01:40 -"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
