package portal

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// line is what the calendar page shows of an entry.
type line struct {
	N     int
	Month string // the heading above it, "" within a month
	Alt   bool
	ID    int
	// Tip is the tooltip with all facts, its control characters as references.
	Tip, When, Board, Type string
	Cancelled, Video       bool
	Links                  []link
}

// link is a document in the calendar; Type 0 means that there is none.
type link struct {
	Type, ID int
	Label    string
}

func (p *Portal) calendar(w http.ResponseWriter, r *http.Request) {
	from, to := p.span(r)
	group := parameter(r, "BoardID") + parameter(r, "DepartmentID")
	view := struct {
		Title, From, To string
		Lines           []line
	}{Title: "Meeting Calendar - " + town.City + ", California", From: from.Format("1/2/2006"), To: to.Format("1/2/2006")}
	month := ""
	for _, e := range p.entries() {
		day := time.Date(e.Starts.Year(), e.Starts.Month(), e.Starts.Day(), 0, 0, 0, 0, time.UTC)
		if day.Before(from) || day.After(to) || group != 0 && boardID(e.Board) != group {
			continue
		}
		l := p.line(e, len(view.Lines))
		if head := e.Starts.Format("January, 2006"); head != month {
			l.Month, month = head, head
		}
		view.Lines = append(view.Lines, l)
	}
	p.show(w, "calendar", view)
}

// line is an entry as the calendar shows it.
func (p *Portal) line(e entry, n int) line {
	status := "Scheduled"
	switch {
	case e.Cancelled:
		status = "Cancelled"
	case e.Meeting.ID%4 == 0: // finalised; clerks do it or forget it
		status = "Closed"
	}
	const cr, tab = "&#13;", "&#09;"
	l := line{
		N: n, Alt: n%2 == 1, ID: e.ID, Board: e.Board, Type: e.Type, Cancelled: e.Cancelled,
		When: e.Starts.Format("Jan 2, 2006 3:04 PM"),
		Tip: strings.ToUpper(e.Starts.Format("Monday, January 2, 2006  3:04 PM")) + cr + cr +
			"Board:" + tab + e.Board + cr + "Type:" + tab + e.Type + cr + "Status:" + tab + status + cr + cr + tab + e.Room + cr + tab + e.Address,
		Video: e.HasVideo && p.Posted(e.Starts) && !e.Cancelled,
		Links: []link{{Label: "Agenda"}, {Label: "Agenda Packet"}, {Label: "Minutes"}, {Label: "Minutes Packet"}},
	}
	if p.HasAgenda(e.Meeting) {
		l.Links[0].Type, l.Links[0].ID = 14, e.AgendaID
		l.Links[1].Type, l.Links[1].ID = 1, e.AgendaID
	}
	if p.HasPlain(e.Meeting) {
		l.Links[2].Type, l.Links[2].ID = 15, e.MinutesID
	}
	if p.HasPacket(e.Meeting) {
		l.Links[3].Type, l.Links[3].ID = 12, e.MinutesID
	}
	return l
}

// outlineRow is a row of the agenda outline: Depth empty cells, then a number and a title that spans the rest.
type outlineRow struct {
	Depth, Span   int
	Number, Title string
	Strong        bool
	// Href is where the title leads, "" nowhere; Tag a note behind it.
	Href, Tag string
	Icon      bool
}

// Empty is the leading empty cells, which the page writes one by one.
func (o outlineRow) Empty() string { return strings.Repeat("<td></td>", o.Depth) }

func (p *Portal) meeting(w http.ResponseWriter, r *http.Request) {
	e := p.find(parameter(r, "ID"))
	if e == nil || e.Withdrawn {
		p.show(w, "withdrawn", nil)
		return
	}
	view := struct {
		entry
		Title, When, Street, Town                string
		Agenda, Minutes, Plain, Packet, HasMedia bool
		Outline                                  []outlineRow
	}{
		entry: *e, Title: e.Starts.Format("2006/01/02 03:04 PM ") + e.Board + " " + e.Type + " - Web Outline - " + town.City + ", California",
		When: e.Starts.Format("1/2/2006 3:04 PM"),
		// The page of a meeting that was called off keeps its links.
		Agenda: p.HasAgenda(e.Meeting), Minutes: p.HasMinutes(e.Meeting), Plain: p.HasPlain(e.Meeting), Packet: p.HasPacket(e.Meeting),
		HasMedia: e.HasVideo && p.Posted(e.Starts) && !e.Cancelled,
	}
	view.Street, view.Town, _ = strings.Cut(e.Address, ", ")
	if view.Agenda {
		view.Outline = p.outline(*e)
	}
	p.show(w, "meeting", view)
}

// outline is the agenda as a table. Items lead to their file, or once there are minutes to their motion; below them stand attachments.
func (p *Portal) outline(e entry) []outlineRow {
	var rows []outlineRow
	minutes := p.HasMinutes(e.Meeting)
	motion := func(id, kind int) string {
		if !minutes {
			return ""
		}
		return fmt.Sprintf("Detail_Motion.aspx?Frame=&MeetingID=%d&MinutesID=%d&MediaPosition=&ID=%d&Type=%d&CssClass=", e.ID, e.MinutesID, id, kind)
	}
	for i, s := range clerk.Outline(e.Meeting) {
		heading := clerk.Roman(i+1) + ". "
		if e.Style == 1 { // this template does not number its sections on the web
			heading = ""
		}
		rows = append(rows, outlineRow{Span: 10, Number: heading, Title: s.Heading, Strong: true, Href: motion(e.MinutesID*100+i, 70)})
		for k, it := range s.Items {
			row := outlineRow{Depth: 1, Span: 9, Number: it.Number + " ", Title: it.Title}
			switch {
			case it.LegiFile > 0:
				row.Href = fmt.Sprintf("Detail_LegiFile.aspx?Frame=&MeetingID=%d&MediaPosition=&ID=%d&CssClass=", e.ID, it.LegiFile)
			case it.Kind == "Minutes":
				row.Href = motion(e.MinutesID*100+50+k, 30)
			default:
				row.Href = motion(e.MinutesID*100+50+k, 60)
			}
			rows = append(rows, row)
			if it.LegiFile > 0 {
				rows = append(rows, outlineRow{Depth: 2, Span: 8, Icon: true, Title: "Staff Report Printout", Href: fmt.Sprintf("FileOpen.aspx?Type=30&ID=%d&MeetingID=%d", it.LegiFile, e.ID)})
			}
			for n, a := range it.Attachments {
				tag := ""
				if a == "Correspondence Received" {
					tag = "Supplemental Information"
				}
				rows = append(rows, outlineRow{Depth: 2, Span: 8, Number: string(rune('a'+n)) + ". ", Title: a, Tag: tag,
					Href: fmt.Sprintf("FileOpen.aspx?Type=4&ID=%d&MeetingID=%d", it.LegiFile*10+n, e.ID)})
			}
		}
	}
	return rows
}

// history is what a legislative file's page says of one meeting: the vote blocks as rows of label and value.
type history struct {
	ID                        int
	When, Board, Type, Action string
	Votes                     [][]clerk.Row
}

func (p *Portal) legiFile(w http.ResponseWriter, r *http.Request) {
	id := parameter(r, "ID")
	view := struct {
		*town.Item
		History []history
	}{}
	for _, e := range p.entries() {
		if e.ID != e.Meeting.ID || !p.HasAgenda(e.Meeting) || e.Withdrawn {
			continue
		}
		for _, s := range e.Sections {
			i := slices.IndexFunc(s.Items, func(it *town.Item) bool { return it.LegiFile == id && it.Pulled == "" })
			if id == 0 || i < 0 {
				continue
			}
			view.Item = s.Items[i]
			h := history{ID: e.ID, When: e.Starts.Format("Jan 2, 2006 3:04 PM"), Board: e.Board, Type: e.Type}
			// A clerk who only has a photocopy of the minutes has no votes in the system either.
			if p.HasMinutes(e.Meeting) && !e.Scanned {
				h.Votes = clerk.VoteRecords(e.Meeting, s, s.Items[i])
			}
			view.History = append(view.History, h)
		}
	}
	if view.Item == nil {
		http.Error(w, "The file cannot be found.", http.StatusNotFound)
		return
	}
	p.show(w, "legifile", view)
}

// aside stands for the pages of a meeting that no reader of votes needs: motions, recordings.
func (p *Portal) aside(w http.ResponseWriter, r *http.Request) {
	e := p.find(parameter(r, "MeetingID"))
	if e == nil {
		http.Error(w, "There is no such meeting.", http.StatusNotFound)
		return
	}
	p.show(w, "aside", e)
}

// news is an entry of the feed.
type news struct {
	entry
	What, When, Published string
	at                    time.Time
	Agenda, Plain, Packet bool
}

// feed is the calendar feed, which claims to be XML in UTF-16 and is neither.
func (p *Portal) feed(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(text(r, "Feed"), "Calendar") {
		http.Error(w, "There is no such feed.", http.StatusNotFound)
		return
	}
	var all []news
	for _, e := range p.entries() {
		n := news{entry: e, When: e.Starts.Format("Jan 2, 2006 3:04 PM")}
		if p.HasAgenda(e.Meeting) {
			n.What, n.at, n.Agenda = "Agenda", e.AgendaPosted, true
			all = append(all, n)
		}
		if p.HasMinutes(e.Meeting) {
			n.What, n.at, n.Agenda, n.Plain, n.Packet = "Minutes", e.MinutesPosted, false, p.HasPlain(e.Meeting), p.HasPacket(e.Meeting)
			all = append(all, n)
		}
	}
	for i := range all {
		all[i].Published = all[i].at.UTC().Format(http.TimeFormat)
	}
	slices.SortStableFunc(all, func(a, b news) int { return byNewest(a.at, b.at) })
	w.Header().Set("Content-Type", "text/xml; charset=utf-16")
	p.show(w, "feed", struct {
		Host string
		News []news
	}{r.Host, all})
}
