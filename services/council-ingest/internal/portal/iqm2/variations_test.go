package iqm2

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"golang.org/x/text/encoding/charmap"
)

// Portals have different templates. Each of these shows one meeting with its minutes.
func TestCalendarsOfOtherTemplates(t *testing.T) {
	t.Parallel()
	const page = `<html><body><div id="x_pnlMeetings">%s</div></body></html>`
	at := func(path string) string { return "https://ferrytown.iqm2.com/Citizens/" + path }
	tip := "TUESDAY, MARCH 10, 2026  6:30 PM&#13;&#13;Board:&#09;Caf&eacute; Board&#13;Type:&#09;Regular " +
		"Meeting&#13;Status:&#09;Scheduled"
	for name, c := range map[string]struct {
		row       string
		file      string
		cancelled bool
	}{
		"relative links, other case": {
			`<div class="Row MeetingRow Alt"><div class="RowLink"><a href="detail_meeting.ASPX?id=7" title="` + tip +
				`">Mar 10, 2026 6:30 PM </a></div>
			<div class="RowRight MeetingLinks"><a href='fileopen.ASPX?type=15&id=81&Inline=True'>Summary</a></div></div>`,
			at("fileopen.ASPX?type=15&id=81&Inline=True"), false},
		"files on another host": {
			`<div class="MeetingRow"><div class="RowLink"><a href="/Citizens/Detail_Meeting.aspx?ID=7" title="` + tip +
				`">Mar 10, 2026 6:30 PM</a></div>
			<div class="MeetingLinks"><a href='//files.example/Citizens/FileOpen.aspx?Type=15&amp;ID=81'>x</a></div></div>`,
			"https://files.example/Citizens/FileOpen.aspx?Type=15&ID=81", false},
		"table rows": {
			`<table><tr class="MeetingRow"><td><a href="javascript:x()">+</a><a href="https://ferrytown.iqm2.com/Citizens/Detail_Meeting.aspx?ID=7&amp;Frame=Yes" title="` + tip + `">March 10, 2026 6:30 PM</a></td>
			<td><a href="/Citizens/FileOpen.aspx?Type=15&ID=81">Minutes</a></td></tr></table>`,
			at("FileOpen.aspx?Type=15&ID=81"), false},
		"the time in the tooltip alone": {
			`<div class="MeetingRow"><div class="RowLink"><a href="Detail_Meeting.aspx?ID=7" title="` + tip +
				`">Regular</a></div>
			<div class="MeetingLinks"><a href='FileOpen.aspx?Type=15&ID=81'>x</a><a href='' class='HiddenDocumentLink'>y</a></div></div>`, at("FileOpen.aspx?Type=15&ID=81"), false},
		"canceled": {`<div class="MeetingRow"><div class="RowLink"><a href="Detail_Meeting.aspx?ID=7" title="` +
			strings.Replace(tip, "Scheduled", "Canceled", 1) + `">Mar 10, 2026 6:30 PM</a></div></div>`, "", true},
	} {
		rows, err := ParseCalendar(fmt.Appendf(nil, page,
			`<div class="MeetingRow"><div class="RowLink">No meeting scheduled</div></div>`+c.row), base, zone(t))
		if err != nil || len(rows) != 1 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
			continue
		}
		file := ""
		if d := portal.Find(documents(rows[0].Documents), "15"); d != nil && d.ID == "81" {
			file = d.URL
		}
		if r := rows[0]; r.ID != 7 || r.Body != "Café Board" ||
			!r.Starts.Equal(time.Date(2026, 3, 10, 18, 30, 0, 0, zone(t))) || r.Cancelled != c.cancelled || file != c.file {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestMeetingPagesOfOtherTemplates(t *testing.T) {
	t.Parallel()
	m, err := ParseMeeting([]byte(`<html><body><span id="C_lblMeetingDate">3/10/2026 6:30 PM</span>
		<a id="hlPublicMinutesFile" href="/Citizens/FileOpen.aspx?Type=15&amp;ID=81">Minutes</a><a class="HiddenDocumentLink" href="/Citizens/FileOpen.aspx?Type=12&amp;ID=81">Packet</a>
		<table id='MeetingDetail'><tr><td class='Num'>1.</td><td class='Title'><a href='FileOpen.aspx?Type=15&ID=9'>Minutes of February, attached</a></td></tr></table></body></html>`), base, zone(t), 501)
	if err != nil {
		t.Fatal(err)
	}
	want := documents([]FileLink{{15, 81, "https://ferrytown.iqm2.com/Citizens/FileOpen.aspx?Type=15&ID=81"}})
	if d := cmp.Diff(want, m.Documents); d != "" {
		t.Error(d)
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"https://town.iqm2.com":                                 {"https://town.iqm2.com/Citizens/", "Calendar.aspx"},
		" https://town.iqm2.com/ ":                              {"https://town.iqm2.com/Citizens/", "Calendar.aspx"},
		"https://town.iqm2.com/?x=1":                            {"https://town.iqm2.com/Citizens/", "Calendar.aspx"},
		"https://town.iqm2.com/Default.aspx":                    {"https://town.iqm2.com/Citizens/", "Calendar.aspx"},
		"https://town.iqm2.com/Citizens":                        {"https://town.iqm2.com/Citizens/", "Calendar.aspx"},
		"https://town.iqm2.com/citizens/default.aspx?x=1":       {"https://town.iqm2.com/citizens/", "Calendar.aspx"},
		"https://town.iqm2.com/citizens/calendar.aspx?From=1#x": {"https://town.iqm2.com/citizens/", "calendar.aspx"},
		"https://citizens.example/":                             {"https://citizens.example/Citizens/", "Calendar.aspx"},
		"https://host.example/town/Citizens/Calendar.aspx":      {"https://host.example/town/Citizens/", "Calendar.aspx"},
	} {
		u := portal.WebAddress(address)
		if u == nil {
			t.Fatal(address)
		}
		p := Reader{&portal.Client{Config: portal.Config{URL: address}}}
		if got := [2]string{root(u).String(), p.calendar()}; got != want {
			t.Errorf("%s: %q", address, got)
		}
	}
	for _, address := range []string{"", "town.iqm2.com", "ftp://town.iqm2.com", "https://", "://"} {
		_, err := Product().Open(t.Context(), portal.Config{URL: address})
		if !errors.Is(err, portal.ErrAddress) || Product().Page(address, "1") != "" {
			t.Errorf("%q: %v", address, err)
		}
	}
	if got := Product().Page("https://host.example/town/Citizens/Calendar.aspx",
		"7"); got != "https://host.example/town/Citizens/Detail_Meeting.aspx?ID=7" {
		t.Error(got)
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	const text = `<html><head><meta charset="windows-1252"></head><body>Núñez’s motion</body></html>`
	western, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]string{
		"declared in the page":        {western, "text/html"},
		"declared by the server":      {strings.Replace(western, "windows-1252", "", 1), "text/html; charset=iso-8859-1"},
		"undeclared":                  {strings.Replace(western, "windows-1252", "", 1), ""},
		"utf-8, whatever is declared": {text, "text/html; charset=utf-16"},
	} {
		if got := portal.UTF8([]byte(c[0]), c[1]); !bytes.Contains(got, []byte("Núñez’s motion")) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An oldPortal shows one year at a time, requires a session, and has its files on another host.
type oldPortal struct {
	mu       sync.Mutex
	asked    []string // years that were requested
	robots   int
	ignores  bool // it ignores the requested days
	outcomes []portal.Outcome
}

func (p *oldPortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		p.robots++
		http.NotFound(w, r)
		return
	}
	if _, err := r.Cookie("ASP.NET_SessionId"); err != nil {
		http.SetCookie(w, &http.Cookie{Name: "ASP.NET_SessionId", Value: "abc", Path: "/"})
		http.Redirect(w, r, r.URL.String(), http.StatusFound)
		return
	}
	from, _ := time.Parse("1/2/2006", r.URL.Query().Get("From"))
	to, _ := time.Parse("1/2/2006", r.URL.Query().Get("To"))
	p.asked = append(p.asked, fmt.Sprintf("%d-%d", from.Year(), to.Year()))
	year := from.Year()
	if p.ignores || year != to.Year() {
		year = 2026
	}
	fmt.Fprint(w, `<html><body><div id="x_pnlMeetings">`)
	if year == 2026 || year == 2025 || year == 2022 { // two years in between have no meeting
		fmt.Fprintf(w,
			`<div class="MeetingRow"><div class="RowLink"><a href="Detail_Meeting.aspx?ID=%d" title="">Mar 10, %d 6:30 PM</a></div><div class="RowDetails">City Council - Regular</div></div>`, year, year)
	}
	fmt.Fprint(w, "</div></body></html>")
}

func TestPortalsThatShowAYearAtATime(t *testing.T) {
	t.Parallel()
	for _, ignores := range []bool{false, true} {
		old := &oldPortal{ignores: ignores}
		srv := httptest.NewServer(old)
		t.Cleanup(srv.Close)
		p := openWith(t, portal.Config{URL: srv.URL, OnRequest: func(o portal.Outcome) {
			old.outcomes = append(old.outcomes, o)
		}})
		rows, err := p.fetchWholeCalendar(t.Context(), time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		want, asked := []int64{2026, 2025, 2022},
			"1900-2028 2026-2026 2025-2025 2024-2024 2023-2023 2022-2022 2021-2021 2020-2020 2019-2019 2027-2027"
		if ignores {
			want, asked = []int64{2026}, "1900-2028 2026-2026 2025-2025 2027-2027"
		}
		old.mu.Lock()
		if d := cmp.Diff(want, ids); d != "" || strings.Join(old.asked, " ") != asked {
			t.Errorf("requested %v\n%s", old.asked, d)
		}
		old.mu.Unlock()
		if len(old.outcomes) != len(strings.Fields(asked)) || old.outcomes[0] != portal.OutcomeOK {
			t.Errorf("wrong outcomes %v", old.outcomes)
		}
	}
}

// A portal that sometimes fails shows only the twelve months before a day. No meeting is lost,
// because failed requests are errors.
func TestPortalsThatShowAWindow(t *testing.T) {
	t.Parallel()
	meetings := []string{"Mar 3, 2024", "Sep 3, 2024", "Mar 4, 2025", "Sep 2, 2025", "Mar 3, 2026", "Sep 1, 2026"}
	for failing, want := range map[string]string{"": "6 meetings", "1/1/2025": "an error", "1/1/2024": "an error",
		"1/1/2021": "an error", "1/1/2027": "6 meetings"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from, err := time.Parse("1/2/2006", r.URL.Query().Get("From"))
			if err != nil {
				http.NotFound(w, r)
				return
			}
			if failing == r.URL.Query().Get("From") {
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			to := from.AddDate(1, 0, 0)
			if from.Year() == 1900 {
				from, to = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
			}
			fmt.Fprint(w, `<html><body><div id="x_pnlMeetings">`)
			for id, day := range meetings {
				if at, err := time.Parse("Jan 2, 2006", day); err == nil && !at.Before(from) && at.Before(to) {
					fmt.Fprintf(w, `<div class="MeetingRow"><a href="Detail_Meeting.aspx?ID=%d">%s</a></div>`, id+1, day)
				}
			}
			fmt.Fprint(w, "</div></body></html>")
		}))
		t.Cleanup(srv.Close)
		p := openOnce(t, srv.URL)
		rows, err := p.fetchWholeCalendar(t.Context(), time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC))
		got := fmt.Sprintf("%d meetings", len(rows))
		if err != nil {
			got = "an error"
		}
		if got != want {
			t.Errorf("failing %q: %s, want %s", failing, got, want)
		}
	}
}

// openOnce opens a portal without retries.
func openOnce(t *testing.T, address string) *Reader {
	t.Helper()
	return openWith(t, portal.Config{URL: address, Tries: 1})
}

func openWith(t *testing.T, cfg portal.Config) *Reader {
	t.Helper()
	cfg.AllowPrivate, cfg.Zone = true, time.UTC
	p, err := Product().Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p.(*Reader)
}

// If a portal cannot list decades, or if it times out, it is read year by year. If that fails too,
// the error is the error of the first request.
func TestPortalsThatFailOnDecades(t *testing.T) {
	t.Parallel()
	hangUp := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	status := func(code int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { http.Error(w, "no", code) }
	}
	for name, c := range map[string]struct {
		wide, year func(http.ResponseWriter) // nil means a normal answer
		want       string
	}{
		"an error of the server": {status(500), nil, "2 meetings"},
		"no answer":              {hangUp, nil, "2 meetings"},
		"half a page":            {func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }, nil, "2 meetings"},
		"refused":                {status(404), nil, "2 meetings"},
		"nothing at all":         {status(500), status(502), "answered 500 Internal Server Error"},
		"too often":              {status(429), nil, "answered 429 Too Many Requests"},
	} {
		var wide atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from, err := time.Parse("1/2/2006", r.URL.Query().Get("From"))
			switch {
			case err != nil:
				http.NotFound(w, r)
			case from.Year() == 1900:
				wide.Add(1)
				c.wide(w)
			case c.year != nil:
				c.year(w)
			default:
				fmt.Fprint(w, `<html><body><div id="x_pnlMeetings">`)
				if y := from.Year(); y <= time.Now().Year() && y > time.Now().Year()-2 {
					fmt.Fprintf(w, `<div class="MeetingRow"><a href="Detail_Meeting.aspx?ID=%d">Mar 10, %d</a></div>`, y, y)
				}
				fmt.Fprint(w, "</div></body></html>")
			}
		}))
		t.Cleanup(srv.Close)
		p := openOnce(t, srv.URL)
		first := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
		rows, err := p.fetchWholeCalendar(t.Context(), first, time.Now().AddDate(2, 0, 0), first)
		got := fmt.Sprintf("%d meetings", len(rows))
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, c.want) || wide.Load() == 0 {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
