package townline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/demo/agency"
	transitapi "github.com/townline/townline/services/transit-api"
)

// The apps' predictions equal the message: its time, or the time in stop_times.txt plus its delay.
func TestAppPredictionsAreThoseOfTheMessage(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	a, err := agency.New(func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string][]byte{}
	for kind, m := range map[string]*rt.FeedMessage{"trip_updates": a.TripUpdates(at),
		"vehicle_positions": a.Vehicles(at), "alerts": a.Alerts(at)} {
		messages[kind], err = proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("demo", func(t *testing.T) {
		t.Parallel()
		checkPredicted(t, demoFeed(t), messages)
	})
	for _, p := range pairs {
		t.Run(strings.TrimSuffix(filepath.Base(p.sources[0].file), ".pb"), func(t *testing.T) {
			t.Parallel()
			feeds := sample.Folder(t, "gtfs")
			if p.large && !everything() {
				t.Skip("a sample of the feeds: see make test-everything")
			}
			messages := map[string][]byte{}
			for _, s := range p.sources {
				messages[s.kind], err = os.ReadFile(filepath.Join(feeds, "..", "gtfs-rt", s.file))
				if err != nil {
					t.Fatal(err)
				}
			}
			checkPredicted(t, filepath.Join(feeds, p.feed), messages)
		})
	}
}

// storeSnapshot stores a message as the last snapshot of a source.
func storeSnapshot(t *testing.T, db *pgxpool.Pool, at time.Time, kind string, data []byte) {
	t.Helper()
	_, err := db.Exec(t.Context(), `WITH snapshot AS (
		INSERT INTO transit.snapshot (alias, source, fetched_at, header_timestamp, trip_updates, vehicles, alerts, sha256,
			data)
		VALUES ('agency', $2 || '/0', $1, 0, 0, 0, 0, '', $3) RETURNING snapshot_id)
		INSERT INTO transit.source (alias, source, kind, stale_after, min_interval, fetched_at, snapshot_id)
		SELECT 'agency', $2 || '/0', $2, '30 s', '10 s', $1, snapshot_id FROM snapshot`, at, kind, data)
	if err != nil {
		t.Fatal(err)
	}
}

// checkPredicted serves a feed with the messages of its sources, and compares the calls of each
// trip update with the arrivals at its stops.
func checkPredicted(t *testing.T, feed string, messages map[string][]byte) {
	t.Helper()
	address := pgtest.URL(t)
	db := open(t, address, pg.Options{})
	_, err := gtfsimport.Import(t.Context(), deps(db), gtfsimport.Request{Alias: "agency", Source: feed})
	if err != nil {
		t.Fatal(err)
	}
	updates := &rt.FeedMessage{}
	data := messages["trip_updates"]
	if data == nil {
		data = messages["mixed"]
	}
	if err := proto.Unmarshal(data, updates); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(int64(updates.Header.GetTimestamp()), 0)
	for kind, data := range messages {
		storeSnapshot(t, db, at, kind, data)
	}
	file := transitConfig(t, "access: {roles: {anonymous: [discovery, static, realtime, display]}}\n")
	base := serveTransit(t, address, transitapi.Config{File: file, OneBusAway: "on"})
	a := newApps(t, strings.TrimSuffix(base, "/gtfs/api/v2")+"/oba/agency", readModel(t, "agency", feed))
	p := &predictions{apps: a, at: at, arrivals: map[string]map[string]tree{}, seen: map[string]bool{}}
	for _, e := range updates.Entity {
		u := e.GetTripUpdate()
		trip := u.GetTrip()
		id := trip.GetTripId() + " " + trip.GetStartDate() + " " + trip.GetStartTime()
		if u != nil && trip.GetScheduleRelationship() == rt.TripDescriptor_SCHEDULED && !p.seen[id] {
			p.seen[id] = true // a second update of a trip does not count
			p.checkUpdate(u)
		}
	}
	vehicles, now := 0, fmt.Sprint("?time=", at.UnixMilli())
	for _, g := range a.m.agencies {
		for _, v := range a.get("vehicles-for-agency", g.get("agency_id"), now)["list"].([]any) {
			vehicles++
			of := a.get("trip-for-vehicle", v.(tree)["vehicleId"].(string), now)
			if of["entry"].(tree)["tripId"] != v.(tree)["tripId"] {
				t.Errorf("vehicle %v is on trip %v", v, of["entry"])
			}
		}
	}
	t.Logf("%d predicted stop times, %d not listed; %d vehicles", p.checked, p.missing, vehicles)
	if p.checked == 0 && strings.Contains(feed, "bart") {
		t.Error("no prediction was checked")
	}
}

// predictions compares arrivals with a message.
type predictions struct {
	*apps
	at               time.Time
	arrivals         map[string]map[string]tree // keyed by stop, then by trip and stop_sequence
	seen             map[string]bool
	checked, missing int
}

func (p *predictions) checkUpdate(u *rt.TripUpdate) {
	trip := u.GetTrip().GetTripId()
	calls := p.csvCalls(trip)
	if len(calls) == 0 || len(p.m.windows[trip]) > 0 {
		return
	}
	next := 0
	for _, s := range u.StopTimeUpdate {
		next = p.callOf(trip, s, next)
		if next < 0 {
			return
		}
		isTimed := s.GetScheduleRelationship() == rt.TripUpdate_StopTimeUpdate_SCHEDULED
		if !isTimed || s.Arrival == nil && s.Departure == nil {
			continue
		}
		call := p.arrivalsAt(calls[next].stop)[fmt.Sprint(p.tripID(trip), " ", next)]
		if call == nil {
			p.missing++
			continue
		}
		p.checked++
		begins := int64(call["serviceDate"].(float64)) / 1000
		p.compare(call, "Arrival", s.Arrival, begins+int64(calls[next].arrival), calls[next].timed)
		p.compare(call, "Departure", s.Departure, begins+int64(calls[next].departure), calls[next].timed)
	}
}

// callOf returns the call to which an update refers by stop_sequence. If sequence and stop
// disagree, it returns the next call at the stop.
func (p *predictions) callOf(trip string, s *rt.TripUpdate_StopTimeUpdate, next int) int {
	calls := p.csvCalls(trip)
	for i, row := range p.m.calls[trip] {
		if s.StopSequence != nil && row.get("stop_sequence") == fmt.Sprint(s.GetStopSequence()) &&
			(s.StopId == nil || calls[i].stop == s.GetStopId()) {
			return i
		}
	}
	for i := next; i < len(calls); i++ {
		if calls[i].stop == s.GetStopId() {
			return i
		}
	}
	return -1
}

func (p *predictions) compare(call tree, what string, e *rt.TripUpdate_StopTimeEvent, planned int64, timed bool) {
	scheduled := int64(call["scheduled"+what+"Time"].(float64)) / 1000
	if timed && scheduled != planned {
		p.t.Errorf("%v: %s scheduled %d, want %d", call["tripId"], what, scheduled, planned)
	}
	if e == nil {
		return
	}
	want := scheduled + int64(e.GetDelay())
	if e.Time != nil {
		want = e.GetTime()
	}
	if got := int64(call["predicted"+what+"Time"].(float64)) / 1000; got != want || call["predicted"] != true {
		p.t.Errorf("%v at %v: %s predicted %d, want %d of %v", call["tripId"], call["stopId"], what, got, want, e)
	}
}

// arrivalsAt returns the arrivals at a stop in the next hours, keyed by "trip sequence".
func (p *predictions) arrivalsAt(stop string) map[string]tree {
	if p.arrivals[stop] == nil {
		p.arrivals[stop] = map[string]tree{}
		query := fmt.Sprintf("?time=%d&minutesBefore=60&minutesAfter=180", p.at.UnixMilli())
		entry := p.get("arrivals-and-departures-for-stop", p.main+"_"+stop, query)["entry"].(tree)
		for _, one := range entry["arrivalsAndDepartures"].([]any) {
			call := one.(tree)
			p.arrivals[stop][fmt.Sprint(call["tripId"], " ", call["stopSequence"])] = call
		}
	}
	return p.arrivals[stop]
}
