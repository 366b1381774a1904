package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/pg"
)

// A Fault is one thing wrong with a request: the parameter and why.
type Fault struct {
	Path    string `json:"path" doc:"The parameter's name."`
	Message string `json:"message" doc:"What is wrong with it."`
}

// An Error is an answer that is not 200. Any other error that a handler returns
// is 404 (pgx.ErrNoRows), 503 (the database is gone), 504 (out of time) or 500.
type Error struct {
	Status int
	Detail string      // for the reader; never SQL, paths or secrets
	Faults []Fault     // of 400
	Header http.Header // additional headers: WWW-Authenticate, Retry-After
	cause  error       // for the log only
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%d %s", e.Status, e.Detail)
	for _, f := range e.Faults {
		s += "; " + f.Path + " " + f.Message
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns what the reader is not told.
func (e *Error) Unwrap() error { return e.cause }

// NotFound is 404: no such thing.
func NotFound(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Detail: fmt.Sprintf(format, args...)}
}

// BadRequest is 400 with everything that is wrong.
func BadRequest(faults ...Fault) *Error {
	return &Error{Status: http.StatusBadRequest, Detail: "invalid parameters", Faults: faults}
}

// Unauthorized is 401: no credential, or none that is known. The challenge is
// the value of WWW-Authenticate.
func Unauthorized(challenge, format string, args ...any) *Error {
	return &Error{Status: http.StatusUnauthorized, Detail: fmt.Sprintf(format, args...),
		Header: http.Header{"Www-Authenticate": {challenge}}}
}

// Forbidden is 403: a known credential without the permission.
func Forbidden(format string, args ...any) *Error {
	return &Error{Status: http.StatusForbidden, Detail: fmt.Sprintf(format, args...)}
}

// fail is the one place where an error becomes an answer.
func (s *Server) fail(c *Call, err error) {
	if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		c.left = true
		return
	}
	e := explain(err, &c.e.Spec)
	if e.Status >= http.StatusInternalServerError {
		c.cause = err
	}
	body := compactJSON(s.cfg.Dialect.ErrorBody(e, c.id[0]))
	h := c.w.Header()
	for _, stale := range []string{"Etag", "Last-Modified", "Link", "Content-Disposition", "Content-Encoding", "Accept-Ranges"} {
		delete(h, stale)
	}
	for k, v := range e.Header {
		h[k] = v
	}
	h["Access-Control-Expose-Headers"] = exposedHeaders
	h["X-Content-Type-Options"] = nosniff
	h["Content-Type"] = []string{s.cfg.Dialect.ErrorMedia}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Cache-Control"] = noStore
	c.w.WriteHeader(e.Status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // a client that left is no error of ours
	}
}

// explain turns any error of an endpoint into one that may be told.
func explain(err error, s *Spec) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, pgx.ErrNoRows):
		return &Error{Status: http.StatusNotFound, Detail: cmp.Or(s.NotFound, "there is no such thing"), cause: err}
	case pg.Unavailable(err):
		return &Error{Status: http.StatusServiceUnavailable, Detail: "the database cannot be reached; try again soon",
			Header: http.Header{"Retry-After": {"5"}}, cause: err}
	case errors.Is(err, context.DeadlineExceeded), sqlState(err) == "57014": // query_canceled: the session's statement_timeout
		return &Error{Status: http.StatusGatewayTimeout, Detail: "the answer took too long", cause: err}
	}
	return &Error{Status: http.StatusInternalServerError, Detail: "internal error", cause: err}
}

// sqlState is the SQLSTATE of an error from Postgres, else "".
func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
