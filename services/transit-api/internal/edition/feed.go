package edition

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"
	_ "time/tzdata" // time zones, for systems that have none

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Feed is one alias and the version that it serves now. It never changes: an import replaces it.
type Feed struct {
	Alias    string
	Name     string
	Version  replica.Version // of transit.feed_version; every query is for this version
	SHA256   string
	Zone     *time.Location // of the first agency; dates are in this zone
	FirstDay *rest.Date
	LastDay  *rest.Date
	Counts   Counts
	*Edition // nil if none is loaded, see Refusal
	// Refusal is the error for every request about the feed; nil if it is served.
	Refusal    *rest.Error
	Generation rest.Generation

	noBoards *rest.Error // if the edition has no calendar
}

// Feeds holds all feeds at one moment.
type Feeds struct {
	ByAlias    map[string]*Feed
	Sorted     []*Feed // by alias
	Generation rest.Generation
}

// Boards returns why the feed has no departure boards; nil if it has.
func (f *Feed) Boards() *rest.Error {
	switch {
	case f.Edition == nil:
		return f.Refusal
	case !f.calendar:
		return f.noBoards
	}
	return nil
}

// Key returns the argument of a query about the version of the feed.
func (f *Feed) Key() VersionKey { return VersionKey{f.Version} }

// Ranks returns the ranks of all rows of a span.
func (f *Feed) Ranks(s Span) Ranks { return Ranks{f.Version, s.First, s.First + s.Count} }

// Why a feed, or its departure boards, cannot be served.
var (
	errReading = unavailable("the feed is loading; try again soon", "2")
	errNoFeeds = unavailable("the database cannot be reached; try again soon", "5")
)

// tooLarge is the error of what does not fit into so many bytes.
func (c Counts) tooLarge(what string, limit int64) *rest.Error {
	const text = 64 // of a row, on average
	needs := c["stop"]*(stopBytes+text) + (c["agency"]+c["route"])*(routeBytes+text) + c["trip"]*(tripBytes+text) +
		c["service"]*(serviceBytes+text) + c["service_date"]*dayBytes
	return unavailable(fmt.Sprintf("%s is too large: about %d of %d bytes; the operator can raise TRANSIT_FEED_BYTES",
		what, max(int64(needs), limit+limit/4), limit), "")
}

func unavailable(detail, retryAfter string) *rest.Error {
	e := &rest.Error{Status: http.StatusServiceUnavailable, Detail: detail}
	if retryAfter != "" {
		e.Header = http.Header{"Retry-After": {retryAfter}}
	}
	return e
}

// Counts holds the number of rows of a version, by table of schema transit.
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
	Gone       bool // removed or never imported: nothing to serve
}

// Removed feeds are listed too: their higher generation shows that they are removed, and not just
// missing from a late replica.
var liveFeeds = rest.SQL[rest.None, feedRow](`
	SELECT f.feed_id, f.alias, f.name, coalesce(f.version_id, 0) AS version_id, f.generation, f.updated_at,
	       v.sha256, v.time_zone, v.first_day, v.last_day, coalesce(v.counts, '{}') AS counts,
	       f.removed_at IS NOT NULL OR v.version_id IS NULL AS gone
	FROM transit.feed f LEFT JOIN transit.feed_version v ON v.version_id = f.version_id
	ORDER BY f.alias`)

func newFeed(row feedRow) *Feed {
	return &Feed{Alias: row.Alias, Name: row.Name, Version: row.VersionID, SHA256: hex.EncodeToString(row.SHA256),
		Zone:     time.UTC,
		FirstDay: row.FirstDay, LastDay: row.LastDay, Counts: row.Counts}
}

// before reports whether a row is an earlier state of its feed. One feed counts its generations;
// for two feeds with the same alias, as after a restore, the time decides.
func (row *feedRow) before(old *feedRow) bool {
	if row.FeedID == old.FeedID {
		return row.Generation < old.Generation
	}
	return row.UpdatedAt.Before(old.UpdatedAt.Time)
}

// number identifies the state of a feed. The counter alone would repeat if a feed or a database is
// removed and created again; clients would then keep bodies of another feed under the same tag.
func (row *feedRow) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %d %d %x", row.FeedID, row.VersionID, row.Generation, row.UpdatedAt.UnixMicro(), row.SHA256)
	return int64(h.Sum64())
}
