package transitapi

import (
	"slices"
)

// A place is a stop whose trips an answer lists, all of them or those that keep allows. Overrides turn the
// stop that was asked for into others.
type place struct {
	stop string
	keep func(route, trip string) bool // nil: all
}

// maxRedirects bounds how many overrides are followed one after the other, since they may lead in a circle.
const maxRedirects = 4

// places are the stops whose trips stand for those of a stop. names are the ids that the stop goes by in the static
// feed, under any of which it may be overridden.
func (s *noticed) places(alias, stop string, names func(string) []string) []place {
	return s.follow(alias, stop, names, maxRedirects)
}

func (s *noticed) follow(alias, stop string, names func(string) []string, hops int) []place {
	here := []place{{stop: stop}}
	if len(s.redirects) == 0 || hops == 0 {
		return here
	}
	var there []place
	for _, n := range s.redirectsOf(names(stop)) {
		if !n.of(&alias) {
			continue
		}
		onward := s.follow(alias, *n.OverrideEntityID, names, hops-1)
		narrow := n.narrows()
		if narrow == nil {
			return onward
		}
		for i := range here {
			here[i].keep = both(here[i].keep, func(route, trip string) bool { return !narrow(route, trip) })
		}
		for _, p := range onward {
			there = append(there, place{p.stop, both(p.keep, narrow)})
		}
	}
	return append(here, there...)
}

func (s *noticed) redirectsOf(stops []string) []*notice {
	var found []*notice
	for _, stop := range stops {
		found = append(found, s.redirects[stop]...)
	}
	return found
}

// narrows is the condition of an override that is for one route or trip only; nil for one that is for all.
func (n *notice) narrows() func(route, trip string) bool {
	if n.SecondaryEntityType == nil {
		return nil
	}
	id := *n.SecondaryEntityID
	switch *n.SecondaryEntityType {
	case "routes":
		return func(route, _ string) bool { return route == id }
	case "trips":
		return func(_, trip string) bool { return trip == id }
	}
	return func(string, string) bool { return false } // no trip is of a stop or an agency alone
}

func both(a, b func(route, trip string) bool) func(route, trip string) bool {
	if a == nil {
		return b
	}
	return func(route, trip string) bool { return a(route, trip) && b(route, trip) }
}

// allows tells whether a place lists a trip.
func (p place) allows(route, trip string) bool { return p.keep == nil || p.keep(route, trip) }

// identities are the static stop_ids that a stop may be overridden under: its own, and, if it is asked for by a code that
// only one stop has, that stop's.
func (t *timetable) identities(stop string) []string {
	ids := []string{stop}
	if t == nil {
		return ids
	}
	if _, known := t.stops[stop]; known {
		return ids
	}
	if coded := t.byCode[stop]; len(coded) == 1 && !slices.Contains(ids, coded[0]) {
		ids = append(ids, coded[0])
	}
	return ids
}
