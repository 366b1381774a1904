package councilapi

import (
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// idParams has the path parameter of one resource.
type idParams struct {
	ID int64 `path:"id" min:"1" doc:"The id, from a list."`
}

// idLinks is idParams for SQL that makes URLs.
type idLinks struct {
	idParams
	links
}

// links passes the API's own address to SQL, for URLs of archived copies.
type links struct {
	Base string `arg:"base"`
}

// minutesURL is the SQL for the address of the minutes that a meeting's votes come from: the
// portal's, or our copy if they were loaded from a file.
const minutesURL = `coalesce(n.url, @base || '/meetings/' || m.iqm2_id || CASE d.media_type WHEN 'application/pdf' THEN '/minutes.pdf' ELSE '/minutes.txt' END)`

// voteURL is the SQL for the address of what a vote was read from: the minutes at the page of the roll call, or, until there are
// minutes, the portal's page of the meeting.
const voteURL = `CASE WHEN v.origin = 'record' OR n.minutes_id IS NULL THEN coalesce(m.source_url, @base || '/meetings/' || m.iqm2_id)
	ELSE ` + minutesURL + ` || CASE WHEN v.source_page IS NULL THEN '' ELSE '#page=' || v.source_page END END`

// sources joins the tables that minutesURL reads.
const sources = `
	LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	LEFT JOIN council.document d ON d.document_id = n.document_id`

// missing returns the 404 for a query without a row.
func missing(err error, what string, id int64) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return rest.NotFound("there is no %s %d", what, id)
	}
	return err
}

// Rows of a meeting are in the order of the minutes, and a corrected document moves them: an item added above makes the third
// the fourth. So a cursor names the last rows that the client has read (at most wire.TrailLength), and the next page begins after
// the last of these, even if it has moved. If all of them are gone and the cursor named every row that was read of the
// meeting, the page begins with the meeting; otherwise at the place where the last page ended.

// placeOf is the SQL for the place after which a page begins, in a table of a meeting's rows.
func placeOf(table string) string {
	return `coalesce(
		(SELECT max(x.ord) FROM council.` + table + ` x
		 WHERE x.iqm2_id = (@after::jsonb->>2)::bigint AND x.id IN (SELECT jsonb_array_elements_text(@after::jsonb->4)::bigint)),
		CASE WHEN jsonb_array_length(@after::jsonb->4) < ` + strconv.Itoa(wire.TrailLength) + ` THEN 0 ELSE (@after::jsonb->>3)::integer END)`
}

var (
	votePlace    = placeOf("vote")
	itemPlace    = placeOf("item")
	anomalyPlace = placeOf("anomaly")
)
