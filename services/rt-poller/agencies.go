package rtpoller

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/pg"
)

// owners has the agencies of the routes and trips of the feed's live version.
type owners struct {
	wanted        map[string]bool // agency_ids of the configuration
	routes, trips map[string]string
	stops         map[string]bool // stop_ids and stop_codes that the feed has
}

// ofAgencies returns a message with only the entities of the source's agencies. It fails if the
// feed lacks one of them: the configuration is then wrong, and an empty answer would hide that.
func (p *poller) ofAgencies(ctx context.Context, m message, body []byte) ([]byte, message, error) {
	o, err := p.owners(ctx, m.feed)
	if err != nil {
		return body, message{}, err
	}
	kept := gtfsrt.Filter(body, func(entity *gtfsrt.Message) bool {
		because := o.leavesOut(entity)
		if because != "" {
			p.metrics.leftOut.WithLabelValues(p.alias, p.source, because).Inc()
		}
		return because == ""
	})
	calls := judge.NewCalls(len(kept))
	feed, err := gtfsrt.ScanCalls(kept, calls.Add)
	if err != nil {
		return body, message{}, fmt.Errorf("select the agencies of the answer: %w", err)
	}
	return kept, message{timestamp: m.timestamp, tripUpdates: len(feed.TripUpdates), vehicles: len(feed.Vehicles),
		alerts: len(feed.Alerts), feed: feed, calls: calls}, nil
}

// owners reads the agencies of what a message names.
func (p *poller) owners(ctx context.Context, m *gtfsrt.Message) (*owners, error) {
	ctx, cancel := context.WithTimeout(ctx, p.dbTimeout)
	defer cancel()
	trips, stops := named(m)
	rows, err := pg.List[struct {
		Kind     string
		ID       string
		AgencyID string
	}](ctx, p.deps.DB, `
		WITH live AS (SELECT version_id FROM transit.feed WHERE alias = $1 AND removed_at IS NULL)
		SELECT 'agency' AS kind, agency_id AS id, agency_id FROM transit.agency
		WHERE version_id = (SELECT version_id FROM live)
		UNION ALL
		SELECT 'route', route_id, agency_id FROM transit.route WHERE version_id = (SELECT version_id FROM live)
		UNION ALL
		SELECT 'trip', t.trip_id, r.agency_id FROM transit.trip t JOIN transit.route r USING (version_id, route_id)
		WHERE t.version_id = (SELECT version_id FROM live) AND t.trip_id = ANY($2)
		UNION ALL
		SELECT 'stop', unnest(ARRAY[stop_id, coalesce(stop_code, stop_id)]), '' FROM transit.stop
		WHERE cardinality($3::text[]) > 0 AND version_id = (SELECT version_id FROM live)
		  AND (stop_id = ANY($3) OR stop_code = ANY($3))`, p.alias, trips, stops)
	if err != nil {
		return nil, fmt.Errorf("read the agencies of %s: %w", p.alias, err)
	}
	o := &owners{wanted: map[string]bool{}, routes: map[string]string{}, trips: map[string]string{},
		stops: map[string]bool{}}
	agencies := map[string]bool{}
	for _, r := range rows {
		switch r.Kind {
		case "agency":
			agencies[r.ID] = true
		case "route":
			o.routes[r.ID] = r.AgencyID
		case "trip":
			o.trips[r.ID] = r.AgencyID
		default:
			o.stops[r.ID] = true
		}
	}
	if len(agencies) == 0 {
		return nil, fmt.Errorf("feed %s is not imported yet, so the agencies of its trips are unknown", p.alias)
	}
	for _, id := range p.Agencies {
		if !agencies[id] {
			return nil, fmt.Errorf("feed %s has no agency %q of the source's agencies; it has %s", p.alias, id,
				strings.Join(slices.Sorted(maps.Keys(agencies)), ", "))
		}
		o.wanted[id] = true
	}
	return o, nil
}

// named returns the ids of trips that a message has, and of stops that its alerts have.
func named(m *gtfsrt.Message) (trips, stops []string) {
	trips, stops = []string{}, []string{}
	for i := range m.TripUpdates {
		trips = append(trips, plain(string(m.TripUpdates[i].TripID)))
	}
	for i := range m.Vehicles {
		trips = append(trips, plain(string(m.Vehicles[i].TripID)))
	}
	for i := range m.Alerts {
		for _, in := range m.Alerts[i].Informed {
			trips = append(trips, plain(string(in.TripID)))
			stops = append(stops, plain(string(in.StopID)))
		}
	}
	return trips, stops
}

// Why an entity is left out: it belongs to an agency that is not wanted, or names nothing that the
// feed has.
const (
	otherAgency   = "other_agency"
	unknownAgency = "unknown"
)

// leavesOut returns why to leave an entity out; "" if it stays. Entities that belong to no agency,
// such as shapes, stay.
func (o *owners) leavesOut(m *gtfsrt.Message) string {
	because := ""
	note := func(why string) bool {
		if because != otherAgency {
			because = why
		}
		return why == ""
	}
	for i := range m.TripUpdates {
		if note(o.ofTrip(m.TripUpdates[i].Trip)) {
			return ""
		}
	}
	for i := range m.Vehicles {
		if note(o.ofTrip(m.Vehicles[i].Trip)) {
			return ""
		}
	}
	for i := range m.Alerts {
		if len(m.Alerts[i].Informed) == 0 {
			return ""
		}
		for _, in := range m.Alerts[i].Informed {
			if note(o.ofInformed(in)) {
				return ""
			}
		}
	}
	return because
}

// ofTrip decides by the agency of the trip or, if the feed does not have it, of the route.
func (o *owners) ofTrip(t gtfsrt.Trip) string {
	agency, known := o.trips[plain(string(t.TripID))]
	if !known {
		agency, known = o.routes[plain(string(t.RouteID))]
	}
	return o.of(agency, known)
}

func (o *owners) of(agency string, known bool) string {
	switch {
	case !known:
		return unknownAgency
	case !o.wanted[agency]:
		return otherAgency
	}
	return ""
}

// ofInformed decides by the agency, the route or the trip of a selector. A stop belongs to no
// agency: any stop of the feed counts.
func (o *owners) ofInformed(in gtfsrt.Informed) string {
	switch {
	case len(in.AgencyID) > 0:
		return o.of(string(in.AgencyID), true)
	case len(in.Route) > 0:
		agency, known := o.routes[plain(string(in.Route))]
		return o.of(agency, known)
	case len(in.TripID) > 0 || len(in.RouteID) > 0:
		return o.ofTrip(in.Trip)
	case len(in.StopID) > 0 && !o.stops[plain(string(in.StopID))]:
		return unknownAgency
	}
	return ""
}
