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

// A Stream is a dictionary with bytes; [Value.Data] decodes them.
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
