package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/townline/townline/pkg/pg"
)

// An Entity is a stop, route, trip or agency of the live version of a feed.
type Entity struct {
	Feed     string
	FeedName string
	TimeZone string
	// Type is stops, routes, trips or agency, as in an annotation.
	Type string
	ID   string
	// Name is the name of a stop or agency, the number or name of a route, or the destination of a
	// trip. More is what tells it from others: the code of a stop, the long name of a route, the route
	// and the departure of a trip.
	Name, More string
	AgencyID   string // of a route or trip
	RouteID    string // of a trip
}

// entities lists entities of live versions. The conditions of its parts are the arguments, by type.
func entities(stops, routes, trips, agencies string) string {
	return `
	WITH live AS (
		SELECT f.alias, f.name AS feed_name, v.version_id, coalesce(v.time_zone, 'UTC') AS time_zone
		FROM transit.feed f JOIN transit.feed_version v ON v.version_id = f.version_id
		WHERE f.removed_at IS NULL AND ($2 = '' OR f.alias = $2)),
	found AS (
		SELECT l.*, 'stops' AS type, s.stop_id AS id, coalesce(s.stop_name, s.stop_id) AS name,
		       concat_ws(' · ', s.stop_code, s.platform_code, up.stop_name) AS more, '' AS agency_id, '' AS route_id,
			1 AS kind
		FROM live l JOIN transit.stop s ON s.version_id = l.version_id
		LEFT JOIN transit.stop up ON up.version_id = s.version_id AND up.stop_id = s.parent_station
		WHERE coalesce(s.location_type, '') IN ('', '0', '1') AND (` + stops + `)
		UNION ALL
		SELECT l.*, 'routes', r.route_id, coalesce(r.route_short_name, r.route_long_name, r.route_id),
		       CASE WHEN r.route_short_name IS NOT NULL THEN coalesce(r.route_long_name, '') ELSE '' END, r.agency_id, '', 0
		FROM live l JOIN transit.route r ON r.version_id = l.version_id WHERE (` + routes + `)
		UNION ALL
		SELECT l.*, 'trips', t.trip_id, coalesce(t.trip_headsign, t.trip_short_name, t.trip_id),
		       concat_ws(' · ', coalesce(r.route_short_name, r.route_long_name, r.route_id),
		                 to_char(make_interval(secs => t.start_time), 'HH24:MI'), t.service_id), r.agency_id, r.route_id, 3
		FROM live l JOIN transit.trip t ON t.version_id = l.version_id
		JOIN transit.route r ON r.version_id = t.version_id AND r.route_id = t.route_id WHERE (` + trips + `)
		UNION ALL
		SELECT l.*, 'agency', a.agency_id, coalesce(a.agency_name, a.agency_id), '', a.agency_id, '', 2
		FROM live l JOIN transit.agency a ON a.version_id = l.version_id WHERE (` + agencies + `))
	SELECT alias AS feed, feed_name, time_zone, type, id, name, more, agency_id, route_id FROM found `
}

// A Subject names what an annotation is about. Without a feed it means all feeds.
type Subject struct{ Feed, Type, ID string }

// Entities returns the entities that each subject names, by feed, in one statement.
func Entities(ctx context.Context, db pg.Querier, subjects ...Subject) ([][]Entity, error) {
	ids := map[string][]string{}
	for _, s := range subjects {
		ids[s.Type] = append(ids[s.Type], s.ID)
	}
	all, err := pg.List[Entity](ctx, db, entities("s.stop_id = ANY ($1)", "r.route_id = ANY ($3)", "t.trip_id = ANY ($4)",
		"a.agency_id = ANY ($5)")+`ORDER BY feed`, ids["stops"], "", ids["routes"], ids["trips"], ids["agency"])
	if err != nil {
		return nil, fmt.Errorf("find what %d annotations are about: %w", len(subjects), err)
	}
	named := map[Subject][]Entity{}
	for _, e := range all {
		for _, feed := range []string{e.Feed, ""} {
			s := Subject{Feed: feed, Type: e.Type, ID: e.ID}
			named[s] = append(named[s], e)
		}
	}
	found := make([][]Entity, len(subjects))
	for i, s := range subjects {
		found[i] = named[s]
	}
	return found, nil
}

// FindEntities returns at most limit entities of all feeds by name, number or id: exact matches
// first, then names that begin with the text.
func FindEntities(ctx context.Context, db pg.Querier, text string, limit int) ([]Entity, error) {
	like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
	all, err := pg.List[Entity](ctx, db, entities("s.stop_id = $1 OR s.stop_code = $1 OR s.stop_name ILIKE $3",
		"r.route_id = $1 OR lower(r.route_short_name) = lower($1) OR r.route_long_name ILIKE $3",
		"t.trip_id = $1 OR t.trip_short_name = $1", "a.agency_id = $1 OR a.agency_name ILIKE $3")+
		`ORDER BY lower(name) <> lower($1) AND id <> $1 AND split_part(more, ' · ', 1) <> $1,
		          NOT name ILIKE substr($3, 2), kind, name, more, feed, id LIMIT $4`, text, "", like, limit)
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", text, err)
	}
	return all, nil
}

// TripsOn returns the trips of a route on a day, by departure, at most limit.
func TripsOn(ctx context.Context, db pg.Querier, feed, route string, day time.Time, limit int) ([]Entity, error) {
	all, err := pg.List[Entity](ctx, db, entities("false", "false", `t.route_id = $1 AND EXISTS (
			SELECT FROM transit.service c
			LEFT JOIN transit.service_date d ON d.version_id = c.version_id AND d.service_id = c.service_id AND d.date = $3::date
			WHERE c.version_id = t.version_id AND c.service_id = t.service_id
			  AND CASE d.exception_type WHEN '1' THEN true WHEN '2' THEN false
			      ELSE $3::date BETWEEN c.start_date AND c.end_date
			        AND (ARRAY[c.monday, c.tuesday, c.wednesday, c.thursday, c.friday, c.saturday, c.sunday])
			          [extract(isodow FROM $3::date)::integer] = '1' END)`, "false")+
		`ORDER BY more, name, id LIMIT $4`, route, feed, day, limit)
	if err != nil {
		return nil, fmt.Errorf("read the trips of %s: %w", route, err)
	}
	return all, nil
}

// A Box is an area in degrees.
type Box struct{ West, South, East, North float64 }

// StopBox returns the box of the stops of a live feed, or of all feeds for ""; nil without stops.
// Stops at 0, 0, which feeds have by mistake, do not count.
func StopBox(ctx context.Context, db pg.Querier, feed string) (*Box, error) {
	all, err := pg.List[Box](ctx, db, `
		SELECT min(s.lon) AS west, min(s.lat) AS south, max(s.lon) AS east, max(s.lat) AS north
		FROM transit.feed f JOIN transit.stop s ON s.version_id = f.version_id
		WHERE f.removed_at IS NULL AND ($1 = '' OR f.alias = $1) AND s.lat IS NOT NULL
		  AND (abs(s.lat) > 0.01 OR abs(s.lon) > 0.01)
		HAVING count(*) > 0`, feed)
	if err != nil {
		return nil, fmt.Errorf("read the box of the stops: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return &all[0], nil
}
