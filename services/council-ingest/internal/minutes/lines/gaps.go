package lines

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

const (
	widestGap = 4  // blanks; wider gaps part columns
	fewGaps   = 40 // a text with fewer gaps does not show which one is usual
)

// narrowGaps puts one blank between two words of a text in which nearly all words are further apart. Gaps of
// another width part columns.
func narrowGaps(text string) string {
	if usual := usualGap(text); usual > 1 {
		return replaceGaps(text, usual)
	}
	return text
}

// leastGaps is the number of gaps of a line that shows that it is set to both margins.
const leastGaps = 4

// narrowLines puts one blank between two words of each line that is set to both margins with two blanks everywhere. A
// small word in it shows that it has no columns.
func narrowLines(text string) string {
	if !strings.Contains(text, "  ") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.SplitAfterSeq(text, "\n") {
		gaps, double := 0, 0
		eachGap(line, func(_, width int) {
			gaps++
			if width == 2 {
				double++
			}
		})
		if gaps >= leastGaps && double == gaps && smallWord.MatchString(line) {
			line = replaceGaps(line, 2)
		}
		b.WriteString(line)
	}
	return b.String()
}

// smallWord matches a word that stands in sentences and titles, and in no column.
var smallWord = words.Regexp(`(?i) {small word} `)

// usualGap returns the number of blanks between two words of a text: 1, or more if hardly any words have only
// one between them.
func usualGap(text string) int {
	var count [widestGap + 1]int
	total := 0
	eachGap(text, func(_, width int) {
		if total++; width <= widestGap {
			count[width]++
		}
	})
	for n := 2; n <= widestGap; n++ {
		if total >= fewGaps && count[n]*10 >= total*8 {
			return n
		}
	}
	return 1
}

// eachGap visits the blanks between two words of a line.
func eachGap(text string, visit func(at, width int)) {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], ' ')
		if i < 0 {
			return
		}
		from := at + i
		at = from + 1
		for at < len(text) && text[at] == ' ' {
			at++
		}
		if from > 0 && at < len(text) && !isBreak(text[from-1]) && !isBreak(text[at]) {
			visit(from, at-from)
		}
	}
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

// replaceGaps returns a text with one blank for each gap of a width.
func replaceGaps(text string, width int) string {
	var b strings.Builder
	done := 0
	eachGap(text, func(at, n int) {
		if n == width {
			b.WriteString(text[done : at+1])
			done = at + n
		}
	})
	b.WriteString(text[done:])
	return b.String()
}
