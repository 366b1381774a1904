package edition

import "reflect"

// texts has one copy of each text that many rows share.
type texts map[string]*string

// cellBytes is the memory of a text without its bytes.
const cellBytes = 16

// keep replaces a cell by the copy of an equal text. It returns the additional memory: 0 if the text
// is there already.
func (t texts) keep(cell **string) (bytes int) {
	if *cell == nil {
		return 0
	}
	if kept := t[**cell]; kept != nil {
		*cell = kept
		return 0
	}
	t[**cell] = *cell
	return cellSize(*cell)
}

// text returns a cell; "" if it is empty.
func text(cell *string) string {
	if cell == nil {
		return ""
	}
	return *cell
}

func cellSize(cell *string) int {
	if cell == nil {
		return 0
	}
	return cellBytes + len(*cell)
}

// A Digit is a cell with one digit.
type Digit byte

// MarshalText returns the cell as text.
func (d Digit) MarshalText() ([]byte, error) { return []byte{byte(d)}, nil }

// SchemaType describes the text.
func (Digit) SchemaType() reflect.Type { return reflect.TypeFor[string]() }

// A Flag is a cell with one digit, or 0 for an empty cell.
type Flag byte

// MarshalJSON writes the cell as text, or null.
func (f Flag) MarshalJSON() ([]byte, error) {
	if f == 0 {
		return []byte("null"), nil
	}
	return []byte{'"', byte(f), '"'}, nil
}

// SchemaType describes the text, or null.
func (Flag) SchemaType() reflect.Type { return reflect.TypeFor[*string]() }
