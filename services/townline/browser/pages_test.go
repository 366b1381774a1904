package browser_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
	"github.com/townline/townline/pkg/site"
)

// A sight is a page of the demo town.
type sight struct {
	name, api, path string
	english         bool // it is in English alone
	moves           bool // what it says may be otherwise a second later
	requests, bytes int  // most of the first view, bodies as they are sent; 0 is no limit
}

// sights are all pages. A page that is added to an API is added here.
var sights = []sight{
	{name: "routes", api: "transit", path: "/f/alderbay/routes", requests: 4, bytes: 12_000},
	{name: "timetable", api: "transit", path: "/f/alderbay/routes/ABT/10/timetable", requests: 4, bytes: 30_000},
	{name: "timetable-all", api: "transit", path: "/f/alderbay/routes/ABT/10/timetable?dir=0&all=true", requests: 4, bytes: 30_000},
	{name: "embed-board", api: "transit", path: "/embed/board?stop=alderbay:FT&accent=d0a000&background=fff8e0&size=125", moves: true, requests: 7, bytes: 14_000},
	{name: "embed-timetable", api: "transit", path: "/embed/timetable?feed_alias=alderbay&agency_id=ABT&route_id=10&accent=ff8800", requests: 6, bytes: 30_000},
	{name: "embedding", api: "transit", path: "/about/embedding?q=a&stop=alderbay:FT&accent=d0a000", requests: 4, bytes: 12_000},
	{name: "screens", api: "transit", path: "/about/screens?q=a&stop=alderbay:FT&variant=eink", requests: 4, bytes: 12_000},
	{name: "home", api: "transit", path: "/", requests: 4, bytes: 12_000},
	{name: "stops", api: "transit", path: "/stops?q=ferry", requests: 4, bytes: 12_000},
	{name: "stop", api: "transit", path: "/f/alderbay/stops/FT", requests: 4, bytes: 12_000},
	{name: "board", api: "transit", path: "/board?stop=alderbay:FT", requests: 4, bytes: 12_000},
	{name: "board-eink", api: "transit", path: "/board?stop=alderbay:FT&variant=eink", requests: 4, bytes: 12_000},
	{name: "line", api: "transit", path: "/f/alderbay/routes/ABT/10", moves: true, requests: 3, bytes: 25_000},
	{name: "line-map", api: "transit", path: "/f/alderbay/routes/ABT/10/map", moves: true, requests: 14, bytes: 490_000},
	{name: "feed-map", api: "transit", path: "/f/alderbay/map", moves: true, requests: 15, bytes: 490_000},
}

// views are those in which a page is opened: a few that have every language, theme and size among them, or all of their combinations.
func (s sight) views() []pagetest.View {
	languages := site.Languages()
	if s.english {
		languages = languages[:1]
	}
	if os.Getenv("TOWNLINE_EVERYTHING") == "" {
		last := len(languages) - 1
		return []pagetest.View{{Language: languages[0]}, {Language: languages[last/2], Dark: true, Width: 320}, {Language: languages[last], Zoom: 2, Forced: true}}
	}
	all := []pagetest.View{{Print: true}, {Forced: true}, {Calm: true}}
	for _, language := range languages {
		for _, dark := range []bool{false, true} {
			all = append(all, pagetest.View{Language: language, Dark: dark}, pagetest.View{Language: language, Dark: dark, Width: 320}, pagetest.View{Language: language, Dark: dark, Zoom: 2})
		}
	}
	return all
}

// Every page is what it should be for everybody: see the comment of the package.
func TestPages(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	w := startTown(t)
	for _, s := range sights {
		for i, v := range s.views() {
			t.Run(s.name+"/"+v.Name(), func(t *testing.T) {
				t.Parallel()
				p := browser.Open(t, w.root(s.api)+s.path, v)
				judge(t, p, v)
				if i == 0 {
					judgeOnce(t, browser, p, s, w.root(s.api)+s.path)
				}
				p.Screenshot(s.name)
			})
		}
	}
}

// judge holds a page to what it keeps in every view.
func judge(t *testing.T, p *pagetest.Page, v pagetest.View) {
	t.Helper()
	requests, bytes := p.Weight()
	t.Logf("%d requests, %d bytes", requests, bytes)
	if lang := p.Eval("document.documentElement.lang"); v.Language != "" && lang != v.Language {
		t.Errorf("in %q, not in %q", lang, v.Language)
	}
	for _, violation := range p.Violations() {
		t.Errorf("axe-core: %s", violation)
	}
	if n := p.Overflow(); n > 0 {
		t.Errorf("%d pixels wider than the window", n)
	}
	if shift := p.Shift(); shift != 0 {
		t.Errorf("the layout shifts by %v", shift)
	}
	for _, problem := range p.Problems() {
		t.Errorf("reported: %s", problem)
	}
	for _, address := range p.Foreign() {
		t.Errorf("foreign request: %s", address)
	}
}

// judgeOnce holds a page to what does not depend on the view.
func judgeOnce(t *testing.T, browser *pagetest.Browser, p *pagetest.Page, s sight, address string) {
	t.Helper()
	requests, bytes := p.Weight()
	if s.bytes > 0 && (requests > s.requests || bytes > s.bytes) {
		t.Errorf("%d requests of %d bytes; at most %d of %d", requests, bytes, s.requests, s.bytes)
	}
	judgeTab(t, p)
	if s.moves {
		return
	}
	plain := browser.Open(t, address, pagetest.View{NoScript: true})
	plain.Eval(`document.querySelectorAll("noscript").forEach(e => e.remove())`)
	shown := facts(p.Text())
	for _, line := range facts(plain.Text()) {
		if !slices.Contains(shown, line) {
			t.Errorf("only without script: %s", line)
		}
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// facts are the lines of a text; numbers, such as minutes to a departure, may differ from one moment to the next.
func facts(text string) []string {
	return strings.Split(digits.ReplaceAllString(text, "0"), "\n")
}

// judgeTab walks the page by the Tab key.
func judgeTab(t *testing.T, p *pagetest.Page) {
	t.Helper()
	const most = 60
	var there int
	p.Into(`Array.from(document.querySelectorAll("a[href], button, input, select, textarea, summary, iframe, [tabindex]"))
		.filter(e => e.tabIndex >= 0 && !e.disabled && e.getClientRects().length > 0 && e.checkVisibility({visibilityProperty: true})).length`, &there)
	stops := p.Tab(most)
	if len(stops) < min(there, most) {
		t.Errorf("Tab reaches %d of %d elements; the last: %s", len(stops), there, last(stops))
	}
	if !slices.IsSortedFunc(stops, func(a, b pagetest.Stop) int { return cmp.Compare(a.Index, b.Index) }) {
		t.Errorf("Tab leaves the order of the page: %v", stops)
	}
	for _, s := range stops {
		if !s.Visible || !s.Marked {
			t.Errorf("with the focus, %q is visible: %v, marked: %v", s.Name, s.Visible, s.Marked)
		}
	}
}

func last(stops []pagetest.Stop) string {
	if len(stops) == 0 {
		return "none"
	}
	return stops[len(stops)-1].Name
}
