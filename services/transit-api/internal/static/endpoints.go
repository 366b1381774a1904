package static

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
)

// Endpoints are those of the timetable, in the order of the documentation.
func (a *API) Endpoints() rest.Table {
	return slices.Concat(
		a.feedEndpoints(),
		a.reportEndpoints(),
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
		a.fileEndpoints(),
		a.exportEndpoints(),
		a.tileEndpoints(),
	)
}
