// Package wire is how the transit API writes its answers: the envelope with counts and links, pages by limit and offset,
// and error bodies. It knows no feed. The endpoints are in internal/static and internal/current, the rest of HTTP in pkg/rest.
package wire

import "github.com/townline/townline/pkg/rest"

// Message is the body of an error.
type Message struct {
	Message string `json:"message" doc:"What happened, for people, with the request's id."`
}

// Dialect returns the API's dialect: errors are a [Message], and clients must ask for JSON.
func Dialect() rest.Dialect {
	return rest.Dialect{ErrorMedia: "application/json", FormatParam: "_format", ErrorBody: func(e *rest.Error, request string) any {
		text := e.Detail
		for _, f := range e.Faults {
			text += "; " + f.Path + " " + f.Message
		}
		return Message{text + " (request " + request + ")"}
	}}
}
