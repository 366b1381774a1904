package edition

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An Agency is a row of agency.txt.
type Agency struct {
	Label          string     `json:"label" doc:"agency_name."`
	AgencyID       string     `json:"agency_id" doc:"agency_id of the feed; the feed's alias if the feed gives none."`
	AgencyName     string     `json:"agency_name" translate:"agency.agency_name,AgencyID"`
	AgencyURL      string     `json:"agency_url" translate:"agency.agency_url,AgencyID"`
	AgencyTimezone string     `json:"agency_timezone"`
	AgencyLang     *string    `json:"agency_lang"`
	AgencyPhone    *string    `json:"agency_phone" translate:"agency.agency_phone,AgencyID"`
	AgencyFareURL  *string    `json:"agency_fare_url" translate:"agency.agency_fare_url,AgencyID"`
	AgencyEmail    *string    `json:"agency_email" translate:"agency.agency_email,AgencyID"`
	Links          wire.Links `json:"links" db:"-" doc:"self, routes."`

	Rank       int `json:"-" db:"ord"`
	FirstRoute int `json:"-"`
	RouteCount int `json:"-"`
}

// Routes returns the span of the agency's routes.
func (a *Agency) Routes() Span { return Span{a.FirstRoute, a.RouteCount} }

// A Route is a row of routes.txt. Columns beyond the standard, and keys from the operator, are
// further keys of the same object.
type Route struct {
	Label             string     `json:"label" doc:"route_short_name and route_long_name, as far as given, else route_id."`
	RouteID           string     `json:"route_id"`
	AgencyID          string     `json:"agency_id" doc:"agency_id; if the feed gives none, that of its only agency."`
	RouteType         string     `json:"route_type" doc:"GTFS route type, such as 3 for bus."`
	RouteShortName    *string    `json:"route_short_name" translate:"routes.route_short_name,RouteID"`
	RouteLongName     *string    `json:"route_long_name" translate:"routes.route_long_name,RouteID"`
	RouteDesc         *string    `json:"route_desc" translate:"routes.route_desc,RouteID"`
	RouteURL          *string    `json:"route_url" translate:"routes.route_url,RouteID"`
	RouteColor        *string    `json:"route_color" doc:"Six hexadecimal digits."`
	RouteTextColor    *string    `json:"route_text_color" doc:"Six hexadecimal digits."`
	RouteSortOrder    *string    `json:"route_sort_order"`
	ContinuousPickup  *string    `json:"continuous_pickup"`
	ContinuousDropOff *string    `json:"continuous_drop_off"`
	NetworkID         *string    `json:"network_id"`
	Links             wire.Links `json:"links" db:"-" doc:"self, agency, directions, trips, geojson, wkt."`

	// Extra has further keys. It cannot replace a key above.
	Extra map[string]any `json:"-" additional:"A further column of the feed's routes.txt, or a key that the operator adds." translate:"routes,RouteID"`

	Rank           int `json:"-" db:"ord"`
	FirstTrip      int `json:"-"`
	TripCount      int `json:"-"`
	FirstDirection int `json:"-"`
	DirectionCount int `json:"-"`
}

// Trips returns the span of the route's trips.
func (r *Route) Trips() Span { return Span{r.FirstTrip, r.TripCount} }

// Directions returns the span of the route's directions.
func (r *Route) Directions() Span { return Span{r.FirstDirection, r.DirectionCount} }

// routeKeys are the documented keys; an extra key cannot replace one.
var routeKeys = func() map[string]bool {
	keys := map[string]bool{}
	t := reflect.TypeFor[Route]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys[name] = true
	}
	return keys
}()

// MarshalJSON writes the fields, then the extra keys in alphabetical order.
func (r Route) MarshalJSON() ([]byte, error) {
	type fields Route
	b, err := rest.Encode(fields(r))
	if err != nil {
		return nil, err
	}
	extra := maps.Clone(r.Extra)
	maps.DeleteFunc(extra, func(k string, _ any) bool { return routeKeys[k] })
	if len(extra) == 0 {
		return b, nil
	}
	more, err := rest.Encode(extra)
	if err != nil {
		return nil, fmt.Errorf("extra keys of route %q: %w", r.RouteID, err)
	}
	b[len(b)-1] = ','
	return append(b, more[1:]...), nil
}

var agencyRows = rest.SQL[VersionKey, Agency](`
	SELECT coalesce(agency_name, agency_id) AS label, agency_id, coalesce(agency_name, '') AS agency_name,
	       coalesce(agency_url, '') AS agency_url, coalesce(agency_timezone, '') AS agency_timezone,
	       agency_lang, agency_phone, agency_fare_url, agency_email, ord, first_route, route_count
	FROM transit.agency
	WHERE version_id = @version_id
	ORDER BY ord`)

var routeRows = rest.SQL[VersionKey, Route](`
	SELECT coalesce(nullif(concat_ws(' ', route_short_name, route_long_name), ''), route_id) AS label,
	       route_id, agency_id, coalesce(route_type, '') AS route_type, route_short_name, route_long_name,
	       route_desc, route_url, route_color, route_text_color, route_sort_order, continuous_pickup,
	       continuous_drop_off, network_id, extra, ord, first_trip, trip_count, first_direction, direction_count
	FROM transit.route
	WHERE version_id = @version_id
	ORDER BY ord`)

// A Direction is one of the two directions in which a route has trips.
type Direction struct {
	Label       string `json:"label" doc:"The direction's name."`
	RouteID     string `json:"route_id"`
	DirectionID string `json:"direction_id" doc:"0 or 1; 0 for trips without a direction_id."`
	Name        string `json:"direction" db:"direction" translate:"directions.direction,RouteID,DirectionID,trips.trip_headsign" doc:"Name of the direction: the feed's, else the most frequent headsign, else Outbound or Inbound."`

	Rank int `json:"-" db:"ord"`
}

var directionRows = rest.SQL[VersionKey, Direction](`
	SELECT direction AS label, route_id, direction_id, direction, ord
	FROM transit.route_direction
	WHERE version_id = @version_id
	ORDER BY ord`)

func (e *Edition) readAgencies(ctx context.Context, b *budget) error {
	err := agencyRows.Each(ctx, e.db, VersionKey{e.version}, func(a Agency) error {
		size := agencyBytes + len(a.Label) + len(a.AgencyID) + len(a.AgencyURL) + len(a.AgencyTimezone)
		for _, cell := range []*string{a.AgencyLang, a.AgencyPhone, a.AgencyFareURL, a.AgencyEmail} {
			size += cellSize(cell)
		}
		e.Agencies = append(e.Agencies, a)
		return b.spend(size)
	})
	e.agencyAt = make(map[string]int32, len(e.Agencies))
	for i := range e.Agencies {
		e.agencyAt[e.Agencies[i].AgencyID] = int32(i)
	}
	return err
}

// readRoutes reads the routes as the operator shows them.
func (e *Edition) readRoutes(ctx context.Context, b *budget) error {
	kept := texts{}
	err := routeRows.Each(ctx, e.db, VersionKey{e.version}, func(r Route) error {
		shown := r
		if e.alter != nil {
			e.alter(&shown)
		}
		shown.RouteID = r.RouteID
		shown.AgencyID = r.AgencyID
		shown.Links = nil
		if a := e.Agency(r.AgencyID); a != nil {
			shown.AgencyID = a.AgencyID // all routes of an agency share one string
		}
		size := routeBytes + len(shown.Label) + len(shown.RouteID)
		for _, cell := range []**string{&shown.RouteShortName, &shown.RouteLongName, &shown.RouteDesc, &shown.RouteURL,
			&shown.RouteColor, &shown.RouteTextColor, &shown.RouteSortOrder, &shown.ContinuousPickup,
			&shown.ContinuousDropOff, &shown.NetworkID} {
			size += kept.keep(cell)
		}
		for key, value := range shown.Extra {
			size += extraBytes + len(key) + len(fmt.Sprint(value))
		}
		e.routes = append(e.routes, shown)
		return b.spend(size)
	})
	e.indexRoutes(slices.Clone(e.routes)) // a copy without spare capacity
	return err
}

func (e *Edition) indexRoutes(routes []Route) {
	e.routes, e.routeAt = routes, make(map[string]int32, len(routes))
	for i := range routes {
		e.routeAt[routes[i].RouteID] = int32(i)
	}
}

func (e *Edition) readDirections(ctx context.Context, b *budget) error {
	kept := texts{}
	return directionRows.Each(ctx, e.db, VersionKey{e.version}, func(d Direction) error {
		if r := e.Route(d.RouteID); r != nil {
			d.RouteID = r.RouteID // shares the route's string
		}
		name, id := &d.Name, &d.DirectionID
		size := directionBytes + kept.keep(&name) + kept.keep(&id)
		d.Label = *name
		d.Name = *name
		d.DirectionID = *id
		e.directions = append(e.directions, d)
		return b.spend(size)
	})
}

// Agency returns the agency with an agency_id; nil if there is none.
func (e *Edition) Agency(id string) *Agency {
	if e == nil {
		return nil
	}
	i, ok := e.agencyAt[id]
	if !ok {
		return nil
	}
	return &e.Agencies[i]
}

// Route returns the route with a route_id; nil if there is none.
func (e *Edition) Route(id string) *Route {
	if e == nil {
		return nil
	}
	i, ok := e.routeAt[id]
	if !ok {
		return nil
	}
	return &e.routes[i]
}

// Routes returns all routes by rank.
func (e *Edition) Routes() []*Route {
	all := make([]*Route, len(e.routes))
	for i := range all {
		all[i] = &e.routes[i]
	}
	return all
}

// RoutesIn returns the routes of a span by rank. Callers must not change them.
func (e *Edition) RoutesIn(s Span) []Route {
	return part(e.routes, s, func(r *Route) int { return r.Rank })
}

// DirectionsIn returns the directions of a span by rank. Callers must not change them.
func (e *Edition) DirectionsIn(s Span) []Direction {
	return part(e.directions, s, func(d *Direction) int { return d.Rank })
}

// part returns the rows of a span, from rows sorted by rank.
func part[R any](all []R, s Span, rank func(*R) int) []R {
	find := func(at int) int {
		return sort.Search(len(all), func(i int) bool { return rank(&all[i]) >= at })
	}
	return all[find(s.First):find(s.First+s.Count)]
}

// Relabel implements [Relabeler].
func (a *Agency) Relabel(any) {
	if a.AgencyName != "" {
		a.Label = a.AgencyName
	}
}

// Relabel implements [Relabeler].
func (d *Direction) Relabel(any) { d.Label = d.Name }

// Relabel implements [Relabeler]. A label that the operator has changed stays.
func (r *Route) Relabel(before any) {
	old := before.(Route)
	if r.RouteShortName != old.RouteShortName || r.RouteLongName != old.RouteLongName {
		r.Label = cmp.Or(strings.TrimSpace(text(r.RouteShortName)+" "+text(r.RouteLongName)), r.RouteID)
	}
}

// IsText reports whether an unknown column may contain text. An id must stay the same in every
// language.
func IsText(column string) bool { return !strings.HasSuffix(column, "_id") }
