package rest_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
)

// This file has two small dialects and two kinds of paging. The real ones are in the APIs.

type Problem struct {
	Type     string       `json:"type" doc:"Always about:blank: the status says all."`
	Title    string       `json:"title" doc:"The name of the status."`
	Status   int          `json:"status" doc:"The HTTP status."`
	Detail   string       `json:"detail,omitempty" doc:"What happened, for a reader."`
	Instance string       `json:"instance,omitempty" format:"uri" doc:"The request's id, urn:request:…; quote it in a report."`
	Errors   []rest.Fault `json:"errors,omitempty" doc:"Every parameter that is wrong."`
}

func problems() rest.Dialect {
	return rest.Dialect{ErrorMedia: "application/problem+json", ErrorBody: func(e *rest.Error, request string) any {
		return Problem{"about:blank", http.StatusText(e.Status), e.Status, e.Detail, "urn:request:" + request, e.Faults}
	}}
}

type Message struct {
	Message string `json:"message" doc:"What happened, for a reader, with the request's id."`
}

func messages() rest.Dialect {
	return rest.Dialect{ErrorMedia: "application/json", FormatParam: "_format",
		ErrorBody: func(e *rest.Error, request string) any {
			text := e.Detail
			for _, f := range e.Faults {
				text += "; " + f.Path + " " + f.Message
			}
			return Message{text + " (request " + request + ")"}
		}}
}

// Keyset continues a list after an id. The cursor has the id and a checksum of the filters.
type Keyset struct {
	Limit  int     `query:"limit" rows:"true" arg:"-" min:"1" max:"200" default:"50" doc:"Page size."`
	Cursor *string `query:"cursor" arg:"-" doc:"Opaque cursor from next_cursor of a page with the same filters."`
	After  *int64  `arg:"after"`
	Fetch  int     `arg:"limit"`
}

func cursorOf(id int64, filters []byte) string {
	h := fnv.New64a()
	h.Write(filters)
	return fmt.Sprintf("%d-%x", id, h.Sum64())
}

func (k *Keyset) OpenCursor(filters func() []byte) (param, why string) {
	k.Fetch = k.Limit + 1
	if k.Cursor == nil {
		return "", ""
	}
	text, _, _ := strings.Cut(*k.Cursor, "-")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || *k.Cursor != cursorOf(id, filters()) {
		return "cursor", "is damaged"
	}
	k.After = &id
	return "", ""
}

type Page[R any] struct {
	Data       []R     `json:"data" doc:"The entries of this page."`
	NextCursor *string `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
	Count      int     `json:"count" doc:"Number of entries in this page."`
}

func pageOfThings(ctx context.Context, c *rest.Call, p thingsParams) (Page[thing], error) {
	rows, err := listThings.List(ctx, c, p)
	if err != nil {
		return Page[thing]{}, err
	}
	page := Page[thing]{Data: rows[:min(len(rows), p.Limit)]}
	page.Count = len(page.Data)
	if len(rows) > p.Limit {
		next := cursorOf(page.Data[page.Count-1].ID, c.Filters())
		page.NextCursor = &next
		c.Link("next", c.SelfWith("cursor", next))
	}
	c.Link("first", c.SelfWith("cursor", ""))
	return page, nil
}

type window struct {
	Limit  int64 `query:"limit" rows:"true" min:"1" clamp:"10000" default:"500" doc:"Items per page; more than 10000 is taken as 10000."`
	Offset int64 `query:"offset" min:"0" default:"0" doc:"Items to skip."`
}

func (*window) LinksRepeatQuery() {}

type meta struct {
	TotalCount int      `json:"totalCount" doc:"All matching items."`
	Self       string   `json:"self" format:"uri" doc:"This page."`
	Next       string   `json:"next,omitempty" format:"uri" doc:"The next page."`
	Missing    []string `json:"missing,omitempty"`
}

type Envelope[D any] struct {
	Meta meta `json:"meta"`
	Data D    `json:"data"`
}

func item[D any](c *rest.Call, data D) Envelope[D] {
	return Envelope[D]{meta{TotalCount: 1, Self: c.Self()}, data}
}

// slice makes the envelope of one page. total is the number of all rows.
func slice[R any](c *rest.Call, w window, rows []R, total int) Envelope[[]R] {
	m := meta{TotalCount: total, Self: c.SelfQuery()}
	if next := w.Offset + int64(len(rows)); next < int64(total) {
		m.Next = c.SelfWith("offset", strconv.FormatInt(next, 10))
	}
	return Envelope[[]R]{m, rows}
}

func cut[R any](c *rest.Call, w window, all []R) Envelope[[]R] {
	from := min(w.Offset, int64(len(all)))
	return slice(c, w, all[from:min(from+w.Limit, int64(len(all)))], len(all))
}
