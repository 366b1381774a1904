// Package load stores minutes from a file as those of one meeting, for councils without a portal
// that can be read. It asks nobody.
package load

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// Minutes is minutes from a file, to be loaded as those of one meeting.
type Minutes struct {
	MeetingID int64
	Date      string // local, YYYY-MM-DD
	Bytes     []byte // a PDF, or text
	// Type of the meeting as the source writes it; empty: Regular Meeting.
	Type string
}

// Load archives minutes from a file and derives their votes, as if the portal had
// shown them. A meeting that is known already keeps what the portal said of it.
// Load ends like an ingest: with the files for download, and the announcement.
func Load(ctx context.Context, deps run.Deps, set *settings.Settings, doc Minutes) (desk.Summary, error) {
	d := publish.New(deps, set)
	date, err := time.ParseInLocation(time.DateOnly, doc.Date, set.Zone())
	switch {
	case doc.MeetingID <= 0:
		return desk.Summary{}, fmt.Errorf("meeting id %d is not greater than 0", doc.MeetingID)
	case err != nil:
		return desk.Summary{}, fmt.Errorf("date %q is not a day, written YYYY-MM-DD", doc.Date)
	case len(doc.Bytes) > doctext.MaxBytes:
		return desk.Summary{}, fmt.Errorf("document of %d bytes is larger than %d", len(doc.Bytes), doctext.MaxBytes)
	}
	now := d.Now()
	text, err := doctext.Read(ctx, doc.Bytes)
	if err != nil {
		return desk.Summary{}, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	put := archive.Document{Bytes: doc.Bytes, MediaType: doctext.MediaType(doc.Bytes), Fetched: now, Text: text}
	if err := d.Keep(ctx, &put); err != nil {
		return desk.Summary{}, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	sum := desk.Summary{Meetings: 1}
	changed, err := d.Write(ctx, func(tx pgx.Tx) (added bool, err error) {
		known, err := archive.Known(ctx, tx, doc.MeetingID)
		if err == nil && !known {
			added, err = archive.PutMeeting(ctx, tx, fromFile(set, doc, date), d.Run, now)
		}
		if err != nil {
			return false, err
		}
		archived, err := archive.PutMinutes(ctx, tx, doc.MeetingID, put)
		if err != nil {
			return false, err
		}
		published, err := d.Publish(ctx, tx, doc.MeetingID)
		return added || archived || published, err
	})
	if changed {
		sum.Changed = 1
	}
	if err == nil && !put.Verdict.Readable() {
		sum.Unreadable = 1
	}
	if err == nil {
		err = deps.DB.QueryRow(ctx, `
			SELECT vote_count, (SELECT count(*) FROM council.anomaly WHERE iqm2_id = $1) FROM council.meeting
			       WHERE iqm2_id = $1`,
			doc.MeetingID).Scan(&sum.Votes, &sum.Anomalies)
	}
	if err != nil {
		return sum, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	return sum, d.Finish(ctx, changed)
}

// fromFile is what is known of a meeting of which only a document is known.
func fromFile(set *settings.Settings, doc Minutes, start time.Time) archive.Meeting {
	kind := cmp.Or(doc.Type, "Regular Meeting")
	m := archive.Meeting{ID: doc.MeetingID, Body: set.Body, Type: council.MeetingTypeOf(kind, set.MeetingTypes),
		TypeRaw: kind,
		Date:    doc.Date, StartsAt: start.UTC(), Title: set.Body + " - " + kind}
	all, _ := set.Sources() // what is wrong was reported when the settings were read
	for _, src := range all {
		if page := src.Page(doc.MeetingID); page != "" && src.Covers(start) {
			m.SourceURL = &page
		}
	}
	return m
}
