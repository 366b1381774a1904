package observe

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/performance"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

func execSQL(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err, sql)
	}
}

// imported stores a version with the given trips, and returns the database.
func imported(t testing.TB, all ...*Trip) *pgxpool.Pool {
	t.Helper()
	pool := pgtest.New(t)
	execSQL(t, pool, `INSERT INTO transit.feed (alias, name) VALUES ('metro', 'Metro')`)
	execSQL(t, pool, `INSERT INTO transit.feed_version (feed_id, state, sha256, bytes, source, time_zone)
		VALUES (1, 'live', '', 0, '', 'UTC')`)
	execSQL(t, pool, `UPDATE transit.feed SET version_id = 1`)
	for _, table := range []string{"trip", "pattern", "profile", "stop", "service", "service_date", "frequency"} {
		execSQL(t, pool, fmt.Sprintf("CREATE TABLE transit.%s_1 PARTITION OF transit.%[1]s FOR VALUES IN (1)", table))
	}
	execSQL(t, pool,
		`INSERT INTO transit.service (version_id, ord, service_id, monday, tuesday, wednesday, thursday, friday,
		saturday, sunday, start_date, end_date, in_calendar) VALUES (1, 0, 'daily', '1', '1', '1', '1', '1', '1', '1',
		'2020-01-01', '2030-01-01', true)`)
	for i, trip := range all {
		execSQL(t, pool, `INSERT INTO transit.pattern (version_id, pattern, trip_count, stop_sequence, stop_id, digest)
			VALUES (1, $1, 1, $2, $3, '')`, i, trip.Sequences, trip.Stops)
		execSQL(t, pool, `INSERT INTO transit.profile (version_id, profile, departures, digest) VALUES (1, $1, $2, '')`, i,
			trip.Departures)
		execSQL(t, pool, `INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id,
			service_id, direction_id) VALUES (1, $1, $1, $1, $2, $3, $4, 'daily', $5)`, i, trip.Start, trip.ID, trip.Route,
			trip.Direction)
	}
	execSQL(t, pool, `INSERT INTO transit.source (alias, source, kind, stale_after, min_interval)
		VALUES ('metro', 'mixed/0', 'mixed', '30s', '10s')`)
	return pool
}

// publish stores a message as the poller does, and keeps four.
func publish(t testing.TB, pool *pgxpool.Pool, s said) {
	t.Helper()
	publishData(t, pool, clock(t, s.at), encode(t, s))
}

func publishData(t testing.TB, pool *pgxpool.Pool, at int64, data []byte) {
	t.Helper()
	execSQL(t, pool, `
		WITH stored AS (
		  INSERT INTO transit.snapshot (alias, source, fetched_at, header_timestamp, trip_updates, vehicles, alerts, sha256,
		    data)
		  VALUES ('metro', 'mixed/0', now(), $1, 0, 0, 0, '', $2) RETURNING snapshot_id)
		UPDATE transit.source SET snapshot_id = (SELECT snapshot_id FROM stored)`, at, data)
	execSQL(t, pool,
		`DELETE FROM transit.snapshot WHERE snapshot_id <= (SELECT max(snapshot_id) - 4 FROM transit.snapshot)`)
}

func watching(pool *pgxpool.Pool) *Watch {
	return NewWatch(pool, slog.New(slog.DiscardHandler), "metro", []Source{{"mixed/0", conf.Mixed}},
		Keep{Visits: 400 * 24 * time.Hour, Figures: 1096 * 24 * time.Hour})
}

func step(t testing.TB, w *Watch) {
	t.Helper()
	w.renewed = time.Time{}
	if err := w.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.holding {
		if err := w.write(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// stored returns the visits in the database, in the words of visits.
func stored(t testing.TB, pool *pgxpool.Pool) []string {
	t.Helper()
	all, err := pg.List[rowOf](t.Context(), pool,
		`SELECT `+rowColumns+` FROM transit.stop_visit ORDER BY trip_id, stop_sequence`)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range all {
		r := all[i].row()
		word := fmt.Sprintf("%s %d %c", r.Trip, r.Sequence, r.Seen)
		if r.Seen.IsVisit() {
			word = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", word, times(r.Arrived, r.ArrivedWithin),
				times(r.Left, r.LeftWithin), r.Vehicle))
		}
		words = append(words, word)
	}
	return words
}

func times(at *int32, within *int16) string {
	if at == nil {
		return "-"
	}
	return moment(*at, *within)
}

// drive returns messages of a vehicle that runs trip T on time from 8:00, with predictions that are
// too early by ten seconds.
func drive(t testing.TB) (all []said) {
	t.Helper()
	words := func(s int64) string { return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60) }
	for at := int64(7*3600 + 3590); at < 8*3600+630; at += 30 {
		call := min(max(0, (at-8*3600+119)/120), 5)
		line, update := fmt.Sprintf("bus T %d @%s", max(1, 10*call), words(at)), "T:"
		if (at-8*3600)%120 < 30 && at >= 8*3600-10 {
			line += " stopped"
		}
		for i := call; i < 6; i++ {
			update += fmt.Sprintf(" %d=%s", max(1, 10*i), words(8*3600+120*i-10))
		}
		all = append(all, said{words(at), []sighting{line, update}})
	}
	return all
}

func TestTwoObservers(t *testing.T) {
	t.Parallel()
	trip := line("T", 8*3600, "ABCDEF")
	want := visits(observeAll(t, trips{"T": trip}, drive(t)))
	var counted Tally
	for _, r := range observeAll(t, trips{"T": trip}, drive(t)).runs {
		for i := range r.calls {
			if c := &r.calls[i]; c.tally != nil {
				counted.Merge(c.tally)
			}
		}
	}
	if !counted.Any() {
		t.Fatal("nothing was predicted")
	}
	for killed := range 2 {
		for after := 1; after < len(drive(t)); after += 3 {
			every := 1 + after%2 // messages between writes
			t.Run(fmt.Sprintf("the %d is killed after %d messages", killed, after), func(t *testing.T) {
				t.Parallel()
				pool := imported(t, trip)
				both := []*Watch{watching(pool), watching(pool)}
				for n, message := range drive(t) {
					publish(t, pool, message)
					switch {
					case n < after:
						if err := both[0].step(t.Context()); err != nil {
							t.Fatal(err)
						}
						if n%every == 0 {
							step(t, both[0]) // the first writes
						}
						step(t, both[1])
						if both[1].holding {
							t.Fatal("two observers write")
						}
					default:
						if n == after { // its lease runs out
							execSQL(t, pool, `UPDATE transit.observer SET renewed_at = now() - interval '1 minute' WHERE holder = $1`,
								both[killed].store.holder)
						}
						step(t, both[1-killed])
					}
				}
				if got := stored(t, pool); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				var gaps, messages int
				var sums []int64
				err := pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM transit.observation_gap WHERE reason <> 'started'),
					(SELECT accuracy FROM transit.performance_day WHERE accuracy IS NOT NULL),
					(SELECT messages FROM transit.observer)`).Scan(&gaps, &sums, &messages)
				if err != nil {
					t.Fatal(err)
				}
				got, err := performance.ReadAccuracy(sums)
				if err != nil || got != counted || gaps > 0 || messages != len(drive(t)) && every == 1 {
					t.Errorf("%v counted, want %v; %d gaps; %d messages; %v", got, counted, gaps, messages, err)
				}
			})
		}
	}
}

// An observer that is killed before it has stored what it saw is restarted, and reads the snapshots that
// it has not stored.
func TestRestart(t *testing.T) {
	t.Parallel()
	trip := line("T", 8*3600, "ABCDEF")
	want := visits(observeAll(t, trips{"T": trip}, drive(t)))
	for after := 2; after < len(drive(t)); after++ {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			t.Parallel()
			pool := imported(t, trip)
			w := watching(pool)
			for n, message := range drive(t) {
				publish(t, pool, message)
				if n == after {
					execSQL(t, pool, `UPDATE transit.observer SET renewed_at = now() - interval '1 minute'`)
					w = watching(pool)
				}
				if err := w.step(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n < after-1 || n >= after {
					step(t, w)
				}
			}
			var messages int
			err := pool.QueryRow(t.Context(), `SELECT messages FROM transit.observer`).Scan(&messages)
			if got := stored(t, pool); !slices.Equal(got, want) || err != nil || messages != len(drive(t)) {
				t.Errorf("got %q, want %q; %d messages, want %d: %v", got, want, messages, len(drive(t)), err)
			}
		})
	}
}

// A trip that is named only by its route, direction, start time and day is found, unless several fit.
func TestTripsWithoutAnID(t *testing.T) {
	t.Parallel()
	twin := line("twin", 9*3600, "ABCDEF")
	pool := imported(t, line("T", 8*3600, "ABCDEF"), twin, line("other", 9*3600, "ABCDEF"))
	w := watching(pool)
	for _, s := range drive(t) {
		data := encode(t, s)
		m := &rt.FeedMessage{}
		if err := proto.Unmarshal(data, m); err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Entity {
			for _, d := range []*rt.TripDescriptor{e.GetTripUpdate().GetTrip(), e.GetVehicle().GetTrip()} {
				if d != nil {
					d.TripId, d.RouteId = nil, proto.String("R")
					d.DirectionId = proto.Uint32(0)
					d.StartTime, d.StartDate = proto.String("08:00:00"), proto.String("20260303")
				}
			}
		}
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String("two"), Vehicle: &rt.VehiclePosition{
			Vehicle: &rt.VehicleDescriptor{Id: proto.String("lost")}, CurrentStopSequence: proto.Uint32(10),
			Trip: &rt.TripDescriptor{RouteId: proto.String("R"), StartTime: proto.String("09:00:00")}}})
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		publishData(t, pool, clock(t, s.at), data)
		step(t, w)
	}
	want := visits(observeAll(t, trips{"T": line("T", 8*3600, "ABCDEF")}, drive(t)))
	if got := stored(t, pool); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A quiet feed's figures are computed once, though the pause after a long computation is not over.
func TestQuietFeedIsAddedUp(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, c := range map[string]struct {
		added, received time.Time
		want            bool
	}{
		"messages come":             {now.Add(-5 * time.Minute), now.Add(-30 * time.Second), false},
		"quiet since a minute":      {now.Add(-5 * time.Minute), now.Add(-time.Minute), true},
		"quiet, and added up since": {now.Add(-10 * time.Second), now.Add(-time.Minute), false},
		"the pause is over":         {now.Add(-16 * time.Minute), now, true},
	} {
		w := &Watch{added: c.added, received: c.received, addUpPause: maxAddUpPause}
		if got := w.isAddUpDue(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
