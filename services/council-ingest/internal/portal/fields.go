package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/townline/townline/pkg/council"
)

// DecodeRow reads a row of a JSON answer. A value of an unexpected type leaves its field empty;
// only a row that is not an object is an error.
func DecodeRow(row []byte, into any) error {
	var unexpected *json.UnmarshalTypeError
	err := json.Unmarshal(row, into)
	if errors.As(err, &unexpected) && unexpected.Field != "" {
		return nil
	}
	return err
}

// A Flag is a boolean, which some tenants write as a number; nil if it is invalid.
type Flag struct{ Is *bool }

// UnmarshalJSON reads true, false, 1, 0, "1", "true" …
func (f *Flag) UnmarshalJSON(b []byte) error {
	if is, err := strconv.ParseBool(string(bytes.ToLower(bytes.Trim(b, `"`)))); err == nil {
		f.Is = &is
	}
	return nil
}

func (f Flag) Set() bool { return f.Is != nil && *f.Is }

// Unset reports whether the flag is false. It returns false for a missing flag.
func (f Flag) Unset() bool { return f.Is != nil && !*f.Is }

// An ID is a positive number, possibly written as text; 0 for other values.
type ID int64

// UnmarshalJSON reads a number, or text that is one.
func (n *ID) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64); err == nil && v > 0 {
		*n = ID(v)
	}
	return nil
}

// String returns the id in decimal digits; "" for 0.
func (n ID) String() string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

// Line returns a text on one line, cut to a number of characters.
func Line(text string, most int) string { return council.Clip(council.Fold(text), most) }

// Plain returns the text of HTML on one line, cut to a number of characters.
func Plain(text string, most int) string { return council.Clip(HTMLText(text), most) }

// Bodies reads a list of public bodies. name is the field with their names.
func Bodies(rows List, name string, most int) ([]Body, error) {
	var out []Body
	for _, row := range rows {
		var fields map[string]any
		var body struct {
			ID     ID   `json:"id"`
			Public Flag `json:"isPublic"`
		}
		_ = json.Unmarshal(row, &fields) // only objects have an id
		_ = DecodeRow(row, &body)
		text, _ := fields[name].(string)
		if title := Plain(text, most); body.ID > 0 && title != "" && !body.Public.Unset() {
			out = append(out, Body{ID: body.ID.String(), Name: title})
		}
	}
	if len(out) == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("read bodies: %w: none has an id and a name", ErrNotPortal)
	}
	return out, nil
}
