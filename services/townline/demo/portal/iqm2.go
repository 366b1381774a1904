package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// iqm2 serves the portal before the move. Paths are case-insensitive, like those of real portals.
func (p *Portals) iqm2(w http.ResponseWriter, r *http.Request) {
	path := strings.ToLower(r.URL.Path)
	q := url.Values{}
	for name, values := range r.URL.Query() {
		q.Set(strings.ToLower(name), values[0])
	}
	all := entries(p.Former(), 0)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The page answers GET only.", http.StatusMethodNotAllowed)
	case path == "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "User-agent: *\nDisallow: /Admin/\nDisallow: /Citizens/Login.aspx\n")
	case strings.HasPrefix(path, "/citizens/images/"): // every picture of the pages
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w,
			`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="12">`+
				`<path d="M1 1h5l3 3v7H1z" fill="#fff" stroke="#00788a"/></svg>`)
	case slices.Contains([]string{"/", "/citizens", "/citizens/", "/citizens/default.aspx", "/citizens/calendar.aspx"},
		path):
		p.calendar(w, q, all)
	case path == "/citizens/detail_meeting.aspx":
		if e := find(all, number(q.Get("id"))); e != nil && !e.Withdrawn {
			p.show(w, htmlPage, "meeting", view{Portals: p, entry: *e})
			return
		}
		p.show(w, htmlPage, "withdrawn", nil)
	case path == "/citizens/detail_legifile.aspx":
		p.legiFile(w, number(q.Get("id")), all)
	case path == "/citizens/detail_motion.aspx" || path == "/citizens/splitview.aspx": // no reader of votes needs them
		if e := find(all, number(q.Get("meetingid"))); e != nil {
			p.show(w, htmlPage, "aside", e)
			return
		}
		http.Error(w, "There is no such meeting.", http.StatusNotFound)
	case path == "/citizens/fileopen.aspx" || path == "/citizens/fileview.aspx":
		kind, id := number(q.Get("type")), number(q.Get("id"))
		w.Header().Set("Content-Disposition", fmt.Sprintf(`inline; filename="%d_%d.pdf"`, kind, id))
		document(w, r, all, func(e entry) paper { return p.paper(e.Meeting, kind, id) })
	case path == "/services/rss.aspx" && strings.EqualFold(q.Get("feed"), "Calendar"):
		p.feed(w, r.Host, all)
	default:
		http.Error(w, "The resource cannot be found.", http.StatusNotFound)
	}
}

// day reads a date as month/day/year.
func day(text string, otherwise time.Time) time.Time {
	t, err := time.Parse("1/2/2006", text)
	if err != nil {
		return otherwise
	}
	return t
}

// view is the data of a page: a meeting, or a list with its range.
type view struct {
	*Portals
	entry
	From, To time.Time
	Entries  []entry
}

// Title returns the title of a meeting's page.
func (v view) Title() string {
	return v.Starts.Format("2006/01/02 03:04 PM ") + v.Board + " " + v.Type + " - Web Outline - " + town.City +
		", California"
}

// HasMedia reports whether there is a recording.
func (p *Portals) HasMedia(m *town.Meeting) bool {
	return m.HasVideo && p.Posted(m.Starts) && !m.Cancelled
}

// Status returns the tooltip of a meeting.
func (e entry) Status() string {
	switch {
	case e.Cancelled:
		return "Cancelled"
	case e.Meeting.ID%4 == 0: // finalised; clerks do it or forget it
		return "Closed"
	}
	return "Scheduled"
}

// Motion returns the address of a motion's page, "" before the minutes.
func (v view) Motion(place, kind int) string {
	if !v.HasMinutes(v.Meeting) {
		return ""
	}
	return fmt.Sprintf("Detail_Motion.aspx?Frame=&MeetingID=%d&MinutesID=%d&MediaPosition=&ID=%d&Type=%d&CssClass=",
		v.ID, v.MinutesID, v.MinutesID*100+place, kind)
}

// ItemLink returns the link of an item: to its file, or to its motion.
func (v view) ItemLink(place int, it *town.Item) string {
	switch {
	case it.LegiFile > 0:
		return fmt.Sprintf("Detail_LegiFile.aspx?Frame=&MeetingID=%d&MediaPosition=&ID=%d&CssClass=", v.ID, it.LegiFile)
	case it.Kind == "Minutes":
		return v.Motion(50+place, 30)
	}
	return v.Motion(50+place, 60)
}

// calendar serves the meetings of a range, by default of this year.
func (p *Portals) calendar(w http.ResponseWriter, q url.Values, all []entry) {
	year := p.Now().Year()
	v := view{
		From: day(q.Get("from"), time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)),
		To:   day(q.Get("to"), time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC)), Portals: p,
	}
	group := number(q.Get("boardid")) + number(q.Get("departmentid"))
	for _, e := range all {
		held := time.Date(e.Starts.Year(), e.Starts.Month(), e.Starts.Day(), 0, 0, 0, 0, time.UTC)
		board := map[string]int{town.Council: 1000, town.Planning: 1016, town.Parks: 1015}[e.Board]
		if !held.Before(v.From) && !held.After(v.To) && (group == 0 || board == group) {
			v.Entries = append(v.Entries, e)
		}
	}
	p.show(w, htmlPage, "calendar", v)
}

// appearance is a meeting with a file on its agenda.
type appearance struct {
	entry
	Section *town.Section
	Item    *town.Item
	// Decided: its votes are in the system; those of scanned minutes are not.
	Decided bool
}

func (p *Portals) legiFile(w http.ResponseWriter, id int, all []entry) {
	var history []appearance
	for _, e := range all {
		if id == 0 || e.ID != e.Meeting.ID || !p.HasAgenda(e.Meeting) || e.Withdrawn {
			continue
		}
		for _, s := range e.Sections {
			i := slices.IndexFunc(s.Items, func(it *town.Item) bool { return it.LegiFile == id && it.Pulled == "" })
			if i >= 0 {
				history = append(history, appearance{e, s, s.Items[i], p.HasMinutes(e.Meeting) && !e.Scanned})
			}
		}
	}
	if len(history) == 0 {
		http.Error(w, "The file cannot be found.", http.StatusNotFound)
		return
	}
	p.show(w, htmlPage, "legifile", struct {
		*town.Item
		History []appearance
	}{history[len(history)-1].Item, history})
}

// paper returns the document of a kind and an id. Agendas and packets have the agenda's id, minutes
// the minutes' id, others the file's.
func (p *Portals) paper(m *town.Meeting, kind, id int) paper {
	switch {
	case kind == 14 && id == m.AgendaID && p.HasAgenda(m):
		return paper{name: clerk.Agenda, printed: m.AgendaPosted}
	case kind == 1 && id == m.AgendaID && p.HasAgenda(m):
		return paper{name: clerk.AgendaPacket, printed: m.AgendaPosted}
	case kind == 15 && id == m.MinutesID && p.HasPlain(m):
		return paper{name: clerk.Minutes, printed: m.MinutesPosted}
	case kind == 12 && id == m.MinutesID && p.HasPacket(m):
		return paper{name: clerk.MinutesPacket, printed: m.MinutesPosted}
	case (kind == 30 || kind == 4) && p.HasAgenda(m):
		return paper{report: kind == 30, item: id, printed: m.AgendaPosted}
	}
	return paper{}
}

// news is an entry of the feed.
type news struct {
	entry
	What string
	At   time.Time
}

// feed serves the calendar feed. Its XML declaration says UTF-16, which is wrong.
func (p *Portals) feed(w http.ResponseWriter, host string, all []entry) {
	var list []news
	for _, e := range all {
		if p.HasAgenda(e.Meeting) {
			list = append(list, news{e, "Agenda", e.AgendaPosted.UTC()})
		}
		if p.HasMinutes(e.Meeting) {
			list = append(list, news{e, "Minutes", e.MinutesPosted.UTC()})
		}
	}
	slices.SortStableFunc(list, func(a, b news) int { return b.At.Compare(a.At) })
	p.show(w, "text/xml; charset=utf-16", "feed", struct {
		*Portals
		Host string
		News []news
	}{p, host, list})
}
