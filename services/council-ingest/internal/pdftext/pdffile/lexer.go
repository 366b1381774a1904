package pdffile

import (
	"bytes"
	"io"
	"math"
	"strconv"
)

// maxDepth bounds the nesting of arrays and dictionaries. Real files stay under twenty.
const maxDepth = 100

// A Lexer cuts bytes into objects: of a file, of a content stream, of a CMap.
// It never fails: what it cannot read it skips, and at the end it says io.EOF.
type Lexer struct {
	data  []byte
	pos   int
	refs  bool // "1 0 R" is a reference (files, not content streams)
	odd   bool // a string, array or dictionary was not closed, or held what it cannot
	depth int
}

// NewLexer reads a content stream or CMap.
func NewLexer(data []byte) *Lexer { return &Lexer{data: data} }

// Next is the next object or [Keyword]; io.EOF ends the stream. A stray
// closing bracket is a Keyword.
func (l *Lexer) Next() (Object, error) {
	l.space()
	if l.pos >= len(l.data) {
		return nil, io.EOF
	}
	c := l.data[l.pos]
	switch {
	case c == '/':
		l.pos++
		return l.name(), nil
	case c == '(':
		l.pos++
		return l.literal(), nil
	case c == '<':
		if l.peek(1) == '<' {
			l.pos += 2
			return l.dict(), nil
		}
		l.pos++
		return l.hex(), nil
	case c == '[':
		l.pos++
		return l.array(), nil
	case c == '>' && l.peek(1) == '>':
		l.pos += 2
		return Keyword(">>"), nil
	case c == ']', c == '{', c == '}', c == ')', c == '>':
		l.pos++
		return Keyword(l.data[l.pos-1 : l.pos]), nil
	case c == '+' || c == '-' || c == '.' || isDigit(c):
		return l.number(), nil
	}
	return l.word(), nil
}

// SkipInlineImage moves past the data of an inline image, whose ID operator
// was just read. The data has no length, so its end is the first EI that
// stands alone and is followed by something that looks like content again.
func (l *Lexer) SkipInlineImage() {
	for i := l.pos; ; {
		k := bytes.Index(l.data[min(i, len(l.data)):], []byte("EI"))
		if k < 0 {
			l.pos = len(l.data)
			return
		}
		at := i + k
		i = at + 2
		before := at == 0 || isSpace(l.data[at-1])
		after := at+2 >= len(l.data) || isSpace(l.data[at+2])
		if before && after && looksLikeContent(l.data[at+2:min(len(l.data), at+22)]) {
			l.pos = at + 2
			return
		}
	}
}

// looksLikeContent parts operators from the bytes of an image.
func looksLikeContent(b []byte) bool {
	for _, c := range b {
		if c > 126 || c < 32 && !isSpace(c) {
			return false
		}
	}
	return true
}

func (l *Lexer) peek(n int) byte {
	if l.pos+n < len(l.data) {
		return l.data[l.pos+n]
	}
	return 0
}

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

func (l *Lexer) array() Array {
	out := Array{}
	l.depth++
	defer func() { l.depth-- }()
	for l.depth <= maxDepth {
		o, err := l.Next()
		if err != nil {
			break
		}
		if k, ok := o.(Keyword); ok {
			if k == "]" {
				return out
			}
			if k == "R" && l.refs && len(out) >= 2 {
				if ref, ok := refOf(out[len(out)-2], out[len(out)-1]); ok {
					out = append(out[:len(out)-2], ref)
				}
				continue
			}
			if k == ">>" || k == "endobj" || k == "endstream" { // never closed
				l.pos -= len(k)
				break
			}
			if k == "null" {
				out = append(out, nil)
			} else {
				l.odd = true
			}
			continue
		}
		out = append(out, o)
	}
	l.odd = true
	return out
}

func (l *Lexer) dict() Dict {
	out := Dict{}
	l.depth++
	defer func() { l.depth-- }()
	var key Name
	var vals []Object
	flush := func() {
		if key != "" && len(vals) > 0 {
			out[key] = vals[0]
		}
		l.odd = l.odd || len(vals) > 1 || key == "" && len(vals) > 0
		key, vals = "", vals[:0]
	}
	for l.depth <= maxDepth {
		o, err := l.Next()
		if err != nil {
			break
		}
		switch o := o.(type) {
		case Keyword:
			switch {
			case o == "R" && l.refs && len(vals) >= 2:
				if ref, ok := refOf(vals[len(vals)-2], vals[len(vals)-1]); ok {
					vals = append(vals[:len(vals)-2], ref)
				}
			case o == "null":
				vals = append(vals, nil)
			case o == ">>":
				flush()
				return out
			case o == "stream" || o == "endobj" || o == "ID": // never closed
				flush()
				l.odd = true
				l.pos -= len(o)
				return out
			default:
				l.odd = true
			}
			continue
		case Name:
			if key == "" || len(vals) > 0 {
				flush()
				key = o
				continue
			}
		}
		vals = append(vals, o)
	}
	flush()
	l.odd = true
	return out
}

func refOf(num, gen Object) (Ref, bool) {
	n, ok1 := num.(int)
	g, ok2 := gen.(int)
	return Ref{n, g}, ok1 && ok2 && n >= 0 && g >= 0
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
