package browser_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// A walk counts what a reader does for a task: taps, and windows that are scrolled. To write a text is no
// tap, but the tap on its field is.
type walk struct {
	*pagetest.Page
	taps, scrolls int
}

func (w *walk) tap(selector string) {
	w.taps++
	w.scrolls += w.Tap(selector)
}

func (w *walk) open(selector string) {
	w.taps++
	w.scrolls += w.TapAnew(selector)
}

func (w *walk) see(selectors ...string) {
	for _, selector := range selectors {
		w.scrolls += w.See(selector)
	}
}

func (w *walk) write(selector, text string) {
	w.tap(selector)
	w.Press(text)
}

// A task is what a reader wants, from the page where it begins to the page that answers.
type task struct {
	who, what, api, path string
	taps, scrolls        int // at most, at 390 × 844
	do                   func(*walk)
}

const (
	lineTen = `main a[href$="/routes/ABT/10"]`
	member  = `.tallies th a`
)

// tasks are those of the review of the pages, in the order of TASKS.md.
var tasks = []task{
	{"rider", "the next departures of a stop by its name", "transit", "/", 2, 0, func(w *walk) {
		w.write("#q", "ferry")
		w.Wait(`document.querySelector(".suggest .list a")`)
		w.open(".suggest .list a")
		w.see(".head h1", "#rows > .status", "#rows tbody tr")
	}},
	{"rider", "keep a stop, and find it on the start page", "transit", "/f/alderbay/stops/FT", 2, 0, func(w *walk) {
		w.Wait(`document.getElementById("star").className === ""`)
		w.tap("#star")
		w.open(`header .brand`)
		w.Wait(`document.querySelector("#yours p .badge")`)
		w.see("#yours a", "#yours p .badge")
	}},
	{"rider", "only the departures of one line", "transit", "/f/alderbay/stops/FT", 1, 0, func(w *walk) {
		w.tap(`.chips [data-route="10"]`)
		w.Wait(shown + `.every(r => r.getAttribute("data-r") === "10")`)
	}},
	{"rider", "departures in the order of time, also the next time", "transit", "/f/alderbay/stops/FT", 1, 0, func(w *walk) {
		w.tap(`[data-by="time"]`)
		w.Reload()
		w.Wait(`!document.querySelector(".byline")`)
	}},
	{"rider", "where a bus is, and when it is at my stop", "transit", "/f/alderbay/stops/FT", 1, 0, func(w *walk) {
		w.open("#rows a.dest")
		w.see("h1", ".status", "ol.line.trip li .at")
	}},
	{"rider", "the timetable of a line today", "transit", "/", 2, 0, func(w *walk) {
		w.open(lineTen)
		w.open(".days a")
		w.see(".grids td")
	}},
	{"rider", "the timetable of a line on Sunday", "transit", "/", 2, 0, func(w *walk) {
		w.open(lineTen)
		w.open(".days a:last-child")
		w.see(".grids td")
	}},
	{"rider", "what is closed or late on a line", "transit", "/", 1, 0, func(w *walk) {
		w.open(lineTen)
		w.see(".notice summary")
	}},
	{"rider", "the way to a stop on a street map", "transit", "/f/alderbay/stops/FT", 0, 1, func(w *walk) {
		w.see(`.here a[href^="https://www.openstreetmap.org"]`)
	}},
	{"operator", "the address of a screen with its code", "transit", "/", 6, 4, func(w *walk) {
		w.open(`footer a[href*="/about/displays"]`)
		w.write("#q", "ferry")
		w.open("fieldset button")
		w.tap(".pick input")
		w.open("form.build > button")
		w.see(".preview iframe", `.made img[src^="data:image/png"]`)
		w.tap(".made .copy")
	}},
	{"resident", "how a contested vote ended, and who was against", "council", "/", 1, 0, func(w *walk) {
		w.open(".votes .about a")
		w.see(".big .answer", ".big a")
	}},
	{"resident", "how my member voted on a topic", "council", "/", 3, 1, func(w *walk) {
		w.open(`header nav a[href*="/members"]`)
		w.open(member)
		w.open(`main a[href*="topic="]`)
		w.see(".votes .stand")
	}},
	{"resident", "the next meeting", "council", "/", 1, 0, func(w *walk) {
		w.open(`header nav a[href*="/meetings"]`)
		w.see("main .list a")
	}},
	{"journalist", "the votes that a member lost", "council", "/members", 2, 0, func(w *walk) {
		w.open(member)
		w.open(`.figures a[href*="minority=true"]`)
		w.see("#found", ".votes .stand")
	}},
	{"journalist", "where two members differ", "council", "/members/agreement", 2, 0, func(w *walk) {
		w.open(".matrix td a")
		w.open(`main a[href*="differ="]`)
		w.see(".votes .stand, main [role=status]")
	}},
	{"journalist", "the contested votes on a topic", "council", "/topics", 1, 0, func(w *walk) {
		w.open(`.tallies a[href*="split=true"]`)
		w.see("#found", ".votes .about a, main [role=status]")
	}},
	{"journalist", "a vote by a word that is spelt wrong", "council", "/", 2, 0, func(w *walk) {
		w.write(`main [name="q"]`, "housng")
		w.open("form.find button")
		w.see(".votes .about a")
	}},
	{"journalist", "the lines of the minutes", "council", "/votes/{vote}", 0, 1, func(w *walk) {
		w.see(".excerpt pre")
	}},
	{"journalist", "cite a vote", "council", "/votes/{vote}", 0, 2, func(w *walk) {
		w.see(".cite")
	}},
	{"journalist", "the votes of a question as a spreadsheet", "council", "/votes?split=true&to=2026-08-31", 0, 3, func(w *walk) {
		w.see(`main a[href*="_format=csv"], main a[href*=".csv"]`)
	}},
}

// Every task of the review is done on a phone with no more taps and scrolls than TASKS.md says.
func testTasks(t *testing.T, browser *pagetest.Browser, w town) {
	place := w.divided(t)
	until(t, w.transit+"/f/alderbay/routes/ABT/10", `class="notice`)
	table, err := os.ReadFile("TASKS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tasks {
		t.Run(strings.ReplaceAll(c.what, " ", "-"), func(t *testing.T) {
			p := browser.Open(t, w.root(c.api)+place.address(c.path), pagetest.View{Language: "en", Width: 390, Height: 844})
			by := &walk{Page: p}
			c.do(by)
			t.Logf("| %s | %s | %d | %d |", c.who, c.what, by.taps, by.scrolls)
			if by.taps > c.taps || by.scrolls > c.scrolls {
				t.Errorf("%d taps and %d scrolls, want at most %d and %d", by.taps, by.scrolls, c.taps, c.scrolls)
			}
			if row := fmt.Sprintf("| %s | %s | %d | %d |\n", c.who, c.what, c.taps, c.scrolls); !strings.Contains(string(table), row) {
				t.Errorf("TASKS.md lacks %s", row)
			}
			for _, problem := range p.Problems() {
				t.Errorf("reported: %s", problem)
			}
		})
	}
}
