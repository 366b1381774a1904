package councilingest

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// Minutes is a file with the minutes of one meeting.
type Minutes struct {
	MeetingID int64
	Date      string // local date, YYYY-MM-DD
	Bytes     []byte // PDF or text
	Type      string // type of the meeting as printed; "" means Regular Meeting
}

// Load archives minutes from a file and publishes their votes, as if a portal had published them.
// It keeps the portal's data if the meeting is already stored. Like an ingest, it writes votes.csv
// at the end and announces the change.
func Load(ctx context.Context, deps run.Deps, set *settings.Settings, doc Minutes) (writer.Summary, error) {
	p := publish.New(deps, set)
	date, err := time.ParseInLocation(time.DateOnly, doc.Date, set.Zone())
	switch {
	case doc.MeetingID <= 0:
		return writer.Summary{}, fmt.Errorf("meeting id %d is not greater than 0", doc.MeetingID)
	case err != nil:
		return writer.Summary{}, fmt.Errorf("date %q is not a day, written YYYY-MM-DD", doc.Date)
	case len(doc.Bytes) > doctext.MaxBytes:
		return writer.Summary{}, fmt.Errorf("document of %d bytes is larger than %d", len(doc.Bytes), doctext.MaxBytes)
	}
	sum, changed, err := load(ctx, p, set, doc, date)
	if err != nil {
		return sum, fmt.Errorf("load meeting %d: %w", doc.MeetingID, err)
	}
	return sum, p.Finish(ctx, changed)
}

func load(ctx context.Context, p *publish.Publisher, set *settings.Settings, doc Minutes,
	date time.Time) (sum writer.Summary, changed bool, err error) {
	now := p.Now()
	text, err := doctext.Read(ctx, doc.Bytes)
	if err != nil {
		return sum, false, err
	}
	put := archive.Document{Bytes: doc.Bytes, MediaType: doctext.MediaType(doc.Bytes), Fetched: now, Text: text}
	if err := p.StoreBytes(ctx, &put); err != nil {
		return sum, false, err
	}
	sum.Meetings = 1
	changed, err = p.Write(ctx, func(tx pgx.Tx) (added bool, err error) {
		exists, err := archive.HasMeeting(ctx, tx, doc.MeetingID)
		if err == nil && !exists {
			added, err = archive.PutMeeting(ctx, tx, meetingOf(set, doc, date), p.Run, now)
		}
		if err != nil {
			return false, err
		}
		archived, err := archive.PutMinutes(ctx, tx, doc.MeetingID, put)
		if err != nil {
			return false, err
		}
		published, err := p.Publish(ctx, tx, doc.MeetingID)
		return added || archived || published, err
	})
	if changed {
		sum.Changed = 1
	}
	if err != nil {
		return sum, changed, err
	}
	if !put.Verdict.Readable() {
		sum.Unreadable = 1
	}
	err = p.Deps.DB.QueryRow(ctx, `
		SELECT vote_count, (SELECT count(*) FROM council.anomaly WHERE iqm2_id = $1) FROM council.meeting
		       WHERE iqm2_id = $1`, doc.MeetingID).Scan(&sum.Votes, &sum.Anomalies)
	return sum, changed, err
}

func meetingOf(set *settings.Settings, doc Minutes, start time.Time) archive.Meeting {
	kind := cmp.Or(doc.Type, "Regular Meeting")
	m := archive.Meeting{ID: doc.MeetingID, Body: set.Body, Type: council.MeetingTypeOf(kind, set.MeetingTypes),
		TypeRaw: kind, Date: doc.Date, StartsAt: start.UTC(), Title: set.Body + " - " + kind}
	all, _ := set.Sources() // its error was reported when the settings were read
	for _, src := range all {
		if page := src.Page(doc.MeetingID); page != "" && src.Covers(start) {
			m.SourceURL = &page
		}
	}
	return m
}
