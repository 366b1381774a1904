// Package record answers what the minutes say: meetings, agenda items, votes with their rolls,
// members, topics, and the archived text page by page. Each resource has one file with its
// parameters, its SQL and the struct that is both row and JSON; record.go has what they share.
//
// It knows no page and no file format. What is doubted or corrected is in internal/review, feeds
// and downloads are in internal/files, and pages call the functions of the endpoints from
// internal/pages. The service's endpoints.go lists all endpoints.
package record

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

// IDLinks is IDParams for SQL that makes URLs.
type IDLinks struct {
	IDParams
	wire.Links
}

// LinksTo returns the arguments for one resource.
func LinksTo(c *rest.Call, p IDParams) IDLinks { return IDLinks{p, wire.LinksOf(c)} }

// MinutesURL is the SQL for the address of the minutes that a meeting's votes come from: the
// portal's, or our copy if they were loaded from a file.
const MinutesURL = `coalesce(n.url, @base || '/meetings/' || m.iqm2_id ||
	CASE d.media_type WHEN 'application/pdf' THEN '/minutes.pdf' ELSE '/minutes.txt' END)`

// VoteURL is the SQL for the address of what a vote was read from: the minutes at the page of the
// roll call, or, until there are minutes, the portal's page of the meeting.
const VoteURL = `CASE WHEN v.origin = 'record' OR n.minutes_id IS NULL
	THEN coalesce(m.source_url, @base || '/meetings/' || m.iqm2_id)
	ELSE ` + MinutesURL + ` || CASE WHEN v.source_page IS NULL THEN '' ELSE '#page=' || v.source_page END END`

// Sources joins the tables that [MinutesURL] reads.
const Sources = `
	LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	LEFT JOIN council.document d ON d.document_id = n.document_id`

// Missing returns the 404 for a query without a row.
func Missing(err error, what string, id int64) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return rest.NotFound("there is no %s %d", what, id)
	}
	return err
}

// Rows of a meeting are in the order of the minutes, and a corrected document moves them: an item
// added above makes the third the fourth. So a cursor names the last rows that the client has read
// (at most wire.TrailLength), and the next page begins after the last of these, even if it has
// moved. If all of them are gone and the cursor named every row that was read of the meeting, the
// page begins with the meeting; otherwise at the place where the last page ended.

// PlaceOf is the SQL for the place after which a page begins, in a table of a meeting's rows.
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

// FromCursor is the SQL condition for the rows of the cursor's meeting and of older ones, in a
// table or alias. The index serves it.
func FromCursor(table string) string {
	return fmt.Sprintf(`
	  AND (@after::jsonb IS NULL OR `+keyOf+` <= `+cursorMeeting+`)`, table)
}

// AfterCursor is FromCursor without the rows of the cursor's meeting, except those that follow it.
func AfterCursor(table, follows string) string {
	return FromCursor(table) + fmt.Sprintf(`
	  AND (@after::jsonb IS NULL OR `+keyOf+` < `+cursorMeeting+` OR %[2]s)`, table, follows)
}

// CouncilName selects the name of the council: that of the newest meeting, because a council can be
// renamed.
var CouncilName = rest.SQL[rest.None, string](`SELECT body FROM council.meeting ORDER BY meeting_date DESC,
	starts_at DESC, iqm2_id DESC LIMIT 1`)

// NameOf returns the name of the council, or a general one if there is no meeting.
func NameOf(ctx context.Context, c *rest.Call) (string, error) {
	names, err := CouncilName.List(ctx, c, rest.None{})
	if err != nil || len(names) == 0 {
		return "Council", err
	}
	return names[0], nil
}

// SourcePage is the page of a document that an address names.
func SourcePage(address string) string {
	_, page, _ := strings.Cut(address, "#page=")
	return page
}
