package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// MediaType is that of a bundle among the archived documents.
const MediaType = "application/vnd.townline.answers+json"

// A Bundle is what a portal answered about one meeting, as fetched: all that is recorded of the meeting follows
// from it. The same bundle always has the same bytes.
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
