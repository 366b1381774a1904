package pdffile

// Operators gives each operator of a content stream or CMap with its operands, of
// which it keeps the first most. An inline image is the operator EI. The operands hold until the next call.
func Operators(data []byte, most int, each func(op Keyword, operands Operands)) {
	l := NewLexer(data)
	var operands Operands
	for {
		o, err := l.Next()
		if err != nil {
			return
		}
		op, is := o.(Keyword)
		if !is {
			if len(operands) < most {
				operands = append(operands, o)
			}
			continue
		}
		if op == "ID" {
			l.SkipInlineImage()
			op = "EI"
		}
		each(op, operands)
		operands = operands[:0]
	}
}

// Operands stand before an operator, or in an array before one.
type Operands []Object

// Num is operand i as a number, 0 if it is none.
func (a Operands) Num(i int) (x float64) {
	if i < len(a) {
		x, _ = toFloat(a[i])
	}
	return x
}

// Nums are all operands as numbers.
func (a Operands) Nums() []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a.Num(i)
	}
	return out
}

// Text is operand i as the bytes of a string, "" if it is none.
func (a Operands) Text(i int) string {
	if i < len(a) {
		s, _ := a[i].(String)
		return string(s)
	}
	return ""
}

// Name is operand i as a name, "" if it is none.
func (a Operands) Name(i int) string {
	if i < len(a) {
		n, _ := a[i].(Name)
		return string(n)
	}
	return ""
}

// Array is operand i as an array, nil if it is none.
func (a Operands) Array(i int) Operands {
	if i < len(a) {
		l, _ := a[i].(Array)
		return Operands(l)
	}
	return nil
}
