package rest

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// An encoder writes the JSON of one answer. It stops as soon as that is larger than an answer may be, its time is over, or nobody
// waits for it.
type encoder struct {
	ctx  context.Context
	c    *Call
	b    []byte
	json *json.Encoder
}

// encode makes the answer whose body is the JSON of a value.
func encode(ctx context.Context, c *Call, v any) (*answer, error) {
	e := &encoder{ctx: ctx, c: c}
	e.json = json.NewEncoder(e)
	e.json.SetEscapeHTML(false)
	if err := e.body(v); err != nil {
		return nil, err
	}
	return &answer{body: e.b}, nil
}

// body writes a struct field by field and the lists in it entry by entry, byte for byte as encoding/json would. So a body that
// becomes too large is refused before all of it is in memory.
func (e *encoder) body(v any) error {
	fields := e.c.e.fields
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
		return e.room()
	}
	if err := e.json.Encode(v); err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	e.b = e.b[:len(e.b)-1] // the line break
	return e.room()
}

// Write takes what json.Encoder has made of one value.
func (e *encoder) Write(b []byte) (int, error) {
	if len(e.b)+len(b) > e.c.s.cfg.AnswerBytes {
		return 0, e.c.tooLarge()
	}
	e.b = append(e.b, b...)
	return len(b), nil
}

// room tells whether the answer may go on.
func (e *encoder) room() error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if len(e.b) > e.c.s.cfg.AnswerBytes {
		return e.c.tooLarge()
	}
	if len(e.b) > wideFrom {
		return e.c.widen(e.ctx)
	}
	return nil
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

// megabytes names a size for readers.
func megabytes(n int) string {
	if n < 1<<20 {
		return strconv.Itoa(n) + " bytes"
	}
	return strconv.Itoa(n>>20) + " MB"
}
