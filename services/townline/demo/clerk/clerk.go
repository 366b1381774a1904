// Package clerk prints the agendas and minutes of the demo town as PDFs.
//
// The documents look like those of a MinuteTraq city, in three forms that differ in fonts, footers,
// and the drawing order of a table's cells. Long rolls have last names only, blocks run over page
// ends, and each meeting has a mistake.
//
// documents.txt has the texts, filled in from the meetings of package town; votes.go writes the
// votes; press.go sets lines on pages; pdf.go writes the file.
package clerk

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// The documents of a meeting, by their names in documents.txt.
const (
	Agenda        = "Agenda"
	AgendaPacket  = "Agenda packet" // with a page of staff report for each file
	Minutes       = "Minutes"
	MinutesPacket = "Minutes packet" // with every adopted resolution, each with its vote again
)

// form is the layout of a document.
type form struct {
	body, bold font
	size       float64
	// widths: the PDF states the widths of its characters.
	widths bool
	// labelsFirst draws all labels of a vote block before all values; otherwise row by row.
	labelsFirst bool
	// Columns of labels and values, in points from the left margin; measure is the width of the value
	// column.
	label, value, measure float64
	// ruled draws lines around tables, shaded a grey bar behind the result.
	ruled, shaded bool
	// bracket prints [UNANIMOUS] instead of figures if all agree.
	bracket bool
	// curly sets apostrophes as ’ instead of '.
	curly bool
	// formal prints people's formal names.
	formal bool
	// inline sets "Next:" at the right end of the RESULT row instead of on a line of its own.
	inline bool
	// Prose is the left margin of an item's text; Before precedes the sentence of a motion.
	Prose  float64
	Before string
	// footer has {page} and {pages}; header is on every page but the first.
	footer, header string
}

// forms returns the clerk's forms; a meeting's Style is an index.
func forms() []form {
	return []form{
		{body: times, bold: timesBold, size: 11, label: 30, value: 120, measure: 340, bracket: true, Prose: 36,
			Before: "Motion: ",
			footer: "Page {page} of {pages}"},
		{body: helvetica, bold: helveticaBold, size: 9.5, widths: true, labelsFirst: true, label: 24, value: 100,
			measure: 350,
			curly:   true, formal: true, inline: true, shaded: true, Prose: 54,
			header: "{board} {type} Minutes – {date}", footer: "Office of the City Clerk – www.alderbay.example – Page {page}"},
		{body: times, bold: timesBold, size: 11.5, widths: true, label: 48, value: 132, measure: 210, ruled: true,
			bracket: true,
			Prose:   84, Before: "MOTION: ", header: "City of Alder Bay", footer: "{board} – {date} – Page {page} of {pages}"},
	}
}

func of(m *town.Meeting) form {
	all := forms()
	return all[m.Style%len(all)]
}

// set returns a text in the form's typography.
func (f form) set(text string) string {
	if f.curly {
		return strings.ReplaceAll(text, "'", "’")
	}
	return text
}

// Name returns a person's name as the form prints it.
func (f form) Name(p *town.Person) string {
	if f.formal && p.Formal != "" {
		return f.set(p.Formal)
	}
	return f.set(p.Name)
}

// document is the data of the templates in documents.txt.
type document struct {
	*town.Meeting
	form
	// Kind is Agenda or Minutes; Title and About are those of a sheet.
	Kind, Title, About string
}

func (document) City() string { return town.City }

// Date returns the day of the meeting.
func (d document) Date() string { return d.Starts.Format("January 2, 2006") }

// Opened returns the time of the call to order.
func (d document) Opened() string { return d.Starts.Add(2 * time.Minute).Format("3:04 PM") }

//go:embed documents.txt
var documents string

var texts = sync.OnceValues(func() (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		"roman": town.Roman, "last": func(s string) int { return len(s) - 1 },
	}).Parse(documents)
})

// Print prints a document of a meeting. Scanned minutes are pictures of pages.
func Print(name string, m *town.Meeting) ([]byte, error) {
	kind, _, _ := strings.Cut(name, " ")
	if kind == Minutes && m.Scanned {
		return scan(m)
	}
	d := document{Meeting: m, form: of(m), Kind: kind}
	return d.print(name, m.Board+" "+m.Type+" "+kind+", "+d.Date())
}

// Paper prints the staff report or an attachment of an item. A report has the id of the item's
// file, an attachment ten times that plus its place. Paper returns nil if the meeting has no such
// item.
func Paper(m *town.Meeting, report bool, id int) ([]byte, error) {
	sheet := func(title, about string) ([]byte, error) {
		return document{Meeting: m, form: of(m), Title: title, About: about}.print("Sheet", title)
	}
	for _, s := range m.Sections {
		for _, it := range s.Items {
			if report && it.LegiFile == id && id > 0 {
				return sheet("Staff Report "+it.File, it.Title)
			}
			if n := id - it.LegiFile*10; !report && it.LegiFile > 0 && n >= 0 && n < len(it.Attachments) {
				return sheet(it.Attachments[n]+" "+strconv.Itoa(n+1), it.Title)
			}
		}
	}
	return nil, nil
}

func (d document) print(name, title string) ([]byte, error) {
	all, err := texts()
	if err != nil {
		return nil, fmt.Errorf("read the clerk's documents: %w", err)
	}
	var text strings.Builder
	if err := all.ExecuteTemplate(&text, name, d); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	p := start(d, title)
	for line := range strings.Lines(d.set(text.String())) {
		if line = strings.TrimSpace(line); line != "" {
			p.element(strings.Split(line, "|"))
		}
	}
	return p.finish()
}

// scan prints photocopied minutes: pages with pictures of lines, without text.
func scan(m *town.Meeting) ([]byte, error) {
	const width, height = 638, 825 // 75 dots an inch
	file := &pdfFile{title: "Scan"}
	for number := range 3 {
		grey := make([]byte, width*height)
		for i := range grey {
			x, y := i%width, i/width
			grey[i] = 250
			// Words are dark strokes, on lines of their own lengths.
			length := width - 70 - (y/14*m.ID+number)%90
			if y%14 < 6 && y > 70 && y < height-80 && x > 66 && x < length && (x+y/14*37)%47 > 6 {
				grey[i] = byte(40 + i%60)
			}
		}
		file.addPage().picture(width, height, grey)
	}
	return file.bytes()
}
