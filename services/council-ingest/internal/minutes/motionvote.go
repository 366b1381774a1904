package minutes

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// openMotion reports whether a motion waits for its vote.
func (s *scan) openMotion() bool {
	for _, m := range s.motions {
		if !m.taken {
			return true
		}
	}
	return false
}

// takeMotion finds the motion on which a block is the vote. The label above
// the table ("VOTE ON THE MAIN MOTION") decides, then the mover, then order:
// what was moved last is voted on first.
func (s *scan) takeMotion(b *block) *motion {
	var open []*motion
	for _, m := range s.motions {
		if !m.taken && m.line < b.line {
			open = append(open, m)
		}
	}
	if len(open) == 0 {
		return nil
	}
	pick := func(fits func(*motion) bool) *motion {
		for i := len(open) - 1; i >= 0; i-- {
			if fits(open[i]) {
				return open[i]
			}
		}
		return nil
	}
	byMover := func(m *motion) bool { return b.mover != "" && m.who == b.mover }
	var m *motion
	kind, known := s.labelledKind(b.line)
	if known {
		fits := func(m *motion) bool {
			return (m.Kind == motionMain) == (kind == motionMain) && (kind != motionAmend || m.Kind == motionAmend)
		}
		if m = pick(func(m *motion) bool { return fits(m) && byMover(m) }); m == nil {
			m = pick(fits)
		}
	}
	if m == nil {
		if m = pick(byMover); m == nil && known {
			return nil // what the label speaks of was not read
		}
	}
	if m == nil {
		m = open[len(open)-1]
	}
	// What was moved on top of it is settled with it.
	for i := len(open) - 1; i >= 0; i-- {
		open[i].taken = true
		if open[i] == m {
			break
		}
	}
	s.motions = slices.DeleteFunc(s.motions, func(m *motion) bool { return m.taken })
	return m
}

// labelledKind reads the label above a table: "VOTE ON THE MOTION TO AMEND",
// "Vote on the Main Motion:".
func (s *scan) labelledKind(at int) (motionKind, bool) {
	label := ""
	for j, left := at-1, 24; j >= 0 && left > 0 && j >= s.previousBlock(at); j, left = j-1, left-1 {
		text := s.lines[j].Text
		l := strings.ToLower(text)
		if i := strings.Index(l, "vote on"); i >= 0 && (i == 0 || text[i] == 'V') {
			label = l[i:]
			for k := j + 1; k < at && k < j+4 && s.lines[k].Text != "" && !strings.Contains(label, ":"); k++ {
				label += " " + strings.ToLower(s.lines[k].Text)
			}
			break
		}
	}
	if i := strings.IndexByte(label, ':'); i >= 0 {
		label = label[:i]
	}
	switch {
	case label == "":
		return 0, false
	case strings.Contains(label, "as amend"), strings.Contains(label, "as amdend"):
		return motionMain, true
	case strings.Contains(label, "amend"):
		return motionAmend, true
	case strings.Contains(label, "main"), strings.Contains(label, "primary"):
		return motionMain, true
	case strings.Contains(label, "table"), strings.Contains(label, "postpone"), strings.Contains(label, "question"), strings.Contains(label, "divide"),
		strings.Contains(label, "substitute"), strings.Contains(label, "reconsider"):
		return motionOther, true
	}
	return 0, false
}

// previousBlock is the line after the last table before line at.
func (s *scan) previousBlock(at int) int {
	if s.blockBefore < at {
		return s.blockBefore
	}
	return 0
}

// withdrawn takes back a motion whose mover withdrew it, and what was moved
// on top of it. line i says so.
func (s *scan) withdrawn(i int) {
	text := s.lines[i].Text
	at := strings.Index(text, " withdrew")
	if at < 0 || len(s.motions) == 0 {
		return
	}
	subject := text[sentenceStart(text, at):at]
	for k := len(s.motions) - 1; k >= 0; k-- {
		m := s.motions[k]
		if !m.taken && m.who != "" && strings.Contains(council.FoldName(subject), council.FoldName(council.LastName(m.who))) {
			for _, later := range s.motions[k:] {
				later.taken = true
			}
			return
		}
	}
}
