package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

// DatedLabel matches the label of what was decided on another day: "Council Action (June 10, 2026): Passed Ayes: 5".
var DatedLabel = words.Regexp(`^(?:\p{L}+ ){1,5}\({Month} \d{1,2}, \d{4}\) ?:`)

// breaks reports whether a line begins a new paragraph.
func (r *Scanner) breaks(p *Paragraph, text string, blank bool) bool {
	before := p.Text[p.Starts[len(p.Starts)-1]:]
	if endsInLabel.MatchString(before) && text[0] >= '0' && text[0] <= '9' {
		return false // "Yeas" above "16. Nays 0.", "passed 4 to" above "0."
	}
	if slashTally.FindString(text) == text {
		return true
	}
	if slashTally.FindString(before) == before && r.outcomeLine(text) {
		return false
	}
	if r.awaitsAnswer(before) && r.beginsAnswer(text) {
		return false
	}
	if DatedLabel.MatchString(text) || letteredRow.MatchString(text) && !letteredRow.MatchString(before) {
		return true
	}
	if DatedLabel.MatchString(p.Text) {
		return !rowStart.MatchString(text) && !lowerStart(text) // else one of its rows
	}
	if f, _ := lexicon.FoldText(text[:min(len(text), 60)]); recommended.MatchString(f) && !openWord.MatchString(before) {
		return true
	}
	if len(before) < 40 {
		if f, _ := lexicon.FoldText(before); FirmAlone.MatchString(f) {
			return blank || (!lowerStart(text) || r.isBullet(text)) && !tallyLine.MatchString(text)
		}
	}
	open := strings.HasSuffix(before, ",") || strings.HasSuffix(before, ";") || strings.HasSuffix(before, " and") ||
		lexicon.EndsInHyphen(before) || strings.HasSuffix(before, " &") ||
		openPhrase.MatchString(before)
	lower := lowerStart(text)
	if blank {
		ends := strings.ContainsAny(before[len(before)-1:], ".:;!?)]”\"")
		return !(open || lower && !ends) || r.isBullet(text) && !pairLine.MatchString(text) && !openPhrase.MatchString(before)
	}
	if open && (!r.isBullet(text) || honorificLine.MatchString(text) || r.ofNames(p, text)) &&
		!(lexicon.IsCapitals(text) && !lexicon.IsCapitals(before)) {
		return false
	}
	if !open && (r.outcomeLine(text) || !lower && endsInCount.MatchString(before)) {
		return true
	}
	if r.isBullet(text) && !isInitialLine(text) && !pairLine.MatchString(text) || !lower && r.statesResult(before) {
		return true
	}
	if strings.HasSuffix(before, ".") && subItem.MatchString(text) {
		return true
	}
	if ends := strings.ContainsAny(before[len(before)-1:], ".:;!?)]"); Starter.MatchString(text) &&
		(ends || !lower && (shortLine(before) || rowStart.MatchString(text))) {
		return true
	}
	if lexicon.IsCapitals(before) != lexicon.IsCapitals(text) && !strings.Contains(before, ":") &&
		!openWord.MatchString(before) &&
		(!beginsLabel(text) || slashLine.MatchString(text)) &&
		len(before) < 90 && lexicon.Letters(before) > 3 && lexicon.Letters(text) > 3 && !lower {
		return true
	}
	if len(p.Starts) == 1 && !lower && (marker.MatchString(before) || labelled.MatchString(before)) && len(before) < 70 &&
		!strings.ContainsAny(before[len(before)-1:], ".,;") &&
		(r.endsTitle(p, before, text) || sentenceLike(text) || Starter.MatchString(text) || telling.MatchString(text) ||
			labelled.MatchString(before) && len(before) < 60) {
		return true // a line below the title of an item
	}
	if textOfMotion.MatchString(text) && namesOnly.MatchString(before) {
		return true
	}
	if !lower && (r.labelLine(text) || movingLine.MatchString(text) && r.opensWithOffice(text) && shortLine(before)) {
		return true
	}
	return isHeadingLine(before) && !lower
}

// slashTally matches a tally before its outcome, perhaps on a line of its own: "6/3" above "CARRIED".
var slashTally = regexp.MustCompile(`^\s*\d{1,2} ?/ ?\d{1,2}(?:\s+|$)`)

// endsTitle reports whether the numbered line that a paragraph begins with had space for the next word, so that the
// next line is no part of the title.
func (r *Scanner) endsTitle(p *Paragraph, before, text string) bool {
	return r.Doc.Fits(p.First, text) && !lexicon.IsCapitals(before) && !r.Language.IsHonorific(before) &&
		!r.Doc.isInitial(before)
}

// awaitsAnswer reports whether a line ends in a name and the mark before its vote: "Doe – yes, Ms. Roe –".
func (r *Scanner) awaitsAnswer(line string) bool {
	name := strings.TrimRight(line, " –—-:")
	if name == line || strings.TrimRight(line, " ") == name {
		return false
	}
	n, ok := r.nameBefore(name)
	return ok && n.Text != ""
}

// beginsAnswer reports whether a line begins with a member's vote, and nothing belongs to its word.
func (r *Scanner) beginsAnswer(text string) bool {
	f, _ := lexicon.FoldText(text[:min(len(text), 24)])
	m := r.Words.Answer.FindStringIndex(f)
	return m != nil && m[0] == 0 && (m[1] == len(f) || strings.IndexByte(".,;", f[m[1]]) >= 0)
}

// statesResult reports whether a line is an outcome behind a bullet and its label: "• Result - Unanimously passed".
func (r *Scanner) statesResult(line string) bool {
	if len(line) > 80 || !r.isBullet(line) {
		return false
	}
	f, _ := lexicon.FoldText(strings.TrimLeft(line, "•*·- "))
	return r.Words.Lead.MatchString(f) && r.Words.Outcome.MatchString(f)
}

// subItem matches the number and the title of an item in a section: "7.2 Appointments".
var subItem = regexp.MustCompile(`^\d{1,2}\.\d{1,2}\.? {1,8}\p{Lu}`)

// outcomeLine reports whether a line is an outcome in capitals, and nothing else: "ADOPTÉ À L'UNANIMITÉ".
func (r *Scanner) outcomeLine(text string) bool {
	if !lexicon.IsCapitals(text) || len(text) > 60 {
		return false
	}
	f, _ := lexicon.FoldText(text)
	m := r.Words.Outcome.FindStringIndex(f)
	if m == nil || !r.Words.Behind.MatchString(f[m[1]:]) {
		return false
	}
	subject := r.Words.Subject.FindStringIndex(f) // "AMENDMENT CARRIED"
	return m[0] == 0 || subject != nil && subject[0] == 0
}

// dashedItem matches the number of an item with a dash, as French and Spanish minutes print it: "3 - ", "3.- ", "3º.-".
var dashedItem = regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,2})?)(?: [-–—] |\.?[ºª°]?\.? ?[-–—] ?)(\p{Lu}.*)$`)

// openPhrase matches the end of a line within a phrase: "Mr. Doe made a", "seconded by Councillor".
var openPhrase = words.Regexp(`(?i)[a-z]{2,} {open phrase}$|\b{by} {abbreviated office}\.?$`)

// openWord matches the end of a line within a sentence: "a grant from".
var openWord = words.Regexp(` {open word}$`)

// honorificLine matches a line that begins with an honorific, which looks like the letters of a list.
var honorificLine = words.Regexp(`^{Honorific line}\. \p{Lu}`)

// endsInCount matches an outcome that ends in its tally: "MOTION PASSED: 7 Yes, 1 No, 1 Absent".
var endsInCount = words.Regexp(`(?i)\b{passed}\b.*\b\d{1,2} (?:{ayes}|{nays}|{abstains}|{aways})\.?$`)

// isBullet reports whether a line begins with the mark of a list. The honorific of "M. Dupont" is none.
func (r *Scanner) isBullet(text string) bool {
	return r.Language != lexicon.English && dashedItem.MatchString(text) || Bullet.MatchString(text) &&
		!r.Language.IsHonorific(text) && !(len(text) > 3 && isUpper(text[0]) && text[1] == '.' && r.Doc.isInitial(text))
}

var (
	wordHead = regexp.MustCompile(`[A-Za-z]{2,}-$`)
	wordTail = regexp.MustCompile(`^[a-z]{2,}`)
)

// unbroken moves the first half of a word that the end of the line cuts, as in "car-ried", to the next line,
// if it is a word of an outcome. Other hyphens may belong to their word.
func (r *Scanner) unbroken(p *Paragraph, text string) string {
	if !strings.HasSuffix(p.Text, "-") {
		return text
	}
	before := p.Text[p.Starts[len(p.Starts)-1]:]
	head, tail := wordHead.FindString(before), wordTail.FindString(text)
	if head == "" || tail == "" {
		return text
	}
	word := strings.ToLower(strings.TrimSuffix(head, "-") + tail)
	for _, x := range []*lexicon.Pattern{r.Words.Outcome, r.Words.Unanimous, r.Words.Subject, r.Words.Seconds} {
		if m := x.FindStringIndex(word); m != nil && m[0] == 0 && m[1] == len(word) {
			p.Text = strings.TrimSuffix(p.Text, head)
			return strings.TrimSuffix(head, "-") + text
		}
	}
	return text
}

// Blanked returns the lines without those of the attendance list, which ends at the first line that
// speaks of a motion.
func Blanked(all []lines.Line, skip [2]int) []lines.Line {
	if skip[1] <= skip[0] {
		return all
	}
	out := append([]lines.Line(nil), all...)
	for i := skip[0]; i < skip[1] && i < len(out); i++ {
		if f, _ := lexicon.FoldText(out[i].Text); endsAttendance.MatchString(f) {
			break
		}
		out[i].Text = ""
	}
	return out
}

// endsAttendance matches a line that is no longer a list of those present.
var endsAttendance = lexicon.Compile(`\b{ends attendance}\b`)
