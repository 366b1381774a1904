package transitapi

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

func seen(id, trip string, lat, lon float32, at time.Time, more func(*rt.VehiclePosition)) *rt.FeedEntity {
	v := &rt.VehiclePosition{Vehicle: &rt.VehicleDescriptor{Id: &id}, Position: &rt.Position{Latitude: &lat,
		Longitude: &lon}, Timestamp: proto.Uint64(uint64(at.Unix()))}
	if trip != "" {
		v.Trip = &rt.TripDescriptor{TripId: &trip}
	}
	if more != nil {
		more(v)
	}
	return &rt.FeedEntity{Id: proto.String("e " + id), Vehicle: v}
}

// town adds vehicle positions to the test feed.
func (w *world) town(t *testing.T) {
	t.Helper()
	w.clockAt(noon)
	hostile := "<b>Dock</b>"
	w.sent(t, "vehicle_positions", noon,
		seen("7", "early", 54.69, -25.2, noon.Add(-20*time.Second), func(v *rt.VehiclePosition) {
			v.StopId, v.Position.Bearing, v.OccupancyStatus = proto.String("C"), proto.Float32(-90),
				rt.VehiclePosition_FULL.Enum()
			v.CurrentStatus = rt.VehiclePosition_INCOMING_AT.Enum()
		}),
		seen("8", "back", 54.7001, -25.2999, noon.Add(-2*time.Minute), nil), // old, and without a stop
		seen("9", "late", 54.69, -25.2, noon.Add(-10*time.Minute), nil),     // too old to be shown
		seen(hostile, "l1", 54.68, -25.1, noon, func(v *rt.VehiclePosition) { v.CurrentStopSequence = proto.Uint32(1) }),
		seen("nowhere", "late", 0, 0, noon, nil),
		seen("far", "late", 94, 400, noon, nil),
		seen("lost", "", 10, 10, noon, nil), // without a trip, and far from stops
	)
}

type mapAnswer struct {
	Meta struct {
		LastFetched int64 `json:"last_fetched"`
	}
	Data realtimeapi.VehicleMap
}

func (w *world) mapped(t *testing.T, query string) mapAnswer {
	t.Helper()
	a := decoded[mapAnswer](t, w, "/rt/map?feed=metro"+query)
	return a
}

// A map has the vehicles with a position, each with its stop.
func TestVehiclesOnMap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if a := w.mapped(t, ""); a.Data.Realtime != "none" || len(a.Data.Vehicles) != 0 {
		t.Errorf("map without a source: %+v", a)
	}
	w.town(t)
	golden(t, "realtime.map", w.ask(t, "/rt/map?feed=metro"))
	of := map[string]realtime.Located{}
	for _, v := range w.mapped(t, "").Data.Vehicles {
		of[v.ID] = v
	}
	if len(of) != 5 {
		t.Errorf("%d vehicles: %v", len(of), of)
	}
	for id, want := range map[string][2]string{"7": {"INCOMING_AT", "C"}, "8": {"NEAR", "C"},
		"<b>Dock</b>": {"IN_TRANSIT_TO", "100"}, "lost": {"NEAR", ""}} {
		if v := of[id]; v.Status != want[0] || v.StopID != want[1] {
			t.Errorf("vehicle %s is %s %s, want %v", id, v.Status, v.StopID, want)
		}
	}
	if v := of["7"]; v.Bearing == nil || *v.Bearing != 270 {
		t.Errorf("bearing: %v", v.Bearing)
	}
	if a := w.mapped(t, "&route_id=loop"); len(a.Data.Vehicles) != 1 || a.Data.Realtime != "live" {
		t.Errorf("map of one route: %+v", a)
	}
	w.clockAt(noon.Add(4 * time.Minute))
	if a := w.mapped(t, ""); a.Data.Realtime != "silent" || a.Meta.LastFetched != noon.Unix() {
		t.Errorf("map after four minutes: %+v", a)
	}
	w.statuses(t, map[string]int{"/rt/map?feed=nobody": 404, "/rt/map": 400})
}

const linePage = "/f/metro/routes/M%20T/R%2F1"

// wholePage requests a page and checks that it answers with a complete document.
func (w *world) wholePage(t *testing.T, target string, headers ...string) string {
	t.Helper()
	rec := w.page(t, target, headers...)
	body := rec.Body.String()
	if rec.Code != http.StatusOK || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, " style=") ||
		strings.Contains(body, "<script>") {
		t.Fatalf("%s: %d\n%s", target, rec.Code, body)
	}
	return body
}

func lacks(t *testing.T, what, body string, wants ...string) {
	t.Helper()
	missing := slices.DeleteFunc(wants, func(want string) bool { return strings.Contains(body, want) })
	if len(missing) > 0 {
		t.Errorf("%s lacks %q:\n%s", what, missing, body)
	}
}

// The list of a map has the same vehicles as the chart. Old positions are marked; expired positions
// are omitted.
func TestMapPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.town(t)
	line := w.wholePage(t, linePage+"/map")
	lacks(t, "the map of a line", line, "<h1>", "Harbor &lt;Line&gt;",
		`role="img" aria-label="Map of line 1, from Alder to`,
		`data-api="/gtfs/api/v2/rt/map?feed=metro&amp;lang=en&amp;route_id=R%2F1"`,
		`<tr data-id="7"><th scope="row">Dock</th><td>arriving at Cedar, full</td><td class="a">20 s ago</td></tr>`,
		`<tr data-id="8" class="old"><th scope="row">Alder</th><td>near Cedar</td><td class="a">2 min ago</td></tr>`,
		`transform="rotate(270)"`, `<g class="spot old" data-id="8"`, "Positions from 0 s ago.", `type="module"`,
		`title="These vehicles as JSON" href="https://transit.example/gtfs/api/v2/rt/map?feed=metro&amp;route_id=R%2F1&amp;_format=json"`)
	if strings.Contains(line, `data-id="9"`) || strings.Contains(line, "loop") {
		t.Errorf("the map has expired vehicles, or vehicles of other lines:\n%s", line)
	}
	feed := w.wholePage(t, "/f/metro/map?lang=fr")
	lacks(t, "the map of a feed", feed, `<img src="/f/metro/map.svg" alt="" width="1000"`,
		"data-id=\"&lt;b&gt;Dock&lt;/b&gt;\"", "prochain arrêt Aulne", "arrive à Cedar", "il y a 20 s",
		`<span class="badge`, `data-stop="/f/metro/stops/?lang=fr"`)
	rec := w.page(t, "/f/metro/map.svg")
	if rec.Code != 200 || rec.Header().Get("Content-Type") != "image/svg+xml" ||
		!strings.Contains(rec.Body.String(), `stroke="#f`) {
		t.Errorf("picture: %d %v\n%s", rec.Code, rec.Header(), rec.Body)
	}
	for decoder := xml.NewDecoder(rec.Body); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
	}
	for _, target := range []string{"/f/nobody/map", "/f/nobody/map.svg", "/f/metro/routes/M%20T/nothing/map",
		"/f/metro/routes/ferry/loop"} {
		if rec := w.page(t, target); rec.Code != 404 {
			t.Errorf("%s: %d", target, rec.Code)
		}
	}
}

// Each reason for missing positions has its own text.
func TestSilencesOfMaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(noon)
	lacks(t, "a map without a source", w.wholePage(t, "/f/metro/map"),
		"This agency does not publish the positions of its vehicles.")
	w.polled(t, "metro", "vehicle_positions", noon, &rt.FeedMessage{Header: header(noon)})
	lacks(t, "a map without vehicles", w.wholePage(t, "/f/metro/map"), "No vehicle is reporting its position right now.")
	w.clockAt(noon.Add(5 * time.Minute))
	lacks(t, "a map of a silent feed", w.wholePage(t, "/f/metro/map"), "No positions have arrived for 5 min.")
	closed := w.with(t, "  roles: {anonymous: [discovery, static]}")
	body := closed.wholePage(t, linePage+"/map")
	lacks(t, "a map without a key", body, "Live positions are not public here.", `role="img"`)
	if strings.Contains(body, "data-api") || strings.Contains(body, "<table") {
		t.Errorf("the map has live positions:\n%s", body)
	}
	if rec := w.with(t, "  roles: {anonymous: [discovery, realtime]}").page(t, "/f/metro/map"); rec.Code != 401 {
		t.Errorf("map without static data: status %d", rec.Code)
	}
}

// The page of a line has its stops in order, the next departures and its alerts.
func TestRoutePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(noon)
	w.sent(t, "alerts", noon, &rt.FeedEntity{Id: proto.String("a"), Alert: &rt.Alert{
		InformedEntity: []*rt.EntitySelector{{StopId: proto.String("C")}},
		HeaderText: &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{
			{Text: proto.String("Cedar <i>moved</i>")}}}}})
	body := w.wholePage(t, linePage)
	lacks(t, "the page of a line", body, "Harbor &lt;Line&gt;", `href="`+linePage+`/map"`, `href="`+linePage+`/timetable"`,
		`href="/f/metro/map"`,
		`<a href="/f/metro/stops/100">Alder</a>`, `<a href="/f/metro/stops/B%2050%25%2Fx">Birch ü</a>`, "Cedar moved",
		`role="img"`, `<h2>`)
	if first, last := strings.Index(body, "/stops/100\""), strings.Index(body, "/stops/C\""); first < 0 || last < first {
		t.Error("the stops are not in order")
	}
	lacks(t, "a line that runs nowhere", w.wholePage(t, "/f/metro/routes/M%20T/idle"),
		"This line has no trips in the timetable.")
}

// A map has the tiles of its feed and a link to the same place on OpenStreetMap.
func TestMapsHaveTiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, page := range []string{"/f/metro/map", "/f/metro/map?stop=C", linePage + "/map"} {
		lacks(t, page, w.wholePage(t, page), `data-net="/gtfs/api/v2/tiles/{z}/{x}/{y}.mvt?feed=metro"`,
			`href="https://www.openstreetmap.org/#map=`)
	}
}

// The operator selects the base map, and only its hosts receive requests.
func TestBaseMap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		text := testConfig + "display:\n  map: {style: 'https://tiles.example/style.json', hosts: " +
			"['https://fonts.example'], credit: 'the <town>'}\n"
		if err := os.WriteFile(c.File, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	})
	rec := w.page(t, "/f/metro/map")
	lacks(t, "the map", rec.Body.String(), `data-base="https://tiles.example/style.json"`,
		`data-credit="the &lt;town&gt;"`)
	lacks(t, "its policy", rec.Header().Get("Content-Security-Policy"),
		"connect-src 'self' https://fonts.example https://tiles.example;",
		"img-src 'self' data: blob: https://fonts.example https://tiles.example;")
	if csp := w.page(t, linePage).Header().Get("Content-Security-Policy"); strings.Contains(csp, "example") {
		t.Errorf("the policy of other pages also allows the base map: %s", csp)
	}
}
