// Package content splits content streams and CMaps (ISO 32000-1, 7.8.2) into operators with their
// operands. Packages page and fonts execute the operators.
package content

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// Operators calls each for every operator, with at most limit operands, which are valid only during
// the call. An inline image is one operator, EI.
func Operators(data []byte, limit int, each func(op string, args Operands)) {
	l := lexer{data: data}
	var args Operands
	for {
		switch o := l.next().(type) {
		case end:
			return
		case operator:
			if o == "ID" {
				l.skipInlineImage()
				o = "EI"
			}
			each(string(o), args)
			args = args[:0]
		default:
			if len(args) < limit {
				args = append(args, o)
			}
		}
	}
}

// Operands are the operands of an operator, or the elements of an array or a dictionary. An element
// is nil, a bool, float64, string, [Name] or Operands. An accessor returns the zero value if
// operand i has another type.
type Operands []any

// A Name is a PDF name without its slash.
type Name string

func operand[T any](a Operands, i int) (out T) {
	if i < len(a) {
		out, _ = a[i].(T)
	}
	return out
}

func (a Operands) Num(i int) float64 { return operand[float64](a, i) }

// Text returns the bytes of operand i if it is a string.
func (a Operands) Text(i int) string { return operand[string](a, i) }

func (a Operands) Name(i int) string { return string(operand[Name](a, i)) }

func (a Operands) Array(i int) Operands { return operand[Operands](a, i) }

func (a Operands) Nums() []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a.Num(i)
	}
	return out
}

const maxDepth = 100

type (
	operator string
	end      struct{}
)

// lexer splits bytes into objects and skips invalid bytes. A closing bracket is an operator.
type lexer struct {
	data  []byte
	pos   int
	depth int
}

func (l *lexer) next() any {
	l.skipSpace()
	if l.pos >= len(l.data) {
		return end{}
	}
	c := l.data[l.pos]
	switch {
	case l.has("<<"), l.has(">>"):
		l.pos += 2
		if c == '<' {
			return l.array(">>")
		}
		return operator(">>")
	case c == '+', c == '-', c == '.', isDigit(c):
		return l.number()
	case !isDelim(c):
		return l.word()
	}
	l.pos++
	switch c {
	case '/':
		return l.name()
	case '(':
		return l.literal()
	case '<':
		return l.hex()
	case '[':
		return l.array("]")
	}
	return operator(c)
}

func (l *lexer) has(s string) bool { return bytes.HasPrefix(l.data[l.pos:], []byte(s)) }

func (l *lexer) at() byte {
	if l.pos < len(l.data) {
		return l.data[l.pos]
	}
	return 0
}

func (l *lexer) skipSpace() {
	comment := false
	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		comment = (comment || c == '%') && c != '\n' && c != '\r'
		if !comment && !isSpace(c) {
			return
		}
	}
}

func (l *lexer) regular() []byte {
	start := l.pos
	for l.pos < len(l.data) && !isSpace(l.data[l.pos]) && !isDelim(l.data[l.pos]) {
		l.pos++
	}
	return l.data[start:l.pos]
}

func (l *lexer) word() any {
	switch w := string(l.regular()); w {
	case "true", "false":
		return w == "true"
	case "null":
		return nil
	default:
		return operator(w)
	}
}

func (l *lexer) name() Name {
	raw := l.regular()
	if bytes.IndexByte(raw, '#') < 0 {
		return Name(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if n, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return Name(out)
}

func (l *lexer) literal() string {
	var out []byte
	for depth := 1; l.pos < len(l.data); {
		c := l.data[l.pos]
		l.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return string(out)
			}
		case '\r': // every end of line becomes \n
			l.skipNewline()
			c = '\n'
		case '\\':
			var ok bool
			c, ok = l.escape()
			if !ok {
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

func (l *lexer) skipNewline() {
	if l.at() == '\n' {
		l.pos++
	}
}

// escape reads the character after a backslash. It skips a line break there.
func (l *lexer) escape() (c byte, ok bool) {
	c = l.at()
	l.pos++
	switch {
	case c == '\r':
		l.skipNewline()
		return 0, false
	case c == '\n':
		return 0, false
	case c >= '0' && c <= '7':
		n := c - '0'
		for i := 0; i < 2 && l.at() >= '0' && l.at() <= '7'; i++ {
			n = n<<3 | (l.at() - '0')
			l.pos++
		}
		return n, true
	}
	if i := strings.IndexByte("nrtbf", c); i >= 0 {
		c = "\n\r\t\b\f"[i]
	}
	return c, true
}

func (l *lexer) hex() string {
	var digits []byte
	for ; l.pos < len(l.data) && l.data[l.pos] != '>'; l.pos++ {
		if strings.IndexByte("0123456789abcdefABCDEF", l.data[l.pos]) >= 0 {
			digits = append(digits, l.data[l.pos])
		}
	}
	l.pos++
	if len(digits)%2 > 0 {
		digits = append(digits, '0')
	}
	n, _ := hex.Decode(digits, digits) // cannot fail, because these are hexadecimal digits
	return string(digits[:n])
}

// number reads a number. It accepts "--5", "5-" and ".", which some producers write.
func (l *lexer) number() float64 {
	start := l.pos
	for l.pos < len(l.data) && (isDigit(l.data[l.pos]) || strings.IndexByte("+-.", l.data[l.pos]) >= 0) {
		l.pos++
	}
	token := string(l.data[start:l.pos])
	digits, _, _ := strings.Cut(strings.TrimLeft(token, "+-"), "-")
	x, _ := strconv.ParseFloat(digits, 64) // 0 or infinite after an error
	x = min(x, math.MaxFloat32)
	if token[0] == '-' {
		x = -x
	}
	return x
}

func (l *lexer) array(last operator) Operands {
	out := Operands{}
	l.depth++
	defer func() { l.depth-- }()
	for l.depth <= maxDepth {
		o := l.next()
		if _, over := o.(end); over || o == last {
			break
		}
		if _, is := o.(operator); !is {
			out = append(out, o)
		}
	}
	return out
}

// skipInlineImage skips the data of an inline image, whose length is not given. The data ends at
// the first EI that is followed by text.
func (l *lexer) skipInlineImage() {
	for i := l.pos; i < len(l.data); i += 2 {
		k := bytes.Index(l.data[i:], []byte("EI"))
		if k < 0 {
			break
		}
		i += k
		after := l.data[i+2:]
		alone := isSpace(l.data[i-1]) && (len(after) == 0 || isSpace(after[0]))
		if alone && !bytes.ContainsFunc(after[:min(len(after), 20)], isBinary) {
			l.pos = i + 2
			return
		}
	}
	l.pos = len(l.data)
}

func isBinary(r rune) bool { return r > 126 || r < 32 && !isSpace(byte(r)) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return strings.IndexByte(" \n\r\t\f\x00", c) >= 0 }

func isDelim(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }
