package rest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// An encoder writes the JSON of one answer, and stops as soon as the answer is too large.
type encoder struct {
	b    []byte
	json *json.Encoder
	fits func(bytes int) error
}

// encode makes the JSON of a value whose fields are written one by one. Fits says whether a body of so many bytes may go on.
func encode(v any, fields []bodyField, fits func(bytes int) error) ([]byte, error) {
	e := &encoder{fits: fits}
	e.json = json.NewEncoder(e)
	e.json.SetEscapeHTML(false)
	err := e.body(v, fields)
	return e.b, err
}

// body writes a struct field by field and its lists entry by entry, with exactly the bytes of encoding/json. So a body that
// becomes too large is refused before all of it is in memory.
func (e *encoder) body(v any, fields []bodyField) error {
	if fields == nil {
		return e.value(v)
	}
	value, next := reflect.ValueOf(v), "{"
	for _, f := range fields {
		field := value.FieldByIndex(f.index)
		if f.omitEmpty && isEmpty(field) || f.omitZero && field.IsZero() {
			continue
		}
		e.b = append(append(append(e.b, next...), f.key...), ':')
		if err := e.data(field.Interface()); err != nil {
			return err
		}
		next = ","
	}
	if next == "{" {
		e.b = append(e.b, '{')
	}
	e.b = append(e.b, '}')
	return nil
}

// A bodyField is one field of a body.
type bodyField struct {
	key       string // as JSON
	index     []int
	omitEmpty bool
	omitZero  bool
}

// bodyFields returns the fields of a struct that can be written one by one, nil for every other type.
func bodyFields(t reflect.Type) []bodyField {
	if t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || t.Implements(reflect.TypeFor[Appender]()) {
		return nil
	}
	fields := []bodyField{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct, !f.IsExported() && !f.Anonymous, name == "-":
			continue
		case options != "" && options != "omitempty" && options != "omitzero", f.Anonymous, name == "":
			return nil // rules of encoding/json that no body needs
		}
		fields = append(fields, bodyField{string(compactJSON(name)), f.Index, options == "omitempty", options == "omitzero"})
	}
	return fields
}

// isEmpty reports whether encoding/json leaves out a field with omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// value writes a value that is no list of a body.
func (e *encoder) value(v any) error {
	if a, ok := v.(Appender); ok {
		e.b = a.AppendJSON(e.b)
		return e.fits(len(e.b))
	}
	if err := e.json.Encode(v); err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	e.b = e.b[:len(e.b)-1] // the line break
	return nil
}

// Write gets the JSON of one value from json.Encoder.
func (e *encoder) Write(b []byte) (int, error) {
	if err := e.fits(len(e.b) + len(b)); err != nil {
		return 0, err
	}
	e.b = append(e.b, b...)
	return len(b), nil
}

// data writes a list entry by entry, anything else at once.
func (e *encoder) data(data any) error {
	v := reflect.ValueOf(data)
	if _, whole := data.(json.Marshaler); whole || v.Kind() != reflect.Slice || v.IsNil() {
		return e.value(data)
	}
	if _, whole := data.(Appender); whole {
		return e.value(data)
	}
	e.b = append(e.b, '[')
	for i := range v.Len() {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		if err := e.value(v.Index(i).Addr().Interface()); err != nil {
			return err
		}
	}
	e.b = append(e.b, ']')
	return nil
}

// Encoded is the JSON of a T that [Encode] made earlier, for values in many answers. The description shows a T.
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

// An Appender writes its own JSON, with the bytes of encoding/json without HTML escapes. Fields of a body and
// entries of its lists that are Appenders are written directly, which is several times as fast.
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

// appendEscaped is AppendString for text that needs escapes.
func appendEscaped(b []byte, s string) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte{'\n'})...)
}

// SchemaType is the type that the description shows.
func (Encoded[T]) SchemaType() reflect.Type { return reflect.TypeFor[T]() }
