package signal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A Motion is what a member moved, as far as it was read.
type Motion struct {
	Mover    *person.Name
	Seconder *person.Name
	Seconded bool   // it was seconded, perhaps by nobody who is named
	Moved    bool   // the text says that it was moved
	Named    bool   // a name is printed, perhaps one that was not read
	Text     string // the sentence
	Bare     bool   // the sentence has only names; the text stands above or below
	Kind     MotionKind
	Para     int // paragraph where it begins
	End      Span
	EndPara  int
	TextEnd  int // where its sentence ends
	Item     int
	Signal   int    // index of its signal
	Resolved string // the words that say that it is resolved, if no outcome has to stand below it
	Fate     string // letter that states the outcome in M/S/C
	FateEnd  int    // where the names behind it end; a tally may follow
}

// name sets who moved and seconded.
func (m *Motion) name(mover, seconder *person.Name) {
	m.Mover, m.Seconder = mover, seconder
	m.Moved, m.Seconded = true, true
}

// people returns those who move and second a motion, as far as they are named.
func (m *Motion) people() []*person.Name {
	if m == nil {
		return nil
	}
	return slices.DeleteFunc([]*person.Name{m.Mover, m.Seconder}, func(n *person.Name) bool { return n == nil })
}

// Place sets where a motion stands: from paragraph k, in an item.
func (m *Motion) Place(k int, s Span, item int) {
	m.Para, m.EndPara = k, k
	m.End, m.Item = s, item
}

// A MotionKind says what a motion is about: its item, another motion, or the procedure.
type MotionKind int

const (
	MainMotion MotionKind = iota
	Amendment
	substitute
	Procedural // to table, postpone, divide or reconsider
	question   // to end the debate and vote
)

// callsQuestion matches a motion to end the debate and vote on the motion above it.
var callsQuestion = lexicon.Compile(`\b{calls question}\b`)

// motionAmended matches what an amendment does to the motion: "that the motion be amended by …".
var motionAmended = lexicon.Compile(`\b{motion or amendment} {be amended}\b`)

// Ends reports whether an outcome of this kind is never that of another kind of motion.
func (k MotionKind) Ends() bool { return k == question }

func kindOf(f string) MotionKind {
	if strings.Contains(f, "substitute") {
		return substitute
	}
	if i := strings.Index(f, "moved"); i >= 0 {
		f = f[i:]
	} else if i := strings.Index(f, "motion"); i >= 0 {
		f = f[i:]
	}
	f = f[:min(len(f), 70)]
	switch {
	case callsQuestion.MatchString(f):
		return question
	case (strings.Contains(f, "to amend ") || strings.Contains(f, "to amend.")) &&
		!strings.Contains(f, "as amended"), strings.Contains(f, "an amendment"), motionAmended.MatchString(f),
		strings.Contains(f, "the amendment"):
		return Amendment
	case strings.Contains(f, "to table"), strings.Contains(f, "to postpone"), strings.Contains(f, "to divide"),
		strings.Contains(f, "to reconsider"), strings.Contains(f, "to refer"):
		return Procedural
	}
	return MainMotion
}

var (
	// unnamedMotion matches a motion without a mover's name.
	unnamedMotion = lexicon.Compile(`\b{unnamed motion}\b|^{begins motion}\b`)
	unnamedSecond = lexicon.Compile(`\b{unnamed second}\b`)
	// statedMotion matches "Doe stated, “Based on the findings, I move that …"
	statedMotion = words.Regexp(`^[^.;"]{3,80}? ({states})[,:]? ["'].{0,600}?\b{i move}\b`)
	// Nominated matches the verb of who proposes somebody, if the nomination is seconded or voted on.
	Nominated   = lexicon.Compile(`\b{nominated}\b`)
	needsMotion = words.Regexp(`^{needs motion}`)
	slashed     = words.Regexp(`\b(?:[Mm]/?[Ss]/?[CcPpUuFf]?(?:/?[UuCcPp])?|{Motion}|{motion})` +
		`\b[ :.–-]*\(?([A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)?) ?/ ?([A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)?)`)
	// numbered matches "57/24   Doe:   That the agenda be adopted", "42/26 Doe/Roe: That the accounts be paid".
	numbered = words.Regexp(`\b\d{1,4}/\d{2,4}\s+([A-Z][\p{L}'’-]+(?: [A-Z][\p{L}'’-]+)?)` +
		`(?: ?/ ?([A-Z][\p{L}'’-]+(?: [A-Z][\p{L}'’-]+)?))? ?:\s+{That}\b`)
	// dashed matches "M - Doe/S - Roe" and "M/Doe S/Roe".
	dashed = regexp.MustCompile(`\bM ?[-–:/] ?([A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)?)[ ,;/]+S ?[-–:/] ` +
		`?([A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)?)`)
	// movedAndSeconded matches "Motion to Approve: Ann Doe  Second: Bob Roe".
	movedAndSeconded = words.Regexp(`\b(?i:{motion to}) [^:.;\n]{3,60}: *([A-Z][\p{L}'’.-]*(?: [A-Z][\p{L}` +
		`'’.-]*){0,3})[\s,;.]+(?i:{second}(?: {by})?): *([A-Z][\p{L}'’.-]*(?: [A-Z][\p{L}'’.-]*){0,3})`)
	// movedTo matches "Motion to approve: Ann Doe."
	movedTo = words.Regexp(`^(?i:{motion to}) [^:.;\n]{3,60}: *([A-Z][^,:;\n]{1,40}?)[.;,]?$`)
	// slashMoved matches "DOE/ROE MOVED TO adopt the ordinance".
	slashMoved = words.Regexp(`^([A-Z][\p{L}'’-]+) ?/ ?([A-Z][\p{L}'’-]+),? (?i:{moves})\b`)
	// slashedFate matches "Doe/Roe Unanimous" and "Doe/Roe 4 Yes 1 No"
	slashedFate = words.Regexp(`(?:^|[.;:]\s)([A-Z][\p{L}'’-]+) ?/\s?([A-Z][\p{L}'’-]+)` +
		`,? (?i:{unanimous word}|\d{1,2} {yes})\b`)
	twoNames = words.Regexp(`^(?:[A-Z]{0,5}[-. ]?\d[\w./-]*[.:)]?\s+|{Numbered motion}\.? ?#?\d[\w./-]*[.:)` +
		`]?\s+)?(\S.{2,70}?)\s*:?(?:[ :]+[A-Z]{1,6}[ #-]{0,2}\d[\w./-]*)?$`)
	// pairInBrackets matches "Motion (Doe, Roe) to approve".
	pairInBrackets = words.Regexp(`^[ \n]*(?i:{motion or moved}) \(([A-Z][^(),/]{1,40}), ?([A-Z][^()` +
		`,/]{1,40})\)`)
	// supported matches "26-031 MOTION Doe SUPPORT Roe to approve".
	supported = words.Regexp(`\b(?:{MOTION}|{Motion}) ([A-Z][\p{L}'’-]+) (?:{SUPPORTS}|{Supports})` +
		` ([A-Z][\p{L}'’-]+)\b`)
	thatMoves = words.Regexp(`^"?(?i:{recital})\b`)
	adverbs   = " then also again so duly later therefore thereupon subsequently formally hereby now next first " +
		"has had verbally did "
)

// WholeMotion matches a sentence that has a motion, its second and its outcome, and names nobody: "On motion made,
// duly seconded and carried, it was voted that …"
var WholeMotion = words.Regexp(`^["' ]*(?:(?:[^.;]{0,120}, )?{motion made}|.{0,200}\b{it was moved}),? {and seconded}` +
	`\b.{0,20}\b{carried or resolved}\b`)

// lettersMoved matches who moved and who seconded by their initials: "Prop CP, 2nd NN, All agreed".
var lettersMoved = words.Regexp(`\b(?i:{proposed short})\.?(?: {by})?:? ([A-Z]{2,3})` +
	`[,;]? (?i:{seconded short})\.?(?: {by})?:? ([A-Z]{2,3})\b`)

// shortMoved matches the same with names: "Prop: Cllr Doe, Sec: Cllr Roe".
var shortMoved = words.Regexp(`\b(?i:{proposed short}\.?(?: {by})?):? ?([A-Z][^,;:()\n]{2,40})` +
	`[,;]? (?i:{seconded short}\.?(?: {by})?):? ?([A-Z][^,;:()\n]{2,40}?)[.,;)]*$`)

// recommended matches the label of a motion that the staff advises to make.
var recommended = words.Regexp(`^{staff recommends}\b[a-z ]{0,20}:`)

// MotionIn reads a motion or a second in a sentence. It returns nil if there is none.
func (r *Scanner) MotionIn(p *Paragraph, s Span) *Motion {
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	if !strings.Contains(f, "mot") && !strings.Contains(f, "move") && !strings.Contains(f, "moc") &&
		!strings.Contains(f, "maker") && !strings.Contains(f, "initiated by") && !strings.Contains(f, "second") &&
		!strings.Contains(f, "propos") && !strings.Contains(f, "support") &&
		!strings.Contains(f, "/") && !strings.Contains(f, "(prop") &&
		!strings.Contains(f, "2nd") && !strings.Contains(f, "introduced") &&
		!strings.Contains(f, "offered") && !strings.Contains(f, "secund") && !strings.Contains(f, "appuy") &&
		!strings.Contains(f, "made by") && !strings.Contains(f, "nominat") ||
		strings.HasPrefix(f, "vote on ") || recommended.MatchString(f) {
		return nil
	}
	if r.Language == lexicon.French && AfterDebate.MatchString(f) && !strings.Contains(f, "il est propose") {
		return nil // the council decides: "d'appliquer la procédure proposée par le maire"
	}
	m := &Motion{}
	base := p.Folded(s.From)
	original := func(i int) int { return p.Offset(base + i) }
	if strings.Contains(f, ": ") && strings.Contains(f, "/") {
		if x := numbered.FindStringSubmatch(p.Text[s.From:s.To]); x != nil {
			if n, length, ok := r.nameAt(x[1]); ok && length == len(x[1]) && n.Text != "" {
				m.Mover, m.Moved = &n, true
			}
			if n, length, ok := r.nameAt(x[2]); ok && length == len(x[2]) && n.Text != "" && m.Mover != nil {
				m.Seconder, m.Seconded = &n, true
			}
		}
	}
	x := slashed.FindStringSubmatchIndex(p.Text[s.From:s.To])
	for _, form := range []*regexp.Regexp{dashed, movedAndSeconded, slashMoved, slashedFate, pairInBrackets, supported,
		shortMoved} {
		if x == nil {
			x = form.FindStringSubmatchIndex(p.Text[s.From:s.To])
		}
	}
	if x != nil {
		mover, _, ok := r.nameAt(p.Text[s.From+x[2] : s.From+x[3]])
		second, _, too := r.nameAt(p.Text[s.From+x[4] : s.From+x[5]])
		if ok && too {
			m.name(&mover, &second)
			mark := strings.TrimRight(strings.ToLower(strings.ReplaceAll(p.Text[s.From+x[0]:s.From+x[2]], "/", "")), " :.–-(")
			if end, ok := strings.CutPrefix(mark, "ms"); ok && strings.ContainsAny(end, "cpuf") {
				m.Fate, m.FateEnd = mark, s.From+x[5]
			}
		}
	}
	if to := movedTo.FindStringSubmatch(strings.TrimSpace(p.Text[s.From:s.To])); to != nil && m.Mover == nil {
		if n, ok := r.oneName(to[1]); ok && r.isMember(n) {
			m.Mover, m.Moved = &n, true
		}
	}
	r.bracketIn(p.Text[s.From:s.To], m)
	if x := lettersMoved.FindStringSubmatch(p.Text[s.From:s.To]); x != nil && m.Mover == nil {
		m.name(&person.Name{Text: x[1]}, &person.Name{Text: x[2]})
	}
	if rest, is := strings.CutPrefix(f, "introduced:"); is && m.Mover == nil {
		if n, _, ok := r.nameAt(p.Text[original(len(f)-len(rest)):s.To]); ok {
			m.Mover, m.Moved = &n, true // the label of who moved a resolution
		}
	}
	spoken := strings.Contains(f, "motion") || strings.Contains(f, "second") || strings.Contains(f, "moved") ||
		strings.Contains(f, "supported by")
	for _, loc := range r.Words.MovedBy.FindAllStringIndex(f, 8) {
		word := f[loc[0]:loc[1]]
		if m.Mover != nil {
			break
		}
		weak := needsMotion.MatchString(word) && !strings.Contains(word, " by") || strings.Trim(word, " :.-") == "motion"
		if lexicon.HasAnySuffix(strings.TrimRight(word, " "), " of", " from") && r.movesBefore(p, s, f[:loc[0]], base) {
			continue // "Doe moved to accept the proposal of a firm"
		}
		if weak && !opens(f, loc[0]) || needsMotion.MatchString(word) && !spoken && !opens(f, loc[0]) {
			continue
		}
		rest := p.Text[original(loc[1]):s.To]
		if n, _, ok := r.nameAt(rest); ok && len(strings.Fields(n.Text)) <= 4 &&
			!(weak && (n.Text == "" || n.Office == "" && !r.isMember(n) &&
				!(strings.Contains(word, ":") && r.Members.Len() < 3) && !r.Words.SecondBy.MatchString(f[loc[1]:]))) {
			m.Mover, m.Moved = &n, true
		} else if strings.HasSuffix(strings.TrimRight(word, " :"), "by") && spoken {
			m.Moved = true
		}
	}
	for _, loc := range r.Words.Moves.FindAllStringIndex(f, 8) {
		if m.Mover != nil || !strings.Contains(f[loc[0]:loc[1]], "motion") && !strings.HasPrefix(f[loc[0]:], "introduced ") &&
			!strings.HasPrefix(f[loc[0]:], "offered ") &&
			!strings.Contains(f[loc[0]:loc[1]], "following") && !r.Words.Moved.MatchString(f[loc[1]:]) &&
			!r.Words.SecondBy.MatchString(f[loc[1]:]) ||
			strings.HasPrefix(f[loc[1]:], " by ") && strings.Contains(f[loc[0]:loc[1]], "moved") ||
			whoMoved.MatchString(f[:loc[0]]) {
			continue
		}
		before := loc[0]
		if at := r.secondBefore(f[:loc[0]]); at > 0 {
			before = at // Doe, seconded by Roe, moved
		}
		if n, ok := r.nameBefore(strings.TrimRight(p.Text[s.From:original(before)], " ,\n")); ok {
			m.Mover, m.Moved = &n, true
		} else if f[loc[0]:loc[1]] != "proposed" && strings.Contains(f[loc[0]:loc[1]], "motion") {
			m.Moved = true
		}
	}
	if loc := statedMotion.FindStringSubmatchIndex(f); m.Mover == nil && loc != nil {
		if n, ok := r.nameBefore(strings.TrimRight(p.Text[s.From:original(loc[2])], " ,\n")); ok {
			m.Mover, m.Moved = &n, true
		}
	}
	if loc := Nominated.FindStringIndex(f); m.Mover == nil && loc != nil &&
		strings.Contains(p.Fold[p.Folded(s.To):], "nomination") {
		if n, ok := r.nameBefore(strings.TrimRight(p.Text[s.From:original(loc[0])], " \n")); ok {
			m.Mover, m.Moved = &n, true
		}
	}
	if unnamedMotion.MatchString(f) {
		m.Moved = true
	}
	r.secondIn(p, s, f, base, m)
	if m.Seconder == nil && m.Mover != nil {
		r.pairOf(p.Text[s.From:s.To], f, m)
	}
	if m.Mover == nil && (strings.Contains(f, "motion") || strings.Contains(f, "amendment") ||
		strings.Contains(f, "proposal")) {
		r.moverBy(p, s, f, base, m)
	}
	m.Named = m.Mover != nil || m.Seconder != nil
	m.Mover, m.Seconder = r.plausible(m.Mover), r.plausible(m.Seconder)
	if !m.Moved && !m.Seconded && m.Seconder == nil {
		return nil
	}
	m.Text = council.Fold(p.Text[s.From:s.To])
	if label := labelOfMotion.FindStringSubmatch(m.Text); label != nil {
		m.Text = m.Text[len(label[1]):]
	}
	m.Kind = kindOf(f)
	m.Bare = bareMotion(f)
	return m
}

// movesBefore reports whether a text ends a clause in which somebody who is named moves.
func (r *Scanner) movesBefore(p *Paragraph, s Span, f string, base int) bool {
	at := r.Words.Moves.FindStringIndex(f)
	if at == nil {
		return false
	}
	_, ok := r.nameBefore(strings.TrimRight(p.Text[s.From:p.Offset(base+at[0])], " ,\n"))
	return ok
}

// whoMoved matches the words before the verb of a motion that was made before: "Doe was the one who made the motion".
var whoMoved = lexicon.Compile(`\b{who} $`)

// ofSomebody matches what belongs to somebody.
var ofSomebody = regexp.MustCompile(`^ (?:\p{Lu}[\p{L}-]+ ?){1,3}['’]s\b`)

// labelOfMotion matches the label before the sentence of a motion.
var labelOfMotion = words.Regexp(`^((?i:{kind of motion}(?: {to} [a-z]+)?): )(?:\p{Lu}\S+ ){1,4}{made}\b`)

// secondIn reads who seconded a motion.
func (r *Scanner) secondIn(p *Paragraph, s Span, f string, base int, m *Motion) {
	if m.Seconder != nil {
		return
	}
	original := func(i int) int { return p.Offset(base + i) }
	for _, loc := range r.Words.SecondBy.FindAllStringIndex(f, 8) {
		word := strings.TrimRight(f[loc[0]:loc[1]], " :.-")
		by := strings.Contains(word, " ") || strings.ContainsAny(f[loc[0]:loc[1]], ":-") || word == "seconder"
		if !by && !opens(f, loc[0]) && !strings.HasPrefix(word, "seconded") {
			continue
		}
		if n, _, ok := r.nameAt(p.Text[original(loc[1]):s.To]); ok &&
			(by || !strings.HasPrefix(word, "seconded") || r.Members.Len() < 3 || r.IsPerson(n)) &&
			(word != "2nd" || by || n.Office != "" || r.isMember(n)) { // "2nd Floor, Town Hall"
			m.Seconder, m.Seconded = &n, true
			return
		}
		if strings.HasSuffix(word, " by") || strings.HasSuffix(word, " from") {
			m.Seconded = true
		}
	}
	for _, loc := range r.Words.Seconds.FindAllStringIndex(f, 8) {
		rest := strings.TrimLeft(f[loc[1]:], " ")
		word := f[loc[0]:loc[1]]
		if word == "supported" && !strings.HasPrefix(rest, "the motion") &&
			(m.Mover == nil || rest != "" && !strings.ContainsAny(rest[:1], ".,;")) ||
			(word == "second" || word == "seconds" || word == "2nd") && rest != "" &&
				!lexicon.HasAnyPrefix(rest, "the motion", "to ") && !strings.ContainsAny(rest[:1], ".,;)") {
			continue
		}
		before := strings.TrimRight(p.Text[s.From:original(loc[0])], " \n")
		if ofSomebody.MatchString(p.Text[original(loc[1]):s.To]) {
			continue // "seconded Director Menten's comments"
		}
		if strings.HasSuffix(before, ",") && !lexicon.HasAnyPrefix(rest, "the ", "it", "and ") &&
			strings.Trim(rest, ". ") != "" {
			continue // "by Trustee Doe, seconded a resident"
		}
		if n, ok := r.nameBefore(before); ok {
			m.Seconder, m.Seconded = &n, true
			return
		}
	}
	if unnamedSecond.MatchString(f) {
		m.Seconded = true
	}
}

// opens reports whether a clause or a row begins at byte i.
func opens(f string, i int) bool {
	before := strings.TrimRight(f[:i], " \"'")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".,;:([|-/") || strings.HasSuffix(before, " and") ||
		strings.HasSuffix(f[:i], "  ")
}

var names = regexp.MustCompile(`\p{L}[\p{L}'’.-]*`)

// bareMotion reports whether a sentence says who moved and seconded, but not what.
func bareMotion(f string) bool {
	n := 0
	for _, w := range names.FindAllString(f, 40) {
		switch w {
		case "to", "that", "for", "approve", "adopt":
			return false
		case "moved", "by", "seconded", "motion", "second", "the", "and", "was", "a", "made", "proposed", "mover", "seconder",
			"it", "councillor", "councilmember", "member", "mr", "ms", "mrs", "cllr", "duly", "of", "on", "upon", "proposer",
			"council", "carried", "unanimously", "all", "in", "favor", "favour", "agreed", "is", "were", "against", "abstained",
			"voted", "vote", "no", "yes", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
			"councilor", "commissioner", "trustee", "supervisor", "director", "alderman", "mayor":
		default:
			n++
		}
	}
	return n <= 6
}

// nameAt reads the name at the beginning of a text.
func (r *Scanner) nameAt(t string) (n person.Name, length int, ok bool) {
	from := 0
	for from < len(t) && (t[from] == ' ' || t[from] == '\n' || t[from] == '(') {
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
		particle := len(ends) == 0 && r.people.IsParticle(bare) // "de la Cruz", if it is a member
		if bare == "" || !unicode.IsUpper(first) && !particle && !r.smallWord(bare, len(ends) == 0) {
			break
		}
		ends = append(ends, i+len(bare))
		stop := strings.ContainsAny(word[len(bare):], ",;:)]")
		if stop && strings.HasPrefix(strings.TrimLeft(t[min(j, len(t)):], " "), "Jr") && len(ends) < 8 {
			stop = false
		}
		if stop && word[len(bare):] == "," && len(ends) < 6 && beginsUpper(strings.TrimLeft(t[j:], " \n")) {
			_, name := r.people.CutOffice(t[from:ends[len(ends)-1]])
			stop = name != "" // Monsieur le Conseiller, Doe
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
	length = 0
	for k := len(ends) - 1; k >= 0; k-- {
		one, is := r.oneName(t[from:ends[k]])
		if !is {
			continue
		}
		if first, _, _ := strings.Cut(t[from:], " "); r.people.IsParticle(first) && one.Office == "" && !r.isMember(one) {
			continue
		}
		if ok && !r.labelBehind(t[ends[k]:]) &&
			(!strings.HasPrefix(t[ends[k]:], "\n") && !strings.HasPrefix(t[length:], ":") &&
				!capitalsBehind(t[from:ends[k]], t[ends[k]:]) || r.isMember(n) || !r.isMember(one)) {
			continue
		}
		if one.Text == "" && k < len(ends)-1 {
			break // a name that was not read stands behind the office
		}
		n, length = one, ends[k]
		ok = true // the longest, or a member whose name the line ends
	}
	return n, length, ok
}

// labelBehind reports whether the label of an outcome stands behind a name: "Doe Outcome: Passed".
func (r *Scanner) labelBehind(rest string) bool {
	f, _ := lexicon.FoldText(strings.TrimLeft(rest[:min(len(rest), 40)], " \n"))
	return r.Words.Lead.MatchString(f)
}

// capitals matches a word in capitals, and the letter of a heading before it.
var capitals = regexp.MustCompile(`^\.?[ \n]+(?:\p{Lu}\. )?\p{Lu}{4,}\b`)

// capitalsBehind reports whether a heading in capitals stands behind a name: "Doe D. REPORTS".
func capitalsBehind(name, rest string) bool {
	return capitals.MatchString(rest) && name != strings.ToUpper(name)
}

// smallWord reports whether a word in lower case can be part of an office or a name.
func (r *Scanner) smallWord(word string, first bool) bool {
	switch word {
	case "the":
		return first
	case "la", "le", "el":
		return true // "monsieur le conseiller Doe", "de la Cruz"
	case "de", "van", "von", "der", "den", "del", "du", "di", "da", "pro", "tem", "of":
		return !first
	}
	office, name := r.people.CutOffice(word)
	return office != "" && name == ""
}

// oneName reads a text that is exactly one person.
func (r *Scanner) oneName(text string) (person.Name, bool) {
	text = strings.Trim(strings.Join(strings.Fields(text), " "), " ,;:")
	l := r.list(text)
	joinOffice(&l)
	if len(l.Names) != 1 || len(l.Rest) > 0 || l.Count >= 0 || l.Tail != "" || l.Open {
		return person.Name{}, false
	}
	if n := l.Names[0]; n.Text == "" && !ChiefOffice.MatchString(n.Office) {
		return person.Name{}, false // "the Board", "members"
	}
	return l.Names[0], true
}

// joinOffice joins an office and the name behind its comma: "Commissioner, Doe".
func joinOffice(l *person.List) {
	if len(l.Names) == 2 && l.Names[0].Text == "" && l.Names[1].Office == "" {
		l.Names[1].Office = l.Names[0].Office
		l.Names = l.Names[1:]
	}
}

// ChiefOffice matches an office that one person holds.
var ChiefOffice = words.Regexp(`(?i)\b{chief}$|\b{pro tem}|^{deputy}`)

// nameBefore reads the name at the end of a text.
func (r *Scanner) nameBefore(t string) (person.Name, bool) {
	n, at := r.nameEnding(t)
	return n, at >= 0
}

// nameEnding reads the name at the end of a text, and returns where it begins, or -1.
func (r *Scanner) nameEnding(t string) (person.Name, int) {
	t = person.WithoutDegrees(strings.TrimRight(t, " \n"))
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
			!strings.Contains(abbreviations, " "+strings.ToLower(strings.TrimRight(bare, "."))+" ") ||
			strings.HasSuffix(word, ",") && i < end && !strings.HasPrefix(t[i:], " Jr") {
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
	best := person.Name{}
	found := 0
	at := -1
	for _, from := range starts {
		n, ok := r.oneName(t[from:end])
		if !ok {
			continue
		}
		rank := 1
		if best.Text != "" && strings.Contains(t[from:end], "\n") && !r.isMember(n) {
			continue // the last word of the line above
		}
		if _, match := r.Resolve(n); match <= council.MatchGiven {
			rank = 3
		} else if n.Office != "" {
			rank = 2
		}
		if rank >= found && (rank > 1 || len(strings.Fields(n.Text)) <= 3) {
			best = n
			found = rank
			at = from
		}
	}
	return best, at
}

// NamedLine reads a motion whose first line has only the names of mover and seconder: "R2024-063 S.
// Doe, J. Roe:" above "That …".
func (r *Scanner) NamedLine(k int) *Motion {
	p := r.Paras[k]
	line, below, more := strings.Cut(p.Text, "\n")
	if !more && k+1 < len(r.Paras) {
		below = r.Paras[k+1].Text
	}
	if len(line) > 90 || !strings.Contains(line, ",") && !strings.Contains(line, "/") &&
		!strings.Contains(line, " and ") || !thatMoves.MatchString(strings.TrimLeft(below, "“\"")) {
		return nil
	}
	m := twoNames.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	l := r.list(strings.ReplaceAll(m[1], "/", ", "))
	if len(l.Names) != 2 || len(l.Rest) > 0 || l.Count >= 0 || l.Names[0].Text == "" || l.Names[1].Text == "" {
		return nil
	}
	return &Motion{Mover: &l.Names[0], Seconder: &l.Names[1], Moved: true, Seconded: true, Text: council.Fold(p.Text),
		Bare: !more}
}

// OpensAnother reports whether a sentence is that of another speaker, or an outcome.
func (r *Scanner) OpensAnother(sentence string) bool {
	n, _, ok := r.nameAt(sentence)
	f, _ := lexicon.FoldText(sentence)
	return ok && (n.Office != "" || r.isMember(n)) || r.people.IsOffice(sentence) || Speech.MatchString(f) ||
		r.Words.Subject.MatchString(f) && r.Words.Outcome.MatchString(f)
}
