package notice

// A Place is a stop whose trips an answer lists, all of them or some. Overrides replace the
// stop of a request by other stops.
type Place struct {
	Stop string
	keep func(route, trip string) bool // nil: all
}

// maxRedirects bounds a chain of overrides, which may be a circle.
const maxRedirects = 4

// Places returns the stops whose trips an answer about a stop lists. names are the ids of the stop in the static
// feed; an override may name any of them.
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

// narrows returns the condition of an override for one route or trip; nil for an override without a condition.
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
	return func(string, string) bool { return false } // an override cannot be limited to a stop or an agency
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
