package councilapi

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/net/html"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
)

// root is the address of the pages.
const root = "https://votes.example"

// A preview has the metadata of a page, for sites that show links to it.
type preview struct{ title, description, canonical, oembed, styles string }

func previewOf(t *testing.T, page string) preview {
	t.Helper()
	var p preview
	for _, n := range elements(t, page) {
		switch {
		case attr(n, "property") == "og:title":
			p.title = attr(n, "content")
		case attr(n, "property") == "og:description":
			p.description = attr(n, "content")
		case attr(n, "rel") == "canonical":
			p.canonical = attr(n, "href")
		case attr(n, "type") == "application/json+oembed":
			p.oembed = attr(n, "href")
		case attr(n, "rel") == "stylesheet":
			p.styles += attr(n, "href") + " "
		}
	}
	return p
}

func TestSharedLinks(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 4, 12)
	logo := filepath.Join(t.TempDir(), "logo.svg")
	if err := os.WriteFile(logo, []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"/>`), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := testServer(t, reader, func(c *Config) {
		c.Town, c.Embed = "Alder & Bay", "https://news.example file:"
		c.Color, c.Logo = "#ffee00", logo
	})
	t.Run("previews", func(t *testing.T) { testPreviews(t, srv, w) })
	t.Run("lists", func(t *testing.T) { testLinkedLists(t, srv) })
	t.Run("embedding", func(t *testing.T) { testEmbedding(t, srv, w) })
	t.Run("sitemaps", func(t *testing.T) { testSitemaps(t, srv, w) })
}

func testPreviews(t *testing.T, srv *rest.Server, w *world) {
	vote, member := w.votes[0].id, w.members[0].id
	meeting := complete(w).id
	for path, canonical := range map[string]string{
		"/": "/", "/meetings": "/meetings", "/votes": "/votes", "/votes?split=true": "/votes", "/members": "/members",
		"/members/agreement": "/members/agreement",
		"/topics":            "/topics", "/topics/housing?lang=es": "/topics/housing", "/anomalies": "/anomalies",
		"/changes": "/changes", "/about": "/about",
		fmt.Sprintf("/votes/%d?lang=fr", vote): fmt.Sprintf("/votes/%d", vote), fmt.Sprintf("/members/%d", member): fmt.
							Sprintf("/members/%d", member),
		fmt.Sprintf("/meetings/%d", meeting): fmt.Sprintf("/meetings/%d", meeting),
		fmt.Sprintf("/meetings/%d/minutes?page=2",
			meeting): fmt.Sprintf("/meetings/%d/minutes?page=2", meeting),
		fmt.Sprintf("/members/%d/with/%d", member, w.members[1].id): fmt.Sprintf("/members/%d/with/%d", member,
			w.members[1].id), fmt.Sprintf("/anomalies/%d", w.notes[0].id): fmt.Sprintf("/anomalies/%d", w.notes[0].id),
	} {
		page := browse(t, srv, path).Body.String()
		p := previewOf(t, page)
		if p.title == "" || len(p.description) < 20 || p.canonical != root+canonical {
			t.Errorf("%s: %+v", path, p)
		}
		if !strings.Contains(page, " · Alder &amp; Bay</title>") && path != "/" ||
			!strings.Contains(page, `property="og:site_name" content="Alder &amp; Bay"`) {
			t.Errorf("%s does not name the town", path)
		}
	}
	light, dark, logo := schemesOf(t, srv)
	if !strings.Contains(light, "--link: #") || strings.Contains(light, "--link: #ffee00") ||
		!strings.Contains(dark, "--link: #ffee00") {
		t.Errorf("a yellow link must be darker on white, and unchanged on black:\n%s\n%s", light, dark)
	}
	if !strings.Contains(logo, "data:image/svg+xml;base64,") {
		t.Errorf("no logo is before the name: %q", logo)
	}
}

// schemesOf returns the rules that the town's colour and logo add to the style sheet, or "" if they are
// not set.
func schemesOf(t *testing.T, srv *rest.Server) (light, dark, logo string) {
	t.Helper()
	for _, s := range strings.Fields(previewOf(t, browse(t, srv, "/").Body.String()).styles) {
		if !strings.HasPrefix(s, "/assets/site.") {
			continue
		}
		for line := range strings.Lines(browse(t, srv, s).Body.String()) {
			if strings.HasPrefix(line, ":root:root {") {
				light = line
			}
			if strings.HasPrefix(line, ":root:root.dark {") {
				dark = line
			}
			if strings.HasPrefix(line, ".top .brand { padding") && strings.Contains(line, "url(") {
				logo = line
			}
		}
	}
	return light, dark, logo
}

// A list has its entries as JSON-LD in order, and each address there leads to a page.
func testLinkedLists(t *testing.T, srv *rest.Server) {
	for path, links := range map[string]string{"/votes": "/votes/", "/meetings?lang=es": "/meetings/",
		"/members": "/members/", "/topics": "/topics/", "/topics/housing": "/votes/", "/votes?q=nothing+has+this": "-"} {
		var list struct {
			Type  string `json:"@type"`
			Items []struct {
				Name, URL string
				Position  int
			} `json:"itemListElement"`
		}
		var shown, said []string
		for _, n := range elements(t, browse(t, srv, path).Body.String()) {
			href, _, _ := strings.Cut(attr(n, "href"), "?")
			switch {
			case n.Data == "script" && attr(n, "type") == "application/ld+json":
				if err := json.Unmarshal([]byte(n.FirstChild.Data), &list); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			case n.Data == "a" && strings.HasPrefix(href, links) && !strings.Contains(attr(n, "href"), "#") &&
				href != "/members/agreement":
				shown = append(shown, root+href)
			}
		}
		for i, one := range list.Items {
			said = append(said, one.URL)
			if one.Position != i+1 || one.Name == "" || browse(t, srv, strings.TrimPrefix(one.URL, root)).Code != http.StatusOK {
				t.Errorf("%s: %+v", path, one)
			}
		}
		if list.Type != "ItemList" || !slices.Equal(shown, said) || len(said) == 0 && links != "-" {
			t.Errorf("%s shows %q, its JSON-LD of type %s has %q", path, shown, list.Type, said)
		}
	}
}

func testEmbedding(t *testing.T, srv *rest.Server, w *world) {
	vote, member := fmt.Sprintf("/votes/%d", w.votes[0].id), fmt.Sprintf("/members/%d", w.members[0].id)
	for path, want := range map[string]struct {
		title, kind string
	}{vote + "?lang=es": {w.votes[0].item.title, "vote"}, member: {w.members[0].name, "member"}} {
		discovery := previewOf(t, browse(t, srv, path).Body.String()).oembed
		res := browse(t, srv, strings.TrimPrefix(discovery, root)+"&maxwidth=320&format=json")
		var o struct {
			Type, Version, Title, HTML string
			Width, Height              int
		}
		if err := json.Unmarshal(res.Body.Bytes(), &o); err != nil || o.Type != "rich" || o.Version != "1.0" ||
			o.Title != want.title || o.Width != 320 || o.Height < 1 {
			t.Errorf("%s: %d %s %v", discovery, res.Code, res.Body, err)
			continue
		}
		frame := ""
		for _, n := range elements(t, o.HTML) {
			if n.Data == "iframe" {
				frame = attr(n, "src")
			}
		}
		shown := browse(t, srv, strings.TrimPrefix(frame, root))
		if !strings.Contains(shown.Body.String(), `data-kind="`+want.kind+`" data-state="record"`) ||
			!strings.Contains(shown.Body.String(), html.EscapeString(want.title)) {
			t.Errorf("%s shows %d %s", frame, shown.Code, shown.Body)
		}
	}
	for query, status := range map[string]int{
		"": 404, "url=": 400, "url=" + url.QueryEscape(root+"/meetings"): 404, "url=" +
			url.QueryEscape("https://other.example"+vote): 404, "url=" + url.QueryEscape(root+vote+"x"): 404,
		"url=" + url.QueryEscape(root+"/votes/9223372036854775807"): 404, "url=" +
			url.QueryEscape("https://votes.example@other.example"+vote): 404, "url=" + url.QueryEscape(root+vote) +
			"&format=xml": 501,
		"url=" + url.QueryEscape(root+"/votes/../members/1"): 404, "url=" + url.QueryEscape(root+"/embed"+vote): 404,
		"url=" +
			url.QueryEscape(root+vote) + "&maxwidth=0": 400,
	} {
		if res := browse(t, srv, "/oembed?"+query); res.Code != status {
			t.Errorf("%s: %d, want %d", query, res.Code, status)
		}
	}
	for path, want := range map[string]string{"/embed" + vote: "https://news.example file:", "/embed" + member +
		"?theme=dark&accent=ff0000": "https://news.example file:", "/embed/votes/999999999": "https://news.example file:",
		vote: "'none'", member: "'none'", "/": "'none'", "/embed/nothing": "'none'"} {
		if _, who, _ := strings.Cut(browse(t, srv, path).Header().Get("Content-Security-Policy"),
			"frame-ancestors "); who != want {
			t.Errorf("%s may be framed by %q, want %q", path, who, want)
		}
	}
}

// Every meeting with votes and every vote, member and topic is in a sitemap exactly once. Each
// address leads to a page.
func testSitemaps(t *testing.T, srv *rest.Server, w *world) {
	read := func(path, list string) []string {
		var found struct {
			Index []string `xml:"sitemap>loc"`
			Pages []string `xml:"url>loc"`
		}
		res := browse(t, srv, path)
		if err := xml.Unmarshal(res.Body.Bytes(), &found); err != nil || res.Code != 200 ||
			!strings.HasPrefix(res.Header().Get("Content-Type"), "application/xml") {
			t.Fatalf("%s: %d %v", path, res.Code, err)
		}
		if list == "sitemap" {
			return found.Index
		}
		return found.Pages
	}
	robots := browse(t, srv, "/robots.txt").Body.String()
	if !strings.Contains(robots, "Sitemap: "+root+"/sitemap.xml\n") || !strings.Contains(robots, "Disallow: /v1/\n") {
		t.Errorf("robots.txt: %s", robots)
	}
	seen := map[string]int{}
	for _, part := range read("/sitemap.xml", "sitemap") {
		for _, page := range read(strings.TrimPrefix(part, root), "url") {
			seen[strings.TrimPrefix(page, root)]++
		}
	}
	for _, v := range w.votes {
		if seen[fmt.Sprintf("/votes/%d", v.id)] != 1 || seen[fmt.Sprintf("/meetings/%d", v.item.meeting.id)] != 1 {
			t.Errorf("vote %d or its meeting is not in the sitemaps", v.id)
		}
	}
	for _, m := range w.members {
		if seen[fmt.Sprintf("/members/%d", m.id)] != 1 {
			t.Errorf("member %d is not in the sitemaps", m.id)
		}
	}
	for _, topic := range council.Topics() {
		if seen["/topics/"+string(topic)] != 1 {
			t.Errorf("topic %s is not in the sitemaps", topic)
		}
	}
	tried := map[string]int{}
	for page, times := range seen {
		kind := numbers.ReplaceAllString(page, "N")
		if tried[kind]++; times != 1 || tried[kind] < 4 && browse(t, srv, page).Code != http.StatusOK {
			t.Errorf("%s is in the sitemaps %d times, or is not a page", page, times)
		}
	}
	for path, status := range map[string]int{"/sitemaps/1900-Q1.xml": 404, "/sitemaps/2026-Q5.xml": 404,
		"/sitemaps/pages": 404, "/sitemaps/": 404} {
		if res := browse(t, srv, path); res.Code != status {
			t.Errorf("%s: %d, want %d", path, res.Code, status)
		}
	}
}

// If no site may frame pages, no page offers embedding. The service rejects an invalid colour or
// site.
func TestSharingSettings(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 4, 3)
	srv := testServer(t, reader, func(c *Config) { c.Embed = "none" })
	vote := fmt.Sprintf("/votes/%d", w.votes[0].id)
	if p := previewOf(t, browse(t, srv, vote).Body.String()); p.oembed != "" {
		t.Errorf("%+v", p)
	}
	if light, dark, logo := schemesOf(t, srv); light+dark+logo != "" {
		t.Errorf("pages have a look without a setting: %s%s%s", light, dark, logo)
	}
	if res := browse(t, srv, "/oembed?url="+url.QueryEscape(root+vote)); res.Code != http.StatusNotFound {
		t.Errorf("oembed: %d", res.Code)
	}
	for _, cfg := range []Config{{Color: "red"}, {Color: "12345"}, {Embed: "https://a.example; script-src *"},
		{Embed: "* x,y"}, {Logo: "/nowhere/logo.svg"}} {
		cfg.PublicURL, cfg.AccessLog = root, "off"
		deps := run.Deps{DB: reader, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()}
		if _, err := open(cfg, deps, newDataset(deps)); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}
