package view

import (
	"html"
	"html/template"
	"strings"
)

// A page has thousands of cells, which a template would take a hundred times as long to write as this code does. It escapes whatever
// comes from outside.

// Write writes the cells of a trip, each with its stop and the trip for readers who hear it.
func (g *TimetableGrid) Write(t TimetableTrip) template.HTML {
	if g.spoken == nil {
		for _, head := range g.Heads {
			g.spoken = append(g.spoken, spoken(head.Name, g.Said))
		}
	}
	var b strings.Builder
	for i, c := range t.Cells {
		c.write(&b, g.spoken[i])
	}
	return template.HTML(b.String()) //nolint:gosec // escaped
}

// WriteRow writes the calls at a stop.
func (g *TimetableGrid) WriteRow(r TimetableRow) template.HTML {
	said := spoken(r.Name, g.Said)
	var b strings.Builder
	for _, c := range r.Cells {
		c.write(&b, said)
	}
	return template.HTML(b.String()) //nolint:gosec // escaped
}

// spoken is what is said before a time.
func spoken(stop, trip string) string {
	return `<span class="said">` + html.EscapeString(stop+", "+trip) + `: </span>`
}

func (c *TimetableCell) write(b *strings.Builder, said string) {
	if c.Text == "" {
		b.WriteString("<td>–</td>")
		return
	}
	b.WriteString("<td>")
	b.WriteString(said)
	if c.Gone {
		b.WriteString("<s>")
	}
	if c.Reckon {
		b.WriteByte('~')
	}
	b.WriteString(html.EscapeString(c.Text))
	if c.Next {
		b.WriteString("<sup>+1</sup>")
	}
	if c.Gone {
		b.WriteString("</s>")
	}
	for _, mark := range c.Marks {
		mark = html.EscapeString(mark)
		b.WriteString(` <a class="mark" href="#note-` + mark + `">` + mark + `</a>`)
	}
	b.WriteString("</td>")
}
