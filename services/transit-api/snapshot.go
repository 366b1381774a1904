package transitapi

import (
	"slices"
	"sync"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
)

// A snapshot is one message of a realtime source, as an index: which entities name which stop, route, trip or agency.
// An entity stays as it came until somebody reads it; then it is encoded once. A snapshot never changes.
type snapshot struct {
	id      int64
	message *gtfsrt.Message
	planned map[tripName]*plannedTrip // trips of the static feed that the message names; nil where it does not know them

	updates  []lazy[TripUpdate]
	vehicles []lazy[VehiclePosition]
	alerts   []lazy[Alert]

	updatesByStop    postings
	updatesByPattern map[*plannedPattern][]int32 // by where their trips call in the static feed
	patternsByStop   map[string][]*plannedPattern
	vehiclesByRoute  postings
	vehiclesByTrip   postings
	alertsBy         map[string]*postings // agency, route, stop, trip
}

// lazy is the JSON of an entity, made when it is first read.
type lazy[T any] struct {
	once sync.Once
	json rest.Encoded[T]
	err  error
}

// of returns the JSON, which make gives the value of.
func (l *lazy[T]) of(make func() (T, error)) (rest.Encoded[T], error) {
	l.once.Do(func() {
		v, err := make()
		if err == nil {
			l.json, err = rest.Encode(v)
		}
		l.err = err
	})
	return l.json, l.err
}

// postings are lists of entities by an id that they name.
type postings struct {
	number map[string]int
	lists  [][]int32
}

// add notes that an entity names an id. Entities come in their order; one that names an id twice stands once.
func (p *postings) add(id []byte, entity int) {
	if p.number == nil {
		p.number = map[string]int{}
	}
	n, ok := p.number[string(id)]
	if !ok {
		n = len(p.lists)
		p.number[string(id)] = n
		p.lists = append(p.lists, nil)
	}
	list := p.lists[n]
	if len(list) == 0 || list[len(list)-1] != int32(entity) {
		p.lists[n] = append(list, int32(entity))
	}
}

// get is the entities that name an id.
func (p *postings) get(id string) []int32 {
	n, ok := p.number[id]
	if !ok {
		return nil
	}
	return p.lists[n]
}

// has tells whether any entity names an id.
func (p *postings) has(id string) bool {
	_, ok := p.number[id]
	return ok
}

// union is the entities that name any of the ids, in the order of the message.
func (p *postings) union(ids []string) []int32 {
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

// carries tells whether a source of some kind carries entities of a kind.
func carries(source, entities string) bool { return source == entities || source == conf.Mixed }

// trip is the trip of the static feed that the source speaks of; nil when there is none.
func (s *snapshot) trip(t gtfsrt.Trip) *plannedTrip { return s.planned[named(t)] }

// tripID is the id of a trip: as published, else as the static feed has it, "" when neither does.
func (s *snapshot) tripID(t gtfsrt.Trip) string {
	if len(t.TripID) > 0 {
		return string(t.TripID)
	}
	if planned := s.trip(t); planned != nil {
		return planned.TripID
	}
	return ""
}

// newSnapshot indexes what a source of the kind carries.
func newSnapshot(id int64, m *gtfsrt.Message, kind string, planned map[tripName]*plannedTrip) *snapshot {
	s := &snapshot{id: id, message: m, planned: planned,
		alertsBy: map[string]*postings{"agency": {}, "route": {}, "stop": {}, "trip": {}}}
	if carries(kind, conf.TripUpdates) {
		s.indexUpdates()
	}
	if carries(kind, conf.VehiclePositions) {
		s.indexVehicles()
	}
	if carries(kind, conf.Alerts) {
		s.indexAlerts()
	}
	return s
}

func (s *snapshot) indexUpdates() {
	s.updates = make([]lazy[TripUpdate], len(s.message.TripUpdates))
	s.updatesByPattern, s.patternsByStop = map[*plannedPattern][]int32{}, map[string][]*plannedPattern{}
	for i, u := range s.message.TripUpdates {
		trip := s.trip(u.Trip)
		if trip != nil && trip.calls != nil {
			if s.updatesByPattern[trip.calls] == nil {
				for _, id := range trip.calls.StopID {
					if id != nil {
						s.patternsByStop[*id] = append(s.patternsByStop[*id], trip.calls)
					}
				}
			}
			s.updatesByPattern[trip.calls] = append(s.updatesByPattern[trip.calls], int32(i))
		}
		for c := range u.Calls() {
			if len(c.Assigned) > 0 {
				s.updatesByStop.add(c.Assigned, i)
			}
			switch {
			case len(c.StopID) > 0:
				s.updatesByStop.add(c.StopID, i)
			case c.Sequence >= 0:
				if id := trip.stopAt(c.Sequence); id != "" {
					s.updatesByStop.add([]byte(id), i)
				}
			}
		}
	}
}

func (s *snapshot) indexVehicles() {
	s.vehicles = make([]lazy[VehiclePosition], len(s.message.Vehicles))
	for i, v := range s.message.Vehicles {
		if id := s.tripID(v.Trip); id != "" {
			s.vehiclesByTrip.add([]byte(id), i)
		}
		switch trip := s.trip(v.Trip); {
		case len(v.RouteID) > 0:
			s.vehiclesByRoute.add(v.RouteID, i)
		case trip != nil:
			s.vehiclesByRoute.add([]byte(trip.RouteID), i)
		}
	}
}

func (s *snapshot) indexAlerts() {
	s.alerts = make([]lazy[Alert], len(s.message.Alerts))
	for i, a := range s.message.Alerts {
		for _, in := range a.Informed {
			trip := []byte(s.tripID(in.Trip))
			for _, e := range []struct {
				what string
				id   []byte
			}{{"agency", in.AgencyID}, {"route", in.Route}, {"stop", in.StopID}, {"trip", trip}} {
				if len(e.id) > 0 {
					s.alertsBy[e.what].add(e.id, i)
				}
			}
			// A descriptor of a route and nothing else stands for all trips of the route.
			if len(in.TripID)+len(in.StartTime) == 0 && len(in.RouteID) > 0 {
				s.alertsBy["route"].add(in.RouteID, i)
			}
		}
	}
}

// update is the JSON of trip update i.
func (s *snapshot) update(i int32) (rest.Encoded[TripUpdate], error) {
	return s.updates[i].of(func() (TripUpdate, error) { return tripUpdate(s.message.TripUpdates[i].Body, s.planned) })
}

// vehicle is the JSON of vehicle i.
func (s *snapshot) vehicle(i int32) (rest.Encoded[VehiclePosition], error) {
	return s.vehicles[i].of(func() (VehiclePosition, error) { return vehiclePosition(s.message.Vehicles[i].Body, s.planned) })
}

// alert is the JSON of alert i.
func (s *snapshot) alert(i int32) (rest.Encoded[Alert], error) {
	a := &s.message.Alerts[i]
	return s.alerts[i].of(func() (Alert, error) { return alert(string(a.ID), a.Body, s.planned) })
}

// approaching tells whether vehicle i is at one of the stops or still has to call there, by its position and by its
// trip's calls in the static feed.
func (s *snapshot) approaching(i int, stops []string) bool {
	v := s.message.Vehicles[i]
	if slices.Contains(stops, string(v.At.StopID)) {
		return true
	}
	trip := s.trip(v.Trip)
	if trip == nil || trip.calls == nil {
		return false
	}
	from := 0
	switch {
	case v.At.Sequence >= 0:
		from = slices.IndexFunc(trip.calls.StopSequence, func(n int32) bool { return int64(n) >= v.At.Sequence })
	case len(v.At.StopID) > 0:
		at := string(v.At.StopID)
		from = max(0, slices.IndexFunc(trip.calls.StopID, func(id *string) bool { return id != nil && *id == at }))
	}
	return from >= 0 && slices.ContainsFunc(trip.calls.StopID[from:], func(id *string) bool { return id != nil && slices.Contains(stops, *id) })
}

// names are the ids under which a source may speak of a stop. published tells which ids it uses: those of the stop and
// of what is below it as the caller wrote them, or, if it uses none of these, their partners in the static feed's
// pairs of stop_id and stop_code.
func (t *timetable) names(stop string, below bool, published func(string) bool) []string {
	if t == nil {
		return []string{stop}
	}
	ids := t.place(stop, below)
	if used := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !published(id) }); len(used) > 0 {
		return used
	}
	var partners []string
	if _, known := t.stops[stop]; known {
		for _, id := range ids {
			if code := t.stops[id].StopCode; code != nil {
				partners = append(partners, *code)
			}
		}
	} else {
		for _, id := range t.byCode[stop] {
			partners = append(partners, t.place(id, below)...)
		}
	}
	return slices.DeleteFunc(partners, func(id string) bool { return !published(id) })
}

// place is a stop, and what is below it if that is asked for.
func (t *timetable) place(stop string, below bool) []string {
	ids := []string{stop}
	if below {
		ids = append(ids, t.below[stop]...)
	}
	return ids
}

// planned are the stop_ids of the static feed that a caller means: the stop with that id, else those with that code,
// and what is below them.
func (t *timetable) planned(stop string) []string {
	if t == nil {
		return nil
	}
	if _, known := t.stops[stop]; known {
		return t.place(stop, true)
	}
	var ids []string
	for _, id := range t.byCode[stop] {
		ids = append(ids, t.place(id, true)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// everyName are all ids that the place with an id or code may go by, in the static feed or in a realtime feed.
func (t *timetable) everyName(stop string) []string {
	if t == nil {
		return []string{stop}
	}
	ids := append(t.place(stop, true), t.planned(stop)...)
	for _, id := range slices.Clone(ids) {
		if code := t.stops[id].StopCode; code != nil {
			ids = append(ids, *code)
		}
	}
	return ids
}
