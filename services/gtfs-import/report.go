package gtfsimport

import (
	"time"

	"github.com/townline/townline/services/gtfs-import/internal/audit"
)

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

// A FileReport counts the rows of one file. Read is the sum of LeftOut, Hidden by manual rows, Added, Changed and
// Unchanged. The last three, and Removed, compare with the previous version by the file's key.
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
