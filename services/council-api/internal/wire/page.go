package wire

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/rest"
)

// Keyset is the paging parameters of a list, which its parameter struct
// embeds. In SQL it is two arguments: @after, the sort key (jsonb) of the row to go
// on after, null on the first page; and @limit, one row more than the page, by which [Walk]
// sees whether there is a next one.
type Keyset struct {
	Limit  int     `query:"limit" arg:"-" min:"1" max:"200" default:"50" doc:"Page size."`
	Cursor *string `query:"cursor" arg:"-" doc:"Opaque cursor from next_cursor of a page with the same filters."`
	After  *string `arg:"after"`
	Fetch  int     `arg:"limit"`
}

// OpenCursor is part of [rest.CursorParams].
func (k *Keyset) OpenCursor(filters func() []byte) (param, why string) {
	k.Fetch = k.Limit + 1
	if k.Cursor == nil {
		return "", ""
	}
	var err error
	if k.After, err = openCursor(filters(), *k.Cursor); err != nil {
		return "cursor", err.Error()
	}
	return "", ""
}

func (k Keyset) keyset() Keyset { return k }

type pager interface{ keyset() Keyset }

// Key is the row's side of a cursor: the query selects its sort key as a jsonb
// array named cursor. A row struct embeds it.
//
// Where the last part of the sort key is a place that can move within a group (the third item of
// an agenda is the fourth once another is put in above), the array ends with the row's id in an array of its own:
// [group …, place, [id]]. [Walk] then hands on the ids of the last rows of that group that the reader has had, newest
// first and at most [TrailLength], so that the next query can go on behind the last of them, wherever that is by then.
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

// List makes an endpoint that is one query: a page of rows in the query's order, continued by a cursor of the query's sort key.
func List[P pager, R keyed](spec rest.Spec, q *rest.Query[P, R]) rest.Endpoint {
	spec.Queries = append([]rest.Statement{q}, spec.Queries...)
	return rest.Func(spec, func(ctx context.Context, c *rest.Call, p P) (Page[R], error) {
		return Walk(ctx, c, q, p)
	})
}

// Walk runs a query for one page and makes the cursor and Link headers of it. Handlers that
// add to the rows or to the envelope call it; [List] is nothing else.
func Walk[P pager, R keyed](ctx context.Context, c *rest.Call, q *rest.Query[P, R], p P) (Page[R], error) {
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

// TrailLength is how many ids of rows of one group a cursor holds at most.
const TrailLength = 20

// trail is the sort key of the last row, with the ids of those before it in the same group: on this page, and, if the group
// began before it, in the cursor that led here.
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
	key[len(key)-1], _ = json.Marshal(ids[:min(len(ids), TrailLength)]) // raw JSON encodes as it is
	text, err := json.Marshal(key)
	if err != nil {
		return last
	}
	return text
}

// grouped takes a sort key apart into what names the row's group and place, and the ids at its end.
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

// cursorFault turns "the database cannot read this sort key" into a 400: the
// checksum is no secret, so a cursor may have been made by hand.
func cursorFault(k Keyset, err error) error {
	var refused *pgconn.PgError
	if k.Cursor != nil && errors.As(err, &refused) && strings.HasPrefix(refused.Code, "22") { // data exception
		return rest.BadRequest(rest.Fault{Path: "cursor", Message: errCursor.Error()})
	}
	return err
}
