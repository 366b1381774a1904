package minutes

import (
	"strconv"
	"strings"
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
// [4 - 1], [8-0-1], [VV9], also VV9 without a bracket, and the tail WITH 1
// ABSTENTION inside or after it.
func readTally(raw string) tally {
	var t tally
	upper := strings.ToUpper(raw)
	if i := strings.IndexByte(upper, '['); i >= 0 {
		t.bracket = upper[i+1:]
		if j := strings.IndexByte(t.bracket, ']'); j >= 0 {
			t.bracket = t.bracket[:j]
		}
	} else if f := strings.Fields(upper); len(f) > 0 {
		// Without a bracket only the last word can be a tally.
		if last := f[len(f)-1]; strings.HasPrefix(last, "VV") || strings.Count(last, "-") >= 1 && allTally(last) || last == "UNANIMOUS" || last == "UNANIMOUSLY" {
			t.bracket = last
		}
	}
	t.others = countBefore(upper, "ABSTENTION", "ABSTENTIONS", "ABSTAINING", "ABSENTION", "ABSENSION", "ABSETNTION")
	b := strings.TrimSpace(t.bracket)
	switch {
	case strings.HasPrefix(b, "UNANIM"):
		t.unanimous = true
	case strings.HasPrefix(b, "VV"):
		if n, err := strconv.Atoi(strings.TrimSpace(b[2:])); err == nil {
			t.ayes, t.voice, t.counted = n, true, true
		}
	default:
		figures := leadingFigures(b)
		if len(figures) >= 2 {
			t.ayes, t.nays, t.counted = figures[0], figures[1], true
		}
	}
	return t
}

func allTally(s string) bool {
	digits := false
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			digits = true
		} else if s[i] != '-' {
			return false
		}
	}
	return digits && s[0] != '-'
}

// leadingFigures reads "4 TO 1", "4 - 1", "8-0-1-0" and "4-1- 0-2", up to the
// first word that is no connective.
func leadingFigures(s string) []int {
	var out []int
	s = strings.ReplaceAll(s, "–", "-")
	for len(out) < 6 {
		s = strings.TrimLeft(s, " ")
		n := 0
		for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 {
			break
		}
		v, err := strconv.Atoi(s[:n])
		if err != nil {
			break
		}
		out = append(out, v)
		s = strings.TrimLeft(s[n:], " ")
		switch {
		case strings.HasPrefix(s, "TO "):
			s = s[3:]
		case strings.HasPrefix(s, "-"), strings.HasPrefix(s, ":"), strings.HasPrefix(s, "/"):
			s = s[1:]
		default:
			return out
		}
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
	return rest == "" || strings.HasPrefix(rest, "WITH ") || strings.HasPrefix(rest, "AND ") || strings.HasPrefix(rest, "NEXT:") || strings.HasPrefix(rest, "(")
}
