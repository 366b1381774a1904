package rest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Dialect is how an API speaks where the two differ: error bodies, the rule
// about formats, and Vary.
type Dialect int

// The two dialects.
const (
	Council Dialect = iota // RFC 9457 problems, cursors, JSON whatever is asked for
	Transit                // {message}, envelopes; application/json must be asked for
)

// Problem is the error body of the council dialect (RFC 9457).
type Problem struct {
	Type     string  `json:"type" doc:"Always about:blank: the status says all."`
	Title    string  `json:"title" doc:"The name of the status."`
	Status   int     `json:"status" doc:"The HTTP status."`
	Detail   string  `json:"detail,omitempty" doc:"What happened, for a reader."`
	Instance string  `json:"instance,omitempty" format:"uri" doc:"The request's id, urn:request:…; quote it in a report."`
	Errors   []Fault `json:"errors,omitempty" doc:"Every parameter that is wrong."`
}

// Message is the error body of the transit dialect.
type Message struct {
	Message string `json:"message" doc:"What happened, for a reader, with the request's id."`
}

// errorBody is the body of an error and its content type.
func (d Dialect) errorBody(e *Error, request string) (body []byte, media string) {
	if d == Transit {
		text := e.Detail
		for _, f := range e.Faults {
			text += "; " + f.Path + " " + f.Message
		}
		return compactJSON(Message{text + " (request " + request + ")"}), "application/json"
	}
	return compactJSON(Problem{"about:blank", http.StatusText(e.Status), e.Status, e.Detail, "urn:request:" + request, e.Faults}),
		"application/problem+json"
}

// compactJSON encodes what cannot fail.
func compactJSON(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

func (d Dialect) vary() string {
	if d == Transit {
		return "Accept, Accept-Encoding"
	}
	return "Accept-Encoding"
}

// format holds the transit dialect's rule: _format=json, or an Accept that
// names JSON; another _format is refused, and so is saying nothing.
func (d Dialect) format(c *Call) error {
	if d != Transit {
		return nil
	}
	r := c.r
	asked, faults := "", []Fault(nil)
	if strings.Contains(r.URL.RawQuery, "format") { // else it cannot be there
		asked, faults = formatParam(r.URL.RawQuery)
	}
	switch {
	case faults != nil:
		return BadRequest(faults...)
	case asked == "json":
		c.format = asked
		return nil
	case asked != "":
		return &Error{Status: http.StatusNotAcceptable, Detail: "the only _format is json"}
	case namesJSON(r.Header["Accept"]):
		return nil
	}
	return &Error{Status: http.StatusNotAcceptable, Detail: "ask for a format: _format=json or Accept: application/json"}
}

// formatParam finds _format in a query.
func formatParam(query string) (string, []Fault) {
	asked, seen := "", false
	for pair := range strings.SplitSeq(query, "&") {
		name, raw, _ := strings.Cut(pair, "=")
		if name, err := unescapeQuery(name); err != nil || name != "_format" {
			continue
		}
		text, err := unescapeQuery(raw)
		switch {
		case err != nil:
			return "", []Fault{{"_format", "is not percent-encoded right"}}
		case text == "":
			return "", []Fault{{"_format", "must not be empty"}}
		case seen && text != asked:
			return "", []Fault{{"_format", "is given twice with different values"}}
		}
		asked, seen = text, true
	}
	return asked, nil
}
