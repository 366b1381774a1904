package shape

import "strings"

// Style is a way of numbering items that is common in running text too, so
// that it counts only in a document that numbers its items by it.
type Style int

const (
	NoStyle     Style = iota
	figureParen       // 1)
	figureBoth        // (1)
	letterParen       // a)
	letterBoth        // (a)
	upperParen        // A)
	upperBoth         // (A)
	lowerDotted       // a.
	itemWord          // Item 5: or Item No. 5.
	Styles
)

// ReadStyled reads a marker of one of these styles; noStyle when there is none.
func ReadStyled(text string) (Marker, Style) {
	n, style := 0, figureParen
	both := len(text) > 0 && text[0] == '('
	if both {
		n = 1
	}
	from := n
	n += LeadingDigits(text[n:], 3)
	m := Marker{Kind: Number}
	switch {
	case n > from:
		m.Value = Atoi(text[from:n])
	case n < len(text) && IsLetter(text[n]):
		m.Kind, m.Value, style = Letter, int(text[n]&^0x20-'A')+1, letterParen
		if IsUpper(text[n]) {
			style = upperParen
		}
		n++
		if n < len(text) && text[n] == text[n-1] {
			m.Value += 26 // aa) after z)
			n++
		}
	default:
		return m, NoStyle
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
		return m, NoStyle
	}
	m.Label = text[:n]
	return withRest(m, text, n), style
}

// readItemWord reads "Item 5:", "ITEM NO. 5." and "Item #5 -".
func readItemWord(text string) (Marker, Style) {
	if len(text) < 6 || !strings.EqualFold(text[:5], "item ") {
		return Marker{}, NoStyle
	}
	n := 5
	for _, no := range []string{"No. ", "NO. ", "#"} {
		if strings.HasPrefix(text[n:], no) {
			n += len(no)
		}
	}
	from := n
	n += LeadingDigits(text[n:], 3)
	if n == from || n == len(text) || text[n] != ':' && text[n] != '.' {
		return Marker{}, NoStyle
	}
	m := Marker{Kind: Number, Value: Atoi(text[from:n]), Label: text[:n+1]}
	if n+1 < len(text) && text[n+1] != ' ' {
		return m, NoStyle
	}
	return withRest(m, text, n+1), itemWord
}
