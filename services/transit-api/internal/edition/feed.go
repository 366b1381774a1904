package edition

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"
	_ "time/tzdata" // agencies' time zones, also where the system has none

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Feed is one alias and the version that it serves now. It never changes: an import puts another in its place.
type Feed struct {
	Alias    string
	Name     string
	Version  replica.Version // of transit.feed_version; every query is for this version
	SHA256   string
	Zone     *time.Location // of the first agency; dates are local to it
	FirstDay *rest.Date
	LastDay  *rest.Date
	Counts   Counts
	*Edition // nil while there is none, see Refusal
	// Refusal is why nothing of the feed is answered.
	Refusal    *rest.Error
	Generation rest.Generation // Ref is this
}

// Feeds is all feeds at one moment.
type Feeds struct {
	ByAlias    map[string]*Feed
	Sorted     []*Feed // by alias
	Generation rest.Generation
}

// Boards is why no departure board is made of the feed; nil when one can be.
func (f *Feed) Boards() *rest.Error {
	switch {
	case f.Edition == nil:
		return f.Refusal
	case !f.calendar:
		return errNoBoards
	}
	return nil
}

// Ranks are all rows of a span.
func (f *Feed) Ranks(s Span) Ranks { return Ranks{f.Version, s.First, s.First + s.Count} }

// Why a feed, or what needs its calendar, is not answered.
var (
	errReading  = unavailable("the feed is being read; try again soon", "2")
	errNoRoom   = unavailable("the feed is too large for this deployment; its operator can raise TRANSIT_FEED_BYTES", "")
	errNoBoards = unavailable("the calendar of the feed is too large for departure boards of this deployment; its operator can raise TRANSIT_FEED_BYTES", "")
	errNoFeeds  = unavailable("the database cannot be reached; try again soon", "5")
)

func unavailable(detail, retryAfter string) *rest.Error {
	e := &rest.Error{Status: http.StatusServiceUnavailable, Detail: detail}
	if retryAfter != "" {
		e.Header = http.Header{"Retry-After": {retryAfter}}
	}
	return e
}

// Counts are the rows of a version, by table of transit.
type Counts struct {
	Agency      int `json:"agency"`
	Route       int `json:"route"`
	Stop        int `json:"stop"`
	Service     int `json:"service"`
	ServiceDate int `json:"service_date"`
	Trip        int `json:"trip"`
	StopTime    int `json:"stop_time"`
	Shape       int `json:"shape"`
	ShapePoint  int `json:"shape_point"`
	Frequency   int `json:"frequency"`
}

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
	Gone       bool // removed, or never imported: it serves nothing
}

// Feeds that are gone are listed too: their generation, which is higher, shows that they are not just unknown to a late replica.
var liveFeeds = rest.SQL[rest.None, feedRow](`
	SELECT f.feed_id, f.alias, f.name, coalesce(f.version_id, 0) AS version_id, f.generation, f.updated_at,
	       v.sha256, v.time_zone, v.first_day, v.last_day, coalesce(v.counts, '{}') AS counts,
	       f.removed_at IS NOT NULL OR v.version_id IS NULL AS gone
	FROM transit.feed f LEFT JOIN transit.feed_version v ON v.version_id = f.version_id
	ORDER BY f.alias`)

func newFeed(row feedRow) *Feed {
	return &Feed{Alias: row.Alias, Name: row.Name, Version: row.VersionID, SHA256: hex.EncodeToString(row.SHA256), Zone: time.UTC,
		FirstDay: row.FirstDay, LastDay: row.LastDay, Counts: row.Counts}
}

// before reports whether a row is of an earlier state of its feed. The same feed counts its generations; of two feeds with one
// alias, as after a restore, the time decides.
func (row *feedRow) before(old *feedRow) bool {
	if row.FeedID == old.FeedID {
		return row.Generation < old.Generation
	}
	return row.UpdatedAt.Before(old.UpdatedAt.Time)
}

// number names the state of a feed. The counter alone would repeat itself when a feed is removed and made
// again, or when a database is; clients would keep bodies of another feed under the same tag.
func (row *feedRow) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %d %d %x", row.FeedID, row.VersionID, row.Generation, row.UpdatedAt.UnixMicro(), row.SHA256)
	return int64(h.Sum64())
}
