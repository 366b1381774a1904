package pdffile

import (
	"bytes"
	"io"
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
