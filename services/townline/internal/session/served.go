package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/townline/townline/pkg/events"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Served asks the running transit APIs which feeds they serve. Of each feed it returns the answer
// that is furthest behind. apis is how many answered: none without NATS.
func Served(ctx context.Context, bus *events.Bus, log *slog.Logger) (feeds map[string]*eventsv1.FeedServed, apis int) {
	answers, err := events.Ask[eventsv1.FeedsServed](ctx, bus, &eventsv1.FeedsAsked{}, time.Second)
	if err != nil {
		log.Warn("cannot ask the transit APIs what they serve", "error", err)
	}
	feeds = map[string]*eventsv1.FeedServed{}
	for _, a := range answers {
		for _, f := range a.Feeds {
			other := feeds[f.Alias]
			if other == nil || f.VersionId < other.VersionId || f.VersionId == other.VersionId && other.Problem == "" {
				feeds[f.Alias] = f
			}
		}
	}
	return feeds, len(answers)
}
