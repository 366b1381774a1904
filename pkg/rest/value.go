package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest/openapi"
)

// A Date is a calendar day: YYYY-MM-DD in JSON and queries, date in Postgres.
type Date struct{ time.Time }

// ParseDate parses YYYY-MM-DD. A day that does not exist is an error.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, errors.New("must be a real day, written YYYY-MM-DD")
	}
	return Date{t}, nil
}

func (d Date) String() string { return d.Format(time.DateOnly) }

func (Date) InlineSchema() openapi.Schema {
	return openapi.Schema{Type: "string", Format: "date", Pattern: `^\d{4}-\d{2}-\d{2}$`}
}

func (d Date) MarshalText() ([]byte, error) { return d.AppendFormat(nil, time.DateOnly), nil }

func (d Date) MarshalJSON() ([]byte, error) { return d.AppendFormat(nil, `"`+time.DateOnly+`"`), nil }

func (d *Date) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("date %.20q is not a string", b)
	}
	return d.UnmarshalText([]byte(text))
}

func (d *Date) UnmarshalText(b []byte) (err error) {
	*d, err = ParseDate(string(b))
	return err
}

func (d *Date) ScanDate(v pgtype.Date) error {
	if !v.Valid || v.InfinityModifier != pgtype.Finite {
		return errors.New("date is null or infinite")
	}
	d.Time = v.Time
	return nil
}

func (d Date) DateValue() (pgtype.Date, error) { return pgtype.Date{Time: d.Time, Valid: true}, nil }

// A Time is an instant: RFC 3339 in UTC with Z and whole seconds in JSON, timestamptz in Postgres.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05Z"

func (t Time) String() string { return t.UTC().Format(timeLayout) }

func (Time) InlineSchema() openapi.Schema {
	return openapi.Schema{Type: "string", Format: "date-time"}
}

func (t Time) MarshalText() ([]byte, error) { return t.UTC().AppendFormat(nil, timeLayout), nil }

func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

func (t *Time) ScanTimestamptz(v pgtype.Timestamptz) error {
	if !v.Valid || v.InfinityModifier != pgtype.Finite {
		return errors.New("timestamp is null or infinite")
	}
	t.Time = v.Time
	return nil
}

func (t Time) TimestamptzValue() (pgtype.Timestamptz, error) {
	return pgtype.Timestamptz{Time: t.Time, Valid: true}, nil
}

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
