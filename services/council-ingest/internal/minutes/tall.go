package minutes

import "strings"

// Labels can stand beside the middle of a list that is several lines high: then
// the list begins above its label.

// tallListAbove is the first line of the list whose label at line i, the first
// of its table, is centred beside it; i when nothing of it stands higher.
func (s *scan) tallListAbove(i int) int {
	kind, value, ok := s.labelAt(i)
	if ok && kind == rowResult && value == "" {
		return s.resultAbove(i)
	}
	if !ok || !kind.isList() || value == "" {
		return i
	}
	column := s.lines[i].indent + len(s.lines[i].text) - len(value)
	from := i
	for from > max(i-6, s.lastBlock, s.freshFrom) {
		up := s.lines[from-1]
		if off := up.indent - column; up.text == "" || off < -2 || off > 2 || !s.p.dialect.isPersonShaped(up.text) || !s.opensTallList(from-1) {
			break
		}
		from--
	}
	return from
}

// opensTallList reports whether line j begins a list that goes on beside its
// label: it ends with a comma, or in the middle of a member's name.
func (s *scan) opensTallList(j int) bool {
	text := s.lines[j].text
	if isOpenList(text) {
		return true
	}
	for k := j + 1; strings.ContainsAny(text, ",;") && k < len(s.lines) && k < j+8 && s.lines[k].text != ""; k++ {
		if _, value, ok := s.labelAt(k); ok {
			return value != "" && (s.wholeAcrossBreak(text, value) || strings.ContainsAny(value, ",;") && s.p.dialect.isPersonShaped(value))
		}
		text = s.lines[k].text
	}
	return false
}

// resultAbove is the line of the value of a RESULT label at line i whose own
// line is empty, where it stands right above the label and nothing that could be
// it stands below; else i.
func (s *scan) resultAbove(i int) int {
	up := i - 1
	for up > max(i-3, s.lastBlock, s.freshFrom) && s.lines[up].text == "" {
		up--
	}
	if up < max(s.lastBlock, s.freshFrom) || strings.IndexByte(s.lines[up].text, '[') < 0 || !s.p.looksLikeResult(s.lines[up].text) {
		return i
	}
	if next := s.nextText(i + 1); next >= 0 {
		if _, _, ok := s.labelAt(next); !ok {
			return i
		}
	}
	return up
}
