// Package wire has the common structure of the transit API's answers: the envelope with counts and
// links, pages by limit and offset, addresses of resources, and error bodies. The endpoints are in
// internal/static and internal/realtimeapi; other HTTP code is in pkg/rest.
package wire

import (
	"reflect"
	"strconv"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
)

// Message is the body of an error.
type Message struct {
	Message string `json:"message" doc:"What happened, for people, with the request's id."`
}

// Dialect returns the API's dialect: an error is a [Message], and clients must accept JSON.
func Dialect() rest.Dialect {
	return rest.Dialect{ErrorMedia: "application/json", FormatParam: "_format",
		ErrorBody: func(e *rest.Error, request string) any {
			text := e.Detail
			for _, f := range e.Faults {
				text += "; " + f.Path + " " + f.Message
			}
			return Message{text + " (request " + request + ")"}
		}}
}

// Window has the paging parameters of a list. In SQL they are @limit and @offset.
type Window struct {
	Limit  int64 `query:"limit" rows:"true" min:"1" clamp:"10000" default:"500" doc:"Items per page; a larger number than 10000 gives 10000."`
	Offset int64 `query:"offset" min:"0" default:"0" doc:"Items to skip; following meta.links.next is preferred."`
}

// LinksRepeatQuery implements [rest.LinkedParams]: the envelope has links to other pages.
func (*Window) LinksRepeatQuery() {}

// Paging returns the window itself, for parameter structs that embed it.
func (w Window) Paging() Window { return w }

// Part returns the range of the window in a list of count items.
func (w Window) Part(count int) (from, to int) {
	from = int(min(w.Offset, int64(count)))
	return from, min(from+int(w.Limit), count)
}

// Envelope wraps every successful answer.
type Envelope[D any] struct {
	Meta Meta `json:"meta"`
	Data D    `json:"data"`
}

// Meta has the counts, paging state and links of an answer.
type Meta struct {
	TotalCount  int    `json:"totalCount" doc:"All matching items, on all pages."`
	DataCount   int    `json:"dataCount" doc:"Items in this answer."`
	Limit       int64  `json:"limit" doc:"Page size in effect; 0 if the list is not paged."`
	Offset      int64  `json:"offset" doc:"Items skipped."`
	Links       Links  `json:"links"`
	LastFetched *int64 `json:"last_fetched,omitempty" doc:"Realtime only: Unix time of the last successful poll."`
	// Truncated and Missing are set if an answer is incomplete.
	Truncated bool     `json:"truncated,omitempty" doc:"True if the answer has only the first items, because the list is too long for one answer and has no pages."`
	Missing   []string `json:"missing,omitempty" doc:"Aliases of feeds that are missing from the answer, because they are still loading, are too large or took too long."`
	// Corrected is set by a search that had to replace words.
	Corrected string `json:"corrected,omitempty" doc:"The words that were searched for, if nothing has the words of q."`
}

// ListOf returns the schema of an envelope with a list of items.
func ListOf(ss *openapi.Schemas, item openapi.Schema) openapi.Schema {
	s := openapi.Schema{Type: "object", Required: []string{"meta", "data"}}
	s.Properties.Add("meta", ss.Of(reflect.TypeFor[Meta]()))
	s.Properties.Add("data", openapi.Schema{Type: "array", Items: &item})
	return s
}

// A Link is a related resource. An empty Href is written as false.
type Link struct{ Rel, Href string }

// Links is a JSON object of related resources, in this order.
type Links []Link

// Below returns links to a resource, and to resources below it by the last part of their path.
func Below(self string, rels ...string) Links {
	links := append(make(Links, 0, len(rels)+2), Link{"self", self})
	for _, rel := range rels {
		links.Add(rel, self+"/"+rel)
	}
	return links
}

func (l *Links) Add(rel, href string) { *l = append(*l, Link{rel, href}) }

// MarshalJSON returns an object of URLs, or false.
func (l Links) MarshalJSON() ([]byte, error) {
	size := 2
	for _, k := range l {
		size += len(k.Rel) + len(k.Href) + len(`"":"",`)
	}
	b := append(make([]byte, 0, size), '{')
	for i, k := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rest.AppendString(b, k.Rel), ':')
		if k.Href == "" {
			b = append(b, "false"...)
		} else {
			b = rest.AppendString(b, k.Href)
		}
	}
	return append(b, '}'), nil
}

// Schema describes URLs, or false.
func (Links) Schema() openapi.Schema {
	return openapi.Schema{Type: "object", Description: "Related resources. next and previous are false if there is no " +
		"such page.",
		Additional: &openapi.Schema{AnyOf: []openapi.Schema{{Type: "string", Format: "uri"},
			{Type: "boolean", Enum: []any{false}}}}}
}

// Item wraps a single resource, with self and other links.
func Item[D any](c *rest.Call, data D, links Links) Envelope[D] {
	return Envelope[D]{Meta{TotalCount: 1, DataCount: 1, Links: append(Links{{"self", c.Self()}}, links...)}, data}
}

// Slice wraps one page of total items. The links self, next and previous keep all parameters of the
// request.
func Slice[R any](c *rest.Call, w Window, rows []R, total int, links Links) Envelope[[]R] {
	if rows == nil {
		rows = []R{}
	}
	m := Meta{TotalCount: total, DataCount: len(rows), Limit: w.Limit, Offset: w.Offset}
	m.Links = append(Links{{"self", c.SelfQuery()}, {"next", ""}, {"previous", ""}}, links...)
	if next := w.Offset + int64(len(rows)); len(rows) > 0 && next < int64(total) {
		m.Links[1].Href = c.SelfWith("offset", strconv.FormatInt(next, 10))
	}
	if w.Offset > 0 {
		m.Links[2].Href = c.SelfWith("offset", strconv.FormatInt(max(0, min(w.Offset, int64(total))-w.Limit), 10))
	}
	return Envelope[[]R]{m, rows}
}

// Cut wraps the requested page of all items.
func Cut[R any](c *rest.Call, w Window, all []R, links Links) Envelope[[]R] {
	from, to := w.Part(len(all))
	return Slice(c, w, all[from:to], len(all), links)
}

// Whole wraps a list without pages. lastFetched is the Unix time of realtime data; nil if there is
// none.
func Whole[R any](c *rest.Call, rows []R, lastFetched *int64, links Links) Envelope[[]R] {
	if rows == nil {
		rows = []R{}
	}
	m := Meta{TotalCount: len(rows), DataCount: len(rows), LastFetched: lastFetched,
		Links: append(Links{{"self", c.Self()}}, links...)}
	return Envelope[[]R]{m, rows}
}
