package person

import (
	"strings"
)

// split splits a list at commas, semicolons and "and", but not within parentheses. In a list with
// semicolons, a comma stands within a person: inverted is true.
func (w *Words) split(text string) (pieces []string, inverted bool) {
	var marks []int
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(depth-1, 0)
		case ';':
			if depth == 0 {
				marks, inverted = append(marks, i), true
			}
		}
	}
	cut := func(s, at string) []string {
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
	parts := []string{text}
	if len(marks) > 0 {
		parts = cut(text, ";")
	}
	for _, part := range parts {
		if !inverted {
			for _, piece := range cut(part, ",") {
				pieces = append(pieces, w.cutAnd(piece, cut)...)
			}
			continue
		}
		pieces = append(pieces, w.cutAnd(part, cut)...)
	}
	var out []string
	for _, piece := range pieces {
		out = append(out, w.atTitles(piece)...)
	}
	return out, inverted
}

var ands = []string{" and ", " AND ", " And ", " & ", " et ", " ET ", " y ", " Y ", " e "}

// cutAnd splits a piece at "and". The y of "Ortega y Gasset" is part of a name.
func (w *Words) cutAnd(piece string, cut func(s, at string) []string) []string {
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
		for _, and := range []string{"and", "AND", "And", "&", "et", "ET"} {
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
// Lintern Chair Cllr Daphne Clements". A name longer than three words between them is uncertain.
func (w *Words) atTitles(piece string) []string {
	words := strings.Fields(piece)
	var out []string
	from := 0
	for i := 2; i < len(words); i++ {
		kinds := w.of(words[i])
		if kinds&(member|honorific) == 0 && kinds&(chief|surname) != chief || i+1 == len(words) || !isCapital(words[i+1]) ||
			w.of(words[i+1])&(title|link) != 0 || w.of(words[i-1])&(member|modifier|link|honorific) != 0 ||
			w.IsOffice(strings.Join(words[from:i], " ")) {
			continue
		}
		out, from = append(out, strings.Join(words[from:i], " ")), i
	}
	return append(out, strings.Join(words[from:], " "))
}
