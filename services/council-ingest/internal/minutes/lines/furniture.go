package lines

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// dropFurniture removes page headers, footers and the blank lines around page breaks. So a
// paragraph, a title or a roll call continues across pages without a gap.
//
// A line is furniture if it begins like an entry of own, is a page number, or repeats (except for
// its digits) at the same edge of many pages. A text without form feeds has headers and footers in
// the middle. There, only repeated lines with a web address are furniture.
func dropFurniture(lines []Line, d *lexicon.Dialect, own []string) (kept, dropped []Line) {
	r := furniture{d, own}
	var edge map[int]bool
	if len(lines) > 0 && lines[len(lines)-1].Page > 1 {
		edge = r.pageEdges(lines)
	}
	repeated, letters := repeatedLines(lines), watermarkLetters(lines)
	kept = make([]Line, 0, len(lines))
	broken := true // the next line follows a page break
	cut := func() {
		broken = true
		for len(kept) > 0 && kept[len(kept)-1].Text == "" {
			kept = kept[:len(kept)-1]
		}
	}
	for i, ln := range lines {
		if ln.NewPage && i > 0 {
			cut()
		}
		if ln.Text == "" {
			if !broken {
				ln.NewPage = false
				kept = append(kept, ln)
			}
			continue
		}
		switch {
		case lexicon.IsPageNumber(ln.Text) || pageOf.MatchString(ln.Text):
			ln.Why = "a page number"
		case watermark.MatchString(ln.Text) && i > 0, letters[ln.Text]:
			ln.Why = "a watermark"
		case r.isOwn(ln.Text):
			ln.Why = "page_furniture of council.yaml"
		case edge[i]:
			ln.Why = "repeats at this edge of many pages"
		case lexicon.HasAddress(ln.Text) && repeated[lexicon.FoldDigits(ln.Text)]:
			ln.Why = "a repeated line with a web address"
		default:
			ln.NewPage = broken
			broken = false
			kept = append(kept, ln)
			continue
		}
		cut()
		dropped = append(dropped, ln)
	}
	return kept, dropped
}

// watermarkLetters returns the letters that stand alone on lines, if they are those of a word across each page: the D
// and the R of DRAFT.
func watermarkLetters(lines []Line) map[string]bool {
	count, all := map[string]int{}, 0
	for _, ln := range lines {
		if len(ln.Text) == 1 && lexicon.IsUpper(ln.Text[0]) {
			count[ln.Text]++
			all++
		}
	}
	for _, word := range []string{"DRAFT", "COPY"} {
		found := map[string]bool{}
		for letter, n := range count {
			found[letter] = n > 1 && strings.Contains(word, letter)
		}
		if len(found) > 1 && all > 3 && !slices.Contains(slices.Collect(maps.Values(found)), false) {
			return found
		}
	}
	return nil
}

type furniture struct {
	*lexicon.Dialect
	own []string // beginnings of furniture lines, from council.yaml
}

func (r *furniture) isOwn(text string) bool {
	return slices.ContainsFunc(r.own, func(f string) bool { return f != "" && strings.HasPrefix(text, f) })
}

func repeatedLines(lines []Line) map[string]bool {
	count, out := map[string]int{}, map[string]bool{}
	for _, ln := range lines {
		if len(ln.Text) < 120 && lexicon.HasAddress(ln.Text) {
			key := lexicon.FoldDigits(ln.Text)
			count[key]++
			out[key] = count[key] >= 3
		}
	}
	return out
}

const edgeLines = 4 // largest number of lines of a header or footer

// edge is the upper or lower edge of all pages, while headers or footers are removed.
type edge struct {
	*furniture
	lines    []Line
	starts   []int // first line of each page, and the end of the last page
	step     int   // 1 at the upper edge, -1 at the lower edge
	at       []int // next line of each page; -1 if the page is finished
	touching []bool
	drop     map[int]bool
	head     map[string]bool // first lines of the document; nil until needed
}

// pageEdges returns the indexes of lines that repeat at the edges of at least two fifths of the
// pages, and of at least two pages.
func (r *furniture) pageEdges(lines []Line) map[int]bool {
	var starts []int
	for i, ln := range lines {
		if i == 0 || ln.Page != lines[i-1].Page {
			starts = append(starts, i)
		}
	}
	pages := len(starts)
	starts = append(starts, len(lines))
	drop := map[int]bool{}
	for _, step := range []int{-1, 1} { // footers first, because a roll call can continue below a footer
		e := edge{furniture: r, lines: lines, starts: starts, step: step, at: make([]int, pages),
			touching: make([]bool, pages), drop: drop}
		for n := range e.at {
			e.at[n] = starts[n]
			if step < 0 {
				e.at[n] = starts[n+1] - 1
			}
		}
		for depth := 0; depth < edgeLines && e.peel(depth); depth++ {
		}
	}
	return drop
}

// peel removes the outermost remaining line of each page if it is furniture. It returns false if it
// removed none.
func (e *edge) peel(depth int) bool {
	pages := len(e.at)
	need := max(2, (pages*2+4)/5)
	count := map[string]int{}
	free := map[string]bool{} // lines that on some page are not part of a roll call
	for n := range e.at {
		for e.inPage(n) && e.lines[e.at[n]].Text == "" {
			e.at[n] += e.step
			e.touching[n] = false // a blank line followed the last removed line
		}
		if !e.inPage(n) {
			continue
		}
		text := e.lines[e.at[n]].Text
		key := lexicon.FoldDigits(text)
		count[key]++
		free[key] = free[key] || !e.belongsToRoll(e.at[n])
	}
	found := false
	for n := range e.at {
		if !e.inPage(n) {
			continue
		}
		text := e.lines[e.at[n]].Text
		key := lexicon.FoldDigits(text)
		marked := strings.Contains(key, "#") || lexicon.HasAddress(key)
		spaced := !e.touching[n] && depth > 0 && !marked // a blank line separates the line from the edge
		again := spaced && pages > 2 && (count[key]*5 >= pages*4 || count[key] >= pages-1) && e.inHead(text)
		repeated := count[key] >= need && free[key] && (!spaced || again) && (pages > 2 || e.step > 0 || marked)
		if !repeated && !lexicon.AllDigits(text) && !lexicon.IsPageNumber(text) && !e.isOwn(text) {
			e.at[n] = -1
			continue
		}
		// The first of the repeated heads belongs to the minutes.
		e.drop[e.at[n]] = n > 0 || e.step < 0 || !spaced && (pages <= 3 || count[key]*5 >= pages*4) || !repeated
		e.at[n] += e.step
		e.touching[n] = true
		found = true
	}
	return found
}

const headSize = 30

// inHead reports whether the head of the document has the same line. The head has the name of the
// body, the kind of document and the day. It ends before the first number or label.
func (e *edge) inHead(text string) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false
	}
	if e.head == nil {
		e.head = map[string]bool{}
		for i, printed := e.starts[0], 0; i < e.starts[1] && printed < headSize; i++ {
			line := e.lines[i].Text
			if line == "" {
				continue
			}
			if _, marked := lexicon.ReadMarker(line); marked || e.isLabel(line) {
				break
			}
			printed++
			e.head[foldDashes(line)] = true
		}
	}
	return e.head[foldDashes(text)]
}

func foldDashes(text string) string { return council.Fold(strings.ReplaceAll(text, "–", "-")) }

func (e *edge) inPage(n int) bool { return e.at[n] >= e.starts[n] && e.at[n] < e.starts[n+1] }

func (e *edge) isLabel(text string) bool {
	_, _, ok := e.Label(text, true)
	return ok
}

// belongsToRoll reports whether a repeated line may be text. "ABSENT: None", for example, can end
// many pages.
func (e *edge) belongsToRoll(i int) bool {
	text := e.lines[i].Text
	if e.isLabel(text) || e.LooksLikeResult(text) || ticked.MatchString(text) {
		return true
	}
	if lexicon.NamesFile(text) || lexicon.IsSentence(text) && !lexicon.HasAddress(text) {
		return true // the text repeats
	}
	if f, _ := lexicon.FoldText(text); moves(e.English(), f) {
		return true
	}
	if _, ok := lexicon.ReadMarker(text); ok {
		return true // an item, or an item's number whose title is on the next page
	}
	if letterhead.MatchString(text) || dated.MatchString(text) || !e.People().IsFragment(strings.Trim(
		inParentheses.ReplaceAllString(text, ""),
		" ,;")) {
		return false
	}
	for i--; i >= 0 && (e.lines[i].Text == "" || e.drop[i]); i-- {
	}
	// A line with a comma has names, because a letterhead has digits or a blank line.
	if i < 0 || strings.Contains(text, ",") {
		return strings.Contains(text, ",")
	}
	above := e.lines[i].Text
	_, value, _ := strings.Cut(above, ":")
	return person.IsOpen(above) || e.isLabel(above) && (strings.TrimSpace(value) == "" || !lexicon.IsCapitals(text))
}

// pageOf matches a footer that ends in the number of the page. watermark matches a word that is
// printed across the page, perhaps letter by letter.
var (
	pageOf    = words.Regexp(`^(?:.{0,140}\s)?(?i:{page}) \d{1,3} {of} \d{1,3}$`)
	watermark = words.Regexp(`^{WATERMARK}$`)
)

// ticked matches a row of a table of votes: "TAMAYO         X".
var ticked = regexp.MustCompile(`^\p{Lu}[\p{L}.'’ -]*\s{2,}[xX✓✔☒☑]$`)

// letterhead matches the name of a place, which stands in no row of names.
var letterhead = words.Regexp(`(?i)^{town letterhead} `)

// dated matches a line that ends in a year, as no name does.
var dated = regexp.MustCompile(`\b(?:19|20)\d\d$`)

// inParentheses matches the district of a member: "Doe (R-12)".
var inParentheses = regexp.MustCompile(`\([^()]*\)?`)

// moves reports whether a line tells who moves or seconds.
func moves(x *lexicon.Patterns, f string) bool {
	at, _ := x.FindMotion(f)
	return at >= 0 || x.Seconded(f)
}
