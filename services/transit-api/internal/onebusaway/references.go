package onebusaway

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/onebusaway/ride"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An Agency is a row of agency.txt.
type Agency struct {
	Email          string `json:"email,omitempty"`
	FareURL        string `json:"fareUrl,omitempty"`
	ID             string `json:"id"`
	Language       string `json:"lang"`
	Name           string `json:"name"`
	Phone          string `json:"phone"`
	PrivateService bool   `json:"privateService"`
	TimeZone       string `json:"timezone"`
	URL            string `json:"url"`
}

// A Route is a row of routes.txt.
type Route struct {
	AgencyID          string `json:"agencyId"`
	Color             string `json:"color,omitempty"`
	Description       string `json:"description,omitempty"`
	ID                string `json:"id"`
	LongName          string `json:"longName,omitempty"`
	NullSafeShortName string `json:"nullSafeShortName"` // name for riders if the route has no short name
	ShortName         string `json:"shortName"`
	TextColor         string `json:"textColor,omitempty"`
	Type              int    `json:"type"`
	URL               string `json:"url,omitempty"`
}

// A Stop is a stop, platform or station.
type Stop struct {
	Code               string   `json:"code"`
	Direction          string   `json:"direction,omitempty"` // direction in which vehicles leave: N, NE, E …
	ID                 string   `json:"id"`
	Lat                float64  `json:"lat"`
	LocationType       int      `json:"locationType"`
	Lon                float64  `json:"lon"`
	Name               string   `json:"name"`
	Parent             string   `json:"parent"`
	RouteIDs           []string `json:"routeIds"`
	StaticRouteIDs     []string `json:"staticRouteIds"`
	WheelchairBoarding string   `json:"wheelchairBoarding"`
}

// A Trip is a row of trips.txt.
type Trip struct {
	BlockID        string `json:"blockId"`
	DirectionID    string `json:"directionId"`
	ID             string `json:"id"`
	PeakOffpeak    int    `json:"peakOffpeak"`
	RouteID        string `json:"routeId"`
	RouteShortName string `json:"routeShortName"`
	ServiceID      string `json:"serviceId"`
	ShapeID        string `json:"shapeId"`
	TimeZone       string `json:"timeZone"`
	TripHeadsign   string `json:"tripHeadsign"`
	TripShortName  string `json:"tripShortName"`
}

// References has the entities to which an answer refers. All its lists are always present.
type References struct {
	Agencies   []Agency    `json:"agencies"`
	Routes     []Route     `json:"routes"`
	Situations []Situation `json:"situations"`
	StopTimes  []struct{}  `json:"stopTimes"`
	Stops      []Stop      `json:"stops"`
	Trips      []Trip      `json:"trips"`
}

// references has the entities whose ids the answer has so far.
type references struct {
	agencies   map[string]bool
	routes     map[*edition.Route]bool
	stops      map[*edition.Stop]bool
	trips      map[*edition.Trip]bool
	situations map[string]Situation
	added      map[string]Trip // trips that only the realtime feed has
}

func newReferences() references {
	return references{agencies: map[string]bool{}, routes: map[*edition.Route]bool{}, stops: map[*edition.Stop]bool{},
		trips: map[*edition.Trip]bool{}, situations: map[string]Situation{}, added: map[string]Trip{}}
}

// The following methods return an id and add its entity to the references.

func (x *answer) agencyID(id string) string {
	x.used.agencies[id] = true
	return id
}

func (x *answer) routeID(r *edition.Route) string {
	x.used.routes[r] = true
	return combine(x.agencyID(r.AgencyID), r.RouteID)
}

func (x *answer) stopID(s *edition.Stop) string {
	x.used.stops[s] = true
	return x.ownStopID(s)
}

// ownStopID returns the id of a stop that the answer itself describes, so it adds no reference.
func (x *answer) ownStopID(s *edition.Stop) string {
	return combine(x.agencyID(x.main), s.StopID)
}

func (x *answer) tripID(t *edition.Trip) string {
	x.used.trips[t] = true
	return combine(x.agencyID(t.Route.AgencyID), t.TripID)
}

func (x *answer) addedTripID(d *board.Departure, r *edition.Route) string {
	t := Trip{ID: combine(x.agencyID(r.AgencyID), d.TripID), RouteID: x.routeID(r), DirectionID: d.DirectionID,
		RouteShortName: wire.Text(x.names(r).RouteShortName), TripHeadsign: wire.Text(d.Headsign)}
	x.used.added[t.ID] = t
	return t.ID
}

// situationID adds a situation. Its ids are already combined ids.
func (x *answer) situationID(s Situation) string {
	x.used.situations[s.ID] = s
	return s.ID
}

// resolve completes the references: it resolves the ids of the answer, and the ids of the resolved
// entities.
func (x *answer) resolve(ctx context.Context) error {
	all := x.refs
	*all = References{Agencies: []Agency{}, Routes: []Route{}, Situations: []Situation{}, StopTimes: []struct{}{},
		Trips: []Trip{}}
	for _, t := range x.usedTrips() {
		all.Trips = append(all.Trips, x.trip(t))
	}
	for _, id := range slices.Sorted(maps.Keys(x.used.added)) {
		all.Trips = append(all.Trips, x.used.added[id])
	}
	for _, id := range slices.Sorted(maps.Keys(x.used.situations)) {
		all.Situations = append(all.Situations, x.used.situations[id])
	}
	for s := range maps.Clone(x.used.stops) {
		for s.ParentStation != nil { // ends even if parents form a cycle, because the stop is already there
			s = x.Stop(*s.ParentStation)
			if s == nil || x.used.stops[s] {
				break
			}
			x.stopID(s)
		}
	}
	var err error
	all.Stops, err = x.stops(ctx, x.usedStops())
	if err != nil {
		return err
	}
	for _, r := range sorted(x.used.routes, func(a, b *edition.Route) int { return cmp.Compare(a.Rank, b.Rank) }) {
		all.Routes = append(all.Routes, x.route(r))
	}
	for _, g := range agencies(x.Feed) {
		if x.used.agencies[g.AgencyID] {
			all.Agencies = append(all.Agencies, x.agency(g))
		}
	}
	return nil
}

// usedTrips returns the trips to which the answer refers so far, by rank.
func (x *answer) usedTrips() []*edition.Trip {
	return sorted(x.used.trips, func(a, b *edition.Trip) int { return cmp.Compare(a.Rank, b.Rank) })
}

// usedStops returns the stops to which the answer refers so far, by rank.
func (x *answer) usedStops() []*edition.Stop {
	return sorted(x.used.stops, func(a, b *edition.Stop) int { return cmp.Compare(x.rank(a), x.rank(b)) })
}

func (x *answer) rank(s *edition.Stop) int {
	rank, _ := x.Rank(s.StopID)
	return rank
}

func sorted[K comparable, V any](set map[K]V, compare func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(set), compare)
}

func (x *answer) agency(g *edition.Agency) Agency {
	own := *g
	x.texts.Translate(&own)
	return Agency{ID: own.AgencyID, Name: own.AgencyName, URL: own.AgencyURL, Phone: wire.Text(own.AgencyPhone),
		Email: wire.Text(own.AgencyEmail), FareURL: wire.Text(own.AgencyFareURL),
		Language: wire.Text(own.AgencyLang), TimeZone: cmp.Or(own.AgencyTimezone, x.Zone.String())}
}

// names returns a route in the language of the answer.
func (x *answer) names(r *edition.Route) *edition.Route {
	own := *r
	x.texts.Translate(&own)
	return &own
}

// bus replaces a route_type that is not a number.
const bus = 3

func (x *answer) route(r *edition.Route) Route {
	names := x.names(r)
	short, long := wire.Text(names.RouteShortName), wire.Text(names.RouteLongName)
	kind, err := strconv.Atoi(names.RouteType)
	if err != nil {
		kind = bus
	}
	return Route{AgencyID: x.agencyID(r.AgencyID), ID: combine(r.AgencyID, r.RouteID), ShortName: short, LongName: long,
		NullSafeShortName: cmp.Or(short, long, r.RouteID), Description: wire.Text(names.RouteDesc),
		URL:   wire.Text(names.RouteURL),
		Color: wire.Text(names.RouteColor), TextColor: wire.Text(names.RouteTextColor), Type: kind}
}

// stops converts stops, in the same order.
func (x *answer) stops(ctx context.Context, of []*edition.Stop) ([]Stop, error) {
	ids := make([]string, len(of))
	for i, s := range of {
		ids[i] = s.StopID
	}
	routes, err := x.RoutesByStop(ctx, ids)
	if err != nil {
		return nil, err
	}
	headings, err := ride.Headings(ctx, x.Edition, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Stop, len(of))
	for i, s := range of {
		all[i] = x.stop(s)
		all[i].Direction = wire.Text(headings[s.StopID])
		for _, r := range routes[s.StopID] {
			all[i].RouteIDs = append(all[i].RouteIDs, x.routeID(r))
		}
		all[i].StaticRouteIDs = all[i].RouteIDs
	}
	return all, nil
}

// stop converts a stop, without its routes.
func (x *answer) stop(s *edition.Stop) Stop {
	own := *s
	x.texts.Translate(&own)
	made := Stop{ID: x.ownStopID(s), Name: own.Label, Code: cmp.Or(wire.Text(own.StopCode), s.StopID),
		RouteIDs: []string{}, WheelchairBoarding: "UNKNOWN"}
	made.Lat, made.Lon = x.place(s)
	made.LocationType, _ = strconv.Atoi(wire.Text(s.LocationType)) // an empty cell means 0, a stop
	switch wire.Text(x.WheelchairBoarding(s)) {
	case "1":
		made.WheelchairBoarding = "ACCESSIBLE"
	case "2":
		made.WheelchairBoarding = "NOT_ACCESSIBLE"
	}
	if s.ParentStation != nil {
		if up := x.Stop(*s.ParentStation); up != nil {
			made.Parent = x.stopID(up)
		}
	}
	return made
}

// place returns the position of a stop or, if unknown, of its station, or 0, 0.
func (x *answer) place(s *edition.Stop) (lat, lon float64) {
	for _, id := range []string{s.StopID, wire.Text(s.ParentStation)} {
		if rank, ok := x.Rank(id); ok {
			lat, lon = x.LatLon(rank)
			if !math.IsNaN(lat) && !math.IsNaN(lon) {
				return lat, lon
			}
		}
	}
	return 0, 0
}

func (x *answer) trip(t *edition.Trip) Trip {
	made := Trip{ID: combine(x.agencyID(t.Route.AgencyID), t.TripID), RouteID: x.routeID(t.Route),
		RouteShortName: wire.Text(x.names(t.Route).RouteShortName),
		ServiceID:      combine(t.Route.AgencyID, t.Service.ServiceID),
		TripHeadsign:   wire.Text(x.Sign(t).In(x.texts)), TimeZone: x.Zone.String(),
		TripShortName: x.texts.Text("trips.trip_short_name", t.TripID, wire.Text(t.TripShortName))}
	if t.BlockID != nil {
		made.BlockID = combine(t.Route.AgencyID, *t.BlockID)
	}
	if t.ShapeID != nil {
		made.ShapeID = combine(t.Route.AgencyID, *t.ShapeID)
	}
	made.DirectionID = t.Direction()
	return made
}
