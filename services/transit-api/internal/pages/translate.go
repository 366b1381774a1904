package pages

import (
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Pages say what a feed wrote in their own language where the feed has it: names of stops, lines and agencies, and where trips go.

// stopIn is a stop in a language.
func stopIn(t *edition.Texts, s *edition.Stop) *edition.Stop {
	name := t.Of(edition.StopName, s.StopID, s.StopName)
	if name == s.StopName {
		return s
	}
	own := *s
	own.StopName, own.Label = name, name
	return &own
}

// namesIn are the names of a route in a language, and what it is called as a whole.
func namesIn(t *edition.Texts, r *edition.Route, names edition.RouteNames) (edition.RouteNames, string) {
	own := *r
	own.ShortName, own.LongName = t.Cell(edition.ShortName, r.ID, names.ShortName), t.Cell(edition.LongName, r.ID, names.LongName)
	if own.ShortName == names.ShortName && own.LongName == names.LongName {
		return names, r.Label()
	}
	names.ShortName, names.LongName = own.ShortName, own.LongName
	return names, own.Label()
}

// translateTrips puts the headsigns of a timetable into a language.
func translateTrips(t *edition.Texts, trips []board.SheetTrip) {
	for i := range trips {
		if to := t.Headsign(trips[i].ID, trips[i].Headsign); to != trips[i].Headsign {
			own := *trips[i].Trip
			own.Headsign, trips[i].Trip = to, &own
		}
	}
}
