package signal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// An Entry is a row of a roll: a position and who has it.
type Entry struct {
	Sense    lexicon.Sense
	Names    []person.Name
	Count    int  // printed number; -1 if there is none
	Nobody   bool // the row says so
	Everyone bool // the row says "All"
	Answer   bool // it is the vote of a member, behind the name
	Unread   string
	For      string // "motion" or "amendment": what they are in favor of, by the label
}

// A Roll has the rows of one vote.
type Roll struct{ Entries []Entry }

// Has reports whether a roll has a row of a position.
func (l *Roll) Has(s lexicon.Sense) bool {
	return slices.ContainsFunc(l.Entries, func(e Entry) bool { return e.Sense == s })
}

// Settle gives those who are present in a roll, but in none of its other rows, the position of those
// who abstain.
func (l *Roll) Settle() {
	for i, e := range l.Entries {
		if e.Sense == lexicon.Present && l.Has(lexicon.Aye) && l.Entries[0].Sense != lexicon.Present {
			l.Entries[i].Sense = lexicon.Abstain
		}
	}
}

// Positioned reports whether a row has votes, not only those who are absent.
func (l *Roll) Positioned() bool {
	return l.Has(lexicon.Aye) || l.Has(lexicon.Nay) || l.Has(lexicon.Abstain)
}

// Empty reports whether the roll is a form that nobody filled in.
func (l *Roll) Empty() bool {
	return !slices.ContainsFunc(l.Entries, func(e Entry) bool {
		return len(e.Names) > 0 || e.Everyone || e.Count > 0 || e.Unread != ""
	})
}

// named returns the number of names.
func (l *Roll) named() int {
	n := 0
	for _, e := range l.Entries {
		n += len(e.Names)
	}
	return n
}

// OfStranger reports whether a roll is one name, which is no member's.
func (r *Scanner) OfStranger(l *Roll) bool {
	return l.named() == 1 && !slices.ContainsFunc(l.Entries, func(e Entry) bool {
		return e.Everyone || e.Count > 0 || len(e.Names) == 1 && r.isMember(e.Names[0])
	})
}

// Fits reports whether a roll can have another row. Rows of one position, as "Absent" and "Not
// voting", stay apart; a second row of ayes does not fit.
func (l *Roll) Fits(e Entry) bool {
	if e.Sense != lexicon.Aye && e.Sense != lexicon.Nay && e.Sense != lexicon.Abstain {
		return true
	}
	for _, o := range l.Entries {
		if o.Sense == e.Sense && e.restates(o) {
			return true
		}
		if o.Sense == e.Sense && (len(o.Names) > 0 || o.Everyone || o.Unread != "" || len(e.Names) == 0 || o.Count < 0) {
			return false
		}
	}
	return true
}

// Counts reports whether a roll has nothing but a count of a position, as a row has. Below other text, such a row
// belongs to the next vote.
func (l *Roll) Counts(e Entry) bool {
	return len(e.Names) == 0 && e.Count >= 0 && slices.ContainsFunc(l.Entries, func(o Entry) bool {
		return o.Sense == e.Sense && len(o.Names) == 0 && o.Count >= 0
	})
}

// restates reports whether a row has no more than the count of another.
func (e Entry) restates(o Entry) bool {
	return len(e.Names) == 0 && !e.Everyone && e.Count >= 0 &&
		(len(o.Names) > 0 && e.Count == len(o.Names) || e.Count == o.Count)
}

// Put adds a row. Names complete a row that has only a count.
func (l *Roll) Put(e Entry) {
	for i, o := range l.Entries {
		if o.Sense == e.Sense && e.restates(o) {
			return
		}
		if o.Sense == e.Sense && len(o.Names) == 0 && o.Count > 0 && len(e.Names) > 0 && e.Count < 0 {
			e.Count = o.Count
			l.Entries[i] = e
			return
		}
	}
	l.Entries = append(l.Entries, e)
}

// A hit is a label with its value in a paragraph.
type hit struct {
	from, value int // where the label and its value begin
	sense       lexicon.Sense
	count       int
	weak        bool // a common word, which is a label only before names
	closed      bool // a count without names
	sure        bool // nothing but a label has this form
	about       string
	inside      byte // the bracket around the label
}

var (
	afterLabel = words.Regexp(`^(?: \({side of label}\))? *(?:\( *(\d{1,3}) *\)|\(?(\d{1,3}|{one}|{number})` +
		`\)? *\(\d{1,3}\)| (\d{1,3})\b)? *({votes or members})?( *:+| *[-]+ | {was}\b:? |  +| ?$)`)
	ownLine = regexp.MustCompile(`^ *\((\d{1,3})\):? *$`)
	// countNames matches a count before names in parentheses: "Noes 4 (Doe, Roe)".
	countNames = regexp.MustCompile(`^ *[-:=]* *(\d{1,3}) *[(\[]`)
	countOnly  = regexp.MustCompile(`^ *[-:=]* *\(?(\d{1,3})\)?(?:[.,;)\]]|  | *$)`)
)

// behindPass follows the label of a row of those who pass.
var behindPass = regexp.MustCompile(`^ *: *(?:\d{1,2} *[–—-]+ *)?[a-z(]`)

// Hits finds the labels of rows in a paragraph.
func (r *Scanner) Hits(p *Paragraph) []hit {
	var out []hit
	f := p.Fold
	answered := 0 // where the last line ends whose words are answers: "Doe   Aye   Roe   Nay"
	for i := 0; i < len(f); i++ {
		c := f[i]
		if c < 'a' || c > 'z' || i > 0 && (isWordByte(f[i-1])) {
			continue
		}
		o := p.Offset(i)
		capitals := o+1 < len(p.Text) && isUpper(p.Text[o]) && isUpper(p.Text[o+1])
		begins, inside := contextOf(p, i, o)
		if o < answered {
			continue
		}
		if begins && inside == 0 && strings.HasSuffix(f[:i], "  ") && r.Words.Answer.Begins(f[i:]) {
			line := strings.LastIndexByte(p.Text[:o], '\n') + 1
			if (len(out) == 0 || out[len(out)-1].from < line) &&
				r.endsInMember(strings.TrimRight(p.Text[line:o], " ")) {
				rest, _, _ := CutLine(p.Text[o:])
				answered = o + len(rest)
				continue
			}
		}
		if begins && inside == 0 && strings.HasSuffix(strings.TrimRight(f[:i], " \n"), "-") &&
			r.endsInMember(strings.TrimRight(p.Text[:o], " \n–—-")) {
			continue // "Doe – Yes   Roe – No"
		}
		if !begins && !capitals && (len(out) == 0 && !rowLabel.MatchString(f[i:]) || p.Text[max(o-1, 0)] != ' ') {
			continue
		}
		loc := r.Words.Label.FindStringIndex(f[i:])
		if loc == nil {
			continue
		}
		word := f[i : i+loc[1]]
		if strings.Contains(word, "(") && strings.HasPrefix(f[i+loc[1]:], ")") ||
			strings.Contains(word, `"`) && strings.HasPrefix(f[i+loc[1]:], `"`) || strings.HasPrefix(f[i+loc[1]:], ".:") {
			loc[1]++ // Tá (For): Doe, Roe; those voting "Aye": Doe, Roe; EXC.: Doe
		}
		rest := f[i+loc[1]:]
		if lexicon.IsElection(rest) {
			continue
		}
		h := hit{from: o, count: -1, inside: inside, about: inFavorOf(word)}
		h.sense, _ = r.Words.SenseOf(word, lexicon.Positions...)
		if h.sense == lexicon.Passing {
			h.sense = lexicon.Abstain
			if !behindPass.MatchString(rest) {
				continue // "Pass 5-0"
			}
		}
		h.weak = r.Words.Is(word, lexicon.Weak) && !capitals
		if !begins && !capitals && (h.weak && len(word) < 6 || !strings.HasPrefix(rest, ":")) {
			continue // only "Nays:" begins a row behind a name
		}
		if line, _, more := strings.Cut(p.Text[p.Offset(i+loc[1]):], "\n"); more && (o == 0 || p.Text[o-1] == '\n') {
			if c := ownLine.FindStringSubmatch(line); c != nil { // the names stand on the lines below
				h.count, h.sure = lexicon.ValueOf(c[1]), true
				h.value = p.Offset(i+loc[1]) + len(line)
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
			below := p.Text[p.Offset(i+loc[1]+len(m[0])):]
			l := r.list(person.Join(strings.Split(below[:min(len(below), MaxNamed)], "\n")))
			if !strings.Contains(word, "vot") || len(l.Rest) > 0 || len(l.Names) == 0 && !l.Nobody {
				continue
			}
		case m != nil && (m[1] != "" || m[3] != ""):
		case m != nil && strings.HasPrefix(m[5], "  ") && beginsUpper(p.Text[p.Offset(i+loc[1]):]) && (capitals ||
			p.Text[o] >= 'A' && p.Text[o] <= 'Z' && !h.weak):
		case begins && (o == 0 || p.Text[o-1] == '\n') && p.Text[o] >= 'A' && p.Text[o] <= 'Z' && h.isSide() &&
			strings.HasPrefix(rest, " ") && r.namesLine(p.Text[p.Offset(i+loc[1]):]):
			m = []string{rest[:len(rest)-len(strings.TrimLeft(rest, " "))]} // In favour     Councillors Doe, Roe and
		case m != nil && strings.Contains(m[5], "-") && (capitals || !h.weak) && !endsRow(m[5]):
		case m == nil && begins && strings.HasPrefix(rest, ", ") && !h.weak && !strings.HasSuffix(f[:i], ", ") &&
			r.onlyMembers(p.Text[p.Offset(i+loc[1])+1:]):
			m = []string{","}
		case m == nil && countNames.MatchString(rest) && (!h.weak || r.opensNames(p, i+loc[1], rest, true)):
			c := countNames.FindStringSubmatchIndex(rest)
			h.count, h.value = lexicon.ValueOf(rest[c[2]:c[3]]), p.Offset(i+loc[1]+c[3])
			if h.closed = !h.weak && !r.opensNames(p, i+loc[1], rest, false); !h.closed {
				h.inside = '('
				h.sure = true
				h.value = p.Offset(i + loc[1] + c[1])
			}
			out = append(out, h)
			continue
		case m == nil && begins && r.Language != lexicon.English && strings.Contains(word, "vot") &&
			strings.HasPrefix(rest, " ") &&
			(r.onlyMembers(p.Text[p.Offset(i+loc[1]):]) || r.namesMember(p.Text[p.Offset(i+loc[1]):])):
			m = []string{" "} // Votan a favor los Regidores Doe y Roe
		case m == nil && begins && (!h.weak || len(out) > 0) && ledgerRow.MatchString(p.Text[p.Offset(i+loc[1]):]):
			m = []string{"-"} // Ayes—Doe, Roe—2.
		case m != nil && strings.Contains(m[5], "-") && r.namesMember(p.Text[p.Offset(i+loc[1]+len(m[0])):]):
		case countOnly.MatchString(rest) && (!h.weak || countLabel.MatchString(f[:i]) ||
			len(out) > 0 && out[len(out)-1].weak && out[len(out)-1].closed):
			c := countOnly.FindStringSubmatchIndex(rest)
			h.count = lexicon.ValueOf(rest[c[2]:c[3]])
			h.value = p.Offset(i + loc[1] + c[3])
			behind := p.Text[h.value:]
			h.closed = !strings.HasPrefix(behind, "  ") || !r.onlyMembers(behind) // "Aye-2    Doe/Roe"
			out = append(out, h)
			continue
		case begins && m == nil && strings.Contains(word, "vot") && sideOf.MatchString(rest):
			m = []string{sideOf.FindString(rest)} // "Votes for the motion to table: Doe, Roe"
			h.sure = true
		case m == nil && begins && strings.HasPrefix(rest, ". ") && ofFollowing.MatchString(word):
			m, h.sure = []string{". "}, true
		case capitals && begins && strings.HasPrefix(rest, " ") && len(word) > 3 &&
			beginsUpper(p.Text[p.Offset(i+loc[1]):]) &&
			r.namesIn(p.Text[p.Offset(i+loc[1]):]):
			m = []string{" "}
		default:
			continue
		}
		h.value = p.Offset(i + loc[1] + len(m[0]))
		if len(m) > 3 {
			for _, n := range []string{m[1], m[2], m[3]} {
				if v := lexicon.ValueOf(n); n != "" && v >= 0 {
					h.count = v
				}
			}
		}
		out = append(out, h)
		i += loc[1] - 1
	}
	return out
}

// countLabel matches the label of a vote before its first count: "Vote : pour 9, contre 3".
var countLabel = lexicon.Compile(`\b{count label} ?: ?$`)

// sideOf matches what those who vote are for or against, behind the label: "voting in favor of the amendment:".
var sideOf = words.Regexp(`^ {about the vote} [\pL' ]{2,60}:`)

// ofFollowing matches the label of a row that is a sentence: "The following Board members abstained. Doe and Roe."
var ofFollowing = lexicon.Compile(`^{following members}\b`)

// ledgerRow matches a long dash between a label and its names: "Ayes—Doe, Roe—2. Nays—None."
var ledgerRow = regexp.MustCompile(`^[–—]\p{Lu}`)

// rowLabel matches a label that nothing but a row has, even behind a motion without a full stop: "seconded by
// Doe Ayes: Roe, Poe".
var rowLabel = words.Regexp(`^(?i:{row label}) ?: ?`)

// inFavorOf returns what the label of a row is about: "For the Amendment".
func inFavorOf(label string) string {
	for _, what := range []string{"motion", "amendment"} {
		if strings.HasSuffix(label, " "+what) {
			return what
		}
	}
	return ""
}

// opensNames reports whether the parentheses behind a count have names and nothing else. Behind a
// weak word they must be members.
func (r *Scanner) opensNames(p *Paragraph, at int, rest string, weak bool) bool {
	text := p.Text[p.Offset(at+len(countNames.FindString(rest))):]
	l := r.list(reason.ReplaceAllString(strings.Join(strings.Fields(text[:closing(text)]), " "), ""))
	return len(l.Rest) == 0 && l.Tail == "" && !l.Open && (!weak && len(l.Names) > 0 || r.known(l.Names))
}

// namesMember reports whether a text begins with the name of a member.
func (r *Scanner) namesMember(text string) bool {
	n, _, ok := r.nameAt(text)
	return ok && n.Text != "" && r.isMember(n)
}

// isSide reports whether a label is that of a position, not of those who are away.
func (h hit) isSide() bool {
	return h.sense == lexicon.Aye || h.sense == lexicon.Nay || h.sense == lexicon.Abstain
}

// namesLine reports whether a line has nothing but members, of whom others can follow on the next line, or a word for
// nobody.
func (r *Scanner) namesLine(text string) bool {
	line, _, _ := CutLine(text)
	if line = strings.TrimSpace(line); isAnd.Is(lexicon.LastWord(line)) {
		line = strings.TrimSpace(line[:strings.LastIndexByte(line, ' ')+1])
	}
	names := r.membersIn(line)
	return line != "" && (r.known(names) || r.people.IsNobody(line))
}

// inBracket matches the number of names behind them.
var inBracket = regexp.MustCompile(`\(\d{1,2}\)`)

// onlyMembers reports whether a sentence has nothing but members or a word for nobody: "Ayes, Doe, Roe."
func (r *Scanner) onlyMembers(text string) bool {
	end := strings.IndexAny(text, ".;\n")
	if end < 0 {
		end = len(text)
	}
	text = inBracket.ReplaceAllString(text[:end], "")
	if r.people.IsNobody(text) {
		return strings.TrimSpace(text) != ""
	}
	names := r.membersIn(text)
	return r.known(names) || len(names) > 2
}

// endsInMember reports whether a text ends in the name of a member.
func (r *Scanner) endsInMember(text string) bool {
	n, at := r.nameEnding(text[max(0, len(text)-60):])
	return at >= 0 && n.Text != "" && r.isMember(n)
}

func beginsUpper(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return unicode.IsUpper(first)
}

func endsRow(s string) bool { return strings.TrimSpace(s) == "" }

// contextOf reports whether a label can begin at byte i of fold and o of text, and in which
// bracket.
func contextOf(p *Paragraph, i, o int) (begins bool, inside byte) {
	if i == 0 || o > 0 && p.Text[o-1] == '\n' {
		return true, 0
	}
	before := p.Fold[:i]
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
func (r *Scanner) namesIn(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	l := r.list(line)
	return len(l.Names) > 0 && len(l.Rest) == 0 && l.Tail == ""
}

func (r *Scanner) list(text string) person.List {
	text = r.Language.WithoutHonorifics(r.Language.WithoutProxies(text))
	open := strings.HasSuffix(strings.TrimRight(text, " \n"), ",")
	text = strings.TrimRight(dashBehind.ReplaceAllString(text, ""), " ;,\n")
	if strings.HasSuffix(text, ").") {
		text = strings.TrimSuffix(text, ".")
	}
	text, _ = r.cutOffice(text)
	if parts := strings.Split(text, "/"); len(parts) > 1 && r.allMembers(parts) {
		text = strings.Join(parts, ", ")
	}
	if m := nobodyCounted.FindStringSubmatch(text); m != nil && r.people.IsNobody(m[1]) {
		return person.List{Count: 0, Nobody: true}
	}
	if m := everyoneCounted.FindStringSubmatch(text); m != nil {
		return person.List{Count: lexicon.ValueOf(m[1]), Everyone: true}
	}
	if m := countedNames.FindStringSubmatch(text); m != nil {
		l := r.people.List(m[2], r.Members)
		l.Count = lexicon.ValueOf(m[1])
		return l
	}
	if m := countBehind.FindStringSubmatch(text); m != nil {
		l := r.people.List(m[1], r.Members)
		if n := lexicon.ValueOf(m[2]); len(l.Rest) == 0 && l.Tail == "" && l.Count < 0 && len(l.Names) == n && (n > 0 ||
			l.Nobody) {
			l.Names, l.Count = r.split(l.Names), n
			return l
		}
	}
	l := r.people.List(text, r.Members)
	r.cutTail(&l, text)
	l.Open = l.Open || open && len(l.Names) > 0
	l.Names = r.split(l.Names)
	return l
}

// allMembers reports whether each text is a member's name.
func (r *Scanner) allMembers(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !r.isMember(person.Name{Text: strings.Trim(name, " .")})
	})
}

// properWord matches a word of a name, which is not in capitals.
var properWord = regexp.MustCompile(`^(?:\p{Lu}\.|\p{Lu}[\p{L}'’-]*\p{Ll})$`)

// cutTail cuts the last name of a list before words in small letters or in capitals, where a full stop is missing: "Ann
// Doe, Bob Roe, Cal Poe clerk of the board", "Cal Poe OPEN SESSION". It is a member, or has a given name as the others
// have.
func (r *Scanner) cutTail(l *person.List, text string) {
	if len(l.Rest) == 0 || len(l.Names) < 2 {
		return
	}
	at := strings.Index(text, l.Rest[0][:min(len(l.Rest[0]), 24)])
	if at < 0 {
		return
	}
	kept := l.Names[:0:0]
	for _, n := range l.Names {
		if i := strings.Index(text, n.Text); i >= 0 && i < at {
			kept = append(kept, n)
		}
	}
	words := strings.Fields(text[at:])
	n := 0
	for n < len(words) && n < 4 && properWord.MatchString(words[n]) {
		n++
	}
	if n == len(words) || n < 1 || len(kept) < 2 || !lowerStart(words[n]) && !lexicon.IsCapitals(words[n]) {
		return
	}
	last := person.Name{Text: strings.Join(words[:n], " ")}
	whole := r.Members.Len() < 3 && n > 1 && r.people.IsName(last.Text) && !slices.ContainsFunc(kept,
		func(n person.Name) bool { return !strings.Contains(n.Text, " ") })
	if !whole && !r.isMember(last) {
		return
	}
	l.Names, l.Rest = append(kept, last), nil
	l.Open = false
	l.Tail = strings.Join(words[n:], " ")
}

// dashBehind matches the dash before the next row: "2 (Doe, Roe) – Abstention".
var dashBehind = regexp.MustCompile(`\s+[–—-]+\s*$`)

// split separates members between whom commas are missing: "Doe Roe".
func (r *Scanner) split(names []person.Name) []person.Name {
	for i, n := range names {
		many := r.Members.SplitUnparted(n.Text)
		if many == nil || r.isMember(n) {
			continue
		}
		out := slices.Clone(names[:i])
		for _, name := range many {
			out = append(out, person.Name{Text: name, Office: n.Office})
		}
		return append(out, r.split(names[i+1:])...)
	}
	return names
}

// countEnds matches a count that ends a row, before a sentence: "0. Motion carried."
var countEnds = regexp.MustCompile(`^ *(\d{1,3}) *[.;](?: |$)`)

// countBehind matches names with their count behind them, in a column of its own or in words: "Doe, Roe 2", "Doe, Roe
// – Two (2)".
var countBehind = words.Regexp(`^(.*?\pL)(?:\s+(?:[–—-]+\s*)?|[–—]\s*)(?i:(?:\d{1,3}|{one}|{number})\s*\()?` +
	`(\d{1,2})\)?\.?$`)

// nobodyCounted matches words for nobody with their count: "None (0)".
var nobodyCounted = regexp.MustCompile(`^ *([A-Za-z]+) *\(0\)$`)

// everyoneCounted matches words for everyone with their number: "Unanimous (5)".
var everyoneCounted = words.Regexp(`^ *(?i:{all}(?: {present word})?) *\((\d{1,2})\)$`)

// countedNames matches a count with the names in parentheses: "1 (Doe)".
var countedNames = regexp.MustCompile(`^ *(\d{1,2}) *\(([^()]*[A-Za-z][^()]*)\)$`)

// Rows reads the rows of names in a paragraph from an offset. taken has what they cover, so that
// the rest is read as sentences. next is the number of further paragraphs that a row goes on in.
func (r *Scanner) Rows(k int) (found []Entry, ats []int, taken []Span, next int) {
	p := r.Paras[k]
	hits := r.Hits(p)
	for n, h := range hits {
		end := len(p.Text)
		if n+1 < len(hits) {
			end = hits[n+1].from
		}
		e := Entry{Sense: h.sense, Count: h.count, For: h.about}
		value, stop := r.valueOf(p, h, end)
		last := n+1 == len(hits) && stop == len(p.Text)
		if m := countEnds.FindStringSubmatch(value); m != nil && h.count < 0 {
			e.Count = lexicon.ValueOf(m[1])
			at := h.value + strings.Index(p.Text[h.value:], m[1]) + len(m[1])
			found = append(found, e)
			ats = append(ats, h.from)
			taken = append(taken, Span{h.from, min(at, end)})
			continue
		}
		if h.inside == '(' {
			value = reason.ReplaceAllString(value, "")
		}
		l := r.list(value)
		if n+1 < len(hits) && strings.HasSuffix(value, ",") && p.Text[hits[n+1].from-1] == '\n' {
			l = r.list(strings.TrimRight(value, ", ")) // the next row begins on the next line
		}
		want := max(h.count, l.Count)
		for next < 3 && last && !h.closed && k+next+1 < len(r.Paras) && (l.Open || want > len(l.Names) ||
			strings.TrimSpace(value) == "" && h.count != 0) {
			more := r.Paras[k+next+1]
			if len(r.Hits(more)) > 0 {
				break // the next row
			}
			joined := person.Join([]string{value, strings.ReplaceAll(more.Text, "\n", " ")})
			all, ml := r.list(joined), r.list(more.Text)
			if ml.Count >= 0 && ml.Count != h.count || marker.MatchString(more.Text) {
				break
			}
			goesOn := len(all.Names) > len(l.Names) && len(all.Names) <= want && len(all.Rest) == 0
			if !goesOn && (len(ml.Names) == 0 && !ml.Nobody && !ml.Everyone || len(ml.Rest) > 0) {
				break
			}
			value, l = joined, all
			next++
		}
		if l.Count >= 0 && e.Count < 0 {
			e.Count = l.Count
		}
		e.Names = l.Names
		if e.Count == 0 {
			e.Names = nil // "Abstain: 0 (Doe out of the room)"
		}
		e.Nobody = e.Count <= 0 && (l.Nobody || e.Count == 0)
		e.Everyone = l.Everyone
		if h.closed || h.count >= 0 && blankValue(value) {
			found = append(found, e)
			ats = append(ats, h.from)
			taken = append(taken, Span{h.from, min(h.value, end)})
			continue
		}
		blank := strings.TrimSpace(strings.Trim(value, " .,;-–—[]()")) == ""
		if blank && e.Count < 0 {
			e.Nobody = true
		}
		if len(l.Rest) > 0 || l.Open && len(l.Names) > 0 {
			e.Unread = strings.Join(append(l.Rest, ""), "; ")
			if l.Open {
				e.Unread += " …"
			}
			if len(l.Names) == 0 && (h.weak || len(strings.Fields(value)) > 12) || h.weak && !h.sure {
				continue // "For: the purpose of …"
			}
		}
		if h.weak && h.sense == lexicon.Aye && r.Members.Listed() > 2 && len(e.Names) > 0 &&
			!slices.ContainsFunc(e.Names, r.isMember) {
			continue // "(B) Approve: Monthly Bills"
		}
		if h.weak && len(e.Names) == 0 && !e.Nobody && !e.Everyone && e.Count < 0 {
			continue
		}
		if blank && h.weak && e.Count < 0 && next == 0 {
			continue
		}
		found = append(found, e)
		ats = append(ats, h.from)
		taken = append(taken, Span{h.from, stop})
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
func (r *Scanner) known(names []person.Name) bool {
	if len(names) == 0 {
		return false
	}
	for _, n := range names {
		if _, match := r.Resolve(n); match > council.MatchGiven {
			return false
		}
	}
	return true
}

func isInitialWord(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && (len(word) == n || word[n:] == ".")
}

// BeginsRow reports whether a paragraph begins with the label of a row.
func (r *Scanner) BeginsRow(p *Paragraph) bool {
	hits := r.Hits(p)
	return len(hits) > 0 && hits[0].from == 0
}

// Members returns the positions of a table, whose names were resolved.
func (l *Roll) Members() (out council.Roll) {
	for _, e := range l.Entries {
		position, _ := lexicon.PositionOf(e.Sense)
		for _, n := range e.Names {
			out = append(out, council.RollEntry{Member: n.Text, Position: position})
		}
	}
	return out
}

// count returns the printed count of a row, or -1.
func (l *Roll) count(s lexicon.Sense) int {
	for _, e := range l.Entries {
		if e.Sense == s && e.Count >= 0 {
			return e.Count
		}
	}
	return -1
}
