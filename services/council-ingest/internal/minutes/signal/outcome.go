package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// An Outcome is what a sentence says about the fate of a motion.
type Outcome struct {
	Sense  lexicon.Sense // carried, failed, tabled, continued, referred; died if no vote was taken
	Worded bool          // a word says so, not only a tally
	lexicon.Tally
	Tied     bool
	Strong   bool    // nothing but a vote has this form
	Named    []Entry // members whom the sentence names: "with Doe dissenting"
	Unread   string  // words about members that were not read
	About    MotionKind
	AboutSet bool
	Raw      string
	Bare     bool   // a word alone, or of a document: a vote only with a motion, a tally or a roll
	Reported bool   // the decision of a closed session or of another day
	Item     string // the item that is its subject: "item 19"
	Restates bool   // it can repeat an outcome that was read: "The minutes stand approved."
}

var (
	// doubt stands before a word that is no outcome: "if the motion passes", "to be approved".
	doubt = lexicon.Compile(`\b{doubt}\b[^.,;]{0,24}$`)
	// modified is a word before a noun: "the adopted budget".
	modified  = lexicon.Compile(`\b{modifier}\s+(?:{newly} )?$`)
	byVotes   = lexicon.Compile(`\b{by} (?:\d{1,3}|{one}|{number}) {votes to}\b`)
	itWas     = lexicon.Compile(`\b{it was} $`)
	anyTie    = lexicon.Compile(`\b(?:{any tie}|{only in} [a-z ]{0,12}{tie}|{in case} [a-z ]{0,20}{tie})\b`)
	tieMark   = lexicon.Compile(`\b{tie}\b`)
	otherDay  = lexicon.Compile(`\b{on day} (?:\w+ )?(?:{month}|\d{1,2}/\d{1,2}/\d{2,4})\b`)
	bodyVoted = lexicon.Compile(`\b{deciding body}\b[^.;]{0,200}\b{body decides}\b|\b{council}\b[^.;]{0,40}` +
		`\b{votes}\b`)
	votedTo     = words.Regexp(`^(?:{voted}: |{voted to} )`)
	bodyVotedTo = lexicon.Compile(`\b{body voted to}\b`)
	ballots     = lexicon.Compile(`\b{ballots}\b`)
	votedWord   = lexicon.Compile(`\b(?:{votes}|{ballots})\b`)
	Casting     = lexicon.Compile(`\b{casting}\b`)
	OpenedVote  = lexicon.Compile(`\b{opened vote}\b`)
)

// A Setting is what stands around a sentence, as far as its outcome depends on it.
type Setting struct {
	Moved    bool     // the sentence or the one before it has a motion
	Same     bool     // the motion stands in the sentence
	Vote     *Outcome // what was read of the vote that is not closed; nil if there is none
	Roll     bool     // the vote has a roll with positions
	Apart    int      // paragraphs since the last part of the vote
	SameItem bool     // the vote belongs to the current item
	Item     string   // title of the current item
}

// open reports whether a vote whose outcome is not read stands above, at most so many paragraphs away.
func (at Setting) open(apart int) bool { return at.Vote != nil && !at.Vote.Worded && at.Apart <= apart }

// OutcomeIn reads the outcome that a sentence states.
func (r *Scanner) OutcomeIn(p *Paragraph, s Span, at Setting) *Outcome {
	moved := at.Moved
	from, to := p.Folded(s.From), p.Folded(s.To)
	f := strings.TrimSpace(p.Fold[from:to])
	if m := motionCarried.FindStringSubmatch(f); m != nil && (moved || at.open(1)) {
		o := &Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, Raw: council.Fold(p.Text[s.From:s.To])}
		if m[2] == "" || r.Words.UnanimousAlone(m[2]) || r.Words.CountedAlone(m[2]) {
			r.Count(o, m[2], true)
			o.Unanimous = o.Unanimous || strings.Contains(m[1], "u")
			return o
		}
	}
	if len(f) < 4 {
		return nil
	}
	if m := becameFinding.FindStringSubmatch(f); m != nil && at.open(8) && at.Roll {
		o := &Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, AboutSet: true, Raw: p.Words(s)}
		if m[1] == "amendment" {
			o.About = Amendment
		}
		return o
	}
	from += strings.Index(p.Fold[from:to], f)
	if rest := strings.TrimLeft(f, "•*·- "); rest != f && r.Words.Lead.MatchString(rest) {
		from, f = from+len(f)-len(rest), rest // • Result: Passed
	}
	if r.Language != lexicon.English {
		if o := r.inRomance(p, s, f, at); o != nil {
			return o
		}
		if r.Words.Romance.Doubtful.MatchString(f) || isRecital(f) {
			return nil
		}
	}
	if motionText.MatchString(f) || r.otherBody(f) ||
		!moved && (ofParliament.MatchString(f) || ofList.MatchString(f) || ofPolls.MatchString(f)) {
		return nil
	}
	o := &Outcome{}
	labelled := false
	lead := 0
	for range 2 {
		if m := r.Words.Lead.FindStringIndex(f[lead:]); m != nil && m[1] > 0 {
			labelled, lead = true, lead+m[1]
		}
	}
	if m := FirmAlone.FindStringSubmatchIndex(f); lead == 0 && m != nil && m[2] >= 0 {
		labelled, lead = true, m[3] // RES 114/24 CARRIED 6/0
	}
	if tally := slashTally.FindString(f); lead == 0 && tally != "" && FirmAlone.MatchString(f[len(tally):]) {
		labelled, lead = true, len(tally) // "6/3" above "CARRIED"
	}
	body := f[lead:]
	if m := r.Words.Died.FindStringIndex(f); m != nil && (r.Words.Subject.MatchString(f) ||
		strings.Contains(f, "second")) &&
		!doubt.MatchString(f[:m[0]]) && !strings.Contains(f, "withdrawn from") && !strings.Contains(f, "application") {
		o.Sense = lexicon.Died
		o.Worded = true
		o.Strong = true
		o.Raw = council.Fold(p.Text[s.From:s.To])
		o.About, o.AboutSet = AboutOf(f)
		return o
	}
	r.Count(o, f, labelled)
	if o.Counted && o.Ayes > o.Nays && defeatedBy.MatchString(f) {
		o.Ayes, o.Nays = o.Nays, o.Ayes // the majority was against it
	}
	word := -1
	for _, m := range r.Words.Outcome.FindAllStringIndex(body, 12) {
		how := says(r.Words, o, body, m, at, labelled)
		if how == 0 {
			continue
		}
		sense, ok := r.Words.SenseOf(body[m[0]:m[1]], lexicon.Failed, lexicon.Carried, lexicon.Tabled, lexicon.Continued,
			lexicon.Referred)
		if !ok {
			continue
		}
		if o.Worded && (sense == o.Sense || sense != lexicon.Failed && sense != lexicon.Carried) {
			o.Strong = o.Strong || how == 2
			continue
		}
		o.Sense = sense
		o.Worded = true
		o.Strong = o.Strong || how == 2
		word = lead + m[0]
		if sense == lexicon.Failed && strings.Contains(body[:m[0]], "tie") {
			o.Tied = true
		}
	}
	if o.Worded && o.Counted && ballots.MatchString(f) && !r.Words.Requires.MatchString(f) && !otherDay.MatchString(f) {
		o.Strong = true
	}
	if !o.Worded && (votedTo.MatchString(f) || at.Same && bodyVotedTo.MatchString(f)) && !(o.Counted && o.Nays >= o.Ayes) {
		o.Sense = lexicon.Carried
		o.Worded, o.Strong = true, true
	}
	if tieMark.MatchString(f) && !anyTie.MatchString(f) && (r.Words.Subject.MatchString(f)) && !o.Worded {
		o.Tied = true
		o.Strong = true
		o.Worded = false
	}
	if !o.Worded && o.Counted && moved && o.Ayes > o.Nays && bodyVoted.MatchString(f) && lexicon.HasBoth(f) {
		o.Sense, o.Worded = lexicon.Carried, true
	}
	switch {
	case o.Worded || o.Tied && o.Strong:
	case o.Counted && (moved || at.Vote != nil && at.Apart <= 3 && !at.Vote.Counted &&
		r.Words.CountedAlone(f)) && lexicon.HasBoth(f):
	case o.Counted && moved && o.Ayes > o.Nays && byVotes.MatchString(f):
		o.Sense = lexicon.Carried
		o.Worded = true
		o.Strong = true
	case o.Counted && opensTally.MatchString(f) && (moved || at.Vote != nil):
		o.Strong = true
	case !moved && votedWord.MatchString(f) && Speech.MatchString(f):
		return nil // what somebody said about a vote
	case o.Counted && (labelled || lexicon.Ballot.MatchString(f) || r.Words.CountedAlone(f) ||
		votedWord.MatchString(f) && !r.Words.Requires.MatchString(f)):
		o.Strong = labelled || lexicon.Ballot.MatchString(f) || r.Words.CountedAlone(f) || !otherDay.MatchString(f)
		if (bodyVoted.MatchString(f) || strings.HasPrefix(f, "voted")) && o.Ayes > o.Nays {
			o.Sense, o.Worded = lexicon.Carried, true
		}
	case !o.Counted && o.Nays > 0 && at.open(0) && at.Vote.Counted && !at.Vote.BothSides && r.Words.CountedAlone(f):
		o.Strong = true
	case o.Unanimous && !moved && !at.open(1) && noObjection.MatchString(f):
		return nil // what a consulted council answers
	case o.Unanimous && !r.Words.Requires.MatchString(r.untilText(f)):
		if !moved && !labelled && !r.Words.UnanimousAlone(f) && !bodyVoted.MatchString(f) {
			return nil
		}
		if bodyVoted.MatchString(f) && !moved && otherDay.MatchString(f) {
			return nil
		}
		o.Strong = labelled || r.Words.UnanimousAlone(f) || bodyVoted.MatchString(f)
		o.Sense, o.Worded = lexicon.Carried, true
	default:
		return nil
	}
	if o.Worded && o.Sense != lexicon.Died && !o.Strong && !moved && !o.Unanimous && !o.Counted && !o.Voice {
		return nil
	}
	if !moved && !o.Strong && otherDay.MatchString(f) && !strings.Contains(f, "motion") {
		return nil
	}
	r.NamedIn(o, p, s, f, from)
	o.About, o.AboutSet = AboutOf(f)
	o.Raw = rawOf(p, s, f, from, word)
	o.Restates = !o.Counted && len(o.Named) == 0
	o.Item = numberedItem.FindString(f)
	o.Bare = !moved && !o.Unanimous && !o.Counted && !o.Voice && !labelled && !o.Tied && !byPoll.MatchString(f) &&
		!r.Words.Subject.MatchString(ofDocument.ReplaceAllString(f, " ")) &&
		!strings.Contains(f, "declared")
	o.Reported = !moved && (bodyVoted.MatchString(f) && reports(p, s, at.Item) || byCommittee.MatchString(f))
	return o
}

// FateOf returns the outcome that the letters of a motion state: "M/S/C Doe/Roe to adopt", "MSC (Doe/Roe 4-0-1, Poe
// abstain) to adopt".
func (r *Scanner) FateOf(p *Paragraph, s Span, m *Motion) *Outcome {
	o := &Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, Raw: p.Words(s)}
	if strings.HasSuffix(m.Fate, "f") {
		o.Sense = lexicon.Failed
	}
	from := p.Folded(m.FateEnd)
	behind := p.Fold[from:p.Folded(s.To)]
	if !strings.HasPrefix(behind, ")") {
		behind, _, _ = strings.Cut(behind, ")")
	}
	if f := strings.TrimLeft(behind, " )],;-"); f != "" && f[0] >= '0' && f[0] <= '9' {
		from += len(behind) - len(f)
		r.Count(o, f, true)
		r.NamedIn(o, p, Span{From: p.Offset(from), To: p.Offset(from + len(f))}, f, from)
	}
	whole := strings.TrimRight(p.Fold[p.Folded(s.From):p.Folded(s.To)], " .)")
	if x := lastTally.FindStringSubmatch(whole); !o.Counted && x != nil {
		o.Tally.Count(lexicon.ValueOf(x[1]), lexicon.ValueOf(x[2]))
	}
	o.Unanimous = o.Unanimous || strings.Contains(m.Fate[2:], "u")
	return o
}

// lastTally matches a tally at the end of a sentence, behind a comma or a dash.
var lastTally = regexp.MustCompile(`[,;(-] ?(\d{1,2}) ?- ?(\d{1,2})$`)

// noObjection matches an answer about an application, which is no vote unless a motion stands above it.
var noObjection = words.Regexp(`^["' ]*{no objection}[.! ]*$`)

// becameFinding matches which of two proposals won a division between them.
var becameFinding = words.Regexp(`^{the proposal} ({motion or amendment}) {became finding}\b`)

// motionCarried matches the letters of "motion carried", "motion carried unanimously", and the tally behind them: "MC,
// all ayes".
var motionCarried = regexp.MustCompile(`^(m\.? ?/?c|m\.? ?c\.? ?u|m\.? ?u\.? ?c)\.?(?:[,;:–-]? +(.+))?$`)

// motionText matches the beginning of what is moved: "That the report be received."
var motionText = words.Regexp(`^["' ]*(?:{text of motion} |{section} \d|{recommendation}:|` +
	`{staff recommends that})`)

// ofDocument matches what is no motion: "the general plan amendment", "Question 2" on a ballot.
var ofDocument = lexicon.Compile(`\b{amended document}\b|\b{ballot question}#?\d`)

// defeatedBy matches the tally of a defeat that begins with the majority: "was defeated by 6 votes to 3".
var defeatedBy = lexicon.Compile(`\b{defeated by} (?:\d{1,3}|{one}|{number})(?: {counted votes})? {to}\b`)

// aforesaid matches what "said" points to: "whereupon said resolution was declared adopted".
var aforesaid = lexicon.Compile(`\b{aforesaid}\b`)

// Speech stands before what somebody said about a vote.
var Speech = lexicon.Compile(`\b{speech}\b`)

// bodyOf matches a body that votes, with the words before its noun: "the Plan Commission voted".
var bodyOf = lexicon.Compile(`\b{the body} ((?:[a-z&'.-]+ ){0,4})({another body}) {it voted}\b`)

// advisory matches the vote of a commission that recommends: "Planning Commissioners vote (6-0)".
var advisory = lexicon.Compile(`\b({advisory}) {body votes}\b`)

// ofTown are words before the noun of the body itself: "the full Town Board".
const ofTown = " town city village county township borough municipal municipality parish district full entire whole " +
	"governing " +
	"said present regular local "

// ofParliament matches what a parliament decides about.
var ofParliament = lexicon.Compile(`\b(?:{bill of parliament}|{bill number} ?\d)(?:$|\W)`)

// ofPolls matches what the voters of a town decide.
var ofPolls = lexicon.Compile(`\b(?:{polls}|{measure} [a-z]\b)`)

// ofList matches what repeats the vote on a list below one of its items.
var ofList = lexicon.Compile(`\b{this consent item}\b`)

// otherBody reports whether a sentence says how a body voted that did not meet here.
func (r *Scanner) otherBody(f string) bool {
	if !strings.Contains(f, "vote") && !strings.Contains(f, "committee") {
		return false
	}
	switch {
	case ofCommittee.MatchString(f), committeeMet.MatchString(f):
		return !strings.Contains(r.body, "committee")
	case r.body == "":
		return false
	}
	if m := advisory.FindStringSubmatch(f); m != nil {
		return !strings.Contains(r.body, m[1])
	}
	if !strings.Contains(f, "voted") {
		return false
	}
	m := bodyOf.FindStringSubmatch(f)
	if m == nil {
		return false
	}
	if m[1] == "" && len(m[2]) < 4 {
		return !strings.Contains(r.body, m[2]) // "the ZBA"
	}
	for word := range strings.FieldsSeq(m[1]) {
		if !strings.Contains(r.body, word) && !strings.Contains(ofTown, " "+word+" ") {
			return true
		}
	}
	return false
}

// ofCommittee matches the label of what a committee recommended to the body: "COMMITTEE RECOMMENDATION: On a motion by
// Doe, seconded by Roe, the committee voted 3 in favor, 0 opposed".
var ofCommittee = words.Regexp(`^{committee label}\b ?:`)

// committeeMet matches what a committee did on another day: "the committee met on March 1 and moved to recommend it".
var committeeMet = lexicon.Compile(`\b{committee met}\b`)

// byCommittee matches what another body decided before the meeting.
var byCommittee = lexicon.Compile(`\b{by committee} (?:[a-z&-]+ ){0,4}{committee}\b|\b{committee voted}\b`)

var reporting = lexicon.Compile(`\b{reporting}\b`)

// reports reports whether a paragraph tells what was decided in a closed session or on another day.
func reports(p *Paragraph, s Span, item string) bool {
	above := p.Fold[:min(p.Folded(s.To), len(p.Fold))]
	if reporting.MatchString(above) || otherDay.MatchString(above) {
		return true
	}
	title, _ := lexicon.FoldText(item)
	return strings.Contains(title, "closed session") || strings.Contains(title, "executive session")
}

// says returns whether a word of an outcome states one: 0 for no, 1 if a motion supports it, 2 if it
// does alone.
func says(x *lexicon.Patterns, o *Outcome, f string, m []int, at Setting, labelled bool) int {
	moved, same := at.Moved, at.Same
	pre := f[:m[0]]
	if at := whichMotion.FindStringIndex(pre); at != nil {
		pre = pre[at[0]+1:] // "moved to grant the request, which motion carried"
	}
	word := f[m[0]:m[1]]
	post := f[m[1]:]
	declared := strings.HasSuffix(strings.TrimRight(pre, " "), "declared") || strings.Contains(pre, "declared ")
	itWas := (o.Unanimous || o.Counted) && itWas.MatchString(pre) && !otherDay.MatchString(f)
	if !declared && !itWas && doubted(beingPut.ReplaceAllString(pre, "")) ||
		modified.MatchString(pre) && !strings.HasSuffix(pre, "the motion ") {
		return 0
	}
	if conditional.MatchString(post) || inOffice.MatchString(post) ||
		particle.MatchString(post) || strings.HasPrefix(post, "-") ||
		strings.HasSuffix(pre, "-") && !strings.HasSuffix(pre, " -") && !strings.HasSuffix(pre, "--") {
		return 0
	}
	if at.open(1) && (at.Vote.Counted || at.Roll) && x.Behind.MatchString(post) && len(pre) < 90 &&
		(regexp1.MatchString(pre) || len(strings.Fields(pre)) <= 3) {
		return 2 // "Variance granted." below its roll
	}
	if labelled && o.Counted && len(pre) < 40 && !strings.Contains(pre, ",") {
		return 2 // "ACTION: Appeal denied, 3-2 (Doe and Roe dissenting)"
	}
	firm := x.Is(word, lexicon.Firm) || strings.Contains(word, "not ") || strings.HasPrefix(word, "moved")
	if x.Is(word, lexicon.Soft) && !(moved && same) && !labelled && !o.Unanimous && !o.Counted &&
		!ofMotion.MatchString(pre) {
		return 0
	}
	if firm && strings.HasPrefix(post, " by the following ") || byFollowing.MatchString(post) {
		return 2
	}
	if Speech.MatchString(aforesaid.ReplaceAllString(pre, " ")) {
		return 0
	}
	passive := regexp1.MatchString(pre)
	subjected := x.Subject.MatchString(ofDocument.ReplaceAllString(pre, " "))
	short := x.Between.MatchString(pre)
	alone := x.Behind.MatchString(post)
	switch {
	case declared && (subjected || x.Named.MatchString(pre)):
		return 2
	case subjected && short && (alone || firm || passive):
		return 2
	case subjected && (firm || passive) && !x.Requires.MatchString(pre[clauseStart(x, pre):]):
		return 2
	case short && alone && (firm || labelled || o.Unanimous || o.Counted || strings.TrimSpace(pre) == ""):
		return 2
	case (o.Unanimous || o.Counted) && x.Named.MatchString(pre) && passive && alone && len(pre) < 120 &&
		!otherDay.MatchString(post):
		return 2
	case (o.Unanimous || o.Counted) && opensWith(approvedDocument, pre) && len(pre) < 60 &&
		!strings.ContainsAny(pre, "(;") && !otherDay.MatchString(datedMinutes.ReplaceAllString(f, " ")):
		return 2 // "Minutes of March 5 approved 5-0"
	case byPoll.MatchString(post) && x.Named.MatchString(pre) && passive && len(pre) < 120 && !otherDay.MatchString(post):
		return 2
	case itWas, o.Counted && ofItem.MatchString(pre) && !otherDay.MatchString(f):
		return 2
	case labelled && (alone || short && firm):
		return 2
	case short && alone && (moved || at.Vote != nil && !at.Vote.Worded && (at.Roll || at.Vote.Counted)):
		return 2
	case labelled && !alone && endsWith(post):
		return 2
	case moved && same && bodyActs.MatchString(pre) && strings.Contains(pre, "motion") && !strings.Contains(pre, " that "):
		return 1
	case moved && (passive || clause.MatchString(pre) || short):
		return 1
	case (o.Unanimous || o.Counted || o.Voice) && (x.Named.MatchString(pre) || short):
		return 1
	case firm && o.Counted && (moved || at.Vote != nil && !at.Vote.Worded) && !otherDay.MatchString(f):
		return 1 // "The emergency clause failed, 5 yes, 3 no"
	}
	return 0
}

var (
	// byFollowing matches the words that announce the roll behind its outcome: "rechazada por el siguiente resultado:"
	byFollowing = words.Regexp(`^ {by following votes}\b`)
	regexp1     = lexicon.Compile(`\b{is}\b(?: {adverb})*,? *$`)
	byPoll      = lexicon.Compile(`\b{by roll call}`)
	bodyActs    = lexicon.Compile(`\b{acting body}(?: {adverb of act})* $`)
	clause      = words.Regexp(`(?:[,;:.]|\b{begins clause})\s*(?:{of clause}\s+)*$`)
)

// ofItem matches an item that is the subject of a word with a tally: "Item 19 passed 6-0".
var ofItem = words.Regexp(`^{item or document}(?: (?:{numero}\.? ?)?#?\w{0,3}\d[\w.-]*){0,2} (?:{was} )` +
	`?$`)

// numberedItem matches the number of an item at the beginning of its outcome.
var numberedItem = words.Regexp(`^{numbered document} (?:{numero}\.? ?)?#?\w{0,3}\d[\w.-]*`)

// ofMotion matches a motion that is the subject of a soft word: "The motion as amended was agreed."
var ofMotion = words.Regexp(`^{motion was} $`)

// clauseStart returns where the last clause with a subject begins: "the required two thirds were not reached | and the
// motion failed".
func clauseStart(x *lexicon.Patterns, pre string) int {
	at := max(strings.LastIndex(pre, " and "), strings.LastIndexAny(pre, ",;")+1, 0)
	if !x.Subject.MatchString(pre[at:]) {
		return 0
	}
	return at
}

// datedMinutes matches minutes and their day, which is not that of their approval.
var datedMinutes = lexicon.Compile(`\b{minutes from} {month} \d{1,2}(?:,? \d{4})?`)

// approvedDocument matches what a decision without a motion approves: "Minutes approved 5-0".
var approvedDocument = lexicon.Compile(`\b{approved document}\b`)

// opensWith reports whether one of the first words of a sentence matches a form.
func opensWith(form *lexicon.Pattern, pre string) bool {
	at := form.FindStringIndex(pre)
	return at != nil && at[0] < 20
}

func endsWith(post string) bool { return strings.Trim(post, " .") == "" }

// namedByTime matches a month, a member or an earlier meeting whose name looks like a word of doubt: "the minutes of
// May 13", "of the last meeting".
var namedByTime = lexicon.Compile(`\b{named by time}\b`)

func doubted(pre string) bool {
	pre = namedByTime.ReplaceAllString(pre, " ")
	return doubt.MatchString(pre) || infinitive.MatchString(pre)
}

// whichMotion matches the words before the outcome of the motion in the same sentence.
var whichMotion = lexicon.Compile(`[,;] {which motion} (?:{was} )?$`)

// untilText returns a sentence up to the text of what all agreed to: "unanimously moved that licenses must be held".
func (r *Scanner) untilText(f string) string {
	m := r.Words.Unanimous.FindStringIndex(f)
	if m == nil {
		return f
	}
	if that := strings.Index(f[m[1]:], " that "); that >= 0 {
		return f[:m[1]+that]
	}
	return f
}

// conditional follows a word that is no outcome: "passes only if".
var conditional = words.Regexp(`^ ?{condition}\b`)

// particle follows a verb that has another sense with it: "Article 5 was passed over".
var particle = words.Regexp(`^ {particle}\b|^ {out}(?:$|[ .,](?:$|[^o]))`)

// inOffice follows a word about a person and no motion: "that Doe, if he agreed, continued as Chairman".
var inOffice = words.Regexp(`^ {serves}\b|^ {as office} (?:[a-z-]+ ){0,2}{office held}\b`)

// infinitive stands directly before a word that is no outcome: "to be passed", "as approved".
var infinitive = lexicon.Compile(`\b{infinitive} $`)

// beingPut matches how a motion came to its vote: "The motion on being put to the vote was lost."
var beingPut = lexicon.Compile(`\b{being put}\b`)

// mainMotion matches the motion that an amendment amends.
var mainMotion = lexicon.Compile(`\b{main motion}\b`)

// toMotion matches the outcome of an amendment that says what it amends: "The Amendment to the Motion was then put".
var toMotion = lexicon.Compile(`\b{amendment to the motion}\b`)

// AboutOf returns the kind of motion that a sentence speaks of, and whether it says so.
func AboutOf(f string) (MotionKind, bool) {
	switch {
	case toMotion.MatchString(f):
		return Amendment, true
	case strings.Contains(f, "the motion was") && strings.Contains(f, "the amendment"):
		return MainMotion, true
	case mainMotion.MatchString(f):
		return MainMotion, true
	case strings.Contains(f, "substitute motion"):
		return substitute, true
	case callsQuestion.MatchString(f):
		return question, true
	case strings.Contains(f, "motion to amend"), strings.HasPrefix(f, "amendment"), strings.Contains(f, "the amendment"),
		strings.Contains(f, "amendment carried"), strings.Contains(f, "amendment passed"),
		strings.Contains(f, "amendment failed"):
		return Amendment, true
	case strings.Contains(f, "motion to table"), strings.Contains(f, "motion to postpone"),
		strings.Contains(f, "motion to reconsider"):
		return Procedural, true
	}
	return MainMotion, false
}

// rawOf returns the words of an outcome. Where the motion stands in the same sentence, they begin
// with the clause of the outcome.
func rawOf(p *Paragraph, s Span, f string, from, at int) string {
	start := s.From
	if at > 80 {
		if i := strings.LastIndexAny(f[:at], ",;:"); i > 0 && at-i < 90 && !strings.Contains(f[:at], "declared") {
			start = p.Offset(from + i + 1)
		} else if i := strings.LastIndex(f[:at], " and "); i > 0 {
			start = p.Offset(from + i + 1)
		}
	}
	return Clip(council.Fold(p.Text[start:s.To]), 300)
}

// Clip shortens a text to a number of bytes.
func Clip(s string, n int) string { return council.Clip(s, n) }

// Members who are named in the sentence of an outcome.
var (
	votedHow = lexicon.Compile(`\b(?:{casts vote} ["'(]?({side})["')]?|({dissents})|({abstaining})|` +
		`({not voting as})|({recuses})|["']?({no vote})["']?|({in support})\b)`)
	nameEdge  = words.Regexp(`(?:\b{before names}\b|[();:.]|,\s+{and}\b|\d[,)]?\s)`)
	exception = lexicon.Compile(`\b{exception}\s+`)
)
