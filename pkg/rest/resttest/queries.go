// Package resttest checks an API in tests: every query of a table against the migrated database,
// and every answer against the API's own description. It does not run a server or test single
// endpoints; the API's own tests do that.
//
//	resttest.CheckQueries(t, pgtest.New(t), rest.Made()...)
//
//	api := resttest.Open(t, server)
//	res := api.Get(t, "/v1/meetings?limit=2") // fails the test if the answer breaks the description
package resttest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/rest"
)

// CheckQueries prepares each statement and compares the database's types with the Go types. Every
// @name must have a field and every field a @name. Every column must have a field and every field a
// column. pgx must be able to convert each column to its field.
func CheckQueries(t testing.TB, pool *pgxpool.Pool, statements ...rest.Statement) {
	t.Helper()
	if len(statements) == 0 {
		t.Error("no queries to check")
	}
	conn, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatalf("check queries: %v", err)
	}
	defer conn.Release()
	for _, s := range statements {
		for _, wrong := range checkQuery(conn.Conn(), s) {
			t.Errorf("query for %s: %s\n%s", s.Row(), wrong, s.Text())
		}
	}
}

func checkQuery(conn *pgx.Conn, s rest.Statement) []string {
	sql, err := s.Prepared()
	if err != nil {
		return []string{err.Error()}
	}
	d, err := conn.Prepare(context.Background(), "", sql)
	if err != nil {
		return []string{err.Error()}
	}
	types := conn.TypeMap()
	var wrong []string
	for i, arg := range s.Args() {
		if plan := types.PlanEncode(d.ParamOIDs[i], pgtype.BinaryFormatCode, reflect.Zero(arg).Interface()); plan == nil &&
			types.PlanEncode(d.ParamOIDs[i], pgtype.TextFormatCode, reflect.Zero(arg).Interface()) == nil {
			wrong = append(wrong, fmt.Sprintf("$%d is %s, which no %s can be", i+1, typeName(types, d.ParamOIDs[i]), arg))
		}
	}
	row := s.Row()
	if len(d.Fields) == 1 && !isStruct(row) {
		return append(wrong, scannable(types, "the column", d.Fields[0].DataTypeOID, row)...)
	}
	fields := columns(row)
	seen := map[string]bool{}
	for _, column := range d.Fields {
		f, ok := fields[fold(column.Name)]
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("column %s has no field", column.Name))
			continue
		case seen[fold(column.Name)]:
			wrong = append(wrong, fmt.Sprintf("column %s is selected twice", column.Name))
		}
		seen[fold(column.Name)] = true
		wrong = append(wrong, scannable(types, column.Name, column.DataTypeOID, f)...)
	}
	for name := range fields {
		if !seen[name] {
			wrong = append(wrong, fmt.Sprintf("field %s has no column", name))
		}
	}
	return wrong
}

// scannable returns the error that pgx would return when it scans the column of a row.
func scannable(types *pgtype.Map, column string, oid uint32, field reflect.Type) []string {
	format := types.FormatCodeForOID(oid)
	// If there is no conversion, pgx returns a plan that always fails, whose type is not exported.
	if plan := fmt.Sprintf("%T", types.PlanScan(oid, format, reflect.New(field).Interface())); strings.HasSuffix(plan,
		"scanPlanFail") {
		return []string{fmt.Sprintf("%s is %s, which does not fit into %s", column, typeName(types, oid), field)}
	}
	return nil
}

func typeName(types *pgtype.Map, oid uint32) string {
	if t, ok := types.TypeForOID(oid); ok {
		return t.Name
	}
	return fmt.Sprintf("type %d", oid)
}

func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() != "time" && t != reflect.TypeFor[rest.Date]() &&
		t != reflect.TypeFor[rest.Time]()
}

// columns returns the fields that pgx.RowToStructByName sets, by folded name.
func columns(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, tagged := f.Tag.Lookup("db")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && !tagged && isStruct(f.Type):
			for n, typ := range columns(f.Type) {
				out[n] = typ
			}
		case tagged:
			out[fold(name)] = f.Type
		default:
			out[fold(f.Name)] = f.Type
		}
	}
	return out
}

func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
