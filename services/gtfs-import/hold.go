package gtfsimport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/gtfs-import/internal/diff"
	"github.com/townline/townline/services/gtfs-import/internal/load"
)

// ErrHeld is wrapped by the error for a version that is held until an operator decides.
var ErrHeld = errors.New("the version is held")

// A hold is why a version must not become live now. It is an error, so that it ends the import.
type hold struct {
	why *notice.Hold
	// from is when the version becomes live by itself; nil if an operator must decide.
	from *time.Time
}

func (h *hold) Error() string { return "the version is held: " + h.reason() }

// reason returns the reason in English.
func (h *hold) reason() string {
	text := h.why.Text(notice.English())
	if h.from != nil {
		text += "; it becomes live on " + h.from.Format(time.DateOnly)
	}
	return text
}

const (
	// lossDays is the number of days in which a new version must keep half of the departures.
	lossDays = 7
	// holdDays is how many days ahead the first day without such a loss is looked for.
	holdDays = 60
)

// errorOf returns the hold or the error, of which one is nil.
func errorOf(h *hold, err error) error {
	if h != nil {
		return h
	}
	return err
}

// held returns why the new version must not become live now; nil if it may.
func (im *importer) held(ctx context.Context, conn *pgx.Conn, r *load.Result, version int32) (*hold, error) {
	switch {
	case im.Force:
		return nil, nil
	case r.Unreadable != nil:
		return &hold{why: r.Unreadable}, nil
	case im.feed.VersionID == 0:
		return nil, nil
	}
	zone, err := time.LoadLocation(r.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	y, m, d := cmp.Or(im.Today, im.start).In(zone).Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	old, err := diff.Departures(ctx, conn, im.feed.VersionID, today, holdDays)
	if err != nil {
		return nil, err
	}
	next, err := diff.Departures(ctx, conn, version, today, holdDays)
	if err != nil {
		return nil, err
	}
	why, day := compareDepartures(old, next, nextService(r.RunsOn, check.Day(today)))
	if why == nil {
		return nil, nil
	}
	h := &hold{why: why}
	if day > 0 {
		from := time.Date(y, m, d+day, 0, 0, 0, 0, zone)
		h.from = &from
	}
	return h, nil
}

// nextService returns in how many days a version starts to run; 0 if it runs today, or ran in the
// last week. -1 means that it never runs again.
func nextService(runsOn []check.Days, today int32) int {
	for _, days := range runsOn {
		switch {
		case days.Last < today-lossDays:
		case days.First <= today:
			return 0
		default:
			return int(days.First - today)
		}
	}
	return -1
}

// compareDepartures compares the departures of the live version and the next one on each day from
// today on. It returns why the next version must wait, nil if it need not, and for how many days; 0
// if the days do not tell. starts is the result of nextService.
func compareDepartures(old, next []int64, starts int) (why *notice.Hold, days int) {
	loses := func(day int) bool { return 2*sum(next, day) < sum(old, day) }
	first := 1
	switch {
	case starts > 0 && total(old[:min(starts, len(old))]) > 0:
		if starts+lossDays > len(old) || !loses(starts) {
			return &notice.Hold{Code: "later"}, starts
		}
		first = starts
	case starts > 0 || !loses(0):
		return nil, 0
	}
	for day := first; day+lossDays <= len(old); day++ {
		if next[day] > 0 && 2*next[day] >= old[day] && !loses(day) {
			days = day
			break
		}
	}
	return &notice.Hold{Code: "fewer", Fields: lang.Fields{"departures": strconv.FormatInt(sum(next, 0), 10),
		"days": strconv.Itoa(lossDays), "live": strconv.FormatInt(sum(old, 0), 10)}}, days
}

// sum returns the departures of lossDays from a day on.
func sum(departures []int64, day int) int64 { return total(departures[day : day+lossDays]) }

func total(departures []int64) (n int64) {
	for _, d := range departures {
		n += d
	}
	return n
}

// recordHold records a version that is held, and stores its zip. It replaces an earlier one.
func (im *importer) recordHold(ctx context.Context, zip *archive, h *hold) error {
	rep := im.report
	rep.Outcome = Held
	rep.Hold, rep.Reason = h.why, h.reason()
	rep.LiveFrom = h.from
	err := im.writeFeed(ctx, func(tx pgx.Tx) error {
		if err := im.endHold(ctx, tx); err != nil {
			return err
		}
		if err := im.record(ctx, tx, "held", zip); err != nil {
			return err
		}
		if err := zip.store(ctx, tx.Conn(), im.feed.ID); err != nil {
			return err
		}
		// The report of the feed shows the version, hence the generation.
		err := tx.QueryRow(ctx, `
			UPDATE transit.feed
			SET checked_at = now(), check_error = $2, generation = generation + 1, updated_at = now(), removed_at = NULL,
			    etag = CASE WHEN $3 THEN etag ELSE nullif($4, '') END,
			    last_modified = CASE WHEN $3 THEN last_modified ELSE nullif($5, '') END,
			    seen_sha256 = CASE WHEN $3 THEN seen_sha256 ELSE $6 END,
			    url = coalesce(nullif($7, ''), url), encoding = nullif($8, ''), inner_name = nullif($9, '')
			WHERE feed_id = $1 RETURNING generation`, im.feed.ID, im.problemOf(h), im.stored != nil, zip.etag,
			zip.lastModified, zip.sha256[:], im.url(), im.Encoding, im.Inner).Scan(&rep.Generation)
		if err == nil {
			err = pruneZips(ctx, tx, im.feed.ID)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("hold the version (%s): %w", h.reason(), err)
	}
	im.announce(ctx, im.feed.VersionID)
	if h.from != nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrHeld, h.reason())
}

// problemOf returns the reason if an operator must act; otherwise nil.
func (*importer) problemOf(h *hold) *string {
	if h.from != nil {
		return nil
	}
	reason := "held: " + h.reason()
	return &reason
}

// endHold ends the hold of an earlier version, except in an import that does not concern it: of the
// live zip, or of the one before.
func (im *importer) endHold(ctx context.Context, tx pgx.Tx) error {
	if im.stored != nil && !im.isHeld {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE transit.feed_version SET state = 'dropped' WHERE feed_id = $1 AND state = 'held'`,
		im.feed.ID)
	return err
}

// An execer is a connection or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// pruneZips deletes the zips of a feed, or of all feeds if feedID is 0, except those of the live
// version, of the live version before with other bytes, of the held version, and of versions that
// still have tables: clients may be downloading them.
func pruneZips(ctx context.Context, db execer, feedID int32) error {
	_, err := db.Exec(ctx, `
		DELETE FROM transit.feed_zip z
		WHERE (feed_id = $1 OR $1 = 0)
		  AND NOT EXISTS (SELECT FROM transit.feed_version v WHERE v.feed_id = z.feed_id AND v.sha256 = z.sha256
		    AND v.state IN ('staging', 'live', 'held', 'retired'))
		  AND sha256 IS DISTINCT FROM (
		    SELECT v.sha256 FROM transit.feed_version v
		    WHERE v.feed_id = z.feed_id AND v.imported_at IS NOT NULL AND v.sha256 IS DISTINCT FROM (
		      SELECT sha256 FROM transit.feed f JOIN transit.feed_version USING (version_id) WHERE f.feed_id = z.feed_id)
		    ORDER BY v.version_id DESC LIMIT 1)`, feedID)
	return err
}

// due returns the aliases of the feeds with a held version that becomes live now.
func due(ctx context.Context, db pg.Querier) ([]string, error) {
	aliases, err := pg.Column[string](ctx, db, `
		SELECT alias FROM transit.feed f JOIN transit.feed_version v USING (feed_id)
		WHERE v.state = 'held' AND v.live_from <= now() AND f.removed_at IS NULL ORDER BY alias`)
	if err != nil {
		return nil, fmt.Errorf("list held versions: %w", err)
	}
	return aliases, nil
}

// publishDue imports the held versions whose day has come, from their stored zips.
func (s *service) publishDue(ctx context.Context) error {
	aliases, err := due(ctx, s.deps.DB)
	if err != nil {
		return err
	}
	var failed error
	for _, alias := range aliases {
		f := s.feeds[alias]
		err := s.run(ctx, Request{Alias: alias, Name: f.Name, Encoding: f.Encoding, Inner: f.Inner, Held: true})
		if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrRefused) && !errors.Is(err, ErrHeld) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// useHeld makes the held version the source of the import, if there is one. Without Force its day
// must have come. done reports that nothing is left to do: another replica has imported it.
func (im *importer) useHeld() (done bool) {
	f := im.feed
	switch {
	case !im.Held:
	case f == nil || f.HeldSHA256 == nil || !im.Force && !f.HeldIsDue:
		return !im.Force
	default:
		im.stored, im.isHeld = f.HeldSHA256, true
	}
	return false
}
