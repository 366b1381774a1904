package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
)

// States of an import in transit.feed_work.
const (
	waiting   = "waiting"
	fetching  = "fetching"
	importing = "importing"
)

const (
	// zipsAtOnce is how many zips a process may have on disk.
	zipsAtOnce = 8
	// rowsOnDisk is left for late rows (package gather) of all imports together.
	rowsOnDisk = 4 << 30
	// ScratchBytes is how much a process may put into its folder for temporary files.
	ScratchBytes = zipsAtOnce*MaxZipBytes + rowsOnDisk
	// lease is how long a claim is valid without being renewed.
	lease      = 5 * time.Second
	renewEvery = time.Second
	// retryEvery is how often an import that waits for a claim tries to get it.
	retryEvery = 100 * time.Millisecond
)

// turns bound how many zips and imports a process has at once. Nil channels bound nothing.
type turns struct {
	zips    chan struct{}
	imports chan struct{}
}

// newTurns leaves one connection of the pool to everything else, if there are more.
func newTurns(imports, conns int) turns {
	return turns{zips: make(chan struct{}, zipsAtOnce), imports: make(chan struct{}, max(1, min(imports, conns-1)))}
}

// acquire waits for a turn; release returns it.
func acquire(ctx context.Context, turns chan struct{}) (release func(), err error) {
	if turns == nil {
		return func() {}, nil
	}
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// feed is the row of transit.feed.
type feed struct {
	ID           int32  `db:"feed_id"`
	Name         string `db:"name"`
	URL          string `db:"url"`
	Encoding     string `db:"encoding"`
	VersionID    int32  `db:"version_id"` // 0 without a live version
	Generation   int64  `db:"generation"`
	ETag         string `db:"etag"`
	LastModified string `db:"last_modified"`
	SeenSHA256   []byte `db:"seen_sha256"`
	LiveSHA256   []byte `db:"live_sha256"`
	Made         int    `db:"made"` // of the live version
	// Refused is why the bytes seen last were refused; nil if they were not.
	Refused   *string    `db:"refused"`
	Removed   bool       `db:"removed"`
	CheckedAt *time.Time `db:"checked_at"`
}

// oneFeed reads the row of a feed; nil if there is none.
func oneFeed(ctx context.Context, deps run.Deps, alias string) (*feed, error) {
	f, err := pg.One[feed](ctx, deps.DB, `
		SELECT f.feed_id, f.name, coalesce(f.url, '') AS url, coalesce(f.encoding, '') AS encoding,
		       coalesce(f.version_id, 0) AS version_id,
		       f.generation, coalesce(f.etag, '') AS etag, coalesce(f.last_modified, '') AS last_modified, f.seen_sha256,
		       f.removed_at IS NOT NULL AS removed, f.checked_at, live.sha256 AS live_sha256,
		       coalesce(live.made, 0) AS made, seen.reason AS refused
		FROM transit.feed f
		LEFT JOIN transit.feed_version live USING (version_id)
		LEFT JOIN LATERAL (
			SELECT v.reason FROM transit.feed_version v
			WHERE v.feed_id = f.feed_id AND v.sha256 = f.seen_sha256 ORDER BY v.version_id DESC LIMIT 1) seen ON true
		WHERE f.alias = $1`, alias)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read feed %s: %w", alias, err)
	}
	return &f, nil
}

// importer is one import under way.
type importer struct {
	Request
	deps    run.Deps
	turns   turns
	start   time.Time
	claimed string     // the claim on the feed
	feed    *feed      // nil until the feed has a row
	log     *audit.Log // of what is imported
	report  *Report
}

// claim claims the feed for this import. While another import has a claim it waits with Wait, and
// returns ErrBusy without.
func (im *importer) claim(ctx context.Context) (giveUp func(), err error) {
	for {
		within, cancel := context.WithTimeout(ctx, askWithin)
		err = im.deps.DB.QueryRow(within, `
			INSERT INTO transit.feed_work AS w (alias, claim, state) VALUES ($1, gen_random_uuid(), $2)
			ON CONFLICT (alias) DO UPDATE SET claim = excluded.claim, state = excluded.state, since = now(), seen_at = now()
			WHERE w.seen_at < now() - $3::interval
			RETURNING claim::text`, im.Alias, waiting, lease).Scan(&im.claimed)
		cancel()
		switch {
		case err == nil:
			// The import changes its own fields meanwhile.
			deps, alias, claimed := im.deps, im.Alias, im.claimed
			renewing := run.NewGroup(ctx)
			renewing.Watch(func(ctx context.Context) { renew(ctx, deps, alias, claimed) })
			return func() {
				_ = renewing.Stop()
				im.giveUp(ctx)
			}, nil
		case !errors.Is(err, pgx.ErrNoRows):
			return nil, fmt.Errorf("claim the feed: %w", err)
		case !im.Wait:
			return nil, ErrBusy
		case !wait.For(ctx, retryEvery):
			return nil, ctx.Err()
		}
	}
}

// renew renews a claim until ctx ends.
func renew(ctx context.Context, deps run.Deps, alias, claimed string) {
	for wait.For(ctx, renewEvery) {
		within, cancel := context.WithTimeout(ctx, lease) // one that comes later is of no use
		_, err := deps.DB.Exec(within, `UPDATE transit.feed_work SET seen_at = now() WHERE alias = $1
			AND claim = $2::uuid`, alias, claimed)
		cancel()
		if err != nil && ctx.Err() == nil {
			deps.Log.Debug("cannot renew the claim of a feed", "feed", alias, "error", err)
		}
	}
}

// giveUp ends the claim. If that fails, the lease runs out.
func (im *importer) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer cancel()
	for range 2 { // the first connection may be dead
		_, err := im.deps.DB.Exec(ctx, `DELETE FROM transit.feed_work WHERE alias = $1
			AND claim = $2::uuid`, im.Alias, im.claimed)
		if err == nil {
			return
		}
	}
}

// say records the state of the import. A failure to do so does not matter to the import.
func (im *importer) say(ctx context.Context, state string) {
	_, err := im.deps.DB.Exec(ctx, `
		UPDATE transit.feed_work SET state = $3, since = now(), seen_at = now() WHERE alias = $1
		  AND claim = $2::uuid`, im.Alias, im.claimed, state)
	if err != nil {
		im.deps.Log.Debug("cannot record the state of an import", "feed", im.Alias, "state", state, "error", err)
	}
}

// Work is an import under way.
type Work struct {
	Alias string `db:"alias" json:"alias"`
	// State is waiting (for its turn), fetching or importing.
	State string    `db:"state" json:"state"`
	Since time.Time `db:"since" json:"since"`
}

// ListWork returns the imports under way in all processes, oldest first.
func ListWork(ctx context.Context, deps run.Deps) ([]Work, error) {
	work, err := pg.List[Work](ctx, deps.DB, `
		SELECT alias, state, since FROM transit.feed_work WHERE seen_at >= now() - $1::interval ORDER BY since, alias`, lease)
	if err != nil {
		return nil, fmt.Errorf("list imports under way: %w", err)
	}
	return work, nil
}

// Outcome of an import.
type Outcome string

// The outcomes.
const (
	// Imported: a new version is live.
	Imported Outcome = "imported"
	// Unchanged: the source has nothing new; nothing was done.
	Unchanged Outcome = "unchanged"
	// Refused: the feed cannot be used; the live version stays.
	Refused Outcome = "refused"
)

// MaxLines is how many findings of one kind in one file a report lists.
const MaxLines = audit.MaxLines

// A Finding counts the findings of one kind in one file.
type Finding = audit.Total

// A Line is one thing that is wrong, and where.
type Line = audit.Line

// A Report says what an import found and did. It is kept with the version
// (transit.feed_version.report) and shown by `townline feed report`.
type Report struct {
	Alias   string  `json:"alias"`
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	// Reason of a refusal.
	Reason string `json:"reason,omitempty"`
	// VersionID is the new version, or the one that stays live; 0: none.
	VersionID  int32 `json:"version_id"`
	Generation int64 `json:"generation"`
	// Source is the path or URL, without credentials.
	Source string `json:"source"`
	SHA256 string `json:"sha256,omitempty"`
	// Bytes of the zip.
	Bytes     int64     `json:"bytes"`
	StartedAt time.Time `json:"started_at"`
	// Seconds from start to live.
	Seconds float64 `json:"seconds"`
	// TimeZone, FirstDay and LastDay (YYYY-MM-DD) of the service.
	TimeZone string `json:"time_zone,omitempty"`
	FirstDay string `json:"first_day,omitempty"`
	LastDay  string `json:"last_day,omitempty"`
	// Counts of rows by version table, of stop_time and shape_point.
	Counts map[string]int64 `json:"counts,omitempty"`
	Files  []FileReport     `json:"files,omitempty"`
	// Findings counts all by kind and file.
	Findings []Finding `json:"findings,omitempty"`
	// Lines are the findings, at most MaxLines of a kind and file. transit.audit_line stores them.
	Lines []Line `json:"lines,omitempty"`
}

// A FileReport counts the rows of one file. Read is the sum of LeftOut, Hidden by manual rows,
// Added, Changed and Unchanged. The last three, and Removed, compare with the previous version by
// the file's key.
type FileReport struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Read  int64  `json:"read"`
	// Used is false for files that are only counted, and stay in the kept zip.
	Used      bool  `json:"used"`
	Added     int64 `json:"added"`
	Changed   int64 `json:"changed"`
	Removed   int64 `json:"removed"`
	Unchanged int64 `json:"unchanged"`
	LeftOut   int64 `json:"left_out"`
	Hidden    int64 `json:"hidden"`
}
