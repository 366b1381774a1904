// Package clerk is the city clerk of the demo town: it prints agendas and minutes as PDFs.
//
// The documents look like those of a MinuteTraq city, in three templates that differ in fonts, footers, and the order in which the
// cells of a table are drawn. Long rolls are printed as last names only, blocks run over page ends with the footer between their rows,
// and once a meeting the clerk slips.
//
// It never reads a PDF and knows nothing of the web. What happened at a meeting comes from package town; typeset writes the file;
// press.go sets lines on pages, block.go the vote table, minutes.go and agenda.go the documents, scan.go a page without text.
package clerk

import (
	"strings"

	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/demo/typeset"
)

// template is how one of the clerk's forms looks.
type template struct {
	body, bold typeset.Font
	size       float64
	// widths reports whether the PDF states the widths of its characters.
	widths bool
	// labelsFirst draws all labels of a vote block before all values; otherwise row by row.
	labelsFirst bool
	// value is where the value column begins and measure how wide it is, in points from the left margin.
	label, value, measure float64
	// ruled puts lines around tables, shaded a grey bar behind the result.
	ruled, shaded bool
	// bracket prints [UNANIMOUS] instead of figures where all agree.
	bracket bool
	// curly sets apostrophes as ’ instead of '.
	curly bool
	// formal writes people's names as their birth certificate does.
	formal bool
	// inline sets "Next:" at the right end of the RESULT row instead of on a line of its own.
	inline bool
	// prose is how far from the left margin the text of an item begins.
	prose float64
	// motion stands before the sentence of a motion.
	motion string
	// footer has {page} and {pages}; header stands on every page but the first.
	footer, header string
}

// templates are the clerk's forms; a meeting's Style picks one.
func templates() []template {
	return []template{
		{body: typeset.Times, bold: typeset.TimesBold, size: 11, label: 30, value: 120, measure: 340, bracket: true, prose: 36, motion: "Motion: ",
			footer: "Page {page} of {pages}"},
		{body: typeset.Helvetica, bold: typeset.HelveticaBold, size: 9.5, widths: true, labelsFirst: true, label: 24, value: 100, measure: 350, curly: true, formal: true, inline: true, shaded: true, prose: 54,
			header: "{board} {type} Minutes – {date}", footer: "Office of the City Clerk – www.alderbay.example – Page {page}"},
		{body: typeset.Times, bold: typeset.TimesBold, size: 11.5, widths: true, label: 48, value: 132, measure: 210, ruled: true, bracket: true, prose: 84, motion: "MOTION: ",
			header: "City of Alder Bay", footer: "{board} – {date} – Page {page} of {pages}"},
	}
}

// set is how the template spells a text.
func (t *template) set(text string) string {
	if t.curly {
		return strings.ReplaceAll(text, "'", "’")
	}
	return text
}

// name is how the template writes a person's name.
func (t *template) name(p *town.Person) string {
	if t.formal && p.Formal != "" {
		return t.set(p.Formal)
	}
	return t.set(p.Name)
}

// of picks the template of a meeting.
func of(m *town.Meeting) template {
	all := templates()
	return all[m.Style%len(all)]
}
