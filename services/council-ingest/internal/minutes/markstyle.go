package minutes

import "strings"

// markStyle is a way of numbering items that is common in running text too, so
// that it counts only in a document that numbers its items by it.
type markStyle int

const (
	noStyle     markStyle = iota
	figureParen           // 1)
	figureBoth            // (1)
	letterParen           // a)
	letterBoth            // (a)
	upperParen            // A)
	upperBoth             // (A)
	lowerDotted           // a.
	itemWord              // Item 5: or Item No. 5.
	styles
)

// readStyled reads a marker of one of these styles; noStyle when there is none.
func readStyled(text string) (marker, markStyle) {
	n, style := 0, figureParen
	both := len(text) > 0 && text[0] == '('
	if both {
		n = 1
	}
	from := n
	n += leadingDigits(text[n:], 3)
	m := marker{kind: markNumber}
	switch {
	case n > from:
		m.value = atoi(text[from:n])
	case n < len(text) && letter(text[n]):
		m.kind, m.value, style = markLetter, int(text[n]&^0x20-'A')+1, letterParen
		if upper(text[n]) {
			style = upperParen
		}
		n++
		if n < len(text) && text[n] == text[n-1] {
			m.value += 26 // aa) after z)
			n++
		}
	default:
		return m, noStyle
	}
	switch {
	case n < len(text) && text[n] == ')':
		if both {
			style++
		}
	case n < len(text) && text[n] == '.' && style == letterParen && !both:
		style = lowerDotted
	default:
		return readItemWord(text)
	}
	n++
	if n < len(text) && text[n] != ' ' {
		return m, noStyle
	}
	m.label = text[:n]
	return withRest(m, text, n), style
}

// readItemWord reads "Item 5:", "ITEM NO. 5." and "Item #5 -".
func readItemWord(text string) (marker, markStyle) {
	if len(text) < 6 || !strings.EqualFold(text[:5], "item ") {
		return marker{}, noStyle
	}
	n := 5
	for _, no := range []string{"No. ", "NO. ", "#"} {
		if strings.HasPrefix(text[n:], no) {
			n += len(no)
		}
	}
	from := n
	n += leadingDigits(text[n:], 3)
	if n == from || n == len(text) || text[n] != ':' && text[n] != '.' {
		return marker{}, noStyle
	}
	m := marker{kind: markNumber, value: atoi(text[from:n]), label: text[:n+1]}
	if n+1 < len(text) && text[n+1] != ' ' {
		return m, noStyle
	}
	return withRest(m, text, n+1), itemWord
}

// itemStyle is the style by which a document numbers what it votes on, apart
// from those that every document may use: a single marker of it, and no other
// behind it, stands before most tables. A list within an item has several.
func (s *scan) itemStyle() markStyle {
	var own [styles]int
	plain, tables := 0, 0
	style, count := noStyle, 0 // -1 behind a plain marker, -2 behind a bullet
	for i := range s.lines {
		text := s.lines[i].text
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
			style, count = noStyle, 0
			continue
		}
		if m, ok := readMarker(text); ok {
			switch {
			case m.kind == markBullet:
				style, count = noStyle, -2
			case m.text == "" || isTitleShaped(m.text):
				style, count = noStyle, -1
			}
		} else if count == -2 {
			continue // a list under a bullet
		} else if m, found := readStyled(text); found != noStyle && (m.text == "" || isTitleShaped(m.text)) {
			if found != style {
				style, count = found, 0
			}
			count++
		}
	}
	best := noStyle
	for style, n := range own {
		if n >= 2 && n*4 >= tables && n > plain && n > own[best] {
			best = markStyle(style)
		}
	}
	return best
}
