// Package wire is how the council API writes its answers: pages that go on at a cursor, and problems (RFC 9457) for errors.
// It knows no vote. The endpoints are in package councilapi, all else that HTTP asks for in pkg/rest.
package wire

import (
	"net/http"

	"github.com/townline/townline/pkg/rest"
)

// Problem is the body of an error (RFC 9457).
type Problem struct {
	Type     string       `json:"type" doc:"Always about:blank: the status says all."`
	Title    string       `json:"title" doc:"The name of the status."`
	Status   int          `json:"status" doc:"The HTTP status."`
	Detail   string       `json:"detail,omitempty" doc:"What happened, for a reader."`
	Instance string       `json:"instance,omitempty" format:"uri" doc:"The request's id, urn:request:…; quote it in a report."`
	Errors   []rest.Fault `json:"errors,omitempty" doc:"Every parameter that is wrong."`
}

// Dialect returns the API's dialect: errors are a [Problem], and every answer is JSON.
func Dialect() rest.Dialect {
	return rest.Dialect{ErrorMedia: "application/problem+json", ErrorBody: func(e *rest.Error, request string) any {
		return Problem{"about:blank", http.StatusText(e.Status), e.Status, e.Detail, "urn:request:" + request, e.Faults}
	}}
}
