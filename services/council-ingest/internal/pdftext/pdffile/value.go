package pdffile

import (
	"math/bits"
	"strings"
)

// A Value is an object of a file, references followed. A dangling, circular or
// unreadable reference is null, as the standard says; where letters depend on
// it, it is also a flaw of the file. The zero Value is null.
type Value struct {
	file     *File
	object   Object
	number   int  // of the indirect object that it is; 0 for a direct one
	optional bool // what it leads to may be missing
}

// Value wraps an object of a content stream of the file.
func (f *File) Value(o Object) Value {
	v := Value{file: f}
	for range maxChain {
		ref, ok := o.(Ref)
		if !ok {
			v.object = o
			return v
		}
		v.number = ref.Num
		o = f.object(ref)
	}
	return v
}

// need is the value of o, which must be there if it is referred to.
func (v Value) need(o Object) Value {
	if ref, ok := o.(Ref); ok && !v.optional && !v.file.has(ref) {
		v.file.lost("object %d is missing", ref.Num)
	}
	return v.file.Value(o)
}

// Dict is the dictionary that v is, or that of a stream; else nil.
func (v Value) Dict() Dict {
	switch o := v.object.(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Key is the value of a key of the standard. A key that is it but for one bit, or one letter, is a flaw.
func (v Value) Key(key Name) Value {
	d := v.Dict()
	o, there := d[key]
	if !there {
		v.misspelt(d, key)
		return Value{file: v.file}
	}
	v.optional = false
	return v.need(o)
}

// Option is like Key for a value on which no letters depend: it and its members may be missing.
func (v Value) Option(key Name) Value {
	d := v.Dict()
	if _, there := d[key]; !there {
		v.misspelt(d, key)
		return Value{file: v.file}
	}
	out := v.file.Value(d[key])
	out.optional = true
	return out
}

// Named is the value of a name that the file gives.
func (v Value) Named(name string) Value {
	if o, there := v.Dict()[Name(name)]; there {
		return v.need(o)
	}
	return Value{file: v.file}
}

// Index is member i of an array.
func (v Value) Index(i int) Value {
	a, _ := v.object.(Array)
	if i >= len(a) {
		return Value{file: v.file}
	}
	return v.need(a[i])
}

// Len is how many members an array has.
func (v Value) Len() int {
	a, _ := v.object.(Array)
	return len(a)
}

// list makes one value a list of one, as /Filter may be a name or an array.
func (v Value) list() []Value {
	if v.IsNull() {
		return nil
	}
	if _, is := v.object.(Array); !is {
		return []Value{v}
	}
	out := make([]Value, v.Len())
	for i := range out {
		out[i] = v.Index(i)
	}
	return out
}

// Number identifies an indirect object; it is 0 for a direct one.
func (v Value) Number() int { return v.number }

// IsNull reports whether there is nothing.
func (v Value) IsNull() bool { return v.object == nil }

// IsArray reports whether v is an array.
func (v Value) IsArray() bool { _, is := v.object.(Array); return is }

// IsStream reports whether v is a stream.
func (v Value) IsStream() bool { _, is := v.object.(*Stream); return is }

// IsNumber reports whether v is a number.
func (v Value) IsNumber() bool { _, is := toFloat(v.object); return is }

// Name is the name that v is, else "".
func (v Value) Name() string {
	n, _ := v.object.(Name)
	return string(n)
}

// Text is the bytes of the string that v is, else "".
func (v Value) Text() string {
	s, _ := v.object.(String)
	return string(s)
}

// Float is the number that v is, else 0.
func (v Value) Float() float64 {
	x, _ := toFloat(v.object)
	return x
}

// Int is the whole part of a number, since some producers write counts as reals; 0 for what is none.
func (v Value) Int() int {
	if n, is := v.object.(int); is {
		return n
	}
	if x := v.Float(); x > -1e15 && x < 1e15 {
		return int(x)
	}
	return 0
}

// Floats are the members of an array; what is no number counts as 0.
func (v Value) Floats() []float64 {
	out := make([]float64, v.Len())
	for i := range out {
		out[i] = v.Index(i).Float()
	}
	return out
}

// Rect is a rectangle, whichever two corners it names; ok is false if it has no area.
func (v Value) Rect() (box [4]float64, ok bool) {
	n := v.Floats()
	if len(n) < 4 {
		return box, false
	}
	box = [4]float64{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	return box, box[2]-box[0] > 0 && box[3]-box[1] > 0
}

// toFloat is the number that an object is, and whether it is one.
func toFloat(o Object) (float64, bool) {
	switch n := o.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// keys are those of the standard that are asked for; one of them in place of another is no slip.
var keys = func() map[Name]bool {
	out := map[Name]bool{}
	for _, k := range strings.Fields(`Type Subtype Kids Count Contents Annots Resources MediaBox CropBox Rotate Filter DecodeParms Font XObject ExtGState
		ColorSpace Properties BaseFont Encoding BaseEncoding Differences ToUnicode DescendantFonts FontDescriptor FirstChar LastChar Widths DW CIDToGIDMap FontMatrix
		FontBBox Flags MissingWidth FontFile FontFile2 FontFile3 ca OCGs ActualText Rect AS AP BBox Matrix OC OCProperties OFF Pages Predictor Colors Columns
		BitsPerComponent`) {
		out[Name(k)] = true
	}
	return out
}()

// misspelt looks, where a key is missing, for one that was it before one of its letters changed.
func (v Value) misspelt(d Dict, key Name) {
	if len(key) < 2 {
		return
	}
	for k := range d {
		if !keys[k] && damaged(string(key), string(k)) {
			v.file.lost("a dictionary has a key %q that is /%s but for one letter", k, key)
		}
	}
}

// longKey is from how many letters on a key is known with one of them wrong. Short keys are alike: /AP is no damaged /AA.
const longKey = 4

// damaged reports whether b was a before one of its letters changed, or one bit of a letter or of the blank behind it.
func damaged(a, b string) bool {
	if len(a)+1 == len(b) {
		if len(a) >= longKey && strings.HasPrefix(b, a) {
			return true // the blank or the bracket behind it
		}
		a += " "
	}
	if len(a) != len(b) {
		return false
	}
	letters, changed := 0, 0
	for i := range len(a) {
		if n := bits.OnesCount8(a[i] ^ b[i]); n > 0 {
			letters++
			changed += n
		}
	}
	return changed == 1 || letters == 1 && len(a) >= longKey && a[len(a)-1] != ' '
}
