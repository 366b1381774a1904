package minutes

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Labels can stand beside the middle of a list that is several lines high: then
// the list begins above its label.

// tallListAbove is the first line of the list whose label at line i, the first
// of its table, is centred beside it; i when nothing of it stands higher.
func (s *scan) tallListAbove(i int) int {
	kind, value, ok := s.labelAt(i)
	if ok && kind == dialect.Result && value == "" {
		return s.resultAbove(i)
	}
	if !ok || !kind.IsList() || value == "" {
		return i
	}
	column := s.lines[i].Indent + len(s.lines[i].Text) - len(value)
	from := i
	for from > max(i-6, s.lastBlock, s.freshFrom) {
		up := s.lines[from-1]
		if off := up.Indent - column; up.Text == "" || off < -2 || off > 2 || !s.p.dialect.IsPersonShaped(up.Text) || !s.opensTallList(from-1) {
			break
		}
		from--
	}
	return from
}

// opensTallList reports whether line j begins a list that goes on beside its
// label: it ends with a comma, or in the middle of a member's name.
func (s *scan) opensTallList(j int) bool {
	text := s.lines[j].Text
	if shape.IsOpenList(text) {
		return true
	}
	for k := j + 1; strings.ContainsAny(text, ",;") && k < len(s.lines) && k < j+8 && s.lines[k].Text != ""; k++ {
		if _, value, ok := s.labelAt(k); ok {
			return value != "" && (s.wholeAcrossBreak(text, value) || strings.ContainsAny(value, ",;") && s.p.dialect.IsPersonShaped(value))
		}
		text = s.lines[k].Text
	}
	return false
}

// resultAbove is the line of the value of a RESULT label at line i whose own
// line is empty, where it stands right above the label and nothing that could be
// it stands below; else i.
func (s *scan) resultAbove(i int) int {
	up := i - 1
	for up > max(i-3, s.lastBlock, s.freshFrom) && s.lines[up].Text == "" {
		up--
	}
	if up < max(s.lastBlock, s.freshFrom) || strings.IndexByte(s.lines[up].Text, '[') < 0 || !s.p.dialect.LooksLikeResult(s.lines[up].Text) {
		return i
	}
	if next := s.nextText(i + 1); next >= 0 {
		if _, _, ok := s.labelAt(next); !ok {
			return i
		}
	}
	return up
}
