package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// MediaType is that of a bundle among the archived documents.
const MediaType = "application/vnd.townline.answers+json"

// A Bundle is what a portal answered about one meeting, as fetched: all that is recorded of the
// meeting follows from it. The same bundle always has the same bytes.
type Bundle struct {
	Product string   `json:"product"` // by which it is read
	Root    string   `json:"root"`    // what the paths begin with
	Answers []Answer `json:"answers"`
}

// An Answer is one of a bundle: the path below the root, its query without tokens, and the body.
type Answer struct {
	Path   string
	Status int // 0 means 200; others are kept where they say something, as "this item has no votes"
	Body   []byte
}

// Add appends an answer.
func (b *Bundle) Add(path string, status int, body []byte) {
	b.Answers = append(b.Answers, Answer{path, status, body})
}

// Find returns the answer of a path; nil when it was not asked. A nil bundle has none.
func (b *Bundle) Find(path string) *Answer {
	if b == nil {
		return nil
	}
	i := slices.IndexFunc(b.Answers, func(a Answer) bool { return a.Path == path })
	if i < 0 {
		return nil
	}
	return &b.Answers[i]
}

type answerJSON struct {
	Path   string  `json:"path"`
	Status int     `json:"status,omitempty"`
	Body   *string `json:"body,omitempty"`  // when it is UTF-8
	Bytes  []byte  `json:"bytes,omitempty"` // else
}

// MarshalJSON writes a body as text if it is UTF-8, so that people can read an archived bundle.
func (a Answer) MarshalJSON() ([]byte, error) {
	out := answerJSON{Path: a.Path, Status: a.Status}
	if text := string(a.Body); utf8.Valid(a.Body) {
		out.Body = &text
	} else {
		out.Bytes = a.Body
	}
	return json.Marshal(out)
}

// UnmarshalJSON reverses MarshalJSON.
func (a *Answer) UnmarshalJSON(data []byte) error {
	var in answerJSON
	err := json.Unmarshal(data, &in)
	*a = Answer{in.Path, in.Status, in.Bytes}
	if in.Body != nil {
		a.Body = []byte(*in.Body)
	}
	return err
}

// Bytes is the bundle as it is archived.
func (b *Bundle) Bytes() []byte {
	text, _ := json.Marshal(b) // strings and numbers cannot fail
	return text
}

var errBundle = errors.New("not a bundle of answers of a portal")

// ReadBundle reads a bundle back.
func ReadBundle(data []byte) (Bundle, error) {
	var b Bundle
	if err := json.Unmarshal(data, &b); err != nil {
		return Bundle{}, fmt.Errorf("%w: %w", errBundle, err)
	}
	if b.Product == "" {
		return Bundle{}, errBundle
	}
	return b, nil
}

const (
	// maxValues bounds the values of a JSON answer: a few bytes each, they take ten times the memory.
	// The longest real list has some ten thousand.
	maxValues = 2_000_000
	// maxRows bounds the rows of a list. The longest real one has some thousand.
	maxRows = 20_000
	// maxList bounds the pages of a list together. The longest real one has some tens of megabytes.
	maxList = 256 << 20
)

// Decode reads an answer in JSON that is whole.
func Decode(body []byte, into any) error {
	if n := bytes.Count(body, []byte{','}); n > maxValues {
		return fmt.Errorf("%w: it has some %d values, more than any real answer", ErrNotPortal, n)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), into); err != nil {
		return fmt.Errorf("%w: %w", ErrNotPortal, err)
	}
	return nil
}

// A List is a list that an answer must have. null is none, and so is an object: a list that is
// missing is not empty.
type List []json.RawMessage

// DecodeList reads an answer that is a list.
func DecodeList(body []byte) (List, error) {
	var rows List
	err := Decode(body, &rows)
	if err == nil {
		err = rows.Check()
	}
	return rows, err
}

// Check returns an error for a list that is missing, or longer than any real one.
func (l List) Check() error {
	switch {
	case l == nil:
		return fmt.Errorf("%w: it has no list", ErrNotPortal)
	case len(l) > maxRows:
		return fmt.Errorf("%w: its list has more than %d rows", ErrNotPortal, maxRows)
	}
	return nil
}

// A Length is how many bytes of a list have been read. Pages that each look like one can come
// without end.
type Length int

// Add counts the bytes of a page; it is an error when the list is longer than any real one.
func (l *Length) Add(page int) error {
	*l += Length(page)
	if *l > maxList {
		return fmt.Errorf("%w: the list has more than %d bytes", ErrNotPortal, maxList)
	}
	return nil
}
