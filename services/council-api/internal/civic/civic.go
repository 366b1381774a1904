// Package civic serves the contents of minutes: meetings, agenda items, votes with their roll
// calls, members, topics, and the archived text by page. Each resource is a file with its
// parameters, its SQL, and the struct that is both row and JSON. civic.go has the common parts.
//
// It does not depend on pages or file formats. Anomalies and corrections are in internal/review,
// feeds and downloads in internal/files; internal/pages calls the functions of the endpoints. The
// service's endpoints.go lists all endpoints.
package civic

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// IDParams has the path parameter of one resource.
type IDParams struct {
	ID int64 `path:"id" min:"1" doc:"The id, from a list."`
}

// IDLinks is like IDParams, for SQL that makes URLs.
type IDLinks struct {
	IDParams
	wire.Links
}

func LinksTo(c *rest.Call, p IDParams) IDLinks { return IDLinks{p, wire.LinksOf(c)} }

// MinutesURL is SQL for the address of a meeting's minutes on the portal. Minutes that were loaded
// from a file have the address of our copy.
const MinutesURL = `coalesce(n.url, @base || '/meetings/' || m.iqm2_id ||
	CASE d.media_type WHEN 'application/pdf' THEN '/minutes.pdf' ELSE '/minutes.txt' END)`

// voteURL is SQL for the address of a vote's source: the page of the minutes with the roll call, or
// the portal's page of the meeting while there are no minutes.
const voteURL = `CASE WHEN v.origin = 'record' OR n.minutes_id IS NULL
	THEN coalesce(m.source_url, @base || '/meetings/' || m.iqm2_id)
	ELSE ` + MinutesURL + ` || CASE WHEN v.source_page IS NULL THEN '' ELSE '#page=' || v.source_page END END`

// Sources joins the tables that [MinutesURL] uses.
const Sources = `
	LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	LEFT JOIN council.document d ON d.document_id = n.document_id`

// Missing returns a 404 if the error is that a query has no row.
func Missing(err error, what string, id int64) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return rest.NotFound("there is no %s %d", what, id)
	}
	return err
}

// PlaceOf is SQL for the place in a meeting after which a page begins; table has the rows of the
// meeting. A corrected document can move rows: if an item is inserted, the third item becomes the
// fourth. So the page begins after the last row that the cursor names (wire.Key), wherever that row
// is now. If the named rows are gone, the page begins with the meeting if the cursor named every
// row of it that was read, and otherwise at the old place.
func PlaceOf(table string) string {
	return `coalesce(
		(SELECT max(x.ord) FROM council.` + table + ` x
		 WHERE x.iqm2_id = (@after::jsonb->>2)::bigint
		   AND x.id IN (SELECT jsonb_array_elements_text(@after::jsonb->4)::bigint)),
		CASE WHEN jsonb_array_length(@after::jsonb->4) < ` + strconv.Itoa(wire.TrailLength) +
		` THEN 0 ELSE (@after::jsonb->>3)::integer END)`
}

const (
	cursorMeeting = `((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint)`
	keyOf         = `(%[1]s.meeting_date, %[1]s.starts_at, %[1]s.iqm2_id)`
)

// FromCursor is an SQL condition for the rows of the cursor's meeting and of older meetings. table
// is a table or alias. An index supports the condition.
func FromCursor(table string) string {
	return fmt.Sprintf(`
	  AND (@after::jsonb IS NULL OR `+keyOf+` <= `+cursorMeeting+`)`, table)
}

// AfterCursor is like FromCursor, but selects only those rows of the cursor's meeting that match
// the condition follows.
func AfterCursor(table, follows string) string {
	return FromCursor(table) + fmt.Sprintf(`
	  AND (@after::jsonb IS NULL OR `+keyOf+` < `+cursorMeeting+` OR %[2]s)`, table, follows)
}

// CouncilName selects the name of the body of a list. If there is one body, it has the name of the
// newest meeting, because a council can be renamed.
var CouncilName = rest.SQL[OfBody, string](`
	SELECT CASE WHEN ` + severalBodies + ` THEN coalesce((SELECT name FROM council.body
	       WHERE body_id = ` + chosenBody + `), 'All bodies') ELSE body END
	FROM council.meeting ORDER BY meeting_date DESC, starts_at DESC, iqm2_id DESC LIMIT 1`)

// NameOf returns the name of the body of a list, or "Council" if there are no meetings.
func NameOf(ctx context.Context, c *rest.Call, of OfBody) (string, error) {
	names, err := CouncilName.List(ctx, c, of)
	if err != nil || len(names) == 0 {
		return "Council", err
	}
	return names[0], nil
}

// SourcePage returns the page number in an address (#page=N), or "".
func SourcePage(address string) string {
	_, page, _ := strings.Cut(address, "#page=")
	return page
}
