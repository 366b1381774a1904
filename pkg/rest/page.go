package rest

import (
	"context"
	"encoding/json"
	"strings"
)

// Keyset is the paging parameters of the council dialect; a parameter struct
// embeds it. In SQL it is two arguments: @after, the sort key (jsonb) of the row to go
// on after, null on the first page; and @limit, one row more than the page, by which [Walk]
// sees whether there is a next one.
type Keyset struct {
	Limit  int     `query:"limit" arg:"-" min:"1" max:"200" default:"50" doc:"Page size."`
	Cursor *string `query:"cursor" arg:"-" doc:"Opaque cursor from next_cursor of a page with the same filters."`
	After  *string `arg:"after"`
	Fetch  int     `arg:"limit"`
}

func (k Keyset) keyset() Keyset { return k }

type pager interface{ keyset() Keyset }

// Key is the row's side of a cursor: the query selects its sort key as a jsonb
// array named cursor. A row struct embeds it.
type Key struct {
	Cursor json.RawMessage `json:"-" db:"cursor"`
}

func (k Key) key() json.RawMessage { return k.Cursor }

type keyed interface{ key() json.RawMessage }

// Page is the list envelope of the council dialect.
type Page[R any] struct {
	Data       []R     `json:"data" doc:"The entries of this page."`
	NextCursor *string `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
	Count      int     `json:"count" doc:"Number of entries in this page."`
}

// Walk runs a query for one page and makes the cursor and Link headers of it. Handlers that
// add to the rows or to the envelope call it; [List] is nothing else.
func Walk[P pager, R keyed](ctx context.Context, c *Call, q *Query[P, R], p P) (Page[R], error) {
	rows, err := q.List(ctx, c, p)
	k := p.keyset()
	if err != nil {
		return Page[R]{}, cursorFault(k, err)
	}
	page := Page[R]{Data: rows}
	if len(rows) > k.Limit {
		page.Data = rows[:k.Limit]
		next := sealCursor(c.bound(), page.Data[k.Limit-1].key())
		page.NextCursor = &next
		c.Link("next", c.selfWith("cursor", next))
	}
	c.Link("first", c.selfWith("cursor", ""))
	page.Count = len(page.Data)
	return page, nil
}

// cursorFault turns "the database cannot read this sort key" into a 400: the
// checksum is no secret, so a cursor may have been made by hand.
func cursorFault(k Keyset, err error) error {
	if k.Cursor != nil && strings.HasPrefix(sqlState(err), "22") {
		return BadRequest(Fault{"cursor", errCursor.Error()})
	}
	return err
}
