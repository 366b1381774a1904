package realtimeapi

import (
	"maps"
	"slices"
)

// Matches counts how the trip updates and vehicle positions of an agency fit the timetable.
type Matches struct {
	Records      int // trip updates and vehicle positions
	Trips, Stops map[string]bool
	// UnknownTrips and UnknownStops are not in the timetable. Trips that the feed adds are not counted.
	UnknownTrips, UnknownStops map[string]bool
}

func newMatches() *Matches {
	return &Matches{Trips: map[string]bool{}, Stops: map[string]bool{}, UnknownTrips: map[string]bool{},
		UnknownStops: map[string]bool{}}
}

// MatchesByAgency returns the matches of each agency. Trips whose route is unknown count for the
// agency that is named as main.
func (d *FeedDepartures) MatchesByAgency(main string) map[string]*Matches {
	all := map[string]*Matches{}
	for _, s := range d.updates.Of(d.Alias) {
		for i := range s.Message.TripUpdates {
			u := &s.Message.TripUpdates[i]
			of := d.matchTrip(all, s.TripID(u.Trip), string(u.RouteID), main)
			if u.Relationship == addedTrip || u.Relationship == newTrip {
				delete(of.UnknownTrips, s.TripID(u.Trip))
			}
			for _, c := range u.Prediction(nil).Calls {
				of.matchStop(d, string(c.StopID))
			}
		}
	}
	for _, s := range d.vehicles.Of(d.Alias) {
		for i := range s.Message.Vehicles {
			v := &s.Message.Vehicles[i]
			of := d.matchTrip(all, s.TripID(v.Trip), string(v.RouteID), main)
			of.matchStop(d, string(v.At.StopID))
		}
	}
	return all
}

// Values of TripDescriptor.schedule_relationship.
const (
	addedTrip = 1
	newTrip   = 8
)

func (d *FeedDepartures) matchTrip(all map[string]*Matches, trip, route, agency string) *Matches {
	t := d.Feed.Trip(trip)
	if r := d.Feed.Route(route); r != nil {
		agency = r.AgencyID
	}
	if t != nil {
		agency = t.Route.AgencyID
	}
	of := all[agency]
	if of == nil {
		of = newMatches()
		all[agency] = of
	}
	of.Records++
	switch {
	case t != nil:
		of.Trips[trip] = true
	case trip != "":
		of.UnknownTrips[trip] = true
	}
	return of
}

func (m *Matches) matchStop(d *FeedDepartures, id string) {
	if id == "" {
		return
	}
	names := d.Feed.Identities(id)
	if d.Feed.Stop(names[len(names)-1]) != nil {
		m.Stops[id] = true
	} else {
		m.UnknownStops[id] = true
	}
}

// Some returns the first ids in order, at most a number of them.
func Some(ids map[string]bool, most int) []string {
	all := slices.Sorted(maps.Keys(ids))
	return append([]string{}, all[:min(len(all), most)]...)
}
