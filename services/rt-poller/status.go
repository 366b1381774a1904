package rtpoller

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfsrt"
)

// A Status is the state of a source, for operators.
type Status struct {
	Alias       string        `json:"alias" db:"alias"`
	Source      string        `json:"source" db:"source"`
	StaleAfter  time.Duration `json:"-" db:"stale_after"`
	PolledAt    *time.Time    `json:"polled_at" db:"polled_at"`   // the last attempt
	FetchedAt   *time.Time    `json:"fetched_at" db:"fetched_at"` // the last good answer: what readers see as last_fetched
	Age         *float64      `json:"age_seconds" db:"age"`       // since then
	NextPollAt  *time.Time    `json:"next_poll_at" db:"next_poll_at"`
	Polls       int64         `json:"polls" db:"polls"`
	Failures    int           `json:"failures" db:"failures"` // in a row
	FailedEver  int64         `json:"failed_ever" db:"failures_ever"`
	Error       *string       `json:"error" db:"error"` // of the last attempt; nil after a good one
	Header      int64         `json:"header_timestamp" db:"header_timestamp"`
	TripUpdates int           `json:"trip_updates" db:"trip_updates"`
	Vehicles    int           `json:"vehicles" db:"vehicles"`
	Alerts      int           `json:"alerts" db:"alerts"`
	Bytes       int           `json:"bytes" db:"bytes"`
	Snapshots   int           `json:"snapshots" db:"snapshots"` // kept

	// How many of the ids in the snapshot the static feed has; nil without a snapshot or a feed. Others are served too.
	Matches *Matches `json:"matches" db:"-"`

	Version *int32 `json:"-" db:"version_id"`
	Data    []byte `json:"-" db:"data"`
}

// Matches count the ids that a snapshot names, and those that the static feed has.
type Matches struct {
	Trips     Match `json:"trips"`             // of trip updates and vehicles
	Routes    Match `json:"routes"`            // likewise
	Stops     Match `json:"stops"`             // of stop time updates and vehicles, by stop_id
	StopCodes Match `json:"stop_codes"`        // the same, by stop_code
	Informed  Match `json:"informed_entities"` // of alerts; one counts when all that it names is there
}

// A Match counts found ids among all.
type Match struct {
	Found int `json:"found"`
	Of    int `json:"of"`
}

// Rate is the share that was found; nil of none.
func (m Match) Rate() *float64 {
	if m.Of == 0 {
		return nil
	}
	rate := math.Round(float64(m.Found)/float64(m.Of)*1e4) / 1e4
	return &rate
}

// MarshalJSON adds the rate.
func (m Match) MarshalJSON() ([]byte, error) {
	type counts Match
	return json.Marshal(struct {
		counts
		Rate *float64 `json:"rate"`
	}{counts(m), m.Rate()})
}

func (m *Match) count(found bool) {
	m.Of++
	if found {
		m.Found++
	}
}

// ListStatus returns the state of every source.
func ListStatus(ctx context.Context, db *pgxpool.Pool) ([]Status, error) {
	rows, err := db.Query(ctx, `
		SELECT s.alias, s.source, s.stale_after, s.polled_at, s.fetched_at, round(extract(epoch FROM now() - s.fetched_at), 3)::float8 AS age, nullif(s.next_poll_at, '-infinity') AS next_poll_at, s.polls, s.failures, s.failures_ever, s.error,
		       coalesce(n.header_timestamp, 0) AS header_timestamp, coalesce(n.trip_updates, 0) AS trip_updates, coalesce(n.vehicles, 0) AS vehicles,
		       coalesce(n.alerts, 0) AS alerts, coalesce(length(n.data), 0) AS bytes,
		       (SELECT count(*) FROM transit.snapshot h WHERE h.alias = s.alias AND h.source = s.source) AS snapshots,
		       f.version_id, n.data
		FROM transit.source s
		LEFT JOIN transit.snapshot n ON n.snapshot_id = s.snapshot_id
		LEFT JOIN transit.feed f ON f.alias = s.alias AND f.removed_at IS NULL
		ORDER BY s.alias, s.source`)
	if err != nil {
		return nil, fmt.Errorf("read realtime sources: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[Status])
	if err != nil {
		return nil, fmt.Errorf("read realtime sources: %w", err)
	}
	for i := range all {
		if err := all[i].match(ctx, db); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// match compares the snapshot with the static feed.
func (s *Status) match(ctx context.Context, db *pgxpool.Pool) error {
	if s.Version == nil || s.Data == nil {
		return nil
	}
	m, err := gtfsrt.Scan(s.Data)
	if err != nil {
		return fmt.Errorf("snapshot of %s %s: %w", s.Alias, s.Source, err)
	}
	known, err := knownIDs(ctx, db, *s.Version)
	if err != nil {
		return fmt.Errorf("compare %s %s with its feed: %w", s.Alias, s.Source, err)
	}
	got := &Matches{}
	trip := func(t gtfsrt.Trip) {
		if len(t.TripID) > 0 {
			got.Trips.count(known.trips[string(t.TripID)])
		}
		if len(t.RouteID) > 0 {
			got.Routes.count(known.routes[string(t.RouteID)])
		}
	}
	stop := func(id []byte) {
		if len(id) > 0 {
			got.Stops.count(known.stops[string(id)])
			got.StopCodes.count(known.codes[string(id)])
		}
	}
	for _, u := range m.TripUpdates {
		trip(u.Trip)
		for c := range u.Calls() {
			stop(c.StopID)
		}
	}
	for _, v := range m.Vehicles {
		trip(v.Trip)
		stop(v.At.StopID)
	}
	for _, a := range m.Alerts {
		for _, in := range a.Informed {
			got.Informed.count(known.all(in))
		}
	}
	s.Matches = got
	return nil
}

// known are the ids of a static feed.
type known struct{ agencies, routes, trips, stops, codes map[string]bool }

// all reports whether the feed has everything that a selector names.
func (k *known) all(in gtfsrt.Informed) bool {
	for _, named := range []struct {
		id []byte
		of map[string]bool
	}{{in.AgencyID, k.agencies}, {in.Route, k.routes}, {in.StopID, k.stops}, {in.TripID, k.trips}} {
		if len(named.id) > 0 && !named.of[string(named.id)] {
			return false
		}
	}
	return true
}

func knownIDs(ctx context.Context, db *pgxpool.Pool, version int32) (*known, error) {
	k := &known{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, part := range []struct {
		into map[string]bool
		sql  string
	}{
		{k.agencies, `SELECT agency_id FROM transit.agency WHERE version_id = $1`},
		{k.routes, `SELECT route_id FROM transit.route WHERE version_id = $1`},
		{k.trips, `SELECT trip_id FROM transit.trip WHERE version_id = $1`},
		{k.stops, `SELECT stop_id FROM transit.stop WHERE version_id = $1`},
		{k.codes, `SELECT stop_code FROM transit.stop WHERE version_id = $1 AND stop_code IS NOT NULL`},
	} {
		rows, err := db.Query(ctx, part.sql, version)
		if err != nil {
			return nil, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			part.into[id] = true
		}
	}
	return k, nil
}
