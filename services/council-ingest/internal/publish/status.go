package publish

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
)

// overAfter is how long after its start a meeting is taken for over. Councils sit long.
const overAfter = 8 * time.Hour

// due is the status that a meeting's ground asks for, and why.
func due(g archive.Ground, now time.Time) (council.Status, string) {
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
func (p *Publisher) passStatus(ctx context.Context, tx pgx.Tx, g archive.Ground, now time.Time) (bool, error) {
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

// wayTo is the shortest row of transitions from one status to another; nil when
// there is none, or nothing to do.
func wayTo(from, to council.Status) []council.Status {
	if from == to {
		return nil
	}
	before := map[council.Status]council.Status{from: from}
	for queue := []council.Status{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range council.Statuses() {
			if _, seen := before[next]; seen || !queue[0].MayBecome(next) {
				continue
			}
			before[next] = queue[0]
			queue = append(queue, next)
		}
	}
	if _, reached := before[to]; !reached {
		return nil
	}
	var way []council.Status
	for s := to; s != from; s = before[s] {
		way = append([]council.Status{s}, way...)
	}
	return way
}
