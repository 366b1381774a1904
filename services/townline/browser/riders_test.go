package browser_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// badlyCut lists the texts of elements that break inside a line or are cut without an ellipsis.
const badlyCut = `(what => Array.from(document.querySelectorAll(what)).filter(e => e.offsetParent !== null && e.textContent.trim()).filter(e => {
	const range = document.createRange(), style = getComputedStyle(e);
	range.selectNodeContents(e);
	const tops = new Set(Array.from(range.getClientRects()).filter(r => r.width > 1).map(r => Math.round(r.top / 4)));
	return tops.size > 1 || e.scrollWidth > e.clientWidth + 1 && style.display !== "inline" && style.textOverflow !== "ellipsis";
}).map(e => e.textContent).join("; "))`

// rename gives the lines of a board long names, and the CSS class of a board with such names. The first
// departure gets a headway, as trips by frequency have one, which run only at night.
const rename = `(names => { const all = document.querySelectorAll("#rows .badge b");
	all.forEach((b, i) => { b.textContent = names[i % names.length]; });
	document.querySelectorAll("#rows td.w").forEach((w, i) => { if (i === 0 && w.querySelector(".m").hidden === false) {
		w.insertAdjacentHTML("afterbegin", "<b>about every 20 min</b>"); w.querySelector(".m").hidden = true } });
	const long = document.getElementById("board").classList.contains("bare") ? document.getElementById("rows") : document.getElementById("board");
	long.classList.add(long.id === "rows" ? "names8" : "names"); return all.length })(["501", "New Haven", "Hudson", "SUNWAY", "Antioch to San Francisco Airport and Millbrae"])`

// vehicleTrips returns the pages of trips with vehicles, except trips by frequency, which may have
// several vehicles.
func vehicleTrips(t *testing.T, w town) (pages []string) {
	t.Helper()
	var vehicles struct {
		Data []struct {
			Trip struct{ TripID, RouteID, StartDate, StartTime string }
		}
	}
	if err := json.Unmarshal(get(t, w.transit+"/gtfs/api/v2/rt/vehicles?_format=json"), &vehicles); err != nil {
		t.Fatal(err)
	}
	if len(vehicles.Data) == 0 {
		t.Fatal("no vehicle is on a trip")
	}
	for _, v := range vehicles.Data {
		if v.Trip.StartTime == "" {
			pages = append(pages, fmt.Sprintf("%s/f/alderbay/routes/ABT/%s/trips/%s?date=%s", w.transit, v.Trip.RouteID,
				v.Trip.TripID, v.Trip.StartDate))
		}
	}
	return pages
}

// testRiders checks the pages of riders for problems that testers found: readable names, links to
// each page, alerts.
func testRiders(t *testing.T, browser *pagetest.Browser, w town) {
	t.Run("phone", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+"/f/alderbay/stops/FT", pagetest.View{Width: 390, Height: 844})
		// Three groups of three departures, each in three lines.
		if fit := p.Eval(`(() => { const high = Array.from(document.querySelectorAll("#rows tbody")).map(g => g.getBoundingClientRect());
			return high.length > 0 && high[0].top + 3 * Math.min(...high.map(r => r.height)) <= innerHeight })()`); fit != "true" {
			t.Error("eight departures do not fit into the window")
		}
		if stays := p.Eval(`(() => {
			document.getElementById("rows").style.minHeight = "300vh"; // few departures take less than a window
			scrollTo(0, 400);
			return [".head", "#rows > .status"].every(what => {
				const box = document.querySelector(what).getBoundingClientRect();
				return box.top >= 0 && box.bottom < 200 }) })()`); stays != "true" {
			t.Error("title and state do not stay in sight")
		}
	})
	t.Run("your stops", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+"/f/alderbay/stops/FT", pagetest.View{Language: "en", Width: 390, Height: 844})
		p.Wait(`document.getElementById("star").className === ""`)
		p.TabTo("#star")
		p.Press(pagetest.Enter)
		p.TabTo(`[data-route="10"]`)
		p.Press(pagetest.Enter)
		if p.Eval(`location.search === "" && `+shown+`.every(r => r.getAttribute("data-r") === "10")`) != "true" {
			t.Errorf("a line does not filter in place:\n%s", p.Text())
		}
		p.TabTo(`[data-by="time"]`)
		p.Press(pagetest.Enter)
		if p.Eval(`document.querySelectorAll("#rows tbody").length < 2 && document.activeElement.getAttribute("data-by") === "line"`) != "true" {
			t.Error("the departures are not in the order of time, or the focus is lost")
		}
		p.Reload()
		if p.Eval(`document.getElementById("star").getAttribute("aria-pressed") === "true" && !document.querySelector(".byline")`) != "true" {
			t.Error("the star or the order of time is forgotten")
		}
		p.Go(w.transit + "/")
		p.Wait(`!!document.querySelector("#yours p .badge")`)
		if n := p.Overflow(); n > 0 || p.Eval(`document.querySelector("#yours a").textContent`) != "Ferry Terminal" {
			t.Errorf("the start page has no kept stop, or is %d pixels too wide:\n%s", n, p.Text())
		}
		for _, v := range p.Violations() {
			t.Errorf("the start page with a kept stop: %s", v)
		}
		if cookie := p.Eval(`document.cookie`); cookie != "" {
			t.Errorf("the page sets the cookie %s", cookie)
		}
	})
	sizes := [][2]int{{320, 640}, {1280, 800}, {1920, 1080}, {1080, 1920}} // the smallest and the largest sizes
	if everything() {
		sizes = append(sizes, [2]int{360, 640}, [2]int{768, 1024})
	}
	for _, size := range sizes {
		for _, path := range []string{"/f/alderbay/stops/FT", board, board + "&variant=eink"} {
			t.Run(fmt.Sprintf("names %s %d", path, size[0]), func(t *testing.T) {
				t.Parallel()
				p := browser.Open(t, w.transit+path, pagetest.View{Language: "en", Width: size[0], Height: size[1], NoScript: true})
				if n := p.Eval(rename); n == "0" {
					t.Fatalf("no lines:\n%s", p.Text())
				}
				if cut := p.Eval(badlyCut + `(".badge b, .board .c, .board .w .m, .board thead span")`); cut != "" {
					t.Errorf("text breaks, or is cut without an ellipsis: %s", cut)
				}
				if cut := p.Eval(
					`Array.from(document.querySelectorAll(".board thead th, .board td.w"), e => e.scrollWidth > e.clientWidth ? e.textContent : "").join("")`); cut != "" {
					t.Errorf("heads of columns or times are cut: %s", cut)
				}
				if n := p.Overflow(); n > 0 {
					t.Errorf("page is %d pixels wider than the window: %s", n, p.Eval(widest))
				}
				if cut := p.Eval(
					`Array.from(document.querySelectorAll("summary")).filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent).join()`); cut != "" {
					t.Errorf("an alert is cut: %s", cut)
				}
				if strings.HasPrefix(path, "/board") {
					free := p.Eval(
						`(innerHeight - document.querySelector("#rows > .status").getBoundingClientRect().bottom) / innerHeight`)
					if share, err := strconv.ParseFloat(free, 64); err != nil || share < 0 || share > .04 {
						t.Errorf("%s of the screen is empty below the age of its data", free)
					}
				}
			})
		}
	}
	t.Run("ways", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+"/", pagetest.View{Language: "en"})
		for _, step := range []struct{ link, heading string }{
			{`header nav a[href$="/routes"]`, "Lines of Alder Bay Transit"},
			{`main a[href$="/routes/ABT/10"]`, ""},
			{`main a[href$="/routes/ABT/10/timetable"]`, ""},
			{`main a[href$="/routes/ABT/10/map"]`, ""},
			{`header nav a[href$="/alerts"]`, "Alerts of Alder Bay Transit"},
			{`main a[href*="/stops/"]`, ""},
			{`main .here a[href*="/map?stop="]`, "Alder Bay Transit"},
		} {
			to := p.Eval(`(document.querySelector('` + step.link + `') || {}).href || ""`)
			if to == "" {
				t.Fatalf("%s has no link to %s:\n%s", p.Eval("location.pathname"), step.link, p.Text())
			}
			p.Go(to)
			if h := p.Eval(`document.querySelector("h1").textContent`); h == "There is no such page" || step.heading != "" &&
				h != step.heading {
				t.Errorf("%s is %q, want %q", to, h, step.heading)
			}
		}
	})
	t.Run("a trip", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+"/f/alderbay/stops/FT", pagetest.View{Language: "en"})
		p.Wait(`!!document.querySelector("#rows a.dest")`)
		p.Go(p.Eval(`document.querySelector("#rows a.dest").href`))
		if p.Eval(`document.querySelectorAll("ol.trip li").length > 5 && /^Line \d+/.test(document.title)`) != "true" {
			t.Errorf("%s\n%s", p.Eval("location.href"), p.Text())
		}
		if shift := p.Trickle(); shift > still {
			t.Errorf("in parts, the page shifts by %v: %s", shift, p.Moved())
		}
	})
	t.Run("a running trip", func(t *testing.T) {
		t.Parallel()
		until(t, w.transit+"/f/alderbay/map", `<tr data-id=`)
		var pages []string
		poll(t, func() bool {
			pages = vehicleTrips(t, w)
			return len(pages) == 0 || slices.ContainsFunc(pages, func(page string) bool {
				return strings.Contains(string(get(t, page)), `class="status live"`)
			})
		}, func() string { return fmt.Sprintf("no page has the position of its vehicle: %q", pages) })
		if len(pages) == 0 {
			t.Skip("only trips by frequency run now; their pages show no vehicles")
		}
	})
	t.Run("a page that does not exist", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/f/alderbay/stops/none", "/none"} {
			p := browser.Open(t, w.transit+path, pagetest.View{Language: "en"})
			if p.Eval(`!!document.querySelector('header nav a[href$="/alerts"]') && !!document.querySelector("header [name=q]")`) != "true" {
				t.Errorf("%s has no menu or no search:\n%s", path, p.Text())
			}
		}
	})
	t.Run("later departures", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/f/alderbay/stops/FT?lines=2", board + "&variant=phone&lines=2"} {
			p := browser.Open(t, w.transit+path, pagetest.View{Language: "en"})
			before := p.Eval(shown + `.length`)
			p.Go(p.Eval(`document.querySelector(".more a").href`))
			if after := p.Eval(shown + `.length`); after == "0" || after == before {
				t.Errorf("%s: %s departures, later %s:\n%s", path, before, after, p.Text())
			}
		}
	})
	t.Run("alerts", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/f/alderbay/alerts", "/f/alderbay/routes/ABT/10/timetable"} {
			until(t, w.transit+path, `Fish Market stop closed`)
			p := browser.Open(t, w.transit+path, pagetest.View{Language: "en"})
			if p.Eval(`document.querySelectorAll("main .notice").length > 0`) != "true" {
				t.Errorf("%s has no alert:\n%s", path, p.Text())
			}
		}
		p := browser.Open(t, w.transit+board, pagetest.View{Language: "en", Before: wrongClock})
		said := map[string]bool{}
		for range 10 {
			said[p.Eval(
				`(window.ahead += 10000, new Promise(r => setTimeout(() => r(Array.from(document.querySelectorAll("p.notice")).filter(e => !e.hidden).map(e => e.textContent).join("|")), 1100)))`)] = true
		}
		if len(said) < 2 || p.Eval(`document.querySelector("p.notice").textContent.includes("Elevator")`) != "true" {
			t.Errorf("a screen shows %v", said)
		}
	})
	t.Run("timetable", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+"/f/alderbay/routes/ABT/10/timetable", pagetest.View{Language: "en", Width: 1920,
			Height: 1080})
		if p.Eval(`document.querySelector(".grids").clientWidth > 1800`) != "true" {
			t.Error("the timetable leaves the window empty")
		}
		if high := p.Eval(
			`Array.from(document.querySelectorAll(".grids tbody tr")).filter(r => r.offsetHeight > 44).map(r => r.textContent).join()`); high != "" {
			t.Errorf("a trip takes more than one line: %s", high)
		}
		for _, width := range []int{390, 1280} {
			p := browser.Open(t, w.transit+"/f/alderbay/routes/ABT/10/timetable?all=true", pagetest.View{Language: "en",
				Width: width, Height: 844})
			for range 2 {
				if wide := p.Eval(`Array.from(document.querySelectorAll(".grids td, .grids thead th")).filter(e =>
					e.scrollWidth > e.clientWidth + 1).slice(0, 5).map(e => e.textContent).join("; ")`); wide != "" {
					t.Errorf("at %d pixels these are wider than their columns: %s", width, wide)
				}
				p.Go(w.transit + "/f/alderbay/routes/ABT/10/timetable")
			}
		}
		if p.Eval(
			`!document.querySelector(".past") || (location.hash = document.querySelector(".past").id, document.querySelector(".past").offsetHeight > 0)`) != "true" {
			t.Error("the earlier trips do not open")
		}
	})
}
