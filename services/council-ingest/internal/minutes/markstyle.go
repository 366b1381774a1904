package minutes

import "github.com/townline/townline/services/council-ingest/internal/minutes/shape"

// itemStyle is the style by which a document numbers what it votes on, apart
// from those that every document may use: a single marker of it, and no other
// behind it, stands before most tables. A list within an item has several.
func (s *scan) itemStyle() shape.Style {
	var own [shape.Styles]int
	plain, tables := 0, 0
	style, count := shape.NoStyle, 0 // -1 behind a plain marker, -2 behind a bullet
	for i := range s.lines {
		text := s.lines[i].Text
		if text == "" {
			continue
		}
		if s.isResultLabel(i) {
			tables++
			switch count {
			case 1:
				own[style]++
			case -1:
				plain++
			}
			style, count = shape.NoStyle, 0
			continue
		}
		if m, ok := shape.ReadMarker(text); ok {
			switch {
			case m.Kind == shape.Bullet:
				style, count = shape.NoStyle, -2
			case m.Text == "" || shape.IsTitle(m.Text):
				style, count = shape.NoStyle, -1
			}
		} else if count == -2 {
			continue // a list under a bullet
		} else if m, found := shape.ReadStyled(text); found != shape.NoStyle && (m.Text == "" || shape.IsTitle(m.Text)) {
			if found != style {
				style, count = found, 0
			}
			count++
		}
	}
	best := shape.NoStyle
	for style, n := range own {
		if n >= 2 && n*4 >= tables && n > plain && n > own[best] {
			best = shape.Style(style)
		}
	}
	return best
}
