package person

import (
	"strings"
)

// part is a piece of a list.
type part struct {
	text     string
	inverted bool // a comma stands within the person: "Smith, Jane", "Jane Smith, Mayor"
	begins   bool // it stands behind a semicolon
}

// split splits a list at commas, semicolons and "and", but not within parentheses. In a list with
// semicolons, a comma stands within a person, unless there are several.
func (w *Words) split(text string) []part {
	var out []part
	rows := cut(text, ";")
	described := len(rows) > 3 && w.describedRows(rows) == len(rows)-1
	for _, row := range rows {
		first := len(out)
		pieces := w.cutAnd(row)
		commas := cut(row, ",")
		if name := strings.TrimSpace(commas[0]); described && len(pieces) == 1 && len(commas) == 2 &&
			strings.Contains(name, " ") && w.IsName(name) && !w.IsOffice(strings.TrimSpace(commas[1])) {
			out = append(out, part{text: name, begins: true}) // Jane Smith, Reporter: an office that is not known
			continue
		}
		single := len(commas) == 2 && !w.isPlural(commas[0]) || len(commas) == 3 && w.IsOffice(commas[2])
		single = single && !w.areTwo(commas[:2])
		if len(rows) > 1 && len(pieces) == 1 && single {
			out = append(out, part{text: pieces[0], inverted: true, begins: true})
			continue
		}
		for _, comma := range commas {
			for _, piece := range w.cutAnd(comma) {
				for _, one := range w.atTitles(piece) {
					out = append(out, part{text: one, begins: len(out) == first})
				}
			}
		}
	}
	return out
}

// describedRows returns how many rows of a list have a person and the office behind a comma.
func (w *Words) describedRows(rows []string) (n int) {
	for _, row := range rows {
		if commas := cut(row, ","); len(commas) == 2 && w.IsOffice(strings.TrimSpace(commas[1])) {
			n++
		}
	}
	return n
}

// areTwo reports whether a comma stands between two people, not between a last name and a given name.
func (w *Words) areTwo(halves []string) bool {
	return strings.Contains(strings.TrimSpace(halves[0]), " ") && strings.Contains(strings.TrimSpace(halves[1]), " ") &&
		w.IsName(halves[0]) && w.IsName(halves[1])
}

// AreTwo reports whether each of two texts is a given name and a last name.
func (w *Words) AreTwo(a, b string) bool {
	both := append(strings.Fields(a), strings.Fields(b)...)
	return len(both) == 4 && strings.Count(a, " ") == 1 && w.IsName(a) && w.IsName(b) && w.areWhole(both)
}

// isPlural reports whether a piece begins with an office of several people: "Councillors Jane Smith".
func (w *Words) isPlural(piece string) bool {
	office, name := w.CutOffice(piece)
	return office != "" && name != "" && w.Singular(office) != office
}

// cut splits a text at a separator, but not within parentheses.
func cut(s, at string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '(' || s[i] == '[':
			depth++
		case s[i] == ')' || s[i] == ']':
			depth = max(depth-1, 0)
		case depth == 0 && strings.HasPrefix(s[i:], at):
			out, from = append(out, s[from:i]), i+len(at)
			i = from - 1
		}
	}
	return append(out, s[from:])
}

var ands = []string{" and ", " AND ", " And ", " & ", " et ", " ET ", " y ", " Y ", " e "}

// cutAnd splits a piece at "and". The y of "Ortega y Gasset" is part of a name.
func (w *Words) cutAnd(piece string) []string {
	pieces := []string{piece}
	for _, and := range ands {
		var out []string
		for _, p := range pieces {
			halves := cut(p, and)
			if len(and) == 3 && len(halves) == 2 && and != " & " {
				_, left := w.CutOffice(halves[0])
				if len(strings.Fields(left)) > 1 && len(strings.Fields(halves[1])) == 1 {
					halves = []string{p}
				}
			}
			out = append(out, halves...)
		}
		pieces = out
	}
	for i, p := range pieces {
		p = strings.TrimSpace(p)
		for _, and := range []string{"and", "AND", "And", "&", "et", "ET", "y"} {
			if rest, found := strings.CutPrefix(p, and+" "); found {
				p = rest
			}
			if p == and {
				p = ""
			}
			if rest, found := strings.CutSuffix(p, " "+and); found {
				p = rest
			}
		}
		pieces[i] = p
	}
	return pieces
}

// atTitles splits names without commas before each office that stands behind a name: "Cllr Sue
// Lintern Chair Cllr Daphne Clements". Four names before an office at its end are two people.
func (w *Words) atTitles(piece string) []string {
	words := strings.Fields(piece)
	var out []string
	from := 0
	for i := 2; i < len(words); i++ {
		kinds := w.of(words[i])
		if kinds&(member|honorific) == 0 && kinds&(chief|surname) != chief || i+1 == len(words) || !isCapital(words[i+1]) ||
			w.of(words[i+1])&(title|link) != 0 || w.of(words[i-1])&(member|modifier|link|honorific) != 0 ||
			kinds&member == 0 && w.of(words[i-1])&chief != 0 || // la mairesse adjointe

			w.IsOffice(strings.Join(words[from:i], " ")) || i == from+2 && isPlace(words[i-1]) &&
			w.beginsSeat(words[i-2]) {
			continue
		}
		out, from = append(out, strings.Join(words[from:i], " ")), i
	}
	last := words[from:]
	if n := w.officeEnd(last); len(out) > 0 && n > 0 && len(last) > n+4 && w.IsOffice(strings.Join(last[n+4:], " ")) &&
		w.areWhole(last[n:n+4]) {
		return append(out, strings.Join(last[:n+2], " "), strings.Join(last[n+2:], " "))
	}
	return append(out, strings.Join(last, " "))
}

// areWhole reports whether each word is a whole name: no initial, particle, suffix or word of
// minutes.
func (w *Words) areWhole(words []string) bool {
	for _, word := range words {
		if isInitial(word) || w.of(word)&(particle|suffix|never) != 0 || !isNameWord(word) {
			return false
		}
	}
	return true
}
