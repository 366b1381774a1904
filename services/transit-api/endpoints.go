package transitapi

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
)

// description introduces the API in its OpenAPI document.
const description = `Transit schedules as resources: the GTFS files of each feed, and what is computed from them.

Request JSON with _format=json or with an Accept header that names application/json. Every answer is an envelope of
meta (counts, paging, links) and data. Values are the feed's own cells, as strings; an empty cell is null.

links name related resources by their relation. next and previous are false if there is no such page.
Answers about a feed change only when a new version is imported: revalidate with If-None-Match. Last-Modified is the time of the feed's last change.`

// endpoints is the whole API. The root listing, the OpenAPI description, access control
// and tests all read it. An endpoint's ID is also the permission needed to read it;
// the word before the dot is the permission's group.
func (a *api) endpoints() rest.Table {
	t := slices.Concat(
		a.discoveryEndpoints(),
		a.agencyEndpoints(),
		a.routeEndpoints(),
		a.drawingEndpoints(),
		a.tripGeometryEndpoints(),
		a.directionEndpoints(),
		a.tripEndpoints(),
		a.stopTimeEndpoints(),
		a.scheduleEndpoints(),
		a.serviceEndpoints(),
		a.shapeEndpoints(),
		a.stopEndpoints(),
		a.stopSearchEndpoints(),
		a.stopCallEndpoints(),
		a.realtimeEndpoints(),
		a.predictionEndpoints(),
		a.departureEndpoints(),
		a.displayEndpoints(),
	)
	for i := range t {
		t[i].Permission = t[i].ID
	}
	return t
}
