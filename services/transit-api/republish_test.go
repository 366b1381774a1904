package transitapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/events"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// message requests a GTFS-Realtime message without a format parameter, like other consumers of the
// feed.
func (w *world) message(t *testing.T, path string) *rt.FeedMessage {
	t.Helper()
	a := w.Get(t, basePath+path)
	m := &rt.FeedMessage{}
	if err := proto.Unmarshal(a.Body, m); err != nil || a.Status != http.StatusOK ||
		a.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Fatalf("%s: %d %s %v %.200q", path, a.Status, a.Header, err, a.Body)
	}
	return m
}

// Messages are republished as stored, with 304 if unchanged.
func TestRepublish(t *testing.T) {
	t.Parallel()
	bus := newBus(t)
	w := newWorldOn(t, nil, bus)
	requests := make(chan *eventsv1.RefreshSource, 100)
	if err := events.Subscribe(t.Context(), bus, func(r *eventsv1.RefreshSource) { requests <- r }); err != nil {
		t.Fatal(err)
	}
	const updates, vehicles, alerts = "/rt/feeds/metro/trip_updates.pb", "/rt/feeds/metro/vehicle_positions.pb",
		"/rt/feeds/metro/alerts.pb"
	for _, path := range []string{updates, vehicles, alerts} {
		if m := w.message(t, path); len(m.Entity) != 0 || m.Header.GetGtfsRealtimeVersion() != "2.0" ||
			m.Header.Timestamp != nil {
			t.Errorf("%s before the first poll: %v", path, m)
		}
	}
	vehicle := &rt.FeedEntity{Id: proto.String("v"),
		Vehicle: &rt.VehiclePosition{Trip: &rt.TripDescriptor{TripId: proto.String("l1")},
			Position: &rt.Position{Latitude: proto.Float32(1), Longitude: proto.Float32(2)}}}
	alert := &rt.FeedEntity{Id: proto.String("a"), Alert: &rt.Alert{HeaderText: texts("en", "Late"),
		InformedEntity: []*rt.EntitySelector{{StopId: proto.String("100")}}}}
	stored := map[string]*rt.FeedMessage{
		"trip_updates": {Header: header(noon), Entity: []*rt.FeedEntity{updateOf("late", "100"), updateOf("nobody", 4)}},
		"mixed":        {Header: header(noon.Add(time.Minute)), Entity: []*rt.FeedEntity{vehicle, updateOf("l1", 1), alert}},
	}
	for kind, m := range stored {
		w.polled(t, "metro", kind, noon, m)
	}
	for path, want := range map[string][]*rt.FeedEntity{
		updates:  {updateOf("l1", 1), updateOf("late", "100"), updateOf("nobody", 4)}, // sources are ordered by name
		vehicles: {vehicle},
		alerts:   {alert},
	} {
		got := w.message(t, path)
		if diff := cmp.Diff(&rt.FeedMessage{Header: header(noon.Add(time.Minute)), Entity: want}, got,
			protocmp.Transform()); diff != "" {
			t.Errorf("%s: -stored +answered\n%s", path, diff)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "/rt/feeds/metro/"), ".pb")
		text, err := protojson.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "realtime.feed_"+name, text)
	}
	// A poll without changes does not change the message.
	first := w.Get(t, basePath+updates)
	w.polled(t, "metro", "trip_updates", noon.Add(time.Hour), stored["trip_updates"])
	again := w.Get(t, basePath+updates, "If-None-Match", first.Header.Get("ETag"))
	if again.Status != http.StatusNotModified || !strings.Contains(first.Header.Get("Cache-Control"), "max-age=5") {
		t.Errorf("%d %v after %v", again.Status, again.Header, first.Header)
	}
	w.polled(t, "metro", "trip_updates", noon.Add(2*time.Hour), &rt.FeedMessage{Header: header(noon.Add(2 * time.Hour)),
		Entity: []*rt.FeedEntity{updateOf("late", "100")}})
	again = w.Get(t, basePath+updates, "If-None-Match", first.Header.Get("ETag"), "Accept-Encoding", "gzip")
	if again.Status != http.StatusOK {
		t.Errorf("status after a change: %d", again.Status)
	}
	w.statuses(t, map[string]int{"/rt/feeds/nobody/alerts.pb": 404, "/rt/feeds/metro/mixed.pb": 404,
		"/rt/feeds/metro/alerts": 404})
	// A read requests a poll of a stale source. Repeat until the subscription is active.
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for asked := false; !asked; {
		select {
		case r := <-requests:
			asked = r.Alias == "metro" && r.Source == "trip_updates/0"
			if r.Alias != "metro" {
				t.Errorf("requested %v", r)
			}
		case <-tick.C:
			w.Get(t, basePath+updates)
		case <-t.Context().Done():
			t.Fatal("a read requests nothing")
		}
	}
}

// Active annotations become alerts of each feed that has their entity.
func TestRepublishedAnnotations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(midday)
	w.exec(t, `
		INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, secondary_entity_type, secondary_entity_id, body, override_entity_id, time_zone, starts_at, ends_at, hours, created_at)
		VALUES ('comment', NULL, 'stops', '100', 'routes', 'R/1', E'# Use **Birch**\n\nSee [map](https://x.example/a) &amp; signs\n<script>x</script>', NULL, 'America/New_York', '2037-03-04 11:00', '2037-03-04 13:00', NULL, '2037-01-01'),
		       ('comment', 'metro', 'trips', 'late', NULL, NULL, 'Late', NULL, 'UTC', NULL, NULL, NULL, '2037-01-01'),
		       ('comment', NULL, 'agency', 'M T', NULL, NULL, 'Agency', NULL, 'UTC', NULL, NULL, NULL, '2037-01-01'),
		       ('comment', NULL, 'stops', 'of nobody', NULL, NULL, 'Unknown here', NULL, 'UTC', NULL, NULL, NULL, '2037-01-01'),
		       ('comment', 'soon', 'stops', '100', NULL, NULL, 'Elsewhere', NULL, 'UTC', NULL, NULL, NULL, '2037-01-01'),
		       ('comment', NULL, 'routes', 'R/1', NULL, NULL, 'Mornings', NULL, 'UTC', NULL, NULL, '{[3240,3420)}', '2037-01-01'),
		       ('override', NULL, 'stops', '100', NULL, NULL, '', 'C', 'UTC', NULL, NULL, NULL, '2037-01-01')`)
	w.refresh(t)
	w.polled(t, "soon", "alerts", noon, &rt.FeedMessage{Header: header(noon)}) // a feed that was never imported
	start := time.Date(2037, 3, 4, 16, 0, 0, 0, time.UTC)
	alert := func(id, head, more string, in *rt.EntitySelector, periods ...*rt.TimeRange) *rt.FeedEntity {
		return &rt.FeedEntity{Id: &id, Alert: &rt.Alert{ActivePeriod: periods, InformedEntity: []*rt.EntitySelector{in},
			HeaderText: texts("", head), DescriptionText: texts("", more)}}
	}
	want := &rt.FeedMessage{Header: header(start), Entity: []*rt.FeedEntity{
		alert("annotation-1", "Use Birch", "Use Birch\nSee map (https://x.example/a) & signs",
			&rt.EntitySelector{StopId: proto.String("100"), RouteId: proto.String("R/1")},
			&rt.TimeRange{Start: proto.Uint64(uint64(start.Unix())),
				End: proto.Uint64(uint64(start.Add(2 * time.Hour).Unix()))}),
		alert("annotation-2", "Late", "Late", &rt.EntitySelector{Trip: &rt.TripDescriptor{TripId: proto.String("late")}}),
		alert("annotation-3", "Agency", "Agency", &rt.EntitySelector{AgencyId: proto.String("M T")}),
	}}
	if diff := cmp.Diff(want, w.message(t, "/rt/feeds/metro/alerts.pb"), protocmp.Transform()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := w.message(t, "/rt/feeds/soon/alerts.pb"); len(got.Entity) != 0 {
		t.Errorf("alerts about what a feed lacks: %v", got)
	}
	// When the first annotation ends, the message changes, with the time of that change.
	before := w.Get(t, basePath+"/rt/feeds/metro/alerts.pb").Header
	w.clockAt(start.Add(3 * time.Hour))
	after := w.Get(t, basePath+"/rt/feeds/metro/alerts.pb", "If-None-Match", before.Get("ETag"), "If-Modified-Since",
		before.Get("Last-Modified"))
	got := w.message(t, "/rt/feeds/metro/alerts.pb")
	if after.Status != http.StatusOK || len(got.Entity) != 2 ||
		got.Header.GetTimestamp() != uint64(start.Add(2*time.Hour).Unix()) {
		t.Errorf("after the end: %d %v", after.Status, got)
	}
	// During the hours of an annotation, the message has the time of their start.
	w.clockAt(time.Date(2037, 3, 11, 7, 0, 0, 0, time.UTC))
	got = w.message(t, "/rt/feeds/metro/alerts.pb")
	if len(got.Entity) != 3 || got.Header.GetTimestamp() != uint64(time.Date(2037, 3, 11, 6, 0, 0, 0, time.UTC).Unix()) {
		t.Errorf("alerts in the morning: %v", got)
	}
}

func texts(language, text string) *rt.TranslatedString {
	tr := &rt.TranslatedString_Translation{Text: &text}
	if language != "" {
		tr.Language = &language
	}
	return &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{tr}}
}
