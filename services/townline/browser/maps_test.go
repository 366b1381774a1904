package browser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// toldMap lets a test set the vehicles of a map: tell(age in seconds, changes) replaces the API's
// event stream. The page's clock is fixed at a whole second, and the test advances it by
// window.ahead milliseconds. The page's other requests get the same data.
const toldMap = `
(() => { const start = Math.floor(Date.now() / 1000) * 1000; window.ahead = 0; Date.now = () => start + window.ahead })();
window.streams = [];
window.vehicles = [];
window.answer = () => ({meta: {last_fetched: Math.floor(Date.now() / 1000)}, data: {realtime: "live", vehicles: window.vehicles}});
window.EventSource = function (url) { this.url = url; this.readyState = 1; this.close = () => {}; window.streams.push(this) };
window.vehicle = (id, old, more) => Object.assign({id, route_id: "10", route_short_name: "10", route_color: "0B57A4", headsign: "Pier", status: "NEAR",
	stop_name: "Ferry Terminal", lat: window.middle()[1], lon: window.middle()[0], timestamp: Math.floor(Date.now() / 1000) - old}, more);
window.middle = () => { const f = document.getElementById("map").getAttribute("data-frame").split(",").map(Number); return [f[0] + f[4] / f[2] / 2, f[1] - f[5] / f[3] / 2] };
window.tell = list => { window.vehicles = list; window.streams[window.streams.length - 1].onmessage({data: JSON.stringify(window.answer())}) };
window.fetch = (real => (url, o) => String(url).includes("/rt/map") ? Promise.resolve(new Response(JSON.stringify(window.answer()), {headers: {Date: new Date(Date.now()).toUTCString()}})) : real(url, o))(window.fetch);`

const (
	feedMap = "/f/alderbay/map"
	// listen makes a map open its stream at once, as when its tab becomes visible.
	listen = `document.dispatchEvent(new Event("visibilitychange"))`
	// listed returns the vehicles in the list: id, class, and cells.
	listed = `Array.from(document.querySelectorAll("#vehicles tr")).map(r => [r.getAttribute("data-id"), r.className].concat(Array.from(r.children).map(c => c.textContent)).join("|"))`
	// drawn returns the vehicles in the drawing: id, class, and direction of the arrow.
	drawn = `Array.from(document.querySelectorAll("#map .spots > g")).map(g => [g.getAttribute("data-id"), g.getAttribute("class"), (g.querySelector("path") || {getAttribute: () => "no arrow"}).getAttribute("transform")].join("|"))`
)

// openMap opens a map whose vehicles come from the test.
func openMap(t *testing.T, browser *pagetest.Browser, w town, v pagetest.View) *pagetest.Page {
	t.Helper()
	v.Before = toldMap + v.Before
	p := browser.Open(t, w.transit+feedMap, v)
	p.Eval(`(() => { ` + listen + ` })()`)
	p.Wait(`streams.length > 0`)
	return p
}

// testMaps tests the behaviour of a map over time: vehicles move, become old and disappear, and the
// list matches the drawing.
func testMaps(t *testing.T, browser *pagetest.Browser, w town) {
	same := func(t *testing.T, p *pagetest.Page, what, expression string, want ...string) {
		t.Helper()
		var got []string
		if p.Into(expression, &got); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", what, got, want)
		}
	}
	t.Run("moved by the stream", func(t *testing.T) {
		t.Parallel()
		// This map has the real stream of the demo town with moving buses. The test counts the
		// page's own requests.
		p := browser.Open(t, w.transit+feedMap, pagetest.View{Before: `window.asked = 0; window.told = 0;
			window.fetch = (real => (url, o) => { if (String(url).includes("/rt/map")) asked++; return real(url, o) })(window.fetch);
			window.EventSource = (Real => function (url) { const s = new Real(url); s.addEventListener("message", () => told++); return s })(window.EventSource);`})
		p.Wait(`asked > 0 && document.querySelectorAll("#map .spots > g").length > 0`)
		p.Eval(`(() => { ` + listen + ` })()`)
		p.Wait(`told > 0`)
		p.Eval(`(() => { window.first = {}; document.querySelectorAll("#map .spots > g").forEach(g => { first[g.getAttribute("data-id")] = g.getAttribute("transform") }); window.before = asked })()`)
		p.Wait(`Array.from(document.querySelectorAll("#map .spots > g")).some(g => first[g.getAttribute("data-id")] && first[g.getAttribute("data-id")] !== g.getAttribute("transform"))`)
		if p.Eval(`asked === before`) != "true" {
			t.Error("the map requested data that the stream sends")
		}
	})
	t.Run("grey, then removed", func(t *testing.T) {
		t.Parallel()
		p := openMap(t, browser, w, pagetest.View{})
		p.Eval(`tell([vehicle("a", 10, {bearing: 90}), vehicle("b", 89), vehicle("c", 91, {bearing: 0}), vehicle("d", 299), vehicle("e", 301), vehicle("f", 5, {lat: 0, lon: 0})])`)
		same(t, p, "the list", listed, "a||10|Pier|near Ferry Terminal|10 s ago", "b||10|Pier|near Ferry Terminal|89 s ago",
			"c|old|10|Pier|near Ferry Terminal|1 min ago",
			"d|old|10|Pier|near Ferry Terminal|4 min ago", "f||10|Pier|near Ferry Terminal|5 s ago")
		// Vehicle f is outside the drawing.
		same(t, p, "the drawing", drawn, "a|spot|rotate(90)", "b|spot|no arrow", "c|spot old|rotate(0)",
			"d|spot old|no arrow")
		if grey := p.Eval(
			`getComputedStyle(document.querySelector("#map .spot.old > g")).fill !== getComputedStyle(document.querySelector("#map .spot > g")).fill`); grey != "true" {
			t.Error("an old vehicle has the colour of a new one")
		}
		// The same bus at another place in another direction: its row and its spot remain the same
		// elements.
		p.Eval(`(() => { window.row = document.querySelector("#vehicles tr"); window.spot = document.querySelector("#map .spots > g"); window.was = spot.getAttribute("transform");
			tell([vehicle("a", 0, {bearing: 180, lon: middle()[0] + .001, stop_name: "Mill Lane", status: "STOPPED_AT"})]) })()`)
		same(t, p, "a bus that moved", listed, "a||10|Pier|at Mill Lane|0 s ago")
		same(t, p, "its drawing", drawn, "a|spot|rotate(180)")
		if p.Eval(
			`row === document.querySelector("#vehicles tr") && spot === document.querySelector("#map .spots > g") && was !== spot.getAttribute("transform")`) != "true" {
			t.Error("a moving bus is replaced, or does not move")
		}
		// Without updates the bus becomes old, and disappears after five minutes; the list shows
		// both.
		p.Eval(`window.ahead += 95000`)
		p.Wait(listed + `.join() === "a|old|10|Pier|at Mill Lane|1 min ago"`)
		p.Eval(`window.ahead += 210000`)
		p.Wait(listed + `.length === 0 && ` + drawn + `.length === 0 && !document.getElementById("none").hidden`)
	})
	t.Run("a stop is tapped", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+feedMap+"?stop=1001", pagetest.View{Language: "en"})
		p.Wait(moved)
		// The stop is in the middle of its map. Its tile may arrive later.
		p.Wait(`(() => { const c = document.querySelector("#gl canvas"), b = c.getBoundingClientRect(), open = document.querySelector(".maplibregl-popup a");
			if (!open) ["mousedown", "mouseup", "click"].forEach(kind => c.dispatchEvent(new MouseEvent(kind, {clientX: b.left + b.width / 2, clientY: b.top + b.height / 2, bubbles: true, view: window})));
			return !!open && /stops.1001$/.test(open.pathname) })()`)
		p.Wait(`document.querySelectorAll(".maplibregl-popup p .badge, .maplibregl-popup .quiet").length > 0`)
		if p.Eval(`document.querySelectorAll(".maplibregl-popup p .badge").length <= 3`) != "true" {
			t.Errorf("a stop has more than three departures: %s",
				p.Eval(`document.querySelector(".maplibregl-popup").textContent`))
		}
		if p.Eval(`!!document.querySelector("button.maplibregl-ctrl-geolocate")`) != "true" {
			t.Error("the map has no button for the reader's position")
		}
	})
	t.Run("a line is followed", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+feedMap, pagetest.View{Language: "en"})
		p.Wait(moved)
		// A line is somewhere on each row of the map. Software that draws for a busy browser can lose its
		// drawing, so the page is loaded three times at most.
		const tap = `(() => { const c = document.querySelector("#gl canvas"), b = c.getBoundingClientRect();
			for (let x = .1; x < .9; x += .01) {
				["mousedown", "mouseup", "click"].forEach(kind => c.dispatchEvent(new MouseEvent(kind, {clientX: b.left + b.width * x, clientY: b.top + b.height / 2, bubbles: true, view: window})));
				if (Array.from(document.querySelectorAll(".maplibregl-popup a")).some(a => /routes.ABT.\d+$/.test(a.pathname))) return window.tapped = true;
			}
			return performance.now() > 30000 })()`
		for range 3 {
			if p.Wait(tap); p.Eval(`!!window.tapped`) == "true" {
				break
			}
			t.Logf("no line was tapped; requests: %s; problems: %s", p.Requests(), p.Problems())
			p.Reload()
			p.Wait(moved)
		}
		if p.Eval(`document.getElementById("map").getAttribute("data-followed")`) == "" {
			t.Error("a tapped line is not followed")
		}
		p.Eval(`document.querySelector(".maplibregl-popup-close-button").click()`)
		if of := p.Eval(`document.getElementById("map").getAttribute("data-followed") || ""`); of != "" {
			t.Errorf("line %s is followed after its window is closed", of)
		}
	})
	t.Run("cut off", func(t *testing.T) {
		t.Parallel()
		p := openMap(t, browser, w, pagetest.View{})
		p.Eval(`tell([vehicle("a", 10)])`)
		p.Eval(`(streams[streams.length - 1].onerror(), window.ahead += 70000)`)
		p.Wait(`/^No connection for 7\d s/.test(document.getElementById("state").textContent)`)
		p.Wait(`document.getElementById("said").textContent.startsWith("No connection")`) // announced once to screen readers
		p.Eval(`tell([vehicle("a", 0)])`)
		p.Wait(`document.getElementById("state").className === "status live"`)
	})
	t.Run("hostile names", func(t *testing.T) {
		t.Parallel()
		const hostile = `<img src=x onerror="window.taken=1"><script>window.taken=1</script>`
		p := openMap(t, browser, w, pagetest.View{})
		p.Eval(`(() => { window.evil = ` + quote(hostile) +
			`; tell([vehicle(evil, 0, {headsign: evil, stop_name: evil, route_short_name: "<b>", route_color: 'red"/><x'}), vehicle("__proto__", 1, {headsign: "{0}$&"})]) })()`)
		same(t, p, "the list", listed, "__proto__||10|{0}$&|near Ferry Terminal|1 s ago", hostile+"||<b>|"+hostile+"|near "+
			hostile+"|0 s ago")
		if n := p.Eval(
			`document.querySelectorAll("#vehicles img, #vehicles script, #map .spots img, #map .spots script, #vehicles b b, x").length + " " + window.taken`); n != "0 undefined" {
			t.Errorf("names became elements: %s", n)
		}
		// The same applies to the movable map; the vehicles are in its middle.
		p.Wait(`document.getElementById("map").classList.contains("gl")`)
		p.Wait(`(() => { const c = document.querySelector("#gl canvas"), r = c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: r.left + r.width / 2, clientY: r.top + r.height / 2}));
			return document.querySelector("#gl .maplibregl-popup-content p") })()`)
		if said := p.Eval(`document.querySelector("#gl .maplibregl-popup-content p").textContent`); !strings.Contains(said,
			"near") ||
			p.Eval(`document.querySelectorAll("#gl .maplibregl-popup img, #gl .maplibregl-popup script").length + " " + window.taken`) != "0 undefined" {
			t.Errorf("the map shows %q", said)
		}
	})
	for name, before := range map[string]string{
		"without WebGL":  `HTMLCanvasElement.prototype.getContext = () => null;`,
		"with Save-Data": `Object.defineProperty(navigator, "connection", {value: {saveData: true}});`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openMap(t, browser, w, pagetest.View{Before: before})
			p.Eval(`tell([vehicle("a", 10, {bearing: 45})])`)
			same(t, p, "the drawing", drawn, "a|spot|rotate(45)")
			if _, bytes := p.Weight(); bytes > 25_000 ||
				p.Eval(`getComputedStyle(document.querySelector("#map > svg")).visibility + " " + !!document.getElementById("gl")`) != "visible false" {
				t.Errorf("%d bytes; requested: %v", bytes, p.Requests())
			}
			p.Screenshot("map-" + strings.ReplaceAll(name, " ", "-"))
		})
	}
}

// quote returns a text as a JavaScript literal.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "</", `<\/`).Replace(text) + `"`
}
