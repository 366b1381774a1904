package pages

import (
	"context"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Pages say what a feed wrote in their own language where the feed has it: names of stops, lines and agencies, and where trips go. The
// JSON has the feed's own cells.

// translateDepartures puts departures and stops into a language. What cannot be read now stays as the feed has it: a board must not fail for it.
func translateDepartures(ctx context.Context, lang string, view *current.DeparturesView, departures []board.Departure, stops []board.DepartureStop) {
	texts := map[string]*edition.Texts{}
	for _, d := range view.Feeds {
		if t, err := d.Feed.Texts(ctx, lang); err == nil && t != nil {
			texts[d.Alias] = t
		}
	}
	if len(texts) == 0 {
		return
	}
	for i := range departures {
		d := &departures[i]
		t := texts[d.Feed]
		d.StopName, d.Headsign = t.Cell(edition.StopName, d.StopID, d.StopName), t.Headsign(d.TripID, d.Headsign)
		d.RouteShortName, d.RouteLongName = t.Cell(edition.ShortName, d.RouteID, d.RouteShortName), t.Cell(edition.LongName, d.RouteID, d.RouteLongName)
	}
	for i := range stops {
		s := &stops[i]
		t := texts[s.Feed]
		name := t.Cell(edition.StopName, s.StopID, s.StopName)
		s.TTSStopName = spoken(t, s.StopID, s.TTSStopName, name != s.StopName)
		s.StopName = name
	}
}

// spoken is how a name is said: the translation of that, else as it is written where that is translated.
func spoken(t *edition.Texts, id string, cell *string, translated bool) *string {
	own := t.Cell(edition.SpokenName, id, cell)
	if own == cell && translated {
		return nil
	}
	return own
}

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

// translateRoute puts the row of a route into a language.
func translateRoute(t *edition.Texts, r *static.Route) {
	if t == nil {
		return
	}
	cells := edition.RouteNames{ShortName: r.RouteShortName, LongName: r.RouteLongName}
	own := edition.Route{ID: r.RouteID, RouteNames: cells}
	names, label := namesIn(t, &own, cells)
	if names != cells {
		r.RouteShortName, r.RouteLongName, r.Label = names.ShortName, names.LongName, label
	}
}

// translateDrawing puts a drawing into a language. Its directions are its own.
func translateDrawing(t *edition.Texts, d *static.RouteDrawing) {
	for i := range d.Directions {
		side := &d.Directions[i]
		side.Direction = t.Of(edition.DirectionName, "", side.Direction)
		for k := range side.Stops {
			side.Stops[k].StopName = t.Of(edition.StopName, side.Stops[k].StopID, side.Stops[k].StopName)
		}
	}
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
