package schedule

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// feedEvery is how often the portal's feed is asked whether an ingest is worth while before its time.
const feedEvery = 15 * time.Minute

// watchFeed asks for an ingest when the feed changes. The feed is a hint: an
// ingest that comes by time finds everything that the feed leaves out. What only the feed
// says is that minutes of long ago were replaced, so its new entries are visited.
func (s *Schedule) watchFeed(ctx context.Context) error {
	loop := run.Loop{Name: "look at the portal's feed", Period: feedEvery, Jitter: time.Minute, MaxBackoff: 4 * feedEvery, Log: s.deps.Log}
	all, err := s.set.Sources()
	at := slices.IndexFunc(all, func(src settings.Source) bool { return src.Plain && src.Product.Can.News })
	if err != nil || at < 0 {
		<-ctx.Done() // no portal has one
		return ctx.Err()
	}
	src := &all[at]
	var seen map[portal.News]bool
	return run.Every(ctx, loop, func(ctx context.Context) error {
		p, err := src.Open(ctx, s.AllowPrivate, 2, s.metrics.asked)
		if err != nil {
			return err
		}
		defer p.Close()
		feed, is := p.(portal.NewsSource)
		if !is {
			return nil
		}
		news, err := feed.News(ctx)
		if err != nil {
			return err
		}
		var fresh []int64
		first := seen == nil
		seen, fresh = unread(news, seen)
		if len(fresh) > 0 && !first {
			select {
			case s.hint <- fresh:
			default: // so much is new that nobody comes after; the ingest by time does
			}
		}
		return nil
	})
}

// unread returns the entries of the feed, and of those that were not there the time before the meetings, 0 where the feed names none.
func unread(news []portal.News, before map[portal.News]bool) (now map[portal.News]bool, fresh []int64) {
	now = make(map[portal.News]bool, len(news))
	for _, n := range news {
		now[n] = true
		if !before[n] {
			id, _ := strconv.ParseInt(n.MeetingID, 10, 64) // 0 for none
			fresh = append(fresh, id)
		}
	}
	return now, fresh
}
