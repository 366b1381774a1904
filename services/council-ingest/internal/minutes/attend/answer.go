package attend

import (
	"regexp"
	"strings"
)

// answer is a member with what the member answered to the roll call: "Mr. Doe, present;".
var answer = regexp.MustCompile(`(?i:\s*)([\p{Lu}][^,;:()–-]{1,40}?)\s*(?:,|:|-|–)\s*(?i:(present|absent|here|excused))\b\s*[,;.]?`)

// answers reads a roll call of attendance with an answer behind each name. It reports whether the
// text is one.
func (r *reader) answers(text string, at int) bool {
	if i := strings.IndexByte(text, ':'); i > 0 && i < 40 && isSection(text[:i]) {
		text = strings.TrimSpace(text[i+1:])
	}
	for _, head := range []string{"roll call", "attendance", "members present", "present"} {
		if len(text) > len(head) && strings.EqualFold(text[:len(head)], head) {
			text = strings.TrimLeft(text[len(head):], " :–-")
		}
	}
	found := answer.FindAllStringSubmatchIndex(text, maxPeople)
	if len(found) < 3 {
		return false
	}
	end := 0
	for _, m := range found {
		if strings.Trim(text[end:m[0]], " ,;.&") != "" && strings.TrimSpace(text[end:m[0]]) != "and" {
			return false
		}
		end = m[1]
	}
	for _, m := range found {
		kind := present
		switch strings.ToLower(text[m[4]:m[5]]) {
		case "absent":
			kind = absent
		case "excused":
			kind = excused
		}
		l := r.w.List(text[m[2]:m[3]], &r.people)
		if len(l.Names) != 1 || !l.Whole() || l.Names[0].Text == "" {
			r.Whole = false
			r.problem(r.lines[at].Page, "attendance row "+text[m[2]:m[3]]+" was not read")
			continue
		}
		r.add(l.Names[0], kind, at)
	}
	r.listed = true
	r.prose(text[end:], at)
	return true
}
