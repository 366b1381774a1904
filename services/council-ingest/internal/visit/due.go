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
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// recent is how long after a meeting its page and minutes are looked at again
// although the calendar shows nothing new: minutes get approved, and corrected.
const recent = 120 * 24 * time.Hour

// A known is what is stored of a meeting that decides whether to visit it again.
type known struct {
	IQM2ID   int64 `db:"iqm2_id"`
	Source   string
	Body     string
	StartsAt time.Time
	Row      []byte
}

const selectKnown = `SELECT iqm2_id, coalesce(source, '') AS source, body, starts_at, row_sha256 AS row
	FROM council.meeting`

// known is what is stored of the meetings, by id.
func (v *visitor) known(ctx context.Context) (map[int64]*known, error) {
	all, err := pg.List[known](ctx, v.Deps.DB, selectKnown)
	if err != nil {
		return nil, fmt.Errorf("ingest: read what is known: %w", err)
	}
	stored := make(map[int64]*known, len(all))
	for _, k := range all {
		stored[k.IQM2ID] = &k
	}
	return stored, nil
}

// due is the rows of meetings to visit: of our board and days, and new, changed, recent, or asked
// for. Not every portal keeps to the days that it is asked for, and what a row does not say is on
// the page.
func (v *visitor) due(rows []listed, stored map[int64]*known) ([]listed, error) {
	var due []listed
	for _, row := range rows {
		board := row.Body
		if o := v.others[row.id]; board == "" && o.row == row.Hash {
			board = o.board
		}
		ours := board == "" || strings.EqualFold(board, v.board)
		if !ours && row.id == v.req.MeetingID {
			return nil, fmt.Errorf("meeting %d is of %q, not of %q", row.id, board, v.board)
		}
		if ours && v.isDue(row, stored[row.id]) {
			due = append(due, row)
		}
	}
	if v.req.MeetingID != 0 && len(due) == 0 {
		return nil, fmt.Errorf("meeting %d %w", v.req.MeetingID, errNotListed)
	}
	// Oldest first: ids count up with time, as people expect.
	slices.SortStableFunc(due, func(a, b listed) int { return a.Starts.Compare(b.Starts) })
	return due, nil
}

// isDue reports whether to visit a meeting of our board, of which k is stored.
func (v *visitor) isDue(row listed, k *known) bool {
	if v.req.MeetingID != 0 {
		return row.id == v.req.MeetingID
	}
	if !v.within(row.Starts) || k != nil && v.elsewhere(k) {
		return false
	}
	if k == nil {
		return true
	}
	starts := row.Starts
	if starts.IsZero() {
		starts = k.StartsAt
	}
	return v.req.All || slices.Contains(v.req.Again, row.id) || !bytes.Equal(k.Row, row.Hash[:]) ||
		!row.State.IsCancelled() && v.Now().Sub(starts) < recent
}

// errNotListed says that a meeting that was asked for is not there.
var errNotListed = errors.New("is not on the portal's calendar")

// checked is since when changes have to be asked for; zero when that is not known.
func (v *visitor) checked(ctx context.Context) (time.Time, error) {
	if !v.src.Product.Can.Changes {
		return time.Time{}, nil
	}
	var at *time.Time
	var here bool
	err := v.Deps.DB.QueryRow(ctx, `SELECT checked_at, EXISTS (SELECT
		FROM council.meeting_key WHERE source = $1) FROM council.dataset`, v.src.Name).Scan(&at, &here)
	if err != nil {
		return time.Time{}, writer.MarkStorage(fmt.Errorf("ingest: read when the portal was looked at: %w", err))
	}
	if at == nil || !here { // of a portal that is new everything is
		return time.Time{}, nil
	}
	return at.Add(-overlap), nil
}

// overlap is how much of the time before the last look is asked for again: clocks differ, and an
// ingest takes its time.
const overlap = 48 * time.Hour

// chooseBoard returns the board whose meetings are kept, as the calendar writes it. A calendar that
// has nothing of it, and never had, is an error: otherwise the operator would wait for votes in
// vain.
func (v *visitor) chooseBoard(rows []portal.Meeting, stored map[int64]*known) (string, error) {
	board, others := portal.BodyNamed(portal.CountBodies(rows), v.src.Body)
	if board != "" && strings.EqualFold(board, v.src.Body) {
		return board, nil
	}
	// Days on which the board does not meet are no reason to take another one.
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		if k := stored[id]; k.Row != nil && (strings.EqualFold(k.Body, v.src.Body) || board == "" &&
			portal.EndsIn(k.Body, v.src.Body)) {
			return k.Body, nil
		}
	}
	switch {
	case board != "":
		v.Deps.Log.Info("the calendar has the council under a longer name", "body", v.src.Body, "board", board)
		return board, nil
	case others != "":
		return "", fmt.Errorf("ingest: of the %d meetings on the portal's calendar none is of %q, but of %s: set body in "+
			"council.yaml as the calendar writes it", len(rows), v.src.Body, others)
	}
	return v.src.Body, nil
}

// noneOurs is the error of an ingest that stored nothing because all meetings belong to other
// boards, by their pages if not by the calendar.
func (v *visitor) noneOurs() error {
	count := map[string]int{}
	for _, o := range v.others {
		count[o.board]++
	}
	board, others := portal.BodyNamed(count, v.src.Body)
	if board != "" {
		others = fmt.Sprintf("%q", board)
	}
	return fmt.Errorf("ingest: of the %d meetings whose pages say whose they are none is of %q, but of %s: set body in "+
		"council.yaml as the pages write it", len(v.others), v.src.Body, others)
}

// The numbers of meetings, and which portal looks after which of them. The first IQM2 portal's ids
// are the numbers. Any other meeting gets one for good when it is listed first. A council that
// moves has one stream of meetings: what two portals list for the same time, or alone for the same
// day, is one meeting with one number, and the portal looks after it that had it first, until it is
// configured for that day no more.

// A listed is a meeting of the portal's list under its number.
type listed struct {
	portal.Meeting
	id int64 // 0 in a dry run for what has none yet
}

// numbered gives the meetings of a list their numbers; those of other boards and days that have
// none stay out.
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
		if strings.EqualFold(m.Body, v.board) {
			onDay[m.Starts.Format(time.DateOnly)]++
		}
	}
	_, err = v.Write(ctx, func(tx pgx.Tx) (bool, error) {
		for _, m := range rows {
			id, known := have[m.ID]
			ours := (m.Body == "" || strings.EqualFold(m.Body, v.board)) && v.within(m.Starts) && !m.Starts.IsZero()
			if !known && !ours || m.ID == "" {
				continue
			}
			if !known {
				alone := onDay[m.Starts.Format(time.DateOnly)] == 1
				id, err = archive.AssignNumber(ctx, tx, v.src.Name, m.ID, m.Starts, alone, v.bodies())
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

// bodies are the names that the council has at its portals, in small letters.
func (v *visitor) bodies() []string {
	names := []string{strings.ToLower(v.board)}
	for _, s := range v.all {
		names = append(names, strings.ToLower(s.Body))
	}
	return names
}

// elsewhere reports whether another portal looks after a stored meeting: one that is configured for
// its day.
func (v *visitor) elsewhere(k *known) bool {
	return slices.ContainsFunc(v.all, func(s settings.PortalSource) bool {
		return s.Name == k.Source && s.Name != v.src.Name && s.Covers(k.StartsAt)
	})
}
