package realtime

import (
	"slices"
	"strconv"
	"strings"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Trips maps the trips of a realtime message to the static feed: by id or, if there is no id, by
// route, direction, start time and service day.
type Trips struct {
	edition   *edition.Edition // nil if the feed was never imported
	described map[string]*edition.Trip
	patterns  map[int32]bool
}

// Identify finds the trips of the entities of a source's kind. today is the local day of the
// message; it is the service day of trips without a date.
func Identify(m *gtfsrt.Message, kind string, e *edition.Edition, today int) *Trips {
	t := &Trips{edition: e, described: map[string]*edition.Trip{}, patterns: map[int32]bool{}}
	if e == nil {
		return t
	}
	add := func(d gtfsrt.Trip) {
		if name := description(d); name != "" {
			if _, met := t.described[name]; !met {
				t.described[name] = starting(e, d, today)
			}
		}
		if trip := t.Trip(d); trip != nil && trip.Pattern >= 0 {
			t.patterns[trip.Pattern] = true
		}
	}
	if Carries(kind, conf.TripUpdates) {
		for _, u := range m.TripUpdates {
			add(u.Trip)
		}
	}
	if Carries(kind, conf.VehiclePositions) {
		for _, v := range m.Vehicles {
			add(v.Trip)
		}
	}
	if Carries(kind, conf.Alerts) {
		for _, a := range m.Alerts {
			for _, in := range a.Informed {
				add(in.Trip)
			}
		}
	}
	return t
}

// Carries reports whether a source of one kind has entities of another kind.
func Carries(source, entities string) bool { return source == entities || source == conf.Mixed }

func (t *Trips) Patterns() []int32 {
	all := make([]int32, 0, len(t.patterns))
	for n := range t.patterns {
		all = append(all, n)
	}
	return all
}

// Trip returns the static feed's trip for a descriptor; nil if there is none.
func (t *Trips) Trip(d gtfsrt.Trip) *edition.Trip {
	switch {
	case t == nil:
		return nil
	case len(d.TripID) > 0:
		return t.edition.Trip(string(d.TripID))
	}
	return t.described[description(d)]
}

// TripID returns the published id of a trip or, if missing, the static feed's id, or "".
func (t *Trips) TripID(d gtfsrt.Trip) string {
	if len(d.TripID) > 0 {
		return string(d.TripID)
	}
	if trip := t.Trip(d); trip != nil {
		return trip.TripID
	}
	return ""
}

// RouteOf returns the published route of a trip or, if missing, the static feed's route, and the
// trip's id.
func (t *Trips) RouteOf(d gtfsrt.Trip) (route, trip string) {
	if found := t.Trip(d); len(d.RouteID) == 0 && found != nil {
		return found.Route.RouteID, t.TripID(d)
	}
	return string(d.RouteID), t.TripID(d)
}

func (t *Trips) Identities(stop string) []string { return t.edition.Identities(stop) }

func description(t gtfsrt.Trip) string {
	if len(t.TripID) > 0 || len(t.RouteID) == 0 || len(t.StartTime) == 0 {
		return ""
	}
	return strings.Join([]string{string(t.RouteID), t.Direction, string(t.StartDate), string(t.StartTime)}, "\x00")
}

// descriptor converts a decoded descriptor to a [gtfsrt.Trip].
func descriptor(d *rt.TripDescriptor) gtfsrt.Trip {
	t := gtfsrt.Trip{TripID: []byte(d.GetTripId()), RouteID: []byte(d.GetRouteId()), StartTime: []byte(d.GetStartTime()),
		StartDate: []byte(d.GetStartDate())}
	if d != nil && d.DirectionId != nil {
		t.Direction = gtfsrt.Direction(uint64(*d.DirectionId))
	}
	return t
}

// starting returns the trip that starts as described; nil if several do, because a guess would be
// wrong for some riders. Some feeds count trips after midnight from the previous day, others from
// the new day.
func starting(e *edition.Edition, d gtfsrt.Trip, today int) *edition.Trip {
	at, ok := ClockSeconds(string(d.StartTime))
	if !ok {
		return nil
	}
	day, ok := edition.ParseDay(string(d.StartDate))
	if !ok {
		day = today
	}
	for late := range 2 {
		all := slices.DeleteFunc(slices.Clone(e.Starting(string(d.RouteID), at+int32(late)*86400)),
			func(t *edition.Trip) bool {
				return t.Profile < 0 || d.Direction != "" && d.Direction != t.Direction() || !t.Service.Runs(day-late)
			})
		switch len(all) {
		case 0:
		case 1:
			return all[0]
		default:
			return nil
		}
	}
	return nil
}

// ClockSeconds parses HH:MM:SS.
func ClockSeconds(text string) (int32, bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, false
	}
	total := 0
	for i, limit := range []int{1000, 60, 60} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n >= limit {
			return 0, false
		}
		total = total*60 + n
	}
	return int32(total), true
}
