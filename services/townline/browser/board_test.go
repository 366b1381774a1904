package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pagetest"
)

// boardWorld is a script that lets a test set the clock of a page ahead, by window.ahead seconds, and cut it off from the network.
const boardWorld = `(function () {
	var real = Date.now.bind(Date), open = XMLHttpRequest.prototype.open;
	window.ahead = window.ahead || 0;
	Date.now = function () { return real() + window.ahead * 1000; };
	XMLHttpRequest.prototype.open = function (method, url) { return open.call(this, method, window.cut ? "http://127.0.0.1:1/" : url); };
})();`

// patience is how long a board may take to become what it is to be.
const patience = 30 * time.Second

// again makes a board ask at once, as it does when the network comes back.
const again = `window.dispatchEvent(new Event("online"))`

// openBoard opens a board of the demo town that has live times.
func openBoard(t *testing.T, browser *pagetest.Browser, w town, before string) *pagetest.Page {
	t.Helper()
	address := w.transit + "/board?stop=alderbay:FT&minutes=1440"
	p := browser.Open(t, address, pagetest.View{Language: "en", Before: before + boardWorld})
	// A poll follows each reading of data that is stale: it takes a moment until the first has ended.
	late := time.After(patience)
	for p.Eval(`fetch(location.href + "&part=rows").then(r => r.text()).then(text => text.includes('data-kind="live"'))`) != "true" {
		select {
		case <-late:
			t.Fatal("the board gets no live times")
		default:
		}
	}
	p.Eval(again)
	p.Wait(`document.querySelector("#rows").getAttribute("data-kind") === "live" && document.querySelector("tbody tr:not([hidden])")`)
	return p
}

// A board that is cut off tells the truth: its live times grow old, give way to the timetable, and come back with the network.
func TestBoardsGrowOld(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	p := openBoard(t, browser, startTown(t), "")
	p.Eval(`(window.cut = true, window.ahead = 100, ` + again + `)`)
	p.Wait(`!document.getElementById("offline").hidden`)
	if status := p.Eval(`document.querySelector("#rows > .status").textContent`); !strings.Contains(status, "min old") {
		t.Errorf("after 100 seconds: %q", status)
	}
	p.Eval(`(window.ahead = 300, ` + again + `)`)
	p.Wait(`/ old/.test(document.getElementById("board").className)`)
	if status := p.Eval(`document.querySelector("#rows > .status").textContent`); !strings.HasPrefix(status, "No live times since") {
		t.Errorf("after five minutes: %q", status)
	}
	if kinds := p.Eval(`Array.from(document.querySelectorAll("tbody tr:not([hidden]):not(.gone) .o")).map(e => e.textContent).filter(text => text !== "timetable").length + " of " + document.querySelectorAll("tbody tr:not([hidden])").length`); !strings.HasPrefix(kinds, "0 of ") || kinds == "0 of 0" {
		t.Errorf("rows that are not of the timetable: %s", kinds)
	}
	p.Eval(`(window.cut = false, window.ahead = 0, ` + again + `)`)
	p.Wait(`document.getElementById("offline").hidden && !/ old/.test(document.getElementById("board").className)`)
}

// A device whose clock is wrong counts down by the server's.
func TestBoardsGoByTheServersClock(t *testing.T) {
	t.Parallel()
	browser, w := pagetest.Start(t), startTown(t)
	right, wrong := openBoard(t, browser, w, ""), openBoard(t, browser, w, "window.ahead = 600;")
	const shown = `document.getElementById("clock").textContent + " " + Array.from(document.querySelectorAll("tbody tr:not([hidden]) .m")).map(e => e.textContent).join(" ")`
	late := time.After(patience)
	for right.Eval(shown) != wrong.Eval(shown) { // the minute may change between the two
		select {
		case <-late:
			t.Fatalf("the right clock shows %s, the wrong one %s", right.Eval(shown), wrong.Eval(shown))
		default:
		}
	}
}
