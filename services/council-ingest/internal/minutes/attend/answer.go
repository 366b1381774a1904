package attend

import (
	"regexp"
	"strings"
)

// answer is a member with what the member answered to the roll call: "Mr. Doe, present;".
var answer = regexp.MustCompile(`^[\s,;.&]*(?:and )?([\p{Lu}][^,;:()–-]{1,40}?)\s*(?:,|:|-|–)\s*` +
	`(?i:(present|absent|here|excused))\b\s*(?:\([^)]{0,60}\))?`)

// answers reads a roll call of attendance with an answer behind each name, which stands at the
// beginning of a text or behind a label. It reports whether the text has one.
func (r *reader) answers(text string, at int) bool {
	for from, n := 0, 0; n < 6; n++ {
		if rest, ok := r.answered(text[from:], at); ok {
			r.prose(text[:from], at)
			r.listed = true
			r.prose(rest, at)
			return true
		}
		i := strings.IndexByte(text[from:], ':')
		if i < 0 {
			return false
		}
		from += i + 1
	}
	return false
}

// answered reads the members at the beginning of a text, each with an answer, and returns the text
// after them. It reads nothing if there are fewer than three.
func (r *reader) answered(text string, at int) (rest string, ok bool) {
	for _, head := range []string{"roll call", "attendance", "members present", "present"} {
		if len(text) > len(head) && strings.EqualFold(text[:len(head)], head) {
			text = strings.TrimLeft(text[len(head):], " :–-")
		}
	}
	type reply struct{ name, word string }
	var found []reply
	for rest = text; len(found) < maxPeople; {
		m := answer.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		found, rest = append(found, reply{m[1], strings.ToLower(m[2])}), rest[len(m[0]):]
	}
	if len(found) < 3 {
		return "", false
	}
	for _, one := range found {
		kind := present
		switch one.word {
		case "absent":
			kind = absent
		case "excused":
			kind = excused
		}
		l := r.w.List(one.name, &r.people)
		if len(l.Names) != 1 || !l.Whole() || l.Names[0].Text == "" {
			r.Whole = false
			r.problem(r.lines[at].Page, "attendance row "+one.name+" was not read")
			continue
		}
		r.add(l.Names[0], kind, at)
	}
	return strings.TrimLeft(rest, " ,;."), true
}
