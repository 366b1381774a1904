// Package wire has the format of the council API's answers: pages with cursors, and problems (RFC
// 9457) for errors. It does not depend on votes. The endpoints are in internal/civic,
// internal/review and internal/files; pkg/rest does the rest of HTTP.
package wire

import (
	"net/http"

	"github.com/townline/townline/pkg/rest"
)

// A Problem is the body of an error (RFC 9457).
type Problem struct {
	Type     string       `json:"type" doc:"Always about:blank: the status identifies the problem."`
	Title    string       `json:"title" doc:"The name of the status."`
	Status   int          `json:"status" doc:"The HTTP status."`
	Detail   string       `json:"detail,omitempty" doc:"What happened, for people."`
	Instance string       `json:"instance,omitempty" format:"uri" doc:"The request's id, urn:request:…; quote it in a report."`
	Errors   []rest.Fault `json:"errors,omitempty" doc:"Every invalid parameter."`
}

// Dialect returns the API's dialect, in which an error is a [Problem].
func Dialect() rest.Dialect {
	return rest.Dialect{ErrorMedia: "application/problem+json", ErrorBody: func(e *rest.Error, request string) any {
		return Problem{Type: "about:blank", Title: http.StatusText(e.Status), Status: e.Status, Detail: e.Detail,
			Instance: "urn:request:" + request, Errors: e.Faults}
	}}
}
