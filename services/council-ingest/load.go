package councilingest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/classify"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/export"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Document is minutes from a file, to be loaded as those of one meeting.
type Document struct {
	MeetingID int64
	Date      string // local, YYYY-MM-DD
	Bytes     []byte // a PDF, or text
	// Type of the meeting as the source writes it; empty: Regular Meeting.
	Type string
}

// A Summary is what a command did, for the person who called it.
type Summary struct {
	Meetings   int // looked at
	Changed    int // of them
	Votes      int // stored for them now
	Anomalies  int // likewise
	Failed     int // meetings that could not be read; the log says why
	Unreadable int // documents that ended as parse_error
	Forbidden  int // pages and documents that robots.txt keeps from us; they do not make a meeting fail
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
		settled, err := d.settle(ctx, tx, doc.MeetingID)
		return changed || archived || settled, err
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
	if page := portal.MeetingURL(d.set.Portal.URL, doc.MeetingID); page != "" {
		m.SourceURL = &page
	}
	return m
}

// finish ends an ingest or a re-parse: items get their topics and, if anything changed since the last one, votes.csv is
// written anew. The end of an ingest that changed something is the dataset's last_ingest_at; a re-parse, which may run
// beside an ingest, leaves that alone. What changed nothing leaves every byte of the API as it was.
func (d *desk) finish(ctx context.Context, changed bool) error {
	// Topics are an addition to what was ingested: without them it is complete all the same.
	if sum, err := classify.Run(ctx, d.deps, d.set.Classifier); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		d.deps.Log.Warn("items could not be classified; it will be tried again", "error", err, "done", sum)
	}
	_, err := d.write(ctx, func(tx pgx.Tx) (bool, error) {
		now := d.now()
		written, err := d.export(ctx, tx)
		if err != nil || !written && !changed {
			return false, err
		}
		if d.again {
			return written, nil
		}
		if _, err := tx.Exec(ctx, `UPDATE council.dataset SET last_ingest_at = $1`, now); err != nil {
			return false, fmt.Errorf("end the ingest: %w", err)
		}
		return true, nil
	})
	return err
}

// export writes votes.csv if anything changed since it was written, and tells whether it did. It counts as a change itself:
// the caller raises the generation.
func (d *desk) export(ctx context.Context, tx pgx.Tx) (bool, error) {
	stale, err := export.Stale(ctx, tx)
	if err != nil || !stale {
		return false, err
	}
	var next int64
	if err := tx.QueryRow(ctx, `SELECT generation + 1 FROM council.dataset`).Scan(&next); err != nil {
		return false, fmt.Errorf("export: %w", err)
	}
	return true, export.Write(ctx, tx, next, d.now())
}
