package realtime

import (
	"slices"
	"strconv"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Concern is what a reader looks at, for whom the alerts are wanted that are about it.
type Concern struct {
	Now    int64    // Unix seconds
	Stops  []string // every id that the stops go by
	Routes []*edition.Route
	Trips  []Riding // that the reader sees
}

// A Riding is a trip on its way.
type Riding struct{ TripID, RouteID, Direction string }

// A DepartureAlert is an alert about what is on a board. The whole of it is at /rt/alerts.
type DepartureAlert struct {
	Feed            string            `json:"feed" doc:"Alias of the feed."`
	ID              string            `json:"id" doc:"The entity's id in the feed."`
	SeverityLevel   *string           `json:"severity_level,omitempty" doc:"SEVERE, WARNING, INFO or UNKNOWN_SEVERITY."`
	Cause           *string           `json:"cause,omitempty"`
	Effect          *string           `json:"effect,omitempty" doc:"NO_SERVICE, DETOUR, STOP_MOVED …"`
	HeaderText      *TranslatedString `json:"header_text,omitempty"`
	DescriptionText *TranslatedString `json:"description_text,omitempty"`
	URL             *TranslatedString `json:"url,omitempty"`
	StopIDs         []string          `json:"stop_ids" doc:"Those of the board that it names."`
	RouteIDs        []string          `json:"route_ids" doc:"Those of the board that it names; of a trip, its route."`

	// Severity is 4 for SEVERE down to 1 for unknown.
	Severity int32 `json:"-"`
}

// maxConcerned is how many alerts are looked at for one reader.
const maxConcerned = 500

// Concerning returns the alerts of a feed that hold now and concern what a reader looks at: all
// that one of their selectors names is there.
func (s *Snapshot) Concerning(feed string, c *Concern) ([]DepartureAlert, error) {
	found := slices.Clone(s.alertsBy["mode"].get(""))
	take := func(what string, ids ...string) {
		for _, id := range ids {
			found = append(found, s.alertsBy[what].get(id)...)
		}
	}
	take("stop", c.Stops...)
	for _, r := range c.Routes {
		take("route", r.ID)
		take("agency", r.AgencyID)
	}
	for _, t := range c.Trips {
		take("trip", t.TripID)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	var all []DepartureAlert
	for _, i := range found[:min(len(found), maxConcerned)] {
		a := &s.Message.Alerts[i]
		m := &rt.Alert{}
		if err := decode(a.Body, m); err != nil {
			return nil, err
		}
		x := s.newAlert(string(a.ID), m)
		of := DepartureAlert{Feed: feed, ID: x.ID, SeverityLevel: x.SeverityLevel, Cause: x.Cause, Effect: x.Effect,
			HeaderText: x.HeaderText, DescriptionText: x.DescriptionText, URL: x.URL, StopIDs: []string{}, RouteIDs: []string{},
			Severity: int32(max(m.GetSeverityLevel(), rt.Alert_UNKNOWN_SEVERITY))}
		met := false
		for _, in := range m.InformedEntity {
			met = s.meets(c, in, &of) || met
		}
		if holds, _ := x.Holds(c.Now); met && holds {
			all = append(all, of)
		}
	}
	return all, nil
}

// meets reports whether all that a selector names is what the reader looks at, and notes of which
// stops and routes it speaks.
func (s *Snapshot) meets(c *Concern, in *rt.EntitySelector, of *DepartureAlert) bool {
	stop, route := in.GetStopId(), in.GetRouteId()
	if stop != "" && !slices.Contains(c.Stops, stop) {
		return false
	}
	trip := ""
	if in.Trip != nil {
		r, t := s.RouteOf(descriptor(in.Trip))
		trip = t
		if route == "" {
			route = r
		}
	}
	named := stop != ""
	if trip != "" || route != "" || in.AgencyId != nil || in.RouteType != nil || in.DirectionId != nil {
		named = true
		if !c.rides(in, route, trip) {
			return false
		}
	}
	if !named {
		return false
	}
	note := func(list *[]string, id string) {
		if id != "" && !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
	}
	note(&of.StopIDs, stop)
	note(&of.RouteIDs, route)
	return true
}

// rides reports whether the reader looks at a route, or if one is named at a trip, as a selector
// wants it.
func (c *Concern) rides(in *rt.EntitySelector, route, trip string) bool {
	fits := func(r *edition.Route) bool {
		return (route == "" || r.ID == route) && (in.AgencyId == nil || r.AgencyID == in.GetAgencyId()) &&
			(in.RouteType == nil || r.Type == strconv.Itoa(int(in.GetRouteType())))
	}
	if trip == "" && in.DirectionId == nil {
		return slices.ContainsFunc(c.Routes, fits)
	}
	direction := strconv.Itoa(int(min(in.GetDirectionId(), 9)))
	return slices.ContainsFunc(c.Trips, func(t Riding) bool {
		return (trip == "" || t.TripID == trip) && (in.DirectionId == nil || t.Direction == "" || t.Direction == direction) &&
			(route == "" || t.RouteID == route) &&
			(in.AgencyId == nil && in.RouteType == nil || slices.ContainsFunc(c.Routes, func(r *edition.Route) bool {
				return r.ID == t.RouteID && fits(r)
			}))
	})
}
