package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/townline/demo/portal"
	"github.com/townline/townline/services/townline/demo/town"
)

// august is a day on which the town still used the first portal.
var august = time.Date(2026, 8, 1, 20, 0, 0, 0, time.UTC)

// portalsAt returns the portals with a fixed clock.
func portalsAt(t *testing.T, at time.Time) *portal.Portals {
	t.Helper()
	p, err := portal.New(opened(t, at))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask requests a path, with an optional header.
func ask(t *testing.T, p *portal.Portals, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	w := httptest.NewRecorder()
	mux := http.NewServeMux()
	p.Register(mux)
	mux.ServeHTTP(w, r)
	return w
}

// always is the complete calendar of the first portal.
const always = "/Citizens/Calendar.aspx?From=1/1/1900&To=12/31/9999"

// linkOf matches the addresses in pages and in rows of the API.
var linkOf = regexp.MustCompile(
	`"(?:EventAgendaFile|EventMinutesFile|EventInSiteURL|MatterAttachmentHyperlink)":"([^"]+)"`)

// TestEveryLinkOpens follows the links of both portals, as a crawler would.
func TestEveryLinkOpens(t *testing.T) {
	t.Parallel()
	for at, first := range map[time.Time][]string{august: {always},
		noon: {always, "/Calendar.aspx", "/v1/alderbay/Events"}} {
		p := portalsAt(t, at)
		kinds, seen := map[string]int{}, map[string]bool{}
		for queue := first; len(queue) > 0; queue = queue[1:] {
			path := queue[0]
			// The attachments of one meeting in eight are enough.
			if seen[path] || strings.Contains(path, "MeetingID=") && !strings.Contains(path, "0&") {
				continue
			}
			seen[path] = true
			w := ask(t, p, path)
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
			file := w.Body.Bytes()
			if w.Header().Get("Content-Type") != "application/pdf" {
				queue = append(queue, links(t, path, file)...)
				continue
			}
			kinds[regexp.MustCompile(`(Type|M)=\w+`).FindString(path)]++
			if r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file))); err != nil || r.NumPage() == 0 {
				t.Errorf("%s: %v", path, err)
			}
		}
		for _, kind := range []string{"Type=1", "Type=4", "Type=12", "Type=14", "Type=15", "Type=30", "M=A", "M=M", "M=F"} {
			if kinds[kind] == 0 && (at.Equal(noon) || kind[0] == 'T') {
				t.Errorf("%s: no document of %s", at, kind)
			}
		}
	}
}

// links returns the links of a page, or of rows of the API.
func links(t *testing.T, path string, body []byte) (out []string) {
	t.Helper()
	for _, m := range linkOf.FindAllSubmatch(body, -1) {
		u, err := url.Parse(strings.ReplaceAll(string(m[1]), `\u0026`, "&"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, u.RequestURI())
	}
	for _, m := range regexp.MustCompile(`"EventId":(\d+)`).FindAllSubmatch(body, -1) {
		out = append(out, "/v1/alderbay/Events/"+string(m[1])+"/EventItems")
	}
	d, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	d.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href := strings.TrimPrefix(a.AttrOr("href", ""), "http://example.com")
		if href == "" || href == "#" || strings.HasPrefix(href, "javascript:") {
			return
		}
		if !strings.HasPrefix(href, "/") {
			href = "/Citizens/" + href
		}
		out = append(out, href)
	})
	return out
}

// The API filters and orders the list as requested. Unknown filters return 404, as on the first
// portal.
func TestPortalsAnswerQueries(t *testing.T) {
	t.Parallel()
	p := portalsAt(t, noon)
	type event struct {
		EventId                         int //nolint:revive // the name in the API
		EventDate, EventLastModifiedUtc string
	}
	list := func(filter string) (out []event) {
		w := ask(t, p, "/v1/alderbay/Events?"+url.Values{"$filter": {filter}}.Encode())
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatalf("%s: %s", filter, w.Body)
		}
		return out
	}
	all := list("")
	if len(all) < 12 || !slices.IsSortedFunc(all, func(a, b event) int { return a.EventId - b.EventId }) {
		t.Errorf("%d events", len(all))
	}
	for filter, want := range map[string]func(event) bool{
		"EventDate ge datetime'2026-10-01' and EventDate lt datetime'2026-11-01'": func(e event) bool {
			return e.EventDate[:7] == "2026-10"
		},
		"(EventDate ge datetime'2026-11-01' or EventLastModifiedUtc ge datetime'2026-11-01T00:00:00') and EventDate lt " +
			"datetime'2026-11-10'": func(e event) bool {
			return e.EventDate < "2026-11-10" && (e.EventDate >= "2026-11-01" || e.EventLastModifiedUtc >= "2026-11-01")
		},
	} {
		n := len(slices.DeleteFunc(slices.Clone(all), func(e event) bool { return !want(e) }))
		if got := list(filter); len(got) != n || n == 0 || n == len(all) {
			t.Errorf("%s: %d of %d", filter, len(got), n)
		}
	}
	for path, want := range map[string]string{
		"/v1/alderbay/Events?$filter=EventName+eq+1": "200 []",
		"/v1/alderbay/Matters":                       "404 ",
		"/View.ashx?M=M&ID=1":                        "404 ",
		"/v1/alderbay/Events/1/EventItems":           "200 []", "/v1/alderbay/Bodies": "200 City Council",
		"/Citizens/Nowhere.aspx": "404 ", "/Citizens/FileOpen.aspx?Type=15&ID=1": "404 ",
		"/Citizens/Detail_LegiFile.aspx?ID=x": "404 ", "/Citizens/Calendar.aspx": "200 MeetingRow",
		"/Citizens/Detail_Meeting.aspx?ID=-1":                 "200 not available at this time",
		"/Citizens/Calendar.aspx?From=1/1/1999&To=12/31/1999": "200 Displaying 0 meetings",
		"/Services/RSS.aspx?Feed=Calendar":                    `200 <?xml version="1.0" encoding="utf-16"?><html>`,
	} {
		w := ask(t, p, path)
		code, text, _ := strings.Cut(want, " ")
		if fmt.Sprint(w.Code) != code || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
}

// TestPapersAppearInTime advances the clock past the moment at which minutes are posted.
func TestPapersAppearInTime(t *testing.T) {
	t.Parallel()
	var m *town.Meeting
	for _, other := range opened(t, august).Meetings() {
		if other.Board == town.Council && other.Type == "Regular Meeting" && !other.MinutesPosted.IsZero() &&
			!other.PacketOnly && !other.Cancelled && other.Starts.Before(august.AddDate(0, 0, -30)) {
			m = other
		}
	}
	posted, path := m.MinutesPosted, fmt.Sprintf("/Citizens/FileOpen.aspx?Type=15&ID=%d", m.MinutesID())
	if w := ask(t, portalsAt(t, posted.Add(-time.Second)), path); w.Code != http.StatusNotFound {
		t.Errorf("minutes are available before they are posted: %d", w.Code)
	}
	p := portalsAt(t, posted)
	first := ask(t, p, path)
	if first.Code != http.StatusOK || first.Header().Get("Content-Type") != "application/pdf" {
		t.Fatalf("minutes: %d %s", first.Code, first.Header().Get("Content-Type"))
	}
	for _, condition := range [][2]string{{"If-None-Match", first.Header().Get("ETag")},
		{"If-Modified-Since", first.Header().Get("Last-Modified")}} {
		if w := ask(t, p, path, condition[0], condition[1]); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s: %d", condition[0], w.Code)
		}
	}
	if again := ask(t, portalsAt(t, posted.AddDate(0, 1, 0)), path); !bytes.Equal(again.Body.Bytes(), first.Body.Bytes()) {
		t.Error("the minutes changed within a month")
	}
}

// TestThePortalStandsAfterTheMove checks that after the move, the first portal only gets the
// documents of its own meetings.
func TestThePortalStandsAfterTheMove(t *testing.T) {
	t.Parallel()
	rows := func(at time.Time) map[string]bool {
		out := map[string]bool{}
		for _, m := range regexp.MustCompile(`Detail_Meeting.aspx\?ID=\d+`).FindAllString(
			ask(t, portalsAt(t, at), always).Body.String(), -1) {
			out[m] = true
		}
		return out
	}
	before, after := rows(august), rows(august.AddDate(0, 3, 20))
	gone := len(before)
	for href := range after {
		gone--
		if !before[href] {
			t.Errorf("%s is new", href)
		}
	}
	later := len(rows(august.AddDate(3, 0, 0)))
	if len(after) < 30 || gone < 5 || later != len(after) {
		t.Errorf("%d meetings, then %d, of which %d are gone; after three years %d", len(before), len(after), gone, later)
	}
}

// TestTheHardPages checks that the minutes have the layouts for which the demo was made.
func TestTheHardPages(t *testing.T) {
	t.Parallel()
	has := map[string]bool{}
	for _, m := range opened(t, noon).Meetings() {
		if m.MinutesPosted.IsZero() {
			continue
		}
		pages := printedPages(t, m)
		if m.Scanned {
			has["scan"] = strings.Join(pages, "") == ""
			continue
		}
		for i, page := range pages[:len(pages)-1] {
			has[fmt.Sprint("form ", m.Style)] = true
			// A page break splits a block: the next page begins with a label that is not RESULT.
			next := pages[i+1]
			for _, label := range []string{"MOVER:", "SECONDER:", "AYES:", "NAYS:"} {
				at, result := strings.Index(next, label), strings.Index(next, "RESULT:")
				has["block over a page end"] = has["block over a page end"] || at >= 0 && (result < 0 || at < result)
			}
			has["last names only"] = has["last names only"] ||
				strings.Contains(page, "Okafor,O'Rourke,Vargas-Lindqvist,vanderMeer")
			has["curly apostrophe"] = has["curly apostrophe"] || strings.Contains(page, "O’Rourke")
		}
		whole := strings.Join(pages, "")
		has["votes printed twice"] = has["votes printed twice"] || m.PacketOnly &&
			strings.Count(whole, "RESULT:") > len(motions(m))+5
		has["a stranger"] = has["a stranger"] || strings.Contains(whole, stranger)
	}
	for _, want := range []string{"scan", "form 0", "form 1", "form 2", "block over a page end", "last names only",
		"curly apostrophe", "votes printed twice", "a stranger"} {
		if !has[want] {
			t.Errorf("no %s", want)
		}
	}
}

// stranger is in a roll call by mistake: no member has this name.
const stranger = "Pemberton"

// printedPages extracts the text of each page, without spaces, with a PDF reader that is not part
// of Townline.
func printedPages(t *testing.T, m *town.Meeting) []string {
	t.Helper()
	file, err := m.Minutes()
	if err != nil {
		t.Fatal(err)
	}
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Join(strings.Fields(text), ""))
	}
	return out
}
