package portal

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// iqm2 serves the portal that the town used before the move.
func (p *Portals) iqm2(mux *http.ServeMux) {
	page := func(path string, answer func(w http.ResponseWriter, r *http.Request, all []entry)) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			answer(w, r, entries(p.Former(), 0))
		})
	}
	// aside returns a handler that shows a part of a meeting, or that the meeting was withdrawn.
	aside := func(name, id string) func(w http.ResponseWriter, r *http.Request, all []entry) {
		return func(w http.ResponseWriter, r *http.Request, all []entry) {
			i := slices.IndexFunc(all, func(e entry) bool { return e.ID == number(r, id) })
			if i < 0 || all[i].Withdrawn {
				p.show(w, htmlPage, "withdrawn", nil)
				return
			}
			p.show(w, htmlPage, name, view{Portals: p, entry: all[i]})
		}
	}
	page("/Citizens/Calendar.aspx", p.calendar)
	page("/Citizens/Detail_Meeting.aspx", aside("meeting", "ID"))
	page("/Citizens/Detail_Motion.aspx", aside("aside", "MeetingID"))
	page("/Citizens/SplitView.aspx", aside("aside", "MeetingID"))
	page("/Citizens/Detail_LegiFile.aspx", p.legiFile)
	page("/Citizens/FileOpen.aspx", func(w http.ResponseWriter, r *http.Request, all []entry) {
		kind, id := number(r, "Type"), number(r, "ID")
		if kind != 12 && kind != 15 {
			sheet(w, r)
			return
		}
		minutes(w, r, all, func(e entry) bool {
			return id == e.MinutesID() && (kind == 15 && p.HasPlain(e.Meeting) || kind == 12 && p.HasPacket(e.Meeting))
		})
	})
	page("/Services/RSS.aspx", p.feed)
}

// view is the data of a page: a meeting, or a list of meetings in a date range.
type view struct {
	*Portals
	entry
	From, To time.Time
	Entries  []entry
}

// HasMedia reports whether a meeting has a recording.
func (p *Portals) HasMedia(m *town.Meeting) bool {
	return m.HasVideo && p.Posted(m.Starts) && !m.Cancelled
}

// Status returns the tooltip of a meeting.
func (e entry) Status() string {
	switch {
	case e.Cancelled:
		return "Cancelled"
	case e.Meeting.ID%4 == 0: // finalised; real clerks sometimes forget this
		return "Closed"
	}
	return "Scheduled"
}

// Motion returns the address of a motion's page; "" before the minutes are posted.
func (v view) Motion(place, kind int) string {
	if !v.HasMinutes(v.Meeting) {
		return ""
	}
	minutes := v.MinutesID()
	return fmt.Sprintf("Detail_Motion.aspx?Frame=&MeetingID=%d&MinutesID=%d&MediaPosition=&ID=%d&Type=%d&CssClass=",
		v.ID, minutes, minutes*100+place, kind)
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

// calendar serves the meetings in a range of days.
func (p *Portals) calendar(w http.ResponseWriter, r *http.Request, all []entry) {
	day := func(name, otherwise string) time.Time {
		t, err := time.Parse("1/2/2006", r.URL.Query().Get(name))
		if err != nil {
			t, _ = time.Parse(time.DateOnly, otherwise)
		}
		return t
	}
	v := view{From: day("From", "1900-01-01"), To: day("To", "9999-12-31"), Portals: p}
	for _, e := range all {
		held := e.Starts.Format(time.DateOnly)
		if held >= v.From.Format(time.DateOnly) && held <= v.To.Format(time.DateOnly) {
			v.Entries = append(v.Entries, e)
		}
	}
	p.show(w, htmlPage, "calendar", v)
}

func (p *Portals) legiFile(w http.ResponseWriter, r *http.Request, all []entry) {
	for _, e := range all {
		for _, s := range e.Sections {
			for _, it := range s.Items {
				if it.LegiFile > 0 && it.LegiFile == number(r, "ID") && p.HasAgenda(e.Meeting) {
					p.show(w, htmlPage, "legifile", it)
					return
				}
			}
		}
	}
	http.Error(w, "The file cannot be found.", http.StatusNotFound)
}

// news is an entry of the calendar feed.
type news struct {
	entry
	What string
	At   time.Time
}

// feed serves the calendar feed. Its XML declaration says UTF-16, which is wrong, as on real
// portals.
func (p *Portals) feed(w http.ResponseWriter, r *http.Request, all []entry) {
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
	}{p, r.Host, list})
}
