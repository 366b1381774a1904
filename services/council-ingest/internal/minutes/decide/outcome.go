package decide

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// An outcome is what a sentence says about the fate of a motion.
type outcome struct {
	sense     sense // carried, failed, tabled, continued, referred; died if no vote was taken
	worded    bool  // a word says so, not only a tally
	unanimous bool
	voice     bool
	majority  bool // the words say that some were against or abstained
	counted   bool
	ayes      int
	nays      int
	bothSides bool // a count of nays or abstentions is printed, perhaps 0
	others    int  // abstentions that are counted
	tied      bool
	strong    bool    // nothing but a vote has this form
	named     []entry // members whom the sentence names: "with Doe dissenting"
	unread    string  // words about members that were not read
	about     motionKind
	aboutSet  bool
	raw       string
	bare      bool   // a word alone, or of a document: a vote only with a motion, a tally or a roll
	reported  bool   // the decision of a closed session or of another day
	item      string // the item that is its subject: "item 19"
	restates  bool   // it can repeat an outcome that was read: "The minutes stand approved."
}

var (
	// doubt stands before a word that is no outcome: "if the motion passes", "to be approved".
	doubt = compile(`\b(?:if|whether|when|until|unless|once|should|would|could|may|might|must|will|shall|can|cannot|had|not been|being|having|hereby|` +
		`previously|already|recently|earlier|last|prior|be|after|before|that was|were to|since|because|requires?|than|who|` +
		`newly)\b[^.,;]{0,24}$`)
	// modified is a word before a noun: "the adopted budget".
	modified = compile(`\b(?:the|a|an|its|any|of|for|this|their|his|her|our|new|other|all|with|in|on|no)\s+(?:newly |duly )?$`)
	// helpers can stand between the subject and the word of an outcome.
	helpers = regexp.MustCompile(`^(?:[\s,:;.()\-"']|\b(?:the|this|that|was|were|is|are|been|has|have|and|so|also|then|it|which|duly|unanimously|finally|hereby|thereupon|` +
		`declared|stands?|subsequently|upon|vote|voting|on|by|final|main|original|amended|as|a|an|roll|call|ended|being|` +
		`called|voice|put|to|question|record|recorded|taken|motion|motions|main|resolved|moved|made|seconded|n|council|` +
		`board|votes?|with|passage|all|reading|read|third|second|first|time|in|full|` +
		`read|proposal|therefore|unanimous|chair|mayor|announced|same|above|substitute|amendment|resolution|ordinance|` +
		`consent|bill|policy|bills|resolutions|ordinances|queda|\d+|fue|est|sont|sometid[oa]s?|a|votacion|mocion|propuesta|` +
		`proposition|la|le|les|y|et|se|por)\b)*$`)
	// behind can follow the word of an outcome that stands alone.
	behind = regexp.MustCompile(`^(?:[\s,:;.()\[\]\-"'!*/]|\b(?:unanimous|unanimously|by|on|a|an|the|voice|vote|votes|roll|call|as|amended|presented|submitted|written|` +
		`with|and|of|to|all|in|favor|favour|no|nays?|ayes?|yes|yeas?|noes|none|opposed|against|for|abstention|abstentions|` +
		`abstained|abstaining|recused|absent|members?|present|following|majority|council|board|consent|show|hands|` +
		`division|votes|voting|councilmembers?|councill?ors?|commissioners?|trustees?|directors?|recorded|` +
		`being|cast|it|so|ordered|unanimity|a l'unanimite|l'unanimite|majorite|mayoria|absoluta|absolue|simple|membres|` +
		`presents|representes|suffrages|exprimes|votants|los|de|des|les|la|el|asistentes|presentes|miembros|concejales|` +
		`mocion|propuesta|por|voix|conseillers|unanimidad|due|tied|tie|lack|second|is|was|motion|carried|` +
		`passed|approved|adopted|declared|reading|as|follows|dissent|opposition|objection|without|zero|one|two|three|four|` +
		`five|six|seven|eight|nine|ten|want|thirds|required|needed|\d+)\b)*$`)
	endSlash   = regexp.MustCompile(`^(?:the )?(?:motion |amendment )?(?:was )?(?:carried|lost|defeated|passed|failed)\b.{0,60}\s(\d{1,2}) ?/ ?(\d{1,2})\.?$`)
	tallyMark  = regexp.MustCompile(`(?:^|[^\w.$/-])(\d{1,3}) ?(?:-|to|:) ?(\d{1,3})(?: ?- ?(\d{1,3}))?(?: ?- ?(\d{1,3}))?(?:$|[^\w/%-])`)
	slashTally = compile(`\b(?:votes?|carried|lost|defeated|passed|failed)(?: unanimously| by en bloc resolution| en bloc| by)*:? *\(?(\d{1,2}) ?/ ?(\d{1,2})(?:$|[^\d/])`)
	wordTally  = compile(`\b(` + figure + `)(?: ?\(\d{1,2}\))?(?: votes?)? to (` + figure + `)\b`)
	byVotes    = compile(`\bby (?:` + figure + `) votes? to\b`)
	hadVoted   = compile(`\bhad (?:previously |unanimously )?voted\b`)
	itWas      = compile(`\bit was (?:then |duly |unanimously )?$`)
	yTally     = regexp.MustCompile(`\(y-(\d{1,2})(?:[;,] ?n-(\d{1,2}))?`)
	tieMark    = compile(`\b(?:tied?|tie vote|tied vote)\b`)
	otherDay   = compile(`\b(?:on|of|at its|at the|dated) (?:the )?(?:\w+ )?(?:january|february|march|april|may|june|july|august|september|october|november|december|\d{1,2}/\d{1,2}/\d{2,4})\b`)
	bodyVoted  = compile(`\b(?:conseil|assemblee|pleno|corporacion|cabildo|ayuntamiento)\b[^.;]{0,200}\b(?:decide|approuve|adopte|vote|acuerda|aprueba|rechaza)\b|` +
		`\b(?:council|board|commission|committee|trustees|members|directors|supervisors|councill?ors)\b[^.;]{0,40}\b(?:voted|vote)\b`)
	votedTo    = regexp.MustCompile(`^(?:voted: |(?:it was )?(?:unanimously )?voted (?:to|that) )`)
	ballots    = compile(`\bvoix (?:pour|contre)\b|\bvotos (?:a favor|en contra)\b`)
	votedWord  = compile(`\bvoted?\b|\bvoix (?:pour|contre)\b|\bvotos (?:a favor|en contra)\b`)
	required   = compile(`\b(?:require[sd]?|needs?|needed|must|would|should|if|whether|could|how)\b`)
	casting    = compile(`\b(?:break|broke|breaking) the tie\b|\b(?:casting|deciding) vote\b|\btie-?breaking\b`)
	openedVote = compile(`\b(?:following (?:recorded |roll call )?votes?|vote (?:was )?(?:recorded )?as follows|roll call vote|recorded as follows|votes? being recorded)\b`)
)

// A setting is what stands around a sentence, as far as its outcome depends on it.
type setting struct {
	moved    bool     // the sentence or the one before it has a motion
	same     bool     // the motion stands in the sentence
	vote     *outcome // what was read of the vote that is not closed; nil if there is none
	roll     bool     // the vote has a roll with positions
	apart    int      // paragraphs since the last part of the vote
	sameItem bool     // the vote belongs to the current item
	item     string   // title of the current item
}

// open reports whether a vote whose outcome is not read stands above, at most so many paragraphs away.
func (at setting) open(apart int) bool { return at.vote != nil && !at.vote.worded && at.apart <= apart }

// outcomeIn reads the outcome that a sentence states.
func (r *scanner) outcomeIn(p *paragraph, s span, at setting) *outcome {
	moved := at.moved
	from, to := p.folded(s.from), p.folded(s.to)
	f := strings.TrimSpace(p.fold[from:to])
	if (moved || at.open(1)) && motionCarried.MatchString(f) {
		return &outcome{sense: carried, worded: true, strong: true, unanimous: strings.Contains(f, "u"),
			raw: council.Fold(p.text[s.from:s.to])}
	}
	if len(f) < 4 {
		return nil
	}
	from += strings.Index(p.fold[from:to], f)
	if r.language != english {
		if o := r.inRomance(p, s, f, at); o != nil {
			return o
		}
	}
	if motionText.MatchString(f) || r.otherBody(f) || !moved && (ofParliament.MatchString(f) || ofList.MatchString(f)) {
		return nil
	}
	o := &outcome{}
	labelled := false
	lead := 0
	for range 2 {
		if m := r.x.lead.FindStringIndex(f[lead:]); m != nil && m[1] > 0 {
			labelled, lead = true, lead+m[1]
		}
	}
	body := f[lead:]
	if m := r.x.died.FindStringIndex(f); m != nil && (r.x.subject.MatchString(f) || strings.Contains(f, "second")) &&
		!doubt.MatchString(f[:m[0]]) && !strings.Contains(f, "withdrawn from") && !strings.Contains(f, "application") {
		o.sense, o.worded, o.strong, o.raw = died, true, true, council.Fold(p.text[s.from:s.to])
		o.about, o.aboutSet = aboutOf(f)
		return o
	}
	o.tally(f, labelled)
	o.unanimity(r.x, f)
	r.countedWords(o, f)
	word := -1
	for _, m := range r.x.outcome.FindAllStringIndex(body, 12) {
		how := says(r.x, o, body, m, at, labelled)
		if how == 0 {
			continue
		}
		sense, ok := r.x.senseOf(body[m[0]:m[1]], failed, carried, tabled, continued, referred)
		if !ok {
			continue
		}
		if o.worded && (sense == o.sense || sense != failed && sense != carried) {
			o.strong = o.strong || how == 2
			continue
		}
		o.sense, o.worded, o.strong, word = sense, true, o.strong || how == 2, lead+m[0]
		if sense == failed && strings.Contains(body[:m[0]], "tie") {
			o.tied = true
		}
	}
	if o.worded && o.counted && ballots.MatchString(f) && !required.MatchString(f) && !otherDay.MatchString(f) {
		o.strong = true
	}
	if !o.worded && votedTo.MatchString(f) && !(o.counted && o.nays >= o.ayes) {
		o.sense = carried
		o.worded, o.strong = true, true
	}
	if tieMark.MatchString(f) && (r.x.subject.MatchString(f)) && !o.worded {
		o.tied, o.strong, o.worded = true, true, false
	}
	if !o.worded && o.counted && moved && o.ayes > o.nays && bodyVoted.MatchString(f) && hasBoth(f) {
		o.sense, o.worded = carried, true
	}
	switch {
	case o.worded || o.tied && o.strong:
	case o.counted && told.MatchString(f):
		return nil
	case o.counted && (moved || at.vote != nil && at.apart <= 3 && !at.vote.counted &&
		countedAlone(f)) && hasBoth(f):
	case o.counted && moved && o.ayes > o.nays && byVotes.MatchString(f):
		o.sense, o.worded, o.strong = carried, true, true
	case o.counted && opensTally.MatchString(f) && (moved || at.vote != nil):
		o.strong = true
	case !moved && (hadVoted.MatchString(f) || votedWord.MatchString(f) && speech.MatchString(f)):
		return nil // what somebody said about a vote
	case o.counted && (labelled || yTally.MatchString(f) || countedAlone(f) ||
		votedWord.MatchString(f) && !required.MatchString(f)):
		o.strong = labelled || yTally.MatchString(f) || countedAlone(f) || !otherDay.MatchString(f)
		if (bodyVoted.MatchString(f) || strings.HasPrefix(f, "voted")) && o.ayes > o.nays {
			o.sense, o.worded = carried, true
		}
	case o.unanimous && !required.MatchString(f):
		if !moved && !labelled && !unanimousAlone(r.x, f) && !bodyVoted.MatchString(f) {
			return nil
		}
		if bodyVoted.MatchString(f) && !moved && otherDay.MatchString(f) {
			return nil
		}
		o.strong = labelled || unanimousAlone(r.x, f) || bodyVoted.MatchString(f)
		o.sense, o.worded = carried, true
	default:
		return nil
	}
	if o.worded && o.sense != died && !o.strong && !moved && !o.unanimous && !o.counted && !o.voice {
		return nil
	}
	if !moved && !o.strong && otherDay.MatchString(f) && !strings.Contains(f, "motion") {
		return nil
	}
	r.namedIn(o, p, s, f, from)
	o.about, o.aboutSet = aboutOf(f)
	o.raw = rawOf(p, s, f, from, word)
	o.restates = !o.counted && len(o.named) == 0
	o.item = numberedItem.FindString(f)
	o.bare = !moved && !o.unanimous && !o.counted && !o.voice && !labelled && !o.tied &&
		!r.x.subject.MatchString(ofDocument.ReplaceAllString(f, " ")) &&
		!strings.Contains(f, "declared")
	o.reported = !moved && (bodyVoted.MatchString(f) && reports(p, s, at.item) || byCommittee.MatchString(f))
	return o
}

// motionCarried matches the letters of "motion carried", "motion carried unanimously".
var motionCarried = regexp.MustCompile(`^(?:m\.? ?/?c|m\.? ?c\.? ?u|m\.? ?u\.? ?c)\.?$`)

// motionText matches the beginning of what is moved: "That the report be received."
var motionText = regexp.MustCompile(`^["' ]*(?:that |whereas|and whereas|be it |now,? therefore|and be it|therefore,? be it|section \d|recommendation:|staff recommend)`)

// ofDocument matches what is no motion: "the general plan amendment", "Question 2" on a ballot.
var ofDocument = compile(`\b(?:plan|text|zoning|code|budget|ordinance|map|contract|use|charter|constitutional|agreement) amendments?\b|\b(?:question|proposition|measure) (?:no\. ?)?#?\d`)

// speech stands before what somebody said about a vote.
var speech = compile(`\b(?:said|says|stated|asked|explained|commented|replied|mentioned|clarified|informed|thanked|understood|thought|felt|believed|reminded|` +
	`wondered|questioned|suggested|requested|inquired|hoped|hopes|stressed)\b`)

// bodyOf matches a body that votes, with the words before its noun: "the Plan Commission voted".
var bodyOf = compile(`\b(?:the|our|their|its) ((?:[a-z&'.-]+ ){0,4})(commission|board|committee|council|authority|association|court|` +
	`zba|zbr|bza|pzc|edc|hdc) (?:had |has )?(?:also |then |previously |recently )?(?:unanimously )?voted\b`)

// advisory matches the vote of a commission that recommends: "Planning Commissioners vote (6-0)".
var advisory = compile(`\b(planning|zoning|plan|parks|library|historic(?:al)?|preservation|recreation) (?:and \w+ )?` +
	`(?:commission(?:ers)?|board|committee)(?:'s)? (?:members? )?(?:vote|voted|votes)\b`)

// ofTown are words before the noun of the body itself: "the full Town Board".
const ofTown = " town city village county township borough municipal municipality parish district full entire whole " +
	"governing " +
	"said present regular local "

// ofParliament matches what a parliament decides about.
var ofParliament = compile(`\b(?:(?:house|senate|assembly) (?:joint )?(?:bill|resolution)s?|h\. ?b\.|s\. ?b\.|(?:hb|` +
	`sb) ?\d|the legislature|legislative session)(?:$|\W)`)

// ofList matches what repeats the vote on a list below one of its items.
var ofList = compile(`\bthis consent item\b`)

// otherBody reports whether a sentence says how a body voted that did not meet here.
func (r *scanner) otherBody(f string) bool {
	if r.body == "" || !strings.Contains(f, "vote") {
		return false
	}
	if m := advisory.FindStringSubmatch(f); m != nil {
		body, _ := foldText(r.body)
		return !strings.Contains(body, m[1])
	}
	if !strings.Contains(f, "voted") {
		return false
	}
	m := bodyOf.FindStringSubmatch(f)
	if m == nil {
		return false
	}
	body, _ := foldText(r.body)
	if m[1] == "" && len(m[2]) < 4 {
		return !strings.Contains(body, m[2]) // "the ZBA"
	}
	for word := range strings.FieldsSeq(m[1]) {
		if !strings.Contains(body, word) && !strings.Contains(ofTown, " "+word+" ") {
			return true
		}
	}
	return false
}

// told matches the beginning of what somebody said about a tally.
var told = compile(`\b(?:said|says|stated|explained|commented|replied|mentioned|reported|noted|reiterated|clarified|` +
	`reminded \w+(?: \w+)?) that\b`)

// byCommittee matches what another body decided before the meeting.
var byCommittee = compile(`\b(?:by|at|in) (?:the |our |their )?(?:[a-z&-]+ ){0,4}(?:sub-?)?committee\b|\bcommittee (?:has |had )?(?:unanimously )?(?:voted|recommended)\b`)

var reporting = compile(`\b(?:closed session|executive session|reported|announced that|report out)\b`)

// reports reports whether a paragraph tells what was decided in a closed session or on another day.
func reports(p *paragraph, s span, item string) bool {
	above := p.fold[:min(p.folded(s.to), len(p.fold))]
	if reporting.MatchString(above) || otherDay.MatchString(above) {
		return true
	}
	title, _ := foldText(item)
	return strings.Contains(title, "closed session") || strings.Contains(title, "executive session")
}

// firmWords are outcomes by themselves; softWords also tell of what happens without a vote.
const (
	firmWords = " carried carries passed passes failed fails defeated lost prevailed prevails enacted tabled "
	softWords = " accepted agreed confirmed granted concurred sustained upheld referred resolved continued "
)

// says returns whether a word of an outcome states one: 0 for no, 1 if a motion supports it, 2 if it
// does alone.
func says(x *expr, o *outcome, f string, m []int, at setting, labelled bool) int {
	moved, same := at.moved, at.same
	pre, word, post := f[:m[0]], f[m[0]:m[1]], f[m[1]:]
	declared := strings.HasSuffix(strings.TrimRight(pre, " "), "declared") || strings.Contains(pre, "declared ")
	itWas := (o.unanimous || o.counted) && itWas.MatchString(pre) && !otherDay.MatchString(f)
	if !declared && !itWas && doubted(pre) || modified.MatchString(pre) && !strings.HasSuffix(pre, "the motion ") {
		return 0
	}
	if conditional.MatchString(post) || strings.HasPrefix(post, "-") ||
		strings.HasSuffix(pre, "-") && !strings.HasSuffix(pre, " -") && !strings.HasSuffix(pre, "--") {
		return 0
	}
	firm := strings.Contains(firmWords, " "+word+" ") ||
		strings.Contains(word, "not ") || strings.HasPrefix(word, "moved")
	if strings.Contains(softWords, " "+word+" ") && !(moved && same) && !labelled && !o.unanimous && !o.counted &&
		!ofMotion.MatchString(pre) {
		return 0
	}
	if firm && strings.HasPrefix(post, " by the following ") {
		return 2
	}
	if speech.MatchString(strings.ReplaceAll(pre, "said motion", "the motion")) {
		return 0
	}
	passive := regexp1.MatchString(pre)
	subjected := x.subject.MatchString(ofDocument.ReplaceAllString(pre, " "))
	short := helpers.MatchString(pre)
	alone := behind.MatchString(post)
	switch {
	case declared && (subjected || x.named.MatchString(pre)):
		return 2
	case subjected && short && (alone || firm || passive):
		return 2
	case subjected && (firm || passive) && !required.MatchString(pre):
		return 2
	case short && alone && (firm || labelled || o.unanimous || o.counted || strings.TrimSpace(pre) == ""):
		return 2
	case (o.unanimous || o.counted) && x.named.MatchString(pre) && passive && alone && len(pre) < 120 &&
		!otherDay.MatchString(post):
		return 2
	case itWas, o.counted && ofItem.MatchString(pre) && !otherDay.MatchString(f):
		return 2
	case labelled && (alone || short && firm):
		return 2
	case short && alone && (moved || at.vote != nil && !at.vote.worded && (at.roll || at.vote.counted)):
		return 2
	case labelled && !alone && endsWith(post):
		return 2
	case moved && same && bodyActs.MatchString(pre) && strings.Contains(pre, "motion") && !strings.Contains(pre, " that "):
		return 1
	case moved && (passive || clause.MatchString(pre) || short):
		return 1
	case (o.unanimous || o.counted || o.voice) && (x.named.MatchString(pre) || short):
		return 1
	case firm && o.counted && (moved || at.vote != nil && !at.vote.worded) && !otherDay.MatchString(f):
		return 1 // "The emergency clause failed, 5 yes, 3 no"
	}
	return 0
}

var (
	regexp1  = compile(`\b(?:was|were|is|are|been|being|and|which|stands?|it)\b(?: (?:then|also|duly|unanimously|hereby|subsequently|so|therefore|declared|and|as amended))*,? *$`)
	bodyActs = compile(`\b(?:council|board|commission|committee|trustees|selectboard)(?: members)?(?: (?:unanimously|then|duly))* $`)
	clause   = regexp.MustCompile(`(?:[,;:.]|\band|\bbut|\bwhich)\s*(?:(?:was|were|it was|is|which|motion|the|duly|then|so|unanimously|and)\s+)*$`)
)

// ofItem matches an item that is the subject of a word with a tally: "Item 19 passed 6-0".
var ofItem = regexp.MustCompile(`^(?:the )?(?:consent (?:agenda|calendar|items?)|(?:agenda )?items?|resolution|ordinance|bill|article|application|petition|` +
	`minutes|agenda)(?: (?:no\.? ?)?#?\w{0,3}\d[\w.-]*){0,2} (?:was |were )?$`)

// numberedItem matches the number of an item at the beginning of its outcome.
var numberedItem = regexp.MustCompile(`^(?:the )?(?:agenda )?(?:item|resolution|ordinance|bill|article|application)s? (?:no\.? ?)?#?\w{0,3}\d[\w.-]*`)

// ofMotion matches a motion that is the subject of a soft word: "The motion as amended was agreed."
var ofMotion = regexp.MustCompile(`^(?:the )?(?:substantive |amended |original |main )?(?:motion|amendment|proposal)(?: as amended)? (?:was|were|is)(?: then| unanimously| duly)? $`)

func endsWith(post string) bool { return strings.Trim(post, " .") == "" }

func doubted(pre string) bool { return doubt.MatchString(pre) || infinitive.MatchString(pre) }

// conditional follows a word that is no outcome: "passes only if".
var conditional = regexp.MustCompile(`^ ?(?:only )?(?:if|unless|when|whenever|provided)\b`)

// infinitive stands directly before a word that is no outcome: "to be passed", "as approved".
var infinitive = compile(`\b(?:to|as|to be|to have|have|the)(?: previously| duly| unanimously)? $`)

func aboutOf(f string) (motionKind, bool) {
	switch {
	case strings.Contains(f, "the motion was") && strings.Contains(f, "the amendment"):
		return mainMotion, true
	case strings.Contains(f, "as amended"), strings.Contains(f, "main motion"), strings.Contains(f, "original motion"),
		strings.Contains(f, "primary motion"):
		return mainMotion, true
	case strings.Contains(f, "substitute motion"):
		return substitute, true
	case strings.Contains(f, "motion to amend"), strings.HasPrefix(f, "amendment"), strings.Contains(f, "the amendment"),
		strings.Contains(f, "amendment carried"), strings.Contains(f, "amendment passed"),
		strings.Contains(f, "amendment failed"):
		return amendment, true
	case strings.Contains(f, "motion to table"), strings.Contains(f, "motion to postpone"),
		strings.Contains(f, "motion to reconsider"), strings.Contains(f, "motion to call the question"):
		return procedural, true
	}
	return mainMotion, false
}

// rawOf returns the words of an outcome. Where the motion stands in the same sentence, they begin
// with the clause of the outcome.
func rawOf(p *paragraph, s span, f string, from, at int) string {
	start := s.from
	if at > 80 {
		if i := strings.LastIndexAny(f[:at], ",;:"); i > 0 && at-i < 90 && !strings.Contains(f[:at], "declared") {
			start = p.offset(from + i + 1)
		} else if i := strings.LastIndex(f[:at], " and "); i > 0 {
			start = p.offset(from + i + 1)
		}
	}
	return clip(council.Fold(p.text[start:s.to]), 300)
}

func clip(s string, n int) string { return council.Clip(s, n) }

// Members who are named in the sentence of an outcome.
var (
	votedHow = compile(`\b(?:(?:(?:voting|voted|votes|casting|cast)(?: an?| the| his| her)?(?: (?:deciding|casting|` +
		`tie-?breaking) vote)?(?: of| in)? ["'(]?)(aye|yes|yea|in favor|in favour|in the affirmative|nay|no|against|` +
		`in opposition|in the negative|opposed|in dissent)["')]?|` +
		`(dissenting|dissented|dissents|opposed|opposing|in opposition|in dissent|against)|(abstaining|abstained|abstains|` +
		`to abstain|abstention|abstentions)|` +
		`(absent|excused|not voting|did not vote|not present)|(recus(?:ed|ing|al|es)(?: (?:himself|herself|themselves|` +
		`themself))?)|["']?(no|nay)["']?|(in favou?r|in support)\b)`)
	nameEdge  = regexp.MustCompile(`(?:\bwith\b|\bshowing\b|[();:.]|\bexcept(?:ion of)?\b|\bbut\b|\bwhile\b|\bobjections? of\b|\bthat\b|,\s+and\b|\d[,)]?\s)`)
	exception = compile(`\b(?:over the objections? of|with the exception of|except(?:ing)?|objections? (?:from|by|of)|opposed by|nays? by|abstention (?:from|by|of)|abstentions (?:from|by|of))\s+`)
)
