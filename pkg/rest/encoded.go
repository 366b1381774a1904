package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encoded is the JSON of a T that was made earlier, by [Encode], for what stands in many answers. The description has it as a T.
type Encoded[T any] []byte

// Encode makes the JSON of a value once.
func Encode[T any](v T) (Encoded[T], error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// MarshalJSON writes it.
func (e Encoded[T]) MarshalJSON() ([]byte, error) { return e, nil }

// AppendJSON writes it.
func (e Encoded[T]) AppendJSON(b []byte) []byte { return append(b, e...) }

// An Appender writes its own JSON, byte for byte as encoding/json would without its escapes for HTML. Entries of an [Envelope] or a [Page]
// whose address is one are written straight into the body: several times as fast, for answers that are often built.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// AppendString appends a JSON string.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return appendEscaped(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendEscaped is AppendString for text that encoding/json had better write.
func appendEscaped(b []byte, s string) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte{'\n'})...)
}

// SchemaType is the type that the description shows.
func (Encoded[T]) SchemaType() reflect.Type { return reflect.TypeFor[T]() }
