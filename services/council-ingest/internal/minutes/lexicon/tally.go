package lexicon

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Tally is the count in a RESULT line.
type Tally struct {
	Bracket   string // as printed, without brackets; "" if there is none
	Ayes      int
	Nays      int
	Others    int  // number of abstentions counted in words
	Counted   bool // the line prints ayes and nays
	Unanimous bool // the line prints UNANIMOUS
	Voice     bool // a voice vote: no names are printed
}

// ReadTally reads the tally of a RESULT line: [UNANIMOUS], [4 TO 1], [4 - 1], [8-0-1], [FOUR TO
// ONE], [4 AYES, 1 NAY], [VV9]. The tally may be in parentheses, or at the end of the line without
// any brackets. WITH 1 ABSTENTION may follow.
func ReadTally(raw string) Tally {
	upper := strings.ToUpper(raw)
	t := Tally{Bracket: bracketOf(upper)}
	if m := abstentions.FindStringSubmatch(upper); m != nil {
		t.Others, _ = strconv.Atoi(m[1])
	}
	t.Voice = ContainsAny(upper, "VOICE VOTE", "ACCLAMATION", "GENERAL CONSENT", "BY CONSENSUS", "WITHOUT OBJECTION")
	b := strings.TrimSpace(t.Bracket)
	if n, isVoice := strings.CutPrefix(b, "VV"); isVoice {
		if n, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
			t.Ayes = n
			t.Voice = true
			t.Counted = true
		}
		return t
	}
	if rest, is := strings.CutPrefix(b, "UNANIM"); is {
		t.Unanimous = true
		b = strings.TrimLeft(strings.TrimLeft(rest, "OUSLY"), " ,:-") // as in "[UNANIMOUS 7-0]"
	}
	if figures := leadingFigures(b); len(figures) >= 2 {
		t.Ayes = figures[0]
		t.Nays = figures[1]
		t.Counted = true
	}
	return t
}

// bracketOf returns the text in square brackets, or in parentheses that begin with a tally, or at
// the end of the line.
func bracketOf(upper string) string {
	if _, b, found := strings.Cut(upper, "["); found {
		b, _, _ = strings.Cut(b, "]")
		return b
	}
	if _, b, found := strings.Cut(upper, "("); found {
		b, _, _ = strings.Cut(b, ")")
		if len(leadingFigures(b)) >= 2 || strings.HasPrefix(b, "UNANIM") {
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
	for from > 0 && (tallyWord.MatchString(f[from-1]) || figureOf(f[from-1]) >= 0) {
		from--
	}
	for from < len(f) && figureOf(strings.SplitN(f[from], "-", 2)[0]) < 0 {
		from++ // a tally does not begin with "TO"
	}
	b := strings.Join(f[from:], " ")
	if len(leadingFigures(b)) < 2 || from > 0 && slices.Contains([]string{"TO", "UNTIL", "ON", "FROM"}, f[from-1]) {
		return "" // no tally, or the day of a postponement
	}
	return b
}

var tallyWord = regexp.MustCompile(`^(?:TO|-|–|\d[\d–-]*)$`)

// figureOf reads a number in digits or words. It returns -1 for other text.
func figureOf(w string) int {
	if AllDigits(w) && len(w) <= 3 {
		return Atoi(w)
	}
	return slices.Index(figureWords, w)
}

var figureWords = strings.Fields("ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN " +
	"FOURTEEN FIFTEEN SIXTEEN SEVENTEEN EIGHTEEN NINETEEN TWENTY")

// leadingFigures reads "4 TO 1", "4 - 1", "8-0-1-0", "4-1- 0-2", "FOUR TO ONE" and "4 AYES, 1 NAY",
// up to the first other word. Three numbers with slashes are a date, not a tally.
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
			if n > 0 && AllDigits(s[:n]) {
				return nil // it is a year, so the figures are a date
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

var abstentions = regexp.MustCompile(
	`(?:^|[ \[\],])(\d+)[ \[\],]+(?:ABSTENTIONS?|ABSTAINING|ABSENTION|ABSENSION|ABSETNTION)(?:[ \[\],]|$)`)

// EndsResult reports whether the text after a bracket belongs to the result, as "WITH 1 ABSTENTION"
// does.
func EndsResult(bracket string) bool {
	_, rest, _ := strings.Cut(bracket, "]")
	rest = strings.ToUpper(strings.TrimSpace(rest))
	return rest == "" || HasAnyPrefix(rest+" ", "WITH ", "AND ", "NEXT:", "(")
}

// ResultWords returns the words of a RESULT line before its bracket.
func ResultWords(raw string) string {
	words, _, _ := strings.Cut(raw, "[")
	return strings.TrimSpace(words)
}
