package portal

import (
	"bytes"
	"fmt"
)

const (
	// maxValues bounds the values of a JSON answer: a few bytes each, they take ten times the memory. The longest real list has some ten thousand.
	maxValues = 2_000_000
	// maxList bounds the pages of a list together. The longest real one has some tens of megabytes.
	maxList = 256 << 20
)

// Crowded returns an error for a JSON answer of more values than any real one has, without reading them.
func Crowded(body []byte) error {
	if n := bytes.Count(body, []byte{','}); n > maxValues {
		return fmt.Errorf("%w: it has some %d values, more than any real answer", ErrNotPortal, n)
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
