package transitapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// updated returns an update of a trip with its stop time updates.
func updated(trip, date string, calls ...*rt.TripUpdate_StopTimeUpdate) *rt.FeedEntity {
	u := updateOf(trip)
	u.TripUpdate.StopTimeUpdate = calls
	if date != "" {
		u.TripUpdate.Trip.StartDate = &date
	}
	return u
}

func stopTime(stop string, arrival *rt.TripUpdate_StopTimeEvent) *rt.TripUpdate_StopTimeUpdate {
	return &rt.TripUpdate_StopTimeUpdate{StopId: &stop, Arrival: arrival}
}

// An update belongs to the run whose times it fits. What fits no run is not applied.
func TestPredictionsOfTheRightDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	// The trip late of Wednesday's service arrives at D at 0:10 on Thursday.
	w.clockAt(in(t, "2026-03-05 00:05:00"))
	planned := "03-05 00:10:00 late D scheduled 0 last"
	predicted := "03-05 00:13:00 late D asserted 180 last"
	right := timed(4, byTime(in(t, "2026-03-05 00:13:00")), nil)
	at := func(date, start string) *rt.FeedEntity {
		u := updated("late", date)
		u.TripUpdate.Trip.StartTime, u.TripUpdate.Delay = &start, proto.Int32(60)
		return u
	}
	for name, c := range map[string]struct {
		update *rt.FeedEntity
		want   string
	}{
		"its day":                {updated("late", "20260304", right), predicted},
		"the day after":          {updated("late", "20260305", right), predicted},
		"the day before":         {updated("late", "20260303", right), predicted},
		"no day":                 {updated("late", "", right), predicted},
		"a day without service":  {updated("late", "20260301", right), planned},
		"a delay of its day":     {updated("late", "20260304", timed(4, byDelay(180), nil)), predicted},
		"a delay of another day": {updated("late", "20260305", timed(4, byDelay(180), nil)), planned},
		"the start by the clock": {at("20260304", "23:53:20"), "03-05 00:11:00 late D propagated 60 last"},
		"a prediction for the next evening": {updated("late", "20260304",
			timed(4, byTime(in(t, "2026-03-06 00:13:00")), nil)), planned},
		"seconds since midnight": {updated("late", "20260304",
			timed(4, &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(780)}, nil)), planned},
		"a delay of a day": {updated("late", "20260304", timed(4, byDelay(-86_340), nil)), planned},
		"a true time with such a delay": {updated("late", "20260304", timed(4, &rt.TripUpdate_StopTimeEvent{
			Time: proto.Int64(in(t, "2026-03-05 00:13:00").Unix()), Delay: proto.Int32(86_580)}, nil)), predicted},
	} {
		w.sent(t, "trip_updates", w.now(), c.update)
		if got := strings.Join(w.board(t, "D?minutes=240"), "\n"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
	// The service does not run on Saturday, so this is no update of a trip of Friday or Monday.
	w.clockAt(in(t, "2026-03-07 12:05:00"))
	w.sent(t, "trip_updates", w.now(), updated("early", "", timed(4, byTime(in(t, "2026-03-07 12:10:00")), nil)))
	w.expect(t, "D?minutes=240")
	if s := w.departures(t, "stop_id=metro:C&minutes=30").Data.Stops[0]; s.Next == nil || s.Next.TripID != "every" ||
		s.Next.StartDate != "20260309" {
		t.Errorf("%+v", s.Next)
	}
}

// On a loop, an update without stop_sequence is of the call whose time fits; calls before it are
// passed. The loop l1 calls at 100 at 6:00:00, C 6:01:40, E 6:03:20 and 100 again at 6:05:00.
func TestPredictionsOnLoops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 06:02:00")
	w.clockAt(now)
	loop := func(stop string) (lines []string) {
		t.Helper()
		for _, line := range w.board(t, stop+"?minutes=60") {
			if strings.Contains(line, " l1 ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	w.sent(t, "trip_updates", now, updated("l1", "20260304", stopTime("100", byTime(in(t, "2026-03-04 06:05:40")))))
	if got := fmt.Sprint(loop("100")); got != "[03-04 06:05:40 l1 100 asserted 40 last]" {
		t.Errorf("last leg: %s", got)
	}
	w.clockAt(in(t, "2026-03-04 06:04:00"))
	w.sent(t, "trip_updates", w.now(), updated("l1", "20260304", stopTime("100", byTime(in(t, "2026-03-04 06:04:30")))))
	if got := fmt.Sprint(loop("C"), loop("E")); got != "[] []" {
		t.Errorf("passed stops: %s", got)
	}
	w.sent(t, "trip_updates", w.now(), updated("l1", "20260304", stopTime("100", byTime(in(t, "2026-03-04 06:08:00"))),
		stopTime("C", byTime(in(t, "2026-03-04 06:09:40"))), stopTime("E", byTime(in(t, "2026-03-04 06:11:20"))),
		stopTime("100", byTime(in(t, "2026-03-04 06:13:00")))))
	if got := fmt.Sprint(loop("100"), loop("C")); got != "[03-04 06:08:00 l1 100 asserted 480 "+
		"03-04 06:13:00 l1 100 asserted 480 last] [03-04 06:09:40 l1 C asserted 480]" {
		t.Errorf("late as a whole: %s", got)
	}
}

// A vehicle of a trip that keeps a headway has its own times: it is neither early nor late. It
// stands for the nearest departure of the timetable, here 5:50 and 6:00.
func TestPredictionsOfHeadways(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:48:00")
	w.clockAt(now)
	starting := func(start string, calls ...*rt.TripUpdate_StopTimeUpdate) *rt.FeedEntity {
		u := updated("every", "20260304", calls...)
		u.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_UNSCHEDULED.Enum()
		if start != "" {
			u.TripUpdate.Trip.StartTime = &start
		}
		return u
	}
	w.sent(t, "trip_updates", now, starting("05:51:00", timed(1, nil, byTime(in(t, "2026-03-04 05:51:30")))),
		starting("05:54:00", timed(1, nil, byTime(in(t, "2026-03-04 05:54:00")))))
	w.departs(t, "stop_id=metro:100&minutes=14&route_id=metro:loop", "05:51:30 every 100 SCHEDULED asserted -",
		"05:54:00 every 100 SCHEDULED asserted -", "06:00:00 every 100 SCHEDULED scheduled 0",
		"06:00:00 l1 100 SCHEDULED scheduled 0")
	for _, d := range w.departures(t, "stop_id=metro:100&minutes=10&route_id=metro:loop").Data.Departures {
		if d.ScheduledArrivalEpoch != nil || d.ScheduledDepartureEpoch != nil {
			t.Errorf("planned: %+v", d)
		}
	}
	// In a timetable, a row stands for many departures and is neither early nor late.
	w.sent(t, "trip_updates", now, starting("06:00:00", timed(1, nil, byTime(in(t, "2026-03-04 06:04:00")))))
	page := w.page(t, "/f/metro/routes/M%20T/loop/timetable?date=2026-03-04").Body.String()
	if !strings.Contains(page, "every 10 min") || strings.Contains(page, "min late") ||
		strings.Contains(page, "min early") {
		t.Error(page)
	}
	// Without start_time, and with one call left, which is not the last of the trip.
	w.sent(t, "trip_updates", now, starting("", timed(3, byTime(in(t, "2026-03-04 05:50:00")), nil)))
	w.departs(t, "stop_id=metro:E&minutes=8&route_id=metro:loop", "05:50:00 every E SCHEDULED asserted -")
	w.expect(t, "A?minutes=5", "03-04 05:51:40 every 100 propagated - last")
}

// Boards, pages, predictions and apps agree on the calls that a vehicle has passed, also if an app
// asks for past calls. The trip early leaves 100 at 6:05:00, B 6:06:40, C 6:20:00, D 6:21:40.
func TestPassedStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:02:00")
	w.clockAt(now)
	for name, calls := range map[string][]*rt.TripUpdate_StopTimeUpdate{
		"named as passed": {timed(1, nil, byTime(now.Add(-2*time.Minute))), timed(2, byTime(now.Add(-time.Minute)), nil),
			timed(3, byTime(now.Add(10*time.Minute)), nil)},
		"dropped": {timed(3, byTime(now.Add(2*time.Minute)), nil)},
		"dropped behind a passed": {timed(2, byTime(now.Add(-time.Minute)), nil),
			timed(3, byTime(now.Add(9*time.Minute)), nil)},
		"skipped behind a passed": {timed(2, byTime(now.Add(-time.Minute)), nil), {StopSequence: proto.Uint32(1),
			ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()}},
	} {
		w.sent(t, "trip_updates", now, updated("early", "20260304", calls...))
		for _, stop := range []string{"100", "B"} {
			w.expectEarly(t, name, map[string]string{stop: ""})
			id := map[string]string{"B": "B%2050%25%2Fx"}[stop]
			if id == "" {
				id = stop
			}
			d := w.departures(t, "minutes=60&stop_id=metro:"+id).Data
			for _, x := range d.Departures {
				if x.TripID == "early" {
					t.Errorf("%s: %+v", name, x)
				}
			}
			if next := d.Stops[0].Next; next != nil && next.TripID == "early" && next.StartDate == "20260304" {
				t.Errorf("%s: next departure %+v", name, next)
			}
			a := w.live(t, "arrivals-and-departures-for-stop/M%20T_"+id+".json?minutesBefore=30&minutesAfter=60", "")
			for _, x := range part(t, a.Data, "entry", "arrivalsAndDepartures").([]any) {
				if part(t, x, "tripId") != "M T_early" {
					continue
				}
				if at := part(t, x, "predictedDepartureTime").(float64); part(t, x, "predicted") != true ||
					at >= float64(now.UnixMilli()) {
					t.Errorf("%s: %v", name, x)
				}
			}
		}
	}
}

// The next departure is never one that an update took away, and one that is late is named at its
// time.
func TestNextDeparturesByTripUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 23:45:00")
	w.clockAt(now)
	related := func(r int32) *rt.FeedEntity {
		u := updated("late", "20260304")
		u.TripUpdate.Trip.ProtoReflect().SetUnknown(
			protowire.AppendVarint(protowire.AppendTag(nil, 4, protowire.VarintType), uint64(r)))
		return u
	}
	replaced := related(5)
	replaced.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{stopTime("E", byTime(now.Add(30*time.Minute)))}
	for name, c := range map[string]struct {
		update *rt.FeedEntity
		want   string
	}{
		"as planned": {updated("early", "20260304"), "03-04 23:53:20 late"},
		"deleted":    {related(7), "03-05 05:50:00 every"},
		"cancelled":  {related(3), "03-05 05:50:00 every"},
		"replaced":   {replaced, "03-05 05:50:00 every"},
		"passed":     {updated("late", "20260304", timed(3, byTime(now.Add(time.Minute)), nil)), "03-05 05:50:00 every"},
		"late": {updated("late", "20260304", timed(1, nil, byTime(now.Add(time.Hour)))),
			"03-05 00:45:00 late"},
		"nonsense": {updated("late", "20260304", timed(1, nil, byTime(now.Add(100*time.Hour)))), "03-04 23:53:20 late"},
	} {
		w.sent(t, "trip_updates", now, c.update)
		got := ""
		if n := w.departures(t, "stop_id=metro:100&minutes=5").Data.Stops[0].Next; n != nil {
			got = time.Unix(n.DepartureEpoch, 0).In(now.Location()).Format("01-02 15:04:05 ") + n.TripID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// field returns an encoded field of bytes, and number one of a varint.
func field(n protowire.Number, inside ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), slices.Concat(inside...))
}

func number(n protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), value)
}

// A detour leaves out stops, calls at others and delays the calls behind it; boards, the trip's page
// and apps follow it. The trip early leaves 100 at 6:05:00, B 6:06:40, C 6:20:00, D 6:21:40.
func TestDetours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	// The calls 2 and 3, at B and C, give way to one at E, six minutes after the first call.
	change := field(4, field(1, number(1, 2)), field(2, field(2, []byte("C"))), number(3, 180),
		field(4, number(1, 360), field(2, []byte("E"))))
	detour := &rt.FeedEntity{Id: proto.String("m")}
	detour.ProtoReflect().SetUnknown(field(8, field(1, field(1, []byte("early"))), field(3, []byte("20260304")), change))
	w.sent(t, "trip_updates", now, detour)
	w.expectEarly(t, "detour", map[string]string{"100": "06:05:00 scheduled 0", "B": "", "C": "",
		"E": "06:11:00 propagated -", "D": "06:24:40 propagated 180"})
	w.departs(t, "stop_id=metro:C&minutes=30&route_id=metro:R%2F1", "06:20:00 early C SKIPPED scheduled 0")
	w.departs(t, "stop_id=metro:E&minutes=30&route_id=metro:R%2F1", "06:11:00 early E SCHEDULED propagated -")
	if next := w.departures(t, "stop_id=metro:C&minutes=30&route_id=metro:R%2F1").Data.Stops[0].Next; next == nil ||
		next.TripID != "back" {
		t.Errorf("next departure %+v", next)
	}
	page := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(
		w.page(t, "/f/metro/routes/M%20T/R%2F1/trips/early").Body.String(), " ")), " ")
	if !strings.Contains(page, "Cedar does not stop here Elm 6:11 am 6:21 am D 6:24 am") {
		t.Error(page)
	}
	a := w.live(t, "arrivals-and-departures-for-stop/M%20T_E.json", "")
	found := slices.ContainsFunc(part(t, a.Data, "entry", "arrivalsAndDepartures").([]any), func(x any) bool {
		return part(t, x, "tripId") == "M T_early" &&
			part(t, x, "predictedDepartureTime") == float64(in(t, "2026-03-04 06:11:00").UnixMilli())
	})
	if !found {
		t.Errorf("%s", a.Body)
	}
	w.checkDetourProgress(t, detour)
	// The new stop may be only in the realtime feed, which then names it.
	change = field(4, field(1, number(1, 2)), field(2, field(2, []byte("C"))), number(3, 180),
		field(4, number(1, 360), field(2, []byte("TMP"))))
	replaced := &rt.FeedEntity{Id: proto.String("m")}
	replaced.ProtoReflect().SetUnknown(field(8, field(1, field(1, []byte("early"))), field(3, []byte("20260304")), change))
	added := &rt.FeedEntity{Id: proto.String("s")}
	added.ProtoReflect().SetUnknown(field(7, field(1, []byte("TMP")), field(3, field(1, field(1, []byte("Mill Gate"))))))
	w.sent(t, "trip_updates", now, replaced, added)
	if page := w.page(t, "/f/metro/routes/M%20T/R%2F1/trips/early").Body.String(); !strings.Contains(page, "Mill Gate") {
		t.Error(page)
	}
	if d := w.departures(t, "stop_id=metro:TMP&minutes=30").Data; d.Stops[0].Label != "Mill Gate" ||
		len(d.Departures) != 1 || *d.Departures[0].StopName != "Mill Gate" {
		t.Errorf("%+v", d)
	}
	// An update names the trip by its modifications.
	u := updated("", "", stopTime("100", byTime(in(t, "2026-03-04 06:06:00"))),
		stopTime("E", byTime(in(t, "2026-03-04 06:13:00"))))
	u.TripUpdate.Trip = &rt.TripDescriptor{}
	u.TripUpdate.Trip.ProtoReflect().SetUnknown(field(7, field(1, []byte("m")), field(2, []byte("early")),
		field(4, []byte("20260304"))))
	w.sent(t, "trip_updates", now, detour, u)
	w.expectEarly(t, "updated detour", map[string]string{"100": "06:06:00 asserted 60", "C": "",
		"E": "06:13:00 asserted -", "D": "06:26:40 propagated 300"})
	// The next day is as planned.
	w.clockAt(in(t, "2026-03-05 05:55:00"))
	w.sent(t, "trip_updates", w.now(), detour)
	w.expectEarly(t, "next day", map[string]string{"C": "06:20:00 scheduled 0", "D": "06:21:40 scheduled 0", "E": ""})
}

// checkDetourProgress checks where apps show a trip between the new stop E and D.
func (w *world) checkDetourProgress(t *testing.T, detour *rt.FeedEntity) {
	t.Helper()
	before := w.now()
	defer w.clockAt(before)
	w.clockAt(in(t, "2026-03-04 06:20:00"))
	w.sent(t, "trip_updates", w.now(), detour)
	a := w.live(t, "arrivals-and-departures-for-stop/M%20T_D.json?minutesAfter=30", "")
	for _, x := range part(t, a.Data, "entry", "arrivalsAndDepartures").([]any) {
		if part(t, x, "tripId") != "M T_early" {
			continue
		}
		s, ok := x.(map[string]any)["tripStatus"].(map[string]any)
		if !ok || s["nextStop"] != "M T_D" || s["distanceAlongTrip"] == 0.0 || part(t, x, "numberOfStopsAway") != 0.0 {
			t.Errorf("%+v", x)
		}
		return
	}
	t.Errorf("%s", a.Body)
}

// An update can change how and whither a call can be boarded.
func TestStopTimeProperties(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	first, third := timed(1, nil, byDelay(60)), timed(3, byDelay(60), nil)
	for s, properties := range map[*rt.TripUpdate_StopTimeUpdate][]byte{first: number(3, 1),
		third: slices.Concat(field(2, []byte("Via Mill")), number(3, 2))} {
		s.StopTimeProperties = &rt.TripUpdate_StopTimeUpdate_StopTimeProperties{}
		s.StopTimeProperties.ProtoReflect().SetUnknown(properties)
	}
	w.sent(t, "trip_updates", now, updated("early", "20260304", first, third))
	w.departs(t, "stop_id=metro:100&minutes=30&route_id=metro:R%2F1") // pickup_type 1: no boarding
	d := w.departures(t, "stop_id=metro:C&minutes=30&route_id=metro:R%2F1").Data.Departures
	if len(d) != 1 || *d[0].Headsign != "Via Mill" || *d[0].PickupType != "2" {
		t.Errorf("%+v", d)
	}
}
