package pdffile

// Content streams and CMaps are written by hands of all kinds. Clean gives on
// only what is well-formed and bears on text.

// maxOperands bounds the operands of one operator; none in use has more than a dozen.
const maxOperands = 64

// textOperators are the operators that decide which text stands where and can be
// seen, the lines that part cells, and the curves that letters may have been
// turned into (ISO 32000-1, annex A). Line styles and colours of lines are not.
var textOperators = set("q Q cm BT ET Tf Tc Tw Tz TL Ts Tr Td TD Tm T* Tj ' \" TJ Do gs BMC BDC EMC m l c v y re h n W W* S s B B* b b* f F f* sh g rg k cs sc scn")

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
// and one EI for each inline image.
func contentTokens(data []byte) []byte {
	return tokens(data, textOperators, maxOperands)
}

// codeTokens writes a CMap anew.
func codeTokens(data []byte) []byte {
	return tokens(data, codeOperators, len(data))
}

// tokens keeps of data the operators of a set, each with so many operands at most.
func tokens(data []byte, kept map[Keyword]bool, most int) []byte {
	l := NewLexer(data)
	out := make([]byte, 0, len(data)+len(data)/8)
	var args []Object
	for {
		o, err := l.Next()
		if err != nil {
			return out
		}
		op, ok := o.(Keyword)
		switch {
		case !ok:
			if len(args) < most {
				args = append(args, o)
			}
			continue
		case op == "ID" && kept["Do"]:
			l.SkipInlineImage()
			out = append(append(out, inlineData...), '\n')
		case kept[op]:
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
