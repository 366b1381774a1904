package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"
)

// A Call is one request as a handler may see it: its parameters' addresses, its
// generation and the database. It has no header, no credential and no client, because what a
// handler builds is kept and given to others.
type Call struct {
	s *Server
	e *Endpoint

	w     http.ResponseWriter
	r     *http.Request
	id    [1]string // also the value of its header
	start time.Time

	values  [maxParams]value
	format  string // that the query asks for by name
	gen     Generation
	db      DB // the snapshot while an answer is built from one, else the server's
	private bool
	pushed  bool // answered by a stream
	link    []string
	cause   error      // what went wrong on our side, for the log
	left    bool       // the client is gone, nothing was written
	span    trace.Span // nil without tracing

	wide  bool // has a place among the large answers that are built
	taken int  // bytes that the handler holds for the answer
	rows  int  // bytes of rows that were read for it
}

// Query runs a statement that the endpoint declared; [Query.List] calls it.
func (c *Call) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !c.e.runs[sql] {
		return nil, fmt.Errorf("endpoint %s does not declare the query %.60q in Spec.Queries", c.e.ID, sql)
	}
	rows, err := c.db.Query(ctx, sql, args...)
	if err != nil || c.e.Source == nil || c.e.Source.Read == nil || c.e.stream {
		return rows, err // rows that are not of a snapshot may be loaded for many answers
	}
	return &countedRows{Rows: rows, c: c}, nil
}

// countedRows ends early when an answer's rows take more than an answer may.
type countedRows struct {
	pgx.Rows
	c   *Call
	err error
}

// Next reads a row.
func (r *countedRows) Next() bool {
	if !r.Rows.Next() {
		return false
	}
	for _, v := range r.RawValues() {
		r.c.rows += len(v)
	}
	if r.c.rows > r.c.s.cfg.AnswerBytes {
		r.err = r.c.tooLarge()
		r.Close()
		return false
	}
	return true
}

// Err tells why there are no more rows.
func (r *countedRows) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.Rows.Err()
}

// Generation is the state of the data that this answer is made of.
func (c *Call) Generation() Generation { return c.gen }

// ID is the request's id, for logs.
func (c *Call) ID() string { return c.id[0] }

// Endpoint is what the endpoint says of itself.
func (c *Call) Endpoint() *Spec { return &c.e.Spec }

// Param returns the text of a parameter, "" when it is absent. It is for
// Source.Now, which serves endpoints of different parameter structs.
func (c *Call) Param(name string) string {
	i, ok := c.e.plan.byName[name]
	if !ok {
		return ""
	}
	return c.values[i].text
}

// URL builds an absolute address below the API's public base: c.URL("/items/{id}", id).
func (c *Call) URL(template string, ids ...string) string {
	return URL(c.s.cfg.PublicURL, template, ids...)
}

// Self is the absolute address of this request without its query.
func (c *Call) Self() string {
	ids := make([]string, len(c.e.plan.paths))
	for i, p := range c.e.plan.paths {
		ids[i] = c.values[p].text
	}
	return c.URL(c.e.Path, ids...)
}

// Link adds a Link header (RFC 8288) to the answer.
func (c *Call) Link(rel, href string) {
	c.link = append(c.link, "<"+href+`>; rel="`+rel+`"`)
}

// Filters names the endpoint and its parameters without those of paging: what a cursor of this request belongs to.
func (c *Call) Filters() []byte { return c.e.plan.canonical(nil, c, false) }

// query is the parameters that links keep: those that the endpoint knows and the request gave, by the values in effect. Links in
// the body ([LinkedParams]) repeat defaults too, and the format; a Link header, which all who ask for the same
// body share, leaves them out. Unknown parameters lead nowhere: each would make a body of its own.
func (c *Call) query() url.Values {
	q := url.Values{}
	for i := range c.e.plan.params {
		p, v := &c.e.plan.params[i], &c.values[i]
		if !p.inPath && v.given && v.set && (c.e.plan.linked || v.text != p.def) {
			q.Set(p.name, v.text)
		}
	}
	if c.e.plan.linked && c.format != "" {
		q.Set(c.s.cfg.Dialect.FormatParam, c.format)
	}
	return q
}

// SelfQuery is the absolute address of this request with its query.
func (c *Call) SelfQuery() string { return c.SelfWith("", "") }

// SelfWith is SelfQuery with one parameter changed, or left out when text is "".
func (c *Call) SelfWith(name, text string) string {
	q := c.query()
	q.Del(name)
	if text != "" {
		q.Set(name, text)
	}
	if len(q) == 0 {
		return c.Self()
	}
	return c.Self() + "?" + q.Encode()
}
