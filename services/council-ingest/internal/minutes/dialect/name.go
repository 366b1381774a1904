package dialect

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// IsTitleWord reports whether a word names an office.
func (d *Dialect) IsTitleWord(word string) bool {
	return d.titles[shape.Lower(strings.Trim(word, ".,:;()"))]
}

// IsTitle reports whether a whole cell is an office and no name: "Director, District C", "Committee Vice-Chair", "Board Chair & Director".
func (d *Dialect) IsTitle(s string) bool {
	any := false
	for w := range strings.FieldsSeq(s) {
		w = shape.Lower(strings.Trim(w, ".,:;()"))
		switch {
		case d.titles[w]:
			any = true
		case w == "" || w == "&" || w == "and" || w == "of" || w == "the" || w == "-" || w == "–":
		case len(w) == 1 || shape.AllDigits(w) || w == "at" || w == "in" || w == "ex" || shape.IsSmallRoman(w): // a district's letter or number
		default:
			return false
		}
	}
	return any
}

// StripTitle takes the words of an office off the front of a name: "Vice Mayor Vance", "Councilwoman Odile Brandt". A name of title words
// only stays.
func (d *Dialect) StripTitle(s string) string {
	rest := s
	for {
		i := strings.IndexByte(rest, ' ')
		if i < 0 || !d.IsTitleWord(rest[:i]) && (rest == s || !shape.AllDigits(rest[:i])) { // Ward 3 Council Member Brandt
			break
		}
		rest = strings.TrimLeft(rest[i:], " ")
	}
	if shape.IsNameSuffix(shape.LastWord(rest)) {
		return rest
	}
	return strings.TrimSuffix(rest, ".")
}

// CutTitle parts a name from the office behind it: at the first wide gap before a word of an office, else before the first such word, else
// at the widest gap.
func (d *Dialect) CutTitle(text string) (name, title string) {
	widest, at := 1, -1
	for i := 0; i < len(text); i++ {
		n := 0
		for i+n < len(text) && text[i+n] == ' ' {
			n++
		}
		if n < 2 {
			continue
		}
		word, _, _ := strings.Cut(text[i+n:], " ")
		if d.IsTitleWord(word) {
			return text[:i], text[i+n:]
		}
		if n > widest {
			widest, at = n, i
		}
		i += n
	}
	words := strings.Fields(text)
	for n := 2; n < len(words); n++ {
		if d.IsTitleWord(words[n]) {
			return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		}
	}
	if at >= 0 {
		return text[:at], strings.TrimLeft(text[at:], " ")
	}
	return text, ""
}

// IsPersonShaped reports whether text can be a list of names that nobody knows yet: pieces of one to five capitalised words, without
// figures and without the words of a sentence.
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
			if k > 0 && shape.AllDigits(w) && d.IsTitleWord(words[k-1]) {
				offices++
				continue // Ward 3 Council Member
			}
			c := w[0]
			if strings.ContainsAny(w, "0123456789") || !(c >= 'A' && c <= 'Z' || c >= 0x80 || c == '"' || c == '(' || c == '\'' || w == "and" || w == "&" || shape.IsNameParticle(w)) {
				return false
			}
			if d.IsTitleWord(w) {
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

// Name is one name of a row.
type Name struct {
	Text string // without title
	Note string // what stood in brackets after it
}

// SplitNames cuts the value of a list row into names: at commas, semicolons and "and". Titles before and after names go, "None" is nobody,
// and a suffix ("Jr.") goes back to its name.
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
		piece = shape.CutAnd(strings.TrimSpace(piece))
		if shape.IsNobody(piece) {
			continue
		}
		var n Name
		if i := strings.LastIndexByte(piece, '('); i > 0 && strings.HasSuffix(piece, ")") {
			n.Note = strings.ToLower(strings.TrimSpace(piece[i+1 : len(piece)-1]))
			piece = strings.TrimSpace(piece[:i])
		}
		if shape.IsNameSuffix(piece) && len(out) > 0 {
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

// IsOffice reports whether a word is one of an office, a misspelt one ("COUCILLOR") too.
func (d *Dialect) IsOffice(word string) bool {
	w := strings.ToLower(word)
	return d.IsTitleWord(word) || len(w) >= 7 && slices.ContainsFunc(d.longTitles, func(title string) bool { return council.EditDistance(w, title) <= 2 })
}

// cutAnds puts commas where a list has "and".
func cutAnds(list string) string {
	return strings.ReplaceAll(strings.ReplaceAll(list, " and ", ", "), " AND ", ", ")
}
