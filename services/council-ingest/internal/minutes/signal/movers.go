package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// ofTwo matches words before two members of whom the second seconds: "On motion of Doe and Roe, that".
var ofTwo = words.Regexp(`^{motion of}\s+|^{moved or resolved}:?\s+`)

// pairOf reads the seconder behind the mover: "On motion of Councillor Doe and Councillor Roe, that …".
func (r *Scanner) pairOf(text, f string, m *Motion) {
	loc := ofTwo.FindStringIndex(strings.TrimLeft(f, "0123456789/ "))
	if loc == nil || len(f) != len(text) {
		return
	}
	loc[1] += len(f) - len(strings.TrimLeft(f, "0123456789/ "))
	_, length, ok := r.nameAt(text[loc[1]:])
	if !ok {
		return
	}
	rest := strings.TrimLeft(text[min(loc[1]+length, len(text)):], " ,\n")
	if rest, ok = strings.CutPrefix(rest, "and "); !ok {
		return
	}
	n, length, ok := r.nameAt(rest)
	if rest = strings.TrimSpace(rest[min(length, len(rest)):]); ok && n.Text != "" && !strings.HasPrefix(rest, "and ") &&
		!strings.Contains(strings.ToLower(rest[:min(len(rest), 40)]), "second") {
		m.Seconder, m.Seconded = &n, true
	}
}

// secondBefore returns where "seconded by Roe" begins, if it stands between a mover and the verb, or
// 0.
func (r *Scanner) secondBefore(f string) int {
	locs := r.Words.SecondBy.FindAllStringIndex(f, 4)
	if len(locs) == 0 {
		return 0
	}
	last := locs[len(locs)-1]
	if len(f)-last[1] > 60 || last[0] < 3 || !strings.HasSuffix(strings.TrimRight(f[:last[0]], " "), ",") {
		return 0
	}
	return last[0]
}

// atClock matches the time of a motion to adjourn.
var atClock = words.Regexp(`^{at} \d`)

var byName = lexicon.Compile(`\b{by}\s+`)

// secondBelow reports whether the line below a sentence names who seconded its motion.
func (r *Scanner) secondBelow(p *Paragraph, s Span) bool {
	rest := strings.TrimSpace(p.Fold[p.Folded(s.To):])
	if rest == "" && p.Index+1 < len(r.Paras) {
		rest = r.Paras[p.Index+1].Fold
	}
	return secondNext.MatchString(rest)
}

// secondNext matches a line that begins with the seconder.
var secondNext = lexicon.Compile(`^[•*·-]? *{seconded}\b`)

// moverBy reads a mover who stands behind the motion: "Motion to approve the minutes by Trustee Doe,
// second by Trustee Roe", "… by Trustee Doe."
func (r *Scanner) moverBy(p *Paragraph, s Span, f string, base int, m *Motion) {
	for _, loc := range byName.FindAllStringIndex(f, 30) {
		if strings.Contains(f[max(0, loc[0]-12):loc[0]], "second") || strings.HasSuffix(f[:loc[0]], "amended ") {
			continue
		}
		n, length, ok := r.nameAt(p.Text[p.Offset(base+loc[1]):s.To])
		if !ok || n.Text == "" || len(strings.Fields(n.Text)) > 4 {
			continue
		}
		rest := strings.TrimLeft(p.Text[min(p.Offset(base+loc[1])+length, s.To):s.To], " \n")
		rest = strings.TrimLeft(rest, ".,;")
		rest = strings.ToLower(strings.TrimSpace(rest))
		if rest == "" && (n.Office != "" || r.isMember(n) || r.secondBelow(p, s)) || strings.HasPrefix(rest, "second") ||
			strings.HasPrefix(rest, "and second") || strings.HasPrefix(rest, "with ") ||
			strings.HasPrefix(rest, "support") || strings.HasPrefix(rest, "2nd") || atClock.MatchString(rest) {
			m.Mover, m.Moved = &n, true
			return
		}
	}
}

// slashedPair matches two names with a slash between them: "Doe/Roe", "Cr Doe / Cr Roe".
var slashedPair = regexp.MustCompile(`([A-Z][\p{L}'’.-]*(?: [A-Z][\p{L}'’.-]*){0,3}) ?/ ?([A-Z][\p{L}'’.-]*(?: ` +
	`[A-Z][\p{L}'’.-]*){0,3})(?:$|[\s,.;:)])`)

// inSlashes matches who moved and who seconded in brackets: "(Cr Doe/Cr Roe)".
var inSlashes = words.Regexp(`\((?:{Moved short}:? )?((?:\p{Ll}{1,3} ){0,2}[A-Z][^()/\n]{1,40}?) ?/ ?` +
	`((?:\p{Ll}{1,3} ){0,2}[A-Z][^()/\n]{1,40}?)\)`)

// shortened matches who moved and who seconded in brackets, with the words for it: "(Prop. Cllr Doe, sec. Cllr Roe)".
var shortened = words.Regexp(`\((?i:{proposed}\.?(?: {by})?):? ([A-Z][^(),;\n]{2,40})` +
	`[,;] ?(?i:{seconded short}\.?(?: {by})?):? ([A-Z][^(),;\n–—-]{2,40}?)(?: ?[,;–—-] ?[^()]{0,40})?\)`)

// labelledMover matches the mover in brackets behind a motion: "Motion: to accept the deed (Doe)."
var labelledMover = words.Regexp(`^[ \n]*(?i:{motion})(?::| {to} )[^()]{3,600}\(([A-Z][^()/,0-9]{1,40})` +
	`\)[. ]*$`)

// NamesMovers reports whether a text names in brackets who moved and who seconded.
func NamesMovers(text string) bool { return inSlashes.MatchString(text) || shortened.MatchString(text) }

// spokenMotion matches a text that speaks of a motion.
var spokenMotion = words.Regexp(`(?i)\b{speaks of motion}\b`)

// opensPair matches a motion that begins with who moved and seconded it: "Doe/Roe to approve the bills", "Doe/Roe, all
// ayes".
var opensPair = words.Regexp(`(?m)^[ •-]*[A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)? ?/ ?[A-Z][\p{L}'’-]+` +
	`(?: [A-Z][\p{L}'’-]+)?(?: {pair to} [a-z]+ |, {pair fate}\b)`)

// bracketIn reads who moved and who seconded in brackets or with a slash between them. Both must be
// members or have an office, because other words stand so, too: "(Building/Fire)".
func (r *Scanner) bracketIn(text string, m *Motion) {
	if m.Mover != nil || !strings.ContainsAny(text, "/(") {
		return
	}
	if x := labelledMover.FindStringSubmatch(text); x != nil {
		if n, length, ok := r.nameAt(x[1]); ok && length == len(x[1]) && r.isMember(n) {
			m.Mover, m.Moved = &n, true
			return
		}
	}
	pairs := append(inSlashes.FindAllStringSubmatch(text, 8), shortened.FindAllStringSubmatch(text, 8)...)
	for _, x := range slashedPair.FindAllStringSubmatch(text, 8) {
		if spokenMotion.MatchString(text) || opensPair.MatchString(text) ||
			strings.Contains("\n"+text+"\n", "\n"+strings.TrimSpace(x[0])+"\n") {
			pairs = append(pairs, x)
		}
	}
	for _, x := range pairs {
		first, then := strings.TrimRight(x[1], "."), strings.TrimRight(x[2], ".")
		mover, a, ok := r.nameAt(first)
		second, b, too := r.nameAt(then)
		if ok && too && a == len(first) && b == len(then) && (r.IsPerson(mover) && r.IsPerson(second) ||
			opensPair.MatchString(text) && (r.IsPerson(mover) || r.IsPerson(second))) {
			m.name(&mover, &second)
			return
		}
	}
}

// IsPerson reports whether a name is that of a member, or stands behind an office.
func (r *Scanner) IsPerson(n person.Name) bool {
	return n.Text != "" && (n.Office != "" || r.isMember(n))
}

// ResolvedBy reports whether a sentence names who moved its resolution: "RESOLVED by Cr Doe and Cr Roe".
func (r *Scanner) ResolvedBy(text string) bool {
	const mark = "resolved by "
	if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
		return false
	}
	n, _, ok := r.nameAt(text[len(mark):])
	return ok && r.IsPerson(n)
}
