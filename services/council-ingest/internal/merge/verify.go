package merge

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Verify describes every stored row of a meeting that Apply would change.
func Verify(ctx context.Context, tx pgx.Tx, id int64, s State) ([]string, error) {
	m, joins, err := readJoins(ctx, tx, id, &s)
	if err != nil {
		return nil, err
	}
	want := m.override(m.identify(s))
	var out []string
	for _, j := range joins {
		out = append(out, fmt.Sprintf("%s is member %d, derived: member %d", j.key, j.from, j.to))
	}
	for _, name := range m.people.newNames(want) {
		out = append(out, fmt.Sprintf("member %q is not stored", name))
	}
	if m.applied < m.newest {
		out = append(out, fmt.Sprintf("correction %d is not applied", m.newest))
	}
	d := compare(m.stored, want)
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
		out = append(out, fmt.Sprintf("attendance: stored %v, derived %v", m.stored.attendance, want.attendance))
	}
	return out, nil
}

func (c change[R]) describe(kind string) string {
	switch {
	case c.was == nil:
		return fmt.Sprintf("%s is not stored: %s", kind, fields(c.is, nil))
	case c.is == nil:
		return fmt.Sprintf("%s is stored and not derived: %s", kind, fields(c.was, nil))
	}
	return fmt.Sprintf("%s %d differs: stored %s, derived %s", kind, c.id, fields(c.was, c.is), fields(c.is, c.was))
}

func fields[R any](r, other *R) string {
	v := reflect.ValueOf(*r)
	var out []string
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Anonymous {
			continue // its fields follow
		}
		f := v.FieldByIndex(field.Index).Interface()
		if other != nil && reflect.DeepEqual(f, reflect.ValueOf(*other).FieldByIndex(field.Index).Interface()) {
			continue
		}
		if p := reflect.ValueOf(f); p.Kind() == reflect.Pointer && !p.IsNil() {
			f = p.Elem().Interface()
		}
		out = append(out, fmt.Sprintf("%s=%#v", field.Name, f))
	}
	return strings.Join(out, " ")
}
