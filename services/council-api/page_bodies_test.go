package councilapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// linked returns the addresses of a page's links by the texts of the links.
func linked(t *testing.T, page string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, n := range elements(t, page) {
		if n.Data == "a" {
			all[textIn(n)] = attr(n, "href")
		}
	}
	return all
}

// With several bodies, the start page lists them, and each body has a page. Every list names the
// bodies and filters by them, and its links keep the filter.
func TestPagesOfSeveralBodies(t *testing.T) {
	t.Parallel()
	_, reader, _ := storedTown(t, 5, 21)
	srv := testServer(t, reader, func(c *Config) { c.Town, c.Mail = "Alder", "clerk@votes.example" })
	page := func(path string) string {
		t.Helper()
		res := browse(t, srv, path)
		if res.Code != 200 {
			t.Errorf("%s: %d %s", path, res.Code, res.Body)
		}
		return res.Body.String()
	}
	home := page("/")
	first(t, home, "Which body?")
	first(t, home, "<h1>Alder: how it voted</h1>")
	links := linked(t, home)
	if links["City Council"] != "/bodies/city-council" ||
		links["Planning Commission"] != "/bodies/planning-commission" ||
		links["City Council & Planning Commission"] != "" {
		t.Errorf("the start page links to %v", links)
	}

	body := page("/bodies/planning-commission")
	first(t, body, "<h1>Planning Commission</h1>")
	first(t, body, `/v1/feeds/split-votes.atom?body=planning-commission"`)
	first(t, body, `/v1/feeds/meetings.ics?body=planning-commission"`)
	if strings.Contains(body, "city-council\"") {
		t.Error("the page of the commission links to the council's votes")
	}
	for text, path := range linked(t, body) {
		if kind, _, _ := strings.Cut(path, "?"); slices.Contains([]string{"/meetings", "/votes", "/members", "/topics",
			"/changes", "/anomalies"}, kind) && strings.Contains(path, "?") {
			list := page(path)
			first(t, list, `<option value="planning-commission" selected>Planning Commission</option>`)
			first(t, list, `<a href="/bodies/planning-commission">Planning Commission</a>`)
		} else if path == "" {
			t.Errorf("%s has no address", text)
		}
	}
	if got := previewOf(t, page("/bodies/2")); got.canonical != root+"/bodies/planning-commission" {
		t.Errorf("the page of body 2 has the canonical address %s", got.canonical)
	}
	first(t, page("/votes"), `<span class="soft">Planning Commission</span>`)
	if code := browse(t, srv, "/bodies/nothing").Code; code != 404 {
		t.Errorf("status for an unknown body: %d", code)
	}
	if code := browse(t, srv, "/meetings?body=nothing").Code; code != 400 {
		t.Errorf("status for a filter by an unknown body: %d", code)
	}
	if list := page("/meetings?body=planning-commission"); strings.Contains(list, "> City Council<") {
		t.Error("the commission's meetings include a meeting of the council")
	}
	first(t, page("/sitemaps/pages.xml"), root+"/bodies/planning-commission<")
	first(t, page("/about?lang=es"), "de cada órgano")
	first(t, page("/meetings?lang=fr&body=planning-commission"), "Planning Commission\u202f: séances avec leur ordre")
	for _, path := range []string{"/topics/housing?body=city-council", "/search?q=street&body=city-council",
		"/search/minutes?q=cafe&body=city-council", "/members/agreement?body=planning-commission", "/anomalies?body=2",
		"/changes?body=1"} {
		page(path)
	}
}

// The pages of a vote and of its meeting begin with the body. Their oEmbed descriptions name it.
func TestAVoteNamesItsBody(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 5, 21)
	srv := testServer(t, reader, func(c *Config) { c.Embed = "*" })
	seen := map[int64]bool{}
	for _, v := range w.votes {
		at := townBodies[v.item.meeting.body-1]
		if seen[at.id] {
			continue
		}
		seen[at.id] = true
		for _, path := range []string{"/votes/%d", "/meetings/%d"} {
			id := v.id
			if path == "/meetings/%d" {
				id = v.item.meeting.id
			}
			page := browse(t, srv, fmt.Sprintf(path, id)).Body.String()
			if linked(t, page)[at.name] != "/bodies/"+at.slug {
				t.Errorf(path+" does not link to its body: %v", id, linked(t, page))
			}
			first(t, page, `"url":"`+root+`/bodies/`+at.slug+`"`)
		}
		if !strings.Contains(browse(t, srv, fmt.Sprintf("/embed/votes/%d", v.id)).Body.String(),
			strings.ReplaceAll(at.name, "&", "&amp;")) {
			t.Errorf("the frame of vote %d does not name its body", v.id)
		}
		var o struct {
			Name string `json:"author_name"`
			URL  string `json:"author_url"`
		}
		answer := browse(t, srv, "/oembed?url="+url.QueryEscape(fmt.Sprintf("%s/votes/%d", root, v.id))).Body.Bytes()
		if err := json.Unmarshal(answer, &o); err != nil || o.Name != at.name || o.URL != root+"/bodies/"+at.slug {
			t.Errorf("oEmbed of vote %d: %v %s", v.id, err, answer)
		}
	}
	if len(seen) != len(townBodies) {
		t.Errorf("the test saw votes of %d bodies", len(seen))
	}
}

// A member's page lists the member's bodies. A namesake on another body has a separate page.
func TestAMemberNamesTheirBodies(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedTown(t, 5, 21)
	srv := testServer(t, reader)
	both := w.members[1].id
	page := browse(t, srv, fmt.Sprintf("/members/%d", both)).Body.String()
	first(t, page, "<h2>Member of</h2>")
	for _, b := range townBodies[:2] {
		path := linked(t, page)[b.name]
		if path != fmt.Sprintf("/members/%d?body=%s", both, b.slug) {
			t.Errorf("%s links to %q", b.name, path)
			continue
		}
		first(t, browse(t, srv, path).Body.String(), `<option value="`+b.slug+`" selected>`)
	}
	for seat, b := range map[int64]wBody{councilSeat: townBodies[0], commissionSeat: townBodies[1]} {
		page := browse(t, srv, fmt.Sprintf("/members/%d", seat)).Body.String()
		other := townBodies[2-b.id]
		if links := linked(t, page); links[b.name] == "" || links[other.name] != "" {
			t.Errorf("member %d links to %v", seat, links)
		}
	}
	// A selection tells namesakes apart.
	first(t, browse(t, srv, "/votes").Body.String(), fmt.Sprintf(`<option value="%d">%s (%s)</option>`, commissionSeat,
		w.name(commissionSeat), townBodies[1].name))
}
