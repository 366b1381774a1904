package attend

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// layOut turns the layouts of lists into one: a label, and next to it or below it its people, each without a number.
func (r *reader) layOut() {
	end := min(len(r.lines), maxPrinted)
	for i := range end {
		if text := boxes.Replace(r.lines[i].Text); text != r.lines[i].Text {
			r.lines[i].Text, r.boxes = text, true
		}
	}
	r.joinLabels(end)
	r.cutNumbers(end)
}

// boxes are the boxes of members that are printed with brackets.
var boxes = strings.NewReplacer("[ ] ", "☐ ", "[X] ", "☒ ", "[x] ", "☒ ")

// joinLabels puts a label together that stands in a narrow column over two lines, next to its list: "Members" above
// "Present:".
func (r *reader) joinLabels(end int) {
	for i := range max(end-1, 0) {
		above, below := r.cells(i), r.cells(i+1)
		if len(above) < 2 || len(below) == 0 || below[0].From != above[0].From || len(above[0].Text) > 20 ||
			!strings.HasSuffix(below[0].Text, ":") || strings.Contains(above[0].Text, ":") ||
			len(below) > 1 && !isNear(below[1].From, above[1].From) {
			continue
		}
		if s, ok := r.classify(above[0].Text, 1); ok && s != cover {
			continue
		}
		label := above[0].Text + " " + below[0].Text
		if s, ok := r.classify(strings.TrimSuffix(label, ":"), 1); !ok || s == cover {
			continue
		}
		rest := func(line int, from grid.Cell) string {
			text := r.lines[line].Text
			return text[strings.LastIndex(text, from.Text):]
		}
		if len(below) > 1 {
			r.lines[i+1].Text = rest(i+1, below[1])
			r.lines[i+1].Indent = below[1].From
		} else {
			r.lines[i+1].Text = ""
		}
		r.lines[i].Text = label + "  " + strings.TrimSpace(r.lines[i].Text[len(above[0].Text):])
	}
}

func isNear(a, b int) bool { return a-b < 3 && b-a < 3 }

// inNumbers matches a line of a list with numbers.
var inNumbers = regexp.MustCompile(`^(\d{1,2})[.)]\s+(\S.*)$`)

// cutNumbers removes the numbers of a list of people below a label: "1. Cllr Doe", "2. Cllr Roe".
func (r *reader) cutNumbers(end int) {
	labelled := false // the line above is a label
	for i := 0; i < end; i++ {
		text := r.lines[i].Text
		if text == "" {
			continue
		}
		if labelled && strings.HasPrefix(text, "1") {
			for n := 1; i < end; i++ {
				m := inNumbers.FindStringSubmatch(r.lines[i].Text)
				if r.lines[i].Text == "" {
					continue
				}
				if m == nil || lexicon.Atoi(m[1]) != n {
					break
				}
				if _, ok := r.entry(m[2]); !ok {
					break
				}
				r.lines[i].Indent += len(r.lines[i].Text) - len(m[2])
				r.lines[i].Text = m[2]
				n++
			}
			if i >= end {
				return
			}
		}
		_, labelled = r.classify(strings.TrimSuffix(unmark(r.lines[i].Text), ":"), 1)
	}
}

// numbered matches the number before each but the first person of a list: "1) Ana Huber 2) Bo Morgan"
var numbered = regexp.MustCompile(`(?:^|[,;]?\s+)\d{1,2}[.)]\s+`)

// withoutNumbers removes the numbers of a list that runs on.
func withoutNumbers(text string) string {
	if len(numbered.FindAllString(text, 3)) < 2 || numbered.FindStringIndex(text)[0] > 0 {
		return text
	}
	return strings.TrimPrefix(numbered.ReplaceAllString(text, "; "), "; ")
}

// marked cuts the mark of those who are present, and notes that the others are absent.
func (r *reader) marked(lines []value, mark string) []value {
	if mark == "" {
		return lines
	}
	for i := range lines {
		if text := strings.TrimSpace(strings.ReplaceAll(lines[i].text, mark, "")); text != lines[i].text {
			lines[i].text = text
		} else {
			lines[i].text = text + " (absent)"
		}
	}
	return lines
}

// lastFirst matches somebody who is printed with the last name first.
var lastFirst = regexp.MustCompile(`^(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?), (\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}.]*)?)` +
	`(\s*\([^()]*\))?$`)

// turnedName turns a name that is printed with the last name first.
func (r *reader) turnedName(text string) (name string, ok bool) {
	m := lastFirst.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || r.w.IsOffice(m[2]) || person.IsSuffix(m[2]) || r.isStaff(m[2]) || !r.w.IsName(m[2]+" "+m[1]) {
		return "", false
	}
	return m[2] + " " + m[1] + m[3], true
}

// turn turns the names of a list in which each cell has one with the last name first: in columns, below a label, or if
// the names of the list above are printed so.
func (r *reader) turn(lines []value, alone bool) []value {
	out := slices.Clone(lines)
	cells := 0
	for i, v := range lines {
		text := v.text
		for _, c := range cellsOf(v) {
			name, ok := r.turnedName(c.Text)
			if !ok {
				return lines
			}
			cells++
			text = strings.Replace(text, c.Text, name+" ", 1)
		}
		out[i].text = strings.TrimRight(text, " ")
	}
	if cells == 0 || !r.turned && (cells < 3 || cells == len(lines) && !alone) {
		return lines
	}
	r.turned = true
	return out
}

// placed matches a place and those whom it sent: "Azay : Ana Roy, Luc Roux".
var placed = regexp.MustCompile(`^(\p{Lu}[\p{L}'’ -]{2,40}?) ?: ?(\S.*)$`)

// ofPlace reads a line of a list that has the people of a place. At least two lines of the list have them.
func (r *reader) ofPlace(text string, lines []value) []person.Name {
	count := 0
	for _, v := range lines {
		if placed.MatchString(v.text) {
			count++
		}
	}
	m := placed.FindStringSubmatch(text)
	if m == nil || count < 2 && count < len(lines) || r.isStaff(m[1]) {
		return nil
	}
	list := strings.TrimSuffix(m[2], ".")
	if n, ok := r.entry(list); ok && strings.Contains(n.Text, " ") {
		return []person.Name{n}
	}
	if !r.areNames(list) {
		return nil
	}
	return r.w.List(list, &r.people).Names
}
