package rows

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// isFlat reports whether hardly any line is indented or has gaps, as in text
// extracted without regard to columns.
func (doc *Doc) isFlat() bool {
	text, indented := 0, 0
	for _, ln := range doc.Rows {
		if ln.Text != "" {
			text++
			if ln.Indent > 1 || strings.Contains(ln.Text, "   ") {
				indented++
			}
		}
	}
	return indented*20 < text
}

// lineWidth is the column of the right margin: one that only few lines pass.
func (doc *Doc) lineWidth() int {
	var count [201]int
	total := 0
	for _, ln := range doc.Rows {
		if n := len(ln.Text); n > 20 {
			count[min(ln.Indent+n, 200)]++
			total++
		}
	}
	seen := 0
	for n := 200; n > 0; n-- {
		if seen += count[n]; seen*30 > total {
			return n
		}
	}
	return 80
}

// hangsTitles reports whether titles that run over their line always go on
// further right than their numbers stand.
func (doc *Doc) hangsTitles() bool {
	if doc.Flat {
		return false
	}
	right, flush := 0, 0
	for i := 0; i+1 < len(doc.Rows); i++ {
		m, next := doc.Rows[i].mark, doc.Rows[i+1]
		if !doc.Rows[i].marked || m.Kind == shape.Bullet || m.Text == "" || next.Text == "" || next.NewPage || next.Result || doc.Fits(i, next.Text) || next.marked {
			continue
		}
		if next.Indent > doc.Rows[i].Indent+1 {
			right++
		} else {
			flush++
		}
	}
	return right >= 3 && flush == 0
}

// itemStyle is the style by which a document numbers what it votes on, apart
// from those that every document may use: a single marker of it, and no other
// behind it, stands before most tables. A list within an item has several.
func (doc *Doc) itemStyle() shape.Style {
	var own [shape.Styles]int
	plain, tables := 0, 0
	style, count := shape.NoStyle, 0 // -1 behind a plain marker, -2 behind a bullet
	for i, r := range doc.Rows {
		switch m, found := shape.ReadStyled(r.Text); {
		case r.Text == "":
		case r.Result:
			tables++
			switch count {
			case 1:
				own[style]++
			case -1:
				plain++
			}
			style, count = shape.NoStyle, 0
		case r.marked && r.mark.Kind == shape.Bullet:
			style, count = shape.NoStyle, -2
		case r.marked:
			if r.mark.Kind == shape.Letter && !doc.BreakBefore(i) {
				continue // the initial of a name: "seconded by Trustee" and "A. Doe."
			}
			if r.mark.Text == "" || shape.IsTitle(r.mark.Text) {
				style, count = shape.NoStyle, -1
			}
		case count == -2: // a list under a bullet
		case found != shape.NoStyle && (m.Text == "" || shape.IsTitle(m.Text)):
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
