package realtime

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// An AlertFilter selects the alerts about stops, routes and trips.
type AlertFilter struct {
	Now    int64    // Unix seconds
	Until  int64    // end of the board in Unix seconds; alerts of closures until then match too
	Stops  []string // all stop_ids and stop_codes of the stops
	Routes []*edition.Route
	Trips  []RiddenTrip
}

// A RiddenTrip is a trip of a board. An empty StartDate stands for any day.
type RiddenTrip struct {
	TripID, RouteID, Direction, StartDate string

	Start Start // run of a trip by frequency
}

// A DepartureAlert is an alert on a board. /rt/alerts has more fields.
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
	TripIDs         []string          `json:"trip_ids" doc:"Those of the board that it names."`

	// Severity is from 4 for SEVERE down to 1 for unknown.
	Severity int32 `json:"-"`
	// Operator reports that the alert is an annotation of the operator.
	Operator bool `json:"-"`
}

// operatorSeverity ranks annotations among the alerts of agencies.
const operatorSeverity = int32(rt.Alert_WARNING)

// maxAlerts bounds the number of alerts of a snapshot that are decoded for one answer.
const maxAlerts = 500

// A MatchedAlert is an active alert that matches a filter.
type MatchedAlert struct {
	Alert
	Severity  int32 // as in [DepartureAlert]
	Timestamp int64 // Unix time of the message; 0 if unknown

	snapshot  *Snapshot
	selectors []*rt.EntitySelector // the selectors that match
}

// MatchingAlerts returns the alerts that are active, or close a part of the service until the end of
// the board, and have a selector that matches the filter.
func (s *Snapshot) MatchingAlerts(f *AlertFilter) ([]MatchedAlert, error) {
	found := slices.Clone(s.alertsBy["mode"].get(""))
	add := func(what string, ids ...string) {
		for _, id := range ids {
			found = append(found, s.alertsBy[what].get(id)...)
		}
	}
	add("stop", f.Stops...)
	for _, r := range f.Routes {
		add("route", r.RouteID)
		add("agency", r.AgencyID)
	}
	for _, t := range f.Trips {
		add("trip", t.TripID)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	var all []MatchedAlert
	for _, i := range found[:min(len(found), maxAlerts)] {
		a := &s.Message.Alerts[i]
		m := &rt.Alert{}
		if err := decode(a.Body, m); err != nil {
			return nil, err
		}
		x := MatchedAlert{Alert: s.newAlert(string(a.ID), m), snapshot: s, Timestamp: gtfsrt.Seconds(int64(
			min(s.Message.Timestamp, math.MaxInt64))),
			Severity: int32(max(m.GetSeverityLevel(), rt.Alert_UNKNOWN_SEVERITY))}
		for _, in := range m.InformedEntity {
			if s.matches(f, in) {
				x.selectors = append(x.selectors, in)
			}
		}
		if s.IsOperator {
			x.Severity = operatorSeverity
		}
		soon := x.Closes() && x.CommunicationPeriod == nil && x.Affects(f.Now, f.Until)
		if x.selectors != nil && (soon || x.IsShown(f.Now)) {
			all = append(all, x)
		}
	}
	return all, nil
}

// Closes reports whether the alert says that there is no service.
func (m *MatchedAlert) Closes() bool {
	return m.Effect != nil && *m.Effect == rt.Alert_NO_SERVICE.String()
}

// IsShown reports whether a board shows the alert at a time even if it closes none of its
// departures.
func (m *MatchedAlert) IsShown(now int64) bool {
	active, _ := m.IsActive(now)
	return active
}

// OnBoard converts the alert for boards of a feed.
func (m *MatchedAlert) OnBoard(feed string) DepartureAlert {
	of := DepartureAlert{Feed: feed, ID: m.ID, SeverityLevel: m.SeverityLevel, Cause: m.Cause, Effect: m.Effect,
		HeaderText: m.HeaderText, DescriptionText: m.DescriptionText, URL: m.URL, StopIDs: []string{},
		RouteIDs: []string{}, TripIDs: []string{}, Severity: m.Severity, Operator: m.Operator}
	note := func(list *[]string, id string) {
		if id != "" && !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
	}
	for _, in := range m.Affected() {
		note(&of.StopIDs, in.StopID)
		note(&of.RouteIDs, in.RouteID)
		note(&of.TripIDs, in.TripID)
	}
	return of
}

// An Affected has the ids in an alert's selector; missing ids are "".
type Affected struct{ AgencyID, RouteID, TripID, StopID, DirectionID string }

// Affected returns the entities of the alert that the filter selects.
func (m *MatchedAlert) Affected() []Affected {
	all := make([]Affected, len(m.selectors))
	for i, in := range m.selectors {
		route, trip := m.snapshot.tripOf(in)
		all[i] = Affected{AgencyID: in.GetAgencyId(), RouteID: route, TripID: trip, StopID: in.GetStopId()}
		if in.DirectionId != nil {
			all[i].DirectionID = strconv.Itoa(int(in.GetDirectionId()))
		}
	}
	return all
}

// Concerns reports whether the alert also matches a narrower filter.
func (m *MatchedAlert) Concerns(f *AlertFilter) bool {
	return slices.ContainsFunc(m.selectors, func(in *rt.EntitySelector) bool { return m.snapshot.matches(f, in) })
}

// tripOf returns the route and the trip of a selector; "" if it has none.
func (s *Snapshot) tripOf(in *rt.EntitySelector) (route, trip string) {
	route = in.GetRouteId()
	if in.Trip != nil {
		r, t := s.RouteOf(descriptor(in.Trip))
		return cmp.Or(route, r), t
	}
	return route, ""
}

// matches reports whether all fields of a selector match the filter.
func (s *Snapshot) matches(f *AlertFilter, in *rt.EntitySelector) bool {
	stop := in.GetStopId()
	if stop != "" && !slices.Contains(f.Stops, stop) {
		return false
	}
	route, trip := s.tripOf(in)
	if trip != "" || route != "" || in.AgencyId != nil || in.RouteType != nil || in.DirectionId != nil {
		return f.selects(in, route, trip)
	}
	return stop != ""
}

// isRun reports whether the trip is the run that a descriptor names by its date and start time.
func (t *RiddenTrip) isRun(d *rt.TripDescriptor) bool {
	return (d.GetStartDate() == "" || t.StartDate == "" || t.StartDate == d.GetStartDate()) &&
		(d.GetStartTime() == "" || t.Start.IsNearest([]byte(d.GetStartTime())))
}

// selects reports whether the filter has the selector's trip or, if it names no trip, its route.
func (f *AlertFilter) selects(in *rt.EntitySelector, route, trip string) bool {
	fits := func(r *edition.Route) bool {
		return (route == "" || r.RouteID == route) && (in.AgencyId == nil || r.AgencyID == in.GetAgencyId()) &&
			(in.RouteType == nil || r.RouteType == strconv.Itoa(int(in.GetRouteType())))
	}
	if trip == "" && in.DirectionId == nil {
		return slices.ContainsFunc(f.Routes, fits)
	}
	direction := strconv.Itoa(int(min(in.GetDirectionId(), 9)))
	return slices.ContainsFunc(f.Trips, func(t RiddenTrip) bool {
		return (trip == "" || t.TripID == trip && t.isRun(in.Trip)) &&
			(in.DirectionId == nil || t.Direction == "" || t.Direction == direction) &&
			(route == "" || t.RouteID == route) &&
			(in.AgencyId == nil && in.RouteType == nil || slices.ContainsFunc(f.Routes, func(r *edition.Route) bool {
				return r.RouteID == t.RouteID && fits(r)
			}))
	})
}

// AlertByID returns the alert with an entity id and all its selectors, active or not; nil if there
// is none.
func (s *Snapshot) AlertByID(id string) (*MatchedAlert, error) {
	for i := range s.alerts {
		a := &s.Message.Alerts[i]
		if string(a.ID) != id {
			continue
		}
		m := &rt.Alert{}
		if err := decode(a.Body, m); err != nil {
			return nil, err
		}
		return &MatchedAlert{Alert: s.newAlert(id, m), snapshot: s, selectors: m.InformedEntity,
			Timestamp: gtfsrt.Seconds(int64(min(s.Message.Timestamp, math.MaxInt64)))}, nil
	}
	return nil, nil
}
