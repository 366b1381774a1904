package rtpoller

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Pause is why a source is not polled.
type Pause struct {
	Alias    string
	Source   string
	Failures int        // in a row
	Error    *string    // of the last poll; nil after a good one
	Until    *time.Time // no poll before; nil when one may be made now
	For      time.Duration
	PolledAt *time.Time
	Ahead    bool // the row has times in the future: a clock was wrong
}

// ListPauses returns the pause of each source, by the clock of the database.
func ListPauses(ctx context.Context, db *pgxpool.Pool) ([]Pause, error) {
	rows, err := db.Query(ctx, `
		SELECT alias, source, failures, error, CASE WHEN next_poll_at > now() THEN next_poll_at END AS until,
		       CASE WHEN next_poll_at > now() THEN next_poll_at - now() ELSE interval '0' END AS for,
		       polled_at, coalesce(greatest(polled_at, fetched_at) > now() + interval '1 minute', false) OR next_poll_at > now() + min_interval + interval '25 hours' AS ahead
		FROM transit.source ORDER BY alias, source`)
	if err != nil {
		return nil, fmt.Errorf("read realtime sources: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[Pause])
	if err != nil {
		return nil, fmt.Errorf("read realtime sources: %w", err)
	}
	return all, nil
}

// Clear removes what keeps sources of a feed from being polled: failures, pauses, validators and times in the future. An
// empty source means all of the feed. The last good snapshots stay. It returns the sources that it cleared.
func Clear(ctx context.Context, db *pgxpool.Pool, alias, source string) ([]string, error) {
	rows, err := db.Query(ctx, `
		UPDATE transit.source
		SET next_poll_at = '-infinity', failures = 0, error = NULL, etag = NULL, last_modified = NULL,
		    polled_at = CASE WHEN polled_at > now() THEN now() ELSE polled_at END, fetched_at = CASE WHEN fetched_at > now() THEN now() ELSE fetched_at END
		WHERE alias = $1 AND ($2 = '' OR source = $2)
		RETURNING source`, alias, source)
	if err != nil {
		return nil, fmt.Errorf("clear the sources of %s: %w", alias, err)
	}
	cleared, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("clear the sources of %s: %w", alias, err)
	}
	return cleared, nil
}
