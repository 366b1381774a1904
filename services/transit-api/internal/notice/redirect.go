package notice

// A Place is a stop whose trips an answer lists, all of them or those that it allows. Overrides turn the
// stop of a request into others.
type Place struct {
	Stop string
	keep func(route, trip string) bool // nil: all
}

// maxRedirects bounds how many overrides are followed one after the other, since they may lead in a circle.
const maxRedirects = 4

// Places are the stops whose trips stand for those of a stop. names are the ids that the stop goes by in the static
// feed, under any of which it may be overridden.
func (s *State) Places(alias, stop string, names func(string) []string) []Place {
	return s.follow(alias, stop, names, maxRedirects)
}

func (s *State) follow(alias, stop string, names func(string) []string, hops int) []Place {
	here := []Place{{Stop: stop}}
	if len(s.redirects) == 0 || hops == 0 {
		return here
	}
	var there []Place
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
			there = append(there, Place{p.Stop, both(p.keep, narrow)})
		}
	}
	return append(here, there...)
}

func (s *State) redirectsOf(stops []string) []*notice {
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

// All reports whether a place lists all trips.
func (p Place) All() bool { return p.keep == nil }

// Allows reports whether a place lists a trip.
func (p Place) Allows(route, trip string) bool { return p.keep == nil || p.keep(route, trip) }
