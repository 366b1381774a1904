package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/lang"
)

const now = 1_800_000_000

// madeUpFacts has two stops, a station, and a route with these trips: one calls at stops A, B and
// C, one calls at A twice, one has no times at B, and one of each kind has headways.
func madeUpFacts() *Facts {
	stops := map[string]*stop{"unknown": {ID: "unknown"}}
	for _, id := range []string{"A", "B", "C"} {
		stops[id] = &stop{ID: id, Found: true, Platform: true}
	}
	stops["station"] = &stop{ID: "station", Found: true}
	calls := &pattern{sequences: []int32{1, 5, 9}, stops: []*stop{stops["A"], stops["B"], stops["C"]}}
	loop := &pattern{sequences: []int32{1, 5, 9}, stops: []*stop{stops["A"], stops["B"], stops["A"]}, twice: true}
	start := int32(8 * 3600)
	shape := newLine([]point{{54, 25}, {54, 25.1}, {54.1, 25.1}})
	trip := func(id string, p *pattern) *trip {
		return &trip{TripID: id, RouteID: "R", DirectionID: "0", FirstTime: &start, calls: p, shape: &shape}
	}
	f := &Facts{version: 1, agencies: map[string]bool{"agency": true}, routes: map[string]bool{"R": true, "R2": true},
		stops: stops, trips: map[string]*tripFact{}, patterns: map[int32]*pattern{}, shapes: map[string]*line{},
		area: &box{South: 54, North: 54.1, West: 25, East: 25.1}}
	f.trips["T"], f.trips["loop"] = trip("T", calls), trip("loop", loop)
	f.trips["unknown"] = nil
	f.trips["untimed"] = trip("untimed", calls)
	f.trips["untimed"].Untimed = []int32{1}
	for id, exact := range map[string]bool{"often": false, "exact": true} {
		f.trips[id] = trip(id, calls)
		f.trips[id].headways = []headway{{StartTime: start, EndTime: start + 3600, HeadwaySecs: 600, Exact: exact}}
	}
	return f
}

// tripFact names type trip where a variable shadows it.
type tripFact = trip

// A world is a message that breaks no rule, and the data to compare it with.
type world struct {
	*rt.FeedMessage
	update  *rt.TripUpdate
	calls   []*rt.TripUpdate_StopTimeUpdate
	vehicle *rt.VehiclePosition
	alert   *rt.Alert
	in      *Input
}

func newWorld() *world {
	descriptor := func() *rt.TripDescriptor {
		return &rt.TripDescriptor{TripId: proto.String("T"), RouteId: proto.String("R"),
			StartDate: proto.String("20270115"),
			StartTime: proto.String("08:00:00"), ScheduleRelationship: rt.TripDescriptor_SCHEDULED.Enum(),
			DirectionId: proto.Uint32(0)}
	}
	call := func(sequence uint32, stop string, at int64) *rt.TripUpdate_StopTimeUpdate {
		return &rt.TripUpdate_StopTimeUpdate{StopSequence: &sequence, StopId: &stop,
			Arrival:              &rt.TripUpdate_StopTimeEvent{Time: &at},
			Departure:            &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(at + 20)},
			ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_SCHEDULED.Enum()}
	}
	bus := func() *rt.VehicleDescriptor { return &rt.VehicleDescriptor{Id: proto.String("bus 1")} }
	w := &world{
		update: &rt.TripUpdate{Trip: descriptor(), Vehicle: bus(), Timestamp: proto.Uint64(now - 5),
			StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{call(1, "A", now+60), call(5, "B", now+120), call(9, "C", now+180)}},
		vehicle: &rt.VehiclePosition{Trip: descriptor(), Vehicle: bus(), Timestamp: proto.Uint64(now - 5),
			Position: &rt.Position{Latitude: proto.Float32(54), Longitude: proto.Float32(25.05),
				Bearing: proto.Float32(360), Speed: proto.Float32(26)}},
		alert: &rt.Alert{ActivePeriod: []*rt.TimeRange{{Start: proto.Uint64(now - 5)}},
			InformedEntity: []*rt.EntitySelector{{StopId: proto.String("A")}}},
	}
	w.calls = w.update.StopTimeUpdate
	w.FeedMessage = &rt.FeedMessage{
		Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: proto.Uint64(now - 3),
			Incrementality: rt.FeedHeader_FULL_DATASET.Enum()},
		Entity: []*rt.FeedEntity{{Id: proto.String("1"), TripUpdate: w.update}, {Id: proto.String("2"), Vehicle: w.vehicle},
			{Id: proto.String("3"), Alert: w.alert}}}
	w.in = &Input{Now: time.Unix(now, 0), Before: now - 33, Unseen: time.Second, Facts: madeUpFacts()}
	return w
}

func (w *world) trips(change func(*rt.TripDescriptor)) {
	change(w.update.Trip)
	change(w.vehicle.Trip)
}

func (w *world) codes(t *testing.T) map[Code]Finding {
	t.Helper()
	data, err := proto.Marshal(w.FeedMessage)
	if err != nil {
		t.Fatal(err)
	}
	w.in.Calls = Calls{}
	w.in.Message, err = gtfsrt.ScanCalls(data, w.in.Calls.Add)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Judge(t.Context(), nil, w.in)
	if err != nil {
		t.Fatal(err)
	}
	found := map[Code]Finding{}
	for _, f := range result.Findings {
		found[f.Code] = f
	}
	return found
}

var other = "other"

// ruleCases has for each rule a message that breaks it, and a message that almost breaks it.
var ruleCases = map[Code]struct{ broken, near func(w *world) }{
	"E001": {func(w *world) { *w.calls[2].Departure.Time = (now + 200) * 1000 },
		func(w *world) { *w.calls[2].Departure.Time = lastPOSIX }},
	"E002": {func(w *world) { *w.calls[2].StopSequence = 1 }, func(w *world) { *w.calls[2].StopSequence = 6 }},
	"E003": {func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.TripId = "unknown" }) }, func(w *world) {
		w.trips(func(d *rt.TripDescriptor) {
			*d.TripId, d.ScheduleRelationship = "unknown", rt.TripDescriptor_ADDED.Enum()
		})
	}},
	"E004": {func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.RouteId = other }) },
		func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.RouteId = "" }) }},
	"E006": {func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.TripId, d.StartDate = "often", nil }) },
		func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.TripId, d.StartDate = "exact", nil }) }},
	"E009": {func(w *world) {
		*w.update.Trip.TripId, *w.calls[2].StopId = "loop", "A"
		w.calls[2].StopSequence = nil
	},
		func(w *world) { w.calls[2].StopSequence = nil }},
	"E011": {func(w *world) { *w.calls[0].StopId = "unknown" }, func(w *world) { *w.calls[0].StopId = "station" }},
	"E012": {func(w *world) { *w.vehicle.Timestamp = now - 2 }, func(w *world) { *w.vehicle.Timestamp = now - 3 }},
	"E013": {func(w *world) { *w.update.Trip.TripId = "often" }, func(w *world) {
		*w.update.Trip.TripId, w.update.Trip.ScheduleRelationship = "often", rt.TripDescriptor_UNSCHEDULED.Enum()
	}},
	"E015": {func(w *world) { w.vehicle.StopId = proto.String("station") },
		func(w *world) { w.alert.InformedEntity[0].StopId = proto.String("station") }},
	"E016": {func(w *world) { w.update.Trip.ScheduleRelationship = rt.TripDescriptor_ADDED.Enum() },
		func(w *world) { w.update.Trip.ScheduleRelationship = rt.TripDescriptor_DUPLICATED.Enum() }},
	"E017": {func(w *world) { w.in.Before = now - 3 }, func(w *world) { w.in.Before = now - 4 }},
	"E018": {func(w *world) { w.in.Before = now - 2 }, func(w *world) { w.in.Before = now - 3 }},
	"E019": {func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.TripId, *d.StartTime = "exact", "08:10:01" }) },
		func(w *world) { w.trips(func(d *rt.TripDescriptor) { *d.TripId, *d.StartTime = "exact", "8:50:00" }) }},
	"E020": {func(w *world) { *w.update.Trip.StartTime = "08:00" },
		func(w *world) { *w.update.Trip.StartTime = "8:00:00" }},
	"E021": {func(w *world) { *w.update.Trip.StartDate = "20270230" },
		func(w *world) { *w.update.Trip.StartDate = "20280229" }},
	"E022": {func(w *world) { *w.calls[1].Arrival.Time = now + 80 },
		func(w *world) { *w.calls[1].Arrival.Time = now + 81 }},
	"E023": {func(w *world) { *w.update.Trip.StartTime = "08:00:01" },
		func(w *world) { *w.update.Trip.TripId, *w.update.Trip.StartTime = "often", "08:00:01" }},
	"E024": {func(w *world) { *w.vehicle.Trip.DirectionId = 1 }, func(w *world) { w.vehicle.Trip.DirectionId = nil }},
	"E025": {func(w *world) { *w.calls[0].Departure.Time = now + 59 },
		func(w *world) { *w.calls[0].Departure.Time = now + 60 }},
	"E026": {func(w *world) { *w.vehicle.Position.Latitude = 91 }, func(w *world) { *w.vehicle.Position.Latitude = 90 }},
	"E027": {func(w *world) { *w.vehicle.Position.Bearing = 361 }, func(w *world) { w.vehicle.Position.Bearing = nil }},
	"E028": {func(w *world) { *w.vehicle.Position.Latitude = 53.98 },
		func(w *world) { *w.vehicle.Position.Latitude = 53.99 }},
	"E029": {func(w *world) { *w.vehicle.Position.Latitude = 54.002 }, func(w *world) {
		*w.vehicle.Position.Latitude = 54.002
		w.alert.Effect = rt.Alert_DETOUR.Enum()
		w.alert.InformedEntity[0].RouteId = proto.String("R")
	}},
	"E030": {func(w *world) {
		w.alert.InformedEntity[0] = &rt.EntitySelector{RouteId: proto.String("R2"), Trip: w.update.Trip}
	}, func(w *world) {
		w.alert.InformedEntity[0] = &rt.EntitySelector{RouteId: proto.String("R"), Trip: w.update.Trip}
	}},
	"E031": {func(w *world) {
		w.alert.InformedEntity[0] = &rt.EntitySelector{RouteId: proto.String("R2"), Trip: w.update.Trip}
	}, func(w *world) {
		w.alert.InformedEntity[0] = &rt.EntitySelector{Trip: w.update.Trip}
	}},
	"E032": {func(w *world) { w.alert.InformedEntity = nil },
		func(w *world) { w.alert.InformedEntity = []*rt.EntitySelector{{RouteType: proto.Int32(3)}} }},
	"E033": {func(w *world) { w.alert.InformedEntity[0].StopId = nil },
		func(w *world) { w.alert.InformedEntity[0] = &rt.EntitySelector{RouteType: proto.Int32(0)} }},
	"E034": {func(w *world) { w.alert.InformedEntity[0].AgencyId = &other },
		func(w *world) { w.alert.InformedEntity[0].AgencyId = proto.String("agency") }},
	"E035": {func(w *world) { *w.update.Trip.RouteId = "R2" }, func(w *world) { w.update.Trip.RouteId = nil }},
	"E036": {func(w *world) { *w.calls[2].StopSequence = 5 }, func(w *world) { *w.calls[2].StopSequence = 1 }},
	"E037": {func(w *world) { *w.calls[2].StopId = "B" }, func(w *world) { *w.calls[2].StopId = "A" }},
	"E038": {func(w *world) { *w.Header.GtfsRealtimeVersion = "3.0" },
		func(w *world) { *w.Header.GtfsRealtimeVersion = "1.0" }},
	"E039": {func(w *world) { w.Entity[0].IsDeleted = proto.Bool(false) }, func(w *world) {
		w.Entity[0].IsDeleted, w.Header.Incrementality = proto.Bool(true), rt.FeedHeader_DIFFERENTIAL.Enum()
	}},
	"E040": {func(w *world) { w.calls[1].StopId, w.calls[1].StopSequence = nil, nil },
		func(w *world) { w.calls[1].StopId = nil }},
	"E041": {func(w *world) { w.update.StopTimeUpdate = nil }, func(w *world) {
		w.update.StopTimeUpdate, w.update.Trip.ScheduleRelationship = nil, rt.TripDescriptor_CANCELED.Enum()
	}},
	"E042": {func(w *world) { w.calls[1].ScheduleRelationship = rt.TripUpdate_StopTimeUpdate_NO_DATA.Enum() },
		func(w *world) {
			w.calls[1].ScheduleRelationship = rt.TripUpdate_StopTimeUpdate_NO_DATA.Enum()
			w.calls[1].Arrival, w.calls[1].Departure = nil, nil
		}},
	"E043": {func(w *world) { w.calls[1].Arrival, w.calls[1].Departure = nil, nil }, func(w *world) {
		w.calls[1].ScheduleRelationship = rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()
		w.calls[1].Arrival, w.calls[1].Departure = nil, nil
	}},
	"E044": {func(w *world) { w.calls[1].Arrival.Time = nil }, func(w *world) {
		w.calls[1].Arrival.Time, w.calls[1].Arrival.Delay = nil, proto.Int32(0)
	}},
	"E045": {func(w *world) { *w.calls[1].StopId = "C" }, func(w *world) { w.calls[1].StopId = nil }},
	"E046": {func(w *world) {
		*w.update.Trip.TripId = "untimed"
		w.calls[1].Arrival = &rt.TripUpdate_StopTimeEvent{Delay: proto.Int32(60)}
	}, func(w *world) {
		*w.update.Trip.TripId = "untimed"
		w.calls[2].Arrival = &rt.TripUpdate_StopTimeEvent{Delay: proto.Int32(60)}
	}},
	"E047": {func(w *world) { *w.vehicle.Vehicle.Id = "bus 2" }, func(w *world) { w.vehicle.Vehicle.Id = nil }},
	"E048": {func(w *world) { w.Header.Timestamp = nil },
		func(w *world) { w.Header.Timestamp, *w.Header.GtfsRealtimeVersion = nil, "1.0" }},
	"E049": {func(w *world) { w.Header.Incrementality = nil },
		func(w *world) { w.Header.Incrementality, *w.Header.GtfsRealtimeVersion = nil, "1.0" }},
	"E050": {func(w *world) { *w.update.Timestamp = now + 61 }, func(w *world) { *w.update.Timestamp = now + 60 }},
	"E051": {func(w *world) { *w.calls[1].StopSequence = 6 },
		func(w *world) { *w.calls[1].StopSequence, *w.update.Trip.TripId = 6, "unknown" }},
	"E052": {func(w *world) { w.Entity = append(w.Entity, &rt.FeedEntity{Id: proto.String("4"), Vehicle: w.vehicle}) },
		func(w *world) {
			second := proto.Clone(w.vehicle).(*rt.VehiclePosition)
			*second.Vehicle.Id = "bus 2"
			w.Entity = append(w.Entity, &rt.FeedEntity{Id: proto.String("4"), Vehicle: second})
		}},
	"W001": {func(w *world) { w.update.Timestamp = nil }, func(w *world) { *w.update.Timestamp = 1 }},
	"W002": {func(w *world) { w.update.Vehicle = nil }, func(w *world) { *w.update.Vehicle.Id = "x" }},
	"W003": {func(w *world) { *w.update.Vehicle.Id = "bus 2" }, func(w *world) { w.Entity = w.Entity[:1] }},
	"W004": {func(w *world) { *w.vehicle.Position.Speed = 26.1 }, func(w *world) { *w.vehicle.Position.Speed = 0 }},
	"W005": {func(w *world) { *w.update.Trip.TripId, w.update.Vehicle = "often", nil },
		func(w *world) { *w.update.Trip.TripId, w.update.Vehicle = "exact", nil }},
	"W006": {func(w *world) { w.vehicle.Trip.TripId = nil }, func(w *world) { w.vehicle.Trip = nil }},
	"W007": {func(w *world) { w.in.Before = now - 40 }, func(w *world) {
		w.in.Before, w.in.Unseen = now-40, 10*time.Second // another message may have been missed in between
	}},
	"W008": {func(w *world) { *w.Header.Timestamp, w.in.Before = now-66, 0 },
		func(w *world) { *w.Header.Timestamp, w.in.Before = now-65, 0 }},
	"W009": {func(w *world) { w.calls[1].ScheduleRelationship = nil },
		func(w *world) { w.calls[1].ScheduleRelationship = rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum() }},
}

func TestEachRuleByAMessageAndANearMiss(t *testing.T) {
	t.Parallel()
	if found := newWorld().codes(t); len(found) > 0 {
		t.Fatalf("the good message breaks %v", found)
	}
	for _, code := range Codes() {
		c, tested := ruleCases[code]
		if !tested {
			t.Errorf("%s has no test", code)
			continue
		}
		w := newWorld()
		c.broken(w)
		f, found := w.codes(t)[code]
		if !found || f.Count < 1 || len(f.Examples) == 0 {
			t.Errorf("%s was not found: %v", code, f)
			continue
		}
		checkValue(t, code, f.Examples[0])
		w = newWorld()
		c.near(w)
		if f, found := w.codes(t)[code]; found {
			t.Errorf("the near miss of %s breaks the rule: %+v", code, f)
		}
	}
}

// checkValue checks that the value of an example has no placeholder left in any language.
func checkValue(t *testing.T, code Code, e Example) {
	t.Helper()
	for _, tag := range []string{"en", "es", "fr"} {
		say := lang.Words{}
		if err := say.Read(notice.Sentences(), tag); err != nil {
			t.Fatal(err)
		}
		_, worded := say["rt."+string(code)+".value"]
		if worded != (e.Fields != nil) && code != "E050" { // of an entity, E050 needs no words
			t.Errorf("%s in %s: has words: %t, has the fields %v", code, tag, worded, e.Fields)
		}
		if got := code.Value(say, e.Fields); worded && e.Fields != nil && strings.Contains(got, "{") {
			t.Errorf("%s in %s: %s", code, tag, got)
		}
		for name := range e.Fields {
			if !strings.Contains(say["rt."+string(code)+".value"], "{"+name+"}") {
				t.Errorf("%s in %s does not show the field %s", code, tag, name)
			}
		}
	}
}

// Values with words are stored in English, and have their fields for other languages.
func TestValuesWithWords(t *testing.T) {
	t.Parallel()
	for code, want := range map[Code]string{"E018": "1 s before the last message", "E024": `direction_id 1, not "0"`,
		"E035": "route_id R2, not R", "E039": "1 entities, first 1", "E045": "stop_sequence 5, stop_id C, not B",
		"W007": "37 s after the last message", "W008": "66 s old"} {
		w := newWorld()
		ruleCases[code].broken(w)
		if got := w.codes(t)[code].Examples; len(got) == 0 || got[0].Value != want {
			t.Errorf("%s: %+v, want %q", code, got, want)
		}
	}
}

// A missing time is also reported for deleted entities, whose other content is not judged.
func TestDeletedEntities(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.update.Timestamp, w.update.Trip.TripId = nil, &other
	w.vehicle.Timestamp = nil
	w.Entity[0].IsDeleted, w.Entity[1].IsDeleted = proto.Bool(true), proto.Bool(true)
	found := w.codes(t)
	if f := found["W001"]; f.Count != 2 || len(f.Examples) != 2 || f.Examples[0].TripID != other {
		t.Errorf("%+v", f)
	}
	if _, unknown := found["E003"]; unknown {
		t.Errorf("%+v", found)
	}
}

// Without a feed, rules that compare with the feed have no findings.
func TestMessagesWithoutAFeed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	facts, err := NewFacts(t.Context(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.in.Facts = facts
	w.alert.InformedEntity[0].AgencyId, w.alert.InformedEntity[0].RouteId = &other, &other
	if found := w.codes(t); len(found) > 0 {
		t.Errorf("%v", found)
	}
}

// Trips and vehicles are compared with a recent message of another source of the feed.
func TestSourcesAreCompared(t *testing.T) {
	t.Parallel()
	vehicles := newWorld()
	*vehicles.vehicle.Vehicle.Id = "bus 2"
	vehicles.Entity = vehicles.Entity[1:2]
	vehicles.codes(t)
	result, err := Judge(t.Context(), nil, vehicles.in)
	if err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]bool{0: true, time.Hour: false} {
		w := newWorld()
		w.Entity = w.Entity[:1]
		result.Pairs.At = w.in.Now.Add(-age)
		w.in.Others = []*Pairs{result.Pairs}
		found := w.codes(t)
		if _, mismatch := found["E047"]; mismatch != want {
			t.Errorf("other message %s old: %v", age, found)
		}
	}
}

// A message with tens of thousands of vehicles of one trip takes no longer than any other of its
// size, and a judgement ends with its context.
func TestManyVehiclesOfOneTrip(t *testing.T) {
	t.Parallel()
	w := newWorld()
	const many = 62_000
	for i := range many {
		w.Entity = append(w.Entity, &rt.FeedEntity{Id: proto.String(fmt.Sprint("v", i)), Vehicle: &rt.VehiclePosition{
			Trip: w.vehicle.Trip, Timestamp: w.vehicle.Timestamp, Position: w.vehicle.Position,
			Vehicle: &rt.VehicleDescriptor{Id: proto.String(fmt.Sprint("bus ", i+2))}}})
	}
	start := time.Now()
	found := w.codes(t)
	if took := time.Since(start); took > 15*time.Second { // it was a minute, and is a tenth of a second
		t.Errorf("took %s", took)
	}
	// Only the first vehicle has an update, and the update's vehicle is one of the trip's.
	if got := found["E047"].Count; got != many {
		t.Errorf("%d vehicles contradict the update, want %d", got, many)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Judge(ctx, nil, w.in); !errors.Is(err, context.Canceled) {
		t.Errorf("judged on: %v", err)
	}
}

// Every rule of the validator is judged, or the documentation has the reason why not.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../deploy/docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[Code]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([EW]\\d+)` \\| no: .+ \\|$").FindAllStringSubmatch(string(text),
		-1) {
		explained[Code(row[1])] = true
	}
	for _, code := range Codes() {
		if explained[code] {
			t.Errorf("%s is judged, and the documentation explains why not", code)
		}
		explained[code] = true
	}
	for kind, count := range map[string]int{"E": 52, "W": 9} {
		for n := range count {
			if code := Code(fmt.Sprintf("%s%03d", kind, n+1)); !explained[code] {
				t.Errorf("%s is neither judged nor explained in deploy/docs/report.md", code)
			}
		}
	}
}

func TestDistanceFromAShape(t *testing.T) {
	t.Parallel()
	var points []point
	for i := range 100 {
		points = append(points, point{54, 25 + float32(i)/1000})
	}
	l := newLine(points)
	for _, c := range []struct {
		lat, lon float64
		near     bool
	}{{54, 25.0505, true}, {54.0017, 25.05, true}, {54.0019, 25.05, false}, {54, 24.9975, true}, {54, 24.9965, false},
		{math.NaN(), 25, false}} {
		if got := l.isNear(c.lat, c.lon, 200); got != c.near {
			t.Errorf("%v %v: %v", c.lat, c.lon, got)
		}
	}
}
