package council

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/pkg/spelling"
)

// FoldName normalizes a printed name for comparison: lower case, no accents, punctuation,
// apostrophes or hyphens, and single blanks. "O’Mara" and "O'MARA" become "omara", "Ruiz-Santos"
// becomes "ruizsantos".
func FoldName(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range norm.NFD.String(s) {
		switch {
		case r == ',' || r == '.' || unicode.IsSpace(r):
			gap = true
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// LastName returns the last word of a full name as printed, with particles before it ("De Witt",
// "van der Berg") and without a suffix ("Jr.", "III", "(22)").
func LastName(full string) string {
	words := strings.Fields(full)
	for len(words) > 1 && (isSuffix(FoldName(words[len(words)-1])) || strings.HasPrefix(words[len(words)-1], "(")) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return ""
	}
	start := len(words) - 1
	for start > 1 && slices.Contains(particles, FoldName(words[start-1])) {
		start--
	}
	return strings.TrimRight(strings.Join(words[start:], " "), ",")
}

// IsOffice reports whether a text is an office without a name: "Mayor", "Mr. President", "Council
// President Pro Tem". Words that are also family names, such as Ward, are no offices.
func IsOffice(text string) bool {
	office := false
	for word := range strings.FieldsSeq(FoldName(strings.NewReplacer("-", " ", "&", " ").Replace(text))) {
		switch {
		case slices.Contains(offices, word):
			office = true
		case !slices.Contains(aroundOffices, word):
			return false
		}
	}
	return office
}

var (
	offices = strings.Fields(`mayor president chair chairman chairwoman chairperson chairlady speaker supervisor
		officer councilmember councilman councilwoman councilperson councilor councillor commissioner alderman
		alderwoman alderperson trustee selectman vicechair vicemayor moderator`)
	aroundOffices = strings.Fields(`mr mrs ms mister madam madame the hon honorable his her vice deputy acting interim
		pro tem tempore protem council board commission committee city town village county borough presiding of and
		member`)

	suffixes  = strings.Fields("jr sr ii iii iv esq phd md")
	particles = strings.Fields("de del della der den di du da dos la le van von st san santa mac mc ter ten el al")
)

func isSuffix(word string) bool { return slices.Contains(suffixes, word) }

// EditDistance is [Edits] for folded words. It counts bytes.
func EditDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 { // no name or result word is that long
		return len(a) + len(b)
	}
	return spelling.Edits([]byte(a), []byte(b))
}

// A NameMatch says which part of a name matched.
type NameMatch int

// The kinds of match, best first.
const (
	MatchFull      NameMatch = iota // the full name as on the roster
	MatchLast                       // the last name of exactly one member
	MatchGiven                      // the last name, and a given name or initial that fits one member
	MatchMisspelt                   // one or two letters away from exactly one member
	MatchAmbiguous                  // fits several members
	MatchNone                       // fits no member
)

// Found reports whether the name matches exactly one member.
func (m NameMatch) Found() bool { return m <= MatchMisspelt }

// A Roster has the people whose names a document may print. It is not safe for concurrent use.
type Roster struct {
	people []person
	cache  map[string]cached
}

type person struct {
	full   string   // canonical spelling
	words  []string // folded, without suffix and nickname
	ends   []string // ends[i] joins words[i:]
	suffix string
	nick   string
}

func (q person) whole() string { return q.ends[0] }

type cached struct {
	name  string
	match NameMatch
}

// Add adds a full name, unless another spelling of the same letters is on the roster, and reports
// whether it was added.
func (r *Roster) Add(full string) bool {
	p := newPerson(strings.Join(strings.Fields(full), " "))
	if len(p.words) == 0 || slices.ContainsFunc(r.people, func(q person) bool {
		return q.whole() == p.whole() && q.suffix == p.suffix
	}) {
		return false
	}
	r.people = append(r.people, p)
	r.cache = nil
	return true
}

// Names lists the people in the order of addition.
func (r *Roster) Names() []string {
	names := make([]string, len(r.people))
	for i, p := range r.people {
		names[i] = p.full
	}
	return names
}

func (r *Roster) Len() int { return len(r.people) }

// Resolve finds the member for a printed name without title: by full name, last name, or last name
// with an initial. If no member or several fit, it returns the printed name.
func (r *Roster) Resolve(printed string) (string, NameMatch) {
	if c, ok := r.cache[printed]; ok {
		return c.name, c.match
	}
	name, match := r.resolve(newPerson(printed))
	if !match.Found() {
		name = printed
	}
	if r.cache == nil {
		r.cache = map[string]cached{}
	}
	r.cache[printed] = cached{name, match}
	return name, match
}

func (r *Roster) resolve(p person) (string, NameMatch) {
	if len(p.words) == 0 {
		return "", MatchNone
	}
	for _, step := range []struct {
		match NameMatch
		fits  func(q person) bool
	}{
		{MatchFull, func(q person) bool { return q.whole() == p.whole() }},
		{MatchLast, func(q person) bool { return q.calledBy(p.whole()) }},
		{MatchGiven, func(q person) bool { return q.fits(p) }},
		{MatchMisspelt, func(q person) bool { return q.resembles(p) }},
	} {
		name, n := "", 0
		for _, q := range r.people {
			if (p.suffix == "" || p.suffix == q.suffix) && step.fits(q) {
				name, n = q.full, n+1
			}
		}
		if n == 1 {
			return name, step.match
		}
		if n > 1 {
			return "", MatchAmbiguous
		}
	}
	return "", MatchNone
}

// calledBy reports whether joined words are the person's last name, possibly with particles or a
// middle name.
func (q person) calledBy(word string) bool { return slices.Contains(q.ends[1:], word) }

// fits reports whether p ("J. Doe", "Paul D. Quist") can be q. The last names must be equal. The
// given name must match in full or as an initial, a short form or the nickname.
func (q person) fits(p person) bool {
	if len(p.words) < 2 {
		return false
	}
	for i := 1; i < len(p.words) && i <= 3; i++ {
		if !q.calledBy(p.ends[i]) {
			continue
		}
		if slices.ContainsFunc(p.words[1:i], q.calledBy) {
			continue // two members of one family, printed without a comma between them
		}
		given := p.words[0]
		if agrees(given, q.words[0]) || q.nick != "" && agrees(given, q.nick) ||
			p.nick != "" && agrees(p.nick, q.words[0]) {
			return true
		}
	}
	return false
}

func agrees(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || utf8.RuneCountInString(a) != 2 && strings.HasPrefix(b, a)
}

// resembles reports whether p is a misprint of q's last or full name.
func (q person) resembles(p person) bool {
	last := q.words[len(q.words)-1]
	if len(p.words) == 1 && len(q.words) > 1 {
		return near(p.whole(), last)
	}
	return len(p.words) > 1 && near(p.whole(), q.whole()) && near(p.words[len(p.words)-1], last)
}

func near(a, b string) bool {
	if len(a) < 5 || len(b) < 5 || a[0] != b[0] {
		return a == b
	}
	return EditDistance(a, b) <= 1+len(b)/9
}

func newPerson(full string) person {
	p := person{full: full}
	rest := full
	for _, q := range [][2]string{{"“", "”"}, {"\"", "\""}, {"(", ")"}} {
		before, quoted, opens := strings.Cut(rest, q[0])
		if nick, after, closes := strings.Cut(quoted, q[1]); opens && closes {
			p.nick, rest = FoldName(nick), before+" "+after
		}
	}
	p.words = strings.Fields(FoldName(rest))
	for len(p.words) > 1 && isSuffix(p.words[len(p.words)-1]) {
		p.suffix = p.words[len(p.words)-1]
		p.words = p.words[:len(p.words)-1]
	}
	for i := range p.words {
		p.ends = append(p.ends, strings.Join(p.words[i:], ""))
	}
	return p
}
