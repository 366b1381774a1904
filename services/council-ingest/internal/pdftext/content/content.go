// Package content reads content streams and CMaps (ISO 32000-1, 7.8.2): operators, each after its
// operands. It knows none of them: packages page and fonts do.
package content

// Operators calls each for every operator with its operands, at most limit of them, which are
// valid until it returns. An inline image is one operator, EI.
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

// Operands are the operands of an operator, or the elements of an array: nil, bool, float64, string,
// [Name], [Dict] or Operands. Accessors return the zero value if operand i has another type.
type Operands []any

// A Name is a PDF name without its slash.
type Name string

// A Dict is a dictionary that stands in the content itself.
type Dict map[Name]any

func operand[T any](a Operands, i int) (out T) {
	if i < len(a) {
		out, _ = a[i].(T)
	}
	return out
}

// Num returns operand i as a number.
func (a Operands) Num(i int) float64 { return operand[float64](a, i) }

// Text returns the bytes of the string that operand i is.
func (a Operands) Text(i int) string { return operand[string](a, i) }

// Name returns operand i as a name.
func (a Operands) Name(i int) string { return string(operand[Name](a, i)) }

// Array returns the elements of operand i.
func (a Operands) Array(i int) Operands { return operand[Operands](a, i) }

// Dict returns operand i as a dictionary.
func (a Operands) Dict(i int) Dict { return operand[Dict](a, i) }

// Nums returns all operands as numbers.
func (a Operands) Nums() []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a.Num(i)
	}
	return out
}
