package transitapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/transit-api/internal/board"
)

// in parses a local time of New York.
func in(t *testing.T, local string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation(time.DateTime, local, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// board returns the lines of a departure board in short form: local time, trip, stop, origin,
// delay.
func (w *world) board(t *testing.T, path string) []string {
	t.Helper()
	a := decoded[struct{ Data []board.Prediction }](t, w, "/rt/predictions/"+path)
	zone := in(t, "2026-03-04 00:00:00").Location()
	lines := []string{}
	for _, p := range a.Data {
		delay := "-"
		if p.Delay != nil {
			delay = fmt.Sprint(*p.Delay)
		}
		line := fmt.Sprintf("%s %s %s %s %s", time.Unix(p.PredictedArrivalEpoch, 0).In(zone).Format("01-02 15:04:05"),
			p.TripID, p.StopID, p.Origin, delay)
		if p.VehicleID != "" {
			line += " by " + p.VehicleID
		}
		if p.IsLastStop {
			line += " last"
		}
		lines = append(lines, line)
	}
	return lines
}

func (w *world) expect(t *testing.T, path string, want ...string) {
	t.Helper()
	if got := w.board(t, path); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", path, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestPredictionsByTimetable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	golden(t, "realtime.predictions", w.ask(t, "/rt/predictions/C?minutes=30"))
	// The loop runs by frequency at 5:50 and 6:00, and once at 6:00. R/1 at 6:05 has no time at C,
	// which is interpolated at nine tenths of the distance.
	w.expect(t, "C?minutes=30", "03-04 06:01:40 every C scheduled 0", "03-04 06:01:40 l1 C scheduled 0",
		"03-04 06:20:00 early C scheduled 0")
	w.expect(t, "D?minutes=30", "03-04 06:21:40 early D scheduled 0 last")
	w.expect(t, "A?minutes=10", "03-04 05:55:00 every 100 scheduled 0 last", "03-04 06:00:00 every 100 scheduled 0",
		"03-04 06:00:00 l1 100 scheduled 0",
		// The stop is requested by its code.
		"03-04 06:05:00 early 100 scheduled 0", "03-04 06:05:00 every 100 scheduled 0 last",
		"03-04 06:05:00 l1 100 scheduled 0 last")
	w.expect(t, "nobody")
	// After midnight, a trip of yesterday's service. Its service runs on Fridays but not on
	// Saturdays.
	w.clockAt(in(t, "2026-03-07 00:05:00"))
	w.expect(t, "D", "03-07 00:10:00 late D scheduled 0 last")
	w.clockAt(in(t, "2026-03-08 00:05:00"))
	w.expect(t, "D")
	// Exceptions: no service on 3 July; the ferry runs only at Christmas, from a platform of a
	// station.
	w.clockAt(in(t, "2026-07-03 05:55:00"))
	w.expect(t, "C")
	w.clockAt(in(t, "2026-12-24 05:55:00"))
	w.expect(t, "S?feed=metro", "12-24 06:00:00 f1 S1 scheduled 0", "12-24 06:30:00 f1 S2 scheduled 0 last")
	w.expect(t, "S2", "12-24 06:30:00 f1 S2 scheduled 0 last")
}

// Times count from noon minus 12 hours. On the day when clocks go forward, that is 23:00 of the
// previous day.
func TestPredictionsWhenTheClockChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(t, `UPDATE transit.service SET sunday = '1' WHERE version_id = 2
		AND service_id = 'wk'; UPDATE transit.feed_version SET sha256 = '\xabce' WHERE version_id = 2`)
	refreshFeeds(t, w.api)
	for at, want := range map[string]string{
		"2026-03-08 05:58:00": "03-08 06:00:00 l1 100 scheduled 0", // clocks go forward that morning at 2:00
		"2026-11-01 05:58:00": "11-01 06:00:00 l1 100 scheduled 0", // clocks go back
		"2026-03-08 23:40:00": "03-08 23:53:20 late 100 scheduled 0",
	} {
		w.clockAt(in(t, at))
		if got := strings.Join(w.board(t, "100?minutes=15"), "\n"); !strings.Contains(got, want) {
			t.Errorf("at %s:\n%s", at, got)
		}
	}
	// A call at 24:10 of the service day before the change is at 0:10 of the next day.
	w.clockAt(in(t, "2026-03-09 00:05:00"))
	w.expect(t, "D", "03-09 00:10:00 late D scheduled 0 last")
}

func timed(sequence int, arrival, departure *rt.TripUpdate_StopTimeEvent) *rt.TripUpdate_StopTimeUpdate {
	return &rt.TripUpdate_StopTimeUpdate{StopSequence: proto.Uint32(uint32(sequence)), Arrival: arrival,
		Departure: departure}
}

func byTime(at time.Time) *rt.TripUpdate_StopTimeEvent {
	return &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(at.Unix())}
}

func byDelay(seconds int32) *rt.TripUpdate_StopTimeEvent {
	return &rt.TripUpdate_StopTimeEvent{Delay: &seconds}
}

func TestPredictionsByTripUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	related := func(sequence int, r rt.TripUpdate_StopTimeUpdate_ScheduleRelationship) *rt.TripUpdate_StopTimeUpdate {
		return &rt.TripUpdate_StopTimeUpdate{StopSequence: proto.Uint32(uint32(sequence)), ScheduleRelationship: &r}
	}
	// The trip early leaves 100 at 6:05:00 and arrives at Birch 6:06:40, C 6:20:00 and D 6:21:40.
	for _, c := range []struct {
		name   string
		change func(*rt.TripUpdate)
		want   map[string]string // lines of the trip early, by stop; "" means no line
	}{
		{"nothing but its name", func(*rt.TripUpdate) {}, map[string]string{"100": "06:05:00 scheduled 0",
			"C": "06:20:00 scheduled 0", "D": "06:21:40 scheduled 0"}},
		{"a delay carries on", func(u *rt.TripUpdate) {
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(2, byDelay(60), byDelay(90))}
		}, map[string]string{"100": "06:05:00 scheduled 0", "B": "06:07:40 asserted 60", "C": "06:21:30 propagated 90",
			"D": "06:23:10 propagated 90"}},
		{"until the feed knows no more", func(u *rt.TripUpdate) {
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(1, nil, byDelay(60)),
				related(3, rt.TripUpdate_StopTimeUpdate_NO_DATA)}
		}, map[string]string{"100": "06:06:00 asserted 60", "B": "06:07:40 propagated 60", "C": "06:20:00 scheduled 0",
			"D": "06:21:40 scheduled 0"}},
		{"times, and a call that is skipped", func(u *rt.TripUpdate) {
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{
				timed(2, byTime(in(t, "2026-03-04 06:05:40")), nil), related(3, rt.TripUpdate_StopTimeUpdate_SKIPPED),
				timed(4, byTime(in(t, "2026-03-04 06:30:00")), nil)}
		}, map[string]string{"100": "06:05:00 scheduled 0", "B": "06:05:40 asserted -60", "C": "",
			"D": "06:30:00 asserted 500"}},
		{"only a departure", func(u *rt.TripUpdate) {
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(1, nil, byDelay(-30)),
				timed(3, nil, byTime(in(t, "2026-03-04 06:22:00")))}
		}, map[string]string{"100": "06:04:30 asserted -30", "B": "06:06:10 propagated -30", "C": "06:19:30 asserted -30",
			"D": "06:23:40 propagated 120"}},
		{"what is behind is over", func(u *rt.TripUpdate) {
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(3, byDelay(-720), nil)}
		}, map[string]string{"100": "", "B": "", "C": "06:08:00 asserted -720", "D": "06:09:40 propagated -720"}},
		{"late as a whole", func(u *rt.TripUpdate) { u.Delay = proto.Int32(120) },
			map[string]string{"100": "06:07:00 propagated 120", "D": "06:23:40 propagated 120"}},
		{"by stops instead of sequences", func(u *rt.TripUpdate) {
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{{StopId: proto.String("B"), Arrival: byDelay(10)},
				{StopId: proto.String("D"), Arrival: byDelay(20)}}
		}, map[string]string{"100": "06:05:00 scheduled 0", "B": "06:06:50 asserted 10", "C": "06:20:10 propagated 10",
			"D": "06:22:00 asserted 20"}},
		{"another platform", func(u *rt.TripUpdate) {
			s := timed(4, byDelay(0), nil)
			s.StopTimeProperties = &rt.TripUpdate_StopTimeUpdate_StopTimeProperties{AssignedStopId: proto.String("E")}
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{s}
		}, map[string]string{"100": "06:05:00 scheduled 0", "D": "", "E": "06:21:40 asserted 0"}},
		{"cancelled", func(u *rt.TripUpdate) {
			u.Trip.ScheduleRelationship = rt.TripDescriptor_CANCELED.Enum()
		}, map[string]string{"100": "", "B": "", "C": "", "D": ""}},
		{"another day's", func(u *rt.TripUpdate) {
			u.Trip.StartDate = proto.String("20260303")
			u.Trip.ScheduleRelationship = rt.TripDescriptor_CANCELED.Enum()
		}, map[string]string{"100": "06:05:00 scheduled 0", "D": "06:21:40 scheduled 0"}},
		{"in place of the planned trip", func(u *rt.TripUpdate) {
			u.Trip.ScheduleRelationship = rt.TripDescriptor_ADDED.Enum()
			u.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{
				{StopId: proto.String("E"), Arrival: byTime(in(t, "2026-03-04 06:11:00"))}}
		}, map[string]string{"100": "06:05:00 scheduled 0", "D": "06:21:40 scheduled 0", "E": "06:11:00 asserted -"}},
	} {
		e := updateOf("early")
		c.change(e.TripUpdate)
		w.sent(t, "trip_updates", noon, e)
		w.expectEarly(t, c.name, c.want)
	}
}

// expectEarly compares time, origin and delay of the trip early at some stops.
func (w *world) expectEarly(t *testing.T, name string, byStop map[string]string) {
	t.Helper()
	for stop, want := range byStop {
		got := ""
		for _, line := range w.board(t, stop+"?minutes=60") {
			if f := strings.Fields(strings.TrimSuffix(line, " last")); f[2] == "early" {
				got = strings.Join([]string{f[1], f[len(f)-2], f[len(f)-1]}, " ")
			}
		}
		if got != want {
			t.Errorf("%s, at %s: %q, want %q", name, stop, got, want)
		}
	}
}

func TestPredictionsOfOtherTrips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	added := updateOf("extra")
	added.TripUpdate.Trip.ScheduleRelationship, added.TripUpdate.Trip.RouteId = rt.TripDescriptor_ADDED.Enum(),
		proto.String("R/1")
	added.TripUpdate.Vehicle = &rt.VehicleDescriptor{Id: proto.String("v9")}
	added.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{
		{StopId: proto.String("C"), Arrival: byTime(in(t, "2026-03-04 05:59:00")),
			Departure: byTime(in(t, "2026-03-04 05:59:30"))},
		{StopId: proto.String("D"), Arrival: byTime(in(t, "2026-03-04 05:54:00"))}, // in the past
	}
	again := updateOf("early")
	again.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_DUPLICATED.Enum()
	again.TripUpdate.TripProperties = &rt.TripUpdate_TripProperties{TripId: proto.String("again"),
		StartDate: proto.String("20260304"), StartTime: proto.String("06:30:00")}
	headway := updateOf("every")
	headway.TripUpdate.Trip.StartTime, headway.TripUpdate.Trip.StartDate = proto.String("06:00:20"),
		proto.String("20260304")
	headway.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(2, byDelay(45), nil)}
	w.sent(t, "vehicle_positions", noon,
		&rt.FeedEntity{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{
			Trip: &rt.TripDescriptor{TripId: proto.String("every"),
				StartTime: proto.String("06:00:20")}, Vehicle: &rt.VehicleDescriptor{Id: proto.String("bus 7")}}})
	w.sent(t, "trip_updates", noon, added, again,
		headway)
	w.expect(t, "C?minutes=60", "03-04 05:59:00 extra C asserted - by v9", "03-04 06:01:40 l1 C scheduled 0",
		"03-04 06:02:45 every C asserted - by bus 7",
		"03-04 06:20:00 early C scheduled 0", "03-04 06:45:00 again C scheduled 0")
	w.expect(t, "D?minutes=20")
	// A feed without a timetable has only the calls of its updates.
	w.polled(t, "other", "trip_updates", noon, &rt.FeedMessage{Header: header(noon), Entity: []*rt.FeedEntity{added}})
	w.expect(t, "C?minutes=10&feed=other", "03-04 05:59:00 extra C asserted - by v9")
	// The relationship DELETED, which the bindings lack, is recognised.
	deleted := updateOf("l1", "C")
	deleted.TripUpdate.Trip.ProtoReflect().SetUnknown(
		protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), 7))
	w.sent(t, "trip_updates", noon, deleted)
	if got := strings.Join(w.board(t, "C?minutes=10&feed=metro"), "\n"); strings.Contains(got, "l1") ||
		!strings.Contains(got, "every") {
		t.Errorf("deleted: %s", got)
	}
	if got := string(w.ask(t, "/rt/tripupdates/C")); !strings.Contains(got, `"scheduleRelationship":"DELETED"`) {
		t.Errorf("%s", got)
	}
	// Overrides also redirect boards.
	w.exec(t, `INSERT INTO transit.annotation (annotation_type, entity_type, entity_id, secondary_entity_type,
		secondary_entity_id, override_entity_id, time_zone)
		VALUES ('override', 'stops', 'C', 'routes', 'R/1', 'D', 'UTC')`)
	w.refresh(t)
	w.expect(t, "C?minutes=30&feed=metro", "03-04 06:01:40 every C scheduled 0", "03-04 06:21:40 early D scheduled 0 last")
}

// A board is rebuilt when a line expires, and caches keep it no longer.
func TestPredictionsExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 06:04:59"))
	first := w.get(t, "/rt/predictions/100?minutes=5")
	w.clockAt(in(t, "2026-03-04 06:05:09"))
	if len(w.board(t, "100?minutes=5")) != 3 {
		t.Error(w.board(t, "100?minutes=5"))
	}
	w.clockAt(in(t, "2026-03-04 06:05:10"))
	w.expect(t, "100?minutes=5")
	if again := w.get(t, "/rt/predictions/100?minutes=5"); again.Header.Get("ETag") == first.Header.Get("ETag") ||
		again.Header.Get("Last-Modified") != "" {
		t.Error(again.Header)
	}
}
