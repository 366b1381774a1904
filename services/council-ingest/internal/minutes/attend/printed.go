package attend

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

const (
	maxPrinted = 6_000 // lines that are searched for full names
	maxOffice  = 40    // bytes of an office behind a name
)

var (
	// inParentheses matches a list: parentheses: "(Council: Ana Huber, Bo Morgan and Cy Ory.)"
	inParentheses = regexp.MustCompile(`\(([^()]{20,900})\)`)
	// behindName matches an office behind a name: "Ana Huber, Chair", also below a signature
	behindName = words.Regexp(`(?:^|[_.;:]|\s)\s*(\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){1,4})(?:, | \()` +
		`(?:(\p{Lu}[\p{L} -]{2,40}?)(?:\)|[;.,]|   |\s*$)|({District} (?:\d{1,2}|[A-Z]|[IVX]+)\b))`)
)

// printed collects the full names that the document prints with an office of the body, and those in a
// list of full names in parentheses. Staff, guests and those who hold an office elsewhere are not
// among them.
func (r *reader) printed() (names []string) {
	add := func(name string) {
		if len(names) < maxPeople && !isShort(name) && wholeNames(name) < 4 { // four can be two people
			names = append(names, name)
		}
	}
	var parts []string
	for i, seen := 0, 0; i <= len(r.lines) && seen < maxPrinted; i++ {
		if i < len(r.lines) && r.lines[i].Text != "" && len(parts) < maxBlock {
			parts = append(parts, r.lines[i].Text)
			seen++
			for _, m := range behindName.FindAllStringSubmatch(r.lines[i].Text, 8) {
				if (m[3] != "" || r.ofBody(m[2])) && r.w.IsName(m[1]) {
					add(m[1])
				}
			}
			continue
		}
		text := person.Join(parts)
		for _, m := range inParentheses.FindAllStringSubmatch(text, 20) {
			for _, name := range r.fullNames(m[1]) {
				add(name)
			}
		}
		r.behindOffice(text, add)
		parts = parts[:0]
	}
	return names
}

// fullNames reads a list of at least three full names, perhaps with a label, or nil.
func (r *reader) fullNames(text string) (names []string) {
	if label, rest, found := strings.Cut(text, ":"); found {
		if s, ok := r.classify(label, 1); !ok || s == other {
			return nil
		}
		text = rest
	}
	l := r.w.List(strings.TrimRight(strings.TrimSpace(text), "."), nil)
	if len(l.Names) < 3 || !l.Whole() || l.Tail != "" {
		return nil
	}
	for _, n := range l.Names {
		if isShort(n.Text) || r.isStaff(n.Office) {
			return nil
		}
		names = append(names, n.Text)
	}
	return names
}

// behindOffice finds full names behind an office: "Chairman Dale Hostetler called the meeting …".
func (r *reader) behindOffice(text string, add func(string)) {
	words := strings.Fields(text)
	for i := 0; i+2 < len(words); i++ {
		if !r.ofBody(words[i]) || i > 0 && ofOthers(words[i-1]) {
			continue
		}
		var name []string
		for _, word := range words[i+1 : min(i+5, len(words))] {
			bare := strings.TrimRight(word, ",;:)”\"")
			if first, _ := utf8.DecodeRuneInString(bare); !unicode.IsUpper(first) {
				break
			}
			if utf8.RuneCountInString(bare) > 2 {
				bare = strings.TrimSuffix(bare, ".")
			}
			name = append(name, strings.TrimSuffix(strings.TrimSuffix(bare, "'s"), "’s"))
			if bare != word {
				break
			}
		}
		for n := len(name); n > 1; n-- {
			full := strings.Join(name[:n], " ")
			if _, rest := r.w.CutOffice(words[i] + " " + full); rest != full {
				break // Mayor Pro Tem Doe
			}
			if r.w.IsName(full) && !(isAllCaps(words[i]) && isAllCaps(full) && !lowerAt(words, i+1+n)) {
				add(full) // but not out of the heading "COUNCILMEMBER DOE REQUEST – FEES"
				break
			}
		}
	}
}

// lowerAt reports whether a word begins with a small letter.
func lowerAt(words []string, i int) bool {
	if i >= len(words) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[i])
	return unicode.IsLower(first)
}

// ofBody reports whether an office is that of one member.
func (r *reader) ofBody(office string) bool {
	if len(office) > maxOffice || !r.w.IsOffice(office) || r.isStaff(office) {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(office), func(c rune) bool { return !unicode.IsLetter(c) }) {
		switch word {
		case "members", "director", "directors", "representative", "delegate", "senator", "judge", "justice", "governor",
			"leader", "sheriff", "marshal", "clerk", "secretary", "treasurer", "chief", "principal", "legislator",
			"county", "state", "former":
			return false
		}
	}
	return true
}

// ofOthers reports whether the word before an office says that it is one of another body or time.
func ofOthers(word string) bool {
	switch strings.ToLower(strings.Trim(word, ".,;:()")) {
	case "former", "past", "ex", "retired", "late", "county", "state", "district", "regional", "provincial", "school",
		"congressional", "federal", "u.s", "us", "parish", "previous", "student", "honorary", "association", "club":
		return true
	}
	return false
}

// complete replaces last names, and last names with initials, by the full names of the cover and of
// the rest of the document, where only one fits. Where the list was not read whole, the cover gets
// the full names of those whom it lacks.
func (r *reader) complete() {
	if r.Whole && !slices.ContainsFunc(r.Attendance, func(a record.Attendee) bool { return isShort(a.Name) }) {
		return
	}
	full := slices.Concat(r.Cover, r.printed())
	attends := map[string]bool{}
	for i := range r.Attendance {
		a := &r.Attendance[i]
		if name := fullOf(a.Name, full); name != "" {
			a.Name = name
		}
		attends[council.FoldName(council.LastName(a.Name))] = true
	}
	for _, name := range full {
		last := council.LastName(name)
		if r.Whole || attends[council.FoldName(last)] || fullOf(last, full) != name || len(r.Cover) >= maxPeople {
			continue
		}
		attends[council.FoldName(last)] = true
		r.Cover = append(r.Cover, name)
	}
}

// wholeNames returns the number of words of a name that are no initials.
func wholeNames(name string) (n int) {
	for word := range strings.FieldsSeq(name) {
		if utf8.RuneCountInString(strings.ReplaceAll(word, ".", "")) > 2 {
			n++
		}
	}
	return n
}

// fullOf returns the full name of somebody who is printed with the last name, perhaps with initials,
// or "" if none or several fit.
func fullOf(printed string, names []string) string {
	if !isShort(printed) {
		return ""
	}
	last, found := council.FoldName(council.LastName(printed)), ""
	first := ""
	if strings.Contains(printed, " ") {
		first = council.FoldName(printed)[:1]
	}
	for _, name := range names {
		given := council.FoldName(name)
		if council.FoldName(council.LastName(name)) != last || isShort(name) || !strings.HasPrefix(given, first) {
			continue
		}
		if given, _, _ = strings.Cut(given, " "); found != "" && given != firstWord(council.FoldName(found)) {
			return ""
		}
		if found == "" {
			found = name
		}
	}
	return found
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// isShort reports whether a name lacks a given name: "Huber", "A. Huber", "JD Huber".
func isShort(name string) bool {
	words := strings.Fields(name)
	for _, word := range words[:max(len(words)-1, 0)] {
		if n := utf8.RuneCountInString(strings.ReplaceAll(word, ".", "")); n > 1 && word != strings.ToUpper(word) || n > 3 {
			return false
		}
	}
	return true
}
