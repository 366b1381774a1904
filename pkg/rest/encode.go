package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encoded is the JSON of a T, encoded once by [Encode] and used in many answers. The description
// shows a T.
type Encoded[T any] []byte

// Encode returns the JSON of a value, without HTML escapes.
func Encode[T any](v T) (Encoded[T], error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

func (e Encoded[T]) MarshalJSON() ([]byte, error) { return e, nil }

func (Encoded[T]) SchemaType() reflect.Type { return reflect.TypeFor[T]() }

// AppendString appends a JSON string, without HTML escapes.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			text, _ := Encode(s) // encoding a string does not fail
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
