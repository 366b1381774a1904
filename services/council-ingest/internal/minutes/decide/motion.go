package decide

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A motion is what a member moved, as far as it was read.
type motion struct {
	mover    *person.Name
	seconder *person.Name
	seconded bool   // it was seconded, perhaps by nobody who is named
	moved    bool   // the text says that it was moved
	text     string // the sentence
	bare     bool   // the sentence has only names; the text stands above or below
	kind     motionKind
	para     int // paragraph where it begins
	end      span
	endPara  int
	item     int
	signal   int    // index of its signal
	fate     string // letter that states the outcome in M/S/C
}

type motionKind int

const (
	mainMotion motionKind = iota
	amendment
	substitute
	procedural // to table, postpone, divide, call the question or reconsider
)

func kindOf(f string) motionKind {
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
	case strings.Contains(f, "to amend ") && !strings.Contains(f, "as amended"), strings.Contains(f, "an amendment"),
		strings.Contains(f, "the amendment"):
		return amendment
	case strings.Contains(f, "to table"), strings.Contains(f, "to postpone"), strings.Contains(f, "call the question"),
		strings.Contains(f, "previous question"), strings.Contains(f, "to divide"), strings.Contains(f, "to reconsider"),
		strings.Contains(f, "to refer"):
		return procedural
	}
	return mainMotion
}

var (
	// behindMoved are words that follow the verb of a motion. "Ms. Doe moved here in 2002" has none.
	behindMoved = regexp.MustCompile(`^(?:[ ,]*(?:to|that|for|the|we|this|approval|adoption|acceptance|passage|approv|adopt|accept|tabl|its|an?|by|and|y|` +
		`and seconded|a motion|as|adjournment|aprobar|que)\b|\s*[.:;\[]|\s*$|,)`)
	// unnamedMotion matches a motion without a mover's name.
	unnamedMotion = regexp.MustCompile(`\bmotion (?:was |is |being |has been |having been )?(?:duly |then |properly )?(?:made|moved|presented|offered|called for)\b|` +
		`\bit was (?:duly )?(?:moved|proposed)\b|\b(?:up)?on (?:a )?(?:proper )?motion\b|\bmotion and second\b|^motions? (?:to|that|for)\b|` +
		`\bmotion is that\b|\b(?:a|another|second) motion to\b`)
	unnamedSecond = regexp.MustCompile(`\b(?:duly |properly )?seconded\b|\bsecond (?:was )?(?:made|received|given)\b`)
	needsMotion   = regexp.MustCompile(`^(?:made by|offered by|introduced by|initiated by|maker|proposed|moved)`)
	slashed       = regexp.MustCompile(`\b(?:[Mm]/?[Ss]/?[CcPpUu]?(?:/?[UuCcPp])?|[Mm]otion)\b[ :.–-]*\(?([A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)?) ?/ ?([A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+)?)`)
	twoNames      = regexp.MustCompile(`^(?:[A-Z]{0,5}[-. ]?\d[\w./-]*[.:)]?\s+|(?:No|Motion|Resolution)\.? ?#?\d[\w./-]*[.:)]?\s+)?(\S.{2,70}?)\s*:?$`)
	thatMoves     = regexp.MustCompile(`^(?i:"?that\b|whereas\b|be it\b|resolved\b|now,? therefore)`)
	adverbs       = " then also again so duly later therefore thereupon subsequently formally hereby now next first has had verbally did "
)

// motionIn reads a motion or a second in a sentence. It returns nil if there is none.
func (r *reader) motionIn(p *paragraph, s span) *motion {
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	if !strings.Contains(f, "mo") && !strings.Contains(f, "second") && !strings.Contains(f, "propos") && !strings.Contains(f, "support") &&
		!strings.Contains(f, "/") && !strings.Contains(f, "2nd") && !strings.Contains(f, "introduced") && !strings.Contains(f, "offered") && !strings.Contains(f, "secund") && !strings.Contains(f, "appuy") && !strings.Contains(f, "made by") {
		return nil
	}
	m := &motion{}
	base := p.folded(s.from)
	original := func(i int) int { return p.offset(base + i) }
	if x := slashed.FindStringSubmatchIndex(p.text[s.from:s.to]); x != nil {
		mover, _, ok := r.nameAt(p.text[s.from+x[2] : s.from+x[3]])
		second, _, too := r.nameAt(p.text[s.from+x[4] : s.from+x[5]])
		if ok && too {
			m.mover, m.seconder, m.moved, m.seconded = &mover, &second, true, true
			if mark := strings.ToLower(strings.ReplaceAll(p.text[s.from+x[0]:s.from+x[2]], "/", "")); strings.HasPrefix(mark, "ms") && strings.ContainsAny(strings.TrimPrefix(mark, "ms"), "cpu") {
				m.fate = mark
			}
		}
	}
	spoken := strings.Contains(f, "motion") || strings.Contains(f, "second") || strings.Contains(f, "moved")
	for _, loc := range r.x.movedBy.FindAllStringIndex(f, 8) {
		word := f[loc[0]:loc[1]]
		if m.mover != nil {
			break
		}
		weak := needsMotion.MatchString(word) && !strings.Contains(word, " by") || strings.Trim(word, " :.-") == "motion"
		if weak && !opens(f, loc[0]) || needsMotion.MatchString(word) && !spoken && !opens(f, loc[0]) {
			continue
		}
		rest := p.text[original(loc[1]):s.to]
		if n, length, ok := r.nameAt(rest); ok && len(strings.Fields(n.Text)) <= 4 && !(weak && (n.Text == "" || n.Office == "" && !r.isMember(n) &&
			!r.x.secondBy.MatchString(f[loc[1]:]))) {
			m.mover, m.moved = &n, true
			r.slash(rest, length, m)
		} else if strings.HasSuffix(strings.TrimRight(word, " :"), "by") && spoken {
			m.moved = true
		}
	}
	for _, loc := range r.x.moves.FindAllStringIndex(f, 8) {
		if m.mover != nil || !strings.Contains(f[loc[0]:loc[1]], "motion") && !strings.HasPrefix(f[loc[0]:], "introduced ") && !strings.HasPrefix(f[loc[0]:], "offered ") && !behindMoved.MatchString(f[loc[1]:]) || strings.HasPrefix(f[loc[1]:], " by ") && strings.Contains(f[loc[0]:loc[1]], "moved") {
			continue
		}
		before := loc[0]
		if at := r.secondBefore(f[:loc[0]]); at > 0 {
			before = at // Doe, seconded by Roe, moved
		}
		if n, ok := r.nameBefore(strings.TrimRight(p.text[s.from:original(before)], " ,\n")); ok {
			m.mover, m.moved = &n, true
		} else if f[loc[0]:loc[1]] != "proposed" && strings.Contains(f[loc[0]:loc[1]], "motion") {
			m.moved = true
		}
	}
	if loc := colonMotion.FindStringIndex(f); loc != nil && m.mover == nil {
		if n, length, ok := r.nameAt(p.text[original(loc[1]):s.to]); ok && n.Text != "" &&
			strings.Trim(p.text[original(loc[1]):s.to][length:], " .,;") == "" {
			m.mover, m.moved = &n, true
		}
	}
	if unnamedMotion.MatchString(f) {
		m.moved = true
	}
	r.secondIn(p, s, f, base, m)
	if m.mover == nil && (strings.Contains(f, "motion") || strings.Contains(f, "amendment") || strings.Contains(f, "proposal")) {
		r.moverBy(p, s, f, base, m)
	}
	m.mover, m.seconder = r.plausible(m.mover), r.plausible(m.seconder)
	if !m.moved && !m.seconded && m.seconder == nil {
		return nil
	}
	m.text = council.Fold(p.text[s.from:s.to])
	m.kind = kindOf(f)
	m.bare = bareMotion(f)
	return m
}

// slash reads the seconder behind the mover in "by Doe/Roe".
func (r *reader) slash(rest string, length int, m *motion) {
	if length < len(rest) && rest[length] == '/' {
		if n, _, ok := r.nameAt(rest[length+1:]); ok {
			m.seconder, m.seconded = &n, true
		}
	}
}

// colonMotion matches a motion with its mover behind a colon: "Motion to approve: Doe. Second: Roe."
var colonMotion = regexp.MustCompile(`\bmotion (?:to|for) [a-z ,-]{2,50}: *`)

// secondBefore returns where "seconded by Roe" begins, if it stands between a mover and the verb, or
// 0.
func (r *reader) secondBefore(f string) int {
	locs := r.x.secondBy.FindAllStringIndex(f, 4)
	if len(locs) == 0 {
		return 0
	}
	last := locs[len(locs)-1]
	if len(f)-last[1] > 60 || last[0] < 3 || !strings.HasSuffix(strings.TrimRight(f[:last[0]], " "), ",") {
		return 0
	}
	return last[0]
}

var byName = regexp.MustCompile(`\bby\s+`)

// moverBy reads a mover who stands behind the motion: "Motion to approve the minutes by Trustee Doe,
// second by Trustee Roe", "… by Trustee Doe."
func (r *reader) moverBy(p *paragraph, s span, f string, base int, m *motion) {
	for _, loc := range byName.FindAllStringIndex(f, 30) {
		if strings.Contains(f[max(0, loc[0]-12):loc[0]], "second") || strings.HasSuffix(f[:loc[0]], "amended ") {
			continue
		}
		n, length, ok := r.nameAt(p.text[p.offset(base+loc[1]):s.to])
		if !ok || n.Text == "" || len(strings.Fields(n.Text)) > 4 {
			continue
		}
		all := p.text[p.offset(base+loc[1]):s.to]
		if r.slash(all, length, m); m.seconder != nil && length < len(all) && all[length] == '/' {
			m.mover, m.moved = &n, true
			return
		}
		rest := strings.TrimLeft(p.text[min(p.offset(base+loc[1])+length, s.to):s.to], " \n")
		rest = strings.TrimLeft(rest, ".,;")
		rest = strings.ToLower(strings.TrimSpace(rest))
		if rest == "" && (n.Office != "" || r.isMember(n)) || strings.HasPrefix(rest, "second") || strings.HasPrefix(rest, "and second") || strings.HasPrefix(rest, "with ") ||
			strings.HasPrefix(rest, "support") {
			m.mover, m.moved = &n, true
			return
		}
	}
}

// secondIn reads who seconded a motion.
func (r *reader) secondIn(p *paragraph, s span, f string, base int, m *motion) {
	if m.seconder != nil {
		return
	}
	original := func(i int) int { return p.offset(base + i) }
	for _, loc := range r.x.secondBy.FindAllStringIndex(f, 8) {
		word := strings.TrimRight(f[loc[0]:loc[1]], " :.-")
		by := strings.Contains(word, " ") || strings.Contains(f[loc[0]:loc[1]], ":") || word == "seconder"
		if !by && !opens(f, loc[0]) && !strings.HasPrefix(word, "seconded") {
			continue
		}
		if n, _, ok := r.nameAt(p.text[original(loc[1]):s.to]); ok {
			m.seconder, m.seconded = &n, true
			return
		}
		if strings.HasSuffix(word, " by") || strings.HasSuffix(word, " from") {
			m.seconded = true
		}
	}
	for _, loc := range r.x.seconds.FindAllStringIndex(f, 8) {
		rest := strings.TrimLeft(f[loc[1]:], " ")
		word := f[loc[0]:loc[1]]
		if word == "supported" && !strings.HasPrefix(rest, "the motion") || (word == "second" || word == "seconds" || word == "2nd") &&
			rest != "" && !strings.HasPrefix(rest, "the motion") && !strings.ContainsAny(rest[:1], ".,;)") {
			continue
		}
		before := strings.TrimRight(p.text[s.from:original(loc[0])], " \n")
		if strings.HasSuffix(before, ",") && !strings.HasPrefix(rest, "the ") && !strings.HasPrefix(rest, "it") {
			continue // "by Trustee Doe, seconded a resident"
		}
		if n, ok := r.nameBefore(before); ok {
			m.seconder, m.seconded = &n, true
			return
		}
	}
	if unnamedSecond.MatchString(f) {
		m.seconded = true
	}
}

// opens reports whether a clause or a row begins at byte i.
func opens(f string, i int) bool {
	before := strings.TrimRight(f[:i], " \"'")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".,;:([|-") || strings.HasSuffix(before, " and") ||
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
		case "moved", "by", "seconded", "motion", "second", "the", "and", "was", "a", "made", "proposed", "mover", "seconder", "it", "councillor",
			"councilmember", "member", "mr", "ms", "mrs", "cllr", "duly", "of", "on", "upon", "proposer", "council", "carried", "unanimously", "all",
			"in", "favor", "favour", "agreed", "is", "were", "against", "abstained", "voted", "vote", "no", "yes", "one", "two", "three", "four",
			"five", "six", "seven", "eight", "nine", "ten", "councilor", "commissioner", "trustee", "supervisor", "director", "alderman", "mayor":
		default:
			n++
		}
	}
	return n <= 6
}

// namedLine reads a motion whose first line has only the names of mover and seconder: "R2024-063 S.
// Doe, J. Roe:" above "That …".
func (r *reader) namedLine(k int) *motion {
	p := r.paras[k]
	line, below, more := strings.Cut(p.text, "\n")
	if !more && k+1 < len(r.paras) {
		below = r.paras[k+1].text
	}
	if len(line) > 90 || !strings.Contains(line, ",") && !strings.Contains(line, "/") && !strings.Contains(line, " and ") ||
		!thatMoves.MatchString(strings.TrimLeft(below, "“\"")) {
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
	return &motion{mover: &l.Names[0], seconder: &l.Names[1], moved: true, seconded: true, text: council.Fold(p.text), bare: !more}
}
