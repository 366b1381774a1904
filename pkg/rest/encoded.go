package rest

import "reflect"

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

func (Encoded[T]) encodes() reflect.Type { return reflect.TypeFor[T]() }

// encodes is the type that values of t are the JSON of, else t.
func encodes(t reflect.Type) reflect.Type {
	if e, ok := reflect.Zero(t).Interface().(interface{ encodes() reflect.Type }); ok {
		return e.encodes()
	}
	return t
}
