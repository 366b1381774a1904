package decide

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// plausible drops a single word that is no member's name, where the members are known.
func (r *reader) plausible(n *person.Name) *person.Name {
	if n == nil || n.Office != "" || strings.Contains(n.Text, " ") || r.members.Len() < 3 || r.isMember(*n) || initials.MatchString(n.Text) {
		return n
	}
	return nil
}

func (r *reader) isMember(n person.Name) bool {
	_, match := r.resolve(n)
	return match <= council.MatchGiven
}

// resolve finds the member whom a printed name means. The initial of a given name decides between
// two members of one last name, even if it is the middle initial of the other.
func (r *reader) resolve(n person.Name) (string, council.NameMatch) {
	full, match := r.members.Resolve(n)
	words := strings.Fields(n.Text)
	if match == council.MatchNone && len(words) == 1 && r.members != nil {
		return r.byGiven(words[0], full)
	}
	if match != council.MatchAmbiguous || len(words) != 2 || !isInitialWord(words[0]) || r.members == nil {
		return full, match
	}
	found := ""
	for _, name := range r.members.Names() {
		if name[:1] == words[0][:1] && council.FoldName(council.LastName(name)) == council.FoldName(words[1]) {
			if found != "" {
				return full, match
			}
			found = name
		}
	}
	if found == "" {
		return full, match
	}
	return found, council.MatchGiven
}

// byGiven finds the only member with a given name: small towns print "Mark moved, Amy seconded".
func (r *reader) byGiven(given, full string) (string, council.NameMatch) {
	found := ""
	for _, name := range r.members.Names() {
		if first, _, more := strings.Cut(name, " "); more && council.FoldName(first) == council.FoldName(given) {
			if found != "" {
				return full, council.MatchNone
			}
			found = name
		}
	}
	if found == "" {
		return full, council.MatchNone
	}
	return found, council.MatchGiven
}

// nameAt reads the name at the beginning of a text.
func (r *reader) nameAt(t string) (n person.Name, length int, ok bool) {
	from := 0
	for from < len(t) && (t[from] == ' ' || t[from] == '\n') {
		from++
	}
	var ends []int
	for i := from; i < len(t) && len(ends) < 9; {
		j := i
		for j < len(t) && t[j] != ' ' && t[j] != '\n' && t[j] != '/' {
			j++
		}
		word := t[i:j]
		bare := strings.TrimRight(word, ".,;:)]")
		first, _ := utf8.DecodeRuneInString(bare)
		if bare == "" || !unicode.IsUpper(first) && !r.smallWord(bare, len(ends) == 0) {
			break
		}
		ends = append(ends, i+len(bare))
		stop := strings.ContainsAny(word[len(bare):], ",;:)]")
		if stop && strings.HasPrefix(strings.TrimLeft(t[min(j, len(t)):], " "), "Jr") && len(ends) < 8 {
			stop = false
		}
		if !stop && strings.HasSuffix(word, ".") && !isInitialWord(word) && !isInitialWord(bare) &&
			!strings.Contains(abbreviations, " "+strings.ToLower(bare)+" ") {
			stop = true
		}
		if stop || j < len(t) && t[j] == '/' {
			break
		}
		for j < len(t) && (t[j] == ' ' || t[j] == '\n') {
			j++
		}
		if gap := j - i - len(word); gap > 2 && len(ends) > 1 {
			break // another column
		}
		i = j
	}
	for k := len(ends) - 1; k >= 0; k-- {
		if n, ok := r.oneName(t[from:ends[k]]); ok {
			return n, ends[k], true
		}
	}
	return person.Name{}, 0, false
}

// smallWord reports whether a word in lower case can be part of an office or a name.
func (r *reader) smallWord(word string, first bool) bool {
	switch word {
	case "the", "la", "le", "el":
		return first
	case "de", "van", "von", "der", "den", "del", "du", "di", "da", "pro", "tem", "of":
		return !first
	}
	office, name := r.people.CutOffice(word)
	return office != "" && name == ""
}

// oneName reads a text that is exactly one person.
func (r *reader) oneName(text string) (person.Name, bool) {
	text = strings.Trim(strings.Join(strings.Fields(text), " "), " ,;:")
	l := r.list(text)
	if len(l.Names) != 1 || len(l.Rest) > 0 || l.Count >= 0 || l.Tail != "" || l.Open {
		return person.Name{}, false
	}
	if n := l.Names[0]; n.Text == "" && !chiefOffice.MatchString(n.Office) {
		return person.Name{}, false // "the Board", "members"
	}
	return l.Names[0], true
}

// chiefOffice matches an office that one person holds.
var chiefOffice = regexp.MustCompile(`(?i)\b(?:mayor|chair|chairman|chairwoman|chairperson|president|vice|reeve|warden|supervisor|moderator|maire|mairesse|alcalde|alcaldesa|` +
	`presidente|presidenta|treasurer|secretary)$|\bpro tem|^vice|^deputy`)

// nameBefore reads the name at the end of a text.
func (r *reader) nameBefore(t string) (person.Name, bool) {
	n, at := r.nameEnding(t)
	return n, at >= 0
}

// nameEnding reads the name at the end of a text, and returns where it begins, or -1.
func (r *reader) nameEnding(t string) (person.Name, int) {
	t = strings.TrimRight(t, " \n")
	var starts []int
	end := len(t)
	for i := len(t); i > 0 && len(starts) < 8; {
		j := strings.LastIndexAny(t[:i], " \n")
		word := t[j+1 : i]
		bare := strings.Trim(word, `"“”‘’(`)
		if len(starts) == 0 && strings.Contains(adverbs, " "+strings.ToLower(bare)+" ") {
			i = max(j, 0)
			end = i
			continue
		}
		if i < end && strings.ContainsAny(word[len(word)-1:], ".;:)]?!") && !isInitialWord(bare) &&
			!strings.Contains(abbreviations, " "+strings.ToLower(strings.TrimRight(bare, "."))+" ") || strings.HasSuffix(word, ",") && i < end &&
			!strings.HasPrefix(t[i:], " Jr") {
			break
		}
		first, _ := utf8.DecodeRuneInString(bare)
		if bare == "" || !unicode.IsUpper(first) && !r.smallWord(strings.Trim(bare, ".,"), j < 0 || true) {
			break
		}
		starts = append(starts, j+1)
		for j > 0 && (t[j-1] == ' ' || t[j-1] == '\n') {
			j--
		}
		i = max(j, 0)
		if strings.HasPrefix(word, "(") || strings.HasPrefix(word, "“") {
			break
		}
	}
	best, found, at := person.Name{}, 0, -1
	for _, from := range starts {
		n, ok := r.oneName(t[from:end])
		if !ok {
			continue
		}
		rank := 1
		if _, match := r.resolve(n); match <= council.MatchGiven {
			rank = 3
		} else if n.Office != "" {
			rank = 2
		}
		if rank >= found && (rank > 1 || len(strings.Fields(n.Text)) <= 3) {
			best, found, at = n, rank, from
		}
	}
	return best, at
}
