package portal

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	// maxValues bounds the values of a JSON answer: a few bytes each, they take ten times the memory. The longest real
	// list has some ten thousand.
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

// A List is a list that an answer must have. null is none, and so is an object: a list that is missing is not empty.
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
		return fmt.Errorf("%w: null is no list", ErrNotPortal)
	case len(l) > maxRows:
		return fmt.Errorf("%w: its list has more than %d rows", ErrNotPortal, maxRows)
	}
	return nil
}

// A Length is how many bytes of a list have been read. Pages that each look like one can come without end.
type Length int

// Add counts the bytes of a page; it is an error when the list is longer than any real one.
func (l *Length) Add(page int) error {
	*l += Length(page)
	if *l > maxList {
		return fmt.Errorf("%w: the list has more than %d bytes", ErrNotPortal, maxList)
	}
	return nil
}
