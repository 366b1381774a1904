// Package current answers what is so now: departures, trip updates, vehicles, alerts and
// annotations. These are the endpoints below /rt and /display.
//
// Each resource has one file; Endpoints lists them in the order of the documentation. The data is
// in memory: internal/live has the last snapshot of each source, indexed by internal/realtime, and
// internal/notice the annotations; internal/board computes departures from them and the timetable.
// Names of routes and addresses of resources are those of internal/static.
package current

import (
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// An API holds what the functions of the endpoints share.
type API struct {
	Static  *static.API
	Live    *live.Live
	News    *live.News
	Notices *notice.Notices
	Now     func() time.Time
}

// Sections of the documentation.
const (
	tagRealtime = "Realtime"
	tagDisplay  = "Display"
)

// Endpoints returns the endpoints of this package in the order of the documentation.
func (a *API) Endpoints() rest.Table {
	return slices.Concat(
		a.listEndpoints(),
		a.mapEndpoints(),
		a.alertEndpoints(),
		a.predictionEndpoints(),
		a.nearbyEndpoints(),
		a.departureEndpoints(),
		a.annotationEndpoints(),
		a.republishEndpoints(),
	)
}

// changing is a source of realtime answers. Event streams follow it.
func changing[P, R any](a *API, now func(context.Context, *rest.Call, P) (R, rest.Generation, error)) rest.Source[P,
	R] {
	return rest.Source[P, R]{Now: now, Changed: a.News.Changed}
}
