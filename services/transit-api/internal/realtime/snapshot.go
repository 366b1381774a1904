// Package realtime indexes the messages of realtime sources by stop, route, trip and agency, finds
// the trips in the static feed, and encodes entities as JSON.
//
// It is pure. Package live loads the messages, and package board computes departures from them.
// Start at [Identify] and [New].
package realtime

import (
	"cmp"
	"slices"
	"sync"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Snapshot is the index of one message of a realtime source. It is immutable, except that the
// JSON of an entity is encoded on first use.
type Snapshot struct {
	ID      int64
	Message *gtfsrt.Message
	*Trips
	IsOperator bool // the alerts are annotations of the operator

	patterns map[int32]*edition.Pattern

	updates  []lazy[TripUpdate]
	vehicles []lazy[VehiclePosition]
	alerts   []lazy[Alert]

	detours   map[string][]*gtfsrt.Modifications // by trip_id
	detoursAt map[string][]*gtfsrt.Modifications // by stop_id of their new calls
	newStops  map[string]string                  // names of stops that the message adds, by stop_id

	updatesByStop    postings
	updatesByPattern map[int32][]int32 // by the static pattern of their trips
	vehiclesByRoute  postings
	vehiclesByTrip   postings
	alertsBy         map[string]postings // keyed by "agency", "route", "stop" and "trip"; "mode" has all other alerts
}

// lazy is the JSON of an entity, encoded on first use.
type lazy[T any] struct {
	once sync.Once
	json rest.Encoded[T]
	err  error
}

// encoded encodes the value of decode as JSON on the first call, and returns the stored JSON
// afterwards.
func (l *lazy[T]) encoded(decode func() (T, error)) (rest.Encoded[T], error) {
	l.once.Do(func() {
		v, err := decode()
		if err == nil {
			l.json, err = rest.Encode(v)
		}
		l.err = err
	})
	return l.json, l.err
}

// postings lists the entities that name an id, keyed by id.
type postings map[string]*[]int32

// add records that an entity names an id. Calls must be in the order of entities; an entity is
// listed once.
func (p postings) add(id []byte, entity int) {
	list := p[string(id)]
	if list == nil {
		list = new([]int32)
		p[string(id)] = list
	}
	if n := len(*list); n == 0 || (*list)[n-1] != int32(entity) {
		*list = append(*list, int32(entity))
	}
}

func (p postings) get(id string) []int32 {
	if list := p[id]; list != nil {
		return *list
	}
	return nil
}

func (p postings) has(id string) bool { return p[id] != nil }

// union returns the entities that name any of the ids, in the order of the message.
func (p postings) union(ids []string) []int32 {
	if len(ids) == 1 {
		return p.get(ids[0])
	}
	var all []int32
	for _, id := range ids {
		all = append(all, p.get(id)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// New indexes the entities of a source's kind. patterns are the patterns of the trips.
func New(id int64, m *gtfsrt.Message, kind string, trips *Trips, patterns map[int32]*edition.Pattern) *Snapshot {
	s := &Snapshot{ID: id, Message: m, Trips: trips, patterns: patterns, updatesByStop: postings{},
		vehiclesByRoute: postings{}, vehiclesByTrip: postings{},
		alertsBy: map[string]postings{"agency": {}, "route": {}, "stop": {}, "trip": {}, "mode": {}}}
	if Carries(kind, conf.TripUpdates) {
		s.indexUpdates()
		s.indexDetours()
	}
	if Carries(kind, conf.VehiclePositions) {
		s.indexVehicles()
	}
	if Carries(kind, conf.Alerts) {
		s.indexAlerts()
	}
	return s
}

func (s *Snapshot) indexUpdates() {
	s.updates = make([]lazy[TripUpdate], len(s.Message.TripUpdates))
	s.updatesByPattern = map[int32][]int32{}
	var calls []gtfsrt.Call
	for i, u := range s.Message.TripUpdates {
		trip := s.Trip(u.Trip)
		if trip != nil && trip.Pattern >= 0 {
			s.updatesByPattern[trip.Pattern] = append(s.updatesByPattern[trip.Pattern], int32(i))
		}
		calls = u.Prediction(calls[:0]).Calls
		for _, c := range calls {
			if len(c.Assigned) > 0 {
				s.updatesByStop.add(c.Assigned, i)
			}
			switch {
			case len(c.StopID) > 0:
				s.updatesByStop.add(c.StopID, i)
			case c.Sequence >= 0:
				if id := s.stopAt(trip, c.Sequence); id != "" {
					s.updatesByStop.add([]byte(id), i)
				}
			}
		}
	}
}

// maxDetours bounds the trips and new calls of all detours of a message.
const maxDetours = 100_000

func (s *Snapshot) indexDetours() {
	s.detours, s.detoursAt = map[string][]*gtfsrt.Modifications{}, map[string][]*gtfsrt.Modifications{}
	s.newStops = map[string]string{}
	left := maxDetours
	for _, e := range s.Message.Others {
		if id, name := e.NewStop(); id != "" && name != "" {
			s.newStops[id] = name
		}
		m := e.Modifications()
		if m == nil {
			continue
		}
		for _, c := range m.Changes {
			for _, r := range c.Replacements {
				left--
				s.detoursAt[string(r.StopID)] = append(s.detoursAt[string(r.StopID)], m)
			}
		}
		left -= len(m.TripIDs)
		if left < 0 {
			return
		}
		for _, id := range m.TripIDs {
			s.detours[string(id)] = append(s.detours[string(id)], m)
		}
	}
}

// HasDetours reports whether the message modifies any trip.
func (s *Snapshot) HasDetours() bool { return len(s.detours) > 0 }

// NewStop returns the name of a stop that the message adds; "" if it adds none with this id.
func (s *Snapshot) NewStop(id string) string { return s.newStops[id] }

// DetoursOf returns the modifications of a trip.
func (s *Snapshot) DetoursOf(trip string) []*gtfsrt.Modifications { return s.detours[trip] }

// TripsDetouredTo returns the trips that call at a stop only because of modifications.
func (s *Snapshot) TripsDetouredTo(stop string) (all []*edition.Trip) {
	for _, m := range s.detoursAt[stop] {
		for _, id := range m.TripIDs {
			if t := s.edition.Trip(string(id)); t != nil && t.HasTimes() {
				all = append(all, t)
			}
		}
	}
	return all
}

func (s *Snapshot) indexVehicles() {
	s.vehicles = make([]lazy[VehiclePosition], len(s.Message.Vehicles))
	for i, v := range s.Message.Vehicles {
		if id := s.TripID(v.Trip); id != "" {
			s.vehiclesByTrip.add([]byte(id), i)
		}
		trip := s.Trip(v.Trip)
		switch {
		case len(v.RouteID) > 0:
			s.vehiclesByRoute.add(v.RouteID, i)
		case trip != nil:
			s.vehiclesByRoute.add([]byte(trip.Route.RouteID), i)
		}
	}
}

func (s *Snapshot) indexAlerts() {
	s.alerts = make([]lazy[Alert], len(s.Message.Alerts))
	for i, a := range s.Message.Alerts {
		for _, in := range a.Informed {
			trip := []byte(s.TripID(in.Trip))
			for _, e := range []struct {
				what string
				id   []byte
			}{{"agency", in.AgencyID}, {"route", in.Route}, {"stop", in.StopID}, {"trip", trip}} {
				if len(e.id) > 0 {
					s.alertsBy[e.what].add(e.id, i)
				}
			}
			if len(in.AgencyID)+len(in.Route)+len(in.StopID)+len(in.TripID)+len(in.RouteID) == 0 {
				s.alertsBy["mode"].add(nil, i)
			}
			// A descriptor with only a route_id selects all trips of the route.
			if len(in.TripID)+len(in.StartTime) == 0 && len(in.RouteID) > 0 {
				s.alertsBy["route"].add(in.RouteID, i)
			}
		}
	}
}

func (s *Snapshot) Update(i int32) (rest.Encoded[TripUpdate], error) {
	return s.updates[i].encoded(func() (TripUpdate, error) { return s.tripUpdate(s.Message.TripUpdates[i].Body) })
}

func (s *Snapshot) Vehicle(i int32) (rest.Encoded[VehiclePosition], error) {
	return s.vehicles[i].encoded(func() (VehiclePosition, error) { return s.vehiclePosition(s.Message.Vehicles[i].Body) })
}

func (s *Snapshot) Alert(i int32) (rest.Encoded[Alert], error) {
	a := &s.Message.Alerts[i]
	return s.alerts[i].encoded(func() (Alert, error) { return s.alert(string(a.ID), a.Body) })
}

func (s *Snapshot) stopAt(trip *edition.Trip, sequence int64) string {
	calls := s.calls(trip)
	if calls == nil {
		return ""
	}
	i, ok := slices.BinarySearchFunc(calls.StopSequence, sequence, func(n int32, want int64) int {
		return cmp.Compare(int64(n), want)
	})
	if !ok || calls.StopID[i] == nil {
		return ""
	}
	return *calls.StopID[i]
}

func (s *Snapshot) calls(trip *edition.Trip) *edition.Pattern {
	if trip == nil {
		return nil
	}
	return s.patterns[trip.Pattern]
}

// UpdatesAt returns the trip updates that name a stop.
func (s *Snapshot) UpdatesAt(stop string) []int32 {
	return s.updatesByStop.union(s.edition.NamesOf(stop, true, s.updatesByStop.has))
}

// UpdatesFollowing returns the trip updates of trips that follow a pattern.
func (s *Snapshot) UpdatesFollowing(pattern int32) []int32 { return s.updatesByPattern[pattern] }

func (s *Snapshot) Vehicles() []int32 {
	all := make([]int32, len(s.vehicles))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

func (s *Snapshot) VehiclesOf(route string) []int32 { return s.vehiclesByRoute.get(route) }

// VehicleOn returns the id of the vehicle on a run of a trip; "" if unknown.
func (s *Snapshot) VehicleOn(trip string, start Start) string {
	for _, i := range s.vehiclesByTrip.get(trip) {
		v := &s.Message.Vehicles[i]
		if id := v.VehicleID; len(id) > 0 && start.IsNearest(v.StartTime) {
			return string(id)
		}
	}
	return ""
}

// AlertsAbout returns the alerts about an entity; what is "stop", "route", "trip" or "agency".
func (s *Snapshot) AlertsAbout(what, id string) []int32 {
	list, ids := s.alertsBy[what], []string{id}
	if what == "stop" {
		ids = s.edition.NamesOf(id, false, list.has)
	}
	return list.union(ids)
}

// HeadingFor returns the vehicles that are at a stop or will call there, according to their
// position, their trip's calls in the static feed, or the trip updates in other snapshots of the
// feed.
func (s *Snapshot) HeadingFor(stop string, updates []*Snapshot) []int32 {
	stops := s.edition.AllNames(stop)
	trips := map[string]bool{}
	for _, u := range updates {
		for _, i := range u.UpdatesAt(stop) {
			trips[u.TripID(u.Message.TripUpdates[i].Trip)] = true
		}
	}
	delete(trips, "")
	return slices.DeleteFunc(s.Vehicles(), func(i int32) bool {
		return !trips[s.TripID(s.Message.Vehicles[i].Trip)] && !s.isApproaching(i, stops)
	})
}

// isApproaching reports whether vehicle i is at one of the stops or will call there, according to
// its position and its trip's calls in the static feed.
func (s *Snapshot) isApproaching(i int32, stops []string) bool {
	v := s.Message.Vehicles[i]
	if slices.Contains(stops, string(v.At.StopID)) {
		return true
	}
	calls := s.calls(s.Trip(v.Trip))
	if calls == nil {
		return false
	}
	from := 0
	switch {
	case v.At.Sequence >= 0:
		from = slices.IndexFunc(calls.StopSequence, func(n int32) bool { return int64(n) >= v.At.Sequence })
	case len(v.At.StopID) > 0:
		at := string(v.At.StopID)
		from = max(0, slices.IndexFunc(calls.StopID, func(id *string) bool { return id != nil && *id == at }))
	}
	return from >= 0 && slices.ContainsFunc(calls.StopID[from:], func(id *string) bool {
		return id != nil && slices.Contains(stops, *id)
	})
}
