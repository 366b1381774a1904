package wire

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/rest"
)

// Keyset holds the paging parameters of a list; the list's parameter struct
// embeds it. In SQL it is two arguments: @after, the sort key (jsonb) of the last row of the
// page before, null on the first page; and @limit, one row more than the page, so that [Walk]
// sees whether there is a next page.
type Keyset struct {
	Limit  int     `query:"limit" arg:"-" min:"1" max:"200" default:"50" doc:"Page size."`
	Cursor *string `query:"cursor" arg:"-" doc:"Opaque cursor from next_cursor of a page with the same filters."`
	After  *string `arg:"after"`
	Fetch  int     `arg:"limit"`
}

// OpenCursor implements [rest.CursorParams].
func (k *Keyset) OpenCursor(filters func() []byte) (param, why string) {
	k.Fetch = k.Limit + 1
	if k.Cursor == nil {
		return "", ""
	}
	var err error
	k.After, err = openCursor(filters(), *k.Cursor)
	if err != nil {
		return "cursor", err.Error()
	}
	return "", ""
}

func (k Keyset) keyset() Keyset { return k }

type pager interface{ keyset() Keyset }

// Key receives the sort key of a row: the query selects it as a jsonb
// array named cursor. A row struct embeds it.
//
// The last part of a sort key may be a place that can move within a group: the third item of an
// agenda becomes the fourth if another is inserted above. Then the array ends with the row's id in
// an array of its own: [group …, place, [id]]. [Walk] passes on the ids of the last rows of that
// group that the client has read, newest first and at most [TrailLength], so that the next query
// continues after the last of them, even if it has moved.
type Key struct {
	Cursor json.RawMessage `json:"-" db:"cursor"`
}

func (k Key) key() json.RawMessage { return k.Cursor }

type keyed interface{ key() json.RawMessage }

// Page is the body of a list.
type Page[R any] struct {
	Data       []R     `json:"data" doc:"The entries of this page."`
	NextCursor *string `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
	Count      int     `json:"count" doc:"Number of entries in this page."`
}

// List makes an endpoint that is one query: a page of rows in the query's order, continued by a
// cursor of the query's sort key.
func List[P pager, R keyed](spec rest.Spec, q *rest.Query[P, R]) rest.Endpoint {
	spec.Queries = append([]rest.Statement{q}, spec.Queries...)
	return rest.Func(spec, func(ctx context.Context, c *rest.Call, p P) (Page[R], error) {
		return Walk(ctx, c, q, p)
	})
}

// Links has the API's own address, for queries that make URLs. [Walk] fills it in.
type Links struct {
	Base string `arg:"base"`
}

// LinksOf returns the address of the API that answers c.
func LinksOf(c *rest.Call) Links { return Links{c.URL("")} }

func (l *Links) setLinks(c *rest.Call) { *l = LinksOf(c) }

// Walk runs a query for one page and makes its cursor and Link header. [List] calls it alone;
// handlers that add to the rows or to the envelope call it, too.
func Walk[P pager, R keyed](ctx context.Context, c *rest.Call, q *rest.Query[P, R], p P) (Page[R], error) {
	if linked, ok := any(&p).(interface{ setLinks(c *rest.Call) }); ok {
		linked.setLinks(c)
	}
	rows, err := q.List(ctx, c, p)
	k := p.keyset()
	if err != nil {
		return Page[R]{}, cursorFault(k, err)
	}
	page := Page[R]{Data: rows}
	if len(rows) > k.Limit {
		page.Data = rows[:k.Limit]
		next := sealCursor(c.Filters(), trail(page.Data, k.After))
		page.NextCursor = &next
		c.Link("next", c.SelfWith("cursor", next))
	}
	c.Link("first", c.SelfWith("cursor", ""))
	page.Count = len(page.Data)
	return page, nil
}

// TrailLength is the largest number of ids in a cursor.
const TrailLength = 20

// trail returns the sort key of the last row, with the ids of the rows before it in the same group:
// from this page, and, if the group began earlier, from the cursor of the request.
func trail[R keyed](rows []R, after *string) json.RawMessage {
	last := rows[len(rows)-1].key()
	key, ids, ok := grouped(last)
	if !ok {
		return last
	}
	whole := true
	for i := len(rows) - 2; i >= 0; i-- {
		k, id, ok := grouped(rows[i].key())
		if !ok || !sameGroup(k, key) {
			whole = false
			break
		}
		ids = append(ids, id...)
	}
	if whole && after != nil {
		if k, before, ok := grouped(json.RawMessage(*after)); ok && sameGroup(k, key) {
			ids = append(ids, before...)
		}
	}
	key = append(key[:len(key):len(key)], nil)
	key[len(key)-1], _ = json.Marshal(ids[:min(len(ids), TrailLength)]) // cannot fail: raw JSON is copied
	text, err := json.Marshal(key)
	if err != nil {
		return last
	}
	return text
}

// grouped splits a sort key into the row's group and place, and the ids at its end.
func grouped(key json.RawMessage) (rest, ids []json.RawMessage, ok bool) {
	var parts []json.RawMessage
	if json.Unmarshal(key, &parts) != nil || len(parts) < 3 || json.Unmarshal(parts[len(parts)-1], &ids) != nil {
		return nil, nil, false
	}
	return parts[:len(parts)-1], ids, true
}

// sameGroup compares all but the place.
func sameGroup(a, b []json.RawMessage) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a[:len(a)-1] {
		if string(a[i]) != string(b[i]) {
			return false
		}
	}
	return true
}

// cursorFault turns the database's "cannot read this sort key" into a 400: the
// checksum is not secret, so the cursor may be made by hand.
func cursorFault(k Keyset, err error) error {
	var refused *pgconn.PgError
	if k.Cursor != nil && errors.As(err, &refused) && strings.HasPrefix(refused.Code, "22") { // data exception
		return rest.BadRequest(rest.Fault{Path: "cursor", Message: errCursor.Error()})
	}
	return err
}
