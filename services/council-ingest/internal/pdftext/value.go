package pdftext

import (
	"io"

	"github.com/ledongthuc/pdf"
)

// Views of values that package pdf does not have.

// number is v as a number, and whether it is one.
func number(v pdf.Value) (x float64, ok bool) {
	kind := v.Kind()
	return v.Float64(), kind == pdf.Integer || kind == pdf.Real
}

// integer is the whole part of a number, since some producers write counts as
// reals; 0 for what is none.
func integer(v pdf.Value) int {
	if v.Kind() == pdf.Integer {
		return int(v.Int64())
	}
	if x := v.Float64(); x > -1e15 && x < 1e15 {
		return int(x)
	}
	return 0
}

// numbers are the members of an array; what is no number counts as 0.
func numbers(v pdf.Value) []float64 {
	out := make([]float64, v.Len())
	for i := range out {
		out[i] = v.Index(i).Float64()
	}
	return out
}

// rect reads a rectangle, whichever two corners it names; ok is false if it has no area.
func rect(v pdf.Value) (box [4]float64, ok bool) {
	n := numbers(v)
	if len(n) < 4 {
		return box, false
	}
	box = [4]float64{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	return box, box[2]-box[0] > 0 && box[3]-box[1] > 0
}

// content is the bytes of a stream of the plain file; nil for what is none.
func content(v pdf.Value) []byte {
	if v.Kind() != pdf.Stream {
		return nil
	}
	out := make([]byte, v.Key("Length").Int64())
	n, _ := io.ReadFull(v.Reader(), out) // from memory
	return out[:n]
}
