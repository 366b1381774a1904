package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
)

// The states of an import in transit.feed_work.
const (
	waiting   = "waiting"
	fetching  = "fetching"
	importing = "importing"
)

const (
	// MaxZipBytes is the maximum size of a zip. The largest published feeds have a few hundred
	// megabytes.
	MaxZipBytes = 1 << 30
	// zipsAtOnce is the maximum number of zips that a process has on disk.
	zipsAtOnce = 8
	// ScratchBytes is the required space for temporary files of a process.
	ScratchBytes = zipsAtOnce * MaxZipBytes
	// lease is the validity of a claim after its renewal.
	lease         = 5 * time.Second
	renewInterval = time.Second
	// retryInterval is the time between two attempts to claim a feed.
	retryInterval = 100 * time.Millisecond
)

// slots has semaphores for the zips and imports of a process. A nil channel has no bound.
type slots struct{ zips, imports chan struct{} }

// newSlots reserves one connection of the pool for other work if the pool has several.
func newSlots(imports, conns int) slots {
	return slots{zips: make(chan struct{}, zipsAtOnce), imports: make(chan struct{}, max(1, min(imports, conns-1)))}
}

func acquire(ctx context.Context, slots chan struct{}) (release func(), err error) {
	if slots == nil {
		return func() {}, nil
	}
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type feed struct {
	ID           int32  `db:"feed_id"`
	Name         string `db:"name"`
	URL          string `db:"url"`
	Encoding     string `db:"encoding"`
	VersionID    int32  `db:"version_id"` // 0 if there is no live version
	Generation   int64  `db:"generation"`
	ETag         string `db:"etag"`
	LastModified string `db:"last_modified"`
	SeenSHA256   []byte `db:"seen_sha256"`
	LiveSHA256   []byte `db:"live_sha256"`
	// Made is the importFormat of the live version.
	Made int `db:"made"`
	// Refused is the reason why the latest bytes were refused, or are held until an operator decides;
	// nil if they were accepted.
	Refused *string `db:"refused"`
	Removed bool    `db:"removed"`
	// The held version: its zip, reason and day. HeldIsDue reports that the day has come.
	HeldSHA256 []byte     `db:"held_sha256"`
	HeldReason string     `db:"held_reason"`
	HeldFrom   *time.Time `db:"held_from"`
	HeldIsDue  bool       `db:"held_is_due"`
	Inner      string     `db:"inner_name"`
	// RequestDone reports that a version of the feed was imported for the work request.
	RequestDone bool `db:"request_done"`
}

// oneFeed returns nil if no feed has the alias. request is the id of a work request, or "".
func oneFeed(ctx context.Context, deps run.Deps, alias, request string) (*feed, error) {
	f, err := pg.One[feed](ctx, deps.DB, `
		SELECT f.feed_id, f.name, coalesce(f.url, '') AS url, coalesce(f.encoding, '') AS encoding,
		       coalesce(f.version_id, 0) AS version_id,
		       f.generation, coalesce(f.etag, '') AS etag, coalesce(f.last_modified, '') AS last_modified, f.seen_sha256,
		       f.removed_at IS NOT NULL AS removed, live.sha256 AS live_sha256, coalesce(f.inner_name, '') AS inner_name,
		       coalesce(live.made, 0) AS made, seen.reason AS refused, held.sha256 AS held_sha256,
		       coalesce(held.reason, '') AS held_reason, held.live_from AS held_from,
		       coalesce(held.live_from <= now(), false) AS held_is_due,
		       $2 <> '' AND EXISTS (SELECT FROM transit.feed_version v
		         WHERE v.feed_id = f.feed_id AND (v.imported_at IS NOT NULL OR v.state = 'held') AND v.report->>'request' = $2) AS request_done
		FROM transit.feed f
		LEFT JOIN transit.feed_version live USING (version_id)
		LEFT JOIN LATERAL (
			SELECT CASE WHEN v.state = 'refused' THEN v.reason
			            WHEN v.state = 'held' AND v.live_from IS NULL THEN 'held: ' || v.reason END AS reason
			FROM transit.feed_version v
			WHERE v.feed_id = f.feed_id AND v.sha256 = f.seen_sha256 ORDER BY v.version_id DESC LIMIT 1) seen ON true
		LEFT JOIN transit.feed_version held ON held.feed_id = f.feed_id AND held.state = 'held'
		WHERE f.alias = $1`, alias, request)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read feed %s: %w", alias, err)
	}
	return &f, nil
}

// A Request describes the import of a feed.
type Request struct {
	// Alias is the feed's alias; the feed need not exist yet.
	Alias string
	// Name is the feed's name. Default: its current name, or the alias.
	Name string
	// Source is the path of a zip or a folder, or an http(s) URL. Default: the URL of the last
	// import.
	Source  string
	Headers map[string]string
	// Encoding is the WHATWG name of the encoding for cells that are not UTF-8. Default: the
	// current encoding, or windows-1252.
	Encoding     string
	AllowPrivate bool
	UserAgent    string
	// Check skips the import if these bytes were refused or rolled back before. The schedule sets
	// it.
	Check bool
	Today time.Time
	// Force imports the zip even if its bytes are live, or the version would be held.
	Force bool
	// Held imports the held version from its stored zip, without the source: with Force if there is
	// one, otherwise if its day has come.
	Held bool
	// Inner is the zip or folder in the zip that has the feed, if there are several. Default: the
	// current one.
	Inner string
	// Wait makes the import wait for another import of the feed, instead of returning ErrBusy.
	Wait bool
	// Progress is called repeatedly, from several goroutines, with the number of bytes read from a
	// file. It may be nil.
	Progress func(file string, done, total int64)

	id     string // of the work request; "" if there is none
	stored []byte // SHA-256 of a stored zip to import
	isHeld bool   // stored is the zip of the held version
}

// ErrBusy is wrapped by the error if another import of the same feed is running.
var ErrBusy = errors.New("another import of the feed is under way")

// ErrRefused is wrapped by the error for a feed that cannot be used.
var ErrRefused = errors.New("the feed is refused")

type importer struct {
	Request
	deps    run.Deps
	slots   slots
	start   time.Time
	claimed string // id of the claim
	feed    *feed  // nil until the feed has a row
	log     *audit.Log
	report  *Report
	runsOn  string // days of service of the new version, as a multirange
}

// queryTimeout bounds short queries, so that a dead connection does not stop the checks of a feed.
const queryTimeout = 20 * time.Second

// claim claims the feed for this import. If another import has claimed the feed, claim waits if
// Wait is set, otherwise it returns ErrBusy.
func (im *importer) claim(ctx context.Context) (release func(), err error) {
	for {
		within, cancel := context.WithTimeout(ctx, queryTimeout)
		err = im.deps.DB.QueryRow(within, `
			INSERT INTO transit.feed_work AS w (alias, claim, state) VALUES ($1, gen_random_uuid(), $2)
			ON CONFLICT (alias) DO UPDATE SET claim = excluded.claim, state = excluded.state, since = now(), seen_at = now()
			WHERE w.seen_at < now() - $3::interval
			RETURNING claim::text`, im.Alias, waiting, lease).Scan(&im.claimed)
		cancel()
		switch {
		case err == nil:
			// The import may change im while the goroutine below runs.
			deps := im.deps
			alias := im.Alias
			claimed := im.claimed
			renewing := run.NewGroup(ctx)
			renewing.Watch(func(ctx context.Context) { renew(ctx, deps, alias, claimed) })
			return func() {
				_ = renewing.Stop()
				im.endClaim(ctx)
			}, nil
		case !errors.Is(err, pgx.ErrNoRows):
			return nil, fmt.Errorf("claim the feed: %w", err)
		case !im.Wait:
			return nil, ErrBusy
		case !wait.For(ctx, retryInterval):
			return nil, ctx.Err()
		}
	}
}

func renew(ctx context.Context, deps run.Deps, alias, claimed string) {
	for wait.For(ctx, renewInterval) {
		within, cancel := context.WithTimeout(ctx, lease)
		_, err := deps.DB.Exec(within, `UPDATE transit.feed_work SET seen_at = now() WHERE alias = $1
			AND claim = $2::uuid`, alias, claimed)
		cancel()
		if err != nil && ctx.Err() == nil {
			deps.Log.Debug("cannot renew the claim of a feed", "feed", alias, "error", err)
		}
	}
}

// endClaim releases the feed. If that fails, the lease expires.
func (im *importer) endClaim(ctx context.Context) {
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

func (im *importer) setState(ctx context.Context, state string) {
	_, err := im.deps.DB.Exec(ctx, `
		UPDATE transit.feed_work SET state = $3, since = now(), seen_at = now() WHERE alias = $1
		  AND claim = $2::uuid`, im.Alias, im.claimed, state)
	if err != nil {
		im.deps.Log.Debug("cannot record the state of an import", "feed", im.Alias, "state", state, "error", err)
	}
}

// Work is a running import.
type Work struct {
	Alias string `db:"alias" json:"alias"`
	// State is "waiting", "fetching" or "importing".
	State string    `db:"state" json:"state"`
	Since time.Time `db:"since" json:"since"`
}

// ListWork returns the running imports of all processes, oldest first.
func ListWork(ctx context.Context, deps run.Deps) ([]Work, error) {
	work, err := pg.List[Work](ctx, deps.DB, `
		SELECT alias, state, since FROM transit.feed_work WHERE seen_at >= now() - $1::interval ORDER BY since, alias`, lease)
	if err != nil {
		return nil, fmt.Errorf("list imports under way: %w", err)
	}
	return work, nil
}

// Outcome is the result of an import or a check.
type Outcome string

const (
	// Imported means that a new version is live.
	Imported Outcome = "imported"
	// Unchanged means that the source has nothing new.
	Unchanged Outcome = "unchanged"
	// Held means that the version was read and is not live; the live version stays.
	Held Outcome = "held"
	// Refused means that the feed is unusable; the live version stays.
	Refused Outcome = "refused"
	// Checked means that the feed was only checked, and is usable.
	Checked Outcome = "checked"
)

// A Finding counts the findings of one code in one file.
type Finding = audit.Total

// A Line is one finding.
type Line = audit.Line

// A Report is the result of an import. It is stored with the version (transit.feed_version.report).
type Report struct {
	Alias   string  `json:"alias"`
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	// Request is the id of the work request; "" if there was none.
	Request string `json:"request,omitempty"`
	// Reason why the version is refused or held.
	Reason string `json:"reason,omitempty"`
	// Hold is the reason of a held version for pages, which write it in the reader's language.
	Hold *notice.Hold `json:"hold,omitempty"`
	// LiveFrom is when a held version becomes live by itself; nil if an operator must decide.
	LiveFrom *time.Time `json:"live_from,omitempty"`
	// VersionID is the new version, also if it is held, or the version that stays live; 0 if there is
	// none.
	VersionID  int32 `json:"version_id"`
	Generation int64 `json:"generation"`
	// Source is the path or URL, without credentials.
	Source string `json:"source"`
	SHA256 string `json:"sha256,omitempty"`
	// Bytes is the size of the zip.
	Bytes     int64     `json:"bytes"`
	StartedAt time.Time `json:"started_at"`
	// Seconds is the time from the start until the version was live.
	Seconds float64 `json:"seconds"`
	// TimeZone is the feed's time zone. FirstDay and LastDay are its first and last day of service,
	// as YYYY-MM-DD.
	TimeZone string `json:"time_zone,omitempty"`
	FirstDay string `json:"first_day,omitempty"`
	LastDay  string `json:"last_day,omitempty"`
	// Counts is the number of rows by version table, and of stop_time and shape_point.
	Counts   map[string]int64 `json:"counts,omitempty"`
	Files    []FileReport     `json:"files,omitempty"`
	Findings []Finding        `json:"findings,omitempty"`
	// Lines has at most audit.MaxLines per code and file. transit.audit_line stores them.
	Lines []Line `json:"lines,omitempty"`
}

// A FileReport counts the rows of one file. Read = LeftOut + Hidden (by manual rows) + Added +
// Changed + Unchanged. Added, Changed, Unchanged and Removed come from a comparison with the
// previous version by the file's key.
type FileReport struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Read  int64  `json:"read"`
	// Used is false for files whose rows are only counted.
	Used      bool  `json:"used"`
	Added     int64 `json:"added"`
	Changed   int64 `json:"changed"`
	Removed   int64 `json:"removed"`
	Unchanged int64 `json:"unchanged"`
	LeftOut   int64 `json:"left_out"`
	Hidden    int64 `json:"hidden"`
}
