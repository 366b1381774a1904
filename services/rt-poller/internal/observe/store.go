package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/performance"
	"github.com/townline/townline/pkg/pg"
)

// lease is how long a poller writes without renewing its lease.
const lease = 30 * time.Second

// errLost is the error of a poller that does not hold the lease.
var errLost = errors.New("another poller writes what is observed")

// A store has the tables of one feed.
type store struct {
	db     *pgxpool.Pool
	alias  string
	holder string         // random, new for each process
	days   map[int32]bool // days with a partition
}

// hold acquires or renews the lease. A lease in the future was written while a clock was wrong.
func (s *store) hold(ctx context.Context, db pg.Querier) error {
	rows, err := pg.Column[bool](ctx, db, `
		INSERT INTO transit.observer AS o (alias, holder) VALUES ($1, $2)
		ON CONFLICT (alias) DO UPDATE SET holder = excluded.holder, renewed_at = now()
		WHERE o.holder = excluded.holder OR o.renewed_at NOT BETWEEN now() - $3::interval AND now() + $3::interval
		RETURNING true`, s.alias, s.holder, lease)
	if err != nil {
		return fmt.Errorf("hold the observer of %s: %w", s.alias, err)
	}
	if len(rows) == 0 {
		return errLost
	}
	return nil
}

// release lets another poller continue at once.
func (s *store) release(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `UPDATE transit.observer SET renewed_at = '-infinity' WHERE alias = $1 AND holder = $2`,
		s.alias, s.holder)
	if err != nil {
		return fmt.Errorf("release the observer of %s: %w", s.alias, err)
	}
	return nil
}

// partition makes sure that rows of a day can be stored.
func (s *store) partition(ctx context.Context, day int32) error {
	if s.days[day] {
		return nil
	}
	if _, err := s.db.Exec(ctx, `SELECT transit.add_visit_day($1)`, Date(day)); err != nil {
		return fmt.Errorf("create the table of a day: %w", err)
	}
	s.days[day] = true
	return nil
}

// A change is what one transaction stores.
type change struct {
	rows     []Row // to write; Unseen ones are deleted unless settled
	settled  bool  // rows that exist stay
	day      int32 // of settled rows
	until    int32 // trips of the day that end until then are settled
	gaps     []Gap
	last     map[string]int64 // time of the last message of each source
	clock    int64
	messages int64
	vehicles int
	placed   int
}

// write stores a change if this process holds the lease.
func (s *store) write(ctx context.Context, c *change) error {
	days := map[int32]bool{}
	for i := range c.rows {
		days[c.rows[i].Day] = true
	}
	for day := range days {
		if err := s.partition(ctx, day); err != nil {
			return err
		}
	}
	return pg.Tx(ctx, s.db, func(tx pgx.Tx) error {
		visits := 0
		var kept, gone []Row
		for i := range c.rows {
			switch row := &c.rows[i]; {
			case row.Seen == Unseen && !c.settled:
				gone = append(gone, *row)
			default:
				kept = append(kept, *row)
				if row.Seen.IsVisit() {
					visits++
				}
			}
		}
		if err := s.advance(ctx, tx, c, visits); err != nil {
			return err
		}
		if err := s.count(ctx, tx, kept); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		s.queueRows(batch, kept, gone, c.settled)
		for day := range days {
			batch.Queue(`
				INSERT INTO transit.observed_day (alias, service_date) VALUES ($1, $2)
				ON CONFLICT (alias, service_date) DO UPDATE SET written_at = now()
				WHERE observed_day.added_up_at >= observed_day.written_at`, s.alias, Date(day))
		}
		if c.settled {
			batch.Queue(`
				UPDATE transit.observed_day SET settled_to = greatest(settled_to, $3)
				WHERE alias = $1 AND service_date = $2`, s.alias, Date(c.day), c.until)
		}
		for _, g := range c.gaps {
			batch.Queue(`
				INSERT INTO transit.observation_gap (alias, source, from_at, to_at, reason)
				VALUES ($1, $2, CASE WHEN $3 = 0 THEN '-infinity' ELSE to_timestamp($3) END, to_timestamp($4), $5)
				ON CONFLICT DO NOTHING`, s.alias, g.Source, float64(g.From), float64(g.To), g.Reason)
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}

// advance renews the lease and notes how far the observer is.
func (s *store) advance(ctx context.Context, tx pgx.Tx, c *change, visits int) error {
	if c.clock == 0 {
		return s.hold(ctx, tx)
	}
	rows, err := tx.Exec(ctx, `
		UPDATE transit.observer
		SET renewed_at = now(), sources = $3,
		  received_at = CASE WHEN message_at IS DISTINCT FROM to_timestamp($4) THEN now() ELSE received_at END,
		  message_at = to_timestamp($4), messages = messages + $5, visits = visits + $6,
		  visit_at = CASE WHEN $6 > 0 THEN now() ELSE visit_at END, vehicles = $7, placed = $8
		WHERE alias = $1 AND holder = $2`, s.alias, s.holder, c.last, float64(c.clock), c.messages, visits, c.vehicles,
		c.placed)
	if err == nil && rows.RowsAffected() == 0 {
		err = errLost
	}
	if err != nil {
		return fmt.Errorf("advance the observer of %s: %w", s.alias, err)
	}
	return nil
}

// count adds the predictions of stops that are not counted yet.
func (s *store) count(ctx context.Context, tx pgx.Tx, rows []Row) error {
	var k keys
	for i := range rows {
		if rows[i].Tally != nil {
			k.add(&rows[i])
		}
	}
	if len(k.trips) == 0 {
		return nil
	}
	counted, err := pg.List[struct {
		TripID       string
		ServiceDate  time.Time
		StartTime    int32
		StopSequence int32
	}](ctx, tx, `SELECT k.*
		FROM unnest($2::text[], $3::date[], $4::integer[], $5::integer[]) AS k (trip_id, service_date, start_time,
			stop_sequence)
		CROSS JOIN LATERAL (
		  SELECT v.counted FROM transit.stop_visit v
		  WHERE v.alias = $1 AND v.trip_id = k.trip_id AND v.service_date = k.service_date AND v.start_time = k.start_time
		    AND v.stop_sequence = k.stop_sequence
		  LIMIT 1) v -- so that each row is found by its whole key; a join reads all rows of the feed
		WHERE v.counted`, s.alias, k.trips, k.days, k.starts, k.sequences)
	if err != nil {
		return fmt.Errorf("read which predictions are counted: %w", err)
	}
	type stop struct {
		Key
		sequence int32
	}
	done := map[stop]bool{}
	for _, c := range counted {
		done[stop{Key{Trip: c.TripID, Day: DayOf(c.ServiceDate), Start: readStart(c.StartTime)}, c.StopSequence}] = true
	}
	sums := map[lineDay]*Tally{}
	for i := range rows {
		row := &rows[i]
		if row.Tally == nil || done[stop{row.Key, row.Sequence}] {
			continue
		}
		at := lineDay{row.Day, row.Route}
		if sums[at] == nil {
			sums[at] = &Tally{}
		}
		sums[at].Merge(row.Tally)
	}
	return s.addTallies(ctx, tx, sums)
}

// A lineDay is a route on a day.
type lineDay struct {
	day   int32
	route string
}

// addTallies adds counts to those that are stored.
func (s *store) addTallies(ctx context.Context, tx pgx.Tx, sums map[lineDay]*Tally) error {
	var days []time.Time
	var routes []string
	for at := range sums {
		days, routes = append(days, Date(at.day)), append(routes, at.route)
	}
	stored, err := pg.List[struct {
		ServiceDate time.Time
		RouteID     string
		Accuracy    []int64
	}](ctx, tx, `SELECT service_date, route_id, accuracy FROM transit.performance_day
		JOIN unnest($2::date[], $3::text[]) AS k (service_date, route_id) USING (service_date, route_id)
		WHERE alias = $1 AND stop_id = '' AND hour = -1`, s.alias, days, routes)
	if err != nil {
		return fmt.Errorf("read the accuracy of predictions: %w", err)
	}
	for _, row := range stored {
		before, err := performance.ReadAccuracy(row.Accuracy)
		if err != nil {
			return err
		}
		sums[lineDay{DayOf(row.ServiceDate), row.RouteID}].Merge(&before)
	}
	all := make([]string, len(days))
	for i, day := range days {
		all[i] = sums[lineDay{DayOf(day), routes[i]}].Literal()
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO transit.performance_day (alias, service_date, route_id, stop_id, hour, accuracy)
		SELECT $1, service_date, route_id, '', -1, accuracy::bigint[]
		FROM unnest($2::date[], $3::text[], $4::text[]) AS k (service_date, route_id, accuracy)
		ON CONFLICT (alias, service_date, route_id, stop_id, hour) DO UPDATE SET accuracy = excluded.accuracy`,
		s.alias, days, routes, all)
	if err != nil {
		return fmt.Errorf("store the accuracy of predictions: %w", err)
	}
	return nil
}

// keys are columns of keys.
type keys struct {
	trips             []string
	days              []time.Time
	starts, sequences []int32
}

func (k *keys) add(row *Row) {
	k.trips, k.days = append(k.trips, row.Trip), append(k.days, Date(row.Day))
	k.starts, k.sequences = append(k.starts, storedStart(row.Start)), append(k.sequences, row.Sequence)
}

func storedStart(start int32) int32 {
	if start == None {
		return -1
	}
	return start
}

func readStart(start int32) int32 {
	if start < 0 {
		return None
	}
	return start
}

// queueRows queues the rows of a change. A visit that a vehicle made is never replaced by less.
func (s *store) queueRows(batch *pgx.Batch, kept, gone []Row, settled bool) {
	for i := range gone {
		row := &gone[i]
		batch.Queue(`
			DELETE FROM transit.stop_visit
			WHERE alias = $1 AND trip_id = $2 AND service_date = $3 AND start_time = $4 AND stop_sequence = $5
			  AND seen NOT IN ('s', 'p')`, s.alias, row.Trip, Date(row.Day), storedStart(row.Start), row.Sequence)
	}
	if len(kept) == 0 {
		return
	}
	var k keys
	n := len(kept)
	stops := make([]string, n)
	routes := make([]string, n)
	directions := make([]string, n)
	vehicles := make([]string, n)
	arrives := make([]*int32, n)
	departs := make([]*int32, n)
	arrived := make([]*int32, n)
	left := make([]*int32, n)
	arrivedWithin, leftWithin := make([]*int16, n), make([]*int16, n)
	codes := make([]string, n) // seen, kind and place
	timepoints, counted := make([]bool, n), make([]bool, n)
	for i := range kept {
		row := &kept[i]
		k.add(row)
		stops[i], routes[i] = row.Stop, row.Route
		directions[i], vehicles[i] = row.Direction, row.Vehicle
		arrives[i], departs[i] = row.Arrives, row.Departs
		arrived[i], left[i] = row.Arrived, row.Left
		arrivedWithin[i], leftWithin[i] = row.ArrivedWithin, row.LeftWithin
		codes[i] = string([]byte{byte(row.Seen), byte(row.Kind), byte(row.Place)})
		timepoints[i], counted[i] = row.Timepoint, row.Counted
	}
	conflict := `DO UPDATE SET arrival = excluded.arrival, departure = excluded.departure,
		  arrival_within = excluded.arrival_within, departure_within = excluded.departure_within, seen = excluded.seen,
		  kind = excluded.kind, counted = v.counted OR excluded.counted, vehicle_id = excluded.vehicle_id
		WHERE v.seen NOT IN ('s', 'p') OR excluded.seen IN ('s', 'p')`
	if settled {
		conflict = `DO NOTHING`
	}
	batch.Queue(`
		INSERT INTO transit.stop_visit AS v (alias, trip_id, service_date, start_time, stop_sequence, stop_id, route_id,
		  direction_id, vehicle_id, scheduled_arrival, scheduled_departure, arrival, departure, arrival_within,
		  departure_within, seen, kind, place, timepoint, counted)
		SELECT $1, trip_id, service_date, start_time, stop_sequence, stop_id, route_id, direction_id, vehicle_id, arrives,
		       departs, arrived, gone, arrived_within, gone_within, substr(codes, 1, 1)::"char", substr(codes, 2, 1)::"char",
		       substr(codes, 3, 1)::"char", timepoint, counted
		FROM unnest($2::text[], $3::date[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::text[],
		            $10::integer[], $11::integer[], $12::integer[], $13::integer[], $14::smallint[], $15::smallint[],
		            $16::text[], $17::boolean[], $18::boolean[])
		     AS r (trip_id, service_date, start_time, stop_sequence, stop_id, route_id, direction_id, vehicle_id, arrives,
		           departs, arrived, gone, arrived_within, gone_within, codes, timepoint, counted)
		ON CONFLICT (alias, trip_id, service_date, start_time, stop_sequence) `+conflict, s.alias, k.trips, k.days, k.starts,
		k.sequences, stops, routes, directions, vehicles, arrives, departs, arrived, left, arrivedWithin, leftWithin, codes,
		timepoints, counted)
}

// A rowOf is a row of stop_visit.
type rowOf struct {
	TripID                         string
	ServiceDate                    time.Time
	StartTime, StopSequence        int32
	StopID, RouteID, DirectionID   string
	VehicleID, Seen, Kind, Place   string
	ScheduledArrival               *int32
	ScheduledDeparture             *int32
	Arrival, Departure             *int32
	ArrivalWithin, DepartureWithin *int16
	Timepoint, Counted             bool
}

const rowColumns = `trip_id, service_date, start_time, stop_sequence, stop_id, route_id, direction_id, vehicle_id,
	seen::text AS seen, kind::text AS kind, place::text AS place, scheduled_arrival, scheduled_departure, arrival,
	departure, arrival_within, departure_within, timepoint, counted`

func (r *rowOf) row() Row {
	return Row{Key: Key{Trip: r.TripID, Day: DayOf(r.ServiceDate), Start: readStart(r.StartTime)},
		Sequence: r.StopSequence, Stop: r.StopID, Route: r.RouteID,
		Direction: r.DirectionID, Place: Place(r.Place[0]), Kind: Kind(r.Kind[0]),
		Seen: Seen(r.Seen[0]), Timepoint: r.Timepoint, Arrives: r.ScheduledArrival, Departs: r.ScheduledDeparture,
		Arrived: r.Arrival, Left: r.Departure, ArrivedWithin: r.ArrivalWithin, LeftWithin: r.DepartureWithin,
		Vehicle: r.VehicleID, Counted: r.Counted}
}

// recent returns the rows of runs with a visit or a change after a second of a day.
func (s *store) recent(ctx context.Context, day, after int32) ([]Row, error) {
	all, err := pg.List[rowOf](ctx, s.db, `
		SELECT `+rowColumns+` FROM transit.stop_visit
		WHERE alias = $1 AND service_date = $2 AND (trip_id, start_time) IN (
		  SELECT trip_id, start_time FROM transit.stop_visit
		  WHERE alias = $1 AND service_date = $2 AND (seen = 'c' OR greatest(arrival, departure) >= $3))`, s.alias, Date(day),
		after)
	if err != nil {
		return nil, fmt.Errorf("read the visits of %s: %w", s.alias, err)
	}
	rows := make([]Row, len(all))
	for i := range all {
		rows[i] = all[i].row()
	}
	return rows, nil
}

// gaps returns the gaps that end after a time.
func (s *store) gaps(ctx context.Context, after int64) ([]Gap, error) {
	all, err := pg.List[struct {
		Source, Reason string
		From, To       int64
	}](ctx, s.db, `
		SELECT source, reason, CASE WHEN isfinite(from_at) THEN extract(epoch FROM from_at)::bigint ELSE 0 END AS from,
		       extract(epoch FROM to_at)::bigint AS to
		FROM transit.observation_gap WHERE alias = $1 AND to_at > to_timestamp($2) ORDER BY to_at`, s.alias, float64(after))
	if err != nil {
		return nil, fmt.Errorf("read the gaps of %s: %w", s.alias, err)
	}
	gaps := make([]Gap, len(all))
	for i, g := range all {
		gaps[i] = Gap{Source: g.Source, From: g.From, To: g.To, Reason: g.Reason}
	}
	return gaps, nil
}

// A stand is how far the observer of a feed is.
type stand struct {
	Sources map[string]int64
	Since   float64 // seconds since the last message was received; 0 if there was none
}

func (s *store) stand(ctx context.Context) (stand, error) {
	all, err := pg.List[stand](ctx, s.db, `
		SELECT sources, coalesce(extract(epoch FROM now() - received_at), 0)::float8 AS since
		FROM transit.observer WHERE alias = $1`, s.alias)
	if err != nil {
		return stand{}, fmt.Errorf("read the observer of %s: %w", s.alias, err)
	}
	if len(all) == 0 {
		return stand{}, nil
	}
	return all[0], nil
}

// settledTo returns the second of a day until which trips are settled; ok is false if nothing was
// observed of the day.
func (s *store) settledTo(ctx context.Context, day int32) (until int32, ok bool, err error) {
	all, err := pg.Column[int32](ctx, s.db, `
		SELECT settled_to FROM transit.observed_day WHERE alias = $1 AND service_date = $2`, s.alias, Date(day))
	if err != nil {
		return 0, false, fmt.Errorf("read a day of %s: %w", s.alias, err)
	}
	if len(all) == 0 {
		return 0, false, nil
	}
	return all[0], true, nil
}
