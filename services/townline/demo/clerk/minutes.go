package clerk

import (
	"fmt"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// Minutes prints the minutes of a meeting; those that were scanned are pictures of pages.
func Minutes(m *town.Meeting) ([]byte, error) {
	if m.Scanned {
		return scan(m)
	}
	return minutes(m).finish()
}

// Packet prints the minutes with every adopted resolution behind them, each with its vote block again.
func Packet(m *town.Meeting) ([]byte, error) {
	if m.Scanned {
		return scan(m)
	}
	p := minutes(m)
	for _, s := range m.Sections {
		for _, it := range s.Items {
			if it.File != "" && it.Pulled == "" && (it.Kind == "Resolution" || it.Kind == "Ordinance") {
				p.attachment(m, it, s.Votes(it))
			}
		}
	}
	return p.finish()
}

// attachment sets a resolution on a page of its own, with the vote as it is in the minutes.
func (p *press) attachment(m *town.Meeting, it *town.Item, motions []*town.Motion) {
	p.turn()
	p.centred(p.bold, p.size+2, town.City)
	p.centred(p.bold, p.size, it.Kind+" No. "+it.File)
	p.gap(1)
	p.paragraph(0, it.Title)
	p.paragraph(0, "WHEREAS, the matter came before the "+m.Board+" of the "+town.City+" on "+m.Starts.Format("January 2, 2006")+"; and")
	p.paragraph(0, "NOW, THEREFORE, BE IT RESOLVED that the foregoing recital is true, and that the City Manager is authorized to carry out this "+it.Kind+".")
	p.line(0, p.bold, "THE VOTE")
	for _, v := range motions {
		p.block(p.word(v))
	}
}

// minutes sets the minutes.
func minutes(m *town.Meeting) *press {
	p := start(m, m.Board+" "+m.Type+" Minutes, "+m.Starts.Format("January 2, 2006"))
	p.head(m, "Minutes")
	for i, s := range m.Sections {
		p.gap(0.6)
		p.numbered(0, 36, p.bold, Roman(i+1)+".", s.Heading)
		if i == 0 {
			caller := m.Attendance[0]
			p.paragraph(36, fmt.Sprintf("The meeting was called to order at %s by %s %s.", m.Starts.Add(2*time.Minute).Format("3:04 PM"), caller.Title, p.name(caller.Person)))
			p.attendance(m)
		}
		for _, text := range s.Text {
			p.paragraph(36, text)
		}
		p.section(s)
	}
	p.gap(2)
	p.line(36, p.body, "Respectfully submitted,")
	p.line(36, p.body, "Philippa Quayle, City Clerk")
	return p
}

// section sets the items under a heading, each with its own votes, or the consent calendar in either of its forms.
func (p *press) section(s *town.Section) {
	if s.Consent != nil {
		p.motion(s.Consent)
		if !s.EachBlock {
			p.block(p.word(s.Consent))
			p.after(s.Consent)
		}
	}
	for _, it := range s.Items {
		if it.Pulled != "" {
			p.numbered(36, 30, p.body, it.Number, "Item "+it.Number[:len(it.Number)-1]+" was removed from the Consent Calendar at the request of "+it.Pulled+".")
			continue
		}
		p.numbered(36, 30, p.body, it.Number, strings.TrimSpace(it.File+"  "+it.Title))
		for _, text := range it.Text {
			p.paragraph(p.prose, text)
		}
		if s.Consent != nil && s.EachBlock {
			p.block(p.word(s.Consent))
		}
		for _, v := range it.Motions {
			p.motion(v)
			p.block(p.word(v))
			p.after(v)
		}
	}
}

// motion sets what is said before a vote.
func (p *press) motion(v *town.Motion) {
	if v.Label != "" {
		p.line(p.prose, p.bold, v.Label)
	}
	if v.Text != "" {
		p.paragraph(p.prose, p.template.motion+v.Text+" "+v.Seconder.Addressed()+" seconded the motion.")
	}
}

// after sets what is said after a vote.
func (p *press) after(v *town.Motion) {
	for _, text := range v.After {
		p.paragraph(p.prose, text)
	}
}

// head sets the title of a document: city, board, meeting, day and place.
func (p *press) head(m *town.Meeting, kind string) {
	p.centred(p.bold, p.size+5, town.City)
	p.gap(0.3)
	p.centred(p.bold, p.size+2, m.Board)
	p.centred(p.bold, p.size+1, m.Type+" "+kind)
	p.centred(p.body, p.size, m.Starts.Format("Monday, January 2, 2006 – 3:04 PM"))
	p.centred(p.body, p.size-1, m.Room+", "+m.Address)
	p.gap(1)
}

// attendance sets the table of who was there.
func (p *press) attendance(m *town.Meeting) {
	columns := []float64{36, 190, 330, 410}
	set := func(f int, cells ...string) {
		p.room()
		for i, text := range cells {
			if text == "" {
				continue
			}
			font := p.body
			if f == 1 {
				font = p.bold
			}
			p.page.Text(left+columns[i], p.y, font, p.size, p.set(text))
		}
		if p.ruled {
			p.page.Rule(left+columns[0]-4, p.y-p.leading()*0.25, left+width, p.y-p.leading()*0.25)
		}
	}
	set(1, "Attendee Name", "Title", "Status", "Arrived")
	for _, a := range m.Attendance {
		set(0, p.name(a.Person), a.Title, a.Status, a.Arrived)
	}
	p.gap(0.8)
}
