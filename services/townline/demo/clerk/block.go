package clerk

import (
	"fmt"
	"strings"

	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/demo/typeset"
)

// Row is a label, like "AYES:", and its value in a vote block.
type Row struct{ Label, Value string }

// wording is how a vote is printed: its rows, and when the matter comes up next.
type wording struct {
	rows []Row
	next string
}

// word puts a vote into words, the clerk's slip included.
func (p *press) word(m *town.Motion) wording {
	w := wording{rows: []Row{{"RESULT:", m.Word + p.tally(m)}}}
	if m.Slip == town.BareBracket {
		w.rows[0].Value = strings.TrimSpace(p.tally(m))
	}
	if m.Next != "" {
		w.next = "Next: " + m.Next
	}
	if m.Mover != nil {
		mover, second := p.name(m.Mover), p.name(m.Seconder)
		switch m.Slip {
		case town.NoMover:
		case town.TwoMovers:
			w.rows = append(w.rows, Row{"MOVER:", mover + ", " + second})
		default:
			w.rows = append(w.rows, Row{"MOVER:", mover + ", " + m.Mover.Title})
		}
		label := "SECONDER:"
		if m.Slip == town.NoColon {
			label = "SECONDER"
		}
		w.rows = append(w.rows, Row{label, second + ", " + m.Seconder.Title})
	}
	for _, roll := range m.Rolls {
		var names []string
		for i, person := range roll.Members {
			switch {
			case m.Slip == town.WrongName && roll.Position == town.Aye && i == 1:
				names = append(names, Stranger)
			case len(roll.Members) > 4: // longer rows have last names only
				names = append(names, person.Last)
			default:
				names = append(names, p.name(person))
			}
		}
		w.rows = append(w.rows, Row{string(roll.Position) + ":", strings.Join(names, ", ")})
	}
	return w
}

// tally is the count behind a result.
func (p *press) tally(m *town.Motion) string {
	ayes, nays, abstained := len(m.Of(town.Aye)), len(m.Of(town.Nay)), len(m.Of(town.Abstain))
	switch {
	case m.Slip == town.Misspelt:
		return fmt.Sprintf(" [%d TO %d] WITH %d ABSENTION", ayes, nays, abstained)
	case !m.Tally || m.Slip == town.NoTally:
		return ""
	case m.Slip == town.BareBracket, ayes > 0 && nays+abstained == 0 && p.bracket:
		return " [UNANIMOUS]"
	case m.Slip == town.WrongTally:
		return fmt.Sprintf(" [%d TO %d]", ayes+1, nays-1)
	case abstained > 0 && p.ruled:
		return fmt.Sprintf(" [%d TO %d WITH %d ABSTENTION]", ayes, nays, abstained)
	}
	return fmt.Sprintf(" [%d TO %d]", ayes, nays)
}

// Stranger is who gets into a roll when the clerk copies from another city's form.
const Stranger = "Pemberton"

// cell is a piece of a block, waiting to be drawn in the template's order.
type cell struct {
	x, y float64
	font typeset.Font
	text string
}

// block sets a vote block. Pages turn wherever one ends, also between the lines of a row.
func (p *press) block(w wording) {
	var labels, values []cell
	flush := func() {
		for _, c := range labels {
			p.page.Text(c.x, c.y, c.font, p.size, c.text)
		}
		for _, c := range values {
			p.page.Text(c.x, c.y, c.font, p.size, c.text)
		}
		labels, values = nil, nil
	}
	rule := func(y float64) {
		if p.ruled {
			p.page.Rule(left+p.label-4, y, left+p.value+p.measure+4, y)
		}
	}
	p.gap(0.2)
	for i, r := range w.rows {
		lines := typeset.Wrap(p.body, p.size, p.measure, p.set(r.Value))
		if i == 0 && w.next != "" && !p.inline {
			lines = append(lines, w.next)
		}
		for k, l := range lines {
			before := p.page
			if p.y-p.leading() < bottom {
				flush()
			}
			p.room()
			if p.page != before || i == 0 && k == 0 {
				rule(p.y + p.leading()*0.8)
			}
			if k == 0 {
				if i == 0 {
					if p.shaded {
						p.page.Box(left+p.label-4, p.y-3, p.value-p.label+p.measure+8, p.leading(), 0.9)
					}
					if w.next != "" && p.inline {
						values = append(values, cell{left + p.value + p.measure - typeset.Width(p.body, p.size, w.next), p.y, p.body, w.next})
					}
				}
				labels = append(labels, cell{left + p.label, p.y, p.bold, r.Label})
			}
			values = append(values, cell{left + p.value, p.y, p.body, l})
			if !p.labelsFirst {
				flush()
			}
		}
		rule(p.y - p.leading()*0.25)
	}
	flush()
	p.gap(0.8)
}

// VoteRecords is the votes on an item of a section as a portal shows them in HTML: the rows of each block, as the minutes print them.
func VoteRecords(m *town.Meeting, s *town.Section, it *town.Item) [][]Row {
	p := &press{template: of(m)}
	var out [][]Row
	for _, v := range s.Votes(it) {
		w := p.word(v)
		if w.next != "" {
			w.rows[0].Value += " " + w.next
		}
		for i := range w.rows {
			w.rows[i].Value = p.set(w.rows[i].Value)
		}
		out = append(out, w.rows)
	}
	return out
}
