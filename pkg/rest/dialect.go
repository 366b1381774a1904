package rest

import (
	"net/http"
	"reflect"

	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

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
