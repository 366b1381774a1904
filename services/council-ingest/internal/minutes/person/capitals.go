package person

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// In minutes without small letters, the letters do not say where a name ends: "MEMBER DOE FOUND MORE". Uncapitalized
// writes such a text as others do: what stands in the places of names has a capital, a heading keeps its capitals, and
// everything else is in small letters. So all rules of names hold for it.
const (
	fewestLetters = 60 // of a text whose letters can be judged
	smallShare    = 40 // a text in capitals has fewer than one small letter of so many
	mostHeading   = 80 // bytes of a heading
	longestLabel  = 30
	mostOffice    = 8       // words of an office
	mostCapitals  = 4 << 20 // bytes of a text
	headLines     = 15      // at the beginning of the document, where each line can be one
	mostNames     = 4       // words of one name
	// hardSigns end a name. The signs around a nickname do not.
	hardSigns = ",;:()–—!?|*&/"
)

// Capitals is how a text in capitals was printed. A nil one is that of another text.
type Capitals struct{ mixed map[string]string }

// Printed returns a part of the text as it was printed.
func (c *Capitals) Printed(text string) string {
	if c == nil {
		return text
	}
	fields := strings.Split(strings.ToUpper(text), " ")
	for i, word := range fields {
		if printed, found := c.mixed[word]; found {
			fields[i] = printed
		}
	}
	return strings.Join(fields, " ")
}

// Uncapitalized returns a text in capitals in ordinary letters, and how it was printed. It returns other texts as they
// are.
func (w *Words) Uncapitalized(text string) (string, *Capitals) {
	letters, small := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.IsLower(r) {
				small++
			}
		}
	}
	if letters < fewestLetters || small*smallShare > letters || len(text) > mostCapitals {
		return text, nil
	}
	c := caser{Words: w, text: text, names: map[string]bool{}}
	c.split()
	c.findNames()
	return c.write(), &Capitals{mixed: c.mixed()}
}

// token is a word of a text in capitals, with the signs around it.
type token struct {
	from, to   int    // of the word without the signs around it
	word       string // in capitals, "" for a sign
	kind       kind
	hard       bool // a sign, a gap or the end of a line stands before it
	starts     bool // a sentence or a line of its own begins with it
	gap        bool // it begins a cell
	line       int
	labelEnd   bool // a colon follows
	sentence   bool // a full stop follows
	answer     bool // a vote, a status: "AYE"
	roll       bool // a word of the label of a roll
	verb, move bool
	acting     bool // "REGARDING": no second word of a name
}

// caser rewrites one text.
type caser struct {
	*Words
	text   string
	tokens []token
	lines  []lineOf
	width  int
	names  map[string]bool // words of names, in capitals
}

// lineOf is a line of the text.
type lineOf struct {
	from, to    int // bytes
	indent      int
	first, last int // tokens
}

// split finds the words.
func (c *caser) split() {
	at := 0
	blank := true
	for raw := range strings.SplitAfterSeq(c.text, "\n") {
		ln := lineOf{from: at, to: at + len(strings.TrimRight(raw, " \r\n")), first: len(c.tokens),
			indent: len(raw) - len(strings.TrimLeft(raw, " "))}
		c.width = max(c.width, min(ln.to-ln.from, 100))
		c.splitLine(strings.TrimRight(raw, "\r\n"), at, blank)
		ln.last = len(c.tokens)
		c.lines = append(c.lines, ln)
		at += len(raw)
		blank = strings.TrimSpace(raw) == ""
	}
}

func (c *caser) splitLine(raw string, at int, blank bool) {
	hard := blank || len(c.lines) == 0
	indent := len(raw) - len(strings.TrimLeft(raw, " "))
	if n := len(c.lines); n > 0 && !hard {
		before := c.lines[n-1]
		last := c.tokens[before.last-1]
		joined := last.kind&link != 0 || within(twoLetters, last.word) || within(" WITH THAT FROM ", last.word)
		hard = !joined && ((before.to-before.from)*4 < c.width*3 || max(indent-before.indent, before.indent-indent) > 2)
	}
	if i := strings.IndexByte(raw, ':'); i > 0 && i < longestLabel && len(strings.Fields(raw[:i])) < mostNames {
		hard = true // a label
	}
	starts := hard
	if n := len(c.tokens); n > 0 && c.tokens[n-1].sentence {
		hard, starts = true, true
	} else if n > 0 && !hard {
		hard = c.endsHard(c.tokens[n-1])
	}
	gap := false
	for i := 0; i < len(raw); {
		if raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\f' {
			n := i
			for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\f') {
				i++
			}
			if n > 0 && (i-n > 1 || raw[n] == '\t') {
				hard, starts = true, true
				gap = true
			}
			continue
		}
		end := i
		for end < len(raw) && raw[end] != ' ' && raw[end] != '\t' {
			end++
		}
		for _, part := range parts(raw[i:end]) {
			t := c.tokenOf(raw[i+part[0]:i+part[1]], at+i+part[0])
			t.hard = hard || part[0] > 0 && !strings.ContainsAny(raw[i+part[0]-1:i+part[0]], "-'’")
			t.starts = starts
			t.line = len(c.lines)
			t.gap = gap
			gap = false
			after := raw[i+part[1] : end]
			t.labelEnd = strings.HasPrefix(after, ":") || strings.HasPrefix(after, "):")
			t.sentence = strings.ContainsAny(after, ".!?") && t.kind&(honorific|suffix) == 0 && !within(shortened, t.word) &&
				(utf8.RuneCountInString(t.word) > 1 || strings.ContainsAny(t.word, "0123456789")) &&
				!(isMarkerOf(t.word) && t.starts)
			c.tokens = append(c.tokens, t)
			hard = strings.ContainsAny(after, hardSigns) || t.word == "" || t.sentence
			starts = t.sentence || t.labelEnd || t.word == "" || isMarkerOf(t.word) && t.starts &&
				(after != "" || strings.ContainsAny(t.word, "0123456789"))
		}
		i = end
	}
}

// parts returns the words of a text without blanks: "(DOE-AYE)," has one, "DOE/ROE" two.
func parts(s string) (out [][2]int) {
	from := -1
	for i, r := range s + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) ||
			from >= 0 && strings.ContainsRune("'’.", r) && i+utf8.RuneLen(r) < len(s) && isWordAfter(s[i+utf8.RuneLen(r):])
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			out = append(out, [2]int{from, i})
			from = -1
		}
	}
	if len(out) == 0 {
		out = [][2]int{{0, 0}}
	}
	return out
}

func isWordAfter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isMarkerOf reports whether a word can number an item.
func isMarkerOf(word string) bool {
	return len(word) < 4 && (strings.Trim(word, "0123456789.") == "" || strings.Trim(word, "IVX") == "" || len(word) == 1)
}

func (c *caser) endsHard(t token) bool {
	after := c.text[t.to:]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return strings.ContainsAny(after, hardSigns) || t.word == "" || t.sentence
}

func (c *caser) tokenOf(word string, at int) token {
	t := token{from: at, to: at + len(word), word: word, kind: c.of(word)}
	k := key(word)
	t.answer = within(answers, k)
	t.roll = t.answer || within(rollLabels, k)
	t.move = within(movesWords, k)
	t.verb = t.move || within(verbs, k) || len(k) >= 5 && verbEnding.Ends(k) && !noVerbEnding.Ends(k)
	t.verb = t.verb || len(k) > 8 && adverbEnding.Ends(k) // an adverb
	t.acting = len(k) > 6 && actingEnding.Ends(k)
	return t
}

func within(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }

// canBeName reports whether a word can be part of a name.
func (c *caser) canBeName(t token) bool {
	if t.word == "" || t.verb || t.kind&(never|weekday|suffix) != 0 || t.kind&(office|modifier|link) != 0 &&
		t.kind&(surname|particle) == 0 || strings.ContainsAny(t.word, "0123456789") {
		return false
	}
	return utf8.RuneCountInString(t.word) > 1 || unicode.IsLetter([]rune(t.word)[0])
}

// run returns the words of a name from token i on. closed says that they end where a name does: at a sign, or at what
// somebody did. Otherwise only the first one is known to be of the name.
func (c *caser) run(i int) (from, to int, closed bool) {
	for n := 0; n < mostOffice && i < len(c.tokens) && c.isTitle(i) && !c.tokens[i].hard; n++ {
		i++
	}
	end := i
	for end < len(c.tokens) && end-i <= mostNames && (end == i || !c.tokens[end].hard && !c.tokens[end].acting) &&
		c.canBeName(c.tokens[end]) {
		end++
	}
	if end > i && end < len(c.tokens) && !c.tokens[end].hard && within(lastToo, key(c.tokens[end].word)) &&
		(end+1 == len(c.tokens) || c.tokens[end+1].hard) {
		end++ // Karl Ward
	}
	for end > i && c.tokens[end-1].kind&particle != 0 && (end == len(c.tokens) || !c.tokens[end].hard) {
		end--
	}
	closed = true
	if end < len(c.tokens) {
		t := c.tokens[end]
		closed = t.hard || t.labelEnd || t.move || t.answer || t.kind&suffix != 0 || within(joins, key(t.word))
	}
	return i, end, closed && end-i <= mostNames
}

// first returns where the first word of a name ends that begins at a token: "H. DOE" is one.
func (c *caser) first(from, to int) int {
	for from < to-1 && utf8.RuneCountInString(c.tokens[from].word) == 1 {
		from++
	}
	return from + 1
}

// isTitle reports whether a word is of an office, and no name too.
func (c *caser) isTitle(i int) bool {
	return c.tokens[i].kind&title != 0 && c.tokens[i].kind&surname == 0
}

// learn adds the words of a name.
func (c *caser) learn(from, to int) {
	for _, t := range c.tokens[from:to] {
		if utf8.RuneCountInString(t.word) > 1 && t.kind&particle == 0 && !within(twoLetters, t.word) {
			c.names[t.word] = true
		}
	}
}

// findNames finds the words of names by their places.
func (c *caser) findNames() {
	inList := false
	for i := 0; i < len(c.tokens); i++ {
		t := c.tokens[i]
		if t.starts && i > 0 && (c.tokens[i-1].sentence || t.line > c.tokens[i-1].line+1) && !c.tokens[i-1].labelEnd {
			inList = false
		}
		if t.labelEnd {
			inList = c.isRollLabel(i)
		}
		switch {
		case t.kind&(honorific|member) != 0, t.kind&chief != 0 && within(heads, key(t.word)):
			if from, to, closed := c.run(i + 1); to > from && !c.tokens[i+1].hard {
				if !closed {
					to = c.first(from, to)
				}
				c.learn(from, to)
			}
		case beforeMover.Is(t.word) && c.isMotion(i):
			if from, to, _ := c.run(i + 1); to > from && to-from <= mostNames && !c.tokens[i+1].hard {
				c.learn(from, to)
			}
		case t.move && i > 0:
			if from, to, closed := c.run(i + 1); to > from && closed && !c.tokens[i+1].hard {
				c.learn(from, to)
			}
			from := i
			for from > 0 && i-from < mostNames && c.canBeName(c.tokens[from-1]) && !c.tokens[from].hard {
				from--
			}
			if from < i && i-from < mostNames && (from == 0 || c.tokens[from].hard ||
				c.tokens[from-1].kind&(title|link|never) != 0) {
				c.learn(from, i)
			}
		}
		if t.hard || i == 0 || within(joins, key(c.tokens[i-1].word)) {
			c.piece(i, inList)
		}
	}
	c.complete()
}

// complete learns the other words of a name whose last word is known, where the name stands alone.
func (c *caser) complete() {
	for i := 0; i < len(c.tokens); i++ {
		if !c.tokens[i].hard && i > 0 {
			continue
		}
		if from, to, closed := c.run(i); closed && to-from > 1 && c.names[c.tokens[to-1].word] {
			c.learn(from, to)
		}
	}
}

// isRollLabel reports whether the label that ends with token i is one of a roll.
func (c *caser) isRollLabel(i int) bool {
	for n := i; n >= 0 && i-n < 6 && c.tokens[n].line == c.tokens[i].line; n-- {
		if c.tokens[n].roll || c.tokens[n].kind&office != 0 {
			return true
		}
		if c.tokens[n].starts {
			break
		}
	}
	return false
}

// isMotion reports whether a word of a motion stands right before token i.
func (c *caser) isMotion(i int) bool {
	for n := i - 1; n >= 0 && i-n <= 3 && !c.tokens[n+1].starts; n-- {
		if within(motionWords, key(c.tokens[n].word)) {
			return true
		}
	}
	return false
}

// piece reads what stands between two signs, if it can be a name: in a roll, or next to an office or an answer.
func (c *caser) piece(i int, inList bool) {
	from, to, closed := c.run(i)
	if c.isTitle(i) && from == i {
		for from < len(c.tokens) && from-i < mostOffice && c.tokens[from].kind&title != 0 &&
			(from == i || !c.tokens[from].hard) {
			from++
		}
		if from == len(c.tokens) || c.tokens[from].hard {
			return
		}
		from, to, closed = c.run(from)
	}
	if inList && to-from > 1 && to < len(c.tokens) && c.tokens[to].kind&title != 0 {
		closed = true
	}
	if to == from || !closed {
		return
	}
	sameLine := to < len(c.tokens) && c.tokens[to].line == c.tokens[to-1].line
	switch {
	case inList, from > i && c.tokens[i].kind&office != 0,
		sameLine && c.tokens[to].answer,
		sameLine && c.tokens[to].kind&office != 0 && to-from > 1:
		c.learn(from, to)
	}
}

// mixed returns the words that were printed with small letters, by their form in capitals.
func (c *caser) mixed() map[string]string {
	out := map[string]string{}
	for field := range strings.FieldsSeq(c.text) {
		if upper := strings.ToUpper(field); upper != field {
			out[upper] = field
		}
	}
	return out
}

// write writes the text in ordinary letters.
func (c *caser) write() string {
	var b strings.Builder
	b.Grow(len(c.text))
	at := 0
	for n, ln := range c.lines {
		if c.isHeadingLine(n) {
			continue
		}
		label := c.labelOf(ln)
		for i := ln.first + label; i < ln.last; i++ {
			t := c.tokens[i]
			b.WriteString(c.text[at:t.from])
			b.WriteString(c.cased(i))
			at = t.to
		}
	}
	b.WriteString(c.text[at:])
	return b.String()
}

// labelOf returns the number of words of the label at the beginning of a line, which stays in capitals.
func (c *caser) labelOf(ln lineOf) int {
	for n := 0; n < 5 && ln.first+n < ln.last; n++ {
		t := c.tokens[ln.first+n]
		switch {
		case n == 0 && !t.starts:
			return 0
		case n > 0 && t.gap:
			return n
		case n > 0 && t.hard:
			return 0
		}
		if c.names[t.word] {
			return 0
		}
		if t.labelEnd {
			return n + 1
		}
	}
	return 0
}

// isHeadingLine reports whether a line is a heading, which stays in capitals.
func (c *caser) isHeadingLine(n int) bool {
	ln := c.lines[n]
	if ln.to-ln.from > mostHeading || ln.first == ln.last || !c.tokens[ln.first].starts && n > headLines {
		return false
	}
	if last := c.tokens[ln.last-1]; last.sentence || strings.ContainsAny(c.text[last.to:ln.to], ",;") {
		return false
	}
	if n+1 < len(c.lines) && n > headLines {
		if next := c.lines[n+1]; next.first < next.last && !c.tokens[next.first].starts {
			return false
		}
	}
	for i := ln.first; i < ln.last; i++ {
		if t := c.tokens[i]; c.names[t.word] || t.verb && !t.starts {
			return false
		}
	}
	return true
}

// cased returns a word in ordinary letters.
func (c *caser) cased(i int) string {
	t := c.tokens[i]
	k := key(t.word)
	near := func(n int) bool { return n >= 0 && n < len(c.tokens) && c.names[c.tokens[n].word] }
	next := i + 1
	for next < len(c.tokens) && next-i < mostOffice && c.tokens[next].kind&title != 0 && !c.tokens[next].hard &&
		!near(next) {
		next++
	}
	behind := near(next) && (next == len(c.tokens) || !c.tokens[next].hard)
	before := near(i-1) && !t.hard
	switch {
	case isOrdinal(t.word):
		return strings.ToLower(t.word)
	case t.word == "", isAbbreviation(t.word) && !c.names[t.word], strings.ContainsAny(t.word, ".0123456789"),
		t.word != strings.ToUpper(t.word):
		return t.word
	case i > 0 && t.line == c.tokens[i-1].line+1 && !t.starts && strings.HasPrefix(c.text[c.tokens[i-1].to:], "-\n"):
		return strings.ToLower(t.word) // the end of a word
	case before && strings.HasSuffix(c.text[:t.from], "-") && !t.answer,
		c.names[t.word] && (t.kind&(never|office) == 0 || behind || before):
		return capitalized(t.word)
	case utf8.RuneCountInString(t.word) == 1:
		if strings.ContainsAny(t.word, "AEOYÀÉ") && !t.starts && i+1 < len(c.tokens) && !c.tokens[i+1].hard &&
			c.text[t.to] != '.' && !before && !behind || strings.ContainsAny(c.text[max(0, t.from-3):t.from], "'’") {
			return strings.ToLower(t.word)
		}
		return t.word
	case t.kind&particle != 0 && (before || behind):
		if before && !t.starts {
			return strings.ToLower(t.word)
		}
		return capitalized(t.word)
	case t.kind&suffix != 0 && (near(i-1) || strings.Trim(t.word, "IVX") == ""):
		if strings.Trim(t.word, "IVX") == "" {
			return t.word
		}
		return capitalized(t.word)
	case t.starts, t.labelEnd && t.roll, t.kind&title != 0 && (behind || near(i-1) || c.inOffice(i)),
		t.kind&weekday != 0, within(numbered, k) && c.isNumber(i+1),
		t.kind&month != 0 && c.isNumber(i+1):
		return capitalized(t.word)
	}
	return strings.ToLower(t.word)
}

// inOffice reports whether a word is one of an office that stands behind a sign or a gap: "Doe, Acting City Manager".
func (c *caser) inOffice(i int) bool {
	for n := 0; n < mostOffice && i > 0 && !c.tokens[i].hard && c.tokens[i].kind&(title|link) != 0; n++ {
		i--
	}
	return c.tokens[i].hard && c.tokens[i].kind&title != 0
}

// isOrdinal reports whether a word is a number with letters: "4TH".
func isOrdinal(word string) bool {
	rest := strings.TrimLeft(word, "0123456789")
	return rest != word && within(" ST ND RD TH ER EME ", rest)
}

// isAbbreviation reports whether a word stands for several: the initials "MD" and "JM", "HLPC".
func isAbbreviation(word string) bool {
	if len(word) == 2 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return !within(twoLetters, word)
	}
	return len(word) > 1 && len(word) < 6 && !strings.ContainsAny(word, "AEIOUYÀÂÉÈÊÎÔÛÁÍÓÚ") && !within(spelt, word)
}

func (c *caser) isNumber(i int) bool {
	if i+1 < len(c.tokens) && within(numbered, key(c.tokens[i].word)) {
		i++ // Resolution No. 5
	}
	return i < len(c.tokens) && strings.ContainsAny(c.tokens[i].word, "0123456789")
}

// capitalized writes a word with a capital: "O'DELL" is "O'Dell", "DOE'S" is "Doe's".
func capitalized(word string) string {
	var b strings.Builder
	first := true
	for i, r := range word {
		if first {
			b.WriteRune(r)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
		first = (r == '\'' || r == '’') && len(word)-i > 3
	}
	return b.String()
}
