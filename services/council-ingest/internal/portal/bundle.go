package portal

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MediaType is that of a bundle among the archived documents.
const MediaType = "application/vnd.townline.answers+json"

// A Bundle is what a portal answered about one meeting, as fetched: the ground of what is recorded of it. The same bundle always has the same bytes.
type Bundle struct {
	Product string // by which it is read
	Root    string // what the paths begin with
	Answers []Answer
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
	for i := range b.Answers {
		if b.Answers[i].Path == path {
			return &b.Answers[i]
		}
	}
	return nil
}

type bundleJSON struct {
	Product string       `json:"product"`
	Root    string       `json:"root"`
	Answers []answerJSON `json:"answers"`
}

type answerJSON struct {
	Path   string  `json:"path"`
	Status int     `json:"status,omitempty"`
	Body   *string `json:"body,omitempty"`  // when it is UTF-8
	Bytes  []byte  `json:"bytes,omitempty"` // else
}

// Bytes is the bundle as it is archived.
func (b *Bundle) Bytes() []byte {
	out := bundleJSON{Product: b.Product, Root: b.Root, Answers: []answerJSON{}}
	for _, a := range b.Answers {
		put := answerJSON{Path: a.Path, Status: a.Status}
		if text := string(a.Body); utf8.Valid(a.Body) {
			put.Body = &text
		} else {
			put.Bytes = a.Body
		}
		out.Answers = append(out.Answers, put)
	}
	text, _ := json.Marshal(out) // strings and numbers cannot fail
	return text
}

var errBundle = errors.New("not a bundle of answers of a portal")

// ReadBundle reads a bundle back.
func ReadBundle(data []byte) (Bundle, error) {
	var in bundleJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return Bundle{}, fmt.Errorf("%w: %w", errBundle, err)
	}
	if in.Product == "" {
		return Bundle{}, errBundle
	}
	b := Bundle{Product: in.Product, Root: in.Root}
	for _, a := range in.Answers {
		body := a.Bytes
		if a.Body != nil {
			body = []byte(*a.Body)
		}
		b.Add(a.Path, a.Status, body)
	}
	return b, nil
}
