package realtime

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/sample"
)

var kinds = []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts}

func enough(int) error { return nil }

func scanned(t testing.TB, data []byte) *Snapshot {
	t.Helper()
	m, err := gtfsrt.Scan(data)
	if err != nil {
		t.Fatal(err)
	}
	return &Snapshot{Message: m}
}

// republishedAs decodes a message with the official bindings, which are strict.
func republishedAs(t testing.TB, kind string, own []*rt.FeedEntity, changed int64, sources ...*Snapshot) *rt.
	FeedMessage {
	t.Helper()
	b, err := Republish(kind, sources, own, changed, enough)
	if err != nil {
		t.Fatal(err)
	}
	m := &rt.FeedMessage{}
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatalf("%s: the bindings reject the message: %v", kind, err)
	}
	return m
}

// only returns an entity with just the fields of a kind; nil if it has none.
func only(e *rt.FeedEntity, kind string) *rt.FeedEntity {
	e = proto.Clone(e).(*rt.FeedEntity)
	if kind != conf.TripUpdates {
		e.TripUpdate = nil
	}
	if kind != conf.VehiclePositions {
		e.Vehicle = nil
	}
	if kind != conf.Alerts {
		e.Alert = nil
	}
	if e.GetIsDeleted() || e.TripUpdate == nil && e.Vehicle == nil && e.Alert == nil {
		return nil
	}
	e.IsDeleted = nil
	return e
}

// same compares a republished message with the source's, entity by entity.
func same(t *testing.T, source []byte, kind string) (entities int) {
	t.Helper()
	want := &rt.FeedMessage{}
	if err := proto.Unmarshal(source, want); err != nil {
		t.Fatal(err)
	}
	got := republishedAs(t, kind, nil, 0, scanned(t, source))
	if !proto.Equal(got.Header, want.Header) {
		t.Errorf("header %v, want %v", got.Header, want.Header)
	}
	left := got.Entity
	for _, e := range want.Entity {
		e = only(e, kind)
		if e == nil {
			continue
		}
		if len(left) == 0 || !proto.Equal(left[0], e) {
			t.Fatalf("%s: entity after %d others: %v, want %v", kind, entities, left[:min(1, len(left))], e)
		}
		left = left[1:]
		entities++
	}
	if len(left) > 0 {
		t.Errorf("%s: %d additional entities: %v", kind, len(left), left[0])
	}
	return entities
}

// A snapshot is republished unchanged, even if it mixes kinds.
func TestRepublishIsTheSnapshot(t *testing.T) {
	t.Parallel()
	m := &rt.FeedMessage{Header: &rt.FeedHeader{}}
	for _, id := range []string{"a", "a", "ä\x00b"} {
		e := &rt.FeedEntity{TripUpdate: &rt.TripUpdate{}, Vehicle: &rt.VehiclePosition{}, Alert: &rt.Alert{}}
		fill(e.ProtoReflect())
		e.Id, e.IsDeleted = &id, nil
		m.Entity = append(m.Entity, e, &rt.FeedEntity{Id: proto.String("gone"), IsDeleted: proto.Bool(true),
			Alert: &rt.Alert{}})
	}
	fill(m.Header.ProtoReflect())
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if n := same(t, data, kind); n != 3 {
			t.Errorf("%s: %d entities", kind, n)
		}
	}
}

func TestRepublishOfRealSnapshots(t *testing.T) {
	t.Parallel()
	total := 0
	for _, file := range sample.Glob(t, "gtfs-rt/*/*.pb") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gtfsrt.Scan(data); err != nil || proto.Unmarshal(data, &rt.FeedMessage{}) != nil {
			continue // the poller or the decoders reject it
		}
		if strings.Contains(file, "ace-series") && !strings.HasSuffix(file, "00.ace.pb") {
			continue // forty snapshots of one kind are enough
		}
		for _, kind := range kinds {
			total += same(t, data, kind)
		}
	}
	if total < 1000 {
		t.Errorf("only %d entities were compared", total)
	}
	t.Logf("%d entities", total)
}

// Only entities that strict decoders reject are omitted.
func TestRepublishOmitsInvalidEntities(t *testing.T) {
	t.Parallel()
	field := func(b []byte, num protowire.Number, inside []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), inside)
	}
	id := field(nil, 1, []byte("x"))
	vehicle := field(nil, 4, field(nil, 7, []byte("S")))
	shape := field(nil, 6, []byte{0x0a, 1, 'S'})
	data := field(nil, 1, field(nil, 1001, []byte{0xff})) // no version
	for _, e := range [][]byte{
		append(field(nil, 1, []byte("unplaced")), field(nil, 4, field(nil, 2, nil))...), // a position without coordinates
		vehicle, // no id
		append(append([]byte{}, id...), vehicle...),
		append(append(append([]byte{}, id...), vehicle...), field(nil, 900, []byte{0xff, 0xff})...),
		append(append(append([]byte{}, id...), vehicle...), 0x1b), // a group without an end: decoders stop there
		append(append([]byte{}, id...), shape...),
	} {
		if withEnd := field(append([]byte{}, data...), 2, e); true {
			if _, err := gtfsrt.Scan(withEnd); err == nil {
				data = withEnd
			}
		}
	}
	s := scanned(t, data)
	got := republishedAs(t, conf.VehiclePositions, nil, 0, s)
	if got.Header.GetGtfsRealtimeVersion() != "2.0" || got.Header.Timestamp != nil || len(got.Entity) != 3 {
		t.Fatalf("%v", got)
	}
	if got.Entity[0].GetId() == "" || got.Entity[1].GetId() != "x" || len(got.Entity[2].ProtoReflect().GetUnknown()) == 0 {
		t.Errorf("%v", got.Entity)
	}
	got = republishedAs(t, conf.TripUpdates, nil, 0, s)
	if len(got.Entity) != 1 || string(got.Entity[0].ProtoReflect().GetUnknown()) != string(shape) {
		t.Errorf("the republished shape is %v", got.Entity)
	}
	full := errors.New("full")
	if _, err := Republish(conf.VehiclePositions, []*Snapshot{s}, nil, 0, func(int) error {
		return full
	}); !errors.Is(err, full) {
		t.Errorf("with a failing reserve: %v", err)
	}
}

// Several sources and the operator's alerts become one message with unique ids and the newest time.
func TestRepublishJoinsSources(t *testing.T) {
	t.Parallel()
	source := func(at uint64, ids ...string) *Snapshot {
		m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: &at}}
		for _, id := range ids {
			m.Entity = append(m.Entity, &rt.FeedEntity{Id: &id, Alert: &rt.Alert{}})
		}
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return scanned(t, data)
	}
	own := []*rt.FeedEntity{{Id: proto.String("annotation-1"), Alert: &rt.Alert{}}}
	ids := func(m *rt.FeedMessage) string {
		var all []string
		for _, e := range m.Entity {
			all = append(all, e.GetId())
		}
		return strings.Join(all, " ")
	}
	for _, c := range []struct {
		sources []*Snapshot
		changed int64
		ids     string
		at      uint64
	}{
		{nil, 0, "annotation-1", 0},
		{nil, 7, "annotation-1", 7},
		{[]*Snapshot{source(5, "a", "a")}, 0, "a a annotation-1", 5},
		{[]*Snapshot{source(5, "a")}, 9, "a annotation-1", 9},
		{[]*Snapshot{source(6, "a", "b", "annotation-1"), source(5, "a", "2:a", "", "a")}, 0,
			"a b annotation-1 2:a 2:2:a 2::5 2:a:7 3:annotation-1", 6},
	} {
		got := republishedAs(t, conf.Alerts, own, c.changed, c.sources...)
		if ids(got) != c.ids || got.Header.GetTimestamp() != c.at {
			t.Errorf("%q at %d, want %q at %d", ids(got), got.Header.GetTimestamp(), c.ids, c.at)
		}
	}
}

// BenchmarkRepublish republishes 10,000 trip updates with ten calls each.
func BenchmarkRepublish(b *testing.B) {
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: proto.Uint64(1)}}
	for i := range 10_000 {
		u := &rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: proto.String(fmt.Sprint("trip number ", i))}}
		for k := range 10 {
			u.StopTimeUpdate = append(u.StopTimeUpdate, &rt.TripUpdate_StopTimeUpdate{StopSequence: proto.Uint32(uint32(k)),
				Arrival: &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(1_800_000_000)}, StopId: proto.String("stop")})
		}
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String(fmt.Sprint(i)), TripUpdate: u})
	}
	data, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	s := scanned(b, data)
	for b.Loop() {
		if _, err := Republish(conf.TripUpdates, []*Snapshot{s}, nil, 0, enough); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
}
