package merge

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Verify reports in words every row below a meeting that is not as s wants it. It
// writes nothing.
func Verify(ctx context.Context, tx pgx.Tx, meeting int64, s State) ([]string, error) {
	l, err := readLaid(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	want := l.want(l.recognised(s))
	var out []string
	for _, name := range l.people.unknown(want) {
		out = append(out, fmt.Sprintf("member %q is not stored", name))
	}
	if l.last < l.newest {
		out = append(out, fmt.Sprintf("correction %d is not laid over", l.newest))
	}
	d := compare(l.stored, want)
	for _, c := range d.items {
		out = append(out, c.describe("item"))
	}
	for _, c := range d.votes {
		out = append(out, c.describe("vote"))
	}
	for _, c := range d.anomalies {
		out = append(out, c.describe("anomaly"))
	}
	if d.newAttendance {
		out = append(out, fmt.Sprintf("attendance: stored %v, derived %v", l.stored.attendance, want.attendance))
	}
	return out, nil
}

// describe says what differs in one row, field by field.
func (c change[R]) describe(what string) string {
	switch {
	case c.was == nil:
		return fmt.Sprintf("%s is not stored: %s", what, fields(c.is, nil))
	case c.is == nil:
		return fmt.Sprintf("%s is stored and not derived: %s", what, fields(c.was, nil))
	}
	return fmt.Sprintf("%s %v differs: stored %s, derived %s", what, reflect.ValueOf(*c.was).Field(0), fields(c.was, c.is),
		fields(c.is, c.was))
}

// fields prints a row, or those of its fields that are not as in other.
func fields[R any](r, other *R) string {
	v := reflect.ValueOf(*r)
	var out []string
	for i := range v.NumField() {
		f := v.Field(i).Interface()
		if other != nil && reflect.DeepEqual(f, reflect.ValueOf(*other).Field(i).Interface()) {
			continue
		}
		if p := reflect.ValueOf(f); p.Kind() == reflect.Pointer && !p.IsNil() {
			f = p.Elem().Interface()
		}
		out = append(out, fmt.Sprintf("%s=%#v", v.Type().Field(i).Name, f))
	}
	return strings.Join(out, " ")
}
