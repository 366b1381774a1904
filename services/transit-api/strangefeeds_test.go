package transitapi

import (
	"fmt"
	"math"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// This file tests messages in the style of some real producers.

// withoutID describes the 6:05 trip of R/1 by route, direction and start.
func withoutID(date, start string) *rt.TripDescriptor {
	d := &rt.TripDescriptor{RouteId: proto.String("R/1"), StartTime: &start, DirectionId: proto.Uint32(0)}
	if date != "" {
		d.StartDate = &date
	}
	return d
}

func TestTripsWithoutIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-04 05:55:00")
	w.clockAt(at)
	entity := func(id string, d *rt.TripDescriptor, calls ...*rt.TripUpdate_StopTimeUpdate) *rt.FeedEntity {
		return &rt.FeedEntity{Id: &id, TripUpdate: &rt.TripUpdate{Trip: d, StopTimeUpdate: calls}}
	}
	other := withoutID("20260304", "06:05:00")
	other.DirectionId = proto.Uint32(1)
	w.sent(t, "trip_updates", at,
		entity("early", withoutID("20260304", "06:05:00"), timed(2, byDelay(60), byDelay(90))),
		entity("of the new day", withoutID("20260305", "23:53:20"), timed(3, byDelay(30), nil)),
		entity("on a Sunday", withoutID("20260308", "06:05:00"), timed(4, byDelay(30), nil)),
		entity("the other way", other, timed(1, byDelay(30), nil)),
		entity("nonsense", withoutID("someday", "whenever"), timed(1, byDelay(30), nil)))
	got := w.rt(t, "/rt/tripupdates/B%2050%25%2Fx")
	if len(got.Data) != 1 {
		t.Fatalf("%+v", got)
	}
	trip := got.Data[0]["trip"].(map[string]any)
	if trip["tripHeadsign"] != "Dock" || trip["tripId"] != nil || trip["startTime"] != "06:05:00" ||
		got.Data[0]["stopTimeUpdate"].([]any)[0].(map[string]any)["stopId"] != "B 50%/x" {
		t.Errorf("%+v", got.Data[0])
	}
	if got := w.rt(t, "/rt/tripupdates/C"); len(got.Data) != 1 { // the late trip of the next day
		t.Errorf("%+v", got)
	}
	if got := w.rt(t, "/rt/tripupdates/D"); len(got.Data) != 0 { // no trips on that Sunday
		t.Errorf("%+v", got)
	}
	w.expect(t, "B?minutes=20", "03-04 06:07:40 early B 50%/x asserted 60")
	w.expect(t, "D?minutes=30", "03-04 06:23:10 early D propagated 90 last")
	// Without a date, the day of the message counts: it is a different trip a day later.
	w.sent(t, "trip_updates", at, entity("early", withoutID("", "6:05:00"),
		timed(2, byDelay(60), byDelay(90))))
	w.expect(t, "B?minutes=20", "03-04 06:07:40 early B 50%/x asserted 60")
	sunday := in(t, "2026-03-08 05:55:00")
	w.clockAt(sunday)
	w.sent(t, "trip_updates", sunday, entity("early", withoutID("", "6:05:00"), timed(2, byDelay(60), byDelay(90))))
	w.expect(t, "B?minutes=20")
	// The same applies to vehicles and alerts.
	v := &rt.FeedEntity{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{Trip: withoutID("20260304", "06:05:00"),
		CurrentStopSequence: proto.Uint32(2)}}
	a := &rt.FeedEntity{Id: proto.String("a"),
		Alert: &rt.Alert{InformedEntity: []*rt.EntitySelector{{Trip: withoutID("20260304", "06:05:00")}}}}
	w.sent(t, "mixed", at, v, a)
	if got := w.rt(t, "/rt/vehicles?stop_id=C"); len(got.Data) != 1 ||
		got.Data[0]["trip"].(map[string]any)["tripHeadsign"] != "Dock" {
		t.Errorf("%+v", got)
	}
	if got := w.rt(t, "/rt/alerts/trip/early"); len(got.Data) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestStrangeAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text := &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{
		{Text: proto.String("a"), Language: proto.String("en")}, {Text: proto.String("b"), Language: proto.String("es")},
		{Text: proto.String("c")}}}
	alert := func(id string, in ...*rt.EntitySelector) *rt.FeedEntity {
		return &rt.FeedEntity{Id: &id, Alert: &rt.Alert{InformedEntity: in, HeaderText: text,
			ActivePeriod: []*rt.TimeRange{{Start: proto.Uint64(4_000_000_000)}}}}
	}
	w.sent(t, "alerts", noon, alert("by type", &rt.EntitySelector{RouteType: proto.Int32(3)}),
		alert("by direction", &rt.EntitySelector{RouteId: proto.String("R/1"), DirectionId: proto.Uint32(1)}),
		alert("all trips of a route", &rt.EntitySelector{Trip: &rt.TripDescriptor{RouteId: proto.String("R/1")}}),
		alert("agency and type", &rt.EntitySelector{AgencyId: proto.String("M T"), RouteType: proto.Int32(3)}))
	for path, want := range map[string]string{"route/R%2F1": "[by direction all trips of a route]",
		"agency/M%20T": "[agency and type]", "trip/early": "[]"} {
		ids := []any{}
		for _, d := range w.rt(t, "/rt/alerts/"+path).Data {
			ids = append(ids, d["id"])
		}
		if fmt.Sprint(ids) != want {
			t.Errorf("%s: %v, want %s", path, ids, want)
		}
	}
	if body := string(w.ask(t, "/rt/alerts/route/R%2F1")); !strings.Contains(body,
		`"translation":[{"text":"a","language":"en"},{"text":"b","language":"es"},{"text":"c"}]`) ||
		!strings.Contains(body, `{"start":"4000000000"}`) || !strings.Contains(body, `"directionId":1`) {
		t.Error(body)
	}
}

// A name that is not valid UTF-8 does not hide the rest of a message.
func TestInvalidNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	odd := withoutID("20260304", "06:05:00")
	odd.RouteId = proto.String("\xff")
	// Go's encoder accepts such names, because the schema is proto2.
	w.sent(t, "trip_updates", noon,
		updateOf("\xff\xfe", "100"), updateOf("a\x00b", "100"), updateOf("early", "100", "C\xff"),
		&rt.FeedEntity{Id: proto.String("odd"), TripUpdate: &rt.TripUpdate{Trip: odd,
			StopTimeUpdate: updateOf("", "100").TripUpdate.
				StopTimeUpdate}})
	if got := w.rt(t, "/rt/tripupdates/100"); len(got.Data) != 4 {
		t.Errorf("%+v", got)
	}
	if got := w.board(t, "100?minutes=20"); len(got) == 0 {
		t.Error("no board")
	}
}

func TestStrangePredictions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	millis := func(local string) *rt.TripUpdate_StopTimeEvent {
		return &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(in(t, local).UnixMilli())}
	}
	call := func(sequence uint32, stop string, e *rt.TripUpdate_StopTimeEvent) *rt.TripUpdate_StopTimeUpdate {
		s := &rt.TripUpdate_StopTimeUpdate{StopSequence: &sequence, Arrival: e}
		if stop != "" {
			s.StopId = &stop
		}
		return s
	}
	byStop := func(stop string, late int32) *rt.TripUpdate_StopTimeUpdate {
		return &rt.TripUpdate_StopTimeUpdate{StopId: &stop, Arrival: byDelay(late)}
	}
	for _, c := range []struct {
		name string
		rel  rt.TripDescriptor_ScheduleRelationship
		of   []*rt.TripUpdate_StopTimeUpdate
		want map[string]string // lines of the trip early, by stop
	}{
		{"milliseconds", 0, []*rt.TripUpdate_StopTimeUpdate{call(3, "", millis("2026-03-04 06:22:00"))},
			map[string]string{"C": "06:22:00 asserted 120", "D": "06:23:40 propagated 120"}},
		{"a time of zero", 0, []*rt.TripUpdate_StopTimeUpdate{
			call(3, "", &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(0)})}, map[string]string{"C": "06:20:00 scheduled 0"}},
		{"a time of zero and a delay", 0, []*rt.TripUpdate_StopTimeUpdate{
			call(3, "", &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(0), Delay: proto.Int32(30)})},
			map[string]string{"C": "06:20:30 asserted 30"}},
		{"calls numbered in another way", 0, []*rt.TripUpdate_StopTimeUpdate{call(2, "C", byDelay(60)),
			call(3, "D", byDelay(70))}, map[string]string{"B": "06:06:40 scheduled 0", "C": "06:21:00 asserted 60",
			"D": "06:22:50 asserted 70"}},
		{"calls numbered beyond the timetable's", 0, []*rt.TripUpdate_StopTimeUpdate{call(30, "C", byDelay(60))},
			map[string]string{"C": "06:21:00 asserted 60"}},
		{"calls in any order, by stop", 0, []*rt.TripUpdate_StopTimeUpdate{byStop("D", 20), byStop("B", 10)},
			map[string]string{"B": "06:06:50 asserted 10", "C": "06:20:10 propagated 10", "D": "06:22:00 asserted 20"}},
		{"calls in any order, by sequence", 0, []*rt.TripUpdate_StopTimeUpdate{call(4, "", byDelay(20)),
			call(2, "", byDelay(10))}, map[string]string{"B": "06:06:50 asserted 10", "C": "06:20:10 propagated 10",
			"D": "06:22:00 asserted 20"}},
		{"one call updated twice", 0, []*rt.TripUpdate_StopTimeUpdate{byStop("C", 20), byStop("C", 30)},
			map[string]string{"C": "06:20:20 asserted 20", "D": "06:22:00 propagated 20"}},
		// The times are not on any service day.
		{"numbers beyond all measure", 0, []*rt.TripUpdate_StopTimeUpdate{call(2, "", byDelay(math.MinInt32)),
			call(3, "", &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(math.MinInt64)}),
			call(4, "", &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(math.MaxInt64)})},
			map[string]string{"B": "06:06:40 scheduled 0", "C": "06:20:00 scheduled 0", "D": "06:21:40 scheduled 0"}},
		{"another stop than planned", 0, []*rt.TripUpdate_StopTimeUpdate{call(4, "E", byDelay(60))},
			map[string]string{"D": "", "E": "06:22:40 asserted 60"}},
		{"an unknown stop", 0, []*rt.TripUpdate_StopTimeUpdate{call(4, "platform 9", byDelay(60))},
			map[string]string{"D": "06:22:40 asserted 60"}},
		{"replaced", rt.TripDescriptor_REPLACEMENT, //nolint:staticcheck // deprecated, and still sent
			[]*rt.TripUpdate_StopTimeUpdate{call(1, "E", byTime(in(t, "2026-03-04 06:10:00")))},
			map[string]string{"100": "", "C": "", "E": "06:10:00 asserted -"}},
		{"unscheduled, of a trip that is not by frequency", rt.TripDescriptor_UNSCHEDULED,
			[]*rt.TripUpdate_StopTimeUpdate{call(1, "E", byTime(in(t, "2026-03-04 06:10:00")))},
			map[string]string{"E": "06:10:00 asserted -"}},
	} {
		e := updateOf("early")
		e.TripUpdate.Trip.ScheduleRelationship, e.TripUpdate.StopTimeUpdate = &c.rel, c.of
		w.sent(t, "trip_updates", noon, e)
		w.expectEarly(t, c.name, c.want)
	}
}

// The message has unknown enum values, duplicate entity ids, a deleted entity, two vehicles on one
// trip, and a trip of yesterday without a date.
func TestStrangeEntities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-05 00:02:00")
	w.clockAt(at)
	vehicle := func(id, trip string) *rt.FeedEntity {
		return &rt.FeedEntity{Id: proto.String("same"), Vehicle: &rt.VehiclePosition{Trip: &rt.TripDescriptor{TripId: &trip},
			Vehicle: &rt.VehicleDescriptor{Id: &id}}}
	}
	odd := vehicle("odd", "late")
	odd.Vehicle.CurrentStatus, odd.Vehicle.OccupancyStatus = rt.VehiclePosition_VehicleStopStatus(77).Enum(),
		rt.VehiclePosition_OccupancyStatus(78).Enum()
	gone := vehicle("gone", "late")
	gone.IsDeleted = proto.Bool(true)
	night := updateOf("late")
	night.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_ScheduleRelationship(79).Enum()
	night.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(4, byTime(in(t, "2026-03-05 00:12:00")), nil)}
	every := updateOf("every")
	every.TripUpdate.Trip.StartDate, every.TripUpdate.Trip.StartTime = proto.String("20260305"), proto.String("05:50:00")
	every.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_CANCELED.Enum()
	w.sent(t, "mixed", at, odd, vehicle("second", "late"), gone, night, every,
		&rt.FeedEntity{Id: proto.String("same"), Alert: &rt.Alert{Cause: rt.Alert_Cause(80).Enum(),
			InformedEntity: []*rt.EntitySelector{{AgencyId: proto.String("M T")}}}})
	got := string(w.ask(t, "/rt/vehicles"))
	lacks(t, "the page", got, `"totalCount":2`, `"id":"odd"`, `"id":"second"`, `"currentStatus":"77"`,
		`"occupancyStatus":"78"`)
	for path, want := range map[string]string{"/rt/alerts/agency/M%20T": `"cause":"80"`,
		"/rt/tripupdates/D": `"scheduleRelationship":"79"`} {
		if got := string(w.ask(t, path)); !strings.Contains(got, want) {
			t.Errorf("%s has no %s", got, want)
		}
	}
	w.expect(t, "D?minutes=15", "03-05 00:12:00 late D asserted 120 by odd last")
	w.clockAt(in(t, "2026-03-05 05:49:00"))
	w.expect(t, "E?minutes=16", "03-05 06:03:20 every E scheduled 0", "03-05 06:03:20 l1 E scheduled 0")
}
