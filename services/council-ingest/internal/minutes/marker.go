package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// markerAt reads the marker at line i, if there is one. The initial of a member
// is none: "A. Doe, Roe and Poe".
func (s *scan) markerAt(i int) (shape.Marker, bool) {
	text := s.lines[i].Text
	m, ok := shape.ReadMarker(text)
	if !ok && s.style != shape.NoStyle {
		var style shape.Style
		if m, style = shape.ReadStyled(text); style == s.style {
			m.Style = style
			return m, true
		}
		return shape.Marker{}, false
	}
	if ok && len(m.Label) == 2 && shape.IsUpper(m.Label[0]) && m.Col == 3 && m.Text != "" && s.isInitial(text) {
		return shape.Marker{}, false
	}
	return m, ok
}

// isInitial reports whether a line begins with a member's name and goes on as a
// list of names or a sentence does.
func (s *scan) isInitial(text string) bool {
	for n, at := 0, 2; n < 4 && at < len(text); n++ {
		end := len(text)
		if i := strings.IndexByte(text[at+1:], ' '); i >= 0 {
			end = at + 1 + i
		}
		rest := strings.TrimLeft(text[end:], " ")
		comma := text[end-1] == ',' || text[end-1] == ';'
		if comma || rest == "" || rest[0] >= 'a' && rest[0] <= 'z' {
			if s.people.Resolve(strings.TrimRight(text[:end], ",;")).Match <= council.MatchGiven {
				return true
			}
		}
		if comma {
			return false
		}
		at = end
	}
	return false
}
