// Package gtfs defines the files, columns and values of GTFS Schedule
// (https://gtfs.org/documentation/schedule/reference/), and reads feeds.
//
// OpenZip opens an untrusted zip, and Feed.Open streams the rows of one file. A problem of a row or
// a cell is reported to Options.Note, and reading continues. Only an archive that is damaged or
// exceeds the Limits is an error. services/gtfs-import stores the rows in the tables of
// pkg/schema/transit.
package gtfs

import (
	"cmp"
	"errors"
	"fmt"
)

// Limits bound the size of a feed. A larger feed is refused. A zero field means the default, which
// is far above any known feed.
type Limits struct {
	// Entries is the number of entries of the zip, of any kind. Default 10,000.
	Entries int
	// FileBytes is the size of one decompressed file. Default 8 GiB.
	FileBytes int64
	// TotalBytes is the size of all decompressed files. Default 16 GiB.
	TotalBytes int64
	// Ratio is the ratio of decompressed to compressed bytes, for files above 1 MiB. Real timetables
	// reach 40, a zip bomb 1,000. Default 250.
	Ratio int64
	// RowBytes is the size of one row, including line ends in quotes. Default 1 MiB.
	RowBytes int
	// CellBytes is the size of one cell. A longer cell is emptied. Default 64 KiB.
	CellBytes int
	// Columns is the number of columns of a file. Further columns are ignored. Default 1,000.
	Columns int
}

func (l Limits) orDefault() Limits {
	return Limits{
		Entries: cmp.Or(l.Entries, 10_000), FileBytes: cmp.Or(l.FileBytes, 8<<30), TotalBytes: cmp.Or(l.TotalBytes, 16<<30),
		Ratio: cmp.Or(l.Ratio, 250), RowBytes: cmp.Or(l.RowBytes, 1<<20), CellBytes: cmp.Or(l.CellBytes, 64<<10),
		Columns: cmp.Or(l.Columns, 1000),
	}
}

// ErrUnreadable is wrapped by every error about the archive: it is not a zip, is truncated, has a
// wrong checksum, or exceeds a limit.
var ErrUnreadable = errors.New("unreadable feed")

func unreadable(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnreadable}, args...)...)
}
