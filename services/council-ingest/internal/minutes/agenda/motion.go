package agenda

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

type motionKind int

const (
	mainMotion motionKind = iota
	amendment
	otherMotion // to table, postpone, divide, call the question, reconsider or substitute
)

// A Motion is a sentence that states a member's motion.
type Motion struct {
	Text     string
	Who      string // resolved name of the mover; "" if unclear
	Mover    string // printed name, if the mover is not the subject of the sentence
	Seconder string // printed name, in the same case

	kind    motionKind
	line    int
	decided bool // decided or withdrawn
}

const (
	maxMotionLines = 60 // largest number of lines of a motion
	maxMotions     = 60 // largest number of motions on an item
)

type motionList struct {
	*Reader
	motions []*Motion
}

func (s *motionList) Read(i int) bool {
	start, who, ok := s.MotionAt(i)
	if !ok {
		return false
	}
	m := &Motion{line: i, Who: who}
	if s.Stating && dialect.FindPassive(s.Rows[i].Text) >= 0 {
		m.Text = s.passive(i, start)
		m.Mover, m.Seconder = moversIn(m.Text)
	} else {
		m.Text = s.sentence(i, start)
	}
	m.kind = kindOf(m.Text)
	s.motions = append(s.motions, m)
	s.motions = s.motions[max(0, len(s.motions)-maxMotions):]
	return true
}

func (s *motionList) Clear() { s.motions = nil }

func (s *motionList) Last() *Motion {
	if len(s.motions) == 0 {
		return nil
	}
	return s.motions[len(s.motions)-1]
}

func (s *motionList) IsPending() bool {
	return slices.ContainsFunc(s.motions, func(m *Motion) bool { return !m.decided })
}

func (s *motionList) pending(line int) []*Motion {
	return slices.DeleteFunc(slices.Clone(s.motions), func(m *Motion) bool { return m.decided || m.line >= line })
}

// decide removes a pending motion, and the secondary motions that were made after it.
func (s *motionList) decide(pending []*Motion, m *Motion) {
	for _, later := range pending[slices.Index(pending, m):] {
		later.decided = true
	}
	s.motions = slices.DeleteFunc(s.motions, func(m *Motion) bool { return m.decided })
}

// Decide finds the motion that the table at a line decides. The table above ends before line from.
// The label above the table decides ("VOTE ON THE MAIN MOTION"), then the mover, then the order:
// the last motion is voted on first.
func (s *motionList) Decide(line, from int, mover string) *Motion {
	pending := s.pending(line)
	if len(pending) == 0 {
		return nil
	}
	pick := func(fits func(*Motion) bool) *Motion {
		for _, m := range slices.Backward(pending) {
			if fits(m) {
				return m
			}
		}
		return nil
	}
	byMover := func(m *Motion) bool { return mover != "" && m.Who == mover }
	var m *Motion
	kind, known := s.labelledKind(line, from)
	if known {
		fits := func(m *Motion) bool {
			return (m.kind == mainMotion) == (kind == mainMotion) && (kind != amendment || m.kind == amendment)
		}
		m = pick(func(m *Motion) bool { return fits(m) && byMover(m) })
		if m == nil {
			m = pick(fits)
		}
	}
	if m == nil {
		m = pick(byMover)
	}
	if m == nil {
		if known {
			return nil // the motion that the label names was not read
		}
		m = pending[len(pending)-1]
	}
	s.decide(pending, m)
	return m
}

func kindOf(text string) motionKind {
	l := strings.ToLower(text)
	if strings.Contains(l, "substitute motion") {
		return otherMotion
	}
	if i := strings.Index(l, "motion"); i >= 0 {
		l = l[i:]
	} else if i := strings.Index(l, "moved"); i >= 0 {
		l = l[i:]
	}
	l = l[:min(len(l), 60)]
	switch {
	case strings.Contains(l, "to amend"):
		return amendment
	case lex.ContainsAny(l, "to table", "postpone", "question", "to divide", "reconsider", "substitute", "to refer"):
		return otherMotion
	}
	return mainMotion
}

// labelledKind reads the label above a table: "VOTE ON THE MOTION TO AMEND".
func (s *motionList) labelledKind(at, from int) (motionKind, bool) {
	label := ""
	for j, left := at-1, 24; j >= 0 && left > 0 && j >= from; j, left = j-1, left-1 {
		text := s.Rows[j].Text
		l := strings.ToLower(text)
		if i := strings.Index(l, "vote on"); i >= 0 && (i == 0 || text[i] == 'V') {
			label = l[i:]
			for k := j + 1; k < at && k < j+4 && s.Rows[k].Text != "" && !strings.Contains(label, ":"); k++ {
				label += " " + strings.ToLower(s.Rows[k].Text)
			}
			break
		}
	}
	label, _, _ = strings.Cut(label, ":")
	switch {
	case lex.ContainsAny(label, "as amend", "as amdend"):
		return mainMotion, true
	case strings.Contains(label, "amend"):
		return amendment, true
	case lex.ContainsAny(label, "main", "primary"):
		return mainMotion, true
	case lex.ContainsAny(label, "table", "postpone", "question", "divide", "substitute", "reconsider"):
		return otherMotion, true
	}
	return mainMotion, false
}

// Withdraw removes a motion that its mover withdraws at line i, and the secondary motions that were
// made after it.
func (s *motionList) Withdraw(i int) {
	text := s.Rows[i].Text
	at := strings.Index(text, " withdrew")
	if at < 0 || len(s.motions) == 0 {
		return
	}
	subject := council.FoldName(text[rows.SentenceStart(text, at):at])
	for k, m := range slices.Backward(s.motions) {
		if !m.decided && m.Who != "" && strings.Contains(subject, council.FoldName(council.LastName(m.Who))) {
			for _, later := range s.motions[k:] {
				later.decided = true
			}
			return
		}
	}
}

// passive returns the sentence "A motion was made by Trustee Doe, seconded by Trustee Roe, that …"
// that begins at column start of line i.
func (s *motionList) passive(i, start int) string {
	parts := []string{s.Rows[i].Text[start:]}
	for j := i + 1; j < len(s.Rows) && j < i+maxMotionLines; j++ {
		text := s.Rows[j].Text
		if text == "" {
			break
		}
		if s.Rows[j].Stated != nil && s.Rows[j].Stated.From == j && endsSentence(lex.Join(parts)) {
			break
		}
		parts = append(parts, text)
	}
	text := lex.Join(parts)
	for from := 0; ; {
		end := strings.Index(text[from:], ". ")
		if end < 0 {
			return text
		}
		end += from
		from = end + 2
		if !rows.IsAbbreviation(text[:end]) && endsSentence(text[:end+1]) {
			return text[:end+1]
		}
	}
}

func endsSentence(text string) bool {
	return strings.HasSuffix(text, ".") && strings.Count(text, "“") <= strings.Count(text, "”") &&
		strings.Count(text, "\"")%2 == 0
}

func moversIn(text string) (mover, seconder string) {
	upTo := func(rest string) string {
		for _, end := range []string{", and seconded", " and seconded", ",", " that ", " to "} {
			if i := strings.Index(rest, end); i >= 0 {
				rest = rest[:i]
			}
		}
		if len(rest) > 60 {
			return ""
		}
		return strings.TrimRight(rest, ". ")
	}
	if who, rest, found := strings.Cut(text, ", seconded by "); found && len(who) < 60 && !strings.Contains(who, "otion") {
		second, _, _ := strings.Cut(rest, " moved ") // as in "Trustee Doe, seconded by Trustee Roe, moved that"
		return who, strings.TrimRight(second, ", ")
	}
	for _, by := range []string{"made by ", "otion by ", "otion of "} {
		if _, rest, found := strings.Cut(text, by); found {
			mover = upTo(rest)
			break
		}
	}
	for _, by := range []string{"econded by ", "second by "} {
		if _, rest, found := strings.Cut(text, by); found {
			seconder = upTo(rest)
			break
		}
	}
	return strings.ReplaceAll(mover, "- ", "-"), strings.ReplaceAll(seconder, "- ", "-")
}

// DecideStated finds the motion whose outcome a sentence states. "The motion to amend carried" is
// about the last amendment, "The motion carried" about the last motion.
func (s *motionList) DecideStated(sentence string, line int) *Motion {
	pending := s.pending(line + 1)
	if len(pending) == 0 {
		return nil
	}
	m := pending[len(pending)-1]
	if _, what, named := strings.Cut(strings.ToLower(sentence), "motion to "); named {
		kind := kindOf("motion to " + what)
		m = nil
		for _, other := range slices.Backward(pending) {
			if statedKind(other.Text) == kind {
				m = other
				break
			}
		}
		if m == nil {
			return nil
		}
	}
	s.decide(pending, m)
	return m
}

// statedKind reads the kind of a motion in the passive voice: "that this Ordinance be amended by
// …".
func statedKind(text string) motionKind {
	l := strings.ToLower(text)
	if _, what, found := strings.Cut(l, " be "); found {
		switch {
		case strings.HasPrefix(what, "amended"):
			return amendment
		case lex.HasAnyPrefix(what, "tabled", "postponed", "divided", "reconsidered", "substituted", "referred", "untabled",
			"held"):
			return otherMotion
		}
		return mainMotion
	}
	return kindOf(text)
}

// Settle removes the motion whose outcome line i states without a roll call, as in "The motion to
// amend carried by a voice vote." It reports whether there is such a motion.
func (s *motionList) Settle(i int) bool {
	text := s.Rows[i].Text
	at := max(strings.LastIndex(text, "The motion "), strings.LastIndex(text, "The Motion "))
	if at < 0 || !dialect.Decides(text[at:]) {
		if at < 0 || i+1 >= len(s.Rows) || !dialect.Decides(text[at:]+" "+s.Rows[i+1].Text) {
			return false
		}
	}
	s.DecideStated(text[at:], i)
	return true
}
