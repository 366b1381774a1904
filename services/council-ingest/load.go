package councilingest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
)

// A Document is minutes from a file, to be loaded as those of one meeting.
type Document struct {
	MeetingID int64
	Date      string // local, YYYY-MM-DD
	Bytes     []byte // a PDF, or text
	// Type of the meeting as the source writes it; empty: Regular Meeting.
	Type string
}

// Load archives minutes from a file and derives their votes, as if the portal had
// shown them. A meeting that is known already keeps what the portal said of it.
// Load ends like an ingest: with the files for download, and the announcement.
func Load(ctx context.Context, deps run.Deps, set *Settings, doc Document) (Summary, error) {
	d := newDesk(deps, set)
	date, err := time.ParseInLocation(time.DateOnly, doc.Date, set.zone)
	switch {
	case doc.MeetingID <= 0:
		return Summary{}, fmt.Errorf("meeting id %d is not greater than 0", doc.MeetingID)
	case err != nil:
		return Summary{}, fmt.Errorf("date %q is not a day, written YYYY-MM-DD", doc.Date)
	case len(doc.Bytes) > doctext.MaxBytes:
		return Summary{}, fmt.Errorf("document of %d bytes is larger than %d", len(doc.Bytes), doctext.MaxBytes)
	}
	now := d.now()
	text, err := doctext.Read(ctx, doc.Bytes)
	if err != nil {
		return Summary{}, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	put := archive.Document{Bytes: doc.Bytes, MediaType: doctext.MediaType(doc.Bytes), Fetched: now, Text: text}
	if err := d.keep(ctx, &put); err != nil {
		return Summary{}, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	sum := Summary{Meetings: 1}
	changed, err := d.write(ctx, func(tx pgx.Tx) (bool, error) {
		known, err := archive.Known(ctx, tx, doc.MeetingID)
		if err != nil {
			return false, err
		}
		changed := false
		if !known {
			if changed, err = archive.PutMeeting(ctx, tx, d.fromFile(doc, date), d.run, now); err != nil {
				return false, err
			}
		}
		archived, err := archive.PutMinutes(ctx, tx, doc.MeetingID, put)
		if err != nil {
			return false, err
		}
		published, err := d.publish(ctx, tx, doc.MeetingID)
		return changed || archived || published, err
	})
	if err != nil {
		return sum, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	if changed {
		sum.Changed = 1
	}
	if !put.Verdict.Readable() {
		sum.Unreadable = 1
	}
	if err := d.deps.DB.QueryRow(ctx, `
		SELECT vote_count, (SELECT count(*) FROM council.anomaly WHERE iqm2_id = $1) FROM council.meeting WHERE iqm2_id = $1`,
		doc.MeetingID).Scan(&sum.Votes, &sum.Anomalies); err != nil {
		return sum, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	return sum, d.finish(ctx, sum.Changed > 0)
}

// fromFile is what is known of a meeting of which only a document is known.
func (d *desk) fromFile(doc Document, start time.Time) archive.Meeting {
	kind := doc.Type
	if kind == "" {
		kind = "Regular Meeting"
	}
	m := archive.Meeting{ID: doc.MeetingID, Body: d.set.Body, Type: council.MeetingTypeOf(kind, d.set.MeetingTypes), TypeRaw: kind,
		Date: doc.Date, StartsAt: start.UTC(), Title: d.set.Body + " - " + kind}
	all, _ := d.set.sources() // what is wrong was reported when the settings were read
	for _, src := range all {
		if page := src.page(doc.MeetingID); page != "" && src.covers(start) {
			m.SourceURL = &page
		}
	}
	return m
}
