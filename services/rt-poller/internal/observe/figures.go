package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
)

// staleDays returns the days with rows that performance_day does not contain yet.
func (s *store) staleDays(ctx context.Context) ([]int32, error) {
	all, err := pg.Column[time.Time](ctx, s.db, `
		SELECT service_date FROM transit.observed_day
		WHERE alias = $1 AND (added_up_at IS NULL OR added_up_at < written_at) ORDER BY service_date`, s.alias)
	if err != nil {
		return nil, fmt.Errorf("read the days of %s: %w", s.alias, err)
	}
	days := make([]int32, len(all))
	for i, date := range all {
		days[i] = DayOf(date)
	}
	return days, nil
}

// addUp computes the figures of a day, one route after the other.
func (s *store) addUp(ctx context.Context, day int32, coverage *Coverage, dayStart int64) error {
	if err := s.partition(ctx, day); err != nil {
		return err
	}
	err := pg.Tx(ctx, s.db, func(tx pgx.Tx) error {
		if err := s.hold(ctx, tx); err != nil {
			return err
		}
		var rows []Row
		batch := &pgx.Batch{}
		flush := func() {
			if len(rows) > 0 {
				for _, f := range AddUp(rows[0].Route, rows, coverage, dayStart) {
					s.queueFigures(batch, day, f)
				}
			}
			rows = rows[:0]
		}
		found, err := tx.Query(ctx, `SELECT `+rowColumns+` FROM transit.stop_visit
			WHERE alias = $1 AND service_date = $2 ORDER BY route_id, trip_id, start_time, stop_sequence`, s.alias, Date(day))
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			row, err := pgx.RowToStructByName[rowOf](found)
			if err != nil {
				return err
			}
			if len(rows) > 0 && rows[0].Route != row.RouteID {
				flush()
			}
			rows = append(rows, row.row())
		}
		if err := found.Err(); err != nil {
			return err
		}
		flush()
		batch.Queue(`
			DELETE FROM transit.performance_day
			WHERE alias = $1 AND service_date = $2 AND updated_at < now() AND accuracy IS NULL`, s.alias, Date(day))
		batch.Queue(`UPDATE transit.observed_day SET added_up_at = now() WHERE alias = $1 AND service_date = $2`, s.alias,
			Date(day))
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("add up %s of %s: %w", Date(day).Format(time.DateOnly), s.alias, err)
	}
	return nil
}

func (s *store) queueFigures(batch *pgx.Batch, day int32, f *Figures) {
	batch.Queue(`
		INSERT INTO transit.performance_day (alias, service_date, route_id, stop_id, hour, trips_scheduled, trips_ran,
		  trips_cancelled, trips_unseen, trips_unknown, trips_added, trips_unmatched, stops_stopped, stops_passed,
		  stops_predicted, stops_skipped, stops_cancelled, stops_unseen, stops_unknown, delays, timepoint_delays, headways,
		  headways_bunched, headway_seconds, headway_squares, planned_headways, planned_seconds, planned_squares)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
		  $25, $26, $27, $28)
		ON CONFLICT (alias, service_date, route_id, stop_id, hour) DO UPDATE
		SET trips_scheduled = excluded.trips_scheduled, trips_ran = excluded.trips_ran,
		  trips_cancelled = excluded.trips_cancelled, trips_unseen = excluded.trips_unseen,
		  trips_unknown = excluded.trips_unknown, trips_added = excluded.trips_added,
		  trips_unmatched = excluded.trips_unmatched, stops_stopped = excluded.stops_stopped,
		  stops_passed = excluded.stops_passed, stops_predicted = excluded.stops_predicted,
		  stops_skipped = excluded.stops_skipped, stops_cancelled = excluded.stops_cancelled,
		  stops_unseen = excluded.stops_unseen, stops_unknown = excluded.stops_unknown, delays = excluded.delays,
		  timepoint_delays = excluded.timepoint_delays, headways = excluded.headways,
		  headways_bunched = excluded.headways_bunched, headway_seconds = excluded.headway_seconds,
		  headway_squares = excluded.headway_squares, planned_headways = excluded.planned_headways,
		  planned_seconds = excluded.planned_seconds, planned_squares = excluded.planned_squares, updated_at = now()`,
		s.alias, Date(day), f.Route, f.Stop, f.Hour, f.Scheduled, f.Ran, f.Cancelled, f.Unseen, f.Unknown, f.Added,
		f.Unmatched, f.Stopped, f.Passed, f.Predicted, f.StopsSkipped, f.StopsCancelled, f.StopsUnseen, f.StopsUnknown,
		f.Delays.Encode(), f.TimepointDelays.Encode(), f.Headways.Headways, f.Bunched, f.Seconds, f.Squares, f.Planned,
		f.PlannedSeconds, f.PlannedSquares)
}

// packDays packs the visits of days that were not written for a day, once.
func (s *store) packDays(ctx context.Context) error {
	dates, err := pg.Column[time.Time](ctx, s.db, `
		SELECT service_date FROM transit.observed_day
		GROUP BY service_date HAVING max(written_at) < now() - interval '1 day' AND EXISTS (
		  SELECT FROM pg_index WHERE indrelid = to_regclass('transit.stop_visit_' || to_char(service_date, 'YYYYMMDD'))
		    AND indisprimary AND NOT indisclustered)`)
	if err != nil {
		return fmt.Errorf("read the days to pack: %w", err)
	}
	for _, date := range dates {
		if _, err := s.db.Exec(ctx, `SELECT transit.pack_visit_day($1)`, date); err != nil {
			return fmt.Errorf("pack the visits of %s: %w", date.Format(time.DateOnly), err)
		}
	}
	return nil
}

// forgetDays drops the visits of days that were last written before a time, and figures older than
// another. Visits of a day are dropped when no feed needs them.
func (s *store) forgetDays(ctx context.Context, visits, figures time.Duration) error {
	dates, err := pg.Column[time.Time](ctx, s.db, `
		SELECT service_date FROM transit.observed_day
		WHERE to_regclass('transit.stop_visit_' || to_char(service_date, 'YYYYMMDD')) IS NOT NULL
		GROUP BY service_date HAVING max(written_at) < now() - $1::interval`, visits)
	if err != nil {
		return fmt.Errorf("read old days: %w", err)
	}
	for _, date := range dates {
		_, err := s.db.Exec(ctx, `SELECT transit.drop_visit_day($1)`, date)
		if err != nil {
			return fmt.Errorf("drop the visits of %s: %w", date.Format(time.DateOnly), err)
		}
		delete(s.days, DayOf(date))
	}
	for _, sql := range []string{
		`DELETE FROM transit.performance_day p USING transit.observed_day d
		 WHERE p.alias = d.alias AND p.service_date = d.service_date AND d.written_at < now() - $1::interval`,
		`DELETE FROM transit.observation_gap g WHERE to_at < now() - $1::interval AND NOT EXISTS (
		   SELECT FROM transit.observed_day d WHERE d.alias = g.alias AND d.written_at >= now() - $1::interval
		     AND d.service_date >= (g.to_at - interval '3 days')::date)`,
		`DELETE FROM transit.observed_day WHERE written_at < now() - $1::interval`,
	} {
		if _, err := s.db.Exec(ctx, sql, figures); err != nil {
			return fmt.Errorf("delete old figures: %w", err)
		}
	}
	return nil
}
