package edition

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"time"
	_ "time/tzdata" // time zones for systems without time zones

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Feed is an alias with the version that it serves. It is immutable: an import replaces it.
type Feed struct {
	Alias    string
	Name     string
	Version  replica.Version // version in transit.feed_version
	SHA256   string
	Zone     *time.Location // time zone of the first agency
	FirstDay *rest.Date
	LastDay  *rest.Date
	Counts   Counts
	*Edition // nil if no edition is loaded; see Refusal
	// Refusal is the error for every request about the feed; nil if the feed is served.
	Refusal    *rest.Error
	Generation rest.Generation

	noBoards *rest.Error // set if the edition has no calendar
}

// Feeds has all feeds at one moment.
type Feeds struct {
	ByAlias    map[string]*Feed
	Sorted     []*Feed // sorted by alias
	Generation rest.Generation
}

// BoardsUnavailable returns the error for a request for departure boards; nil if the feed has
// boards.
func (f *Feed) BoardsUnavailable() error {
	switch {
	case f.Edition == nil && f.Refusal != nil:
		return f.Refusal
	case f.Edition != nil && !f.calendar:
		return f.noBoards
	}
	return nil
}

// Key returns the argument of queries about the feed's version.
func (f *Feed) Key() VersionKey { return VersionKey{f.Version} }

// Ranks returns the query arguments for a span.
func (f *Feed) Ranks(s Span) Ranks { return Ranks{f.Version, s.First, s.First + s.Count} }

var (
	errLoading = rest.Unavailable(2*time.Second, "the feed is loading; try again soon")
	errNoFeeds = rest.Unavailable(5*time.Second, "the database cannot be reached; try again soon")
)

// tooLarge returns the error for data that does not fit into limit bytes.
func (c Counts) tooLarge(what string, limit int64) *rest.Error {
	const text = 64 // average length of a row's texts, in bytes
	needs := c["stop"]*(stopBytes+text) + (c["agency"]+c["route"])*(routeBytes+text) + c["trip"]*(tripBytes+text) +
		c["service"]*(serviceBytes+text) + c["service_date"]*dayBytes
	return &rest.Error{Status: http.StatusServiceUnavailable,
		Detail: fmt.Sprintf("%s is too large: about %d of %d bytes; "+
			"the operator can raise TRANSIT_FEED_BYTES", what, max(int64(needs), limit+limit/4), limit)}
}

// Counts is the number of rows of a version, keyed by table of schema transit.
type Counts map[string]int

type feedRow struct {
	FeedID     int32
	Alias      string
	Name       string
	VersionID  replica.Version
	Generation int64
	UpdatedAt  rest.Time
	SHA256     []byte `db:"sha256"`
	TimeZone   *string
	FirstDay   *rest.Date
	LastDay    *rest.Date
	Counts     Counts
	Gone       bool // removed or never imported, so there is nothing to serve
}

// Removed feeds are listed, too: by their higher generation they differ from feeds that a lagging
// replica does not have yet.
var liveFeeds = rest.SQL[rest.None, feedRow](`
	SELECT f.feed_id, f.alias, f.name, coalesce(f.version_id, 0) AS version_id, f.generation, f.updated_at,
	       v.sha256, v.time_zone, v.first_day, v.last_day, coalesce(v.counts, '{}') AS counts,
	       f.removed_at IS NOT NULL OR v.version_id IS NULL AS gone
	FROM transit.feed f LEFT JOIN transit.feed_version v ON v.version_id = f.version_id
	ORDER BY f.alias`)

// isBefore reports whether a row is an earlier state of its feed. The generation of a feed only
// increases. If the alias belongs to another feed, as after a restore, the time decides.
func (row *feedRow) isBefore(old *feedRow) bool {
	if row.FeedID == old.FeedID {
		return row.state().IsBefore(old.state())
	}
	return row.UpdatedAt.Before(old.UpdatedAt.Time)
}

func (row *feedRow) state() pg.State {
	return pg.State{Counter: row.Generation, Time: row.UpdatedAt.Time}
}

// number identifies the state of a feed. The generation is not enough, because it repeats if a feed
// or a database is removed and created again: clients would keep bodies of another feed with the
// same ETag.
func (row *feedRow) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %d %d %x", row.FeedID, row.VersionID, row.Generation, row.UpdatedAt.UnixMicro(), row.SHA256)
	return int64(h.Sum64())
}
