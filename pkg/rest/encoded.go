package rest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Encoded is the JSON of a T that was made earlier, by [Encode], for what stands in many answers. The description has it as a T.
type Encoded[T any] []byte

// Encode makes the JSON of a value once.
func Encode[T any](v T) (Encoded[T], error) {
	a, err := encodeJSON(v)
	if err != nil {
		return nil, err
	}
	return a.body, nil
}

// MarshalJSON writes it.
func (e Encoded[T]) MarshalJSON() ([]byte, error) { return e, nil }

// AppendJSON writes it.
func (e Encoded[T]) AppendJSON(b []byte) []byte { return append(b, e...) }

// An Appender writes its own JSON, byte for byte as encoding/json would without its escapes for HTML. Data of an [Envelope] that is one
// is written straight into the body: several times as fast, for answers that are often built.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// appendJSON is the envelope's JSON, if its data can append itself.
func (e Envelope[D]) appendJSON() ([]byte, bool) {
	data, ok := any(e.Data).(Appender)
	if !ok {
		return nil, false
	}
	b := make([]byte, 0, 512+512*e.Meta.DataCount)
	m := &e.Meta
	b = strconv.AppendInt(append(b, `{"meta":{"totalCount":`...), int64(m.TotalCount), 10)
	b = strconv.AppendInt(append(b, `,"dataCount":`...), int64(m.DataCount), 10)
	b = strconv.AppendInt(append(b, `,"limit":`...), m.Limit, 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), m.Offset, 10)
	b = m.Links.AppendJSON(append(b, `,"links":`...))
	if m.LastFetched != nil {
		b = strconv.AppendInt(append(b, `,"last_fetched":`...), *m.LastFetched, 10)
	}
	return append(data.AppendJSON(append(b, `},"data":`...)), '}'), true
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

func (Encoded[T]) encodes() reflect.Type { return reflect.TypeFor[T]() }

// encodes is the type that values of t are the JSON of, else t.
func encodes(t reflect.Type) reflect.Type {
	if e, ok := reflect.Zero(t).Interface().(interface{ encodes() reflect.Type }); ok {
		return e.encodes()
	}
	return t
}
