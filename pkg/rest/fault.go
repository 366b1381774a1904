package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/rest/internal/bind"
)

// A Fault is an invalid parameter of a request, with the reason.
type Fault = bind.Fault

// An Error is an answer that is not 200. Any other error that a handler returns
// is 404 (pgx.ErrNoRows), 503 (the database is gone), 504 (out of time) or 500.
type Error struct {
	Status int
	Detail string      // for the client: no SQL, paths or secrets
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

// Unwrap returns the cause, which only the log gets.
func (e *Error) Unwrap() error { return e.cause }

// NotFound is 404: there is no such resource.
func NotFound(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Detail: fmt.Sprintf(format, args...)}
}

// BadRequest is 400 with all faults.
func BadRequest(faults ...Fault) *Error {
	return &Error{Status: http.StatusBadRequest, Detail: "invalid parameters", Faults: faults}
}

// Unauthorized is 401: no credential, or an unknown one. The challenge is
// the value of WWW-Authenticate.
func Unauthorized(challenge, format string, args ...any) *Error {
	return &Error{Status: http.StatusUnauthorized, Detail: fmt.Sprintf(format, args...),
		Header: http.Header{"Www-Authenticate": {challenge}}}
}

// Unavailable is 503. It asks clients to try again after some whole seconds.
func Unavailable(after time.Duration, detail string) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Detail: detail,
		Header: http.Header{"Retry-After": {strconv.Itoa(int(after.Seconds()))}}}
}

// Forbidden is 403: a known credential without the permission.
func Forbidden(format string, args ...any) *Error {
	return &Error{Status: http.StatusForbidden, Detail: fmt.Sprintf(format, args...)}
}
