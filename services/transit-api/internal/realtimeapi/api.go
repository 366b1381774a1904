// Package realtimeapi serves the realtime endpoints, below /rt and /display: departures, trip
// updates, vehicles, alerts and annotations.
//
// The data is in memory: internal/live has the last snapshot of each source, indexed by
// internal/realtime, and internal/annotation has the annotations; internal/board computes
// departures. Paths and parameters of resources are in internal/wire.
package realtimeapi

import (
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
)

// An API has the data of the endpoints.
type API struct {
	Feeds       *edition.Directory
	Live        *live.Live
	News        *live.News
	Annotations *annotation.Store
	Now         func() time.Time
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
		a.reportEndpoints(),
	)
}

// streamed returns a source for answers that event streams follow.
func streamed[P, R any](
	a *API, now func(context.Context, *rest.Call, P) (R, rest.Generation, error),
) rest.Source[P, R] {
	return rest.Source[P, R]{Now: now, Changed: a.News.Changed}
}
