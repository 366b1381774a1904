package rtpoller

import (
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/pgtest"
)

// about returns an alert entity with one selector.
func about(id string, in *rt.EntitySelector) *rt.FeedEntity {
	return &rt.FeedEntity{Id: &id, Alert: &rt.Alert{InformedEntity: []*rt.EntitySelector{in}}}
}

// regional returns a message of a source that serves the agencies bus, ferry and one that the feed
// does not have.
func regional(t testing.TB, at time.Time) []byte {
	t.Helper()
	run := func(id, trip, route string) *rt.FeedEntity {
		d := &rt.TripDescriptor{TripId: &trip}
		if route != "" {
			d.RouteId = &route
		}
		return &rt.FeedEntity{Id: &id, TripUpdate: &rt.TripUpdate{Trip: d}}
	}
	vehicle := func(id, trip string) *rt.FeedEntity {
		return &rt.FeedEntity{Id: &id, Vehicle: &rt.VehiclePosition{Trip: &rt.TripDescriptor{TripId: &trip}}}
	}
	none := "all"
	return feed(t, at.Unix(), 0, func(m *rt.FeedMessage) {
		m.Entity = []*rt.FeedEntity{
			run("u bus", "bus 1", ""), run("u added", "new", "B"), run("u ferry", "ferry 1", "F"),
			run("u both", "bus 1", "F"), run("u stranger", "tram 1", "T"), run("u nothing", "tram 2", ""),
			vehicle("v bus", "bus 1"), vehicle("v ferry", "ferry 1"),
			about("a bus", &rt.EntitySelector{AgencyId: proto.String("bus")}),
			about("a ferry", &rt.EntitySelector{AgencyId: proto.String("ferry"), RouteId: proto.String("B")}),
			about("a route", &rt.EntitySelector{RouteId: proto.String("B")}),
			about("a other route", &rt.EntitySelector{RouteId: proto.String("F")}),
			about("a trip", &rt.EntitySelector{Trip: &rt.TripDescriptor{TripId: proto.String("bus 1")}}),
			about("a stop", &rt.EntitySelector{StopId: proto.String("pier")}),
			about("a code", &rt.EntitySelector{StopId: proto.String("77")}),
			about("a other stop", &rt.EntitySelector{StopId: proto.String("tram stop")}),
			{Id: &none, Alert: &rt.Alert{}},
		}
	})
}

// importAgencies makes the agencies bus and ferry, with a route and a trip each, the live version.
func importAgencies(t testing.TB, p *poller) {
	t.Helper()
	pool := p.deps.DB
	execSQL(t, pool, `INSERT INTO transit.feed (alias, name) VALUES ('demo', 'Demo')`)
	execSQL(t, pool,
		`INSERT INTO transit.feed_version (feed_id, state, sha256, bytes, source) VALUES (1, 'live', '', 0, '')`)
	execSQL(t, pool, `UPDATE transit.feed SET version_id = 1`)
	for _, table := range []string{"agency", "route", "trip", "stop"} {
		execSQL(t, pool, "CREATE TABLE transit."+table+"_1 PARTITION OF transit."+table+" FOR VALUES IN (1)")
	}
	execSQL(t, pool, `INSERT INTO transit.agency (version_id, ord, agency_id, first_route, route_count)
		VALUES (1, 1, 'bus', 1, 1), (1, 2, 'ferry', 2, 1)`)
	execSQL(t, pool,
		`INSERT INTO transit.route (version_id, ord, route_id, agency_id, first_trip, trip_count, first_direction,
		direction_count) VALUES (1, 1, 'B', 'bus', 0, 0, 0, 0), (1, 2, 'F', 'ferry', 0, 0, 0, 0)`)
	execSQL(t, pool, `INSERT INTO transit.trip (version_id, ord, trip_id, route_id, service_id)
		VALUES (1, 1, 'bus 1', 'B', ''), (1, 2, 'ferry 1', 'F', '')`)
	execSQL(t, pool, `INSERT INTO transit.stop (version_id, ord, num, stop_id, stop_code) VALUES (1, 1, 1, 'pier', '77')`)
}

// stored returns the ids of the entities of the served snapshot.
func stored(t testing.TB, body []byte) string {
	t.Helper()
	var m rt.FeedMessage
	if err := proto.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range m.Entity {
		ids = append(ids, e.GetId())
	}
	return strings.Join(ids, ",")
}

// Of a source that serves several agencies, only the entities of the configured ones are served.
func TestSourceOfSeveralAgencies(t *testing.T) {
	t.Parallel()
	at := time.Now()
	for agencies, want := range map[string]string{
		"bus": "u bus,u added,u both,v bus,a bus,a route,a trip,a stop,a code,all",
		"bus ferry": "u bus,u added,u ferry,u both,v bus,v ferry,a bus,a ferry,a route,a other route,a trip,a stop,a code," +
			"all",
		"": "u bus,u added,u ferry,u both,u stranger,u nothing,v bus,v ferry,a bus,a ferry,a route,a other route,a trip," +
			"a stop,a code,a other stop,all",
	} {
		_, url := answering(t, 200, regional(t, at))
		pool := pgtest.New(t)
		p := replica(t, pool, url, time.Second)
		p.Agencies = strings.Fields(agencies)
		register(t, p)
		importAgencies(t, p)
		due(t, pool)
		execSQL(t, pool, `DELETE FROM transit.source`)
		register(t, p)
		poll(t, p)
		s := look(t, pool)
		if got := stored(t, s.Data); got != want || s.Failures != 0 {
			t.Errorf("agencies %q: %s %s, want %s", agencies, got, s.Error, want)
		}
		if m, err := gtfsrt.Scan(s.Data); err != nil || m.Timestamp != uint64(at.Unix()) {
			t.Errorf("agencies %q: %v", agencies, err)
		}
		if agencies != "bus" {
			continue
		}
		for because, n := range map[string]float64{otherAgency: 4, unknownAgency: 3} {
			if got := testutil.ToFloat64(p.metrics.leftOut.WithLabelValues("demo", p.source, because)); got != n {
				t.Errorf("%v entities are left out as %s, want %v", got, because, n)
			}
		}
	}
}

// Without a feed, or with an agency that the feed lacks, nothing can be selected: that is an error,
// not an empty answer. A new version of the feed is used with the same message.
func TestAgenciesThatTheFeedLacks(t *testing.T) {
	t.Parallel()
	_, url := answering(t, 200, regional(t, time.Now()))
	pool := pgtest.New(t)
	p := replica(t, pool, url, time.Second)
	p.Agencies = []string{"bus", "metro"}
	execSQL(t, pool, `DELETE FROM transit.source`)
	register(t, p)
	failed := func(want string) {
		t.Helper()
		due(t, pool)
		poll(t, p)
		all, err := ListStatus(t.Context(), pool)
		if err != nil || all[0].Error == nil || !strings.Contains(*all[0].Error, want) || all[0].TripUpdates != 0 {
			t.Fatalf("%+v %v, want %s", all, err, want)
		}
	}
	failed("feed demo is not imported yet")
	importAgencies(t, p)
	failed(`feed demo has no agency "metro" of the source's agencies; it has bus, ferry`)
	execSQL(t, pool, `INSERT INTO transit.agency (version_id, ord, agency_id, first_route, route_count)
		VALUES (1, 3, 'metro', 3, 1)`)
	for _, want := range []bool{false, true} {
		due(t, pool)
		poll(t, p)
		if got := strings.Split(stored(t, look(t, pool).Data), ","); slices.Contains(got, "u stranger") != want {
			t.Errorf("%q", got)
		}
		execSQL(t, pool, `INSERT INTO transit.route (version_id, ord, route_id, agency_id, first_trip, trip_count,
			first_direction, direction_count) VALUES (1, 3, 'T', 'metro', 0, 0, 0, 0) ON CONFLICT DO NOTHING`)
	}
}
