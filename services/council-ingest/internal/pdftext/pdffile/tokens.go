package pdffile

// Content streams and CMaps are written by hands of all kinds. Clean gives on
// only what is well-formed and bears on text.

// maxOperands bounds the operands of one operator; none in use has more than a dozen.
const maxOperands = 64

// textOperators are the operators that decide which text stands where and can be
// seen, the lines that part cells, and the curves that letters may have been
// turned into (ISO 32000-1, annex A). Line styles and colours of lines are not.
var textOperators = set("q Q cm BT ET Tf Tc Tw Tz TL Ts Tr Td TD Tm T* Tj ' \" TJ Do gs BMC BDC EMC m l c v y re h n W W* S s B B* b b* f F f* sh g rg k cs sc scn")

// otherOperators are all others that a page may have.
var otherOperators = set("d d0 d1 i j J K CS SC SCN G RG M MP DP ri w BI BX EX null")

// codeOperators are those that fill a CMap (ISO 32000-1, 9.7.5.4).
var codeOperators = set("endcodespacerange endbfchar endbfrange endcidchar endcidrange")

func set(words string) map[Keyword]bool {
	out := map[Keyword]bool{}
	l := NewLexer([]byte(words))
	for {
		o, err := l.Next()
		if err != nil {
			return out
		}
		if k, ok := o.(Keyword); ok {
			out[k] = true
		}
	}
}

// contentTokens writes a content stream anew: the operators that bear on text,
// and one EI for each inline image. It counts the operators, and those that do not exist.
func contentTokens(data []byte) (out []byte, known, strange int) {
	l := NewLexer(data)
	out = make([]byte, 0, len(data)+len(data)/8)
	lenient := 0 // within BX and EX an unknown operator is allowed
	var args []Object
	for {
		o, err := l.Next()
		if err != nil {
			return out, known, strange
		}
		op, ok := o.(Keyword)
		switch {
		case !ok:
			if len(args) < maxOperands {
				args = append(args, o)
			}
			continue
		case op == "ID":
			l.SkipInlineImage()
			out = append(append(out, inlineData...), '\n')
		case textOperators[op]:
			out = operation(out, op, args)
		case op == "BX":
			lenient++
		case op == "EX":
			lenient--
		case !otherOperators[op] && lenient <= 0:
			strange++
			known--
		}
		known++
		args = args[:0]
	}
}

// codeTokens writes a CMap anew.
func codeTokens(data []byte) []byte {
	l := NewLexer(data)
	out := make([]byte, 0, len(data)+len(data)/8)
	var args []Object
	for {
		o, err := l.Next()
		if err != nil {
			return out
		}
		op, ok := o.(Keyword)
		if !ok {
			args = append(args, o)
			continue
		}
		if codeOperators[op] {
			out = operation(out, op, args)
		}
		args = args[:0]
	}
}

func operation(out []byte, op Keyword, args []Object) []byte {
	for _, o := range args {
		out = append(appendObject(out, o), ' ')
	}
	return append(append(out, op...), '\n')
}
