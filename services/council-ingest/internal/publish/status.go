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
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// overAfter is the time after its start at which a meeting counts as over. The time is long, because
// some meetings are long.
const overAfter = 8 * time.Hour

// statusOf returns the status that a meeting should have, and the reason. unread says that its
// minutes speak of votes, and that none was read.
func statusOf(g archive.Input, unread bool, now time.Time) (council.Status, string) {
	switch {
	case g.Cancelled:
		return council.StatusCancelled, "cancelled on the portal"
	case g.Latest != nil && g.Latest.Verdict.Readable() && unread:
		return council.StatusParseError, "minutes archived, but none of the votes that they speak of was read"
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

// updateStatus moves a meeting to the status that it should have, and records each transition. If
// no transitions lead there, the status does not change: a meeting with votes is never cancelled.
func (p *Publisher) updateStatus(ctx context.Context, tx pgx.Tx, d *derived, now time.Time) (bool, error) {
	g := d.Input
	to, why := statusOf(g, d.unread(), now)
	from, path := g.Status, transitions(g.Status, to)
	for i, next := range path {
		change := archive.StatusChange{From: from, To: next, Reason: why, Run: p.Run, At: now}
		if i < len(path)-1 {
			change.Reason = stepReason(from, next)
		}
		if err := archive.SetStatus(ctx, tx, g.ID, change); err != nil {
			return false, err
		}
		from = next
	}
	return len(path) > 0, nil
}

func stepReason(from, next council.Status) string {
	switch {
	case from == council.StatusCancelled:
		return "no longer cancelled on the portal"
	case next == council.StatusMinutesPending:
		return "the meeting is over"
	}
	return "on the way"
}

// transitions returns the shortest path from one status to another, which has at most two steps. It
// returns nil if there is none or if the two are equal.
func transitions(from, to council.Status) []council.Status {
	switch {
	case from == to:
		return nil
	case from.MayBecome(to):
		return []council.Status{to}
	}
	for _, via := range council.Statuses() {
		if from.MayBecome(via) && via.MayBecome(to) {
			return []council.Status{via, to}
		}
	}
	return nil
}

// PublishOver moves meetings that are over to minutes_pending, even if the portal no longer lists
// them.
func (p *Publisher) PublishOver(ctx context.Context, sum *writer.Summary) error {
	ids, err := pg.Column[int64](ctx, p.Deps.DB, `
		SELECT iqm2_id FROM council.meeting WHERE status IN ('discovered', 'agenda_only')
		       AND starts_at <= $1 ORDER BY iqm2_id`, p.Now().Add(-overAfter))
	if err != nil {
		return fmt.Errorf("ingest: read meetings that are over: %w", err)
	}
	for _, id := range ids {
		changed, err := p.Write(ctx, func(tx pgx.Tx) (bool, error) { return p.Publish(ctx, tx, id) })
		err = writer.MarkStorage(err)
		switch {
		case ctx.Err() != nil || errors.Is(err, writer.ErrStorage):
			return fmt.Errorf("ingest: meeting %d: %w", id, err)
		case err != nil:
			sum.Failed++
			p.Deps.Log.Warn("cannot publish meeting; will retry", "meeting", id, "error", err)
		}
		if changed {
			sum.Changed++
		}
	}
	return nil
}
