package browser_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pagetest"
	"github.com/townline/townline/pkg/site"
)

// A sight is a page of the demo town.
type sight struct {
	name, api, path string
	english         bool   // the page exists only in English
	moves           bool   // its text may change within a second
	status          int    // status of an error page
	requests, bytes int    // limits of the first view, bodies as sent; 0 means no limit
	whole           string // JavaScript that is true when the page has loaded everything; then the first view is complete
	// similar means that axe-core, which takes seconds, already checks another page of this type or
	// an opened one. It checks this page, and every second of the other views, only with
	// TOWNLINE_EVERYTHING.
	similar bool
	opened  bool // the test has opened parts of the page, which moves the parts below
	fills   bool // the rows share the height of a screen, so they move until the last one has arrived
}

// board has two stops: a station, and a stop outside the station.
const board = "/board?stop=alderbay%3AFT&stop=alderbay%3A1001"

// moved is true if the map is movable: its program has loaded. A separate test covers its first 25
// kB.
const moved = `document.getElementById("map").classList.contains("gl")`

// sights lists all pages. Add the new pages of an API here.
var sights = []sight{
	{name: "routes", api: "transit", path: "/f/alderbay/routes", requests: 4, bytes: 12_000},
	{name: "feed-report", api: "transit", path: "/f/alderbay/report", requests: 4, bytes: 12_000},
	{name: "feed-performance", api: "transit", path: "/f/alderbay/performance", moves: true, requests: 5, bytes: 14_000},
	{name: "feed-rt-report", api: "transit", path: "/f/alderbay/rt/report", moves: true, requests: 4, bytes: 12_000},
	{name: "timetable", api: "transit", path: "/f/alderbay/routes/ABT/10/timetable", moves: true, requests: 4,
		bytes: 30_000},
	{name: "timetable-all", api: "transit", path: "/f/alderbay/routes/ABT/10/timetable?dir=0&all=true&service=WKND",
		similar: true, requests: 4, bytes: 30_000},
	{name: "embed-board", api: "transit", path: "/embed/board?stop=alderbay:FT&accent=d0a000&background=fff8e0&size=200",
		moves: true, requests: 7, bytes: 14_000},
	{name: "embed-timetable", api: "transit",
		path: "/embed/timetable?feed_alias=alderbay&agency_id=ABT&route_id=10&accent=ff8800", similar: true, moves: true,
		requests: 6, bytes: 30_000},
	{name: "embed-map", api: "transit", path: "/embed/map?feed=alderbay&accent=a05000&background=101820", moves: true,
		requests: 14, bytes: 480_000, whole: moved},
	{name: "displays-timetable", api: "transit", path: "/about/displays?of=alderbay:10&show=timetable", similar: true},
	{name: "displays-embed", api: "transit",
		path: "/about/displays?q=a&stop=alderbay:FT&as=embed&own=yes&accent=%23d0a000"},
	{name: "displays-screen", api: "transit", path: "/about/displays?q=a&stop=alderbay:FT"},
	{name: "displays", api: "transit", path: "/about/displays", requests: 4, bytes: 12_000},
	{name: "home", api: "transit", path: "/", requests: 6, bytes: 12_000},
	{name: "stops", api: "transit", path: "/stops?q=ferry", requests: 4, bytes: 12_000},
	{name: "stop", api: "transit", path: "/f/alderbay/stops/FT", moves: true, requests: 5, bytes: 15_000},
	{name: "line", api: "transit", path: "/f/alderbay/routes/ABT/10", moves: true, requests: 4, bytes: 25_000},
	{name: "line-map", api: "transit", path: "/f/alderbay/routes/ABT/10/map", similar: true, moves: true, requests: 14,
		bytes: 480_000, whole: moved},
	{name: "feed-map", api: "transit", path: "/f/alderbay/map", moves: true, requests: 15, bytes: 480_000, whole: moved},
	{name: "alerts", api: "transit", path: "/f/alderbay/alerts", requests: 3, bytes: 12_000},
	{name: "map-stop", api: "transit", path: "/f/alderbay/map?stop=FT", similar: true, moves: true, requests: 15,
		bytes: 480_000,
		whole: moved},
	{name: "board-lcd", api: "transit", path: board, moves: true, fills: true, requests: 4, bytes: 12_000},
	{name: "board-eink", api: "transit", path: board + "&variant=eink", moves: true, fills: true, requests: 4,
		bytes: 12_000},
	{name: "board-phone", api: "transit", path: board + "&variant=phone", moves: true, requests: 4, bytes: 12_000},
	{name: "screen", api: "transit", path: "/screens/hall", similar: true, moves: true, fills: true, requests: 4,
		bytes: 12_000},
	{name: "privacy", api: "transit", path: "/privacy", requests: 4, bytes: 12_000},
	{name: "accessibility", api: "transit", path: "/accessibility", similar: true, requests: 4, bytes: 12_000},
	{name: "error", api: "transit", path: "/f/alderbay/stops/none", status: 404},
	{name: "stop-quiet", api: "transit", path: "/f/alderbay/stops/52104?minutes=1", similar: true, moves: true, requests: 5,
		bytes: 15_000},
	{name: "stops-none", api: "transit", path: "/stops?q=zzzz", similar: true, requests: 4, bytes: 12_000},
	{name: "timetable-none", api: "transit", path: "/f/alderbay/routes/ABT/10/timetable?date=2040-01-01", similar: true,
		moves: true, requests: 4, bytes: 30_000},
	{name: "docs-transit", api: "transit", path: "/gtfs/api/v2/docs", english: true, similar: true, requests: 3,
		bytes: 60_000},
	{name: "council-home", api: "council", path: "/", requests: 4, bytes: 25_000},
	{name: "council-body", api: "council", path: "/bodies/city-council", requests: 4, bytes: 25_000},
	{name: "council-meetings", api: "council", path: "/meetings", requests: 4, bytes: 25_000},
	{name: "council-meeting", api: "council", path: "/meetings/{meeting}", requests: 4, bytes: 25_000},
	{name: "council-minutes", api: "council", path: "/meetings/{meeting}/minutes?page={page}", requests: 4, bytes: 25_000},
	{name: "council-votes", api: "council", path: "/votes?split=true", requests: 4, bytes: 25_000},
	{name: "council-vote", api: "council", path: "/votes/{vote}", requests: 4, bytes: 25_000},
	{name: "council-members", api: "council", path: "/members", requests: 4, bytes: 25_000},
	{name: "council-member", api: "council", path: "/members/{member}", requests: 4, bytes: 25_000},
	{name: "council-agreement", api: "council", path: "/members/agreement", requests: 4, bytes: 25_000},
	{name: "council-pair", api: "council", path: "/members/{member}/with/{other}", requests: 4, bytes: 25_000},
	{name: "council-topics", api: "council", path: "/topics", requests: 4, bytes: 25_000},
	{name: "council-topic", api: "council", path: "/topics/housing", requests: 4, bytes: 25_000},
	{name: "council-anomaly", api: "council", path: "/anomalies/{anomaly}", requests: 4, bytes: 25_000},
	{name: "council-search", api: "council", path: "/search?q=street", requests: 4, bytes: 25_000},
	{name: "council-search-minutes", api: "council", path: "/search/minutes?q=street", similar: true, requests: 4,
		bytes: 25_000},
	{name: "council-anomalies", api: "council", path: "/anomalies", requests: 4, bytes: 25_000},
	{name: "council-changes", api: "council", path: "/changes", requests: 4, bytes: 25_000},
	{name: "council-about", api: "council", path: "/about", requests: 4, bytes: 25_000},
	{name: "council-privacy", api: "council", path: "/privacy", similar: true, requests: 4, bytes: 25_000},
	{name: "council-accessibility", api: "council", path: "/accessibility", requests: 4, bytes: 25_000},
	{name: "council-embed-vote", api: "council", path: "/embed/votes/{vote}?accent=d0a000&background=fff8e0", requests: 6,
		bytes: 14_000},
	{name: "council-embed-member", api: "council", path: "/embed/members/{member}?theme=dark", similar: true,
		requests: 6, bytes: 14_000},
	{name: "council-meetings-none", api: "council", path: "/meetings?from=2040-01-01", similar: true, requests: 4,
		bytes: 25_000},
	{name: "council-votes-none", api: "council", path: "/votes?q=zzzz", similar: true, requests: 4, bytes: 25_000},
	{name: "council-search-none", api: "council", path: "/search?q=zzzz", similar: true, requests: 4, bytes: 25_000},
	{name: "council-error", api: "council", path: "/votes/999999999", status: 404},
	{name: "docs-council", api: "council", path: "/v1/docs", english: true, similar: true, requests: 3, bytes: 40_000},
}

// views returns the views for the nth page: all combinations with TOWNLINE_EVERYTHING, otherwise
// one, chosen so that all pages together cover every language, theme and size.
func (s sight) views(n int) []pagetest.View {
	languages := site.Languages()
	if s.english {
		languages = languages[:1]
	}
	if !everything() {
		last := len(languages) - 1
		few := []pagetest.View{{Language: languages[0]}, {Language: languages[last/2], Dark: true, Width: 320},
			{Language: languages[last], Zoom: 2, Forced: true}}
		return few[n%len(few):][:1]
	}
	all := []pagetest.View{{Print: true}, {Forced: true}, {Calm: true}, {Width: 768}}
	if s.api != "transit" { // other tests cover the transit pages without script
		all = append(all, pagetest.View{NoScript: true})
	}
	for _, language := range languages {
		for _, dark := range []bool{false, true} {
			all = append(all, pagetest.View{Language: language, Dark: dark}, pagetest.View{Language: language, Dark: dark,
				Width: 320}, pagetest.View{Language: language, Dark: dark, Zoom: 2})
		}
	}
	return all
}

// Every page follows the rules in the package comment.
func TestPages(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	w := startTown(t)
	warm(t, w.transit+board)
	views := sight{}.views(0)
	if !everything() {
		views = append(views, sight{}.views(1)...)
	}
	desk := openDesk(t, w, clerks(len(views)))
	t.Run("review", func(t *testing.T) { testReview(t, browser, w, desk) }) // first, because it changes other pages
	for name, test := range map[string]func(*testing.T, *pagetest.Browser, town){"docs": testDocs, "boards": testBoards,
		"riders": testRiders, "maps": testMaps, "print": testPrint, "words": testWords, "minutes": testMinutes, "tasks": testTasks,
		"citation": testCitation,
		"desk":     func(t *testing.T, browser *pagetest.Browser, w town) { testDesk(t, browser, w, desk, views) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser, w)
		})
	}
	place := w.divided(t)
	for n, s := range sights {
		s.path = place.address(s.path)
		s.similar = s.similar || n%2 == 1
		all := s.views(n)
		for i, v := range all {
			t.Run(s.name+"/"+v.Name(), func(t *testing.T) {
				t.Parallel()
				v.Before = keepBoard
				p := browser.Open(t, w.root(s.api)+s.path, v)
				if s.whole != "" {
					p.Wait(s.whole)
				}
				requests, bytes := p.Weight()
				t.Logf("%d requests, %d bytes", requests, bytes)
				if s.bytes > 0 && (requests > s.requests || bytes > s.bytes) {
					t.Errorf("%d requests with %d bytes, want at most %d with %d", requests, bytes, s.requests, s.bytes)
				}
				judge(t, p, v, s)
				if i == 0 {
					judgeTab(t, p)
					if !s.moves && (everything() || n%4 == 0) {
						judgePlain(t, browser, p, w.root(s.api)+s.path, v)
					}
				}
				p.Screenshot(s.name)
				if i == slices.IndexFunc(all, func(v pagetest.View) bool { return !v.Print }) && s.whole == "" && !s.fills {
					if shift := p.Trickle(); shift > still {
						t.Errorf("in parts, the page shifts by %v: %s", shift, p.Moved())
					}
				}
			})
		}
	}
}

// warm requests a board until it has live times, because sources are polled only while clients
// read.
func warm(t *testing.T, address string) {
	t.Helper()
	until(t, address, `data-kind="live"`)
}

// until requests an address until the answer contains a text.
func until(t *testing.T, address, text string) {
	t.Helper()
	var body []byte
	poll(t, func() bool {
		body = get(t, address)
		return strings.Contains(string(body), text)
	}, func() string { return fmt.Sprintf("%s never has %s: %s", address, text, body) })
}

// poll waits until done returns true. After a minute it fails with the text of late.
func poll(t *testing.T, done func() bool, late func() string) {
	t.Helper()
	tick, end := time.NewTicker(50*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(late())
		}
	}
}

// get returns the body at an address, with any status.
func get(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// An update of a board may change its rows, notes and notices. keepBoard stores the server's texts;
// boardChanged reports whether an update has changed them. Countdowns always change but move
// nothing.
const (
	keepBoard = `window.boardWords = () => (document.getElementById("rows") || {innerText: ""}).innerText.replace(/[\d:]+/g, "");
	document.addEventListener("readystatechange", () => { window.boardSent = window.boardSent || window.boardWords() });`
	boardChanged = `window.boardWords ? window.boardWords() !== window.boardSent : false`
)

// still is the layout shift of a page that does not move. A word that is aligned on its right side
// grows when its second half arrives.
const still = 0.001

// loading is the threshold of Core Web Vitals for the layout shift of a page that loads as usual. Where in
// the document the browser draws is chance: a word of which a half has arrived may move to the next line when
// the other half arrives. [pagetest.Page.Trickle] and [pagetest.Page.LateShift] have no such chance.
const loading = 0.1

// settled is the layout shift of a page after it was loaded and drawn, if nothing on it changes.
const settled = 0.01

// judge checks the rules that hold in every view of a page.
func judge(t *testing.T, p *pagetest.Page, v pagetest.View, s sight) {
	t.Helper()
	if lang := p.Eval("document.documentElement.lang"); v.Language != "" && lang != v.Language {
		t.Errorf("the document's language is %q, want %q", lang, v.Language)
	}
	shift, late := p.Shift(), p.LateShift() // before axe-core makes the browser render sections that are out of sight
	violations := []pagetest.Violation(nil)
	if !s.similar || everything() {
		violations = p.Violations()
	}
	for _, violation := range violations {
		if v.Forced && violation.Rule == "color-contrast" {
			continue // the reader chooses the colours, but axe-core sees those of the page
		}
		t.Errorf("axe-core: %s", violation)
	}
	if n := p.Overflow(); n > 0 {
		t.Errorf("page is %d pixels wider than the window", n)
	}
	if shift > loading && !s.fills && !s.opened {
		t.Errorf("the layout shifts by %v, want at most %v: %s", shift, loading, p.Moved())
	}
	changed := s.moves && p.Eval(boardChanged) == "true"
	if late > settled && !changed && !s.opened {
		t.Errorf("the loaded page shifts by %v, want at most %v: %s", late, settled, p.Moved())
	}
	for _, problem := range p.Problems() {
		if s.status > 0 && strings.Contains(problem, fmt.Sprint(s.status)) {
			continue // the browser reports the page itself
		}
		t.Errorf("reported: %s", problem)
	}
	for _, address := range p.Foreign() {
		t.Errorf("request to another host: %s", address)
	}
	if v.Width == 320 { // fonts differ between machines
		p.Widen()
		if n := p.Overflow(); n > 0 {
			t.Errorf("with wider letters the page is %d pixels wider than the window: %s", n, p.Eval(widest))
		}
		p.Eval(`(document.adoptedStyleSheets = [], "")`)
	}
}

// judgePlain checks that the page without script has all facts of the same page.
func judgePlain(t *testing.T, browser *pagetest.Browser, p *pagetest.Page, address string, v pagetest.View) {
	t.Helper()
	plain := browser.Open(t, address, pagetest.View{Language: v.Language, Print: v.Print, NoScript: true})
	plain.Eval(`document.querySelectorAll("noscript").forEach(e => e.remove())`)
	shown := strings.Join(facts(p.Text()), " ")
	for _, line := range facts(plain.Text()) {
		if !strings.Contains(shown, line) {
			t.Errorf("only without script: %s", line)
		}
	}
}

// widest lists the elements that overflow the window.
const widest = `Array.from(document.querySelectorAll("main *, header *, footer *")).filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide"))
	.slice(0, 5).map(e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40)).join("; ")`

var digits = regexp.MustCompile(`\b[A-Z2-7]{26}\b|[0-9]+`)

// facts returns the lines of a text without numbers. Numbers such as minutes to a departure or
// request ids may change at any moment.
func facts(text string) []string {
	return strings.Split(digits.ReplaceAllString(text, "0"), "\n")
}

func judgeTab(t *testing.T, p *pagetest.Page) {
	t.Helper()
	most := 20
	if everything() {
		most = 60
	}
	there := p.Reachable()
	stops := p.Tab(most)
	if len(stops) < min(there, most) {
		t.Errorf("Tab reaches %d of %d elements; the last: %s", len(stops), there, last(stops))
	}
	if !slices.IsSortedFunc(stops, func(a, b pagetest.Stop) int { return cmp.Compare(a.Index, b.Index) }) {
		t.Errorf("the order of Tab stops differs from the page's: %v", stops)
	}
	for _, s := range stops {
		if !s.Visible || !s.Marked {
			t.Errorf("with focus, %q is visible: %v, marked: %v", s.Name, s.Visible, s.Marked)
		}
	}
}

func last(stops []pagetest.Stop) string {
	if len(stops) == 0 {
		return "none"
	}
	return stops[len(stops)-1].Name
}
