package rest

import (
	"context"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
)

// A DB runs queries: a pool, a transaction or a [Call]. A Call refuses statements that its endpoint
// does not declare.
type DB = pg.Querier

// A Query is one SQL statement with the struct of its named arguments (A) and the type of its rows
// (R): a struct whose fields are the columns, or one plain value.
type Query[A, R any] struct {
	text   string  // as written, with @names
	sql    string  // as sent, with $1
	fields [][]int // index of the field of A for each $n
	scan   pgx.RowToFunc[R]
	err    error
}

// SQL makes a query. Every @name must be a field of A and every field of A a @name. Columns and
// fields of R must correspond in the same way (the tag db:"…" renames a field, db:"-" omits it).
// resttest.CheckQueries compares both with the database, for every statement that [Made] returns.
func SQL[A, R any](text string) *Query[A, R] {
	q := &Query[A, R]{text: text, scan: pgx.RowTo[R]}
	if isRowStruct(reflect.TypeFor[R]()) {
		q.scan = pgx.RowToStructByName[R]
	}
	made.Store(text, q)
	names := pgx.StrictNamedArgs{}
	for _, f := range argFields(reflect.TypeFor[A](), nil) {
		if _, twice := names[f.name]; twice {
			q.err = fmt.Errorf("argument @%s is twice in %s", f.name, reflect.TypeFor[A]())
			return q
		}
		names[f.name] = f.index
	}
	sql, args, err := names.RewriteQuery(context.Background(), nil, text, nil)
	if err != nil {
		q.err = fmt.Errorf("arguments of %s: %w", reflect.TypeFor[A](), err)
		return q
	}
	q.sql = sql
	for _, a := range args {
		q.fields = append(q.fields, a.([]int))
	}
	return q
}

// made has the statements of the program by their text.
var made sync.Map

// Made returns all statements that the program has made with [SQL]. Statements that run without an
// endpoint are tested with it.
func Made() (all []Statement) {
	for _, q := range made.Range {
		all = append(all, q.(Statement))
	}
	return all
}

// A Resolver is a struct of arguments that are completed from the database before a query runs, for
// example an id from a name. Queries embed it in their arguments.
type Resolver interface {
	// Resolve completes the arguments. If it returns an error, that is the answer.
	Resolve(ctx context.Context, db DB) error
	// Resolving is the statement that Resolve runs. Endpoints declare it with the query.
	Resolving() Statement
}

// List returns all rows. The slice is never nil.
func (q *Query[A, R]) List(ctx context.Context, db DB, args A) ([]R, error) {
	rows, err := q.rows(ctx, db, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, q.scan)
}

// Each calls f for every row. If f returns an error, the query ends and Each returns the error, so
// a caller can limit the rows.
func (q *Query[A, R]) Each(ctx context.Context, db DB, args A, f func(R) error) error {
	rows, err := q.rows(ctx, db, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := q.scan(rows)
		if err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// rows sends the query with its arguments in the order of $1, $2 ….
func (q *Query[A, R]) rows(ctx context.Context, db DB, args A) (pgx.Rows, error) {
	if q.err != nil {
		return nil, q.err
	}
	if r, ok := any(&args).(Resolver); ok {
		if err := r.Resolve(ctx, db); err != nil {
			return nil, err
		}
	}
	v := reflect.ValueOf(&args).Elem()
	in := make([]any, len(q.fields))
	for i, f := range q.fields {
		in[i] = v.FieldByIndex(f).Interface()
	}
	return db.Query(ctx, q.sql, in...)
}

// One returns the first row. Without one it returns pgx.ErrNoRows, which becomes a 404 unless the
// handler treats it.
func (q *Query[A, R]) One(ctx context.Context, db DB, args A) (R, error) {
	rows, err := q.rows(ctx, db, args)
	if err != nil {
		var none R
		return none, err
	}
	return pgx.CollectOneRow(rows, q.scan)
}

// isRowStruct reports whether the fields of t are columns. A time.Time, for example, is one value.
func isRowStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// A Statement is a query without its Go types, for tests of a whole table.
type Statement interface {
	Text() string              // as written, with @names
	Prepared() (string, error) // as sent, with $1; returns an error if arguments do not match
	Args() []reflect.Type
	Row() reflect.Type    // a struct whose fields are the columns, or one plain value
	Resolving() Statement // statement that runs before it to complete its arguments; nil if there is none
}

func (q *Query[A, R]) Text() string { return q.text }

func (q *Query[A, R]) Prepared() (string, error) { return q.sql, q.err }

func (q *Query[A, R]) Args() []reflect.Type {
	types := make([]reflect.Type, len(q.fields))
	for i, f := range q.fields {
		types[i] = reflect.TypeFor[A]().FieldByIndex(f).Type
	}
	return types
}

func (q *Query[A, R]) Row() reflect.Type { return reflect.TypeFor[R]() }

// Resolving returns the statement of the arguments' [Resolver], or nil.
func (q *Query[A, R]) Resolving() Statement {
	if r, ok := any(new(A)).(Resolver); ok {
		return r.Resolving()
	}
	return nil
}

// Queries returns its arguments as a list, for Spec.Queries.
func Queries(s ...Statement) []Statement { return s }

type argField struct {
	name  string
	index []int
}

// argFields returns the fields with the names of their arguments: the arg, query or path tag, or
// the field's name in snake_case. Embedded structs are flattened.
func argFields(t reflect.Type, at []int) []argField {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []argField
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		if f.Anonymous && isRowStruct(f.Type) {
			out = append(out, argFields(f.Type, index)...)
			continue
		}
		name := snake(f.Name)
		for _, tag := range []string{"path", "query", "arg"} {
			if v, ok := f.Tag.Lookup(tag); ok {
				name = v
			}
		}
		if name != "-" && f.IsExported() {
			out = append(out, argField{name, index})
		}
	}
	return out
}

func snake(s string) string {
	var b strings.Builder
	r := []rune(s)
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
