// Package schedule decides when the service does what: it reads again what an older version of the
// parser has read, then looks at the portals from time to time, when a feed has news, and when
// somebody asks; and it applies corrections.
//
// Packages reparse, visit, publish and corrections do the work. Start with Work.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/corrections"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/reparse"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/visit"
)

const (
	// retry is how soon an ingest follows one that left meetings behind.
	retry = 2 * time.Minute
	// correctEvery is how soon readers see what was said.
	correctEvery = 5 * time.Second
)

// A Schedule is the work of one process, and what its loops share.
type Schedule struct {
	// Every is the time between two ingests.
	Every time.Duration
	// AllowPrivate lets portals be on private or loopback addresses.
	AllowPrivate bool

	deps    run.Deps
	set     *settings.Settings
	portals *visit.Portals
	turn    chan struct{} // held by the one ingest of this process
	hint    chan []int64  // asks for an ingest soon, which is to visit these meetings whatever is known of them
	metrics *metrics
}

// New returns the schedule of a council, and registers its metrics.
func New(deps run.Deps, set *settings.Settings) (*Schedule, error) {
	m, err := newMetrics(deps)
	if err != nil {
		return nil, err
	}
	return &Schedule{deps: deps, set: set, portals: visit.New(deps, set, m.asked), turn: make(chan struct{}, 1),
		hint: make(chan []int64, 16), metrics: m}, nil
}

// Work is what the one replica does whose turn it is, until ctx ends.
func (s *Schedule) Work(ctx context.Context) error {
	s.deps.Log.Info("at work; further replicas stand by")
	g := run.NewGroup(ctx)
	g.Watch(s.reparse)
	g.Go("classify", s.classifyOften)
	g.Go("corrections", s.correctOften)
	if s.set.Configured() {
		g.Go("ingest", s.ingestOften)
		g.Go("feed", s.watchFeed)
		g.Go("requests", s.ingestOnRequest)
	}
	return g.Wait()
}

// reparse brings everything to this version of the parser, once. What cannot be read again is tried
// less and less often, for it may never be.
func (s *Schedule) reparse(ctx context.Context) {
	for pause := time.Minute; ; pause = min(2*pause, max(time.Minute, s.Every)) {
		sum, err := reparse.Reparse(ctx, s.deps, s.set, false)
		if err == nil {
			if sum.Changed > 0 {
				s.deps.Log.Info("read anew with this version", "meetings", sum.Meetings, "changed", sum.Changed)
			}
			return
		}
		if ctx.Err() == nil {
			s.deps.Log.Error("cannot read the archive anew; trying again", "error", err, "after", pause)
		}
		if !wait.For(ctx, pause) {
			return
		}
	}
}

// Ingest runs one ingest, after the one that is under way.
func (s *Schedule) Ingest(ctx context.Context, req visit.Request) (desk.Summary, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return desk.Summary{}, ctx.Err()
	}
	start := time.Now()
	req.AllowPrivate = s.AllowPrivate
	ctx, done := s.deps.Span(ctx, "ingest")
	sum, err := s.portals.Ingest(ctx, req)
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
		s.deps.Log.InfoContext(ctx, "ingest done", "meetings", sum.Meetings, "changed", sum.Changed, "failed", sum.Failed,
			"unreadable", sum.Unreadable, "forbidden", sum.Forbidden, "took", time.Since(start).Round(time.Millisecond))
	}
	return sum, err
}

// errLeft says that some meetings could not be read; the loop's backoff then decides when to try
// again.
var errLeft = errors.New("some meetings could not be ingested")

// ingestAll runs one ingest, and returns an error if it leaves meetings behind.
func (s *Schedule) ingestAll(ctx context.Context, req visit.Request) error {
	sum, err := s.Ingest(ctx, req)
	if err == nil && sum.Failed > 0 {
		err = fmt.Errorf("%w: %d of %d", errLeft, sum.Failed, sum.Meetings)
	}
	return err
}

func (s *Schedule) ingestOften(ctx context.Context) error {
	// The period is that of trying again; a good ingest waits for the configured one.
	loop := run.Loop{Name: "ingest", Period: retry, MaxBackoff: s.Every, Log: s.deps.Log}
	left := false     // by our last ingest
	var again []int64 // an ingest that leaves meetings behind comes to the same ones again
	return run.Every(ctx, loop, func(ctx context.Context) error {
		for len(s.hint) > 0 {
			again = append(again, <-s.hint...)
		}
		if !left && len(again) == 0 {
			if due, err := s.Due(ctx); err != nil || !due {
				return err
			}
		}
		slices.Sort(again)
		again = slices.Compact(again)
		err := s.ingestAll(ctx, visit.Request{Again: again})
		left = err != nil
		if !left {
			again = nil
		}
		return err
	})
}

// Due reports whether it is time for an ingest. The table remembers the last one over restarts and
// replicas; one that is dated ahead was written while a clock was wrong, and counts for nothing.
func (s *Schedule) Due(ctx context.Context) (due bool, err error) {
	err = s.deps.DB.QueryRow(ctx, `SELECT coalesce(checked_at NOT BETWEEN now() - $1::interval
		AND now() + interval '1 minute', true) FROM council.dataset`, s.Every).Scan(&due)
	if err != nil {
		return false, fmt.Errorf("look whether an ingest is due: %w", err)
	}
	return due, nil
}

// ingestOnRequest does what was asked for through NATS.
func (s *Schedule) ingestOnRequest(ctx context.Context) error {
	return events.Consume(ctx, s.deps.Events, func(ctx context.Context, work *eventsv1.IngestMeetings) error {
		return s.ingestAll(ctx, visit.Request{Since: work.Since, Until: work.Until, MeetingID: work.MeetingId})
	})
}

// classifyOften asks what is left, for as long as the service runs. An ingest asks by itself; this
// is for what it leaves.
func (s *Schedule) classifyOften(ctx context.Context) error {
	loop := run.Loop{Name: "classify", Period: 5 * time.Minute, Jitter: time.Minute, MaxBackoff: time.Hour,
		Log: s.deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error { return publish.New(s.deps, s.set).Classify(ctx) })
}

// correctOften lays corrections over what was read: who corrects and reviews has no right to do
// more, and sends no event.
func (s *Schedule) correctOften(ctx context.Context) error {
	loop := run.Loop{Name: "apply corrections", Period: correctEvery, MaxBackoff: retry, Log: s.deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error {
		_, err := corrections.Apply(ctx, s.deps)
		return err
	})
}

// feedEvery is how often the portal's feed is asked whether an ingest is worth while before its
// time.
const feedEvery = 15 * time.Minute

// watchFeed asks for an ingest when the feed changes. The feed is a hint: an
// ingest that comes by time finds everything that the feed leaves out. What only the feed
// says is that minutes of long ago were replaced, so its new entries are visited.
func (s *Schedule) watchFeed(ctx context.Context) error {
	loop := run.Loop{Name: "look at the portal's feed", Period: feedEvery, Jitter: time.Minute, MaxBackoff: 4 * feedEvery,
		Log: s.deps.Log}
	all, err := s.set.Sources()
	at := slices.IndexFunc(all, func(src settings.PortalSource) bool { return src.Plain && src.Product.Can.News })
	if err != nil || at < 0 {
		<-ctx.Done() // no portal has one
		return ctx.Err()
	}
	src := &all[at]
	var seen []portal.News
	first := true
	return run.Every(ctx, loop, func(ctx context.Context) error {
		p, err := src.Open(ctx, s.AllowPrivate, 2, s.metrics.asked)
		if err != nil {
			return err
		}
		defer p.Close()
		feed, is := p.(portal.NewsReader)
		if !is {
			return nil
		}
		news, err := feed.News(ctx)
		if err != nil {
			return err
		}
		if fresh := unread(news, seen); len(fresh) > 0 && !first {
			select {
			case s.hint <- fresh:
			default: // so many hints wait that this one is left to the ingest by time
			}
		}
		seen, first = news, false
		return nil
	})
}

// unread returns the meetings of the entries of the feed that were not there before, 0 where the
// feed names none.
func unread(news, before []portal.News) (fresh []int64) {
	for _, n := range news {
		if !slices.Contains(before, n) {
			id, _ := strconv.ParseInt(n.MeetingID, 10, 64) // 0 for none
			fresh = append(fresh, id)
		}
	}
	return fresh
}
