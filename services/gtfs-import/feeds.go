package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
)

// ErrNoFeed is wrapped by the error for an unknown alias.
var ErrNoFeed = errors.New("there is no such feed")

// A Feed is the state of a feed for operators.
type Feed struct {
	Alias string `db:"alias" json:"alias"`
	Name  string `db:"name" json:"name"`
	// URL is the source without credentials; nil for a feed that is imported by hand.
	URL *string `db:"url" json:"url"`
	// VersionID is the live version; nil if there is none.
	VersionID  *int32     `db:"version_id" json:"version_id"`
	Generation int64      `db:"generation" json:"generation"`
	ImportedAt *time.Time `db:"imported_at" json:"imported_at"`
	CheckedAt  *time.Time `db:"checked_at" json:"checked_at"`
	CheckError *string    `db:"check_error" json:"check_error"`
	FirstDay   *time.Time `db:"first_day" json:"first_day"`
	LastDay    *time.Time `db:"last_day" json:"last_day"`
	// WeekDays is the number of days with service in the next seven days, including today; nil for
	// a version of an older release.
	WeekDays   *int32           `db:"week_days" json:"week_days"`
	TimeZone   *string          `db:"time_zone" json:"time_zone"`
	Counts     map[string]int64 `db:"counts" json:"counts"`
	ManualRows int64            `db:"manual_rows" json:"manual_rows"`
	ZipBytes   int64            `db:"zip_bytes" json:"zip_bytes"`
	// Held is the held version; nil if there is none.
	Held *HeldVersion `db:"held" json:"held"`
}

// A HeldVersion is a version that was read and is not live.
type HeldVersion struct {
	VersionID int32  `json:"version_id"`
	Reason    string `json:"reason"`
	// LiveFrom is when it becomes live by itself; nil if an operator must decide.
	LiveFrom *time.Time `json:"live_from"`
}

// weekDays is an SQL expression for Feed.WeekDays of version v, in UTC.
const weekDays = `CASE WHEN v.runs_on IS NOT NULL THEN (
	SELECT count(*)::integer FROM generate_series(0, 6) i WHERE v.runs_on @> ((now() AT TIME ZONE 'UTC')::date + i)) END`

const feedQuery = `
	SELECT f.alias, f.name, f.url, f.version_id, f.generation, v.imported_at, f.checked_at, f.check_error,
	       v.first_day::timestamptz AS first_day,
	         v.last_day::timestamptz AS last_day, ` + weekDays +
	` AS week_days, v.time_zone, coalesce(v.counts, '{}') AS counts,
	       (SELECT count(*) FROM transit.manual_row m WHERE m.feed_id = f.feed_id) AS manual_rows,
	       (SELECT coalesce(sum(length(z.data)), 0) FROM transit.feed_zip z WHERE z.feed_id = f.feed_id) AS zip_bytes,
	       (SELECT jsonb_build_object('version_id', h.version_id, 'reason', h.reason, 'live_from', h.live_from)
	        FROM transit.feed_version h WHERE h.feed_id = f.feed_id AND h.state = 'held') AS held
	FROM transit.feed f
	LEFT JOIN transit.feed_version v USING (version_id)
	WHERE f.removed_at IS NULL `

// ListFeeds returns all feeds, ordered by alias.
func ListFeeds(ctx context.Context, deps run.Deps) ([]Feed, error) {
	feeds, err := pg.List[Feed](ctx, deps.DB, feedQuery+`ORDER BY f.alias`)
	if err != nil {
		return nil, fmt.Errorf("list feeds: %w", err)
	}
	for i := range feeds {
		feeds[i].hideCredentials()
	}
	return feeds, nil
}

// OneFeed returns the feed with an alias. The error wraps ErrNoFeed if there is none.
func OneFeed(ctx context.Context, deps run.Deps, alias string) (*Feed, error) {
	f, err := pg.One[Feed](ctx, deps.DB, feedQuery+`AND f.alias = $1`, alias)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("feed %s: %w", alias, ErrNoFeed)
	}
	if err != nil {
		return nil, fmt.Errorf("read feed %s: %w", alias, err)
	}
	f.hideCredentials()
	return &f, nil
}

func (f *Feed) hideCredentials() {
	if f.URL != nil {
		shown := withoutCredentials(*f.URL)
		f.URL = &shown
	}
}

// A Version is one import of a feed. An import whose zip could not be fetched has no Version.
type Version struct {
	VersionID  int32      `db:"version_id" json:"version_id"`
	State      string     `db:"state" json:"state"` // live, retired, dropped, refused or held
	SHA256     string     `db:"sha256" json:"sha256"`
	Bytes      int64      `db:"bytes" json:"bytes"`
	Source     string     `db:"source" json:"source"`
	StartedAt  time.Time  `db:"started_at" json:"started_at"`
	ImportedAt *time.Time `db:"imported_at" json:"imported_at"`
	Reason     *string    `db:"reason" json:"reason"`
	LiveFrom   *time.Time `db:"live_from" json:"live_from"` // of a held version
	// Kept is set if the zip is stored, so that a rollback to it is possible.
	Kept bool `db:"kept" json:"kept"`
}

// ListVersions returns the imports of a feed, latest first.
func ListVersions(ctx context.Context, deps run.Deps, alias string) ([]Version, error) {
	versions, err := pg.List[Version](ctx, deps.DB, `
		SELECT v.version_id, v.state, encode(v.sha256, 'hex') AS sha256, v.bytes, v.source, v.started_at, v.imported_at,
		       v.reason, v.live_from,
		       EXISTS (SELECT FROM transit.feed_zip z WHERE z.feed_id = v.feed_id AND z.sha256 = v.sha256 AND z.n = 0) AS kept
		FROM transit.feed f JOIN transit.feed_version v USING (feed_id)
		WHERE f.alias = $1 ORDER BY v.version_id DESC`, alias)
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", alias, err)
	}
	return versions, nil
}

// OneReport returns the report of a version of a feed; version 0 means the last import.
func OneReport(ctx context.Context, deps run.Deps, alias string, version int32) (*Report, error) {
	r := &Report{}
	var id int32
	err := deps.DB.QueryRow(ctx, `
		SELECT v.version_id, v.report
		FROM transit.feed f JOIN transit.feed_version v USING (feed_id)
		WHERE f.alias = $1 AND ($2 = 0 OR v.version_id = $2) AND v.report IS NOT NULL
		ORDER BY v.version_id DESC LIMIT 1`, alias, version).Scan(&id, r)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && version == 0:
		return nil, fmt.Errorf("feed %s has never been imported: %w", alias, ErrNoFeed)
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("feed %s has no version %d: %w", alias, version, ErrNoFeed)
	case err != nil:
		return nil, fmt.Errorf("read the report of %s: %w", alias, err)
	}
	r.Lines, err = pg.List[Line](ctx, deps.DB, `
		SELECT code, effect, file, coalesce(line, 0) AS line, coalesce(field, '') AS field, coalesce(value, '') AS value,
		       reason, coalesce(row_id, '') AS row_id, coalesce(shape_id, '') AS shape_id
		FROM transit.audit_line WHERE version_id = $1 ORDER BY n`, id)
	if err != nil {
		return nil, fmt.Errorf("read the audit of %s: %w", alias, err)
	}
	return r, nil
}
