package rtpoller

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/pg"
)

// A Status is the state of a source, for operators.
type Status struct {
	Alias       string        `json:"alias" db:"alias"`
	Source      string        `json:"source" db:"source"`
	StaleAfter  time.Duration `json:"-" db:"stale_after"`
	PolledAt    *time.Time    `json:"polled_at" db:"polled_at"`   // last attempt
	FetchedAt   *time.Time    `json:"fetched_at" db:"fetched_at"` // last good answer: last_fetched of the API
	Age         *float64      `json:"age_seconds" db:"age"`       // age of FetchedAt in seconds
	NextPollAt  *time.Time    `json:"next_poll_at" db:"next_poll_at"`
	Polls       int64         `json:"polls" db:"polls"`
	Failures    int           `json:"failures" db:"failures"` // consecutive failures
	FailedEver  int64         `json:"failed_ever" db:"failures_ever"`
	Error       *string       `json:"error" db:"error"` // error of the last attempt; nil if it was good
	Header      int64         `json:"header_timestamp" db:"header_timestamp"`
	TripUpdates int           `json:"trip_updates" db:"trip_updates"`
	Vehicles    int           `json:"vehicles" db:"vehicles"`
	Alerts      int           `json:"alerts" db:"alerts"`
	Bytes       int           `json:"bytes" db:"bytes"`
	Snapshots   int           `json:"snapshots" db:"snapshots"` // stored snapshots

	// Matches is nil if no message was judged or there is no feed.
	Matches  *Matches   `json:"matches" db:"matches"`
	Findings []finding  `json:"findings" db:"findings"` // findings in the last judged message
	JudgedAt *time.Time `json:"judged_at" db:"judged_at"`
}

// Matches is an alias for users of ListStatus.
type Matches = judge.Matches

// Match is an alias for users of ListStatus.
type Match = judge.Match

// ListStatus returns the state of every source.
func ListStatus(ctx context.Context, db *pgxpool.Pool) ([]Status, error) {
	all, err := pg.List[Status](ctx, db, `
		SELECT s.alias, s.source, s.stale_after, s.polled_at, s.fetched_at, round(extract(epoch FROM now() - s.fetched_at),
		       3)::float8 AS age,
		       nullif(s.next_poll_at, '-infinity') AS next_poll_at, s.polls, s.failures, s.failures_ever, s.error,
		       coalesce(n.header_timestamp, 0) AS header_timestamp, coalesce(n.trip_updates, 0) AS trip_updates,
		         coalesce(n.vehicles, 0) AS vehicles,
		       coalesce(n.alerts, 0) AS alerts, coalesce(length(n.data), 0) AS bytes,
		       (SELECT count(*) FROM transit.snapshot h WHERE h.alias = s.alias AND h.source = s.source) AS snapshots,
		       j.matches, coalesce(j.findings, '[]') AS findings, j.judged_at
		FROM transit.source s
		LEFT JOIN transit.snapshot n ON n.snapshot_id = s.snapshot_id
		LEFT JOIN transit.judgement j ON j.alias = s.alias AND j.source = s.source
		ORDER BY s.alias, s.source`)
	if err != nil {
		return nil, fmt.Errorf("read realtime sources: %w", err)
	}
	return all, nil
}

// A Pause is the time until a source is polled again, and the reason.
type Pause struct {
	Alias    string
	Source   string
	Failures int        // consecutive failures
	Error    *string    // error of the last poll; nil if it was good
	Until    *time.Time // earliest next poll; nil means now
	For      time.Duration
	PolledAt *time.Time
	Ahead    bool // the row has times in the future because a clock was wrong
}

// ListPauses returns the pause of each source, by the clock of the database.
func ListPauses(ctx context.Context, db *pgxpool.Pool) ([]Pause, error) {
	all, err := pg.List[Pause](ctx, db, `
		SELECT alias, source, failures, error, CASE WHEN next_poll_at > now() THEN next_poll_at END AS until,
		       CASE WHEN next_poll_at > now() THEN next_poll_at - now() ELSE interval '0' END AS for,
		       polled_at, coalesce(greatest(polled_at, fetched_at) > now() + interval '1 minute', false)
		         OR next_poll_at > now() + min_interval + interval '25 hours' AS ahead
		FROM transit.source ORDER BY alias, source`)
	if err != nil {
		return nil, fmt.Errorf("read realtime sources: %w", err)
	}
	return all, nil
}

// Clear resets failures, pauses, validators and times in the future of a source, or of all sources
// of a feed if source is "". The last good snapshots stay. It returns the cleared sources.
func Clear(ctx context.Context, db *pgxpool.Pool, alias, source string) ([]string, error) {
	cleared, err := pg.Column[string](ctx, db, `
		UPDATE transit.source
		SET next_poll_at = '-infinity', failures = 0, error = NULL, etag = NULL, last_modified = NULL,
		    polled_at = CASE WHEN polled_at > now() THEN now() ELSE polled_at END, fetched_at = CASE WHEN fetched_at > now()
		      THEN now() ELSE fetched_at END
		WHERE alias = $1 AND ($2 = '' OR source = $2)
		RETURNING source`, alias, source)
	if err != nil {
		return nil, fmt.Errorf("clear the sources of %s: %w", alias, err)
	}
	return cleared, nil
}

// An Observed is the state of an observed feed.
type Observed struct {
	Alias    string
	Messages int64
	Age      *float64 // seconds since a message was observed; nil if none was
	VisitAge *float64 // seconds since a vehicle was seen at a stop; nil if none was
	Vehicles int      // of the last message with vehicles
	Placed   int      // those that name a stop or a stop_sequence
}

// ListObserved returns the state of each observed feed.
func ListObserved(ctx context.Context, db *pgxpool.Pool) ([]Observed, error) {
	all, err := pg.List[Observed](ctx, db, `
		SELECT alias, messages, extract(epoch FROM now() - received_at)::float8 AS age,
		       extract(epoch FROM now() - visit_at)::float8 AS visit_age, vehicles, placed
		FROM transit.observer ORDER BY alias`)
	if err != nil {
		return nil, fmt.Errorf("read the observed feeds: %w", err)
	}
	return all, nil
}
