package transitapi

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// attacked requests paths of the API for apps, each cold and then eight times at once. It logs time
// and memory, and fails if an answer uses more than bytes of memory, or has not come in half a minute:
// an attack takes that long, and an answer a tenth of a second. A test that measures memory does not run
// in parallel with others.
func (w *world) attacked(t *testing.T, bytes uint64, paths map[string]int) {
	t.Helper()
	const most = 30 * time.Second
	get := func(path string) int {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/oba/metro/api/where/"+path, nil)
		rec := httptest.NewRecorder()
		w.srv.ServeHTTP(rec, r)
		return rec.Code
	}
	for path, want := range paths {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		code := get(path)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		used := after.TotalAlloc - before.TotalAlloc
		start = time.Now()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				glue := "?"
				if strings.Contains(path, "?") {
					glue = "&"
				}
				get(fmt.Sprint(path, glue, "app_uid=", i, "&maxCount=", 100+i, "&minutesAfter=", 1400+i))
			})
		}
		all.Wait()
		t.Logf("%s: %d in %s, %d MB; eight at once %s", path, code, took.Round(time.Millisecond), used>>20,
			time.Since(start).Round(time.Millisecond))
		if code != want || took > most || used > bytes {
			t.Errorf("%s: %d in %s, %d MB; want %d", path, code, took, used>>20, want)
		}
	}
}

// everyExactSecond is a feed of three kilobytes whose trips leave every second, at exact times.
const everyExactSecond = `
	INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id)
	SELECT 2, 1000 + i, 3, 2, 0, 'second ' || i, 'loop', 'wk' FROM generate_series(1, 60) i;
	INSERT INTO transit.frequency (version_id, ord, trip_id, start_time, end_time, headway_secs, exact_times)
	SELECT 2, 1000 + i, 'second ' || i, 0, 90000, 1, '1' FROM generate_series(1, 60) i;
	UPDATE transit.route SET trip_count = 2000 WHERE version_id = 2 AND route_id = 'loop';`

// Trips that leave every second use little memory and time: the calls of an answer are counted
// before they are added. It was 3.9 GB and nine seconds.
func TestAppsAndHeadwaysOfASecond(t *testing.T) {
	w := newWorld(t, func(c *Config) { withApps(c); patient(c) })
	w.reimport(t, everyExactSecond)
	w.clockAt(in(t, "2026-03-04 09:55:00"))
	w.attacked(t, 300<<20, map[string]int{
		"schedule-for-stop/M%20T_C.json":                                                 400,
		"schedule-for-route/M%20T_loop.json":                                             200,
		"trip-details/M%20T_second%201.json":                                             200,
		"trip-details/M%20T_second%201.json?time=1772600000000":                          200,
		"arrivals-and-departures-for-stop/M%20T_C.json":                                  200,
		"arrivals-and-departures-for-stop/M%20T_C.json?minutesAfter=1440":                200,
		"arrival-and-departure-for-stop/M%20T_C.json?tripId=M%20T_second%201":            200,
		"trips-for-route/M%20T_loop.json":                                                400,
		"trips-for-location.json?lat=54.7&lon=-25.2&latSpan=9&lonSpan=9":                 400,
		"arrivals-and-departures-for-location.json?lat=54&lon=-25&latSpan=90&lonSpan=90": 200,
	})
}

// A block of ten thousand services is refused in little time, also if almost every day has its own
// set of them. It was 42 seconds.
func TestAppsAndABlockOfManyServices(t *testing.T) {
	for _, last := range []string{`'2026-12-18'`, `'2026-12-18'::date - i % 280`} {
		w := newWorld(t, func(c *Config) { withApps(c); patient(c) })
		w.reimport(t, `
			INSERT INTO transit.service (version_id, ord, service_id, monday, tuesday, wednesday, thursday, friday, saturday,
			  sunday, start_date, end_date, in_calendar)
			SELECT 2, 2 + i, 'service ' || i, (i & 1)::text, (i >> 1 & 1)::text, (i >> 2 & 1)::text, (i >> 3 & 1)::text,
			  (i >> 4 & 1)::text, (i >> 5 & 1)::text, (i >> 6 & 1)::text, '2026-01-01', `+last+`, true
			FROM generate_series(1, 10000) i;
			INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id, block_id)
			SELECT 2, 1000 + i, 3, 2, 3600 + i, 'of ' || i, 'loop', 'service ' || i, 'all' FROM generate_series(1, 10000) i;
			UPDATE transit.route SET trip_count = 20000 WHERE version_id = 2 AND route_id = 'loop'`)
		w.attacked(t, 1<<30, map[string]int{"block/M%20T_all.json": 507})
	}
}

// Tens of thousands of vehicles of one trip.
func TestAppsAndManyVehiclesOfATrip(t *testing.T) {
	w := newWorld(t, func(c *Config) { withApps(c); patient(c) })
	w.clockAt(in(t, "2026-03-04 06:10:00"))
	m := &rt.FeedMessage{Header: header(in(t, "2026-03-04 06:10:00"))}
	for i := range 62_000 {
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String(fmt.Sprint(i)), Vehicle: &rt.VehiclePosition{
			Trip:    &rt.TripDescriptor{TripId: proto.String("l1")},
			Vehicle: &rt.VehicleDescriptor{Id: proto.String(fmt.Sprint("bus ", i))}}})
	}
	w.polled(t, "metro", "vehicle_positions", in(t, "2026-03-04 06:10:00"), m)
	w.attacked(t, 200<<20, map[string]int{
		"trip-details/M%20T_l1.json":                    200,
		"vehicles-for-agency/M%20T.json":                200,
		"trips-for-route/M%20T_loop.json":               200,
		"arrivals-and-departures-for-stop/M%20T_C.json": 200,
		"trip-for-vehicle/M%20T_bus%2061000.json":       404,
	})
}
