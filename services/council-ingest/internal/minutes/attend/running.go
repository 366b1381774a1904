package attend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// running reads a list that runs on over lines, and the sentences after it.
func (r *reader) running(i int, l label, lines []value, end int) int {
	if l.alone && !l.colon && l.status == other {
		return i
	}
	var parts []string
	for n, v := range lines {
		if n > 0 && v.line > lines[n-1].line+1 && !continues(lines[n-1].text, v.text) {
			end = lines[n-1].line + 1
			break
		}
		if _, _, ok := r.cutLead(v.text); ok && l.status == cover && n > 0 {
			end = v.line // City Clerk: Jo Poe
			break
		}
		if n > 0 && r.isOver(parts, v.text) {
			end = v.line
			break
		}
		parts = append(parts, v.text)
	}
	text := r.joinRows(parts)
	if len(lines) > 0 && counted(lines[0].text) > 0 && l.status != other {
		text, end = r.takeCounted(lines)
	}
	if l.status == cover {
		names := r.w.List(seatBefore.ReplaceAllString(text, "$1"), nil)
		for _, n := range names.Names {
			if strings.Contains(n.Text, " ") {
				r.Cover = append(r.Cover, n.Text)
			}
		}
		return end
	}
	if l.status == other {
		_, tail := r.w.CutSentence(text)
		r.prose(tail, i)
		return max(end, i+1)
	}
	if !r.list(text, l.status, i) {
		if l.status == present && l.colon && !r.listed && text != "" {
			r.Whole = false
		}
		return i
	}
	r.keep(i, end)
	return end
}

// joinRows joins the lines of a list, with a comma between two full names that only the end of a line separates.
func (r *reader) joinRows(parts []string) string {
	parts = slices.Clone(parts)
	for i := 0; i+1 < len(parts) && r.english; i++ {
		above := parts[i][strings.LastIndexAny(parts[i], ",;:")+1:]
		below := parts[i+1]
		if k := strings.IndexAny(below, ",;"); k >= 0 {
			below = below[:k]
		}
		if strings.Contains(parts[i], ",") && r.w.AreTwo(strings.TrimSpace(above), below) {
			parts[i] += ","
		}
	}
	return person.Join(parts)
}

// isOver reports whether a list ends before a line: it is whole, and would not be with the line.
func (r *reader) isOver(parts []string, text string) bool {
	l := r.w.List(person.Join(parts), &r.people)
	if l.Tail != "" || !l.Whole() || len(l.Names) == 0 && !l.Nobody {
		return false
	}
	more := r.w.List(person.Join(append(parts[:len(parts):len(parts)], text)), &r.people)
	return len(more.Rest) > 0 && !r.isBroken(l, text)
}

// isBroken reports whether the last name of a list goes on in the next line: "Ana Huber, Bo" above
// "Morgan; Clerk Jo Poe". The other names of the list have given names.
func (r *reader) isBroken(l person.List, text string) bool {
	if len(l.Names) < 2 {
		return false
	}
	last := l.Names[len(l.Names)-1].Text
	if last == "" || strings.Contains(last, " ") || !strings.Contains(l.Names[len(l.Names)-2].Text, " ") {
		return false
	}
	text, _, _ = strings.Cut(text, " and ")
	if i := strings.IndexAny(text, ",;."); i >= 0 {
		text = text[:i]
	}
	return len(strings.Fields(text)) < 3 && r.w.IsName(last+" "+text)
}

var (
	wasPresent = words.Regexp(`(?i)(?:,|\s[–—-])?\s+{was present}?\s*{present or away}(?: {at} (?:{the} )?(?:{roll call}|{meeting}))?$`)
	seatBefore = words.Regexp(`(?i)(^|[;,] ){district} \d{1,2} ?[-–:] ?`)
	// ofOne matches a remark about somebody of a list: "Doe, arrived at 6:20 p.m., Roe"
	ofOne      = words.Regexp(`, ({remark of one}\b[^,;()\p{Lu}]*(?:[AP]\.?M\.?)?)([,;]|$)`)
	inTheChair = words.Regexp(`(?i)(?:,| [-–—])? \(?{in the chair}\)?`)
	quorumTail = words.Regexp(`(?i),? (?:{forming} (?:{a or the} )?{quorum}|(?:{and} )?{sitting} {under the presidency}).*$`)
	// aswell matches what stands between the members and the others, and an office with a comma behind it
	aswell = words.Regexp(`(?i)(?:,? {as well as} |^)((?:l[ae]s? )?{maire or member}),? `)
	leadIn = words.Regexp(`(?i)^(?:{the} )?{present heading} {heading verb}:? `)
	// whoFollow matches an office in the plural before its names: "le maire Doe et les conseillers suivants : Roe"
	whoFollow  = words.Regexp(`(?i)({plural members}),? {who follow} ?:`)
	afterLabel = regexp.MustCompile(`:| [–—-] |[–—] `)
	onlookers  = words.Regexp(`(?i)\b{onlookers}\b`)
	trailing   = regexp.MustCompile(`[,;] ?(\d{1,2})$`)
	byRemote   = words.Regexp(`(?i)^(.+?) {from afar}.*$`)
)

// list reads a running list with a status, up to the next label within it, and then the text after
// its sentence. It returns false if the text is no list of people.
func (r *reader) list(text string, s status, at int) bool {
	if head, rest, found := strings.Cut(text, ":"); found && len(head) < 40 && r.w.IsOffice(head) {
		text = head + rest // Councillors: Doe, Roe
	}
	if name, ok := r.turnedName(strings.TrimRight(text, ". ")); ok && r.turned {
		text = name
	}
	rows := strings.Split(strings.TrimRight(text, ".; "), ";")
	r.turned = r.turned || len(rows) > 2 && !slices.ContainsFunc(rows, func(row string) bool {
		_, ok := r.turnedName(row)
		return !ok
	})
	if names := strings.Split(text, " - "); len(names) > 3 && !slices.ContainsFunc(names, func(name string) bool {
		name, _, _ = strings.Cut(name, " (")
		return !r.w.IsName(strings.Trim(name, " ."))
	}) {
		text = strings.Join(names, ", ") // Ana Roy - Luc Roux - Eva Poe - Jean Lam
	}
	text = whoFollow.ReplaceAllString(withoutNumbers(text), "$1 ")
	text = aswell.ReplaceAllString(text, ", $1 ")
	text, below, next := r.cutGroup(text, s)
	sentence, tail := r.w.CutSentence(text)
	sentence = strings.TrimRight(sentence, " ,;")
	if lexicon.EndsSentence(sentence) {
		sentence = strings.TrimSuffix(sentence, ".")
	}
	if m := excuse.FindStringSubmatch(sentence); m != nil {
		sentence = m[1]
	}
	sentence = leadIn.ReplaceAllString(sentence, "")
	if m := quorumTail.FindString(sentence); m != "" {
		r.findChair(m)
		sentence = strings.TrimSuffix(sentence, m)
	}
	sentence = inTheChair.ReplaceAllString(wasPresent.ReplaceAllString(sentence, ""), "")
	count := -1
	if m := trailing.FindStringSubmatch(sentence); m != nil {
		count, sentence = lexicon.Atoi(m[1]), strings.TrimSuffix(sentence, m[0])
	}
	sentence = ofOne.ReplaceAllString(seatBefore.ReplaceAllString(sentence, "$1"), " ($1)$2")
	l := r.w.List(strings.TrimLeft(sentence, "|•*–— "), &r.people)
	if l.Count >= 0 {
		count = l.Count
	}
	ok := l.Nobody
	if len(l.Names) > 0 && len(l.Rest) < len(l.Names) {
		ok = true
		r.names(l, s, count, at)
		if s == present || s == remote {
			r.listed, r.told = true, at
		}
	}
	if tail != "" {
		r.prose(tail, at)
	}
	if below != "" && next != other && next != cover {
		ok = r.list(below, next, at) || ok
	} else if below != "" {
		_, tail := r.w.CutSentence(below)
		r.prose(tail, at)
	}
	return ok
}

// names adds the names of a list. An office behind a comma belongs to the name before it.
func (r *reader) names(l person.List, s status, count, at int) {
	var people []listed
	for _, n := range l.Names {
		if n.Text == "" {
			if len(people) > 0 && r.titleOf(people[len(people)-1].Office) == "" &&
				!strings.HasPrefix(strings.ToLower(n.Office), "non") {
				people[len(people)-1].Office = n.Office
				people[len(people)-1].Note = strings.TrimSpace(people[len(people)-1].Note + " " + n.Note)
			}
			continue
		}
		people = append(people, listed{n, at})
	}
	named := r.admit(people, s, r.ofMembers)
	unread := slices.DeleteFunc(slices.Clone(l.Rest), func(part string) bool {
		head, _, _ := strings.Cut(part, ":")
		return r.isStaff(head) || onlookers.MatchString(part) // Director of Works Jo Poe, 3 members of the public
	})
	if len(unread) > 0 || l.Open {
		r.Whole = false
		r.problem(r.lines[at].Page, "attendance list was not read whole: "+council.Clip(strings.Join(unread, ", "), 120))
	}
	if count >= 0 && count != named {
		r.Whole = false
		r.problem(r.lines[at].Page, fmt.Sprintf("an attendance list says that it has %s, and names %d",
			council.Count(count, "name"), named))
	}
}

// cutLabel cuts a list before another label on the same line: "Present: Doe, Roe Absent: Poe".
func (r *reader) cutLabel(text string) (list, below string, s status) {
	for from := 0; from < len(text); {
		m := afterLabel.FindStringIndex(text[from:])
		if m == nil {
			break
		}
		end, dash := from+m[0], text[from+m[0]] != ':'
		from += m[1]
		if strings.Count(text[:end], "(") > strings.Count(text[:end], ")") {
			continue // Doe (on the phone at 7:05)
		}
		if at, s := r.lastLabel(text[:end]); at >= 0 && !(dash && (s == cover || s == other)) {
			return strings.TrimRight(text[:at], " ,;"), strings.TrimSpace(text[from:]), s
		}
	}
	return text, "", ""
}

// cutGroup is cutLabel. The members behind a semicolon have the status of those before it: "Mayor Doe; Council: Roe".
func (r *reader) cutGroup(text string, s status) (list, below string, next status) {
	list, below, next = r.cutLabel(text)
	if next == cover && s == present && strings.HasPrefix(strings.TrimSpace(text[len(list):]), ";") {
		next = present
	}
	return list, below, next
}

// lastLabel finds the longest label at the end of a text, and returns where it begins, or -1.
func (r *reader) lastLabel(text string) (at int, s status) {
	at = -1
	start := len(text)
	for range 9 {
		above := strings.TrimRight(text[:start], " ")
		j := strings.LastIndexByte(above, ' ')
		start = j + 1
		if kind, ok := r.classify(text[start:], 1); ok {
			at, s = start, kind
		}
		if above = strings.TrimRight(text[:start], " "); above == "" || strings.ContainsAny(above[len(above)-1:], ".;,:") {
			break
		}
	}
	return at, s
}

// counted returns the number before a list, as in "8 - Council Member Doe", or -1.
func counted(text string) int {
	if m := countBefore.FindStringSubmatch(text); m != nil {
		return lexicon.Atoi(m[1])
	}
	return -1
}

// takeCounted joins the lines of a list that counts its names, over blank lines, until it has them.
func (r *reader) takeCounted(lines []value) (text string, end int) {
	count := counted(lines[0].text)
	var parts []string
	for _, v := range lines {
		l := r.w.List(person.Join(append(parts[:len(parts):len(parts)], v.text)), &r.people)
		before := r.w.List(person.Join(parts), &r.people)
		if len(before.Names) == count && (before.Whole() && len(l.Rest) > 0 || v.line > end && !named.MatchString(v.text)) {
			break
		}
		parts, end = append(parts, v.text), v.line+1
	}
	return person.Join(parts), end
}
