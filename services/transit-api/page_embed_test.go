package transitapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/pagetest"
)

// embedding returns a world whose pages may be framed by some sites.
func embedding(t *testing.T, ancestors string) *world {
	t.Helper()
	w := newWorld(t, func(c *Config) { c.File = configFile(t, testConfig+"embed: {ancestors: "+ancestors+"}\n") })
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	return w
}

func frameAncestors(h http.Header) string {
	_, who, _ := strings.Cut(h.Get("Content-Security-Policy"), "frame-ancestors ")
	return who
}

// The configured sites can frame pages below /embed, and their errors; no site can frame other
// pages.
func TestEmbedHeaders(t *testing.T) {
	t.Parallel()
	for ancestors, want := range map[string]string{`[]`: "'none'", `["*"]`: "*",
		`["https://a.example", "https://*.b.example:8443", "file:"]`: "https://a.example https://*.b.example:8443 file:"} {
		w := embedding(t, ancestors)
		for target, status := range map[string]int{"/embed/board?stop=metro:C": 200,
			"/embed/board?stop=metro:C&part=rows": 200, "/embed/board": 400, "/embed/board?stop=nowhere:C": 404,
			"/embed/map?feed=metro": 200, "/embed/map?feed=metro&route=R%2F1": 200, "/embed/map": 400,
			"/embed/map?feed=nowhere": 404, "/embed/map?feed=metro&route=nowhere": 404} {
			h := w.page(t, target)
			if h.Code != status || frameAncestors(h.Header()) != want {
				t.Errorf("%s: %d, frame-ancestors %q, want %d, %q", target, h.Code, frameAncestors(h.Header()), status, want)
			}
			if ancestors == `[]` {
				continue
			}
			for name, value := range map[string]string{"Cross-Origin-Resource-Policy": "cross-origin",
				"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "", "X-Frame-Options": "",
				"X-Content-Type-Options": "nosniff"} {
				if h.Header().Get(name) != value {
					t.Errorf("%s: %s is %q, want %q", target, name, h.Header().Get(name), value)
				}
			}
		}
		for _, target := range []string{"/", "/board?stop=metro:C", "/f/metro/stops/C", "/about/displays", "/f/metro/map",
			linePage + "/map", "/embed/nowhere", "/f/metro/stops/nowhere"} {
			if h := w.page(t, target).Header(); frameAncestors(h) != "'none'" || h.Get("Cross-Origin-Resource-Policy") != "" {
				t.Errorf("%s has frame-ancestors %q", target, frameAncestors(h))
			}
		}
	}
}

// A page in a frame reports its state to its host page, and has the host's colours. Invalid hosts
// and colours give an error page that can be framed.
func TestEmbedParameters(t *testing.T) {
	t.Parallel()
	w := embedding(t, `["*"]`)
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"":                             {200, `data-kind="board" data-state="timetable" data-host=""`},
		"&host=https://a.example:8443": {200, `data-host="https://a.example:8443"`},
		"&host=http://[::1]:80":        {200, `data-host="http://[::1]:80"`},
		"&minutes=1":                   {200, `data-kind="board" data-state="empty"`},
		"&part=rows&minutes=1":         {200, `<div id="rows" lang="en" data-state="empty"`},
		"&theme=dark&lang=fr":          {200, `<html lang="fr" class="dark" data-kind`},
		"&accent=%230b57A4&size=125": {200,
			`<link rel="stylesheet" href="/embed/theme.css?accent=%230b57A4&amp;size=125&amp;v=`},
		"&accent=":                     {200, `data-state="timetable"`},
		"&title=<script>":              {200, `<h1><bdi>&lt;script&gt;</bdi></h1>`},
		"&host=*":                      {400, `data-kind="board" data-state="error" data-host=""`},
		"&host=https://a.example/":     {400, `data-state="error"`},
		"&host=javascript:alert(1)":    {400, `data-state="error"`},
		`&host=https://a.example" x="`: {400, `data-state="error"`},
		"&accent=red":                  {400, `data-state="error"`},
		"&background=fff;}body{":       {400, `data-state="error"`},
		"&size=900":                    {400, `data-state="error"`},
		"&theme=pink":                  {400, `data-state="error"`},
		"&accent=0b57a4&accent=ffffff": {400, `data-state="error"`},
	} {
		parts := strings.Split(strings.TrimPrefix(query, "&"), "&")
		target := "/embed/board?stop=metro:C"
		for _, part := range parts {
			if name, value, _ := strings.Cut(part, "="); name != "" {
				if plain, err := url.QueryUnescape(value); err == nil {
					value = plain
				}
				target += "&" + name + "=" + url.QueryEscape(value)
			}
		}
		rec := w.page(t, target)
		body := rec.Body.String()
		if rec.Code != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d, want %d with %s\n%s", query, rec.Code, want.status, want.text, body)
		}
		if !strings.Contains(query, "part=") && (!strings.Contains(body, `<script src="/assets/frame.`) ||
			strings.Contains(body, "data-worker") || strings.Contains(body, `class="foot"`)) {
			t.Errorf("%s is not a page for a frame:\n%s", query, body)
		}
	}
	if rec := w.page(t, "/embed/theme.css?background=222222&v=1"); rec.Code != 200 ||
		!strings.Contains(rec.Body.String(), "--ground: #222222;") ||
		rec.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("theme: %d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	if rec := w.page(t, "/embed.js"); rec.Code != 200 ||
		rec.Header().Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
		!strings.Contains(rec.Header().Get("Content-Type"), "javascript") {
		t.Errorf("embed.js: %d %v", rec.Code, rec.Header())
	}
}

// A framed map has the map and its list, in the other site's colours, and links to the full page.
// Its script sends requests to no other host.
func TestEmbeddedMaps(t *testing.T) {
	t.Parallel()
	w := embedding(t, `["https://a.example"]`)
	body := w.wholePage(t, "/embed/map?feed=metro&route=R%2F1&host=https://a.example&accent=d0a000&lang=fr")
	lacks(t, "a map in a frame", body, `data-kind="map" data-state="timetable" data-host="https://a.example"`,
		`<link rel="stylesheet" href="/embed/theme.css?accent=d0a000`, `<base target="_blank">`,
		`data-api="/gtfs/api/v2/rt/map?feed=metro&amp;lang=fr&amp;route_id=R%2F1"`, `<a href="`+linePage+
			`/map?lang=fr">Ouvrir la carte complète</a>`, `<details hidden><summary>`, `data-state="timetable"`)
	if strings.Contains(body, `class="ways"`) || strings.Contains(body, `class="foot"`) ||
		strings.Contains(body, "embedding") {
		t.Errorf("the framed map has parts of the full page:\n%s", body)
	}
	at := in(t, "2026-03-04 05:55:00")
	w.polled(t, "metro", "vehicle_positions", at, &rt.FeedMessage{Header: header(at)})
	lacks(t, "a map without vehicles", w.wholePage(t, "/embed/map?feed=metro"), `data-kind="map" data-state="empty"`)
	w.sent(t, "vehicle_positions", at, seen("7", "early", 54.69, -25.2, at, nil))
	lacks(t, "a map with a vehicle", w.wholePage(t, "/embed/map?feed=metro"), `data-kind="map" data-state="live"`)
}

// The page makes working addresses from typed values, and previews what they show.
func TestDisplays(t *testing.T) {
	t.Parallel()
	w := embedding(t, `["https://a.example"]`)
	const page = "/about/displays"
	for query, wants := range map[string][]string{
		"":     {`name="q"`, `<input id="accent" name="accent" type="color" value="#0b57a4">`},
		"?q=C": {`<input type="checkbox" name="stop" value="metro:C"> `},
		"?q=&stop=metro:C&as=embed&title=%22%3E&own=yes&accent=%230B57A5&background=%23ffffff&text=&size=125&theme=auto&in=fr&lines=8&walk=0&lang=es": {
			`value="metro:C" checked`, `<html lang="es">`, "a.example",
			`href="https://transit.example/embed/board?accent=0B57A5&amp;lang=fr&amp;lines=8&amp;size=125&amp;stop=metro%3AC&amp;title=%22%3E"`,
			`&lt;a data-townline href=&#34;https://transit.example/embed/board?accent=0B57A5&amp;amp;lang=fr`,
			`&lt;script src=&#34;https://transit.example/embed.js&#34; async&gt;`,
			`<div class="preview embed"><iframe src="` + page + `/preview?`},
		"?stop=metro:C&as=embed&accent=0B57A5": {`href="https://transit.example/embed/board?stop=metro%3AC"`},
		// colours not chosen
		"?of=metro&own=yes&accent=0B57A5": {`<b>Map of Metro &amp; Co</b>`,
			`href="https://transit.example/embed/map?accent=0B57A5&amp;feed=metro"`, `name="of" value="metro"`},
		"?of=metro:R/1&in=es": {
			`href="https://transit.example/embed/map?feed=metro&amp;lang=es&amp;route=R%2F1"`, `<select id="show"`},
		"?of=metro:R/1&show=timetable&title=x&stop=metro:C": {
			`href="https://transit.example/embed/timetable?agency_id=M&#43;T&amp;feed_alias=metro&amp;route_id=R%2F1"`},
		"?stop=metro:C&as=eink&theme=light": {
			`<code>https://transit.example/board?stop=metro%3AC&amp;theme=light&amp;variant=eink</code>`,
			`src="data:image/png;base64,`, `<button type="button" class="copy waits"`},
		"?q=zzzz": {"No stop was found."},
	} {
		rec := w.page(t, page+query)
		for _, want := range wants {
			if rec.Code != 200 || !strings.Contains(rec.Body.String(), want) {
				t.Errorf("%s: %d lacks %s\n%s", query, rec.Code, want, rec.Body)
			}
		}
	}
	for _, made := range []string{"/embed/board?accent=0B57A5&lang=fr&lines=8&size=125&stop=metro%3AC&title=%22%3E",
		"/board?stop=metro%3AC&theme=light&variant=eink",
		"/embed/map?accent=0B57A5&feed=metro", "/embed/map?feed=metro&lang=es&route=R%2F1",
		"/embed/timetable?agency_id=M+T&feed_alias=metro&route_id=R%2F1"} {
		if rec := w.page(t, made); rec.Code != 200 {
			t.Errorf("%s: %d", made, rec.Code)
		}
	}
	for query, want := range map[string]string{
		"?stop=metro:C":         `class="board lcd`,
		"?stop=metro:C&as=eink": `class="board eink`,
		"?stop=metro:C&as=embed&own=yes&accent=ff0000&in=fr":  `theme.css?accent=ff0000`,
		"?stop=metro:C&as=embed&accent=ff0000&title=My+title": `<bdi>My title</bdi>`,
		"?of=metro":                        `data-kind="map"`,
		"?of=metro:R/1":                    `data-kind="map"`,
		"?of=metro:R/1&show=timetable":     `data-kind="timetable"`,
		"?stop=metro:C&as=phone&lang=fr":   `<html lang="fr"`,
		"?stop=metro:C&as=lcd&theme=dark":  `class="dark"`,
		"?stop=metro:C&as=lcd&theme=auto":  `class="board lcd`,
		"?stop=metro:C&as=embed&size=150&": `size=150`,
	} {
		rec := w.page(t, page+"/preview"+query)
		body := rec.Body.String()
		if rec.Code != 200 || !strings.Contains(body, want) || frameAncestors(rec.Header()) != "'self'" {
			t.Errorf("preview %s: %d, frame-ancestors %s, lacks %s\n%s", query, rec.Code, frameAncestors(rec.Header()), want,
				body)
		}
		if strings.Contains(query, "stop=") && (strings.Contains(body, "data-rows") ||
			strings.Contains(body, "data-worker")) {
			t.Errorf("preview %s updates itself, or keeps itself on the device", query)
		}
	}
	for _, target := range []string{page + "?of=nowhere", page + "?of=metro:nowhere", page + "/preview",
		page + "/preview?of=metro:nowhere&show=timetable"} {
		if rec := w.page(t, target); rec.Code != 404 {
			t.Errorf("%s: %d", target, rec.Code)
		}
	}
	for target, to := range map[string]string{"/f/metro/map": page + "?of=metro", linePage +
		"/map": page + "?of=metro%3AR%2F1", linePage +
		"/timetable": page + "?of=metro%3AR%2F1&amp;show=timetable"} {
		lacks(t, target, w.wholePage(t, target), `href="`+to+`">Show it on your website</a>`)
	}
}

// The addresses of the former pages lead to the page with the same choices.
func TestFormerBuilders(t *testing.T) {
	t.Parallel()
	w := embedding(t, `["*"]`)
	for from, to := range map[string]string{
		"/about/screens": "/about/displays?as=lcd",
		"/about/screens?stop=metro:C&variant=eink":    "/about/displays?as=eink&stop=metro%3AC",
		"/about/embedding?stop=metro:C&lang=fr":       "/about/displays?as=embed&stop=metro%3AC&lang=fr",
		"/about/embedding?of=metro&accent=d0a000":     "/about/displays?accent=d0a000&as=embed&of=metro&own=yes",
		"/about/embedding?of=metro:R&show=timetable":  "/about/displays?as=embed&of=metro%3AR&show=timetable",
		"/about/screens?q=a&stop=metro:C&theme=light": "/about/displays?as=lcd&q=a&stop=metro%3AC&theme=light",
	} {
		rec := w.page(t, from)
		if rec.Code != http.StatusPermanentRedirect || rec.Header().Get("Location") != to {
			t.Errorf("%s: %d to %s, want %s", from, rec.Code, rec.Header().Get("Location"), to)
		}
	}
}

// hostPage is a page of another site that shows two boards and a map.
const hostPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>Our town</title>
<script>var loaded = 0, told = 0; document.addEventListener("load", function (e) { if (e.target.tagName === "IFRAME") loaded++ }, true); document.addEventListener("townline", function () { told++ })</script></head>
<body><h1>Our town</h1><p>Come by bus:</p>
<p><a data-townline href="ROOT/embed/board?stop=metro:C">Departures</a></p>
<p><a data-townline href="ROOT/embed/board?stop=metro:C&amp;minutes=1&amp;background=203040&amp;accent=204060">Soon</a></p>
<p><a data-townline href="ROOT/embed/map?feed=metro&amp;route=R/1&amp;background=102030&amp;theme=dark">Map</a></p>
<p><a data-townline href="https://elsewhere.example/embed/board">Elsewhere</a></p>
<script src="ROOT/embed.js" async></script></body></html>`

// A configured site shows boards, each at its own height; another site cannot show them.
func TestEmbedsInABrowser(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	var root string
	site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, strings.ReplaceAll(hostPage, "ROOT", root))
	})
	friend, stranger := httptest.NewServer(site), httptest.NewServer(site)
	t.Cleanup(friend.Close)
	t.Cleanup(stranger.Close)
	w := embedding(t, `["`+friend.URL+`"]`)
	transit := httptest.NewServer(w.srv)
	t.Cleanup(transit.Close)
	root = transit.URL
	for _, v := range []pagetest.View{{}, {Dark: true, Width: 320}} {
		p := browser.Open(t, friend.URL, v)
		p.Wait(`loaded === 3 && told >= 3`)
		var states, heights []string
		p.Into(`Array.from(document.querySelectorAll("iframe")).map(f => f.title + " " + f.getAttribute("data-state"))`,
			&states)
		p.Into(`Array.from(document.querySelectorAll("iframe")).map(f => f.style.height)`, &heights)
		if !slices.Equal(states, []string{"Departures timetable", "Soon empty", "Map timetable"}) ||
			heights[0] == heights[1] || slices.Contains(heights, "24rem") {
			t.Errorf("frames contain %q and have heights %q", states, heights)
		}
		if text := p.Eval(
			`document.querySelectorAll("a[data-townline]").length + " " + document.querySelector("a").textContent`); text != "1 Elsewhere" {
			t.Errorf("remaining links: %s", text)
		}
		for _, problem := range p.Problems() {
			t.Errorf("reported: %s", problem)
		}
		p.Screenshot("embed-host")
	}
	p := browser.Open(t, stranger.URL, pagetest.View{})
	p.Wait(`loaded === 3`)
	if problems := strings.Join(p.Problems(), "\n"); p.Eval(
		`told + " " + document.querySelectorAll("iframe[data-state]").length`) != "0 0" ||
		!strings.Contains(problems, "frame-ancestors") {
		t.Errorf("a site without permission shows boards; problems:\n%s", problems)
	}
}
