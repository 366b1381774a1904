package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

const MediaType = "application/vnd.townline.answers+json"

// A Bundle has all answers of a portal about one meeting, as fetched. Equal bundles have equal
// bytes.
type Bundle struct {
	Product string   `json:"product"`
	Root    string   `json:"root"` // root of all paths
	Answers []Answer `json:"answers"`
}

// An Answer is the body at a path below the root. The path includes the query, without tokens.
type Answer struct {
	Path string `json:"path"`
	// 0 means 200; others are kept if they have a meaning, such as "this item has no votes".
	Status int `json:"status,omitempty"`
	// The body if it is UTF-8, so that people can read an archived bundle.
	Text  *string `json:"body,omitempty"`
	Bytes []byte  `json:"bytes,omitempty"` // the body if it is not UTF-8
}

// Body returns the body as fetched.
func (a *Answer) Body() []byte {
	if a.Text != nil {
		return []byte(*a.Text)
	}
	return a.Bytes
}

func (b *Bundle) Add(path string, status int, body []byte) {
	a := Answer{Path: path, Status: status, Bytes: body}
	if utf8.Valid(body) {
		a.Text, a.Bytes = new(string(body)), nil
	}
	b.Answers = append(b.Answers, a)
}

// Find returns the answer at a path, or nil if there is none. It also works for a nil Bundle.
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

// Bytes returns the archived form of the bundle.
func (b *Bundle) Bytes() []byte {
	text, _ := json.Marshal(b) // strings and numbers always encode
	return text
}

var errBundle = errors.New("not a bundle of answers of a portal")

// ReadBundle reads an archived bundle.
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
	// maxValues bounds the number of values in a JSON answer, because in memory they take ten times
	// their bytes. The longest real list has tens of thousands.
	maxValues = 2_000_000
	maxRows   = 20_000    // rows of a list; the longest real list has a few thousand
	maxList   = 256 << 20 // bytes of all pages of a list; the largest real list has tens of megabytes
)

// Decode decodes a JSON answer, within limits.
func Decode(body []byte, into any) error {
	if n := bytes.Count(body, []byte{','}); n > maxValues {
		return fmt.Errorf("%w: it has some %d values, more than any real answer", ErrNotPortal, n)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), into); err != nil {
		return fmt.Errorf("%w: %w", ErrNotPortal, err)
	}
	return nil
}

// A List is a list that an answer must have. If it is missing (null, or an object), that is an
// error and not an empty list.
type List []json.RawMessage

// DecodeList decodes an answer that is a list.
func DecodeList(body []byte) (List, error) {
	var rows List
	err := Decode(body, &rows)
	if err == nil {
		err = rows.Check()
	}
	return rows, err
}

// Check returns an error if the list is missing or too long.
func (l List) Check() error {
	switch {
	case l == nil:
		return fmt.Errorf("%w: it has no list", ErrNotPortal)
	case len(l) > maxRows:
		return fmt.Errorf("%w: its list has more than %d rows", ErrNotPortal, maxRows)
	}
	return nil
}

// A ListSize is the number of bytes of a list, because a hostile list may have endless pages.
type ListSize int

// Add adds the bytes of a page. It returns an error if the sum exceeds the limit.
func (l *ListSize) Add(page int) error {
	*l += ListSize(page)
	if *l > maxList {
		return fmt.Errorf("%w: the list has more than %d bytes", ErrNotPortal, maxList)
	}
	return nil
}
