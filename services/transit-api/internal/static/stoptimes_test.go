package static

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Stop times write their own JSON; it is what the standard library makes of the struct, field by field.
func TestStopTimesWriteTheStandardJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a<b>&c", `"\`, "ü", "\u2028\x00\x7f", "\xff", "1 2"}))
		rows := make(StopTimes, rapid.IntRange(0, 3).Draw(t, "rows"))
		for i := range rows {
			v := reflect.ValueOf(&rows[i]).Elem()
			for f := range v.NumField() {
				name := v.Type().Field(f).Name
				switch field := v.Field(f).Addr().Interface().(type) {
				case *string:
					*field = text.Draw(t, name)
				case **string:
					if rapid.Bool().Draw(t, name+"?") {
						cell := text.Draw(t, name)
						*field = &cell
					}
				case **Clock:
					if rapid.Bool().Draw(t, name+"?") {
						at := Clock(rapid.Int32Range(0, 400000).Draw(t, name))
						*field = &at
					}
				case *wire.Links:
					for range rapid.IntRange(0, 2).Draw(t, "links") {
						field.Add(text.Draw(t, "rel"), text.Draw(t, "href"))
					}
				default:
					t.Fatalf("field %s is of a type that the test does not know", name)
				}
			}
		}
		want, err := marshal([]StopTime(rows))
		if err != nil {
			t.Fatal(err)
		}
		var each [][]byte
		for i := range rows {
			each = append(each, rows[i].AppendJSON(nil))
		}
		if got := "[" + string(bytes.Join(each, []byte{','})) + "]"; got != string(want) {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
	})
}
