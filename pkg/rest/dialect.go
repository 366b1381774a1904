package rest

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
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

// A Dialect has the rules that differ between APIs: the bodies of errors and the choice of format.
// Paging is a parameter struct of each API; see [CursorParams] and [LinkedParams].
type Dialect struct {
	// ErrorBody makes the body of an error. request is the request's id. The description shows the
	// type of the body.
	ErrorBody func(e *Error, request string) any
	// ErrorMedia is the content type of error bodies.
	ErrorMedia string
	// FormatParam is the query parameter by which clients choose JSON, the only format. If it is set,
	// a request must have the parameter or an Accept header with JSON. If it is empty, every answer is
	// JSON.
	FormatParam string
}

func (d *Dialect) errorType() reflect.Type { return reflect.TypeOf(d.ErrorBody(&Error{}, "")) }

func (d *Dialect) vary() string {
	if d.FormatParam != "" {
		return "Accept, Accept-Encoding"
	}
	return "Accept-Encoding"
}

func (d *Dialect) format(r *http.Request) (string, error) {
	if d.FormatParam == "" {
		return "", nil
	}
	asked, fault, given := bind.Lookup(r.URL.RawQuery, d.FormatParam)
	if given && fault == "" && asked == "" {
		fault = "must not be empty"
	}
	switch {
	case fault != "":
		return "", BadRequest(Fault{Path: d.FormatParam, Message: fault})
	case asked == "json":
		return asked, nil
	case asked != "":
		return "", &Error{Status: http.StatusNotAcceptable, Detail: "the only " + d.FormatParam + " is json"}
	case reply.NamesJSON(r.Header["Accept"]):
		return "", nil
	}
	return "", &Error{Status: http.StatusNotAcceptable, Detail: "name a format: " + d.FormatParam +
		"=json or Accept: application/json"}
}
