package councilingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const (
	// feedEvery is how often the portal's feed is asked whether an ingest is worth while before its time.
	feedEvery = 15 * time.Minute
	// again is how soon an ingest follows one that left meetings behind.
	again = 2 * time.Minute
)

// Run is the service: it reads anew what an older version of the parser has read,
// then looks at the portal from time to time, when the feed says that there is
// something new, and when somebody asks, until ctx ends. Of several replicas one works and
// the others stand by, for a portal is to be asked by one, at one pace.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	set, err := ReadSettings(cfg.File, deps.Environ)
	if err != nil {
		return fmt.Errorf("council-ingest: %w", err)
	}
	s := &service{cfg: cfg, deps: deps, set: set, turn: make(chan struct{}, 1), hint: make(chan []int64, 16), others: map[int64]other{}}
	if s.metrics, err = newMetrics(deps); err != nil {
		return err
	}
	if !set.configured() {
		deps.Log.Info("no portal is configured; minutes are loaded by hand")
	}
	return pg.Alone(ctx, deps.DB, "council ingest", s.work)
}

// work is what the one replica does whose turn it is.
func (s *service) work(ctx context.Context) error {
	s.deps.Log.Info("at work; further replicas stand by")
	g := run.NewGroup(ctx)
	g.Watch(s.reparse)
	g.Go("classify", s.classifyOften)
	g.Go("corrections", s.settleOften)
	if s.set.configured() {
		g.Go("ingest", s.ingestOften)
		g.Go("feed", s.watchFeed)
		g.Go("requests", s.ingestOnRequest)
	}
	return g.Wait()
}

// A service is what the loops share.
type service struct {
	cfg  Config
	deps run.Deps
	set  *Settings
	turn chan struct{} // held by the one ingest of this process
	hint chan []int64  // asks for an ingest soon, which is to visit these meetings whatever is known of them

	others map[int64]other // for the one ingest

	metrics *metrics
}

// reparse brings everything to this version of the parser, once. What cannot be read again is tried less and less often, for it may never be.
func (s *service) reparse(ctx context.Context) {
	for pause := time.Minute; ; pause = min(2*pause, max(time.Minute, s.cfg.Every)) {
		sum, err := Reparse(ctx, s.deps, s.set, false)
		if err == nil {
			if sum.Changed > 0 {
				s.deps.Log.Info("read anew with this version", "meetings", sum.Meetings, "changed", sum.Changed)
			}
			return
		}
		if ctx.Err() == nil {
			s.deps.Log.Error("cannot read the archive anew; trying again", "error", err, "after", pause)
		}
		if !run.Sleep(ctx, pause) {
			return
		}
	}
}

// ingest runs one ingest, after the one that is under way.
func (s *service) ingest(ctx context.Context, req Request) (Summary, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return Summary{}, ctx.Err()
	}
	start := time.Now()
	req.AllowPrivate, req.asked, req.others = s.cfg.AllowPrivate, s.metrics.asked, s.others
	ctx, done := s.deps.Span(ctx, "ingest")
	sum, err := Ingest(ctx, s.deps, s.set, req)
	done(err)
	s.metrics.seconds.Set(time.Since(start).Seconds())
	switch {
	case ctx.Err() != nil: // stopped: neither
	case err != nil:
		s.metrics.ingests.WithLabelValues("failed").Inc()
	case sum.Failed > 0:
		s.metrics.ingests.WithLabelValues("partial").Inc()
	default:
		s.metrics.ingests.WithLabelValues("done").Inc()
	}
	if err == nil {
		s.deps.Log.InfoContext(ctx, "ingest done", "meetings", sum.Meetings, "changed", sum.Changed, "failed", sum.Failed, "unreadable", sum.Unreadable, "forbidden", sum.Forbidden, "took", time.Since(start).Round(time.Millisecond))
	}
	return sum, err
}

// errLeft says that some meetings could not be read; the loop's backoff then decides when to try again.
var errLeft = errors.New("some meetings could not be ingested")

func (s *service) ingestOften(ctx context.Context) error {
	// The period is that of trying again; a good ingest waits for the configured one.
	loop := run.Loop{Name: "ingest", Period: again, MaxBackoff: s.cfg.Every, Log: s.deps.Log}
	left := false // by our last ingest
	hinted, visit := false, []int64(nil)
	return run.Every(ctx, loop, func(ctx context.Context) error {
		for waiting := true; waiting; {
			select {
			case ids := <-s.hint:
				hinted = true
				for _, id := range ids { // an ingest that leaves meetings behind comes to the same ones again
					if !slices.Contains(visit, id) {
						visit = append(visit, id)
					}
				}
			default:
				waiting = false
			}
		}
		if !left && !hinted {
			if due, err := s.due(ctx); err != nil || !due {
				return err
			}
		}
		sum, err := s.ingest(ctx, Request{visit: visit})
		if err == nil && sum.Failed > 0 {
			err = fmt.Errorf("%w: %d of %d", errLeft, sum.Failed, sum.Meetings)
		}
		if left = err != nil; !left {
			hinted, visit = false, nil
		}
		return err
	})
}

// due reports whether it is time for an ingest. The table remembers the last one over restarts and replicas; one that is dated
// ahead was written while a clock was wrong, and counts for nothing.
func (s *service) due(ctx context.Context) (due bool, err error) {
	err = s.deps.DB.QueryRow(ctx, `SELECT coalesce(checked_at NOT BETWEEN now() - $1::interval AND now() + interval '1 minute', true) FROM council.dataset`, s.cfg.Every).Scan(&due)
	if err != nil {
		return false, fmt.Errorf("look whether an ingest is due: %w", err)
	}
	return due, nil
}

// watchFeed asks for an ingest when the feed changes. The feed is a hint: an
// ingest that comes by time finds everything that the feed leaves out. What only the feed
// tells is that minutes of long ago were replaced, so its new entries are visited.
func (s *service) watchFeed(ctx context.Context) error {
	loop := run.Loop{Name: "look at the portal's feed", Period: feedEvery, Jitter: time.Minute, MaxBackoff: 4 * feedEvery, Log: s.deps.Log}
	all, err := s.set.sources()
	at := slices.IndexFunc(all, func(src source) bool { return src.plain && src.product.Feed })
	if err != nil || at < 0 {
		<-ctx.Done() // no portal has one
		return ctx.Err()
	}
	src := &all[at]
	var seen map[portal.News]bool
	return run.Every(ctx, loop, func(ctx context.Context) error {
		p, err := src.open(ctx, src.config(s.cfg.AllowPrivate, 2, s.metrics.asked))
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
		if seen, fresh = unread(news, seen); len(fresh) > 0 && !first {
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

// ingestOnRequest does what was asked for through NATS.
func (s *service) ingestOnRequest(ctx context.Context) error {
	return events.Consume(ctx, s.deps.Events, func(ctx context.Context, work *eventsv1.IngestMeetings) error {
		sum, err := s.ingest(ctx, Request{Since: work.Since, Until: work.Until, MeetingID: work.MeetingId})
		if err == nil && sum.Failed > 0 {
			err = fmt.Errorf("%w: %d of %d", errLeft, sum.Failed, sum.Meetings)
		}
		return err
	})
}
