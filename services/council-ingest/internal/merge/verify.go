package merge

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
)

// Verify describes every stored row of a meeting that Apply would change. It runs Apply in a
// savepoint, which it rolls back.
func Verify(ctx context.Context, tx pgx.Tx, id int64, s State) ([]string, error) {
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to verify meeting %d: %w", id, err)
	}
	defer func() { _ = savepoint.Rollback(ctx) }() // does nothing after the rollback below
	out, err := apply(ctx, savepoint, id, s)
	if err != nil {
		return nil, err
	}
	if err := savepoint.Rollback(ctx); err != nil {
		return nil, fmt.Errorf("take the changes of meeting %d back: %w", id, err)
	}
	return out, nil
}

// selectEffects selects what Apply changed besides the rows of a meeting, by its run.
const selectEffects = `
	SELECT CASE kind WHEN 'member_added' THEN format('member "%s" is not stored', after->>'full_name')
	       ELSE format('member "%s" is stored and not derived', before->>'full_name') END
	FROM council.change WHERE run_id = $2 AND kind IN ('member_added', 'member_removed')
	UNION ALL
	SELECT format('correction %s is not applied', max(c.correction_id))
	FROM council.correction c WHERE c.iqm2_id = $1 AND c.correction_id > $3 HAVING count(*) > 0`

// apply runs Apply and describes what it changed.
func apply(ctx context.Context, tx pgx.Tx, id int64, s State) (out []string, err error) {
	const run = "verify"
	stored, err := readRows(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	applied, err := pg.Value[int64](ctx, tx, `SELECT coalesce(max(correction_id), 0) FROM council.uncorrected
		WHERE iqm2_id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read the applied corrections of meeting %d: %w", id, err)
	}
	changed, err := Apply(ctx, tx, id, s, Cause{Run: run, Reason: run}, time.Now())
	if err != nil || !changed {
		return nil, err
	}
	out, err = pg.Column[string](ctx, tx, selectEffects, id, run, applied)
	if err != nil {
		return nil, fmt.Errorf("read what changed in meeting %d: %w", id, err)
	}
	derived, err := readRows(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	d := compare(stored, derived)
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
		out = append(out, fmt.Sprintf("attendance: stored %v, derived %v", stored.attendance, derived.attendance))
	}
	if len(out) == 0 {
		out = append(out, "the derived people or rows before corrections are others than the stored ones")
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
