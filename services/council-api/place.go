package councilapi

import (
	"strconv"

	"github.com/townline/townline/services/council-api/internal/wire"
)

// Rows stand within their meeting by their place in the minutes, and a corrected document moves places: an item put in above
// makes the third the fourth. So a cursor names the rows that the reader has had last (wire.TrailLength of them at most), and the next page begins behind
// the last of these, wherever it is by then. When all of them are gone and the cursor knew every one that was read of the
// meeting, it begins with the meeting; else at the place where it stopped.

// placeOf is the place in a table of a meeting's rows behind which a page begins.
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
