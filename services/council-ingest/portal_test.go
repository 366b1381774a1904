package councilingest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fakePortal answers as an IQM2 portal does, with made-up data.
type fakePortal struct {
	*httptest.Server
	mu       sync.Mutex
	robots   string
	meetings []*fakeMeeting
	requests map[string]int // number of requests by path
	files    map[int]string // rows of the history on the pages of legislative files
	tag      string         // ETag of documents
	fail     func(n int, w http.ResponseWriter, r *http.Request) bool
	n        int
}

type fakeMeeting struct {
	id          int
	board, kind string
	starts      time.Time // local time
	cancelled   bool
	withdrawn   bool
	minutesType int // 0 if there are no minutes yet
	minutesID   int
	minutes     string
	outline     []string // rows of the table with the agenda
}

func newPortal(t *testing.T, meetings ...*fakeMeeting) *fakePortal {
	p := &fakePortal{meetings: meetings, requests: map[string]int{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *fakePortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	p.requests[r.URL.Path]++
	if p.fail != nil && p.fail(p.n, w, r) {
		return
	}
	id, _ := strconv.Atoi(r.URL.Query().Get("ID")) // 0 for pages without an id
	switch r.URL.Path {
	case "/robots.txt":
		if p.robots == "" {
			http.NotFound(w, r)
		}
		fmt.Fprint(w, p.robots)
	case "/Citizens/Calendar.aspx":
		fmt.Fprint(w, `<html><body><span id="x_lblCalendarRange"></span>`)
		for _, m := range p.meetings {
			fmt.Fprint(w, m.row())
		}
		fmt.Fprint(w, "</body></html>")
	case "/Citizens/Detail_Meeting.aspx":
		for _, m := range p.meetings {
			if m.id == id {
				fmt.Fprint(w, m.page())
			}
		}
	case "/Citizens/Detail_LegiFile.aspx":
		fmt.Fprintf(w,
			`<html><body><span id="C_lblLegiFileTitle"></span><table class="MeetingHistory">%s</table></body></html>`,
			p.files[id])
	case "/Citizens/FileOpen.aspx":
		for _, m := range p.meetings {
			if m.minutesID == id && m.minutesType > 0 {
				w.Header().Set("Content-Type", "application/pdf") // portals send this type for all files
				w.Header().Set("ETag", p.tag)
				fmt.Fprint(w, m.minutes)
				return
			}
		}
		http.NotFound(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (m *fakeMeeting) row() string {
	status, links := "Scheduled", ""
	if m.cancelled {
		status, links = "Cancelled", "<span class='MeetingCancelled'>Cancelled</span>"
	} else if m.minutesType > 0 {
		links = fmt.Sprintf("<div class='MeetingLinks'><a href='FileOpen.aspx?Type=%d&ID=%d&Inline=True'>Minutes</a></div>",
			m.minutesType, m.minutesID)
	}
	tip := strings.Join([]string{strings.ToUpper(m.starts.Format("Monday, January 2, 2006  3:04 PM")), "", "Board:&#09;" +
		m.board, "Type:&#09;" + m.kind, "Status:&#09;" + status, "", "&#09;Hall"}, "&#13;")
	return fmt.Sprintf(
		`<div class="Row MeetingRow"><div class="RowLink"><a href="/Citizens/Detail_Meeting.aspx?ID=%d" title="%s">%s </a></div>%s<div class="RowDetails">%s - %s</div></div>`,
		m.id, tip, m.starts.Format("Jan 2, 2006 3:04 PM"), links, m.board, m.kind)
}

func (m *fakeMeeting) page() string {
	if m.withdrawn {
		return "<html><body>The meeting is not available at this time, please check back later</body></html>"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<html><body><span id="C_lblMeetingDate">%s</span> Hall<input id="C_txtMeetingID" value="%d"/>`,
		m.starts.Format("1/2/2006 3:04 PM"), m.id)
	if m.minutesID > 0 {
		fmt.Fprintf(&b, `<input id="C_txtMinutesID" value="%d"/>`, m.minutesID)
	}
	b.WriteString(`<div class="MeetingDownloads">`)
	if m.minutesType > 0 {
		fmt.Fprintf(&b, `<a href="FileOpen.aspx?Type=%d&amp;ID=%d&amp;Inline=True">Minutes</a>`, m.minutesType, m.minutesID)
	}
	b.WriteString("</div><table id='MeetingDetail'>" + strings.Join(m.outline, "") + "</table></body></html>")
	return b.String()
}

// heading and file return rows of an outline.
func heading(title string) string {
	return fmt.Sprintf("<tr><td class='Num'><strong></strong></td><td class='Title'><strong>%s</strong></td></tr>", title)
}

func file(number string, legifile int, title string) string {
	return fmt.Sprintf("<tr><td></td><td class='Num'>%s </td><td class='Title'><a "+
		"href='Detail_LegiFile.aspx?Frame=&MeetingID=1&MediaPosition=&ID=%d&CssClass='>%s</a></td></tr>", number, legifile,
		title)
}
