package townline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline/demo/agency"
	transitapi "github.com/townline/townline/services/transit-api"
)

// A pair is a static feed and snapshots of its agency's realtime sources, with the matches that its
// provenance file states.
type pair struct {
	feed    string
	large   bool // the test takes long
	sources []pairSource
}

type pairSource struct {
	kind, file string
	want       rtpoller.Matches
	// rules has the rules that the message breaks, in the format of RULES.md. They were counted
	// independently of this repository's code, without the unstable rules.
	rules string
}

// unstable lists rules whose counts depend on more than the message: W003, E029 and E047 on which
// source is checked first, W008 on the time.
var unstable = []string{"E029", "E047", "W003", "W008"}

func match(found, of int) rtpoller.Match { return rtpoller.Match{Found: found, Of: of} }

var pairs = []pair{
	{"halifax.zip", true, []pairSource{
		{"trip_updates", "halifax/TripUpdates.pb", rtpoller.Matches{Trips: match(505, 511), Routes: match(510, 511),
			Stops: match(16935, 17041), StopCodes: match(16935, 17041)},
			"E003×1 E004×1 E011×106 E022×35 E024×32 E045×2376 E049×1 E051×132 W001×242 W002×1 W009×1007"},
		{"vehicle_positions", "halifax/VehiclePositions.pb", rtpoller.Matches{Trips: match(286, 291),
			Routes: match(290, 291)},
			"E003×1 E004×1 E024×19 E049×1 W004×1 W009×284"},
		{"alerts", "halifax/Alerts.pb", rtpoller.Matches{Informed: match(253, 259)},
			"E001×41 E004×6 E011×1 E049×1"},
	}},
	{"caltrain-2023.zip", true, []pairSource{
		{"trip_updates", "caltrain-2023/ct-trip-updates.pb", rtpoller.Matches{Trips: match(19, 19), Routes: match(19, 19),
			Stops: match(220, 220), StopCodes: match(220, 220)},
			""},
		{"vehicle_positions", "caltrain-2023/ct-vehicle-positions.pb", rtpoller.Matches{Trips: match(14, 14),
			Routes: match(14, 14)},
			"W009×14"},
		{"alerts", "caltrain-2023/ct-service-alerts.pb", rtpoller.Matches{},
			""},
	}},
	{"raba.zip", false, []pairSource{
		{"trip_updates", "raba/raba-trip-updates.pb", rtpoller.Matches{Trips: match(9, 9), Routes: match(9, 9),
			Stops: match(41, 41), StopCodes: match(41, 41)},
			"W002×8"},
		{"vehicle_positions", "raba/raba-vehicle-positions.pb", rtpoller.Matches{Trips: match(1, 1), Routes: match(1, 1),
			Stops: match(1, 1), StopCodes: match(1, 1)},
			"W004×1"},
	}},
	{"bart-2019.zip", false, []pairSource{
		{"trip_updates", "bart-2019/bart-trip-updates.pb", rtpoller.Matches{Trips: match(65, 91), Stops: match(1060, 1060),
			StopCodes: match(0, 1060)},
			"E002×9 E003×18 E036×8 E045×160 E051×1 W001×91 W002×91 W009×91"},
		{"alerts", "bart-2019/bart-alerts.pb", rtpoller.Matches{Informed: match(1, 1)},
			""},
	}},
	{"nyct-subway-2023.zip", true, []pairSource{
		{"mixed", "nyct-ace-series/1707397640.ace.pb", rtpoller.Matches{Trips: match(0, 312), Routes: match(312, 312),
			Stops: match(2936, 2963), StopCodes: match(0, 2963)},
			"E003×312 E011×27 E012×76 E022×1 E041×12 W001×156 W002×312 W009×456"},
	}},
	{"nyct-subway-2023.zip", true, []pairSource{{kind: "mixed", file: "nyct-subway-2023/nyct_wrong_way_l.pb",
		rules: "E003×60 E039×1 W002×60"}}},
	// The static feed is of another town: nothing matches, and every entity is served.
	{"raba.zip", true, []pairSource{
		{"trip_updates", "sofia-2025-unpaired/trip-updates.pb", rtpoller.Matches{Trips: match(0, 1224),
			Routes: match(0, 1224), Stops: match(0, 22567), StopCodes: match(0, 22567)},
			"E003×1224 E004×1224 E011×22567 E022×46 E039×1 W002×1224"},
		{"vehicle_positions", "sofia-2025-unpaired/vehicle-positions.pb", rtpoller.Matches{Trips: match(0, 564),
			Routes: match(0, 564), Stops: match(0, 564), StopCodes: match(0, 564)},
			"E003×564 E004×564 E011×564 E028×564 E052×3 W004×156"},
		{"alerts", "sofia-2025-unpaired/service-alerts.pb", rtpoller.Matches{Informed: match(0, 22)},
			"E004×22"},
	}},
}

// The API returns every entity of a snapshot under every id that it names, with the same fields as
// in a dump of the message. The match rates equal independently computed rates.
func TestRealSnapshots(t *testing.T) {
	t.Parallel()
	feeds := sample.Folder(t, "gtfs")
	for _, p := range pairs {
		if p.large && !everything() {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(p.sources[0].file), ".pb"), func(t *testing.T) {
			t.Parallel()
			var snapshots []sourceSnapshot
			for _, s := range p.sources {
				data, err := os.ReadFile(filepath.Join(feeds, "..", "gtfs-rt", s.file))
				if err != nil {
					t.Fatal(err)
				}
				snapshots = append(snapshots, sourceSnapshot{s.kind, data, s.want, &s.rules})
			}
			serveSnapshots(t, filepath.Join(feeds, p.feed), snapshots)
		})
	}
}

// The same for snapshots of the demo town's agency, whose feed has all of their trips and stops.
func TestDemoSnapshots(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	a, err := agency.New(func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	var snapshots []sourceSnapshot
	for kind, m := range map[string]*rt.FeedMessage{"trip_updates": a.TripUpdates(at), "vehicle_positions": a.Vehicles(at),
		"alerts": a.Alerts(at)} {
		data, err := proto.Marshal(m)
		if err != nil || len(m.Entity) == 0 {
			t.Fatalf("%s: %d entities, %v", kind, len(m.Entity), err)
		}
		snapshots = append(snapshots, sourceSnapshot{kind: kind, data: data})
	}
	for _, s := range serveSnapshots(t, demoFeed(t), snapshots) {
		for what, m := range map[string]rtpoller.Match{"trips": s.Matches.Trips, "routes": s.Matches.Routes,
			"stops": s.Matches.Stops, "alerts": s.Matches.Informed} {
			if m.Found != m.Of {
				t.Errorf("%s: %d of %d %s are in the feed", s.Source, m.Found, m.Of, what)
			}
		}
	}
}

// A sourceSnapshot is the answer of a source, with the numbers of its ids that are in the feed, if
// known.
type sourceSnapshot struct {
	kind string
	data []byte
	want rtpoller.Matches
	// rules are those that the message breaks; nil if unknown.
	rules *string
}

// serveSnapshots imports a feed, polls the snapshots and compares the API with them.
func serveSnapshots(t *testing.T, feed string, snapshots []sourceSnapshot) []rtpoller.Status {
	t.Helper()
	address := pgtest.URL(t)
	db := open(t, address, pg.Options{})
	if _, err := gtfsimport.Import(t.Context(), deps(db), gtfsimport.Request{Alias: "agency", Source: feed}); err != nil {
		t.Fatal(err)
	}
	config := "access: {roles: {anonymous: [realtime]}}\nfeeds:\n- alias: agency\n  realtime:\n"
	var messages []*rt.FeedMessage
	for _, s := range snapshots {
		m := &rt.FeedMessage{}
		if err := proto.Unmarshal(s.data, m); err != nil {
			t.Fatal(err)
		}
		up := &upstream{}
		up.answer(http.StatusOK, s.data)
		config += fmt.Sprintf("  - {kind: %s, url: %q, idle_interval: 1h, stale_after: 1h}\n", s.kind, up.serve(t))
		messages = append(messages, m)
	}
	file := transitConfig(t, config)
	d := deps(db)
	runUntilEnd(t, func(ctx context.Context) error {
		return rtpoller.Run(ctx, rtpoller.Config{TransitConfig: file, AllowPrivate: true, MaxBytes: 1 << 24}, d)
	})
	eventually(t, func() error {
		var left int
		err := db.QueryRow(t.Context(), `SELECT $1 - count(*) FROM transit.judgement`, len(snapshots)).Scan(&left)
		if err == nil && left > 0 {
			err = fmt.Errorf("%d sources were not checked", left)
		}
		return err
	})
	all, err := rtpoller.ListStatus(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range snapshots {
		i := slices.IndexFunc(all, func(got rtpoller.Status) bool { return got.Source == s.kind+"/0" })
		var rules []string
		for _, f := range all[i].Findings {
			if !slices.Contains(unstable, string(f.Code)) {
				rules = append(rules, fmt.Sprintf("%s×%d", f.Code, f.Count))
			}
		}
		if got := strings.Join(rules, " "); s.rules != nil && got != *s.rules {
			t.Errorf("%s breaks %s, want %s", s.kind, got, *s.rules)
		}
		if diff := cmp.Diff(&s.want, all[i].Matches); diff != "" && s.want != (rtpoller.Matches{}) {
			t.Errorf("%s: -want +got\n%s", s.kind, diff)
		}
	}
	c := newDump(t, db, messages)
	c.base = serveTransit(t, address, transitapi.Config{File: file})
	c.check(t)
	return all
}

// A dump has the contents of the messages, as JSON from the bindings' own package, with the
// documented additions of the API.
type dump struct {
	base      string
	headsigns map[string]any
	calls     map[string]string // stop by "trip sequence"
	stations  map[string]bool   // stops with children; answers about them include the children

	expected map[string][]string // canonical entities by path
	seen     map[string]string   // canonical form by bytes, cached because an entity is in many answers
}

func newDump(t *testing.T, db *pgxpool.Pool, messages []*rt.FeedMessage) *dump {
	t.Helper()
	d := &dump{headsigns: map[string]any{}, calls: map[string]string{}, stations: map[string]bool{},
		expected: map[string][]string{}, seen: map[string]string{}}
	each := func(sql string, row ...any) func(func()) {
		return func(fn func()) {
			rows, err := db.Query(t.Context(), sql)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				if err := rows.Scan(row...); err != nil {
					t.Fatal(err)
				}
				fn()
			}
		}
	}
	var id, stop, sequence string
	var headsign *string
	each(`SELECT trip_id, trip_headsign FROM transit.trips`, &id, &headsign)(func() {
		d.headsigns[id] = nil
		if headsign != nil {
			d.headsigns[id] = *headsign
		}
	})
	each(`SELECT trip_id, stop_sequence::text, coalesce(stop_id, '')
		FROM transit.stop_times`, &id, &sequence, &stop)(func() { d.calls[id+" "+sequence] = stop })
	each(`SELECT DISTINCT parent_station FROM transit.stops
		WHERE parent_station IS NOT NULL`, &id)(func() { d.stations[id] = true })
	for _, m := range messages {
		for _, e := range m.Entity {
			d.entity(t, e)
		}
	}
	return d
}

// under records that the API must list an entity under a path, once.
func (d *dump) under(path, entity string) {
	if list := d.expected[path]; len(list) == 0 || list[len(list)-1] != entity {
		d.expected[path] = append(list, entity)
	}
}

func (d *dump) entity(t *testing.T, e *rt.FeedEntity) {
	t.Helper()
	if u := e.TripUpdate; u != nil {
		j := object(t, u)
		d.trip(j["trip"])
		vehicle(j["vehicle"])
		updates, _ := j["stopTimeUpdate"].([]any)
		if updates == nil {
			j["stopTimeUpdate"] = []any{}
		}
		for i, s := range updates {
			call := s.(map[string]any)
			standard(call, "scheduleRelationship", "SCHEDULED")
			if call["stopId"] == nil {
				if id := d.calls[u.GetTrip().GetTripId()+" "+fmt.Sprint(u.StopTimeUpdate[i].GetStopSequence())]; id != "" {
					call["stopId"] = id
				}
			}
		}
		text := sortedJSON(t, j)
		for _, s := range updates {
			if id, ok := s.(map[string]any)["stopId"].(string); ok {
				d.under("/rt/tripupdates/"+url.PathEscape(id), text)
			}
		}
	}
	if v := e.Vehicle; v != nil {
		j := object(t, v)
		d.trip(j["trip"])
		vehicle(j["vehicle"])
		standard(j, "currentStatus", "IN_TRANSIT_TO")
		text := sortedJSON(t, j)
		if id := v.GetTrip().GetRouteId(); id != "" {
			d.under("/rt/vehicles/"+url.PathEscape(id), text)
		}
		d.expected["/rt/vehicles"] = append(d.expected["/rt/vehicles"], text)
	}
	if a := e.Alert; a != nil {
		j := object(t, a)
		j["id"] = e.GetId()
		informed, _ := j["informedEntity"].([]any)
		for _, s := range informed {
			for _, key := range []string{"agencyId", "routeId", "stopId"} {
				standard(s.(map[string]any), key, nil)
			}
			d.trip(s.(map[string]any)["trip"])
		}
		text := sortedJSON(t, j)
		for _, s := range a.InformedEntity {
			for _, named := range []struct {
				one, many, id string
			}{{"agency", "agencies", s.GetAgencyId()}, {"route", "routes", s.GetRouteId()}, {"stop", "stops", s.GetStopId()},
				{"trip", "trips", s.GetTrip().GetTripId()}} {
				if named.id != "" {
					d.under("/rt/alerts/"+named.one+"/"+url.PathEscape(named.id), text)
					d.under("/rt/alerts/"+named.many+"/"+url.PathEscape(named.id), text)
				}
			}
		}
	}
}

// standard adds a key with a default value if it is missing.
func standard(j map[string]any, key string, value any) {
	if _, there := j[key]; !there {
		j[key] = value
	}
}

func (d *dump) trip(j any) {
	if trip, ok := j.(map[string]any); ok {
		standard(trip, "scheduleRelationship", "SCHEDULED")
		id, _ := trip["tripId"].(string)
		trip["tripHeadsign"] = d.headsigns[id]
	}
}

func vehicle(j any) {
	if v, ok := j.(map[string]any); ok {
		standard(v, "label", nil)
		standard(v, "licensePlate", nil)
	}
}

func object(t *testing.T, m proto.Message) map[string]any {
	t.Helper()
	data, err := protojson.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var j map[string]any
	if err := json.Unmarshal(data, &j); err != nil {
		t.Fatal(err)
	}
	return j
}

func sortedJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// check requests every path and compares the answers.
func (d *dump) check(t *testing.T) {
	t.Helper()
	entities := 0
	for path, want := range d.expected {
		status, body := request(t, d.base+path)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		got := d.entities(t, body)
		entities += len(got)
		if id, err := url.PathUnescape(path[strings.LastIndex(path, "/")+1:]); err == nil && d.stations[id] &&
			strings.HasPrefix(path, "/rt/tripupdates/") {
			// The answer also includes entities of the stop's platforms.
			got = slices.DeleteFunc(got, func(e string) bool { return !slices.Contains(want, e) })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: -dump +answer\n%s", path, diff)
		}
	}
	t.Logf("%d entities in %d answers", entities, len(d.expected))
}

func (d *dump) entities(t *testing.T, body []byte) []string {
	t.Helper()
	var a struct{ Data []json.RawMessage }
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(a.Data))
	for i, raw := range a.Data {
		text, met := d.seen[string(raw)]
		if !met {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				t.Fatal(err)
			}
			text = sortedJSON(t, v)
			d.seen[string(raw)] = text
		}
		out[i] = text
	}
	return out
}
