package portal

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/townline/demo/town"
)

// noon is a day on which the town still used this portal.
var noon = time.Date(2026, 8, 1, 20, 0, 0, 0, time.UTC)

// openAt is the portal with its clock standing at an instant.
func openAt(t *testing.T, at time.Time) *Portal {
	t.Helper()
	city, err := town.New(0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(town.NewBulletin(city, func() time.Time { return at }))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// get asks for a path below the root, with a header where one is given.
func get(t *testing.T, p *Portal, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/"+path, nil)
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, r)
	return w
}

// page reads a page as a browser does.
func page(t *testing.T, p *Portal, path string) *goquery.Document {
	t.Helper()
	w := get(t, p, path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d", path, w.Code)
	}
	d, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// always is the whole calendar.
const always = "Citizens/Calendar.aspx?From=1/1/1900&To=12/31/9999"

func TestCalendarTellsEverything(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	boards, statuses, kinds := map[string]int{}, map[string]int{}, map[string]int{}
	shown, hidden, cancelled, videos := 0, 0, 0, 0
	page(t, p, always).Find("div.MeetingRow").Each(func(i int, row *goquery.Selection) {
		if row.HasClass("Alt") != (i%2 == 1) {
			t.Errorf("row %d is not in step", i)
		}
		link := row.Find(".RowLink a")
		tip := strings.Split(link.AttrOr("title", ""), "\r")
		if len(tip) != 8 {
			t.Fatalf("row %d: tooltip of %d lines: %q", i, len(tip), tip)
		}
		when, err := time.Parse("Jan 2, 2006 3:04 PM ", link.Text())
		if err != nil || strings.ToUpper(when.Format("Monday, January 2, 2006  3:04 PM")) != tip[0] {
			t.Errorf("row %d: %q is not %q (%v)", i, link.Text(), tip[0], err)
		}
		boards[strings.TrimPrefix(tip[2], "Board:\t")]++
		kinds[strings.TrimPrefix(tip[3], "Type:\t")]++
		statuses[strings.TrimPrefix(tip[4], "Status:\t")]++
		if row.Find("span.MeetingCancelled").Length() == 1 {
			cancelled++
			if row.Find(".MeetingLinks").Length() > 0 {
				t.Errorf("row %d is cancelled and has links", i)
			}
		}
		shown += row.Find(".MeetingLinks a[target=_blank]").Length()
		hidden += row.Find(".MeetingLinks a.HiddenDocumentLink").Length()
		videos += row.Find(".MeetingLinks a[onclick]").Length()
	})
	if len(boards) != 3 || boards[town.Council] < 25 || len(kinds) < 4 || statuses["Closed"] == 0 || statuses["Cancelled"] != cancelled || cancelled < 2 {
		t.Errorf("boards %v, types %v, statuses %v, %d cancelled", boards, kinds, statuses, cancelled)
	}
	if shown < 100 || hidden < 20 || videos < 10 {
		t.Errorf("%d documents, %d missing ones, %d videos", shown, hidden, videos)
	}
}

func TestCalendarByDateAndBoard(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	rows := func(query string) int {
		return page(t, p, "citizens/CALENDAR.aspx?"+query).Find(".MeetingRow").Length()
	}
	on := map[string]int{}
	for _, e := range p.entries() {
		on[e.Starts.Format("1/2/2006")]++
	}
	for day, want := range on {
		if got := rows("From=" + day + "&To=" + day); got != want {
			t.Errorf("%s: %d meetings, want %d", day, got, want)
		}
	}
	if all, council := rows("From=1/1/1900&To=12/31/9999"), rows("From=1/1/1900&To=12/31/9999&BoardID=1000"); council == 0 || council >= all {
		t.Errorf("%d of %d meetings are the council's", council, all)
	}
	if got := rows("From=1/1/1999&To=12/31/1999"); got != 0 {
		t.Errorf("%d meetings in 1999", got)
	}
}

// TestEveryLinkOpens follows the links of the calendar and of every meeting page, as a crawler would.
func TestEveryLinkOpens(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	seen := map[string]bool{}
	visit := func(d *goquery.Document) {
		d.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
			href := a.AttrOr("href", "")
			if href == "" || href == "#" || strings.HasPrefix(href, "javascript:") {
				return
			}
			if !strings.HasPrefix(href, "/") {
				href = "/Citizens/" + href
			}
			// One meeting in eight is enough to see that attachments open.
			if strings.Contains(href, "MeetingID=") && !strings.Contains(href, "0&") {
				return
			}
			seen[strings.TrimPrefix(href, "/")] = true
		})
	}
	visit(page(t, p, always))
	for _, e := range p.entries() {
		visit(page(t, p, fmt.Sprintf("Citizens/Detail_Meeting.aspx?ID=%d", e.ID)))
	}
	types := map[string]int{}
	for href := range seen {
		w := get(t, p, href)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", href, w.Code)
		}
		if kind := regexp.MustCompile(`Type=(\d+)&`).FindStringSubmatch(href); kind != nil && strings.Contains(href, "FileOpen") {
			types[kind[1]]++
			file := w.Body.Bytes()
			if r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file))); err != nil || r.NumPage() == 0 {
				t.Errorf("%s: %v", href, err)
			}
		}
	}
	for _, kind := range []string{"1", "4", "12", "14", "15", "30"} {
		if types[kind] == 0 {
			t.Errorf("no document of type %s", kind)
		}
	}
}

func TestMeetingPage(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	value := func(d *goquery.Document, id string) string {
		return d.Find("#ContentPlaceholder1_txt"+id).AttrOr("value", "none")
	}
	for _, e := range p.entries() {
		path := fmt.Sprintf("Citizens/Detail_Meeting.aspx?ID=%d", e.ID)
		d := page(t, p, path)
		if e.Withdrawn {
			if !strings.Contains(d.Text(), "The meeting is not available at this time") || d.Find("#ContentPlaceholder1_txtMeetingID").Length() > 0 {
				t.Errorf("the page of the withdrawn meeting %d is there", e.ID)
			}
			continue
		}
		if d.Find("#ContentPlaceholder1_lblMeetingGroup").Text() != e.Board || value(d, "MeetingID") != fmt.Sprint(e.ID) {
			t.Errorf("meeting %d: another meeting's page", e.ID)
		}
		if (value(d, "MinutesID") == "none") == p.HasMinutes(e.Meeting) || (value(d, "AgendaID") == "none") == p.HasAgenda(e.Meeting) {
			t.Errorf("meeting %d: ids of documents that are not out, or the other way round", e.ID)
		}
		if (d.Find("#ContentPlaceholder1_lblMeetingStatus .MeetingCancelled").Length() == 1) != e.Cancelled {
			t.Errorf("meeting %d: wrong status", e.ID)
		}
		// Depth and span of each row add up to the same width.
		d.Find("#MeetingDetail tr").Each(func(i int, row *goquery.Selection) {
			empty := row.Find("td:not([class])").Length()
			if span := row.Find("td.Title").AttrOr("colspan", ""); span != fmt.Sprint(10-empty) {
				t.Errorf("meeting %d row %d: %d empty cells and a span of %s", e.ID, i, empty, span)
			}
		})
	}
	d := page(t, p, fmt.Sprintf("Citizens/Detail_Meeting.aspx?ID=%d", lastRegular(t, p).ID))
	if sections, items := d.Find("#MeetingDetail td.Title[colspan='10']").Length(), d.Find("#MeetingDetail a[href^='Detail_LegiFile']").Length(); sections < 8 || items < 12 {
		t.Errorf("%d sections, %d files", sections, items)
	}
}

// lastRegular is the latest regular council meeting whose minutes are out on their own.
func lastRegular(t *testing.T, p *Portal) *town.Meeting {
	t.Helper()
	all := p.Former()
	for i := len(all) - 1; i >= 0; i-- {
		if m := all[i]; m.Board == town.Council && m.Type == "Regular Meeting" && p.HasPlain(m) && !m.Scanned {
			return m
		}
	}
	t.Fatal("no regular meeting has minutes")
	return nil
}

// TestPapersAppearInTime moves the clock over the moment at which minutes are posted.
func TestPapersAppearInTime(t *testing.T) {
	t.Parallel()
	m := lastRegular(t, openAt(t, noon))
	posted, path := m.MinutesPosted, fmt.Sprintf("Citizens/FileOpen.aspx?Type=15&ID=%d", m.MinutesID)
	if w := get(t, openAt(t, posted.Add(-time.Second)), path); w.Code != http.StatusNotFound {
		t.Errorf("minutes are out before they are posted: %d", w.Code)
	}
	p := openAt(t, posted)
	first := get(t, p, path)
	if first.Code != http.StatusOK || first.Header().Get("Content-Type") != "application/pdf" {
		t.Fatalf("minutes: %d %s", first.Code, first.Header().Get("Content-Type"))
	}
	for _, condition := range [][2]string{{"If-None-Match", first.Header().Get("ETag")}, {"If-Modified-Since", first.Header().Get("Last-Modified")}} {
		if w := get(t, p, path, condition[0], condition[1]); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s: %d", condition[0], w.Code)
		}
	}
	if again := get(t, openAt(t, posted.AddDate(0, 1, 0)), path); !bytes.Equal(again.Body.Bytes(), first.Body.Bytes()) {
		t.Error("the minutes changed within a month")
	}
}

func TestLegiFileRemembersVotes(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	twice, blocks := 0, 0
	for _, m := range p.Former() {
		for _, s := range m.Sections {
			for _, it := range s.Items {
				if it.LegiFile == 0 || m.Board != town.Council || !p.HasMinutes(m) || len(it.Motions) == 0 {
					continue
				}
				d := page(t, p, fmt.Sprintf("Citizens/Detail_LegiFile.aspx?Frame=&MeetingID=%d&ID=%d", m.ID, it.LegiFile))
				if d.Find("tr.HistorySection").Length() > 1 {
					twice++
				}
				d.Find("table.VoteRecord").Each(func(_ int, block *goquery.Selection) {
					blocks++
					if block.Find("td.Result").Length() != 1 {
						t.Errorf("file %d: a block without a result", it.LegiFile)
					}
				})
			}
		}
	}
	if twice == 0 || blocks < 80 {
		t.Errorf("%d files at two meetings, %d blocks", twice, blocks)
	}
}

func TestFeedIsNoXML(t *testing.T) {
	t.Parallel()
	w := get(t, openAt(t, noon), "Services/RSS.aspx?Feed=Calendar")
	body := w.Body.Bytes()
	if !bytes.HasPrefix(body, []byte(`<?xml version="1.0" encoding="utf-16"?><html>`)) {
		t.Fatalf("the feed begins with %q", body[:60])
	}
	var anything struct{}
	if err := xml.Unmarshal(body, &anything); err == nil {
		t.Error("the feed became XML, which no portal's is")
	}
	if n := bytes.Count(body, []byte("<h2>")); n < 60 {
		t.Errorf("%d entries", n)
	}
}

func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	for path, want := range map[string]int{
		"Citizens/Nowhere.aspx": 404, "Citizens/FileOpen.aspx?Type=15&ID=1": 404, "Citizens/FileOpen.aspx": 404, "Citizens/Detail_LegiFile.aspx?ID=x": 404,
		"Citizens/SplitView.aspx?MeetingID=0": 404, "robots.txt": 200, "": 200, "Citizens": 200, "Citizens/Detail_Meeting.aspx?ID=-1": 200,
	} {
		if w := get(t, p, path); w.Code != want {
			t.Errorf("%q: %d, want %d", path, w.Code, want)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/Citizens/Calendar.aspx", io.NopCloser(strings.NewReader("x")))
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %q", w.Code, w.Header().Get("Allow"))
	}
}

// TestThePortalStandsAfterTheMove holds that nothing is added to it from then on but the papers of its own meetings.
func TestThePortalStandsAfterTheMove(t *testing.T) {
	t.Parallel()
	rows := func(at time.Time) map[string]bool {
		out := map[string]bool{}
		page(t, openAt(t, at), always).Find("div.MeetingRow .RowLink a").Each(func(_ int, a *goquery.Selection) { out[a.AttrOr("href", "")] = true })
		return out
	}
	before, after := rows(noon), rows(noon.AddDate(0, 3, 20))
	gone := 0
	for href := range before {
		if !after[href] {
			gone++
		}
	}
	for href := range after {
		if !before[href] {
			t.Errorf("%s is new", href)
		}
	}
	if len(after) < 30 || gone < 10 || len(rows(noon.AddDate(3, 0, 0))) < 15 {
		t.Errorf("%d meetings, then %d, of which %d are gone; three years on %d", len(before), len(after), gone, len(rows(noon.AddDate(3, 0, 0))))
	}
}
