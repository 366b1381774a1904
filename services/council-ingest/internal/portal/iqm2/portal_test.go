package iqm2

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

var base = &url.URL{Scheme: "https", Host: "ferrytown.iqm2.com", Path: "/Citizens/"}

func zone(t testing.TB) *time.Location {
	t.Helper()
	z, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func fixture(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// real reads a saved page of a real portal. If there is none, it skips the test.
func real(t *testing.T, name string) []byte {
	t.Helper()
	return sample.Read(t, "council/"+name)
}

func TestParseCalendar(t *testing.T) {
	t.Parallel()
	rows, err := ParseCalendar(fixture(t, "testdata", "calendar.html"), base, zone(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []CalendarRow{{
		ID: 501, URL: "https://ferrytown.iqm2.com/Citizens/Detail_Meeting.aspx?ID=501", Body: "City Council",
		Type: "Special Meeting/Closed Session", Status: "Closed", Title: "City Council - Special Meeting/Closed Session",
		Starts: time.Date(2026, 3, 10, 18, 30, 0, 0, zone(t)), Location: "Council Chambers, 1 Main St., Ferrytown, CA 90000",
		Documents: []FileLink{{14, 71, "https://ferrytown.iqm2.com/Citizens/FileOpen.aspx?Type=14&ID=71&Inline=True"},
			{12, 81, "https://ferrytown.iqm2.com/Citizens/FileView.aspx?Type=12&ID=81"}},
		VideoURL: "https://ferrytown.iqm2.com/Citizens/SplitView.aspx?Mode=Video&MeetingID=501&Format=Minutes",
	}, {
		// A time that the clock change skipped still belongs to its day.
		ID: 502, URL: "https://ferrytown.iqm2.com/citizens/detail_meeting.aspx?id=502", Body: "Parks & Recreation",
		Type: "Workshops", Status: "Cancelled", Title: "Parks & Recreation - Workshops",
		Starts: time.Date(2026, 3, 8, 2, 30, 0, 0, zone(t)), Cancelled: true,
	}}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

func TestParseMeeting(t *testing.T) {
	t.Parallel()
	m, err := ParseMeeting(fixture(t, "testdata", "meeting.html"), base, zone(t), 501)
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return "https://ferrytown.iqm2.com/Citizens/" + path }
	want := portal.Detail{
		Body: "City Council", State: portal.Planned, Type: "Special Meeting/Closed Session",
		Starts:   time.Date(2026, 3, 10, 18, 30, 0, 0, zone(t)),
		Location: "Council Chambers, 1 Main St., Ferrytown, CA 90000",
		Documents: documents([]FileLink{{14, 71, at("FileOpen.aspx?Type=14&ID=71&Inline=True")},
			{12, 81, at("FileOpen.aspx?Type=12&ID=81&Inline=True")}}),
		VideoURL: at("SplitView.aspx?Mode=Video&MeetingID=501&Format=Minutes"),
		Items: []portal.Item{
			{Level: 0, Number: "I.", Title: "Consent Calendar", Section: true},
			{Level: 1, Number: "1.", Title: "Ferry Landing & Pier", LegifileID: 3358,
				URL: at("Detail_LegiFile.aspx?MeetingID=501&ID=3358"), Result: "ADOPTED [4 TO 1]"},
			{Level: 2, Number: "b.", Title: "Second reading", LegifileID: 3359,
				URL: at("Detail_LegiFile.aspx?MeetingID=501&ID=3359")},
			{Level: 1, Number: "2.", Title: "Motion to adjourn",
				URL: at("Detail_Motion.aspx?MeetingID=501&MinutesID=81&ID=9002&Type=60")},
			{Level: 0, Title: "Closed Session", Section: true},
			{Level: 1, Title: "Labor negotiations"},
		},
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Error(d)
	}
}

func TestWrongPagesAreErrors(t *testing.T) {
	t.Parallel()
	calendar, meeting := fixture(t, "testdata", "calendar.html"), fixture(t, "testdata", "meeting.html")
	for name, body := range map[string][]byte{
		"half a calendar": calendar[:len(calendar)*2/3],
		"an error page":   []byte("<html><body>Server Error in '/' Application.</body></html>"),
		"nothing":         nil,
	} {
		if _, err := ParseCalendar(body, base, zone(t)); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("ParseCalendar of %s: %v", name, err)
		}
	}
	for name, body := range map[string][]byte{
		"half a page":     meeting[:len(meeting)/2],
		"an error page":   []byte("<html><body>Runtime Error</body></html>"),
		"another meeting": meeting,
	} {
		if _, err := ParseMeeting(body, base, zone(t), 502); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("ParseMeeting of %s: %v", name, err)
		}
	}
	withdrawn := []byte("<html><body>The meeting is not available at this time, please check back later.</body></html>")
	if m, err := ParseMeeting(withdrawn, base, zone(t), 502); err != nil || !m.Withdrawn {
		t.Errorf("ParseMeeting of a withdrawn meeting = %+v, %v", m, err)
	}
	if rows,
		err := ParseCalendar([]byte(`<html><body><span id="ContentPlaceholder1_lblCalendarRange"></span></body></html>`),
		base, zone(t)); err != nil || len(rows) != 0 {
		t.Errorf("ParseCalendar of an empty calendar = %v, %v", rows, err)
	}
}

func TestRealCalendars(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		city                                    string
		rows, cancelled, boards, videos, minute int
	}{
		{"hanford-ca", 77, 11, 0, 0, 0}, {"santa-monica-ca", 270, 24, 0, 0, 0}, {"atlanta-ga", 164, 0, 0, 1, 1},
	} {
		rows, err := ParseCalendar(real(t, want.city+"/calendar.html"), base, zone(t))
		if err != nil {
			t.Errorf("%s: %v", want.city, err)
			continue
		}
		cancelled, videos, minutes := 0, 0, 0
		boards, types := map[string]int{}, map[string]int{}
		for _, r := range rows {
			boards[r.Body]++
			types[r.Type]++
			if r.Cancelled {
				cancelled++
			}
			if r.VideoURL != "" {
				videos++
			}
			if portal.Find(documents(r.Documents), Product().Minutes...) != nil {
				minutes++
			}
			if r.Starts.Year() < 2000 || r.Body == "" || r.Type == "" || r.Title == "" || r.Status == "" {
				t.Errorf("%s: incomplete row: %+v", want.city, r)
			}
		}
		if len(rows) != want.rows || want.cancelled > 0 && cancelled != want.cancelled || videos < want.videos ||
			minutes < want.minute {
			t.Errorf("%s: %d rows, %d cancelled, %d videos, %d with minutes", want.city, len(rows), cancelled, videos, minutes)
		}
		t.Logf("%s: %d rows, %d cancelled, %d videos, %d with minutes, %d boards, types %v", want.city, len(rows), cancelled,
			videos, minutes, len(boards), types)
	}
}

// The ids of the bodies are in the calendar's list of meeting groups.
func TestRealGroups(t *testing.T) {
	t.Parallel()
	for city, want := range map[string]string{"atlanta-ga": "Atlanta City Council 1000",
		"hanford-ca": "City Council 1000"} {
		rows, err := ParseCalendar(real(t, city+"/calendar.html"), base, zone(t))
		if err != nil {
			t.Fatal(err)
		}
		bodies, without := map[string]bool{}, 0
		for _, r := range rows {
			bodies[r.Body+" "+r.BodyID] = true
			if r.BodyID == "" {
				without++
			}
		}
		if !bodies[want] || without > 0 {
			t.Errorf("%s: %d of %d rows without an id, %v", city, without, len(rows), bodies)
		}
	}
}

func TestRealMeetingPages(t *testing.T) {
	t.Parallel()
	m, err := ParseMeeting(real(t, "santa-clara-county-ca/detail_meeting_17599.html"), base, zone(t), 17599)
	if err != nil {
		t.Fatal(err)
	}
	files, sections := 0, 0
	for _, e := range m.Items {
		if e.LegifileID > 0 {
			files++
		}
		if e.Section {
			sections++
		}
	}
	if files != 171 || sections < 10 || m.Location != "Board of Supervisors Chambers, 70 West Hedding Street, San Jose, "+
		"CA 95110" || m.VideoURL == "" || portal.Find(m.Documents, "15") == nil {
		t.Errorf("%d files, %d sections of %d entries, at %q, video %q, documents %v", files, sections, len(m.Items),
			m.Location, m.VideoURL, m.Documents)
	}
	body := real(t, "creve-coeur-mo/cc_adjustment.html")
	m, err = ParseMeeting(body, base, zone(t), 5040)
	if err != nil || len(m.Items) != 9 {
		t.Errorf("creve-coeur: %d entries, %v", len(m.Items), err)
	}
}

func TestRealFeed(t *testing.T) {
	t.Parallel()
	news, err := ParseFeed(real(t, "santa-clara-county-ca/rss_calendar_feed.xml"))
	if err != nil || len(news) != 251 {
		t.Fatalf("%d entries, %v", len(news), err)
	}
	linked := 0
	for _, n := range news {
		if n.MeetingID != "" {
			linked++
		}
		if n.Published == "" || strings.Contains(n.Published, "Published") {
			t.Errorf("the entry %q was published %q", n.Headline, n.Published)
		}
	}
	if linked < 200 {
		t.Errorf("%d of %d entries lead to a meeting; first: %+v", linked, len(news), news[0])
	}
}

func TestParseFeed(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"as it is": `<?xml version="1.0" encoding="utf-16"?><html><body><h1>RSS Feed</h1><div><h1>Town</h1></div><div><h2>City Council - Minutes - Mar 10, 2026 6:30 PM</h2><p><a href='http://x/Citizens/Detail_Meeting.aspx?ID=501'>View</a></p><p><em>
			Published on: Fri, 20 Mar 2026 23:49:33 GMT</em></p></div></body></html>`,
		"as it was": `<?xml version="1.0" encoding="utf-8"?><rss><channel><title>Town</title><item><title>City Council - Minutes - Mar 10, 2026 6:30 PM</title><description>&lt;a&gt;</description><pubDate>Fri, 20 Mar 2026 23:49:33 GMT</pubDate></item></channel></rss>`,
	} {
		news, err := ParseFeed([]byte(body))
		if err != nil || len(news) != 1 || news[0].Headline != "City Council - Minutes - Mar 10, 2026 6:30 PM" ||
			news[0].Published != "Fri, 20 Mar 2026 23:49:33 GMT" {
			t.Errorf("%s: %+v, %v", name, news, err)
		}
	}
	if _, err := ParseFeed([]byte("<html><body>Runtime Error</body></html>")); !errors.Is(err, portal.ErrNotPortal) {
		t.Errorf("ParseFeed of an error page: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fixture(f, "testdata", "calendar.html"))
	f.Add(fixture(f, "testdata", "meeting.html"))
	f.Add([]byte(`<div><a href="Detail_Meeting.aspx?ID=1"</html>`)) // a row without a date
	z := zone(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := ParseCalendar(body, base, z)
		for _, r := range rows {
			if err == nil && (r.ID <= 0 || r.URL == "") {
				t.Errorf("invalid row %+v", r)
			}
		}
		if m, err := ParseMeeting(body, base, zone(t), 501); err == nil {
			for _, e := range m.Items {
				if e.Title == "" || e.Level < 0 {
					t.Errorf("invalid entry %+v", e)
				}
			}
		}
		_, _ = ParseFeed(body) // it must return
	})
}

func TestParseVotes(t *testing.T) {
	t.Parallel()
	page := string(fixture(t, "testdata", "legifile.html"))
	other := strings.NewReplacer(`class="Role"`, "", `<table cellpadding`, `<div><table cellpadding`, "</table></td>",
		"</table></div></td>").Replace(page) // cells without a class
	for meeting, want := range map[string][][][2]string{
		"501": {{{"RESULT:", "ADOPTED [4 TO 1]"}, {"MOVER:", "Jane Doe, Councilmember"}, {"AYES:", "Doe, Roe, Poe, Moe"},
			{"OPPOSED:", "Joe"}}},
		"490": {{{"RESULT:", "TABLED [UNANIMOUS]"}}},
		"1":   nil,
	} {
		for _, text := range []string{page, other} {
			got, err := ParseVotes([]byte(text), base, meeting)
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("meeting %s: %v\n%s", meeting, err, d)
			}
		}
	}
	if _, err := ParseVotes([]byte("<html><body>Runtime Error</body></html>"), base, "1"); !errors.Is(err,
		portal.ErrNotPortal) {
		t.Errorf("ParseVotes of an error page: %v", err)
	}
}

// If a page has no agenda, that does not mean that there are no items. Earlier items keep their ids
// until the page lists others.
func TestAPageWithoutAnAgendaHasUnknownItems(t *testing.T) {
	t.Parallel()
	const row = `<tr><td class='Num'>1.</td><td class='Title'><a href='Detail_LegiFile.aspx?ID=5'>Awards a Contract</a></td></tr>`
	for rows, none := range map[string]bool{row: false, "": true} {
		b := portal.Bundle{Product: "iqm2", Root: "https://town.example/Citizens/"}
		b.Add("Detail_Meeting.aspx?ID=7", 0, []byte(`<html><input id="x_txtMeetingID" value="7"><table id='MeetingDetail'>`+
			rows+`</table></html>`))
		if d, err := Product().Read(b, portal.ParseOptions{Zone: time.UTC}); err != nil || d.NoItems != none {
			t.Errorf("%q: %+v, %v", rows, d, err)
		}
	}
}
