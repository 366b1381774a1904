package lexicon

import (
	"maps"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// A Pattern is a regular expression that begins at a word. It is tried only at words with which it can
// begin, because searching for a regular expression is slow, and most sentences have no such word.
type Pattern struct {
	anywhere *regexp.Regexp
	here     *regexp.Regexp // the same at the beginning of a text
	first    [256]bool      // first bytes of the words
	begins   map[string]int // beginnings of the words, of one to keyLength bytes
	any      bool           // the beginnings are not known
}

const (
	keyLength = 4
	maxKeys   = 600
	prefix    = 1 // a word can go on behind the key
	whole     = 2 // the key is a word
)

// Compile compiles a regular expression for folded text. It can have names of rows of the table of words in braces.
func Compile(form string) *Pattern {
	expr := words.Folded(form)
	p := &Pattern{anywhere: regexp.MustCompile(expr), here: regexp.MustCompile(`^(?:` + expr +
		`)`), begins: map[string]int{}}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || !opensWord(tree) {
		p.any = true
		return p
	}
	keys, open := beginnings(tree)
	p.any = open || len(keys) == 0 || len(keys) > maxKeys
	for _, k := range keys {
		if k.text == "" {
			p.any = true
			break
		}
		p.first[k.text[0]] = true
		if k.whole {
			p.begins[k.text] |= whole
		} else {
			p.begins[k.text] |= prefix
		}
	}
	return p
}

// opensWord reports whether each match begins where a word begins.
func opensWord(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpWordBoundary:
		return true
	case syntax.OpConcat, syntax.OpCapture:
		return len(re.Sub) > 0 && opensWord(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !opensWord(sub) {
				return false
			}
		}
		return true
	}
	return false
}

// A key is the beginning of what an expression matches.
type key struct {
	text  string
	whole bool // the word ends here
	stop  bool // anything can follow
}

func (k key) done() bool { return k.whole || k.stop || len(k.text) >= keyLength }

// beginnings returns the beginnings of what an expression matches. open means that it can match the
// empty text, or anything.
func beginnings(re *syntax.Regexp) (keys []key, open bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := strings.ToLower(string(re.Rune))
		return []key{{text: text[:min(len(text), keyLength)]}}, false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
				if len(keys) > 40 {
					return []key{{stop: true}}, false
				}
				keys = append(keys, key{text: strings.ToLower(string(c))})
			}
		}
		return keys, false
	case syntax.OpCapture:
		return beginnings(re.Sub[0])
	case syntax.OpPlus:
		keys, open = beginnings(re.Sub[0])
		return repeated(keys), open
	case syntax.OpQuest:
		keys, _ = beginnings(re.Sub[0])
		return keys, true
	case syntax.OpStar:
		keys, _ = beginnings(re.Sub[0])
		return repeated(keys), true
	case syntax.OpRepeat:
		keys, open = beginnings(re.Sub[0])
		if re.Max != 1 {
			keys = repeated(keys)
		}
		return keys, open || re.Min == 0
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, o := beginnings(sub)
			keys, open = append(keys, more...), open || o
		}
		return keys, open
	case syntax.OpConcat:
		return joined(re.Sub)
	case syntax.OpEmptyMatch:
		return nil, true
	}
	return []key{{stop: true}}, false
}

// repeated returns keys behind which the same can follow again: "14" begins with a digit, then another.
func repeated(keys []key) []key {
	for i := range keys {
		keys[i].stop = true
	}
	return keys
}

// joined returns the beginnings of a sequence.
func joined(subs []*syntax.Regexp) (keys []key, open bool) {
	keys = []key{{}}
	for _, sub := range subs {
		switch sub.Op {
		case syntax.OpWordBoundary:
			for i := range keys {
				keys[i].whole = keys[i].whole || keys[i].text != "" && !keys[i].done()
			}
			continue
		case syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpNoWordBoundary:
			continue
		}
		more, optional := beginnings(sub)
		var next []key
		growing := false
		for _, k := range keys {
			if k.done() || optional {
				next = append(next, k)
			}
			if k.done() {
				continue
			}
			for _, m := range more {
				text := k.text + m.text
				next = append(next, key{text: text[:min(len(text), keyLength)], whole: m.whole && len(text) <= keyLength,
					stop: m.stop || m.text == ""})
			}
		}
		if len(next) > maxKeys {
			for i := range keys {
				keys[i].stop = true
			}
			break
		}
		keys = next
		for _, k := range keys {
			growing = growing || !k.done()
		}
		if !growing {
			break
		}
	}
	return keys, false
}

// String returns the expression.
func (p *Pattern) String() string { return p.anywhere.String() }

// Longest makes matches as long as possible.
func (p *Pattern) Longest() {
	p.anywhere.Longest()
	p.here.Longest()
}

// without returns a copy that does not begin with the given words.
func (p *Pattern) without(words ...string) *Pattern {
	out := *p
	out.begins = maps.Clone(p.begins)
	for _, w := range words {
		delete(out.begins, w[:min(len(w), keyLength)])
	}
	return &out
}

// next returns the next place from i where a match can begin, or -1.
func (p *Pattern) next(f string, i int) int {
	inWord := i > 0 && isLetterOrDigit(f[i-1])
	for ; i < len(f); i++ {
		word := isLetterOrDigit(f[i])
		if word && !inWord && p.first[f[i]] && p.beginsAt(f[i:]) {
			return i
		}
		inWord = word
	}
	return -1
}

// May reports whether a text has a word with which a match can begin.
func (p *Pattern) May(f string) bool { return p.any || p.next(f, 0) >= 0 }

func (p *Pattern) beginsAt(f string) bool {
	for n := 1; n <= keyLength && n <= len(f); n++ {
		kind := p.begins[f[:n]]
		if kind&prefix != 0 || kind&whole != 0 && (n == len(f) || !isLetterOrDigit(f[n])) {
			return true
		}
	}
	return false
}

// isLetterOrDigit is true for the characters of a word by the rules of regular expressions.
func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 'A' && c <= 'Z'
}

// Begins reports whether a text begins with a match.
func (p *Pattern) Begins(f string) bool { return (p.any || p.beginsAt(f)) && p.here.MatchString(f) }

// MatchString reports whether a text has a match.
func (p *Pattern) MatchString(f string) bool {
	if p.any {
		return p.anywhere.MatchString(f)
	}
	for i := p.next(f, 0); i >= 0; i = p.next(f, i+1) {
		if p.here.MatchString(f[i:]) {
			return true
		}
	}
	return false
}

// FindStringIndex returns the place of the first match, or nil.
func (p *Pattern) FindStringIndex(f string) []int {
	if ms := p.FindAllStringIndex(f, 1); ms != nil {
		return ms[0]
	}
	return nil
}

// FindAllStringIndex returns the places of the first n matches, or of all if n is negative.
func (p *Pattern) FindAllStringIndex(f string, n int) [][]int {
	ms := p.FindAllStringSubmatchIndex(f, n)
	for i := range ms {
		ms[i] = ms[i][:2]
	}
	return ms
}

// FindAllStringSubmatchIndex is FindAllStringIndex with the places of the groups.
func (p *Pattern) FindAllStringSubmatchIndex(f string, n int) (ms [][]int) {
	if p.any {
		return p.anywhere.FindAllStringSubmatchIndex(f, n)
	}
	for i := p.next(f, 0); i >= 0 && len(ms) != n; {
		m := p.here.FindStringSubmatchIndex(f[i:])
		if m == nil {
			i = p.next(f, i+1)
			continue
		}
		for k := range m {
			if m[k] >= 0 {
				m[k] += i
			}
		}
		ms = append(ms, m)
		i = p.next(f, max(m[1], i+1))
	}
	return ms
}

// FindStringSubmatch returns the first match and its groups, or nil.
func (p *Pattern) FindStringSubmatch(f string) []string {
	ms := p.FindAllStringSubmatchIndex(f, 1)
	if ms == nil {
		return nil
	}
	out := make([]string, len(ms[0])/2)
	for i := range out {
		if ms[0][2*i] >= 0 {
			out[i] = f[ms[0][2*i]:ms[0][2*i+1]]
		}
	}
	return out
}

// ReplaceAllString replaces all matches by a text.
func (p *Pattern) ReplaceAllString(f, with string) string {
	var b strings.Builder
	last := 0
	for _, m := range p.FindAllStringIndex(f, -1) {
		b.WriteString(f[last:m[0]])
		b.WriteString(with)
		last = m[1]
	}
	b.WriteString(f[last:])
	return b.String()
}
