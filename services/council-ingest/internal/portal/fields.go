package portal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/townline/townline/pkg/council"
)

// Fields of JSON answers. A value of an unexpected type leaves its field empty; the row stays.

// A Flag is a boolean, written as a number by some tenants; nil if it is neither.
type Flag struct{ Is *bool }

// UnmarshalJSON reads true, false, 1, 0, "1", "true" …
func (f *Flag) UnmarshalJSON(b []byte) error {
	if is, err := strconv.ParseBool(string(bytes.ToLower(bytes.Trim(b, `"`)))); err == nil {
		f.Is = &is
	}
	return nil
}

// Set reports whether the flag is true.
func (f Flag) Set() bool { return f.Is != nil && *f.Is }

// Unset reports whether the flag is false; a missing flag is not.
func (f Flag) Unset() bool { return f.Is != nil && !*f.Is }

// An ID is a number greater than 0, possibly written as text; else 0.
type ID int64

// UnmarshalJSON reads a number, or text that is one.
func (n *ID) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64); err == nil && v > 0 {
		*n = ID(v)
	}
	return nil
}

// String is the id in decimal digits.
func (n ID) String() string { return strconv.FormatInt(int64(n), 10) }

// A String is a string; "" for any other value.
type String string

// UnmarshalJSON reads a string.
func (t *String) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = String(s)
	}
	return nil
}

// Line is the string on one line, of at most most characters.
func (t String) Line(most int) string { return council.Clip(Fold(string(t)), most) }

// Plain is the text of HTML on one line, of at most most characters.
func (t String) Plain(most int) string { return council.Clip(HTMLText(string(t)), most) }

// Rows is a list; nil for any other value.
type Rows []json.RawMessage

// UnmarshalJSON reads a list.
func (r *Rows) UnmarshalJSON(b []byte) error {
	var rows []json.RawMessage
	if json.Unmarshal(b, &rows) == nil {
		*r = rows
	}
	return nil
}

// First returns at most most rows.
func (r Rows) First(most int) Rows { return r[:min(len(r), most)] }

// A Number is a small number; nil for any other value.
type Number struct{ Is *int }

// UnmarshalJSON reads a number.
func (n *Number) UnmarshalJSON(b []byte) error {
	var v *int
	if json.Unmarshal(b, &v) == nil {
		n.Is = v
	}
	return nil
}

// Int is the number, or 0.
func (n Number) Int() int {
	if n.Is == nil {
		return 0
	}
	return *n.Is
}

// Bodies reads a list of public bodies, whose names are in the field name.
func Bodies(rows List, name string, most int) ([]Body, error) {
	var out []Body
	for _, row := range rows {
		var fields map[string]json.RawMessage
		var id ID
		var text String
		var public Flag
		_ = json.Unmarshal(row, &fields) // only objects have an id
		_ = id.UnmarshalJSON(fields["id"])
		_ = text.UnmarshalJSON(fields[name])
		_ = public.UnmarshalJSON(fields["isPublic"])
		if title := text.Plain(most); id > 0 && title != "" && !public.Unset() {
			out = append(out, Body{ID: id.String(), Name: title})
		}
	}
	if len(out) == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("read bodies: %w: none has an id and a name", ErrNotPortal)
	}
	return out, nil
}
