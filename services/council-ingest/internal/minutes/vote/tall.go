package vote

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Labels can stand beside the middle of a list that is several lines high: then
// the list begins above its label.

// tallListAbove is the first line of the list whose label at line i, the first
// of its table, is centred beside it; i when nothing of it stands higher.
func (s *Reader) tallListAbove(i, floor int) int {
	kind, value, ok := s.LabelAt(i)
	if ok && kind == dialect.Result && value == "" {
		return s.resultAbove(i, floor)
	}
	if !ok || !kind.IsList() || value == "" {
		return i
	}
	column := s.Rows[i].Indent + len(s.Rows[i].Text) - len(value)
	from := i
	for from > max(i-6, floor) {
		up := s.Rows[from-1]
		if off := up.Indent - column; up.Text == "" || off < -2 || off > 2 || !s.IsPersonShaped(up.Text) || !s.opensTallList(from-1) {
			break
		}
		from--
	}
	return from
}

// opensTallList reports whether line j begins a list that goes on beside its
// label: it ends with a comma, or in the middle of a member's name.
func (s *Reader) opensTallList(j int) bool {
	text := s.Rows[j].Text
	if shape.IsOpenList(text) {
		return true
	}
	for k := j + 1; strings.ContainsAny(text, ",;") && k < len(s.Rows) && k < j+8 && s.Rows[k].Text != ""; k++ {
		if _, value, ok := s.LabelAt(k); ok {
			return value != "" && (s.People.Whole(text, value) || strings.ContainsAny(value, ",;") && s.IsPersonShaped(value))
		}
		text = s.Rows[k].Text
	}
	return false
}

// resultAbove is the line of the value of a RESULT label at line i whose own
// line is empty, where it stands right above the label and nothing that could be
// it stands below; else i.
func (s *Reader) resultAbove(i, floor int) int {
	up := i - 1
	for up > max(i-3, floor) && s.Rows[up].Text == "" {
		up--
	}
	if up < floor || strings.IndexByte(s.Rows[up].Text, '[') < 0 || !s.LooksLikeResult(s.Rows[up].Text) {
		return i
	}
	if next := s.Next(i + 1); next >= 0 {
		if _, _, ok := s.LabelAt(next); !ok {
			return i
		}
	}
	return up
}
