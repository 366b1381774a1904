// Package person reads the names of people in minutes: it separates a name from the office, the
// district and the remark next to it, splits lists of names, and decides which text can be a name
// at all. Resolve finds the member whom a printed name or an office means.
//
// It reads one list at a time and has no memory. The words of offices and of what is no name are
// data (words.go); council.yaml adds the offices of one town. A text that cannot be a name is never
// returned as one, but as a part that was not read, so that a caller can report it.
package person

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

// Words has the words of offices and the words that no name has. It is immutable.
type Words struct {
	kinds   map[string]kind
	phrases map[string]kind
	long    []string // offices whose misprints are recognised too
}

// kind is a set of meanings of a word.
type kind uint16

const (
	honorific kind = 1 << iota
	member         // an office that stands before a name
	chief          // another office
	modifier       // part of an office, next to one
	link           // joins the words of an office
	surname        // an office that is a last name, too
	suffix
	particle
	month
	weekday
	never // no name has the word
	lone  // no name consists of the word alone
	nobodyPhrase
	everyonePhrase

	office = member | chief
	title  = office | modifier | honorific
)

// NewWords returns the built-in words and the offices of one town. An office of several words adds
// each of them.
func NewWords(offices ...string) *Words {
	w := &Words{kinds: map[string]kind{}, phrases: map[string]kind{}}
	for _, row := range kindRows {
		for _, word := range row.words.Words() {
			w.kinds[word] |= row.kind
		}
	}
	for word := range strings.FieldsSeq(fold(strings.Join(offices, " "))) {
		w.kinds[word] |= chief
	}
	for word, kinds := range w.kinds {
		if kinds&office != 0 && len(word) >= 8 {
			w.long = append(w.long, word)
		}
	}
	for _, phrase := range nobody.Words() {
		w.phrases[phrase] |= nobodyPhrase
	}
	for _, phrase := range everyone.Words() {
		w.phrases[phrase] |= everyonePhrase
	}
	return w
}

// fold normalizes a word or phrase for lookup: lower case, no accents, blanks for punctuation
// within.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '\'' || r == '’' || r == '/' {
			return ' '
		}
		return r
	}, s)
	return council.FoldName(s)
}

// key normalizes a word for lookup. The parts of "vice-chair" stay together.
func key(word string) string { return council.FoldName(strings.Trim(word, `.,:;()"“”`)) }

// of returns the meanings of a word.
func (w *Words) of(word string) kind {
	if len(word) > 40 || initials.Is(word) {
		return 0
	}
	k := key(word)
	if kinds, ok := w.kinds[k]; ok {
		return kinds
	}
	for _, cut := range []string{strings.TrimPrefix(word, "d'"), strings.TrimPrefix(word, "d’"),
		strings.TrimSuffix(word, "'s"),
		strings.TrimSuffix(word, "’s")} {
		if cut != word { // conseiller d'arrondissement, Selectmen's Representative
			return w.kinds[key(cut)] & (office | modifier)
		}
	}
	if n := strings.TrimLeft(k, "0123456789"); n != k && ordinalEnding.Is(n) {
		return modifier // 2nd Vice-Chair
	}
	// "vice-chair", "Mayor/President", "Councilmember-elect": every part is part of an office
	all := kind(0)
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '/' || r == '–' }) {
		if part == word {
			return 0
		}
		kinds := w.kinds[key(part)]
		if kinds&(office|modifier) == 0 {
			return 0
		}
		all |= kinds & (office | modifier)
	}
	return all
}

// IsNobody reports whether text stands for no names: "None", "-0-", "NO ONE", "—".
func (w *Words) IsNobody(text string) bool {
	s := strings.Trim(text, " .,;:-–—_()[]*")
	if s == "" {
		return true
	}
	if len(s) > 60 {
		return false
	}
	return w.phrases[council.FoldName(s)]&nobodyPhrase != 0 || w.phrases[fold(s)]&nobodyPhrase != 0 ||
		nobody.Is(strings.ToLower(s))
}

// IsEveryone reports whether text stands for everyone who is present: "All", "Unanimous", "All
// Councilmembers present".
func (w *Words) IsEveryone(text string) bool {
	s := strings.Trim(text, " .,;:-–—()[]*")
	if len(s) > 80 {
		return false
	}
	f := fold(s)
	if w.phrases[f]&everyonePhrase != 0 {
		return true
	}
	// "All five Councilmembers present": nothing but all, numbers, offices and present
	words := strings.Fields(f)
	if len(words) < 2 || !allOf.Is(words[0]) {
		return false
	}
	offices := 0
	for _, word := range words[1:] {
		switch {
		case w.kinds[word]&office != 0:
			offices++
		case w.kinds[word]&(modifier|link) != 0 || whoAreAll.Is(word):
		case number(word) >= 0:
		default:
			return false
		}
	}
	return offices > 0
}

// IsHonorific reports whether a word stands before a name without being an office: "Dr.".
func (w *Words) IsHonorific(word string) bool { return w.of(word)&(honorific|office) == honorific }

// IsOfficeWord reports whether a word is part of an office, or an honorific.
func (w *Words) IsOfficeWord(word string) bool { return w.of(word)&title != 0 }

// IsParticle reports whether a word is a part of a name in lower case: "van", "de".
func (w *Words) IsParticle(word string) bool { return !isCapital(word) && w.of(word)&particle != 0 }

// IsLikeOffice reports whether a word is part of an office, even if it is misspelt ("COUCILLOR").
func (w *Words) IsLikeOffice(word string) bool {
	k := key(word)
	return w.IsOfficeWord(word) || len(k) >= 7 && slices.ContainsFunc(w.long, func(office string) bool {
		return council.EditDistance(k, office) <= 2
	})
}

// glued matches two capitalized words without a blank between them.
var glued = regexp.MustCompile(`\b(\p{Lu}\p{Ll}{3,})(\p{Lu}\p{Ll}+)`)

// Apart puts the blank that a scan lost within or behind an office: "CityManager", "MayorDoe".
func (w *Words) Apart(text string) string {
	return glued.ReplaceAllStringFunc(text, func(match string) string {
		m := glued.FindStringSubmatch(match)
		if kinds := w.of(m[1]); kinds&office == 0 && (kinds&modifier == 0 || w.of(m[2])&office == 0) {
			return match
		}
		return m[1] + " " + m[2]
	})
}

// IsOffice reports whether the whole text is an office: "Mayor Pro Tem", "Trustee, Ward 2", "Board
// Chair & Director".
func (w *Words) IsOffice(text string) bool {
	if len(text) > 120 {
		return false
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '&' })
	offices := 0
	for i, word := range words {
		kinds := w.of(word)
		switch {
		case kinds&office != 0:
			offices++
		case kinds&modifier != 0 || strings.Trim(word, "-–") == "":
		case kinds&link != 0 && i > 0:
		case i > 0 && isPlace(word) && w.of(words[i-1])&(modifier|office|link) != 0: // Ward 3, District C, Seat IV
		default:
			return false
		}
	}
	return offices > 0
}

// isPlace reports whether a word is the number or letter of a district.
func isPlace(word string) bool {
	s := strings.Trim(word, "().#")
	if placeInWords.Is(strings.ToLower(s)) {
		return true
	}
	if s == "" || len(s) > 4 {
		return false
	}
	if len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' {
		return true
	}
	return strings.Trim(s, "0123456789") == "" || strings.Trim(s, "IVX") == ""
}

// CutOffice separates the office and honorifics before a name from the name: "Vice Mayor Vance",
// "Ward 3 Council Member Brandt", "Hon. Odile Brandt". A text that is only an office has no name.
func (w *Words) CutOffice(text string) (office, name string) {
	words := strings.Fields(text)
	if len(words) == 0 || len(text) > maxText {
		return "", text
	}
	if len(words) > 2 && words[0] == "M." && isArticle(words[1]) && w.of(words[2])&title != 0 {
		words = words[1:] // M. le maire
	}
	if len(words) > 1 && isArticle(words[0]) && w.of(words[1])&title != 0 {
		words = words[1:]
	}
	end := w.officeEnd(words)
	if end == len(words) {
		if from := w.surnameAt(words); from > 0 {
			return strings.Join(words[:from], " "), strings.Join(words[from:], " ")
		}
		return strings.Join(words, " "), ""
	}
	return strings.TrimRight(strings.Join(words[:end], " "), ","), strings.Join(words[end:], " ")
}

// surnameAt returns where the name begins in words that are all those of offices, "Councilmember Reeve", "Mayor A.
// Reeve", or 0.
func (w *Words) surnameAt(words []string) int {
	last := len(words) - 1
	if last > 1 && isInitial(words[last-1]) {
		last--
	}
	if last < 1 || w.of(words[len(words)-1])&surname == 0 {
		return 0
	}
	switch kinds := w.of(words[last-1]); {
	case kinds&(member|honorific) != 0 && kinds&modifier == 0:
		return last
	case surnameBehind.Is(key(words[last-1])):
		return last
	}
	return 0
}

// officeEnd returns the number of words of the office at the beginning.
func (w *Words) officeEnd(words []string) int {
	end, offices := 0, 0
	for i, word := range words {
		kinds := w.of(word)
		switch {
		case kinds&(member|chief) != 0:
			// A full stop or a following suffix shows a name: "Judge, Jr."
			offices++
			end = i + 1
		case givenToo.Is(word) && i+2 == len(words) && w.of(words[i+1])&title == 0:
			return end // Don Huber, whose name is Donald
		case kinds&honorific != 0 && (i == 0 || end == i):
			offices++
			end = i + 1
		case kinds&(modifier|link) != 0:
			if offices > 0 && end == i && kinds&modifier != 0 && isAfter(word) {
				end = i + 1 // Pro Tem
			}
		case i > 0 && isPlace(word) && w.beginsSeat(words[i-1]) && !strings.HasSuffix(word, "."):
			if offices > 0 && i+1 < len(words) {
				end = i + 1 // Councilmember Ward 3 Brandt
			}
		default:
			return end
		}
	}
	if offices > 0 && w.IsOffice(strings.Join(words, " ")) {
		return len(words)
	}
	return end
}

// beginsSeat reports whether the number of a district can follow a word: "District 3", "of 3". The capital of
// "Councillors A R Doe" is no link.
func (w *Words) beginsSeat(word string) bool {
	kinds := w.of(word)
	return kinds&modifier != 0 || kinds&link != 0 && !isCapital(word)
}

func isArticle(word string) bool { return article.Is(strings.ToLower(word)) }

// isAfter reports whether a modifier can stand behind its office: Mayor Pro Tem, Member At-Large.
func isAfter(word string) bool { return behindOffice.Is(key(word)) }

// cutTrailing separates a name of at least two words from the office after it: "Tom Piper Mayor".
func (w *Words) cutTrailing(text string) (name, office string) {
	words := strings.Fields(text)
	for n := 2; n < len(words); n++ {
		if w.of(words[n])&title != 0 && w.of(words[n])&(suffix|particle) == 0 && w.IsOffice(strings.Join(words[n:], " ")) {
			return strings.TrimRight(strings.Join(words[:n], " "), ","), strings.Join(words[n:], " ")
		}
	}
	return text, ""
}

// IsName reports whether text has the form of a person's name without an office: capitalised words
// without digits, of which none is a word of minutes, and which are more than a month or an office.
func (w *Words) IsName(text string) bool { return w.hasForm(text, false) }

// hasForm is IsName. A name that stands behind an office may be a word that is no name by itself.
func (w *Words) hasForm(text string, behindOffice bool) bool {
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 7 || len(text) > maxName || w.IsOffice(text) && !behindOffice {
		return false
	}
	full, weak := 0, 0
	for i, word := range words {
		kinds := w.of(word)
		bare := strings.Trim(word, `"“”`)
		if i+1 < len(words) && w.of(words[i+1])&suffix != 0 {
			bare = strings.TrimSuffix(bare, ",") // King, Jr.
		}
		switch {
		case bare == "" || strings.ContainsFunc(bare, isOdd):
			return false
		case i > 0 && kinds&suffix != 0:
		case isInitial(bare):
		case kinds&particle != 0 && len(words) > 1 && (i < len(words)-1 || full > 0) && kinds&never == 0:
			if i == len(words)-1 && (!isCapital(bare) || i > 0 && len(bare) > 1 && bare == strings.ToUpper(bare) &&
				words[0] != strings.ToUpper(words[0])) {
				return false // it ends in "van"
			}
			if isCapital(bare) {
				full++
			}
		case kinds&(never|weekday|suffix) != 0:
			return false
		case kinds&office != 0 && kinds&(surname|honorific) == 0 && len(words) > 1:
			return false // Shire President
		case !isNameWord(bare), w.hasOffice(bare):
			return false
		default:
			full++
			if kinds&(month|lone) != 0 {
				weak++
			}
		}
	}
	if full == 0 || weak == full && !behindOffice && !(full > 1 && weak < len(words)) {
		return false
	}
	return true
}

// hasOffice reports whether a part of a word with hyphens is an office or a vote: "Treasurer-Elect",
// "Doe-yes".
func (w *Words) hasOffice(word string) bool {
	last := word[strings.LastIndexByte(word, '-')+1:]
	if last != word && (len(last) == 1 || last == strings.ToLower(last) && w.kinds[key(last)]&never != 0) {
		return true // Doe-yes, Doe-P
	}
	for part := range strings.SplitSeq(word, "-") {
		if part != word && w.kinds[key(part)]&(member|chief) != 0 && w.kinds[key(part)]&surname == 0 {
			return true
		}
	}
	return false
}

// IsSuffix reports whether a word is a suffix such as "Jr."
func IsSuffix(word string) bool {
	return suffixes.Is(fold(strings.Trim(word, ".")))
}

// isInitial reports whether a word is an initial: "J", "J.", "J.R."
func isInitial(word string) bool {
	letters := 0
	for _, r := range word {
		if unicode.IsUpper(r) {
			letters++
		} else if r != '.' && r != '-' {
			return false
		}
	}
	return letters == 1 && !strings.Contains(word, "-") || letters == 2 && strings.Count(word, ".") >= 1 && len(word) <= 6
}

func isCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// isOdd reports whether no name has the character.
func isOdd(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !strings.ContainsRune(".'’‘‟ʻ-‐`´", r)
}

// isNameWord reports whether a word can be a given name or a last name.
func isNameWord(word string) bool {
	letters := 0
	upper := 0
	last := ' '
	for _, r := range word {
		switch {
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		case r == '\'' || r == '’' || r == '‘' || r == '‟' || r == 'ʻ' || r == '-' || r == '‐' || r == '`' || r == '´':
			if last == ' ' && r == '-' || last == '-' && r == '-' {
				return false
			}
		}
		last = r
	}
	// A dangling hyphen is half of a word; a full stop inside belongs to an abbreviation.
	if letters < 2 || upper == 0 || last == '-' || last == '‐' || strings.Contains(strings.TrimRight(word, "."), ".") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "'’‘ʻ"))
	if unicode.IsUpper(first) {
		return true
	}
	// d'Arcy, l'Heureux, al-Amin
	before, after, found := strings.Cut(strings.NewReplacer("’", "'", "-", "'").Replace(word), "'")
	return found && len(before) <= 3 && isCapital(after)
}
