package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/desk"
)

// overAfter is how long after its start a meeting is taken for over. Councils sit long.
const overAfter = 8 * time.Hour

// due is the status that a meeting's ground asks for, and why.
func due(g archive.Input, now time.Time) (council.Status, string) {
	switch {
	case g.Cancelled:
		return council.StatusCancelled, "cancelled on the portal"
	case g.Latest != nil && g.Latest.Verdict.Readable():
		return council.StatusComplete, "minutes archived and parsed"
	case g.Latest != nil:
		return council.StatusParseError, "minutes archived but not parsed: " + g.Latest.Error
	case !now.Before(g.StartsAt.Add(overAfter)):
		return council.StatusMinutesPending, "the meeting is over, no approved minutes yet"
	case g.HasAgenda || len(g.Outline) > 0:
		return council.StatusAgendaOnly, "agenda read"
	}
	return council.StatusDiscovered, "on the calendar"
}

// passStatus takes a meeting to the status that is due, by transitions that
// exist, and records each. Where none leads there, the meeting stays what it is: a meeting
// whose votes are known is not cancelled, whatever the calendar says later.
func (p *Publisher) passStatus(ctx context.Context, tx pgx.Tx, g archive.Input, now time.Time) (bool, error) {
	to, why := due(g, now)
	way := wayTo(g.Status, to)
	from := g.Status
	for i, next := range way {
		reason := why
		if i < len(way)-1 {
			reason = onTheWay(from, next)
		}
		if err := archive.SetStatus(ctx, tx, g.ID, from, next, reason, p.Run, now); err != nil {
			return false, err
		}
		from = next
	}
	return len(way) > 0, nil
}

func onTheWay(from, next council.Status) string {
	switch {
	case from == council.StatusCancelled:
		return "no longer cancelled on the portal"
	case next == council.StatusMinutesPending:
		return "the meeting is over"
	}
	return "on the way"
}

// wayTo is the shortest row of transitions from one status to another; nil if there is none, or
// nothing to do. None is longer than two.
func wayTo(from, to council.Status) []council.Status {
	switch {
	case from == to:
		return nil
	case from.MayBecome(to):
		return []council.Status{to}
	}
	for _, by := range council.Statuses() {
		if from.MayBecome(by) && by.MayBecome(to) {
			return []council.Status{by, to}
		}
	}
	return nil
}

// PassTime takes meetings to minutes_pending that are over and no visit came to: the portal does
// not list them any more.
func (p *Publisher) PassTime(ctx context.Context, sum *desk.Summary) error {
	ids, err := pg.Column[int64](ctx, p.Deps.DB, `
		SELECT iqm2_id FROM council.meeting WHERE status IN ('discovered', 'agenda_only')
		       AND starts_at <= $1 ORDER BY iqm2_id`, p.Now().Add(-overAfter))
	if err != nil {
		return fmt.Errorf("ingest: look for meetings that are over: %w", err)
	}
	for _, id := range ids {
		changed, err := p.Write(ctx, func(tx pgx.Tx) (bool, error) { return p.Publish(ctx, tx, id) })
		err = desk.Unstored(err)
		switch {
		case ctx.Err() != nil || errors.Is(err, desk.ErrDatabase):
			return fmt.Errorf("ingest: meeting %d: %w", id, err)
		case err != nil:
			sum.Failed++
			p.Deps.Log.Warn("a meeting could not be published; it is tried again later", "meeting", id, "error", err)
		}
		if changed {
			sum.Changed++
		}
	}
	return nil
}
