package pdffile

import (
	"bytes"
	"math"
	"strconv"
)

// space moves past white space and comments.
func (l *Lexer) space() {
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		if c == '%' {
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		} else if isSpace(c) {
			l.pos++
		} else {
			return
		}
	}
}

func (l *Lexer) name() Name {
	start := l.pos
	escaped := false
	for l.pos < len(l.data) && !isSpace(l.data[l.pos]) && !isDelim(l.data[l.pos]) {
		escaped = escaped || l.data[l.pos] == '#'
		l.pos++
	}
	raw := l.data[start:l.pos]
	if !escaped {
		return Name(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if hi, lo := unhex(raw[i+1]), unhex(raw[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return Name(out)
}

func (l *Lexer) literal() String {
	var out []byte
	depth := 1
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		l.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return String(out)
			}
		case '\r': // an end of line of any kind is \n
			if l.peek(0) == '\n' {
				l.pos++
			}
			c = '\n'
		case '\\':
			if l.pos >= len(l.data) {
				break
			}
			c = l.data[l.pos]
			l.pos++
			switch c {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case '\r':
				if l.peek(0) == '\n' {
					l.pos++
				}
				continue
			case '\n':
				continue
			case '0', '1', '2', '3', '4', '5', '6', '7':
				n := int(c - '0')
				for i := 0; i < 2 && l.peek(0) >= '0' && l.peek(0) <= '7'; i++ {
					n = n<<3 | int(l.data[l.pos]-'0')
					l.pos++
				}
				c = byte(n)
			}
		}
		out = append(out, c)
	}
	l.odd = true
	return String(out)
}

func (l *Lexer) hex() String {
	var out []byte
	hi := -1
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		l.pos++
		if c == '>' {
			break
		}
		d := unhex(c)
		switch {
		case d < 0: // white space, or rubbish that every reader skips
			l.odd = l.odd || !isSpace(c)
		case hi < 0:
			hi = d
		default:
			out = append(out, byte(hi<<4|d))
			hi = -1
		}
	}
	if hi >= 0 {
		out = append(out, byte(hi<<4))
	}
	return String(out)
}

// number reads an integer or a real, and forgives what producers write:
// "--5", "5-", "1.2.3", ".", "0.-5". Out of reach numbers are clamped.
func (l *Lexer) number() Object {
	start := l.pos
	dots, plain := 0, true
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		if c == '.' {
			dots++
		} else if c == '-' || c == '+' {
			plain = plain && l.pos == start
		} else if !isDigit(c) {
			break
		}
		l.pos++
	}
	tok := l.data[start:l.pos]
	// A word that begins like a number ("1bit", "-x") is a word.
	if l.pos < len(l.data) && !isSpace(l.data[l.pos]) && !isDelim(l.data[l.pos]) && len(bytes.Trim(tok, "+-.")) == 0 {
		l.pos = start
		return l.word()
	}
	if dots == 0 && plain {
		if n, err := strconv.Atoi(string(tok)); err == nil {
			return n
		}
	}
	l.odd = l.odd || dots > 1
	neg := tok[0] == '-'
	tok = bytes.TrimLeft(tok, "+-")
	if i := bytes.IndexAny(tok, "+-"); i >= 0 {
		tok = tok[:i]
	}
	if i := bytes.IndexByte(tok, '.'); i >= 0 {
		if j := bytes.IndexByte(tok[i+1:], '.'); j >= 0 {
			tok = tok[:i+1+j]
		}
	}
	x, _ := strconv.ParseFloat(string(tok), 64)
	if math.IsInf(x, 0) || math.IsNaN(x) {
		x = math.MaxFloat32
	}
	if neg {
		x = -x
	}
	if dots == 0 && math.Abs(x) < 1e15 {
		return int(x)
	}
	return x
}

func (l *Lexer) word() Object {
	start := l.pos
	for l.pos < len(l.data) && !isSpace(l.data[l.pos]) && !isDelim(l.data[l.pos]) {
		l.pos++
	}
	if l.pos == start {
		l.pos++
	}
	switch w := string(l.data[start:l.pos]); w {
	case "true":
		return true
	case "false":
		return false
	default:
		return Keyword(w)
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelim(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
