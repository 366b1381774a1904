package pdffile

// An Object is one PDF value: nil (null), bool, int, float64, [Name],
// [String], [Array], [Dict], [*Stream], [Ref], or, in content streams only, [Keyword].
type Object any

// A Name is a PDF name without its leading slash.
type Name string

// A String is the bytes of a PDF string, already unescaped and decrypted.
type String string

// A Keyword is a bare word: an operator of a content stream, "obj", "R".
type Keyword string

// An Array is a PDF array; its members may be references.
type Array []Object

// A Dict is a PDF dictionary; its values may be references.
type Dict map[Name]Object

// A Ref points at an indirect object.
type Ref struct{ Num, Gen int }

// A Stream is a dictionary with bytes; [File.Data] decodes them.
type Stream struct {
	Dict  Dict
	raw   []byte
	state streamState
	ref   Ref // the object it stands in, which the decryption key depends on
}

// A streamState says how the end of a stream was found.
type streamState int

const (
	streamAsSaid      streamState = iota // where its dictionary says
	streamOtherLength                    // elsewhere
	streamCut                            // not at all: the file ends first
)

// Resolve follows references until it meets a value. A dangling, circular or
// unreadable reference is null, as the standard says.
func (f *File) Resolve(o Object) Object {
	for range maxChain {
		ref, ok := o.(Ref)
		if !ok {
			return o
		}
		o = f.object(ref)
	}
	return nil
}

// Dict is the dictionary that o is or points at; a stream gives its own. Else nil.
func (f *File) Dict(o Object) Dict {
	switch o := f.Resolve(o).(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Stream is the stream that o is or points at, else nil.
func (f *File) Stream(o Object) *Stream {
	s, _ := f.Resolve(o).(*Stream)
	return s
}

// Array is the array that o is or points at, else nil.
func (f *File) Array(o Object) Array {
	a, _ := f.Resolve(o).(Array)
	return a
}

// Name is the name that o is or points at, else "".
func (f *File) Name(o Object) Name {
	n, _ := f.Resolve(o).(Name)
	return n
}

// Str is the string that o is or points at, else "".
func (f *File) Str(o Object) String {
	s, _ := f.Resolve(o).(String)
	return s
}

// Num is the number that o is or points at, and whether there is one.
func (f *File) Num(o Object) (float64, bool) {
	switch n := f.Resolve(o).(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// Int is the integer that o is or points at, and whether there is one. A real
// number is cut to its whole part, since some producers write counts as reals.
func (f *File) Int(o Object) (int, bool) {
	switch n := f.Resolve(o).(type) {
	case int:
		return n, true
	case float64:
		if n > -1e15 && n < 1e15 {
			return int(n), true
		}
	}
	return 0, false
}

// Nums are the numbers of the array that o is or points at; what is no number counts as 0.
func (f *File) Nums(o Object) []float64 {
	a := f.Array(o)
	out := make([]float64, len(a))
	for i, e := range a {
		out[i], _ = f.Num(e)
	}
	return out
}
