package attend

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// block reads the list under the label at line i, and returns the line after it, or i if it is no
// list of people. The names stand one on each line, perhaps in two columns, or in a running list.
func (r *reader) block(i int, l label) int {
	if l.status == cover && (r.section || r.othersBelow(i, l.rest)) {
		l.status = present
	}
	if (l.status == absent || l.status == excused || l.status == late) && !r.listed && !r.presentBelow(i) {
		return i
	}
	r.section = r.section || l.alone && l.status == present
	r.ofMembers = l.member
	defer func() { r.ofMembers = false }()
	lines, end := r.valueLines(i, l)
	if l.alone && l.colon && !l.roll && (l.status != other || r.bare > 0) {
		if len(lines) == 0 && r.isLabelish(r.next(end)) {
			r.bare++
			return i + 1
		}
		if r.bare > 0 && len(lines) > 0 && l.status != present {
			r.Whole, r.bare = false, 0
			r.problem(r.lines[i].Page, "the labels of the attendance list stand apart from its names; it was not read")
			for _, v := range lines { // their full names are known, not who was there
				if n, ok := r.entry(v.text); ok && !r.isStaff(n.Office) && strings.Contains(n.Text, " ") {
					r.Cover = append(r.Cover, n.Text)
				}
			}
			return end
		}
	}
	r.bare = 0
	lines = r.turn(r.marked(lines, l.mark), l.alone)
	whole, problems := r.Whole, len(r.Problems)
	entries, used, ok := r.entries(lines, l.alone)
	if l.status == other {
		r.Whole, r.Problems = whole, r.Problems[:problems] // nobody needs to know the staff
	}
	if !ok {
		return r.running(i, l, lines, end)
	}
	if l.status == other {
		r.section = false
		return i + 1
	}
	if l.roll && len(entries) < 3 && !slices.ContainsFunc(entries,
		func(e listed) bool { return r.titleOf(e.Office) != "" }) {
		return i
	}
	if l.status == present && l.alone && l.colon && !r.listed {
		r.above(i)
	}
	if len(entries) == 0 {
		return i
	}
	r.keep(i, lines[used-1].line+1)
	apart, below := r.labelBelow(lines, used)
	var here, away []listed
	for _, e := range entries {
		switch {
		case l.status == cover && r.isStaff(e.Office):
		case l.status == cover:
			r.Cover = append(r.Cover, e.Text)
		case e.line >= apart:
			away = append(away, e)
		case l.mixed && r.titleOf(e.Office) == "":
			r.Whole = false // a member, or one of the staff
		default:
			e.Office = strings.Trim(e.Office+", "+l.office, ", ")
			here = append(here, e)
		}
	}
	r.admit(here, l.status, l.member)
	r.admit(away, below, l.member)
	r.listed = r.listed || l.status == present || l.status == remote
	return r.goOn(lines[used-1].line+1, l)
}

// above adds the members with an office who stand directly above the first label: it is next to the
// middle of its list.
func (r *reader) above(i int) {
	var found []listed
	for j := i - 1; j >= 0 && r.lines[j].Text != ""; j-- {
		n, ok := r.entry(r.lines[j].Text)
		if !ok || r.titleOf(n.Office) == "" || r.isStaff(n.Office) {
			break
		}
		found = append(found, listed{n, j})
	}
	for _, one := range slices.Backward(found) {
		if len(found) > 1 {
			r.add(one.Name, present, one.line)
		}
	}
}

// labelBelow returns the line where the last paragraph of a list begins, if the next label stands
// directly below it without names of its own line: the label is then next to the middle of its list.
func (r *reader) labelBelow(lines []value, used int) (from int, s status) {
	end := lines[used-1].line + 1
	if end >= len(r.lines) {
		return end, ""
	}
	l, ok := r.labelAt(end)
	if !ok || !l.alone || !l.colon || l.status != absent && l.status != excused {
		return end, ""
	}
	for k := used - 1; k > 0; k-- {
		if lines[k].line > lines[k-1].line+1 {
			return lines[k].line, l.status
		}
	}
	return end, ""
}

// keep notes the lines of the list.
func (r *reader) keep(from, to int) {
	if r.To == 0 {
		r.From = from
	}
	r.To, r.found = max(r.To, to), max(r.found, to)
	r.section = true
}

// isLabelish reports whether a line is a label, or the first line of one: "Board Members" above
// "Present:".
func (r *reader) isLabelish(i int) bool {
	if i < 0 || i >= len(r.lines) {
		return false
	}
	text := r.lines[i].Text
	strange := 0
	if isAllCaps(text) {
		strange = 1 // RTD STAFF PRESENT
	}
	_, ok := r.classify(text, strange)
	return ok || r.beginsLabel(i)
}

// othersBelow reports whether the list of members is one of those who attend, because that of the absent
// or of the staff is the next.
func (r *reader) othersBelow(i int, rest string) bool {
	if r.listed {
		return false
	}
	if next := r.next(i + 1); next >= 0 && r.boxes && strings.ContainsAny(r.lines[next].Text, "☒☐☑") {
		return true // those who are ticked are present
	}
	if _, below, s := r.cutLabel(rest); below != "" {
		return s == absent || s == excused || s == other
	}
	for j, seen := i+1, 0; j < len(r.lines) && seen < 16; j++ {
		if r.lines[j].Text == "" {
			continue
		}
		seen++
		head, _, colon := strings.Cut(unmark(r.lines[j].Text), ":")
		if s, ok := r.classify(head, 1); ok && len(head) < maxOffice { // not labelAt, which asks for this
			if s == cover && r.section || s == other && !colon && isAllCaps(head) {
				continue
			}
			return s == absent || s == excused || s == other && colon
		}
	}
	return false
}

// presentBelow reports whether the list of those present follows a list of the absent.
func (r *reader) presentBelow(i int) bool {
	for j, seen := i+1, 0; j < len(r.lines) && seen < 8; j++ {
		if r.lines[j].Text == "" {
			continue
		}
		seen++
		if l, ok := r.labelAt(j); ok && l.status == present {
			return true
		}
	}
	return false
}

// value is a line of a list, or what stands next to the label.
type value struct {
	text string
	line int
	cell int // column of the text
}

// valueLines returns the lines that can belong to a list: up to the next label, or two blank lines.
func (r *reader) valueLines(i int, l label) (out []value, end int) {
	if l.rest != "" {
		at := max(strings.LastIndex(r.lines[i].Text, l.rest), 0)
		out = append(out, value{l.rest, i, r.lines[i].Indent + at})
	}
	blanks := 0
	end = i + 1
	for j := i + 1; j < len(r.lines) && j < i+maxBlock; j++ {
		text := unmark(r.lines[j].Text)
		if text == "" {
			if blanks++; blanks > 2 && (len(out) == 0 || counted(out[0].text) < 0 || blanks > 4) {
				break
			}
			continue
		}
		if r.isLabelish(j) || r.isRoll(text) {
			break
		}
		if blanks > 0 && len(out) > 0 && counted(out[0].text) < 0 && !continues(out[len(out)-1].text, text) {
			if !r.isRow(value{text, j, r.lines[j].Indent}) || r.d.EndsAttendance(text) ||
				!strings.Contains(text, " ") && strings.Contains(out[len(out)-1].text, " ") {
				break
			}
		}
		blanks, end = 0, j+1
		out = append(out, value{text, j, r.lines[j].Indent})
	}
	return out, end
}

// isRow reports whether each cell of a line is a person.
func (r *reader) isRow(v value) bool {
	return !slices.ContainsFunc(cellsOf(v), func(cell grid.Cell) bool {
		_, ok := r.entry(cell.Text)
		return !ok
	})
}

// continues reports whether a list goes on after a blank line.
func continues(above, text string) bool {
	return person.IsOpen(above) || strings.HasPrefix(text, "(")
}

// listed is a person in a list, and the line.
type listed struct {
	person.Name
	line int
}

// entries reads lines that have one person, or one in each of two columns. used is the number of
// lines that were read; ok is false if the lines are a running list or prose.
func (r *reader) entries(lines []value, alone bool) (out []listed, used int, ok bool) {
	type place struct{ cell, entry int }
	var places []place
	var shared place // column of those who share an office
	plural := ""     // the office
	described := r.described(lines)
	for n, v := range lines {
		cells := r.cellsOfPost(cellsOf(v))
		office, note := "", ""
		if last := len(cells) - 1; last > 0 && replied.MatchString(cells[last].Text) {
			cells, note = cells[:last], cells[last].Text // Ana Huber     Present
		}
		if described && len(cells) > 1 {
			if held, ok := r.post(cells[1].Text); ok {
				office = held
			}
			cells = cells[:1]
		}
		if last := len(cells) - 1; last > 0 && seatAlone.MatchString(cells[last].Text) {
			cells = cells[:last] // Reeve     Ana Huber     Division 3
		}
		if len(cells) == 3 && !r.isPerson(cells[2].Text) {
			if _, ok := r.postBefore(cells[:2]); ok {
				cells = cells[:2] // Director     Ana Huber     City of Elm
			}
		}
		if held, ok := r.postBefore(cells); ok {
			office, cells = held, cells[1:] // Deputy Chair     Ana Huber
			one := r.w.Singular(office)
			shared, office = place{}, one
			if one != held { // Councillors     Ana Huber, and below her others
				shared, plural = place{cell: cells[0].From}, one
			}
		} else if len(cells) == 1 && shared.cell > 0 && isNear(cells[0].From, shared.cell) {
			office = plural
		}
		var row []listed
		for k, c := range cells {
			cell := c.Text
			if strings.HasPrefix(cell, "(") && len(places) > 0 {
				for p := len(places) - 1; p >= 0; p-- { // the note under a name in the same column
					if d := places[p].cell - c.From; d < 6 && d > -6 {
						e := &out[places[p].entry]
						e.Note = strings.Trim(cell, "() ")
						break
					}
				}
				continue
			}
			if r.w.IsNobody(seat.ReplaceAllString(cell, "")) {
				continue
			}
			e, fine := r.entry(cell)
			if !fine && k > 0 && len(row) > 0 && row[len(row)-1].Office == "" && !strings.Contains(cell, ":") &&
				(r.w.IsOffice(cell) || r.isStaff(cell)) {
				row[len(row)-1].Office = cell // Ana Huber   Mayor   Jo Poe   City Manager
				continue
			}
			var names []person.Name
			if alone && !fine {
				names = r.ofPlace(cell, lines)
			}
			if !fine && office != "" {
				names = r.w.List(cell, &r.people).Names // Members     Ana Huber, Bo Morgan
			} else if !fine && n > 0 && len(names) == 0 {
				names = r.several(cell, lines[n+1:])
			}
			if len(names) > 0 {
				for _, one := range names {
					row = append(row, listed{one, v.line})
				}
				continue
			}
			if !fine {
				if n == 0 || n == 1 && !strings.Contains(lines[0].text, " ") {
					return nil, 0, false
				}
				if !isStacked(lines[:n], out) && r.isContinuation(cell, lines[n-1].text) {
					return nil, 0, false
				}
				if !r.goesOn(lines[n+1:]) {
					return out, used, true
				}
				if r.isBetween(cell, lines, n) {
					e = person.Name{Text: cell}
				} else {
					r.Whole = false
					r.problem(r.lines[v.line].Page, "attendance row "+council.Clip(cell, 80)+" was not read")
					continue
				}
			}
			if office != "" {
				e.Office = strings.Trim(e.Office+", "+office, ", ")
			}
			e.Note = strings.TrimSpace(e.Note + " " + note)
			places = append(places, place{c.From, len(out) + len(row)})
			row = append(row, listed{e, v.line})
		}
		out, used = append(out, row...), n+1
	}
	return out, used, true
}

// post reads a text that says nothing but the office or the seat of somebody: "Deputy Chair", "Police Chief",
// "District 1", "Commissioner, Precinct No. 1".
func (r *reader) post(text string) (office string, ok bool) {
	if seatAlone.MatchString(text) {
		return "", true
	}
	text = strings.Trim(behindNote.ReplaceAllString(text, ""), " -–—")
	return text, r.w.IsOffice(text) || r.isStaff(text) ||
		r.w.IsOffice(seatBehind.ReplaceAllString(text, "")) || r.isSeat(text)
}

// cellsOfPost splits the first cell of a line at two blanks behind a post: "Division 1  Ana Huber".
func (r *reader) cellsOfPost(cells []grid.Cell) []grid.Cell {
	if len(cells) == 0 {
		return cells
	}
	before, after, found := strings.Cut(cells[0].Text, "  ")
	if _, ok := r.post(before); !found || !ok {
		return cells
	}
	from := cells[0].To - len(after)
	return slices.Concat([]grid.Cell{{Text: before, From: cells[0].From, To: from - 2},
		{Text: strings.TrimSpace(after), From: from, To: cells[0].To}}, cells[1:])
}

// postBefore reports whether the first of two cells is the post of the person in the second, and returns the office.
// Two people can stand side by side: "City Attorney Jo Poe     Councilor Ana Huber".
func (r *reader) postBefore(cells []grid.Cell) (office string, ok bool) {
	if len(cells) != 2 {
		return "", false
	}
	if office, ok = r.post(cells[0].Text); !ok {
		return "", false
	}
	if first, is := r.entry(cells[0].Text); is && first.Text != "" && first.Office != "" {
		return "", false
	}
	_, is := r.entry(cells[1].Text)
	return office, is || r.areNames(cells[1].Text)
}

// goOn reads the paragraph below a list that names further members behind their office: "Councillors Doe, Roe and Poe"
// below their chair. It returns the line after it.
func (r *reader) goOn(end int, l label) int {
	if l.status == cover || l.status == other {
		return end
	}
	next := r.next(end)
	if next < 0 || next > end+2 || r.isLabelish(next) || r.isRoll(r.lines[next].Text) {
		return end
	}
	text, below := r.paragraph(next)
	list := r.w.List(strings.TrimSuffix(text, "."), &r.people)
	if len(list.Names) < 2 || !list.Whole() || list.Tail != "" || r.titleOf(list.Names[0].Office) == "" ||
		!r.isPlural(text) {
		return end
	}
	r.names(list, l.status, -1, next)
	r.keep(next, below)
	return below
}

// isPlural reports whether a text begins with the office of several people.
func (r *reader) isPlural(text string) bool {
	office, _ := r.w.CutOffice(text)
	return office != "" && r.w.Singular(office) != office
}

// isPerson reports whether a cell is a person.
func (r *reader) isPerson(text string) bool {
	_, ok := r.entry(text)
	return ok
}

// isStacked reports whether each line above has one full name, and none of them goes on: what follows
// is a guest, "Bo Morgan, Acme Engineers", not the rest of a running list.
func isStacked(lines []value, found []listed) bool {
	return len(lines) > 2 && len(found) == len(lines) &&
		!slices.ContainsFunc(lines, func(v value) bool { return person.IsOpen(v.text) }) &&
		!slices.ContainsFunc(found, func(e listed) bool { return !strings.Contains(e.Text, " ") })
}

// areNames reports whether a text is a list of several full names and nothing else.
func (r *reader) areNames(text string) bool {
	l := r.w.List(text, &r.people)
	return len(l.Names) > 1 && l.Whole() && l.Tail == "" && !slices.ContainsFunc(l.Names, func(n person.Name) bool {
		return !strings.Contains(n.Text, " ")
	})
}

var andOthers = words.Regexp(`(?i),? {and} \d{1,3} {others}\b.*$`)

// several reads a line of a list that has several people behind a common office: "Councillors Doe, Roe
// and 14 others". Those who are not named are not read.
func (r *reader) several(text string, below []value) []person.Name {
	cut := andOthers.ReplaceAllString(text, "")
	l := r.w.List(cut, &r.people)
	if len(l.Names) < 2 || !l.Whole() || l.Tail != "" || l.Names[0].Text == "" || r.titleOf(l.Names[0].Office) == "" ||
		len(below) > 0 && r.isBroken(l, below[0].text) {
		return nil
	}
	if cut != text {
		r.Whole = false
	}
	return l.Names
}

// described reports whether the second column of a list describes the people of the first: their
// offices or the places that they represent.
func (r *reader) described(lines []value) bool {
	found := false
	for _, v := range lines {
		cells := r.cellsOfPost(cellsOf(v))
		if len(cells) < 2 {
			continue
		}
		if _, ok := r.entry(cells[0].Text); !ok || len(cells) > 2 {
			return false
		}
		_, person := r.entry(cells[1].Text)
		found = found || !person && !strings.HasPrefix(cells[1].Text, "(")
	}
	return found
}

// goesOn reports whether the next line of a list is a person again.
func (r *reader) goesOn(below []value) bool {
	if len(below) == 0 {
		return false
	}
	_, ok := r.entry(below[0].text)
	return ok && !r.d.EndsAttendance(below[0].text)
}

// isBetween reports whether a line of two words is a name in spite of its last word, "Chad Call", because each line
// above and below it has a full name.
func (r *reader) isBetween(text string, lines []value, n int) bool {
	first, last, found := strings.Cut(text, " ")
	if !found || n == 0 || n+1 >= len(lines) || !r.w.IsName(first) || !r.w.IsFragment(last) ||
		strings.Contains(last, " ") {
		return false
	}
	for k, v := range lines[n-1 : n+2] {
		if e, ok := r.entry(v.text); k != 1 && (!ok || !strings.Contains(e.Text, " ")) || v.line != lines[n-1].line+k {
			return false
		}
	}
	return true
}

// isContinuation reports whether a line that is no person continues the list above.
func (r *reader) isContinuation(text, above string) bool {
	if person.IsOpen(above) {
		return true
	}
	l := r.w.List(text, &r.people)
	return strings.Contains(text, ",") && !strings.HasSuffix(above, ".") && !lexicon.EndsSentence(above) &&
		len(l.Names) > len(l.Rest)
}

// cellsOf splits a line of a list. Two blanks can stand within a name, and a gap behind the office of somebody.
func cellsOf(v value) (out []grid.Cell) {
	for _, c := range grid.Cells(leader.ReplaceAllString(v.text, "    "), v.cell, 3) {
		if last := len(out) - 1; last >= 0 && strings.HasSuffix(out[last].Text, ":") {
			out[last] = grid.Cell{Text: out[last].Text + " " + c.Text, From: out[last].From, To: c.To}
			continue
		}
		out = append(out, c)
	}
	return out
}

var (
	countBefore = regexp.MustCompile(`^\(?(\d{1,2})\)?\s*[-–—:](?:\D|$)`)
	named       = regexp.MustCompile(`\([A-Z]-\d+\)`) // the rest of a name whose district follows
	seat        = words.Regexp(`(?i)^{seat label}\s*(?:#|{numero}\.?)?\s*[\dIVX]+\s*[-–—:.]\s*`)
	seatBehind  = words.Regexp(`(?i),? {district} (?:(?:#|{numero}\.?) ?)?[\divx]{1,4}$`)
	behindNote  = regexp.MustCompile(` \([^()]*\)$`)
	seatAlone   = words.Regexp(`(?i)^{seat label} (?:[\divx]{1,4}|[a-z])(?: \([^()]*\))?$`)
	replied     = words.Regexp(`(?i)^(?:{answers call}|{replies}|{came at}.{0,16})(?: {with excuse})?(?: \([^()]*\))?$`)
	bracketed   = words.Regexp(`^[(\[]((?i:{answers call}))[)\]]\s*(\S.*)$`)
	leader      = regexp.MustCompile(`\s*(?:\.\s?){3,}`)
	dashes      = regexp.MustCompile(` [-–—] |\s*(?:--|–|—)\s*`)
	noteMark    = regexp.MustCompile(`^(\D+\p{L}) \d$`)
	noted       = regexp.MustCompile(`\([^)]*\)|\d{1,2}:\d\d`)
	ofDistrict  = words.Regexp(`^(\p{Lu}[^,:;*]* [^,:;*]+?(?:, [JS]r\.?)?)\*?( \([^()]*\))?(?:,? +(?:{District}` +
		` [A-Z0-9]{1,3}|(?i:{at large}))|, (?i:{district}) \d{1,2})(, [^,]+)?$`)
)

var (
	// capacity matches the words in small letters that describe a member without an office
	capacity = words.Regexp(`^{capacity}\b`)
	// nextName matches the next name of a list
	nextName = regexp.MustCompile(`[,;] \p{Lu}`)
)

// describes reports whether words in small letters behind a full name say in which office the person
// attends: "elected member", "maire de Val-Hardy", "conseillère, siège 1".
func (r *reader) describes(name, text string) bool {
	_, name = r.w.CutOffice(strings.TrimSpace(name))
	if first := text[0]; first < 'a' || first > 'z' || len(text) > 70 || nextName.MatchString(text) ||
		!strings.Contains(name, " ") || !r.w.IsName(name) || lexicon.EndsSentence(text) {
		return false
	}
	if capacity.MatchString(text) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		word = strings.Trim(word, ",.;")
		return r.w.IsOffice(word) && !r.w.IsHonorific(word)
	}) && !lexicon.ContainsAny(text, "public", "press", "audience", "staff")
}

// memberOf matches the seat of a member, and what it is for: "Honolulu Member", "Osteopathic/Maui Member", "White Hall
// District".
var memberOf = words.Regexp(`^(?:\p{Lu}[\p{L}'’/-]* ){1,3}(?:{Seat of member}|{District})$`)

// isSeat reports whether each part of the words behind a name is an office or a seat: "Chairperson, Honolulu Member".
func (r *reader) isSeat(text string) bool {
	for part := range strings.SplitSeq(text, ", ") {
		if !memberOf.MatchString(part) && !r.w.IsOffice(part) {
			return false
		}
	}
	return true
}

// cutLead cuts the office before a name at its colon: "City Clerk: Jo Poe".
func (r *reader) cutLead(text string) (office, name string, ok bool) {
	office, name, ok = strings.Cut(text, ":")
	office, name = strings.TrimSpace(office), strings.TrimSpace(name)
	return office, name, ok && name != "" && len(office) < maxOffice && (r.w.IsOffice(office) || r.isStaff(office))
}

// entry reads a line that has one person: "- Saul Hernandez, vice president", "Mr. James Haden,
// Chair", "Councilmember Haymond-excused", "Doe (Arrived, 1:07 pm.)".
func (r *reader) entry(text string) (person.Name, bool) {
	note := ""
	if strings.HasPrefix(text, "☐") && r.boxes {
		note = string(absent)
	}
	text = strings.TrimSpace(strings.TrimLeft(text, "•●*–—- ✓✔☑☒☐"))
	text = inTheChair.ReplaceAllString(leader.ReplaceAllString(text, " "), "")
	if m := noteMark.FindStringSubmatch(text); m != nil && r.w.IsName(m[1]) {
		text = m[1]
	}
	text = strings.TrimSuffix(seat.ReplaceAllString(text, ""), ",")
	text = ofDistrict.ReplaceAllString(text, "$1$3$2")
	if m := bracketed.FindStringSubmatch(text); m != nil {
		text, note = m[2], m[1] // [Absent] Doe
	}
	office := ""
	if head, rest, ok := r.cutLead(text); ok && !strings.Contains(head, "  ") {
		text, office = rest, head // Reeve: Ana Huber
	}
	for _, at := range dashes.FindAllStringIndex(text, 3) {
		if after := text[at[1]:]; office == "" && (r.w.IsOffice(after) || r.isStaff(after)) {
			text, office = text[:at[0]], after
			break
		}
	}
	if before, after, found := strings.Cut(text, ", "); found && office == "" &&
		(r.w.IsOffice(after) || !strings.ContainsAny(after, ",.") && r.isStaff(after) || r.describes(before, after) ||
			r.isSeat(after)) {
		text, office = before, after
	}
	if before, after, found := strings.Cut(text, ", "); found && office == "" && r.w.IsName(before) &&
		strings.Contains(before, " ") && !strings.ContainsAny(after, ",;.:") && r.w.IsOffice(lexicon.LastWord(after)) {
		text, office = before, after // Ana Huber, Oak County Drain Commissioner
	}
	if lexicon.EndsSentence(text) {
		text = strings.TrimSuffix(text, ".")
	}
	text = ofOne.ReplaceAllString(text, " ($1)$2")
	if text == "" || len(text) > 90 || lexicon.EndsSentence(text) ||
		strings.Contains(noted.ReplaceAllString(text, ""), ":") {
		return person.Name{}, false
	}
	l := r.w.List(text, &r.people)
	if len(l.Names) == 0 || !l.Whole() || l.Tail != "" || l.Names[0].Text == "" && len(l.Names) == 1 || l.Count >= 0 {
		return person.Name{}, false
	}
	n := l.Names[0]
	if len(l.Names) > 1 && n.Text == "" {
		l.Names = l.Names[1:] // The Speaker, Ald M Doe
		l.Names[0].Office = strings.Trim(n.Office+", "+l.Names[0].Office, ", ")
		n = l.Names[0]
	}
	for _, more := range l.Names[1:] {
		if more.Text != "" {
			return person.Name{}, false
		}
		n.Office = strings.Trim(n.Office+", "+more.Office, ", ")
		n.Note = strings.TrimSpace(n.Note + " " + more.Note)
	}
	n.Office = strings.Trim(n.Office+", "+office, ", ")
	n.Note = strings.TrimSpace(n.Note + " " + note)
	return n, true
}
