package reading

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Fields of answers in JSON. A value of another type than expected costs the field and not the row.

// A Flag is a field that is a boolean on one tenant and a number on another; nil where it is
// neither.
type Flag struct{ Is *bool }

// UnmarshalJSON reads true, false, 1, 0, "1", "true" and the like.
func (f *Flag) UnmarshalJSON(b []byte) error {
	if is, err := strconv.ParseBool(string(bytes.ToLower(bytes.Trim(b, `"`)))); err == nil {
		f.Is = &is
	}
	return nil
}

// Set reports whether the flag is there and set.
func (f Flag) Set() bool { return f.Is != nil && *f.Is }

// Unset reports whether the flag is there and not set.
func (f Flag) Unset() bool { return f.Is != nil && !*f.Is }

// An ID is a number greater than 0 that may be written as text; 0 where it is none.
type ID int64

// UnmarshalJSON reads a number, or text that is one.
func (n *ID) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64); err == nil && v > 0 {
		*n = ID(v)
	}
	return nil
}

// String is the id as an answer has it.
func (n ID) String() string { return strconv.FormatInt(int64(n), 10) }

// A Text is a field that is a string; "" where it is anything else.
type Text string

// UnmarshalJSON reads a string.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text(s)
	}
	return nil
}

// Line is the text on one line of at most most characters.
func (t Text) Line(most int) string { return council.Clip(portal.Fold(string(t)), most) }

// Plain is the text of a piece of HTML on one line of at most most characters.
func (t Text) Plain(most int) string { return council.Clip(Fragment(string(t)), most) }

// Rows is a field that is a list; nil where it is anything else.
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

// A Number is a field that is a small number; nil where it is none.
type Number struct{ Is *int }

// UnmarshalJSON reads a number.
func (n *Number) UnmarshalJSON(b []byte) error {
	var v *int
	if json.Unmarshal(b, &v) == nil {
		n.Is = v
	}
	return nil
}

// Int is the number; 0 where there is none.
func (n Number) Int() int {
	if n.Is == nil {
		return 0
	}
	return *n.Is
}

// Bodies reads a list of boards, which have their names in the field name. Those that are not
// public are left out.
func Bodies(rows portal.List, name string, most int) ([]portal.Body, error) {
	var out []portal.Body
	for _, row := range rows {
		var fields map[string]json.RawMessage
		var id ID
		var text Text
		var public Flag
		_ = json.Unmarshal(row, &fields) // what is no object has no id
		_ = id.UnmarshalJSON(fields["id"])
		_ = text.UnmarshalJSON(fields[name])
		_ = public.UnmarshalJSON(fields["isPublic"])
		if called := text.Plain(most); id > 0 && called != "" && !public.Unset() {
			out = append(out, portal.Body{ID: id.String(), Name: called})
		}
	}
	if len(out) == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("read the bodies: %w: none has an id and a name", portal.ErrNotPortal)
	}
	return out, nil
}
