// Package static serves the timetable: feeds, the contents of their files, and data computed from
// them, such as directions, geometry and schedules. These are the endpoints below /feeds, and the
// search for stops.
//
// Each resource has a file with its parameters and its answer. The structs of agencies, routes,
// directions, stops, trips and services are those of internal/edition, with label and links added;
// only shapes, reports and files of the feed are read by SQL. static.go has their common code.
// Realtime data is in internal/realtimeapi. Pages, in
// internal/pages, call the functions of the endpoints. Every query is for the version that
// internal/edition holds.
package static

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/tile"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An API has the dependencies of the endpoints.
type API struct {
	Feeds   *edition.Directory
	Display DisplayClock
	Tiles   tile.Loader
	// IsObserved reports whether what really ran is served for a feed.
	IsObserved func(alias string) bool
}

// Sections of the documentation.
const (
	tagDiscovery = "Discovery"
	tagStatic    = "Static GTFS"
)

// Pages of the lists of a resource.
type (
	feedPage struct {
		wire.FeedParams
		wire.Window
	}
	agencyPage struct {
		wire.AgencyParams
		wire.Window
	}
	routePage struct {
		wire.RouteParams
		wire.Window
	}
	tripPage struct {
		wire.TripParams
		wire.Window
	}
	stopPage struct {
		wire.StopParams
		wire.Window
	}
)

func feed[P edition.OfFeed](a *API) rest.Source[P, *edition.Feed] { return edition.OneFeed[P](a.Feeds) }

// FindAgency finds the agency in the path.
func FindAgency(f *edition.Feed, p wire.AgencyParams) (*edition.Agency, error) {
	if a := f.Agency(p.AgencyID); a != nil {
		return a, nil
	}
	return nil, rest.NotFound("unknown agency")
}

// FindRoute finds the route in the path. After an error the route is empty, not nil.
func FindRoute(f *edition.Feed, p wire.RouteParams) (*edition.Route, error) {
	r := f.Route(p.RouteID)
	if r == nil || r.AgencyID != p.AgencyID {
		return &edition.Route{}, rest.NotFound("unknown agency or route")
	}
	return r, nil
}

// FindTrip finds the trip in the path. After an error the trip is empty, not nil.
func FindTrip(f *edition.Feed, p wire.TripParams) (*edition.Trip, error) {
	r, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return &edition.Trip{}, err
	}
	t := f.Trip(p.TripID)
	if t == nil || t.Route != r {
		return &edition.Trip{}, rest.NotFound("the route has no such trip")
	}
	return t, nil
}

// FindStop finds the stop in the path.
func FindStop(f *edition.Feed, id string) (*edition.Stop, error) {
	s := f.Stop(id)
	if s == nil {
		return nil, rest.NotFound("unknown stop")
	}
	return s, nil
}

func single[P edition.OfFeed, R any](a *API, s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed,
	P) (R, wire.Links, error)) rest.Endpoint {
	s.Tag, s.Translated = tagStatic, edition.IsTranslated(reflect.TypeFor[R]())
	return rest.From(s, feed[P](a), func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (wire.Envelope[R], error) {
		row, links, err := read(ctx, c, f, p)
		if one := []R{row}; err == nil {
			err = translate(ctx, c, f, one)
			row = one[0]
		}
		return wire.Item(c, row, links), err
	})
}

type pageParams interface {
	edition.OfFeed
	Paging() wire.Window
}

// list returns an endpoint with a list of a feed. read returns one page.
func list[P pageParams, L ~[]R, R any](a *API, s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed,
	P) (page L, count int, err error)) rest.Endpoint {
	s.Tag, s.Translated = tagStatic, edition.IsTranslated(reflect.TypeFor[R]())
	return rest.From(s, feed[P](a), func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (wire.Envelope[L], error) {
		page, count, err := read(ctx, c, f, p)
		if err == nil {
			err = translate(ctx, c, f, page)
		}
		e := wire.Slice(c, p.Paging(), page, count, nil)
		return wire.Envelope[L]{Meta: e.Meta, Data: e.Data}, err
	})
}

// window returns the page of a window.
func window[R any](all []R, w wire.Window) []R {
	from, to := w.Part(len(all))
	return all[from:to]
}

func tooLarge(format string, args ...any) error {
	return &rest.Error{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf(format, args...)}
}

// A DisplayClock formats times of the service day for display.
type DisplayClock struct{ Twelve bool }

// format returns "6:05 am" or "06:05". Hours restart at 0 after midnight. Times may be negative,
// because some feeds have trips that go back in time.
func (d DisplayClock) format(seconds int32) string {
	layout := "15:04"
	if d.Twelve {
		layout = "3:04 pm"
	}
	return time.Unix(int64(seconds), 0).UTC().Format(layout)
}

// Endpoints returns the endpoints in the order of the documentation.
func (a *API) Endpoints() rest.Table {
	return slices.Concat(
		a.feedEndpoints(),
		a.reportEndpoints(),
		a.agencyEndpoints(),
		a.routeEndpoints(),
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

func wholeMetres(metres float64) *int64 {
	m := int64(math.Round(metres))
	return &m
}
