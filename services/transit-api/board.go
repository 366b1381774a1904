package transitapi

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
)

// This file reads what the timetable has to say about a stop in the next hours.

// A boardTrip is a trip that calls at a stop.
type boardTrip struct {
	Day          int // of service; 0 where the trip was looked up by its id, whose frequencies are read apart
	TripID       string
	RouteID      string
	ServiceID    string
	TripHeadsign *string
	Pattern      int32
	Profile      int32
	StartTime    int32
	FirstStart   *int32 // first departure of a row of frequencies.txt; null for a trip that runs once
	EndTime      *int32
	HeadwaySecs  *int32
}

// A boardRun is how trips run: where they call, and when, counted from their start.
type boardRun struct {
	Pattern      int32
	Profile      int32
	StopSequence []int32
	StopID       []*string
	StopHeadsign cells
	Departures   []pgtype.Int4
	Arrivals     []pgtype.Int4 // nil: the same as the departures
	Dist         []*string     // where a call has no time

	arrivals []int32 // of each call, with the missing ones filled in
}

// boardArgs asks for trips by stop: services and days run in step, and with them the part of each day that matters.
type boardArgs struct {
	VersionID  versionID
	StopIDs    []string `arg:"stop_ids"`
	ServiceIDs []string `arg:"service_ids"`
	Days       []int32
	Lows       []int32
	Highs      []int32
	Longest    int32 // no trip takes longer
}

const boardPatterns = `
	FROM (SELECT DISTINCT u.pattern, u.position
	      FROM transit.stop_index x CROSS JOIN LATERAL unnest(x.patterns, x.positions) AS u (pattern, position)
	      WHERE x.version_id = @version_id AND x.stop_id = ANY (@stop_ids::text[])) AS u
	JOIN transit.trip t ON t.version_id = @version_id AND t.pattern = u.pattern
	JOIN unnest(@service_ids::text[], @days::integer[], @lows::integer[], @highs::integer[]) AS s (service_id, day, low, high) ON s.service_id = t.service_id`

// Trips that call within the hours asked for. Where the call itself has no time, any trip that is under way then will do.
var boardTrips = rest.SQL[boardArgs, boardTrip](`
	SELECT DISTINCT s.day, t.trip_id, t.route_id, t.service_id, t.trip_headsign, t.pattern, t.profile, t.start_time,
	       NULL::integer AS first_start, NULL::integer AS end_time, NULL::integer AS headway_secs` + boardPatterns + `
	 AND t.start_time BETWEEN s.low - @longest AND s.high
	JOIN transit.profile pr ON pr.version_id = @version_id AND pr.profile = t.profile
	WHERE coalesce(t.start_time + coalesce(pr.departures[u.position], pr.arrivals[u.position]) BETWEEN s.low AND s.high, true)
	  AND NOT EXISTS (SELECT FROM transit.frequency q WHERE q.version_id = @version_id AND q.trip_id = t.trip_id)`)

var boardFrequencies = rest.SQL[boardArgs, boardTrip](`
	SELECT DISTINCT s.day, t.trip_id, t.route_id, t.service_id, t.trip_headsign, t.pattern, t.profile, t.start_time,
	       q.start_time AS first_start, q.end_time, q.headway_secs` + boardPatterns + `
	JOIN transit.frequency q ON q.version_id = @version_id AND q.trip_id = t.trip_id
	WHERE t.profile IS NOT NULL AND t.start_time IS NOT NULL AND q.start_time <= s.high AND q.end_time + @longest >= s.low`)

var boardTripsByID = rest.SQL[tripList, boardTrip](`
	SELECT 0 AS day, t.trip_id, t.route_id, t.service_id, t.trip_headsign, t.pattern, t.profile, t.start_time,
	       NULL::integer AS first_start, NULL::integer AS end_time, NULL::integer AS headway_secs
	FROM transit.trip t
	WHERE t.version_id = @version_id AND t.trip_id = ANY (@trip_ids::text[])
	  AND t.pattern IS NOT NULL AND t.profile IS NOT NULL AND t.start_time IS NOT NULL`)

type boardRunArgs struct {
	VersionID versionID
	Patterns  []int32 // in step with Profiles
	Profiles  []int32
}

var boardRuns = rest.SQL[boardRunArgs, boardRun](`
	SELECT u.pattern, u.profile, p.stop_sequence, p.stop_id, p.stop_headsign, pr.departures, pr.arrivals,
	       CASE WHEN array_position(pr.departures, NULL) IS NOT NULL THEN p.shape_dist_traveled END AS dist
	FROM unnest(@patterns::integer[], @profiles::integer[]) AS u (pattern, profile)
	JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = u.pattern
	JOIN transit.profile pr ON pr.version_id = @version_id AND pr.profile = u.profile`)

// boardQueries are what a departure board takes.
func boardQueries() []rest.Statement {
	return append(timetableQueries(), boardTrips, boardFrequencies, boardTripsByID, boardRuns, windows)
}

// runsOf reads how trips run, each way of running once.
func runsOf(ctx context.Context, db rest.DB, version versionID, trips []boardTrip) (map[[2]int32]*boardRun, error) {
	args, byKey := boardRunArgs{VersionID: version}, map[[2]int32]*boardRun{}
	for i := range trips {
		key := trips[i].run()
		if _, met := byKey[key]; !met {
			byKey[key] = nil
			args.Patterns, args.Profiles = append(args.Patterns, key[0]), append(args.Profiles, key[1])
		}
	}
	if len(byKey) == 0 {
		return byKey, nil
	}
	rows, err := boardRuns.List(ctx, db, args)
	for i := range rows {
		r := &rows[i]
		c := course{Departures: r.Departures, Arrivals: r.Arrivals, Dist: r.Dist}
		c.fill()
		r.arrivals = c.arrival
		byKey[[2]int32{r.Pattern, r.Profile}] = r
	}
	return byKey, err
}

func (t *boardTrip) run() [2]int32 { return [2]int32{t.Pattern, t.Profile} }

// boardDays are the services that run on the days of which a part lies between two instants, in step with the day and
// the part, and the days themselves by their number.
func (t *timetable) boardDays(from, to time.Time, zone *time.Location) (boardArgs, map[int]serviceDay) {
	var args boardArgs
	days := map[int]serviceDay{}
	last := dayNumber(to, zone) + 1 // noon less twelve hours may be before midnight
	for day := dayNumber(from, zone) - t.longest/86400 - 1; day <= last; day++ {
		d := dayOf(day, zone)
		low, high := from.Unix()-d.start, to.Unix()-d.start
		if high < 0 || low > int64(t.longest) {
			continue
		}
		days[day] = d
		for id, c := range t.services {
			if c.runs(day) {
				args.ServiceIDs = append(args.ServiceIDs, id)
				args.Days = append(args.Days, int32(day))
				args.Lows = append(args.Lows, int32(low))
				args.Highs = append(args.Highs, int32(high))
			}
		}
	}
	args.Longest = int32(t.longest)
	return args, days
}

// nearest is the departure of a trip that runs by frequency which is nearest to a time: a vehicle that keeps a headway
// need not leave at the second that the headway says.
func nearest(at int32, of []window) int32 {
	best := at
	for i, w := range of {
		n := (w.End - w.Start - 1) / w.Headway
		k := min(max((at-w.Start+w.Headway/2)/w.Headway, 0), n)
		if start := w.Start + k*w.Headway; i == 0 || abs(int64(start-at)) < abs(int64(best-at)) {
			best = start
		}
	}
	return best
}

// starts are the first departures of a trip on its day: one, or those of its frequency that matter between two instants.
func (t *boardTrip) starts(day serviceDay, from, to int64, run *boardRun) []int32 {
	if t.FirstStart == nil {
		return []int32{t.StartTime}
	}
	length := int64(slices.Max(run.arrivals)) + int64(*t.HeadwaySecs)
	var out []int32
	first := int64(*t.FirstStart)
	if skip := from - length - day.start - first; skip > 0 {
		first += skip / int64(*t.HeadwaySecs) * int64(*t.HeadwaySecs)
	}
	for at := first; at < int64(*t.EndTime) && day.start+at <= to && len(out) < maxColumns; at += int64(*t.HeadwaySecs) {
		out = append(out, int32(at))
	}
	return out
}
