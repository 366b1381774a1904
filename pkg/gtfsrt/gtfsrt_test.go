package gtfsrt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/townline/townline/pkg/sample"
)

// summary has the values of a message as text.
type summary struct {
	Version        string
	Timestamp      uint64
	Differential   bool
	Incrementality bool
	Marked         int
	Entities       []string
}

func byScan(m *Message) summary {
	s := summary{Version: m.Version, Timestamp: m.Timestamp, Differential: m.Differential,
		Incrementality: m.HasIncrementality, Marked: len(m.Marked)}
	for _, u := range m.TripUpdates {
		line := fmt.Sprintf("update %q at %d trip %v vehicle %q", u.ID, u.Timestamp, u.Trip, u.VehicleID)
		p := u.Prediction(nil)
		line += fmt.Sprintf(" %d %d %v own %q %q %q", p.Relationship, p.Delay, p.HasDelay, p.Own.TripID, p.Own.StartDate,
			p.Own.StartTime)
		for _, c := range p.Calls {
			c.Arrival.Planned, c.Departure.Planned = 0, 0 // the bindings lack scheduled_time
			line += fmt.Sprintf(" %q#%d>%q %d %v %v %v", c.StopID, c.Sequence, c.Assigned, c.Relationship, c.HasRelationship,
				c.Arrival,
				c.Departure)
		}
		s.Entities = append(s.Entities, line)
	}
	for _, v := range m.Vehicles {
		s.Entities = append(s.Entities, fmt.Sprintf("vehicle %q at %d trip %v vehicle %q %q#%d",
			v.ID, v.Timestamp, v.Trip, v.VehicleID,
			v.At.StopID, v.At.Sequence))
	}
	for _, a := range m.Alerts {
		line := fmt.Sprintf("alert %q effect %d", a.ID, a.Effect)
		for _, in := range a.Informed {
			line += fmt.Sprintf(" agency %q route %q %v stop %q trip %v;",
				in.AgencyID, in.Route, in.HasRouteType, in.StopID, in.Trip)
		}
		s.Entities = append(s.Entities, line)
	}
	return s
}

// effect returns the effect of an alert, or 0 if it is absent.
func effect(a *rt.Alert) int32 {
	if a.Effect == nil {
		return 0
	}
	return int32(a.GetEffect())
}

// addModified adds modified_trip, which the bindings lack, from the unknown fields of a descriptor.
func addModified(unknown []byte, t *Trip) {
	for len(unknown) > 0 {
		num, typ, value, n := bytesField(unknown)
		unknown = unknown[n:]
		if num != 7 || typ != protowire.BytesType {
			continue
		}
		for len(value) > 0 {
			num, typ, inside, n := bytesField(value)
			if n < 0 {
				break
			}
			value = value[n:]
			if to := map[protowire.Number]*[]byte{2: &t.TripID, 3: &t.StartTime, 4: &t.StartDate}[num]; to != nil &&
				typ == protowire.BytesType {
				*to = inside
			}
		}
	}
}

// bytesField reads a field; value is its content if it is length-delimited.
func bytesField(b []byte) (num protowire.Number, typ protowire.Type, value []byte, n int) {
	num, typ, n = protowire.ConsumeField(b)
	if n >= 0 && typ == protowire.BytesType {
		_, _, tag := protowire.ConsumeTag(b)
		value, _ = protowire.ConsumeBytes(b[tag:n])
	}
	return num, typ, value, n
}

func byBindings(m *rt.FeedMessage) summary {
	h := m.GetHeader()
	s := summary{Version: h.GetGtfsRealtimeVersion(), Timestamp: h.GetTimestamp(),
		Differential:   h.GetIncrementality() == rt.FeedHeader_DIFFERENTIAL,
		Incrementality: h != nil && h.Incrementality != nil}
	sequence := func(n *uint32) int64 {
		if n == nil {
			return -1
		}
		return int64(*n)
	}
	trip := func(d *rt.TripDescriptor) Trip {
		t := Trip{TripID: []byte(d.GetTripId()), RouteID: []byte(d.GetRouteId()), StartTime: []byte(d.GetStartTime()),
			StartDate: []byte(d.GetStartDate())}
		if d != nil && d.DirectionId != nil {
			t.Direction = Direction(uint64(*d.DirectionId))
		}
		t.Given, t.HasRelationship = d != nil, d != nil && d.ScheduleRelationship != nil
		t.Relationship = int32(d.GetScheduleRelationship().Number())
		if d != nil {
			addModified(d.ProtoReflect().GetUnknown(), &t)
		}
		return t
	}
	event := func(e *rt.TripUpdate_StopTimeEvent) Event {
		return Event{Time: Seconds(e.GetTime()), Delay: e.GetDelay(), HasDelay: e != nil && e.Delay != nil,
			HasTime: e != nil && e.Time != nil, Scaled: Seconds(e.GetTime()) != e.GetTime(), Present: e != nil}
	}
	var updates, vehicles, alerts []string
	for _, e := range m.GetEntity() {
		if e.IsDeleted != nil {
			s.Marked++
		}
		if e.GetIsDeleted() {
			continue
		}
		if u := e.TripUpdate; u != nil {
			line := fmt.Sprintf("update %q at %d trip %v vehicle %q", e.GetId(), u.GetTimestamp(), trip(u.GetTrip()),
				u.GetVehicle().GetId())
			own := u.GetTripProperties()
			line += fmt.Sprintf(" %d %d %v own %q %q %q", u.GetTrip().GetScheduleRelationship().Number(), u.GetDelay(),
				u.Delay != nil, own.GetTripId(), own.GetStartDate(), own.GetStartTime())
			for _, c := range u.GetStopTimeUpdate() {
				line += fmt.Sprintf(" %q#%d>%q %d %v %v %v", c.GetStopId(), sequence(c.StopSequence),
					c.GetStopTimeProperties().GetAssignedStopId(),
					c.GetScheduleRelationship().Number(), c.ScheduleRelationship != nil,
					event(c.GetArrival()), event(c.GetDeparture()))
			}
			updates = append(updates, line)
		}
		if v := e.Vehicle; v != nil {
			vehicles = append(vehicles, fmt.Sprintf("vehicle %q at %d trip %v vehicle %q %q#%d", e.GetId(), v.GetTimestamp(),
				trip(v.GetTrip()),
				v.GetVehicle().GetId(), v.GetStopId(), sequence(v.CurrentStopSequence)))
		}
		if a := e.Alert; a != nil {
			line := fmt.Sprintf("alert %q effect %d", e.GetId(), effect(a))
			for _, in := range a.GetInformedEntity() {
				line += fmt.Sprintf(" agency %q route %q %v stop %q trip %v;", in.GetAgencyId(), in.GetRouteId(),
					in.RouteType != nil, in.GetStopId(),
					trip(in.GetTrip()))
			}
			alerts = append(alerts, line)
		}
	}
	s.Entities = append(append(updates, vehicles...), alerts...)
	return s
}

// canDecode reports whether ScanCalls accepts a message that has only this update, and yields the
// update's calls.
func canDecode(u TripUpdate) bool {
	var calls []Call
	message := slices.Concat(field(1), field(2, field(3, u.Body)))
	_, err := ScanCalls(message, func(c Call) { calls = append(calls, c) })
	return err == nil && fmt.Sprint(calls) == fmt.Sprint(u.Prediction(nil).Calls)
}

// agree checks that Scan refuses every message that the bindings refuse, and finds the same values
// in all others. Scan may accept damage in fields that it does not read.
func agree(t *testing.T, data []byte) {
	t.Helper()
	m, err := Scan(data)
	feed := &rt.FeedMessage{}
	decoded := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(data, feed)
	switch {
	case errors.Is(err, ErrTooMany):
		return
	case decoded == nil && feed.Header == nil:
		if err == nil {
			t.Fatal("accepted a message without a header")
		}
		return
	case decoded == nil && err != nil:
		t.Fatalf("refused a message that the bindings read: %v", err)
	case err != nil:
		return
	}
	checked := true
	check := func(e Entity, ok, complete bool, into proto.Message) {
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(e.Body, into); (err == nil) != ok {
			t.Fatalf("entity %q: checked: %v, decoded: %v", e.ID, ok, err)
		}
		if err := proto.Unmarshal(e.Body, into); complete && err != nil {
			t.Fatalf("entity %q is complete: %v", e.ID, err)
		}
		checked = checked && ok
	}
	for _, u := range m.TripUpdates {
		check(u.Entity, canDecode(u), u.Complete(), &rt.TripUpdate{})
	}
	for _, v := range m.Vehicles {
		check(v.Entity, v.Check(), v.Complete(), &rt.VehiclePosition{})
	}
	for _, a := range m.Alerts {
		check(a.Entity, a.Check(), a.Complete(), &rt.Alert{})
	}
	if decoded != nil {
		return
	}
	if !checked {
		t.Fatal("refused an entity of a message that the bindings read")
	}
	if diff := cmp.Diff(byBindings(feed), byScan(m)); diff != "" {
		t.Fatalf("-bindings +scan\n%s", diff)
	}
}

// full is a message with every field that Scan knows.
func full() *rt.FeedMessage {
	text := &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{
		{Text: proto.String("a"), Language: proto.String("en")}}}
	trip := &rt.TripDescriptor{TripId: proto.String("T"), RouteId: proto.String("R"), StartDate: proto.String("20260102"),
		StartTime: proto.String("25:10:00"), DirectionId: proto.Uint32(1), ScheduleRelationship: rt.TripDescriptor_CANCELED.
				Enum()}
	return &rt.FeedMessage{
		Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: proto.Uint64(1_800_000_000),
			Incrementality: rt.FeedHeader_FULL_DATASET.Enum()},
		Entity: []*rt.FeedEntity{
			{Id: proto.String("1"), TripUpdate: &rt.TripUpdate{Trip: trip, Delay: proto.Int32(0),
				TripProperties: &rt.TripUpdate_TripProperties{TripId: proto.String("again"), StartDate: proto.String("20260103")},
				Vehicle:        &rt.VehicleDescriptor{Id: proto.String("V")}, Timestamp: proto.Uint64(1),
				StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{
					{StopSequence: proto.Uint32(1), StopId: proto.String("S"),
						Arrival: &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(5)}},
					{StopSequence: proto.Uint32(4_000_000_000)}, {StopId: proto.String("")},
					{StopId: proto.String("S"), ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum(),
						Departure:          &rt.TripUpdate_StopTimeEvent{Delay: proto.Int32(-7)},
						StopTimeProperties: &rt.TripUpdate_StopTimeUpdate_StopTimeProperties{AssignedStopId: proto.String("S2")}},
				}}},
			{Id: proto.String("2"), Vehicle: &rt.VehiclePosition{Trip: trip,
				Vehicle: &rt.VehicleDescriptor{Id: proto.String("V")}, CurrentStopSequence: proto.Uint32(3),
				StopId:   proto.String("S"),
				Position: &rt.Position{Latitude: proto.Float32(1), Longitude: proto.Float32(2)}}},
			{Id: proto.String("3"), Alert: &rt.Alert{HeaderText: text, ActivePeriod: []*rt.TimeRange{{Start: proto.Uint64(1)}},
				InformedEntity: []*rt.EntitySelector{
					{AgencyId: proto.String("A")}, {RouteId: proto.String("R"), StopId: proto.String("S")}, {Trip: trip}, {}}}},
			{Id: proto.String("gone"), IsDeleted: proto.Bool(true), TripUpdate: &rt.TripUpdate{Trip: trip}},
			{Id: proto.String("all"), TripUpdate: &rt.TripUpdate{Trip: trip}, Vehicle: &rt.VehiclePosition{},
				Alert: &rt.Alert{}},
		},
	}
}

func field(num protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), slices.Concat(parts...))
}

func encode(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestScanSeesWhatTheBindingsSee(t *testing.T) {
	t.Parallel()
	data := encode(t, full())
	agree(t, data)
	for cut := range data {
		agree(t, data[:cut])
	}
	m, err := Scan(data)
	if err != nil || len(m.TripUpdates) != 2 || len(m.Vehicles) != 2 || len(m.Alerts) != 2 ||
		string(m.TripUpdates[0].VehicleID) != "V" {
		t.Fatalf("%+v %v", m, err)
	}
	// Scan merges an entity that has two pieces, and skips unknown fields and groups.
	entity := field(1, []byte("x"))
	for _, trip := range []string{"before", "after"} {
		entity = append(entity, field(3, field(1, field(1, []byte(trip))))...)
	}
	entity = protowire.AppendFixed64(protowire.AppendTag(entity, 1001, protowire.Fixed64Type), 7)
	entity = protowire.AppendGroup(protowire.AppendTag(entity, 9, protowire.StartGroupType), 9, nil)
	data = append(encode(t, &rt.FeedMessage{Header: full().Header}), field(2, entity)...)
	agree(t, data)
	m, err = Scan(data)
	if err != nil || len(m.TripUpdates) != 1 || string(m.TripUpdates[0].TripID) != "after" {
		t.Fatalf("%+v %v", m, err)
	}
}

// Check finds every invalid byte that decoding finds.
func TestCheckSeesWhatDecodingSees(t *testing.T) {
	t.Parallel()
	m := full()
	fill(m.Entity[0].TripUpdate.ProtoReflect())
	fill(m.Entity[1].Vehicle.ProtoReflect())
	fill(m.Entity[2].Alert.ProtoReflect())
	data := encode(t, m)
	refused := 0
	for i := range data {
		for _, flip := range []byte{0x07, 0x80} {
			damaged := bytes.Clone(data)
			damaged[i] ^= flip
			agree(t, damaged)
			if s, err := Scan(damaged); err == nil {
				for _, u := range s.TripUpdates {
					if !canDecode(u) {
						refused++
					}
				}
			}
		}
	}
	if refused < 10 {
		t.Errorf("only %d of the damaged messages were refused by the check alone", refused)
	}
}

// The header, extensions and new kinds of entities keep their bytes.
func TestScanKeepsTheRest(t *testing.T) {
	t.Parallel()
	header := append(encode(t, full().Header), field(1001, []byte("extension"))...)
	shape := field(6, []byte("a shape"))
	own := protowire.AppendVarint(protowire.AppendTag(nil, 1002, protowire.VarintType), 7)
	id := field(1, []byte("x"))
	gone := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1)
	update := field(3, encode(t, full().Entity[0].TripUpdate))
	data := field(1, header)
	for _, e := range [][]byte{slices.Concat(id, shape), slices.Concat(shape, gone, id),
		slices.Concat(own, id, update, shape), id} {
		data = append(data, field(2, e)...)
	}
	m, err := Scan(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Header, header) || len(m.Others) != 1 || string(m.Others[0].ID) != "x" ||
		!bytes.Equal(m.Others[0].Rest, shape) {
		t.Errorf("got the header %q and the other entities %q", m.Header, m.Others)
	}
	if len(m.TripUpdates) != 1 || !bytes.Equal(m.TripUpdates[0].Rest, slices.Concat(own, shape)) ||
		!m.TripUpdates[0].Complete() {
		t.Errorf("%+v", m.TripUpdates)
	}
}

// A message without a required field is not complete.
func TestComplete(t *testing.T) {
	t.Parallel()
	whole := full()
	fill(whole.Entity[1].Vehicle.ProtoReflect())
	fill(whole.Entity[2].Alert.ProtoReflect())
	for i, c := range []struct {
		alter func(e []*rt.FeedEntity)
		want  [3]bool
	}{
		{func([]*rt.FeedEntity) {}, [3]bool{true, true, true}},
		{func(e []*rt.FeedEntity) { e[0].TripUpdate.Trip = nil }, [3]bool{false, true, true}},
		{func(e []*rt.FeedEntity) {
			e[1].Vehicle.Position = &rt.Position{Latitude: proto.Float32(0)}
		}, [3]bool{true, false, true}},
		{func(e []*rt.FeedEntity) { e[1].Vehicle.Position = nil }, [3]bool{true, true, true}},
		{func(e []*rt.FeedEntity) { e[2].Alert.TtsHeaderText.Translation[0].Text = nil }, [3]bool{true, true, false}},
	} {
		m := proto.Clone(whole).(*rt.FeedMessage)
		fill(m.Entity[1].Vehicle.Position.ProtoReflect())
		m.Entity[1].Vehicle.Position.Latitude, m.Entity[1].Vehicle.Position.Longitude = proto.Float32(0), proto.Float32(0)
		c.alter(m.Entity)
		s, err := Scan(encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]bool{s.TripUpdates[0].Complete(), s.Vehicles[0].Complete(), s.Alerts[0].Complete()}; got != c.want {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
}

// Required fields are also checked in messages that the bindings do not know.
func TestCompleteForLaterDecoders(t *testing.T) {
	t.Parallel()
	text := func(num protowire.Number, inside ...[]byte) []byte { return field(num, field(1, inside...)) }
	word, cut := field(1, []byte("x")), []byte{0x0a, 9}
	for name, c := range map[string]struct {
		complete bool
		want     bool
		checked  bool
	}{
		"an image": {Alert{Entity: Entity{Body: text(15, word, field(2, []byte("image/png")))}}.
			Complete(), true, true},
		"an image of no type": {Alert{Entity: Entity{Body: text(15, word)}}.Complete(), false,
			Alert{Entity: Entity{Body: text(15, word)}}.Check()},
		"a cause without text": {Alert{Entity: Entity{Body: text(17)}}.Complete(), false, true},
		"a text of the effect, cut off": {Alert{Entity: Entity{Body: field(18, cut)}}.Complete(), false,
			Alert{Entity: Entity{Body: field(18, cut)}}.Check()},
		"a modified trip, cut off": {TripUpdate{Entity: Entity{Body: field(1, field(7, cut))}}.Complete(), false,
			canDecode(TripUpdate{Entity: Entity{Body: field(1, field(7, cut))}})},
		"a new stop":                     {Entity{Rest: field(7, word, text(3, word))}.CompleteRest(), true, true},
		"a new stop with an empty name":  {Entity{Rest: field(7, word, text(3))}.CompleteRest(), false, true},
		"a modification, cut off":        {Entity{Rest: field(8, field(4, field(1, cut)))}.CompleteRest(), false, true},
		"an extension that nobody knows": {Entity{Rest: field(1001, cut)}.CompleteRest(), true, true},
		"nothing":                        {Entity{}.CompleteRest(), true, true},
	} {
		if c.complete != c.want || !c.checked {
			t.Errorf("%s: complete %v, want %v; accepted %v", name, c.complete, c.want, c.checked)
		}
	}
}

// fill sets all messages inside a message.
func fill(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.Kind() != protoreflect.MessageKind || m.Has(f):
		case f.IsList():
			fill(m.Mutable(f).List().AppendMutable().Message())
		default:
			fill(m.Mutable(f).Message())
		}
	}
	if f := fields.ByNumber(1); f.Kind() == protoreflect.StringKind {
		m.Set(f, protoreflect.ValueOfString("text"))
	} else if f.Kind() == protoreflect.Int32Kind {
		m.Set(f, protoreflect.ValueOfInt32(-1))
	}
}

// The memory of a decoded message is bounded.
func TestScanBoundsWhatAMessageUnfoldsInto(t *testing.T) {
	t.Parallel()
	head := encode(t, &rt.FeedMessage{Header: full().Header})
	const limit = 100 // the entity that contains the others counts too
	for name, unfold := range map[string]func(n int) []byte{
		"entities":     func(n int) []byte { return bytes.Repeat(field(2, nil), n+1) },
		"calls":        func(n int) []byte { return field(2, field(3, bytes.Repeat(field(2, nil), n))) },
		"selectors":    func(n int) []byte { return field(2, field(5, bytes.Repeat(field(5, nil), n))) },
		"periods":      func(n int) []byte { return field(2, field(5, bytes.Repeat(field(1, nil), n))) },
		"translations": func(n int) []byte { return field(2, field(5, field(10, bytes.Repeat(field(1, nil), n)))) },
		"carriages":    func(n int) []byte { return field(2, field(4, bytes.Repeat(field(11, nil), n))) },
	} {
		if _, err := scan(append(bytes.Clone(head), unfold(limit-1)...), limit, nil); err != nil {
			t.Errorf("as many %s as allowed: %v", name, err)
		}
		if _, err := scan(append(bytes.Clone(head), unfold(limit)...), limit, nil); !errors.Is(err, ErrTooMany) {
			t.Errorf("one more of the %s than allowed: %v", name, err)
		}
	}
	// Each message exceeds one limit.
	for name, body := range map[string][]byte{
		"parts of one": field(2, field(3, bytes.Repeat(field(2, nil), MaxEntityParts))),
		"entities":     bytes.Repeat(field(2, nil), MaxMemory/selectorMemory+1),
		// Each piece would copy a megabyte.
		"pieces":           field(2, append(field(3, make([]byte, 1<<20)), bytes.Repeat(field(3, nil), 1<<20)...)),
		"memory, of trips": bytes.Repeat(field(2, field(3, nil)), MaxMemory/entityMemory+1),
		"memory, of stops": func() []byte {
			var b []byte
			for i := range MaxMemory / nameMemory / 10_000 {
				var calls []byte
				for k := range 10_000 {
					calls = append(calls, field(2, field(4, strconv.AppendInt(nil, int64(i*10_000+k), 10)))...)
				}
				b = append(b, field(2, field(3, calls))...)
			}
			return b
		}(),
	} {
		if _, err := Scan(append(bytes.Clone(head), body...)); !errors.Is(err, ErrTooMany) {
			t.Errorf("too many %s: %v", name, err)
		}
	}
	// The message has the size of large agencies: 20,000 trips with 40 calls at 30,000 stops.
	var large []byte
	for i := range 20_000 {
		trip := field(1, field(1, fmt.Appendf(nil, "a trip of the morning %d", i)))
		for k := range 40 {
			trip = append(trip, field(2, field(4, strconv.AppendInt(nil, int64((i*7+k)%30_000), 10)))...)
		}
		large = append(large, field(2, field(3, trip))...)
	}
	if _, err := Scan(append(bytes.Clone(head), large...)); err != nil {
		t.Errorf("%d bytes: %v", len(large), err)
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for published, want := range map[int64]int64{0: 0, -5: -5, 1_772_640_000: 1_772_640_000,
		1_772_640_000_123: 1_772_640_000, 1_772_640_000_123_456: 1_772_640_000, 99_999_999_999: 99_999_999_999} {
		if got := Seconds(published); got != want {
			t.Errorf("%d: %d, want %d", published, got, want)
		}
	}
}

func TestScanOfRealSnapshots(t *testing.T) {
	t.Parallel()
	for _, file := range sample.Glob(t, "gtfs-rt/*/*.pb") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, data)
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("<html><body>503 Service Unavailable</body></html>"))
	f.Add(encode(f, full()))
	files, _ := filepath.Glob(filepath.Join(sample.Find(f, "gtfs-rt"), "*/*.pb"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 2000 {
			f.Add(data)
		}
	}
	f.Fuzz(agree)
}
