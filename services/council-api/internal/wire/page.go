package wire

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/rest"
)

// Keyset has the paging parameters of a list. The list's parameter struct embeds it. SQL has two
// arguments: @after is the sort key (jsonb) of the previous page's last row, null on the first
// page. @limit is one row more than the page has, to detect a next page.
type Keyset struct {
	Limit  int     `query:"limit" rows:"true" arg:"-" min:"1" max:"200" default:"50" doc:"Page size."`
	Cursor *string `query:"cursor" arg:"-" doc:"Opaque cursor from next_cursor of a page with the same filters."`
	After  *string `arg:"after"`
	Fetch  int     `arg:"limit"`
}

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

// Key has the sort key of a row: a jsonb array that the query selects as cursor. A row struct
// embeds it.
//
// A sort key may end with a place that can change within a group: if an item is inserted into an
// agenda, the third item becomes the fourth. In that case the array is [group …, place, [id]]. The
// cursor has the ids of the last rows of that group, newest first and at most [TrailLength]. The
// next query continues after the last of these rows, even if it has moved.
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

// List makes an endpoint that answers with pages of one query.
func List[P pager, R keyed](spec rest.Spec, q *rest.Query[P, R]) rest.Endpoint {
	spec.Queries = append([]rest.Statement{q}, spec.Queries...)
	return rest.Func(spec, func(ctx context.Context, c *rest.Call, p P) (Page[R], error) {
		return Walk(ctx, c, q, p)
	})
}

// Links has the address of the API, for queries that make URLs. [Walk] sets it.
type Links struct {
	Base string `arg:"base"`
}

func LinksOf(c *rest.Call) Links { return Links{c.URL("")} }

func (l *Links) setLinks(c *rest.Call) { *l = LinksOf(c) }

// Walk runs a query for one page and makes its cursor and Link header.
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
		page.NextCursor = new(sealCursor(c.Filters(), trail(page.Data, k.After)))
		c.Link("next", c.SelfWith("cursor", *page.NextCursor))
	}
	c.Link("first", c.SelfWith("cursor", ""))
	page.Count = len(page.Data)
	return page, nil
}

// TrailLength is the largest number of ids in a cursor.
const TrailLength = 20

// trail returns the sort key of the last row, with the ids of the preceding rows of its group on
// this page. If the whole page is of that group, it adds the ids in the cursor of the request.
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
	list, _ := json.Marshal(ids[:min(len(ids), TrailLength)]) // raw JSON always encodes
	text, _ := json.Marshal(append(key[:len(key):len(key)], list))
	return text
}

// grouped splits a sort key into group and place, and the ids at its end.
func grouped(key json.RawMessage) (rest, ids []json.RawMessage, ok bool) {
	var parts []json.RawMessage
	if json.Unmarshal(key, &parts) != nil || len(parts) < 3 || json.Unmarshal(parts[len(parts)-1], &ids) != nil {
		return nil, nil, false
	}
	return parts[:len(parts)-1], ids, true
}

// sameGroup reports whether two keys are equal except for their places.
func sameGroup(a, b []json.RawMessage) bool {
	equal := func(x, y json.RawMessage) bool { return string(x) == string(y) }
	return slices.EqualFunc(a[:len(a)-1], b[:len(b)-1], equal)
}

// cursorFault returns a 400 if the database cannot read the sort key. This is possible because a
// client can compute the checksum.
func cursorFault(k Keyset, err error) error {
	var refused *pgconn.PgError
	if k.Cursor != nil && errors.As(err, &refused) && strings.HasPrefix(refused.Code, "22") { // data exceptions
		return rest.BadRequest(rest.Fault{Path: "cursor", Message: errCursor.Error()})
	}
	return err
}
