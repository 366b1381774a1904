package minutes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// tally is what the bracket of a RESULT line says.
type tally struct {
	bracket   string // as printed, without brackets; empty when there is none
	ayes      int
	nays      int
	others    int  // abstentions that the line counts in words
	counted   bool // ayes and nays are printed
	unanimous bool // UNANIMOUS is printed
	voice     bool // a voice vote of so many
}

// readTally reads the bracket of a RESULT line: [UNANIMOUS], [4 TO 1],
// [4 - 1], [8-0-1], [FOUR TO ONE], [4 AYES, 1 NAY], [VV9], the same in round
// brackets or at the end of the line without any, and the tail WITH 1
// ABSTENTION inside or after it.
func readTally(raw string) tally {
	upper := strings.ToUpper(raw)
	t := tally{bracket: bracketOf(upper)}
	t.others = countBefore(upper, "ABSTENTION", "ABSTENTIONS", "ABSTAINING", "ABSENTION", "ABSENSION", "ABSETNTION")
	for _, words := range []string{"VOICE VOTE", "ACCLAMATION", "GENERAL CONSENT", "BY CONSENSUS", "WITHOUT OBJECTION"} {
		t.voice = t.voice || strings.Contains(upper, words)
	}
	b := strings.TrimSpace(t.bracket)
	if n, isVoice := strings.CutPrefix(b, "VV"); isVoice {
		if n, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
			t.ayes, t.voice, t.counted = n, true, true
		}
		return t
	}
	if rest, is := strings.CutPrefix(b, "UNANIM"); is {
		t.unanimous = true
		b = strings.TrimLeft(strings.TrimLeft(rest, "OUSLY"), " ,:-") // [UNANIMOUS 7-0]
	}
	if figures := leadingFigures(b); len(figures) >= 2 {
		t.ayes, t.nays, t.counted = figures[0], figures[1], true
	}
	return t
}

// bracketOf is where a RESULT line, in capitals, counts: between its square
// brackets, else between round ones that begin with a figure, else its end.
func bracketOf(upper string) string {
	if _, b, found := strings.Cut(upper, "["); found {
		b, _, _ = strings.Cut(b, "]")
		return b
	}
	if _, b, found := strings.Cut(upper, "("); found {
		if b, _, _ = strings.Cut(b, ")"); len(leadingFigures(b)) >= 2 || strings.HasPrefix(b, "UNANIM") {
			return b
		}
	}
	f := strings.Fields(upper)
	if len(f) == 0 {
		return ""
	}
	last := f[len(f)-1]
	if strings.HasPrefix(last, "VV") || last == "UNANIMOUS" || last == "UNANIMOUSLY" {
		return last
	}
	from := len(f)
	for from > 0 && isTallyWord(f[from-1]) {
		from--
	}
	for from < len(f) && figureOf(strings.SplitN(f[from], "-", 2)[0]) < 0 {
		from++ // "TO" does not begin a tally
	}
	b := strings.Join(f[from:], " ")
	if from > 0 && len(leadingFigures(b)) >= 2 {
		switch f[from-1] {
		case "TO", "UNTIL", "ON", "FROM":
			return "" // the day to which a matter was put off
		}
		return b
	}
	if from == 0 && len(leadingFigures(b)) >= 2 {
		return b
	}
	return ""
}

// isTallyWord reports whether a word can stand in a tally without brackets.
func isTallyWord(w string) bool {
	if w == "TO" || w == "-" || w == "–" || figureOf(w) >= 0 {
		return true
	}
	for _, r := range w {
		if (r < '0' || r > '9') && r != '-' && r != '–' {
			return false
		}
	}
	return w[0] >= '0' && w[0] <= '9'
}

// figureOf reads a figure or a numeral in words; -1 when it is neither.
func figureOf(w string) int {
	if allDigits(w) && len(w) <= 3 {
		return atoi(w)
	}
	for n, word := range [...]string{"ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN", "TWELVE", "THIRTEEN",
		"FOURTEEN", "FIFTEEN", "SIXTEEN", "SEVENTEEN", "EIGHTEEN", "NINETEEN", "TWENTY"} {
		if w == word {
			return n
		}
	}
	return -1
}

// leadingFigures reads "4 TO 1", "4 - 1", "8-0-1-0", "4-1- 0-2", "FOUR TO ONE"
// and "4 AYES, 1 NAY", up to the first word that is none of these. Slashes part
// two figures only: three are a date.
func leadingFigures(s string) []int {
	var out []int
	slashes := 0
	for len(out) < 6 {
		s = strings.TrimLeft(s, " ")
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'A' && s[n] <= 'Z') {
			n++
		}
		v := figureOf(s[:n])
		if v < 0 {
			if n > 0 && allDigits(s[:n]) {
				return nil // a year, and so a date
			}
			break
		}
		out = append(out, v)
		s = strings.TrimLeft(s[n:], " ")
		word, rest, _ := strings.Cut(s, " ")
		switch strings.TrimRight(word, ",;:") {
		case "TO":
			s = rest
			continue
		case "AYES", "AYE", "YEAS", "YEA", "YES", "FOR", "NAYS", "NAY", "NOES", "NO", "AGAINST", "OPPOSED":
			s = strings.TrimLeft(rest, "-– ")
			continue
		}
		switch {
		case strings.HasPrefix(s, "–"):
			s = s[len("–"):]
		case strings.HasPrefix(s, "-"), strings.HasPrefix(s, ":"):
			s = s[1:]
		case strings.HasPrefix(s, "/"):
			slashes++
			s = s[1:]
		default:
			s = ""
		}
	}
	if slashes > 1 {
		return nil
	}
	return out
}

// countBefore finds "WITH 3 ABSTENTIONS" and returns 3.
func countBefore(s string, words ...string) int {
	f := strings.Fields(strings.NewReplacer("[", " ", "]", " ", ",", " ").Replace(s))
	for i := 1; i < len(f); i++ {
		for _, w := range words {
			if f[i] == w {
				if n, err := strconv.Atoi(f[i-1]); err == nil {
					return n
				}
			}
		}
	}
	return 0
}

// looksLikeResult reports whether a line can be the value of a RESULT row:
// it has a bracketed tally, or its words are in the result table, and it is no
// sentence.
func (p *Parser) looksLikeResult(s string) bool {
	if i := strings.IndexByte(s, '['); i >= 0 && i < 80 {
		t := readTally(s)
		return (t.counted || t.unanimous) && isTail(s[i:])
	}
	if strings.HasSuffix(s, ".") || len(s) > 90 {
		return false
	}
	upper := s == strings.ToUpper(s)
	if strings.HasPrefix(s, "VV") && readTally(s).voice {
		return true
	}
	words := strings.Fields(s)
	return len(words) <= 8 && (upper || len(words) <= 4) && p.results.Classify(s) != "other"
}

// isTail reports whether what follows the bracket belongs to the result: "WITH
// 1 ABSTENTION", or nothing.
func isTail(bracket string) bool {
	_, rest, _ := strings.Cut(bracket, "]")
	rest = strings.ToUpper(strings.TrimSpace(rest))
	return rest == "" || rest == "WITH" || rest == "AND" || strings.HasPrefix(rest, "WITH ") || strings.HasPrefix(rest, "AND ") || strings.HasPrefix(rest, "NEXT:") || strings.HasPrefix(rest, "(")
}

// Agrees reports whether a result that somebody else printed, such as the portal
// beside an item, can be that of one of the item's votes. Wordings differ, and a
// motion to table that passed leaves the item tabled; so only this contradicts a
// vote: that one failed and the other did not, or other numbers.
func (p *Parser) Agrees(printed string, votes []Vote) bool {
	result, t := p.results.Classify(printed), readTally(printed)
	return slices.ContainsFunc(votes, func(v Vote) bool {
		if strings.EqualFold(fold(printed), v.ResultRaw) {
			return true
		}
		if result != v.Result && result != council.Other && v.Result != council.Other && (result == council.Failed || v.Result == council.Failed) {
			return false
		}
		if t.unanimous && (v.NaysCount > 0 || len(v.Positions.Abstain) > 0) {
			return false
		}
		if !t.counted || len(v.Positions.all()) == 0 && !readTally(v.ResultRaw).counted {
			return true
		}
		return t.ayes == v.AyesCount && t.nays == v.NaysCount
	})
}
