package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/townline/townline/pkg/council"
)

// DecodeRow decodes a row of a JSON answer. If a value has an unexpected type, its field stays
// empty. Only a row that is not an object is an error.
func DecodeRow(row []byte, into any) error {
	var unexpected *json.UnmarshalTypeError
	err := json.Unmarshal(row, into)
	if errors.As(err, &unexpected) && unexpected.Field != "" {
		return nil
	}
	return err
}

// A Flag is a boolean, which some tenants write as a number. Is is nil if the value is invalid.
type Flag struct{ Is *bool }

// UnmarshalJSON accepts true, false, 1, 0, "1", "true" and similar.
func (f *Flag) UnmarshalJSON(b []byte) error {
	if is, err := strconv.ParseBool(string(bytes.ToLower(bytes.Trim(b, `"`)))); err == nil {
		f.Is = &is
	}
	return nil
}

func (f Flag) Set() bool { return f.Is != nil && *f.Is }

// Unset reports whether the flag is present and false.
func (f Flag) Unset() bool { return f.Is != nil && !*f.Is }

// An ID is a positive number, which may be written as text. Any other value becomes 0.
type ID int64

func (n *ID) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(bytes.Trim(b, `"`)), 10, 64); err == nil && v > 0 {
		*n = ID(v)
	}
	return nil
}

// String returns the id in decimal digits, or "" for 0.
func (n ID) String() string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

// Line returns a text on one line, clipped to a number of characters.
func Line(text string, most int) string { return council.Line(text, most) }

// Plain returns the text of HTML on one line, clipped to a number of characters.
func Plain(text string, most int) string { return council.Line(HTMLText(text), most) }

// Bodies decodes a list of public bodies. name is the field with the name of a body.
func Bodies(rows List, name string, most int) ([]Body, error) {
	var out []Body
	for _, row := range rows {
		var fields map[string]any
		var body struct {
			ID     ID   `json:"id"`
			Public Flag `json:"isPublic"`
		}
		_ = json.Unmarshal(row, &fields) // cannot fail: a row with an id is an object
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
