// Package gtfs defines the files, columns and values of GTFS Schedule
// (https://gtfs.org/documentation/schedule/reference/), and reads feeds.
//
// OpenZip opens an untrusted zip, and Feed.Open streams the rows of one file. A problem of a row or
// a cell is reported to Options.Note, and reading continues. Only a damaged archive or one beyond
// the Limits is an error. services/gtfs-import stores the rows in the tables of pkg/schema/transit.
package gtfs

import (
	"cmp"
	"errors"
	"fmt"
)

// Limits bound a feed; a larger one is refused. A zero field means the default, which is far above
// any known feed.
type Limits struct {
	// Entries of the zip, of any kind. Default 10,000.
	Entries int
	// FileBytes of one file after expansion. Default 8 GiB.
	FileBytes int64
	// TotalBytes of all files after expansion. Default 16 GiB.
	TotalBytes int64
	// Ratio of expanded to compressed bytes, for files above 1 MiB. Real timetables reach 40, a bomb
	// of zeros 1,000. Default 250.
	Ratio int64
	// RowBytes of one row, line ends in quotes included. Default 1 MiB.
	RowBytes int
	// CellBytes of one cell; a longer one is emptied. Default 64 KiB.
	CellBytes int
	// Columns of a file; further ones are ignored. Default 1,000.
	Columns int
}

func (l Limits) orDefault() Limits {
	return Limits{
		Entries: cmp.Or(l.Entries, 10_000), FileBytes: cmp.Or(l.FileBytes, 8<<30), TotalBytes: cmp.Or(l.TotalBytes, 16<<30),
		Ratio: cmp.Or(l.Ratio, 250), RowBytes: cmp.Or(l.RowBytes, 1<<20), CellBytes: cmp.Or(l.CellBytes, 64<<10),
		Columns: cmp.Or(l.Columns, 1000),
	}
}

// ErrUnreadable is wrapped by every error about the archive: not a zip, truncated, a wrong
// checksum, or above a limit.
var ErrUnreadable = errors.New("unreadable feed")

func unreadable(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnreadable}, args...)...)
}
