package motion

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// passive returns the sentence "A motion was made by Trustee Doe, seconded by Trustee Roe, that …" that begins at column start of line i,
// whole, to its full stop.
func (s *List) passive(i, start int) string {
	parts := []string{s.Rows[i].Text[start:]}
	for j := i + 1; j < len(s.Rows) && j < i+maxLines; j++ {
		text := s.Rows[j].Text
		if text == "" && !s.listGoesOn(parts, j) {
			break
		}
		if s.Rows[j].Stated != nil && s.Rows[j].Stated.From == j && endsSentence(shape.Join(parts)) {
			break
		}
		parts = append(parts, text)
	}
	text := shape.Join(parts)
	for from := 0; ; {
		end := strings.Index(text[from:], ". ")
		if end < 0 {
			return text
		}
		end += from
		from = end + 2
		if !rows.IsAbbreviation(text[:end]) && endsSentence(text[:end+1]) {
			return text[:end+1]
		}
	}
}

// endsSentence reports whether a text ends with a full stop that is in no quotation.
func endsSentence(text string) bool {
	return strings.HasSuffix(text, ".") && strings.Count(text, "“") <= strings.Count(text, "”") && strings.Count(text, "\"")%2 == 0
}

// listGoesOn reports whether the blank line j stands between a motion that ends with a colon and the list of what it would do.
func (s *List) listGoesOn(parts []string, j int) bool {
	last := parts[len(parts)-1]
	next := s.Next(j)
	if next < 0 {
		return false
	}
	m, ok := s.MarkerAt(next)
	return ok && m.Kind == shape.Bullet && strings.HasSuffix(last, ":")
}

// moversIn reads who moves and who seconds in such a sentence, as printed.
func moversIn(text string) (mover, seconder string) {
	upTo := func(rest string) string {
		for _, end := range []string{", and seconded", " and seconded", ",", " that ", " to "} {
			if i := strings.Index(rest, end); i >= 0 {
				rest = rest[:i]
			}
		}
		if len(rest) > 60 {
			return ""
		}
		return strings.TrimRight(rest, ". ")
	}
	if who, rest, found := strings.Cut(text, ", seconded by "); found && len(who) < 60 && !strings.Contains(who, "otion") {
		second, _, _ := strings.Cut(rest, " moved ") // "Trustee Doe, seconded by Trustee Roe, moved that"
		return who, strings.TrimRight(second, ", ")
	}
	for _, by := range []string{"made by ", "otion by ", "otion of "} {
		if _, rest, found := strings.Cut(text, by); found {
			mover = upTo(rest)
			break
		}
	}
	for _, by := range []string{"econded by ", "second by "} {
		if _, rest, found := strings.Cut(text, by); found {
			seconder = upTo(rest)
			break
		}
	}
	return strings.ReplaceAll(mover, "- ", "-"), strings.ReplaceAll(seconder, "- ", "-")
}

// TakeStated finds the motion of which a sentence above line says what became: "The motion to amend carried" is about the last one that
// amends, "The motion carried" about the last one. What was moved on top of it is done with it.
func (s *List) TakeStated(sentence string, line int) *Motion {
	open := slices.DeleteFunc(slices.Clone(s.motions), func(m *Motion) bool { return m.taken || m.line > line })
	if len(open) == 0 {
		return nil
	}
	m := open[len(open)-1]
	if _, what, named := strings.Cut(strings.ToLower(sentence), "motion to "); named {
		kind := kindOf("motion to " + what)
		m = nil
		for _, other := range slices.Backward(open) {
			if statedKind(other.Text) == kind {
				m = other
				break
			}
		}
		if m == nil {
			return nil
		}
	}
	for _, later := range open[slices.Index(open, m):] {
		later.taken = true
	}
	s.motions = slices.DeleteFunc(s.motions, func(m *Motion) bool { return m.taken })
	return m
}

// statedKind is the kind of a motion by what it would have done: "that this Ordinance be amended by …", "be tabled".
func statedKind(text string) Kind {
	l := strings.ToLower(text)
	if _, what, found := strings.Cut(l, " be "); found {
		switch {
		case strings.HasPrefix(what, "amended"):
			return Amend
		case shape.HasAnyPrefix(what, "tabled", "postponed", "divided", "reconsidered", "substituted", "referred", "untabled", "held"):
			return Other
		}
		return Main
	}
	return kindOf(text)
}

// Settle takes away the motion of which line i says what became without a roll: "The motion to amend carried by a voice vote." It reports
// whether the line does.
func (s *List) Settle(i int) bool {
	text := s.Rows[i].Text
	at := max(strings.LastIndex(text, "The motion "), strings.LastIndex(text, "The Motion "))
	if at < 0 || !dialect.Decides(text[at:]) {
		if at < 0 || i+1 >= len(s.Rows) || !dialect.Decides(text[at:]+" "+s.Rows[i+1].Text) {
			return false
		}
	}
	s.TakeStated(text[at:], i)
	return true
}
