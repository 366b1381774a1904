package transitapi

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
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

// A boardRun is how trips run: where they call, and when, counted from their start. It never changes: all boards share it.
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
	VersionID  replica.Version
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
	VersionID replica.Version
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

// What one departure board may be made of. No real stop comes near it.
const (
	maxBoardTrips = 20_000  // that call within the hours asked for
	maxBoardCalls = 500_000 // of all the ways in which they run
	maxBoardLines = 5_000   // of the answer
	maxBoardStops = 10_000  // of a station
)

// errBusy is the answer where more calls at a stop than one board may be made of.
var errBusy = rest.BadRequest(rest.Fault{Path: "minutes", Message: "too much calls at this stop in that time: ask for fewer minutes, or for one platform"})

// bounded lists the rows of a query about a board, if they are not too many.
func bounded[A, R any](ctx context.Context, db rest.DB, q *rest.Query[A, R], args A, to []R) ([]R, error) {
	err := q.Each(ctx, db, args, func(row R) error {
		if to = append(to, row); len(to) > maxBoardTrips {
			return errBusy
		}
		return nil
	})
	return to, err
}

// maxKeptCalls is how many calls of runs are kept for a feed: those of all boards of a large agency at an hour.
const maxKeptCalls = 100_000

// A runCache keeps how trips run, for all boards of a feed version: what calls at one stop calls at many.
type runCache struct {
	mu    sync.Mutex
	byKey map[[2]int32]*boardRun
	calls int // of them
}

// kept are those of the runs that are kept, and the keys of the others.
func (k *runCache) kept(trips []boardTrip) (found map[[2]int32]*boardRun, missing boardRunArgs) {
	found = map[[2]int32]*boardRun{}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range trips {
		key := trips[i].run()
		if _, met := found[key]; met {
			continue
		}
		if found[key] = k.byKey[key]; found[key] == nil {
			missing.Patterns, missing.Profiles = append(missing.Patterns, key[0]), append(missing.Profiles, key[1])
		}
	}
	return found, missing
}

// keep keeps runs. When there are too many they all go: what is needed comes back.
func (k *runCache) keep(found []*boardRun) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range found {
		if k.calls += len(r.StopID); k.calls > maxKeptCalls || k.byKey == nil {
			k.byKey, k.calls = map[[2]int32]*boardRun{}, len(r.StopID)
		}
		k.byKey[[2]int32{r.Pattern, r.Profile}] = r
	}
}

// of is how trips run, each way of running once.
func (k *runCache) of(ctx context.Context, db rest.DB, version replica.Version, trips []boardTrip) (map[[2]int32]*boardRun, error) {
	found, missing := k.kept(trips)
	calls := 0
	for _, r := range found {
		if r != nil {
			calls += len(r.StopID)
		}
	}
	if calls > maxBoardCalls {
		return nil, errBusy
	}
	if len(missing.Patterns) == 0 {
		return found, nil
	}
	missing.VersionID = version
	var read []*boardRun
	err := boardRuns.Each(ctx, db, missing, func(r boardRun) error {
		if calls += len(r.StopID); calls > maxBoardCalls {
			return errBusy
		}
		c := course{Departures: r.Departures, Arrivals: r.Arrivals, Dist: r.Dist}
		c.fill()
		r.arrivals, r.Arrivals, r.Dist = c.arrival, nil, nil
		found[[2]int32{r.Pattern, r.Profile}] = &r
		read = append(read, &r)
		return nil
	})
	if err == nil {
		k.keep(read)
	}
	return found, err
}

func (t *boardTrip) run() [2]int32 { return [2]int32{t.Pattern, t.Profile} }

// boardDays are the services that run on the days of which a part lies between two instants, in step with the day and
// the part, and the days themselves by their number.
func (t *timetable) boardDays(ctx context.Context, from, to time.Time, zone *time.Location) (boardArgs, map[int]serviceDay, error) {
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
		if err := ctx.Err(); err != nil {
			return args, nil, err
		}
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
	return args, days, nil
}

// nearest is the departure of a trip that runs by frequency which is nearest to a time: a vehicle that keeps a headway
// need not leave at the second that the headway says.
func nearest(at int32, of []window) int32 {
	best := int64(at)
	for i, w := range of {
		first, every := int64(w.Start), w.every()
		n := (int64(w.End) - first - 1) / every
		k := min(max((int64(at)-first+every/2)/every, 0), n)
		if start := first + k*every; i == 0 || abs(start-int64(at)) < abs(best-int64(at)) {
			best = start
		}
	}
	return int32(best)
}

// starts are the first departures of a trip on its day, in their order: one, or those of its frequency that matter between two instants.
func (t *boardTrip) starts(day serviceDay, from, to int64, run *boardRun) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if t.FirstStart == nil {
			yield(t.StartTime)
			return
		}
		w := window{Start: *t.FirstStart, End: *t.EndTime, Headway: *t.HeadwaySecs}
		at := int64(w.Start)
		if skip := from - run.length() - w.every() - day.start - at; skip > 0 {
			at += skip / w.every() * w.every()
		}
		for ; at < int64(w.End) && day.start+at <= to && yield(int32(at)); at += w.every() {
		}
	}
}

// length is how long a trip runs, in seconds.
func (r *boardRun) length() int64 {
	longest := int64(0)
	for i, at := range r.arrivals {
		longest = max(longest, int64(at), int64(r.Departures[i].Int32))
	}
	return longest
}
