package clerk

import (
	"fmt"
	"strings"

	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/demo/typeset"
)

// Row is a label, like "AYES:", and its value in a vote block.
type Row struct{ Label, Value string }

// wording is how a vote is printed: its rows, and what a reader finds in them.
type wording struct {
	rows  []Row
	next  string
	truth TruthVote
}

// word puts a vote into words, the clerk's slip included.
func (p *press) word(m *town.Motion) wording {
	v := TruthVote{MotionText: p.set(m.Text), Positions: map[string][]string{"aye": {}, "nay": {}, "abstain": {}, "absent": {}, "recused": {}}}
	ayes, nays, abstained := len(m.Of(town.Aye)), len(m.Of(town.Nay)), len(m.Of(town.Abstain))
	v.AyesCount, v.NaysCount = ayes, nays
	v.Unanimous = ayes > 0 && nays == 0 && abstained == 0

	if m.Slip == town.WrongTally {
		v.AyesCount, v.NaysCount = ayes+1, nays-1
	}
	tally := fmt.Sprintf(" [%d TO %d]", v.AyesCount, v.NaysCount)
	if v.Unanimous && (p.bracket || m.Slip == town.BareBracket) {
		tally = " [UNANIMOUS]"
	}
	if abstained > 0 && p.ruled {
		tally = fmt.Sprintf(" [%d TO %d WITH %d ABSTENTION]", ayes, nays, abstained)
	}
	v.ResultRaw, v.Result = m.Word, resultOf(m.Word)
	switch {
	case m.Slip == town.BareBracket:
		v.ResultRaw, v.Result = strings.TrimSpace(tally), "other"
	case m.Slip == town.Misspelt:
		v.ResultRaw += fmt.Sprintf(" [%d TO %d] WITH %d ABSENTION", ayes, nays, abstained)
	case m.Tally && m.Slip != town.NoTally:
		v.ResultRaw += tally
	}

	w := wording{rows: []Row{{"RESULT:", v.ResultRaw}}}
	if m.Next != "" {
		w.next = "Next: " + m.Next
	}
	if m.Mover != nil {
		mover, second := p.name(m.Mover), p.name(m.Seconder)
		v.Mover, v.Seconder = &mover, &second
		switch m.Slip {
		case town.NoMover:
			v.Mover = nil
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
		var printed []string
		for i, person := range roll.Members {
			name, full := p.name(person), p.name(person)
			if len(roll.Members) > 4 { // longer rows have last names only
				name = person.Last
			}
			if m.Slip == town.WrongName && roll.Position == town.Aye && i == 1 {
				name, full = stranger, stranger
			}
			printed = append(printed, name)
			as := positionOf[roll.Position]
			v.Positions[as] = append(v.Positions[as], p.set(full))
		}
		w.rows = append(w.rows, Row{string(roll.Position) + ":", strings.Join(printed, ", ")})
	}
	w.truth = v
	return w
}

// stranger is who gets into a roll when the clerk copies from another city's form.
const stranger = "Pemberton"

// resultOf is the API's word for what the clerk's word means.
func resultOf(word string) string {
	switch strings.TrimSuffix(word, " AS AMENDED") {
	case "ADOPTED", "PASSED", "APPROVED", "ACCEPTED":
		return "adopted"
	case "FAILED", "NOT ADOPTED", "DENIED":
		return "failed"
	case "TABLED":
		return "tabled"
	case "CONTINUED":
		return "continued"
	case "NO ACTION TAKEN", "WITHDRAWN":
		return "no_action"
	}
	return "other"
}

// cell is a piece of a block, waiting to be drawn in the template's order.
type cell struct {
	x, y float64
	font typeset.Font
	text string
}

// block sets a vote block and tells the page of its RESULT row. Pages turn wherever one ends, also between the lines of a row.
func (p *press) block(w wording) (page int) {
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
					page = p.number()
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
	return page
}

// VoteRecords is the votes on an item of a section as a portal shows them in HTML: the rows of each block, as the minutes print them.
func VoteRecords(m *town.Meeting, s *town.Section, it *town.Item) [][]Row {
	p := &press{template: of(m)}
	motions := it.Motions
	if s.Consent != nil {
		motions = []*town.Motion{s.Consent}
	}
	var out [][]Row
	for _, v := range motions {
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
