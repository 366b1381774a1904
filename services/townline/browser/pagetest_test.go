package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// bad is a page with every kind of problem that tests look for.
const bad = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bad</title>
<link rel="stylesheet" href="/s.css"><img src="http://127.0.0.2:9/spy.png" alt="spy">
<h1>Bad</h1><p class="pale">too pale to read</p><p id="out">no script</p>
<p><a href="#a">first</a> <a href="#b" class="bare">second</a></p><div class="wide">wide</div>
<script>document.getElementById("out").textContent = "inline script"</script>
<script src="/s.js"></script></html>`

const good = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Good</title><meta name="viewport" content="width=device-width">
<main><h1>Good</h1><p>all is well</p><p><a href="#a">first</a> <a href="#b">second</a></p></main></html>`

const ticks = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Ticks</title>
<body><header><p style="display: flex; justify-content: space-between"><b>Ticks</b> <i id="clock">5:55</i></p></header>
<main><p>one</p><p>two</p><p>three</p></main><script src="/ticks.js"></script></body></html>`

func serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bad":
			w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src *")
			fmt.Fprint(w, bad)
		case "/good":
			fmt.Fprint(w, good)
		case "/ticks":
			fmt.Fprint(w, ticks)
		case "/ticks.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `setInterval(() => { const clock = document.getElementById("clock");
				if (clock) clock.textContent = "a long time, far from 5:55" }, 50)`)
		case "/seen":
			fmt.Fprintf(w, "<!doctype html><title>seen</title><p>%s", r.Header.Get("Accept-Language"))
		case "/s.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, `.pale { color: #bbb; background: #fff } .bare:focus { outline: none } .wide { width: 500px }
				@media (prefers-color-scheme: dark) { .pale { color: #000 } }`)
		case "/s.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w,
				`console.error("said so"); new Image().src = "/favicon.ico"; document.body.insertAdjacentHTML("afterbegin", "<p>" + "shifts everything ".repeat(99));
				addEventListener("load", () => { throw new Error("thrown") })`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// All problems of a bad page are found, and none on a good page.
func TestFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	browser, site := pagetest.Start(t), serve(t)

	p := browser.Open(t, site+"/bad", pagetest.View{})
	problems := strings.Join(p.Problems(), "\n")
	for _, want := range []string{"Content Security Policy", "said so", "thrown"} {
		if !strings.Contains(problems, want) {
			t.Errorf("not reported: %s; reported: %s", want, problems)
		}
	}
	rules := func(p *pagetest.Page) (all []string) {
		for _, v := range p.Violations() {
			all = append(all, v.Rule)
		}
		return all
	}
	if got := rules(p); !slices.Contains(got, "color-contrast") {
		t.Errorf("axe-core finds %v", got)
	}
	if got := p.Foreign(); len(got) != 1 || !strings.Contains(got[0], "spy.png") {
		t.Errorf("requests to other hosts: %v", got)
	}
	if n, bytes := p.Weight(); n != 4 || bytes < len(bad) {
		t.Errorf("%d requests with %d bytes", n, bytes)
	}
	stops := p.Tab(10)
	if len(stops) != 2 || stops[0].Name != "a first" || !stops[0].Marked || !stops[0].Visible || stops[1].Marked {
		t.Errorf("Tab stops at %+v", stops)
	}
	if text := p.Text(); !strings.Contains(text, "no script") || !strings.Contains(text, "shifts everything") {
		t.Errorf("text: %s", text)
	}

	dark := browser.Open(t, site+"/bad", pagetest.View{Dark: true, NoScript: true, Width: 320})
	if got := rules(dark); slices.Contains(got, "color-contrast") {
		t.Errorf("in dark mode axe-core finds %v", got)
	}
	if text := dark.Text(); strings.Contains(text, "shifts") || dark.Overflow() < 100 {
		t.Errorf("without script at 320 pixels: overflow %d, text %s", dark.Overflow(), text)
	}

	well := browser.Open(t, site+"/good", pagetest.View{Zoom: 2})
	broken, shift := rules(well), well.Shift()
	if len(broken)+len(well.Problems())+len(well.Foreign()) > 0 || shift != 0 || well.Overflow() != 0 {
		t.Errorf("good page: %v, %v, shift %v, overflow %d", broken, well.Problems(), shift, well.Overflow())
	}
	if got := well.Eval("innerWidth"); got != "640" {
		t.Errorf("at 200 %% a window of 1280 pixels has %s", got)
	}

	if shift := browser.Open(t, site+"/ticks", pagetest.View{}).Trickle(); shift > 0 {
		t.Errorf("a script moves a page that arrives in parts by %v", shift)
	}
	if text := browser.Open(t, site+"/seen", pagetest.View{Language: "fr"}).Text(); text != "fr" {
		t.Errorf("requests: %q", text)
	}
}
