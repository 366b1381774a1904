package visit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/bodies"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// recentFor is the time after a meeting in which its page and minutes are read again even if its
// row is unchanged, because minutes get approved and corrected.
const recentFor = 120 * 24 * time.Hour

// A storedMeeting has the columns that decide whether to visit a meeting again.
type storedMeeting struct {
	IQM2ID   int64 `db:"iqm2_id"`
	Source   string
	Body     string
	StartsAt time.Time
	RowHash  []byte
}

const selectStored = `SELECT iqm2_id, coalesce(source, '') AS source, body, starts_at, row_sha256 AS row_hash
	FROM council.meeting`

func (v *visitor) storedMeetings(ctx context.Context) (map[int64]*storedMeeting, error) {
	all, err := pg.List[storedMeeting](ctx, v.Deps.DB, selectStored)
	if err != nil {
		return nil, fmt.Errorf("ingest: read stored meetings: %w", err)
	}
	stored := make(map[int64]*storedMeeting, len(all))
	for _, k := range all {
		stored[k.IQM2ID] = &k
	}
	return stored, nil
}

// due selects the meetings to visit: meetings of our body and our days that are new, changed,
// recent or requested. It checks the days, because some portals ignore them. It includes rows
// without a body or time, because the meeting's page has both.
func (v *visitor) due(rows []listed, stored map[int64]*storedMeeting) ([]listed, error) {
	var due []listed
	for _, row := range rows {
		body := row.Body
		if o := v.others[row.id]; body == "" && o.rowHash == row.Hash {
			body = o.body
		}
		ours := body == "" || v.isOurs(bodies.Name{ID: row.BodyID, Text: body})
		if !ours && row.id == v.req.MeetingID {
			return nil, fmt.Errorf("meeting %d is of %q, not of %q", row.id, body, v.body)
		}
		if ours && v.isDue(row, stored[row.id]) {
			due = append(due, row)
		}
	}
	if v.req.MeetingID != 0 && len(due) == 0 {
		return nil, fmt.Errorf("meeting %d %w", v.req.MeetingID, errNotListed)
	}
	// Oldest first, so that ids increase with time, as people expect.
	slices.SortStableFunc(due, func(a, b listed) int { return a.Starts.Compare(b.Starts) })
	return due, nil
}

// isDue reports whether to visit a meeting of our body. k is nil for a new meeting.
func (v *visitor) isDue(row listed, k *storedMeeting) bool {
	if v.req.MeetingID != 0 {
		return row.id == v.req.MeetingID
	}
	if !v.within(row.Starts) || k != nil && v.isElsewhere(k) {
		return false
	}
	if k == nil {
		return true
	}
	starts := row.Starts
	if starts.IsZero() {
		starts = k.StartsAt
	}
	return v.req.All || slices.Contains(v.req.Again, row.id) || !bytes.Equal(k.RowHash, row.Hash[:]) ||
		!row.State.IsCancelled() && v.Now().Sub(starts) < recentFor
}

var errNotListed = errors.New("is not on the portal's calendar")

// changedSince returns the time from which changes are listed, or zero for a full list.
func (v *visitor) changedSince(ctx context.Context) (time.Time, error) {
	if !v.src.Product.Can.Changes {
		return time.Time{}, nil
	}
	var at *time.Time
	var hasMeetings bool
	err := v.Deps.DB.QueryRow(ctx, `SELECT checked_at, EXISTS (SELECT
		FROM council.meeting_key WHERE source = $1) FROM council.dataset`, v.src.Name).Scan(&at, &hasMeetings)
	if err != nil {
		return time.Time{}, writer.MarkStorage(fmt.Errorf("ingest: read the time of the last ingest: %w", err))
	}
	if at == nil || !hasMeetings {
		return time.Time{}, nil
	}
	return at.Add(-overlap), nil
}

// overlap is the time before the last ingest that is listed again, because clocks differ and an
// ingest takes time.
const overlap = 48 * time.Hour

// chooseBody returns the calendar's name of the body whose meetings are stored. If the calendar
// never had that body, it returns an error, because votes of the body would never appear.
func (v *visitor) chooseBody(rows []portal.Meeting, stored map[int64]*storedMeeting) (string, error) {
	body, others := portal.BodyNamed(portal.CountBodies(rows), v.src.Body)
	if body != "" && strings.EqualFold(body, v.src.Body) {
		return body, nil
	}
	// The body may have no meeting on these days.
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		if k := stored[id]; k.RowHash != nil && (strings.EqualFold(k.Body, v.src.Body) || body == "" &&
			portal.EndsIn(k.Body, v.src.Body)) {
			return k.Body, nil
		}
	}
	switch {
	case body != "":
		v.Deps.Log.Info("the calendar has the council under a longer name", "body", v.src.Body, "board", body)
		return body, nil
	case others != "":
		return "", fmt.Errorf("ingest: of the %d meetings on the portal's calendar none is of %q, but of %s: set body in "+
			"council.yaml as the calendar writes it", len(rows), v.src.Body, others)
	}
	return v.src.Body, nil
}

// noneOurs returns the error of an ingest that stored nothing because the pages of all meetings
// name other bodies.
func (v *visitor) noneOurs() error {
	count := map[string]int{}
	for _, o := range v.others {
		count[o.body]++
	}
	body, others := portal.BodyNamed(count, v.src.Body)
	if body != "" {
		others = fmt.Sprintf("%q", body)
	}
	return fmt.Errorf("ingest: of the %d meetings whose pages say whose they are none is of %q, but of %s: set body in "+
		"council.yaml as the pages write it", len(v.others), v.src.Body, others)
}

// The number of a meeting: a meeting of the first IQM2 portal has its id there as number. Any other
// meeting gets a permanent number when it is first listed. If two portals list a meeting at the
// same time, or each lists only one meeting on the same day, that is one meeting with one number.
// It is read from the portal that had it first, until council.yaml limits that portal to other
// days.

// A listed is a meeting in the portal's list, with our number.
type listed struct {
	portal.Meeting
	id int64 // 0 in a dry run if it has no number yet
}

// numbered assigns numbers to meetings. It omits unnumbered meetings of other bodies and other
// days.
func (v *visitor) numbered(ctx context.Context, rows []portal.Meeting) ([]listed, error) {
	out := make([]listed, 0, len(rows))
	if v.src.Plain {
		for _, m := range rows {
			if id, err := strconv.ParseInt(m.ID, 10, 64); err == nil && id > 0 {
				out = append(out, listed{m, id})
			}
		}
		return out, nil
	}
	have, err := archive.Numbers(ctx, v.Deps.DB, v.src.Name)
	if err != nil {
		return nil, writer.MarkStorage(err)
	}
	onDay := map[string]int{}
	for _, m := range rows {
		if v.isOurs(nameOf(m)) {
			onDay[v.bodyKey(m)]++
		}
	}
	_, err = v.Write(ctx, func(tx pgx.Tx) (bool, error) {
		for _, m := range rows {
			id, known := have[m.ID]
			ours := (m.Body == "" || v.isOurs(nameOf(m))) && v.within(m.Starts) && !m.Starts.IsZero()
			if !known && !ours || m.ID == "" {
				continue
			}
			if !known {
				alone := onDay[v.bodyKey(m)] == 1
				id, err = archive.AssignNumber(ctx, tx, v.src.Name, m.ID, m.Starts, alone, v.bodyNames(m))
				if err != nil {
					return false, err
				}
			}
			out = append(out, listed{m, id})
		}
		return false, nil
	})
	if err != nil {
		return nil, writer.MarkStorage(fmt.Errorf("ingest: %w", err))
	}
	return out, nil
}

// isElsewhere reports whether a stored meeting is read from another portal on its day.
func (v *visitor) isElsewhere(k *storedMeeting) bool {
	return slices.ContainsFunc(v.all, func(s settings.PortalSource) bool {
		return s.Name == k.Source && s.Name != v.src.Name && s.Covers(k.StartsAt)
	})
}
