package decide

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// An entry is a row of a roll: a position and who has it.
type entry struct {
	sense    sense
	names    []person.Name
	count    int  // printed number; -1 if there is none
	nobody   bool // the row says so
	everyone bool // the row says "All"
	unread   string
}

// A roll has the rows of one vote.
type roll struct{ entries []entry }

func (l *roll) has(s sense) bool {
	return slices.ContainsFunc(l.entries, func(e entry) bool { return e.sense == s })
}

// settle gives those who are present in a roll, but in none of its other rows, the position of those
// who abstain.
func (l *roll) settle() {
	for i, e := range l.entries {
		if e.sense == present && l.has(aye) && l.entries[0].sense != present {
			l.entries[i].sense = abstain
		}
	}
}

// positioned reports whether a row has votes, not only those who are absent.
func (l *roll) positioned() bool {
	return l.has(aye) || l.has(nay) || l.has(abstain)
}

// empty reports whether the roll is a form that nobody filled in.
func (l *roll) empty() bool {
	return !slices.ContainsFunc(l.entries, func(e entry) bool {
		return len(e.names) > 0 || e.everyone || e.count > 0 || e.unread != ""
	})
}

// named returns the number of names.
func (l *roll) named() int {
	n := 0
	for _, e := range l.entries {
		n += len(e.names)
	}
	return n
}

// ofStranger reports whether a roll is one name, which is no member's.
func (r *scanner) ofStranger(l *roll) bool {
	return l.named() == 1 && !slices.ContainsFunc(l.entries, func(e entry) bool {
		return e.everyone || e.count > 0 || len(e.names) == 1 && r.isMember(e.names[0])
	})
}

// add adds a row. Rows of one position, as "Absent" and "Not voting", stay apart; a second row of
// ayes does not fit.
func (l *roll) fits(e entry) bool {
	if e.sense != aye && e.sense != nay && e.sense != abstain {
		return true
	}
	for _, o := range l.entries {
		if o.sense == e.sense && e.restates(o) {
			return true
		}
		if o.sense == e.sense && (len(o.names) > 0 || o.everyone || o.unread != "" || len(e.names) == 0 || o.count < 0) {
			return false
		}
	}
	return true
}

// restates reports whether a row has no more than the count of another.
func (e entry) restates(o entry) bool {
	return len(e.names) == 0 && !e.everyone && e.count >= 0 &&
		(len(o.names) > 0 && e.count == len(o.names) || e.count == o.count)
}

// put adds a row. Names complete a row that has only a count.
func (l *roll) put(e entry) {
	for i, o := range l.entries {
		if o.sense == e.sense && e.restates(o) {
			return
		}
		if o.sense == e.sense && len(o.names) == 0 && o.count > 0 && len(e.names) > 0 && e.count < 0 {
			e.count = o.count
			l.entries[i] = e
			return
		}
	}
	l.entries = append(l.entries, e)
}

// A hit is a label with its value in a paragraph.
type hit struct {
	from, value int // where the label and its value begin
	sense       sense
	count       int
	weak        bool // a common word, which is a label only before names
	closed      bool // a count without names
	sure        bool // nothing but a label has this form
	inside      byte // the bracket around the label
}

var (
	afterLabel = regexp.MustCompile(`^ *(?:\( *(\d{1,3}) *\)|\(?(` + figure +
		`)\)? *\(\d{1,3}\)| (\d{1,3})\b)? *(votes?|members?)?( *:+| *[-]+ | (?:were|was)\b:? |  +| ?$)`)
	ownLine = regexp.MustCompile(`^ *\((\d{1,3})\):? *$`)
	// countNames matches a count before names in parentheses: "Noes 4 (Doe, Roe)".
	countNames = regexp.MustCompile(`^ *[-:=]* *(\d{1,3}) *\(`)
	countOnly  = regexp.MustCompile(`^ *[-:=]* *\(?(\d{1,3})\)?(?:[.,;)\]]|  | *$)`)
)

// behindPass follows the label of a row of those who pass.
var behindPass = regexp.MustCompile(`^ *: *(?:\d{1,2} *[–—-]+ *)?[a-z(]`)

const weakWords = " for no yes against approve agreed present away conflict conflicts opposed oppose negative " +
	"affirmative dissent in favor in favour in opposition excused absent left early pour contre "

// hits finds the labels of rows in a paragraph.
func (r *scanner) hits(p *paragraph) []hit {
	var out []hit
	f := p.fold
	for i := 0; i < len(f); i++ {
		c := f[i]
		if c < 'a' || c > 'z' || i > 0 && (isWordByte(f[i-1])) {
			continue
		}
		o := p.offset(i)
		capitals := o+1 < len(p.text) && isUpper(p.text[o]) && isUpper(p.text[o+1])
		begins, inside := contextOf(p, i, o)
		if !begins && !capitals {
			continue
		}
		loc := r.x.label.FindStringIndex(f[i:])
		if loc == nil {
			continue
		}
		word := f[i : i+loc[1]]
		rest := f[i+loc[1]:]
		if electionCount.MatchString(rest) {
			continue
		}
		h := hit{from: o, count: -1, inside: inside}
		h.sense, _ = r.x.senseOf(word, positions...)
		if h.sense == passing {
			h.sense = abstain
			if !behindPass.MatchString(rest) {
				continue // "Pass 5-0"
			}
		}
		h.weak = strings.Contains(weakWords, " "+word+" ") && !capitals
		if line, _, more := strings.Cut(p.text[p.offset(i+loc[1]):], "\n"); more && (o == 0 || p.text[o-1] == '\n') {
			if c := ownLine.FindStringSubmatch(line); c != nil { // the names stand on the lines below
				h.count, h.sure = valueOf(c[1]), true
				h.value = p.offset(i+loc[1]) + len(line)
				out = append(out, h)
				i += loc[1] - 1
				continue
			}
		}
		m := afterLabel.FindStringSubmatch(rest)
		switch {
		case m != nil && strings.Contains(m[5], ":"):
			h.sure = true
		case m != nil && strings.Contains(m[5], "w"): // "Those voting aye were Doe and Roe"
			below := p.text[p.offset(i+loc[1]+len(m[0])):]
			l := r.list(person.Join(strings.Split(below[:min(len(below), maxNamed)], "\n")))
			if !strings.Contains(word, "vot") || len(l.Rest) > 0 || len(l.Names) == 0 && !l.Nobody {
				continue
			}
		case m != nil && (m[1] != "" || m[3] != ""):
		case m != nil && strings.HasPrefix(m[5], "  ") && beginsUpper(p.text[p.offset(i+loc[1]):]) && (capitals ||
			p.text[o] >= 'A' && p.text[o] <= 'Z' && !h.weak):
		case m != nil && strings.Contains(m[5], "-") && (capitals || !h.weak) && !endsRow(m[5]):
		case m == nil && countNames.MatchString(rest) && (!h.weak || r.opensNames(p, i+loc[1], rest, true)):
			c := countNames.FindStringSubmatchIndex(rest)
			h.count, h.value = valueOf(rest[c[2]:c[3]]), p.offset(i+loc[1]+c[3])
			if h.closed = !h.weak && !r.opensNames(p, i+loc[1], rest, false); !h.closed {
				h.inside, h.sure, h.value = '(', true, p.offset(i+loc[1]+c[1])
			}
			out = append(out, h)
			continue
		case m != nil && strings.Contains(m[5], "-") && r.namesMember(p.text[p.offset(i+loc[1]+len(m[0])):]):
		case countOnly.MatchString(rest) && !h.weak:
			c := countOnly.FindStringSubmatch(rest)
			h.count, h.closed = valueOf(c[1]), true
			h.value = p.offset(i + loc[1] + strings.Index(rest, c[1]) + len(c[1]))
			out = append(out, h)
			continue
		case capitals && begins && strings.HasPrefix(rest, " ") && len(word) > 3 &&
			beginsUpper(p.text[p.offset(i+loc[1]):]) &&
			r.namesIn(p.text[p.offset(i+loc[1]):]):
			m = []string{" "}
		default:
			continue
		}
		h.value = p.offset(i + loc[1] + len(m[0]))
		if len(m) > 3 {
			for _, n := range []string{m[1], m[2], m[3]} {
				if v := valueOf(n); n != "" && v >= 0 {
					h.count = v
				}
			}
		}
		out = append(out, h)
		i += loc[1] - 1
	}
	return out
}

// electionCount matches a count that no body has: "Votes Against: 21,423".
var electionCount = regexp.MustCompile(`^[ :=-]{1,4}\d{1,3}(?:[,.]\d{3})+\b`)

// opensNames reports whether the parentheses behind a count have names and nothing else. Behind a
// weak word they must be members.
func (r *scanner) opensNames(p *paragraph, at int, rest string, weak bool) bool {
	text := p.text[p.offset(at+len(countNames.FindString(rest))):]
	l := r.list(reason.ReplaceAllString(strings.Join(strings.Fields(text[:closing(text)]), " "), ""))
	return len(l.Rest) == 0 && l.Tail == "" && !l.Open && (!weak && len(l.Names) > 0 || r.known(l.Names))
}

// namesMember reports whether a text begins with the name of a member.
func (r *scanner) namesMember(text string) bool {
	n, _, ok := r.nameAt(text)
	return ok && n.Text != "" && r.isMember(n)
}

func beginsUpper(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return unicode.IsUpper(first)
}

func endsRow(s string) bool { return strings.TrimSpace(s) == "" }

// contextOf reports whether a label can begin at byte i of fold and o of text, and in which
// bracket.
func contextOf(p *paragraph, i, o int) (begins bool, inside byte) {
	if i == 0 || o > 0 && p.text[o-1] == '\n' {
		return true, 0
	}
	before := p.fold[:i]
	if strings.HasSuffix(before, "  ") {
		return true, 0
	}
	before = strings.TrimRight(before, " \"'")
	if before == "" || before == "-" || before == "*" {
		return true, 0
	}
	switch c := before[len(before)-1]; c {
	case '[', '(':
		return true, c
	case '.', ';', ':', ',', '|', ']', ')':
		return true, 0
	}
	if strings.HasSuffix(before, " -") {
		return true, 0
	}
	return strings.HasSuffix(before, "; and") || strings.HasSuffix(before, ", and"), 0
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '\'' || c == '/' || c >= utf8.RuneSelf
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// namesIn reports whether the rest of a line is a list of names.
func (r *scanner) namesIn(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	l := r.list(line)
	return len(l.Names) > 0 && len(l.Rest) == 0 && l.Tail == ""
}

func (r *scanner) list(text string) person.List {
	text = r.withoutHonorifics(text)
	open := strings.HasSuffix(strings.TrimRight(text, " \n"), ",")
	text = strings.TrimRight(text, " ;,\n")
	if strings.HasSuffix(text, ").") {
		text = strings.TrimSuffix(text, ".")
	}
	if m := countedNames.FindStringSubmatch(text); m != nil {
		l := r.people.List(m[2], r.members)
		l.Count = valueOf(m[1])
		return l
	}
	if m := countBehind.FindStringSubmatch(text); m != nil {
		l := r.people.List(m[1], r.members)
		if n := valueOf(m[2]); len(l.Rest) == 0 && l.Tail == "" && l.Count < 0 && len(l.Names) == n && (n > 0 || l.Nobody) {
			l.Names, l.Count = r.split(l.Names), n
			return l
		}
	}
	l := r.people.List(text, r.members)
	l.Open = l.Open || open && len(l.Names) > 0
	l.Names = r.split(l.Names)
	return l
}

// split separates two members between whom a comma is missing: "Doe Roe".
func (r *scanner) split(names []person.Name) []person.Name {
	var out []person.Name
	for i, n := range names {
		words := strings.Fields(n.Text)
		if len(words) == 2 && !r.isMember(n) && len(names) > 2 {
			a, b := person.Name{Text: words[0], Office: n.Office}, person.Name{Text: words[1], Office: n.Office}
			if r.isMember(a) && r.isMember(b) {
				if out == nil {
					out = append(out, names[:i]...)
				}
				out = append(out, a, b)
				continue
			}
		}
		if out != nil {
			out = append(out, n)
		}
	}
	if out == nil {
		return names
	}
	return out
}

// countEnds matches a count that ends a row, before a sentence: "0. Motion carried."
var countEnds = regexp.MustCompile(`^ *(\d{1,3}) *[.;](?: |$)`)

// countBehind matches names with their count behind them, in a column of its own: "Doe, Roe 2".
var countBehind = regexp.MustCompile(`^(.*\pL)\s+(\d{1,2})$`)

// countedNames matches a count with the names in parentheses: "1 (Doe)".
var countedNames = regexp.MustCompile(`^ *(\d{1,2}) *\(([^()]*[A-Za-z][^()]*)\)$`)

// rows reads the rows of names in a paragraph from an offset. taken has what they cover, so that
// the rest is read as sentences. next is the number of further paragraphs that a row goes on in.
func (r *scanner) rows(k int) (found []entry, ats []int, taken []span, next int) {
	p := r.paras[k]
	hits := r.hits(p)
	for n, h := range hits {
		end := len(p.text)
		if n+1 < len(hits) {
			end = hits[n+1].from
		}
		e := entry{sense: h.sense, count: h.count}
		value, stop := r.valueOf(p, h, end)
		last := n+1 == len(hits) && stop == len(p.text)
		if m := countEnds.FindStringSubmatch(value); m != nil && h.count < 0 {
			e.count = valueOf(m[1])
			at := h.value + strings.Index(p.text[h.value:], m[1]) + len(m[1])
			found, ats, taken = append(found, e), append(ats, h.from), append(taken, span{h.from, min(at, end)})
			continue
		}
		if h.inside == '(' {
			value = reason.ReplaceAllString(value, "")
		}
		l := r.list(value)
		want := max(h.count, l.Count)
		for next < 3 && last && !h.closed && k+next+1 < len(r.paras) && (l.Open || want > len(l.Names) ||
			strings.TrimSpace(value) == "" && h.count != 0) {
			more := r.paras[k+next+1]
			if len(r.hits(more)) > 0 {
				break // the next row
			}
			joined := person.Join([]string{value, strings.ReplaceAll(more.text, "\n", " ")})
			all, ml := r.list(joined), r.list(more.text)
			if ml.Count >= 0 && ml.Count != h.count || marker.MatchString(more.text) {
				break
			}
			goesOn := len(all.Names) > len(l.Names) && len(all.Names) <= want && len(all.Rest) == 0
			if !goesOn && (len(ml.Names) == 0 && !ml.Nobody && !ml.Everyone || len(ml.Rest) > 0) {
				break
			}
			value, l = joined, all
			next++
		}
		if l.Count >= 0 && e.count < 0 {
			e.count = l.Count
		}
		e.names, e.nobody, e.everyone = l.Names, l.Nobody || e.count == 0, l.Everyone
		if h.closed || h.count >= 0 && blankValue(value) {
			found, ats, taken = append(found, e), append(ats, h.from), append(taken, span{h.from, min(h.value, end)})
			continue
		}
		blank := strings.TrimSpace(strings.Trim(value, " .,;-–—[]()")) == ""
		if blank && e.count < 0 {
			e.nobody = true
		}
		if len(l.Rest) > 0 || l.Open && len(l.Names) > 0 {
			e.unread = strings.Join(append(l.Rest, ""), "; ")
			if l.Open {
				e.unread += " …"
			}
			if len(l.Names) == 0 && (h.weak || len(strings.Fields(value)) > 12) || h.weak && !h.sure {
				continue // "For: the purpose of …"
			}
		}
		if h.weak && len(e.names) == 0 && !e.nobody && !e.everyone && e.count < 0 {
			continue
		}
		if blank && h.weak && e.count < 0 && next == 0 {
			continue
		}
		found = append(found, e)
		ats = append(ats, h.from)
		taken = append(taken, span{h.from, stop})
	}
	return found, ats, taken, next
}

func blankValue(value string) bool { return strings.Trim(value, " .,;-–—[]()\n") == "" }

// firstWords returns the beginning of a text, to find it again.
func firstWords(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

var speaker = regexp.MustCompile(`\S( {2,})[A-Z][A-Za-z]+(?: [A-Za-z]+){0,3}:`)

// speakerGap returns where another label in a column of its own begins, or 0.
func speakerGap(text string) int {
	if m := speaker.FindStringSubmatchIndex(text); m != nil {
		return m[2]
	}
	return 0
}

// closing returns where a bracket closes that did not open in the text.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(text)
}

// known reports whether all names are members.
func (r *scanner) known(names []person.Name) bool {
	if len(names) == 0 {
		return false
	}
	for _, n := range names {
		if _, match := r.resolve(n); match > council.MatchGiven {
			return false
		}
	}
	return true
}

func isInitialWord(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && (len(word) == n || word[n:] == ".")
}

// beginsRow reports whether a paragraph begins with the label of a row.
func (r *scanner) beginsRow(p *paragraph) bool {
	hits := r.hits(p)
	return len(hits) > 0 && hits[0].from == 0
}

// members returns the positions of a table, whose names were resolved.
func (l *roll) members() (out council.Roll) {
	for _, e := range l.entries {
		position, _ := positionOf(e.sense)
		for _, n := range e.names {
			out = append(out, council.RollEntry{Member: n.Text, Position: position})
		}
	}
	return out
}

// count returns the printed count of a row, or -1.
func (l *roll) count(s sense) int {
	for _, e := range l.entries {
		if e.sense == s && e.count >= 0 {
			return e.count
		}
	}
	return -1
}
