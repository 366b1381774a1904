package realtime

import (
	"encoding/json"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// fill sets every field of a message and its submessages to a non-zero value.
func fill(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.IsList():
			list := m.Mutable(f).List()
			fill(list.AppendMutable().Message())
		case f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).Message())
		case f.Kind() == protoreflect.EnumKind:
			values := f.Enum().Values()
			m.Set(f, protoreflect.ValueOfEnum(values.Get(values.Len()-1).Number()))
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString("some "+string(f.Name())))
		case f.Kind() == protoreflect.Uint32Kind:
			m.Set(f, protoreflect.ValueOfUint32(uint32(i+1)))
		case f.Kind() == protoreflect.Int32Kind:
			m.Set(f, protoreflect.ValueOfInt32(-int32(i+1)))
		case f.Kind() == protoreflect.Uint64Kind:
			m.Set(f, protoreflect.ValueOfUint64(1<<60+uint64(i)))
		case f.Kind() == protoreflect.Int64Kind:
			m.Set(f, protoreflect.ValueOfInt64(-1<<60))
		case f.Kind() == protoreflect.FloatKind:
			m.Set(f, protoreflect.ValueOfFloat32(float32(i)+0.1))
		case f.Kind() == protoreflect.DoubleKind:
			m.Set(f, protoreflect.ValueOfFloat64(float64(i)+0.1))
		}
	}
}

// Each field of the bindings is encoded according to Protobuf's JSON mapping.
func TestEveryFieldIsEncoded(t *testing.T) {
	t.Parallel()
	s := &Snapshot{}
	for _, c := range []struct {
		m  proto.Message
		of func([]byte) (any, error)
	}{
		{&rt.TripUpdate{}, func(b []byte) (any, error) { return s.tripUpdate(b) }},
		{&rt.VehiclePosition{}, func(b []byte) (any, error) { return s.vehiclePosition(b) }},
		{&rt.Alert{}, func(b []byte) (any, error) { return s.alert("x", b) }},
	} {
		fill(c.m.ProtoReflect())
		want, err := protojson.Marshal(c.m)
		if err != nil {
			t.Fatal(err)
		}
		body, err := proto.Marshal(c.m)
		if err != nil {
			t.Fatal(err)
		}
		// Add unknown extensions.
		body = protowire.AppendBytes(protowire.AppendTag(body, 1001, protowire.BytesType), []byte("\x0a\x03NYC"))
		v, err := c.of(body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var a, b map[string]any
		if err := json.Unmarshal(want, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, additions(b)); diff != "" {
			t.Errorf("%T: -protojson +ours\n%s", c.m, diff)
		}
	}
}

// additions removes the fields that the API adds to an entity.
func additions(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "tripHeadsign")
		if v["id"] == "x" {
			delete(v, "id")
		}
		for _, e := range v {
			additions(e)
		}
	case []any:
		for _, e := range v {
			additions(e)
		}
	}
	return v
}

// FuzzSnapshot checks that each entity of a valid message is encoded as valid JSON.
func FuzzSnapshot(f *testing.F) {
	update := &rt.FeedEntity{Id: proto.String("u"),
		TripUpdate: &rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: proto.String("t")},
			StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{{StopId: proto.String("s")}, {StopSequence: proto.Uint32(3)}}}}
	described := &rt.TripDescriptor{RouteId: proto.String("r"), StartTime: proto.String("06:05:00"),
		DirectionId: proto.Uint32(0), StartDate: proto.String("20260304")}
	data, err := proto.Marshal(&rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"),
		Timestamp: proto.Uint64(1_772_600_000)}, Entity: []*rt.FeedEntity{update,
		{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{Trip: described, StopId: proto.String("s"),
			Position: &rt.Position{Latitude: proto.Float32(1), Longitude: proto.Float32(2)}}},
		{Id: proto.String("a"), Alert: &rt.Alert{InformedEntity: []*rt.EntitySelector{{StopId: proto.String("s")}}}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	e := edition.New([]edition.Stop{{StopID: "s"}},
		[]edition.Trip{{TripID: "t", RouteRef: edition.RouteRef{Route: &edition.Route{RouteID: "r"}}, Start: 21900}})
	patterns := map[int32]*edition.Pattern{0: {StopSequence: []int32{1, 3, 9}, StopID: []*string{proto.String("s"), nil,
		proto.String("s")}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := gtfsrt.Scan(data)
		if err != nil {
			return
		}
		s := New(1, m, conf.Mixed, Identify(m, conf.Mixed, e, 20516), patterns)
		check := func(ok bool, body any, err error) {
			text, bad := json.Marshal(body)
			if ok && (err != nil || bad != nil || !json.Valid(text)) {
				t.Fatalf("%v %v %.200s", err, bad, text)
			}
		}
		for i, u := range m.TripUpdates {
			row, err := s.Update(int32(i))
			check((proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(u.Body, &rt.TripUpdate{}) == nil, row, err)
		}
		for i, v := range m.Vehicles {
			row, err := s.Vehicle(int32(i))
			check(v.Check(), row, err)
		}
		for i, a := range m.Alerts {
			row, err := s.Alert(int32(i))
			check(a.Check(), row, err)
		}
	})
}
