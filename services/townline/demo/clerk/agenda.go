package clerk

import (
	"strconv"
	"strings"

	"github.com/townline/townline/services/townline/demo/town"
)

// Agenda prints what a meeting is going to deal with.
func Agenda(m *town.Meeting) ([]byte, error) {
	p := agenda(m)
	return p.finish()
}

// AgendaPacket prints the agenda with a page of staff report for each file.
func AgendaPacket(m *town.Meeting) ([]byte, error) {
	p := agenda(m)
	for _, s := range m.Sections {
		for _, it := range s.Items {
			if it.File == "" || s.Heading == "ITEMS REMOVED FROM THE CONSENT CALENDAR" {
				continue
			}
			p.turn()
			p.line(0, p.bold, "STAFF REPORT "+it.File)
			p.gap(0.5)
			p.paragraph(0, "Subject: "+it.Title)
			p.paragraph(0, "Recommendation: That the "+m.Board+" approve the item. The fiscal impact is within the adopted budget.")
			for _, a := range it.Attachments {
				p.paragraph(20, "• "+a)
			}
		}
	}
	return p.finish()
}

func agenda(m *town.Meeting) *press {
	p := start(m, m.Board+" "+m.Type+" Agenda, "+m.Starts.Format("January 2, 2006"))
	p.head(m, "Agenda")
	n := 0
	for _, s := range Outline(m) {
		n++
		p.gap(0.6)
		p.numbered(0, 36, p.bold, Roman(n)+".", s.Heading)
		for _, it := range s.Items {
			p.numbered(36, 30, p.body, it.Number, strings.TrimSpace(it.File+"  "+it.Title))
		}
	}
	return p
}

// Outline is a meeting's agenda as it was posted: without what happened on the evening only.
func Outline(m *town.Meeting) []*town.Section {
	var out []*town.Section
	for _, s := range m.Sections {
		if s.Heading != "ITEMS REMOVED FROM THE CONSENT CALENDAR" {
			out = append(out, s)
		}
	}
	return out
}

// Sheet prints one page about an item: a staff report or an attachment.
func Sheet(m *town.Meeting, heading, about string) ([]byte, error) {
	p := start(m, heading)
	p.centred(p.bold, p.size+3, heading)
	p.gap(1)
	p.paragraph(0, about)
	p.paragraph(0, "Prepared for the "+m.Board+" meeting of "+m.Starts.Format("January 2, 2006")+".")
	return p.finish()
}

// Paper prints the staff report or an attachment of an item of a meeting by the id that portals give it: that of the item's file for a report, and
// for attachments ten times that and their place. It is nil when another meeting's item has it.
func Paper(m *town.Meeting, report bool, id int) ([]byte, error) {
	for _, s := range m.Sections {
		for _, it := range s.Items {
			if report && it.LegiFile == id && id > 0 {
				return Sheet(m, "Staff Report "+it.File, it.Title)
			}
			if n := id - it.LegiFile*10; !report && it.LegiFile > 0 && n >= 0 && n < len(it.Attachments) {
				return Sheet(m, it.Attachments[n]+" "+strconv.Itoa(n+1), it.Title)
			}
		}
	}
	return nil, nil
}
