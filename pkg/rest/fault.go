package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/rest/internal/bind"
)

// A Fault is an invalid parameter of a request, and the reason.
type Fault = bind.Fault

// An Error is an answer with a status other than 200. Any other error of a handler becomes 404
// (pgx.ErrNoRows), 503 (the database is unreachable), 504 (a timeout) or 500.
type Error struct {
	Status int
	Detail string // text for the client, without SQL, paths or secrets
	Faults []Fault
	Header http.Header // additional headers, such as WWW-Authenticate and Retry-After
	cause  error
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

// Unwrap returns the cause, which appears only in the log.
func (e *Error) Unwrap() error { return e.cause }

// NotFound is a 404: there is no such resource.
func NotFound(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Detail: fmt.Sprintf(format, args...)}
}

// BadRequest is a 400 with all faults.
func BadRequest(faults ...Fault) *Error {
	return &Error{Status: http.StatusBadRequest, Detail: "invalid parameters", Faults: faults}
}

// Unauthorized is a 401: no credential, or an unknown one. challenge is the value of
// WWW-Authenticate.
func Unauthorized(challenge, format string, args ...any) *Error {
	return &Error{Status: http.StatusUnauthorized, Detail: fmt.Sprintf(format, args...),
		Header: http.Header{"Www-Authenticate": {challenge}}}
}

// Unavailable is a 503. It asks clients to try again after the given time, in whole seconds.
func Unavailable(after time.Duration, detail string) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Detail: detail,
		Header: http.Header{"Retry-After": {strconv.Itoa(int(after.Seconds()))}}}
}

// Forbidden is a 403: a known credential without the permission.
func Forbidden(format string, args ...any) *Error {
	return &Error{Status: http.StatusForbidden, Detail: fmt.Sprintf(format, args...)}
}
