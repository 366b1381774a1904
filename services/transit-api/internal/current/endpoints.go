package current

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
)

// Endpoints are those of what is so now, in the order of the documentation.
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
