package lexicon

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// IsOfficeWord reports whether a word is part of an office.
func (d *Dialect) IsOfficeWord(word string) bool { return d.people.IsOfficeWord(word) }

// IsTitle reports whether a whole cell is an office: "Director, District C", "Board Chair &
// Director".
func (d *Dialect) IsTitle(s string) bool {
	office := false
	for w := range strings.FieldsSeq(s) {
		w = Lower(strings.Trim(w, ".,:;()"))
		switch {
		case d.IsOfficeWord(w):
			office = true
		case w == "" || w == "&" || w == "and" || w == "of" || w == "the" || w == "-" || w == "–":
		// letter or number of a district
		case len(w) == 1 || AllDigits(w) || w == "at" || w == "in" || w == "ex" || IsSmallRoman(w):
		default:
			return false
		}
	}
	return office
}

// StripTitle removes the office before a name: "Vice Mayor Vance", "Councilwoman Odile Brandt". It
// always keeps the last word.
func (d *Dialect) StripTitle(s string) string {
	rest := s
	for {
		i := strings.IndexByte(rest, ' ')
		if i < 0 || !d.IsOfficeWord(rest[:i]) && (rest == s || !AllDigits(rest[:i])) { // Ward 3 Council Member Brandt
			break
		}
		rest = strings.TrimLeft(rest[i:], " ")
	}
	if IsNameSuffix(LastWord(rest)) {
		return rest
	}
	return strings.TrimSuffix(rest, ".")
}

// CutTitle separates a name from the office after it. It cuts at the first gap that a word of an
// office follows, or else before the first such word, or else at the first gap.
func (d *Dialect) CutTitle(text string) (name, title string) {
	for i := range text {
		rest := strings.TrimLeft(text[i:], " ")
		word, _, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(text[i:], "  ") && d.IsOfficeWord(word) {
			return text[:i], rest
		}
	}
	words := strings.Fields(text)
	for n := 2; n < len(words); n++ {
		if d.IsOfficeWord(words[n]) {
			return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		}
	}
	return CutCell(text)
}

// IsPersonShaped reports whether text can be a list of unknown names: capitalised words without
// digits, separated by commas.
func (d *Dialect) IsPersonShaped(text string) bool {
	if len(text) > 200 || strings.ContainsAny(text, ":[]$?!") {
		return false
	}
	names := 0
	for _, piece := range strings.FieldsFunc(cutAnds(text), func(r rune) bool { return r == ',' || r == ';' }) {
		words := strings.Fields(piece)
		if len(words) == 0 {
			continue
		}
		offices := 0
		for k, w := range words {
			if k > 0 && AllDigits(w) && d.IsOfficeWord(words[k-1]) {
				offices++
				continue // as in "Ward 3 Council Member"
			}
			c := w[0]
			if strings.ContainsAny(w, "0123456789") || !(c >= 'A' && c <= 'Z' || c >= 0x80 || c == '"' || c == '(' ||
				c == '\'' || w == "and" || w == "&" || IsNameParticle(w)) {
				return false
			}
			if d.IsOfficeWord(w) {
				offices++
			}
		}
		if len(words)-offices > 7 {
			return false
		}
		names++
	}
	return names > 0
}

// Name is one name in a list.
type Name struct {
	Text string // without office
	Note string // note in parentheses after the name
}

// SplitNames splits a list at commas, semicolons and "and", and removes offices. "None" is not a
// name. A suffix ("Jr.") stays with its name.
func (d *Dialect) SplitNames(value string) []Name {
	value = cutAnds(value)
	out := make([]Name, 0, strings.Count(value, ",")+1)
	for len(value) > 0 {
		piece := value
		if i := strings.IndexAny(value, ",;"); i >= 0 {
			piece, value = value[:i], value[i+1:]
		} else {
			value = ""
		}
		piece = CutAnd(strings.TrimSpace(piece))
		if IsNobody(piece) {
			continue
		}
		var n Name
		if i := strings.LastIndexByte(piece, '('); i > 0 && strings.HasSuffix(piece, ")") {
			n.Note = strings.ToLower(strings.TrimSpace(piece[i+1 : len(piece)-1]))
			piece = strings.TrimSpace(piece[:i])
		}
		if IsNameSuffix(piece) && len(out) > 0 {
			out[len(out)-1].Text += ", " + piece
			continue
		}
		if d.IsTitle(piece) {
			continue
		}
		n.Text = d.StripTitle(piece)
		out = append(out, n)
	}
	return out
}

func cutAnds(list string) string {
	return strings.ReplaceAll(strings.ReplaceAll(list, " and ", ", "), " AND ", ", ")
}

// Label reads the label at the beginning of a line: "AYES: Doe, Roe" gives Aye and the names. If
// inside is true (inside a table), a label may lack its colon or be in mixed case, and an unknown
// label gives Unknown.
func (d *Dialect) Label(s string, inside bool) (row Sense, value string, ok bool) {
	if s == "" || !IsLetter(s[0]) {
		return Unknown, "", false
	}
	end, lower := 0, false
	for end < len(s) && end < 28 {
		c := s[end]
		if c >= 'a' && c <= 'z' {
			lower = true
		} else if !IsUpper(c) && c != ' ' && c != '/' {
			break
		}
		if c == ' ' && end+1 < len(s) && s[end+1] == ' ' {
			break // the cell ends at a gap
		}
		end++
	}
	word := strings.TrimSpace(s[:end])
	rest := strings.TrimLeft(s[end:], " ")
	if _, n := CountIn(rest); n > 0 {
		rest = strings.TrimLeft(rest[n:], " ") // as in "AYES (5): Doe, Roe"
	}
	after, colon := strings.CutPrefix(rest, ":")
	if !colon && !inside || lower && len(word) > 14 {
		return Unknown, "", false
	}
	row, known := d.RowOf(word)
	if row == Motion && (lower || !colon) {
		known = false // "Motion:" begins a discussion
	}
	switch {
	case known && colon && lower && !inside && row != Result:
	case known && colon:
		return row, strings.TrimSpace(after), true
	case known && !lower && (rest == "" || len(s) > end+1 && s[end] == ' '):
		return row, rest, true
	case colon && inside && !lower && len(word) >= 3 && !strings.Contains(word, "/"):
		return Unknown, strings.TrimSpace(after), true
	}
	return Unknown, "", false
}

// RowOf looks up a label without its colon. Case does not matter.
func (d *Dialect) RowOf(word string) (row Sense, known bool) {
	l, known := d.labels[word]
	if !known {
		l, known = d.labels[strings.ToUpper(word)]
	}
	if !known {
		return d.Patterns().rowOf(word)
	}
	return l.row, known
}

// From returns the dialect that has the label of a line, or "".
func (d *Dialect) From(line string) string {
	word, _, _ := strings.Cut(strings.ToUpper(line), ":")
	for word = strings.TrimSpace(word); word != ""; word = strings.TrimRight(
		word[:max(strings.LastIndexByte(word, ' '), 0)], " ") {
		if l, known := d.labels[word]; known {
			return l.from
		}
		if _, known := d.Patterns().rowOf(word); known {
			return "any minutes"
		}
	}
	return ""
}

// CutAtLabel cuts a value before another label on the same line: "TABLED [UNANIMOUS] Next:
// 2/19/2025".
func (d *Dialect) CutAtLabel(value string) (before, rest string) {
	for from := 0; ; {
		i := strings.IndexByte(value[from:], ':')
		if i < 0 {
			return value, ""
		}
		colon := from + i
		from = colon + 1
		// One or two words before the colon may be a label.
		start := colon
		for range 2 {
			j := strings.LastIndexByte(strings.TrimRight(value[:start], " "), ' ')
			if j < 0 {
				break
			}
			start = j + 1
			row, _, ok := d.Label(value[start:], j > 0 && value[j-1] == ' ')
			if ok && row != Unknown || strings.HasPrefix(value[start:], "Next:") {
				return strings.TrimSpace(value[:start]), value[start:]
			}
		}
	}
}

// LooksLikeResult reports whether a line can follow RESULT. It has a tally in brackets, or it has
// words of results and is not a sentence.
func (d *Dialect) LooksLikeResult(s string) bool {
	if i := strings.IndexByte(s, '['); i >= 0 && i < 80 {
		t := ReadTally(s)
		return (t.Counted || t.Unanimous) && EndsResult(s[i:])
	}
	if strings.HasSuffix(s, ".") || len(s) > 90 {
		return false
	}
	if strings.HasPrefix(s, "VV") && ReadTally(s).Voice {
		return true
	}
	words := len(strings.Fields(s))
	return words <= 8 && (words <= 4 || s == strings.ToUpper(s)) && d.Classify(s) != council.Other
}

// Classify returns the result for the text after RESULT:.
func (d *Dialect) Classify(raw string) council.Result { return d.results.Classify(raw) }

// Moved returns the result of a motion that passed, from the motion's text. It returns false if the
// result is unclear.
func (d *Dialect) Moved(words string) (council.Result, bool) { return d.results.Moved(words) }

// Misprint finds a word that is probably a misprint of a result word. It also returns the word that
// was meant.
func (d *Dialect) Misprint(words string) (printed, meant string) { return d.results.Misprint(words) }
