package edition

import (
	"context"
	"strconv"

	"github.com/townline/townline/pkg/rest"
)

// A Sign says where a trip goes: the headsign of the call, else of the trip, else the name of the
// trip's last stop. The other fields name the cell, so that the text can be translated.
type Sign struct {
	Text *string // nil if unknown

	trip string // trip_id
	call string // stop_sequence if the headsign is the call's own
	stop string // stop_id if the text is the name of the last stop
}

// In returns the text in the language of t; nil if unknown.
func (s Sign) In(t *Translations) *string {
	switch {
	case s.stop != "":
		return t.Cell(StopName, s.stop, s.Text)
	case s.call == "":
		return t.Headsign(s.trip, s.Text)
	}
	if own := t.PartCell(StopHeadsign, s.trip, s.call, s.Text); own != s.Text {
		return own
	}
	return t.Headsign("", s.Text)
}

// IsOfCall reports whether the text is the call's own headsign.
func (s Sign) IsOfCall() bool { return s.call != "" }

// Sign returns the sign of a trip.
func (e *Edition) Sign(t *Trip) Sign {
	if t.TripHeadsign != nil {
		return Sign{Text: t.TripHeadsign, trip: t.TripID}
	}
	return e.SignTo(e.lastStops[t.Pattern])
}

// SignAt returns the sign of a trip at a call of its run.
func (e *Edition) SignAt(t *Trip, run *Run, call int) Sign {
	if own := run.StopHeadsign.At(call); own != nil {
		return Sign{Text: own, trip: t.TripID, call: strconv.Itoa(int(run.StopSequence[call]))}
	}
	if t.TripHeadsign != nil {
		return Sign{Text: t.TripHeadsign, trip: t.TripID}
	}
	for i := len(run.StopID) - 1; i >= 0; i-- {
		if stop := run.StopID[i]; stop != nil {
			return e.SignTo(*stop)
		}
	}
	return Sign{}
}

// SignTo returns the sign of a trip whose last stop has a stop_id, or a stop_code that no other
// stop has.
func (e *Edition) SignTo(stop string) Sign {
	names := e.Identities(stop)
	if s := e.Stop(names[len(names)-1]); s != nil {
		return Sign{Text: &s.Label, stop: s.StopID}
	}
	return Sign{}
}

type lastStop struct {
	Pattern int32
	StopID  string
}

// Calls at zones have no stop, so the last stop may not be that of the last call.
var lastStops = rest.SQL[VersionKey, lastStop](`
	SELECT p.pattern, p.stop_id[(
	         SELECT max(i) FROM generate_subscripts(p.stop_id, 1) i WHERE p.stop_id[i] IS NOT NULL)] AS stop_id
	FROM transit.pattern p
	WHERE p.version_id = @version_id AND array_remove(p.stop_id, NULL) <> '{}'
	  AND p.pattern IN (SELECT t.pattern FROM transit.trip t WHERE t.version_id = @version_id AND t.trip_headsign IS NULL)`)

// lastStopBytes is the measured memory of an entry of lastStops.
const lastStopBytes = 48

// readLastStops reads the last stops of the patterns of trips without a headsign.
func (e *Edition) readLastStops(ctx context.Context, b *budget) error {
	e.lastStops = map[int32]string{}
	return lastStops.Each(ctx, e.db, VersionKey{e.version}, func(row lastStop) error {
		if s := e.Stop(row.StopID); s != nil {
			e.lastStops[row.Pattern] = s.StopID // all patterns share the stop's string
		}
		return b.spend(lastStopBytes)
	})
}
