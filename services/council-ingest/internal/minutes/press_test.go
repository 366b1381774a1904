package minutes

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// press prints made-up minutes in a made-up dialect, and keeps the record that they should give.
type press struct {
	t       *rapid.T
	layout  form
	style   style
	members []string
	names   []string // names of members in texts and long lists

	lines []string
	marks map[int]*int // lines whose page will be recorded
	want  []record.Item

	printed string // the whole document
}

// style is the layout of a document around its tables.
type style struct {
	outline  string // numbering of headings and items, such as "roman.number", "roman.paren" or "letter.lower"
	indented bool   // items are printed in columns
	airy     bool   // there are blank lines around everything
	files    string // place of the file number: "", "before" or "below" the title
	motion   string // form of a motion: "", "made" or "moved"
	attend   string // form of the attendance: "table", "list" or ""
	consent  string // place of the consent vote: "", "first", "after" or "each"
	pulled   string // how an item is removed from the consent calendar: "", "stub", "said", "except" or "silent"
	footer   string
	feeds    bool // form feeds separate pages
	ruleOf   int  // longer lists print last names only
	packet   bool // resolutions follow, and repeat their votes
	lines    int  // lines on a page
	shout    bool // headings are in capitals
}

var offices = []string{"Trustee", "Councilmember", "Director", "Alderman", "Commissioner"}

func drawStyle(t *rapid.T) style {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	st := style{
		outline: pick("outline", "roman.number", "letter.number", "number.dotted", "number.lettered", "roman.letter",
			"roman.bullet", "capitals.number",
			"roman.paren", "letter.lower", "number.parens"),
		indented: rapid.Bool().Draw(t, "indented"),
		airy:     rapid.Bool().Draw(t, "airy"),
		files:    pick("files", "", "before", "below"),
		motion:   pick("motion", "", "made", "moved"),
		attend:   pick("attendance", "table", "table", "list"),
		consent:  pick("consent", "", "first", "first", "after", "each"),
		pulled:   pick("pulled", "", "stub", "said", "except", "silent"),
		footer: pick("footer", "", "Page %d of 9", "Packet Pg. %d", "www.ostrander.example    %d",
			"Village Board    February 9, 2026    %d"),
		feeds:  rapid.Bool().Draw(t, "feeds"),
		ruleOf: rapid.SampledFrom([]int{0, 4, 100}).Draw(t, "rule"),
		packet: rapid.IntRange(0, 4).Draw(t, "packet") == 0,
		lines:  rapid.IntRange(30, 60).Draw(t, "page"),
		shout:  rapid.Bool().Draw(t, "shout"),
	}
	if st.outline == "capitals.number" {
		st.shout, st.airy = true, true
	}
	if st.outline == "roman.bullet" || st.packet {
		st.consent = ""
	}
	return st
}

// ownNumbers reports whether items are numbered in a style that prose also has.
func (st style) ownNumbers() bool {
	return st.outline == "roman.paren" || st.outline == "letter.lower" || st.outline == "number.parens"
}

func (p *press) put(lines ...string) { p.lines = append(p.lines, lines...) }

// gap prints a blank line if the document is airy or must is true.
func (p *press) gap(must bool) {
	if (p.style.airy || must) && p.lines[len(p.lines)-1] != "" {
		p.put("")
	}
}

// mark prints a line. It returns a pointer that will have the line's page.
func (p *press) mark(line string) *int {
	page := new(int)
	p.marks[len(p.lines)] = page
	p.put(line)
	return page
}

func (p *press) heading(n int, title string) (printed string) {
	if p.style.shout {
		title = strings.ToUpper(title)
	}
	label := ""
	switch strings.Split(p.style.outline, ".")[0] {
	case "roman":
		label = []string{"", "I.", "II.", "III.", "IV.", "V.", "VI.", "VII.", "VIII."}[n] + "  "
	case "letter":
		label = string(rune('A'+n-1)) + ".  "
	case "number":
		label = fmt.Sprintf("%d.  ", n)
	}
	p.gap(true)
	p.put(label + title)
	p.gap(false)
	return title
}

// number returns the printed number of item k in section n. The item has number m in the whole
// document.
func (p *press) number(n, k, m int) string {
	switch p.style.outline {
	case "number.dotted":
		return fmt.Sprintf("%d.%d", n, k)
	case "number.lettered":
		return fmt.Sprintf("%d.%c.", n, 'A'+k-1)
	case "roman.letter":
		return string(rune('A'+k-1)) + "."
	case "roman.bullet":
		return ""
	case "capitals.number":
		return fmt.Sprintf("%d.", m)
	case "roman.paren":
		return fmt.Sprintf("%d)", k)
	case "letter.lower":
		return string(rune('a'+k-1)) + "."
	case "number.parens":
		return fmt.Sprintf("(%c)", 'a'+k-1)
	}
	return fmt.Sprintf("%d.", k)
}

// item prints the heading of an item.
func (p *press) item(number, file, title string) *int {
	p.gap(true)
	head := number
	if number == "" {
		head = "•"
	}
	indent, hang := "", head+" "
	if p.style.indented {
		indent, hang = "     ", fmt.Sprintf("%-8s", head)
	}
	text := title
	if file != "" && p.style.files == "before" {
		text = file + "  " + title
	}
	var page *int
	for n, part := range wrap(text, 78) {
		switch {
		case n == 0:
			page = p.mark(indent + hang + part)
		case p.style.indented:
			p.put(indent + strings.Repeat(" ", 8) + part)
		default:
			p.put(part)
		}
	}
	if file != "" && p.style.files == "below" {
		p.put(indent + file)
	}
	return page
}

// motionOf prints the sentence of a motion, and returns the text of the motion in the record.
func (p *press) motionOf(v printed, what string) string {
	if p.style.motion == "" {
		return ""
	}
	office := p.layout.office
	second := p.called(v.seconder)
	sentence := fmt.Sprintf("%s %s made the motion to %s.", office, p.called(v.mover), what)
	tail := fmt.Sprintf(" %s %s seconded the motion.", office, second)
	if p.style.motion == "moved" {
		sentence = fmt.Sprintf("%s %s moved to %s", office, p.called(v.mover), what)
		tail = fmt.Sprintf(", seconded by %s %s.", office, second)
	}
	p.gap(true)
	p.put(wrap(sentence+tail, 76)...)
	return sentence
}

// called returns a member's name in texts: the last name, unless two members have the same.
func (p *press) called(member string) string { return p.names[slices.Index(p.members, member)] }

// vote prints a table, and returns the vote of the record.
func (p *press) vote(v printed, seq int, motion string) record.Vote {
	p.gap(true)
	l := p.layout
	l.surnames = false
	var page *int
	for n, line := range l.tableOf(v, func(list []string) string {
		out := slices.Clone(list)
		if len(list) > p.style.ruleOf {
			for i, m := range list {
				out[i] = p.called(m)
			}
		}
		return strings.Join(out, ", ")
	}) {
		if n == 0 {
			page = p.mark(line)
		} else {
			p.put(line)
		}
	}
	p.gap(true)
	return record.Vote{MotionSeq: seq, MotionText: motion, ResultRaw: v.result,
		Result: council.NewResultWords(nil).Classify(v.result), AyesCount: len(v.roll[0]), NaysCount: len(v.roll[1]),
		Unanimous: len(v.roll[1])+len(v.roll[2]) == 0, Page: page, Mover: &v.mover, Seconder: &v.seconder,
		Roll: council.NewRoll(v.roll[:]...)}
}

// fate prints the outcome of an item without a roll call.
func (p *press) fate(result string) record.Vote {
	p.gap(true)
	page := p.mark("RESULT" + p.layout.colon + " " + result)
	p.gap(true)
	return record.Vote{MotionSeq: 1, ResultRaw: result, Result: council.NewResultWords(nil).Classify(result), Page: page}
}

// record adds an item with its votes to the record.
func (p *press) record(number, file, section, title string, page *int, consent bool, votes ...record.Vote) {
	p.want = append(p.want, record.Item{ItemNumber: council.Some(number), FileNumber: council.Some(file),
		Section: &section, Title: title, Page: page, IsConsent: consent, Votes: votes})
}

// text breaks the lines into pages with headers and footers. It sets the pages of the marked lines.
func (p *press) text() string {
	var b strings.Builder
	page, on := 1, 0
	// Without form feeds, the parser detects a footer by its words or by its frequency.
	if plain := strings.Contains(p.style.footer, "Pa") && !strings.Contains(p.style.footer, "Board"); !plain &&
		!(strings.Contains(p.style.footer, "www") && len(p.lines) > 3*p.style.lines) && !p.style.feeds {
		p.style.footer = ""
	}
	pages := p.style.feeds && p.layout.order != "columns"
	for i, line := range p.lines {
		if at := p.marks[i]; at != nil {
			*at = page
		}
		b.WriteString(line + "\n")
		if on++; on == p.style.lines && p.layout.order != "columns" {
			if p.style.footer != "" {
				fmt.Fprintf(&b, "\n"+p.style.footer+"\n", page)
			}
			if pages {
				b.WriteString("\f")
			}
			page, on = page+1, 0
		}
	}
	if p.style.footer != "" && on > 0 && page > 1 {
		fmt.Fprintf(&b, "\n"+p.style.footer+"\n", page)
	}
	if !pages || page == 1 {
		for i := range p.want {
			p.want[i].Page = nil
			for k := range p.want[i].Votes {
				p.want[i].Votes[k].Page = nil
			}
		}
	}
	return b.String()
}

func (p *press) file(m int) string {
	if p.style.files == "" {
		return ""
	}
	return fmt.Sprintf("2026-%d", 140+m)
}
