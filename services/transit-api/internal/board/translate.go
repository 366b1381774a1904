package board

import (
	"strconv"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Lines of boards in another language of their feed. What has no translation stays as it is.

// Translate puts the headsign into a language.
func (p *Prediction) Translate(t *edition.Texts) {
	p.Headsign = headsignIn(t, p.TripID, p.headed, p.Headsign)
}

// headsignIn is a headsign in a language: of a call, if call is its stop_sequence, else of the trip.
func headsignIn(t *edition.Texts, trip, call string, cell *string) *string {
	if call == "" {
		return t.Headsign(trip, cell)
	}
	if own := t.PartCell(edition.StopHeadsign, trip, call, cell); own != cell {
		return own
	}
	return t.Headsign("", cell)
}

// headsignOf is the headsign of a call of a trip, and its stop_sequence where it is the call's own.
func headsignOf(trip *edition.Trip, run *edition.Run, call int) (cell *string, headed string) {
	cell = run.StopHeadsign.At(call)
	if cell == nil {
		return trip.Headsign, ""
	}
	return cell, strconv.Itoa(int(run.StopSequence[call]))
}

// Translate puts the names of the departure into a language.
func (d *Departure) Translate(t *edition.Texts) {
	d.Prediction.Translate(t)
	d.StopName, d.PlatformCode = t.Cell(edition.StopName, d.StopID, d.StopName), t.Cell("stops.platform_code", d.StopID, d.PlatformCode)
	d.RouteShortName, d.RouteLongName = t.Cell(edition.ShortName, d.RouteID, d.RouteShortName), t.Cell(edition.LongName, d.RouteID, d.RouteLongName)
}

// Translate puts the names of the stop, and of what departs next, into a language. How a name is said goes if only the name is translated.
func (s *DepartureStop) Translate(t *edition.Texts) {
	name, said := t.Cell(edition.StopName, s.StopID, s.StopName), t.Cell(edition.SpokenName, s.StopID, s.TTSStopName)
	if name != s.StopName {
		s.Label = *name
		if said == s.TTSStopName {
			said = nil
		}
	}
	s.StopName, s.TTSStopName, s.PlatformCode = name, said, t.Cell("stops.platform_code", s.StopID, s.PlatformCode)
	s.StopCode = t.Cell("stops.stop_code", s.StopID, s.StopCode)
	if n := s.Next; n != nil {
		n.Headsign = headsignIn(t, n.TripID, n.headed, n.Headsign)
		n.RouteShortName, n.RouteLongName = t.Cell(edition.ShortName, n.RouteID, n.RouteShortName), t.Cell(edition.LongName, n.RouteID, n.RouteLongName)
	}
}
