package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/pg"
)

// FactsBytes bounds the memory for the facts of all feeds. If they exceed it, all are dropped; rows
// are read again when the next messages name them.
const FactsBytes = 24 << 20

// Facts are rows of one version of a feed, with which messages are compared. A row is read when a
// message first names it. After an error the facts are incomplete and must be dropped.
type Facts struct {
	version  int32 // 0 if no feed was imported; then nothing is compared
	agencies map[string]bool
	routes   map[string]bool
	stops    map[string]*stop // also has ids that are not in the feed
	trips    map[string]*trip // nil if the trip is not in the feed
	patterns map[int32]*pattern
	shapes   map[string]*line
	area     *box // nil until a vehicle position needs it
	bytes    int  // estimated size
}

type stop struct {
	ID       string
	Found    bool
	Platform bool // location_type is 0
	Code     bool // the id is a stop_code
}

type trip struct {
	TripID      string
	RouteID     string
	DirectionID string
	ShapeID     string
	Pattern     *int32
	FirstTime   *int32  // first arrival, in seconds of the service day
	Untimed     []int32 // indexes of calls without a time, ascending
	calls       *pattern
	shape       *line
	headways    []headway
}

type headway struct {
	TripID      string
	StartTime   int32
	EndTime     int32
	HeadwaySecs int32
	Exact       bool
}

// A pattern has the calls of a trip, ordered by stop_sequence.
type pattern struct {
	sequences []int32
	stops     []*stop // nil for a call at a zone
	twice     bool    // it calls twice at some stop
}

// index returns the index of the call with a stop_sequence; -1 if there is none. It tries guess
// first.
func (p *pattern) index(sequence int64, guess int) int {
	if guess < len(p.sequences) && int64(p.sequences[guess]) == sequence {
		return guess
	}
	i, found := slices.BinarySearchFunc(p.sequences, sequence, func(s int32, to int64) int { return int(int64(s) - to) })
	if !found {
		return -1
	}
	return i
}

// Bytes estimates the memory of the facts.
func (f *Facts) Bytes() int {
	if f == nil {
		return 0
	}
	return f.bytes
}

// Are reports whether the facts are of a version.
func (f *Facts) Are(version int32) bool { return f != nil && f.version == version }

// NewFacts reads all agencies and routes, because a feed has few. version is 0 if there is no feed.
func NewFacts(ctx context.Context, db *pgxpool.Pool, version int32) (*Facts, error) {
	f := &Facts{version: version, agencies: map[string]bool{}, routes: map[string]bool{}, stops: map[string]*stop{},
		trips: map[string]*trip{}, patterns: map[int32]*pattern{}, shapes: map[string]*line{}}
	if version == 0 {
		return f, nil
	}
	for into, sql := range map[*map[string]bool]string{
		&f.agencies: `SELECT agency_id FROM transit.agency WHERE version_id = $1`,
		&f.routes:   `SELECT route_id FROM transit.route WHERE version_id = $1`,
	} {
		ids, err := pg.Column[string](ctx, db, sql, version)
		if err != nil {
			return nil, fmt.Errorf("read the ids of version %d: %w", version, err)
		}
		for _, id := range ids {
			(*into)[id] = true
			f.bytes += 60 + len(id)
		}
	}
	return f, nil
}

// load reads the rows that m needs: the trips that it names with their calls, the shapes for its
// vehicles, and the stops of its vehicles and alerts.
func (f *Facts) load(ctx context.Context, db *pgxpool.Pool, m *gtfsrt.Message) error {
	var ids, stops []string
	want := func(t gtfsrt.Trip) {
		if _, known := f.trips[string(t.TripID)]; !known && len(t.TripID) > 0 {
			f.trips[string(t.TripID)] = nil
			ids = append(ids, plain(t.TripID))
			f.bytes += 100 + len(t.TripID)
		}
	}
	for i := range m.TripUpdates {
		want(m.TripUpdates[i].Trip)
	}
	for i := range m.Vehicles {
		want(m.Vehicles[i].Trip)
		if id := m.Vehicles[i].At.StopID; len(id) > 0 {
			stops = append(stops, string(id))
		}
	}
	for i := range m.Alerts {
		for _, in := range m.Alerts[i].Informed {
			want(in.Trip)
			if len(in.StopID) > 0 {
				stops = append(stops, string(in.StopID))
			}
		}
	}
	if f.version == 0 {
		return nil
	}
	if err := f.loadStops(ctx, db, stops); err != nil {
		return err
	}
	if len(ids) > 0 {
		if err := f.readTrips(ctx, db, ids); err != nil {
			return err
		}
	}
	return f.loadShapes(ctx, db, m)
}

func (f *Facts) readTrips(ctx context.Context, db *pgxpool.Pool, ids []string) error {
	trips, err := pg.List[trip](ctx, db, `
		SELECT t.trip_id, t.route_id, coalesce(t.direction_id, '') AS direction_id, coalesce(t.shape_id, '') AS shape_id,
		       t.pattern, t.start_time + coalesce(p.arrivals[1], p.departures[1]) AS first_time,
		       CASE WHEN array_position(p.departures, NULL) IS NOT NULL THEN ARRAY(
		         SELECT (i - 1)::integer FROM generate_subscripts(p.departures, 1) i
		         WHERE p.departures[i] IS NULL AND (p.arrivals IS NULL OR p.arrivals[i] IS NULL) ORDER BY i) END AS untimed
		FROM transit.trip t LEFT JOIN transit.profile p ON p.version_id = t.version_id AND p.profile = t.profile
		WHERE t.version_id = $1 AND t.trip_id = ANY($2)`, f.version, ids)
	if err != nil {
		return fmt.Errorf("read the trips of a message: %w", err)
	}
	var patterns []int32
	for i := range trips {
		t := &trips[i]
		f.trips[t.TripID] = t
		f.bytes += 120
		if t.Pattern != nil && f.patterns[*t.Pattern] == nil {
			f.patterns[*t.Pattern] = &pattern{}
			patterns = append(patterns, *t.Pattern)
		}
	}
	if err := f.readPatterns(ctx, db, patterns); err != nil {
		return err
	}
	for i := range trips {
		if trips[i].Pattern != nil {
			trips[i].calls = f.patterns[*trips[i].Pattern]
		}
	}
	headways, err := pg.List[headway](ctx, db, `
		SELECT trip_id, start_time, end_time, headway_secs, coalesce(exact_times, '0') = '1' AS exact
		FROM transit.frequency WHERE version_id = $1 AND trip_id = ANY($2)`, f.version, ids)
	if err != nil {
		return fmt.Errorf("read the headways of trips: %w", err)
	}
	for _, h := range headways {
		if t := f.trips[h.TripID]; t != nil {
			t.headways = append(t.headways, h)
		}
	}
	return nil
}

func (f *Facts) readPatterns(ctx context.Context, db *pgxpool.Pool, numbers []int32) error {
	if len(numbers) == 0 {
		return nil
	}
	rows, err := pg.List[struct {
		Pattern      int32
		StopSequence []int32
		StopID       []*string
	}](ctx, db, `SELECT pattern, stop_sequence, stop_id FROM transit.pattern WHERE version_id = $1 AND pattern = ANY($2)`,
		f.version, numbers)
	if err != nil {
		return fmt.Errorf("read the calls of trips: %w", err)
	}
	var ids []string
	for _, r := range rows {
		for _, id := range r.StopID {
			if id != nil {
				ids = append(ids, *id)
			}
		}
	}
	if err := f.loadStops(ctx, db, ids); err != nil {
		return err
	}
	for _, r := range rows {
		p := f.patterns[r.Pattern]
		p.sequences, p.stops = r.StopSequence, make([]*stop, len(r.StopID))
		f.bytes += 12*len(r.StopID) + 100
		seen := map[*stop]bool{}
		for i, id := range r.StopID {
			if id != nil {
				p.stops[i] = f.stops[*id]
				p.twice = p.twice || seen[p.stops[i]]
				seen[p.stops[i]] = true
			}
		}
	}
	return nil
}

// maxUnknownStops bounds the stops that are read although no trip in memory calls there.
const maxUnknownStops = 20_000

func (f *Facts) loadCalls(ctx context.Context, db *pgxpool.Pool, calls *Calls) error {
	unknown := map[string]bool{}
	for i := range calls.all {
		id := calls.stopID(&calls.all[i])
		if f.stops[string(id)] == nil && len(id) > 0 && len(unknown) < maxUnknownStops {
			unknown[string(id)] = true
		}
	}
	return f.loadStops(ctx, db, slices.Sorted(maps.Keys(unknown)))
}

func (f *Facts) loadStops(ctx context.Context, db *pgxpool.Pool, ids []string) error {
	var unknown []string
	for _, id := range ids {
		if f.stops[id] == nil {
			f.stops[id] = &stop{ID: id}
			unknown = append(unknown, plain(id))
			f.bytes += 120 + len(id)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	rows, err := pg.List[stop](ctx, db, `
		SELECT id, s.stop_id IS NOT NULL AS found, coalesce(s.location_type, '0') = '0' AS platform,
		       EXISTS (SELECT FROM transit.stop c WHERE c.version_id = $1 AND c.stop_code = id) AS code
		FROM unnest($2::text[]) id LEFT JOIN transit.stop s ON s.version_id = $1 AND s.stop_id = id`, f.version, unknown)
	if err != nil {
		return fmt.Errorf("read the stops of a message: %w", err)
	}
	for _, s := range rows {
		if known := f.stops[s.ID]; known != nil {
			*known = s
		}
	}
	return nil
}

func (f *Facts) loadShapes(ctx context.Context, db *pgxpool.Pool, m *gtfsrt.Message) error {
	var ids []string
	for i := range m.Vehicles {
		t := f.trips[string(m.Vehicles[i].TripID)]
		if t == nil || t.ShapeID == "" || t.shape != nil {
			continue
		}
		if f.shapes[t.ShapeID] == nil {
			f.shapes[t.ShapeID] = &line{}
			ids = append(ids, t.ShapeID)
		}
		t.shape = f.shapes[t.ShapeID]
	}
	if len(m.Vehicles) > 0 && f.area == nil {
		if err := f.readArea(ctx, db); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := pg.List[struct{ ShapeID, ShapePtLat, ShapePtLon string }](ctx, db, `
		SELECT shape_id, shape_pt_lat, shape_pt_lon FROM transit.shape WHERE version_id = $1 AND shape_id = ANY($2)`,
		f.version, ids)
	if err != nil {
		return fmt.Errorf("read the shapes of trips: %w", err)
	}
	for _, r := range rows {
		lats, lons := strings.Split(r.ShapePtLat, ","), strings.Split(r.ShapePtLon, ",")
		points := make([]point, 0, len(lats))
		for i := range lats {
			lat, err1 := strconv.ParseFloat(lats[i], 32)
			lon, err2 := strconv.ParseFloat(lons[i], 32)
			if err1 == nil && err2 == nil {
				points = append(points, point{float32(lat), float32(lon)})
			}
		}
		*f.shapes[r.ShapeID] = newLine(points)
		f.bytes += 10*len(points) + 100
	}
	return nil
}

// readArea reads the bounding box of all shapes and stops.
func (f *Facts) readArea(ctx context.Context, db *pgxpool.Pool) error {
	boxes, err := pg.List[box](ctx, db, `
		SELECT coalesce(least(a.south, s.south), 1) AS south, coalesce(greatest(a.north, s.north), 0) AS north,
		       coalesce(least(o.west, s.west), 1) AS west, coalesce(greatest(o.east, s.east), 0) AS east
		FROM (SELECT min(y::float8) AS south, max(y::float8) AS north
		      FROM transit.shape, unnest(string_to_array(shape_pt_lat, ',')) y WHERE version_id = $1) a,
		     (SELECT min(x::float8) AS west, max(x::float8) AS east
		      FROM transit.shape, unnest(string_to_array(shape_pt_lon, ',')) x WHERE version_id = $1) o,
		     (SELECT min(lat) AS south, max(lat) AS north, min(lon) AS west, max(lon) AS east
		      FROM transit.stop WHERE version_id = $1) s`, f.version)
	if err != nil {
		return fmt.Errorf("read the area of version %d: %w", f.version, err)
	}
	f.area = &boxes[0]
	return nil
}

// plain replaces bytes that the database does not accept. Ids of feeds never contain them.
func plain[T string | []byte](id T) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(id), "\uFFFD"), "\x00", "\uFFFD")
}
