// Package councilingest is the service that reads a town council's portal and stores its votes:
// calendar, meeting pages, minutes as published, and the votes, members and contradictions in them.
//
// This package has the schedule and the commands for operators. From the bottom up: internal/portal
// reads portals, internal/pdftext and internal/doctext extract text, internal/minutes parses it,
// internal/archive stores the sources, internal/merge writes items and votes, internal/classify
// labels items. internal/settings reads council.yaml, internal/writer runs transactions,
// internal/publish publishes one meeting, internal/visit finds new and changed meetings.
//
// It is the only writer of the Postgres schema council. It shares tables and one event with
// council-api.
package councilingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/visit"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

type Config struct {
	// File is the path of council.yaml. Without it the service has no portal.
	File         string        `env:"COUNCIL_CONFIG" doc:"council.yaml: the portal and the words of this council, and the look, frames and contact of its pages (site, embed, contact, time_zone, locale). A variable that is set comes before its key."`
	AllowPrivate bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	Every        time.Duration `env:"COUNCIL_INGEST_EVERY" envDefault:"6h" doc:"How often the portal is read."`
	// PublicURL and Addr are the settings of council-api. Its public address is in some of the files.
	PublicURL string `env:"COUNCIL_PUBLIC_URL" doc:"Public address of the council API: https://host, without /v1. Default: the address it listens on."`
	Addr      string `env:"COUNCIL_ADDR" envDefault:"127.0.0.1:8080" doc:"Address of the council API."`
	// ExportDir is the directory where files are made. If empty, it is the temporary directory, or
	// /dev/shm.
	ExportDir string `env:"COUNCIL_EXPORT_DIR" doc:"Directory in which the files of /export are made, before the database stores them. Default: the temporary directory."`
	// ExportBytes bounds the size of all files.
	ExportBytes int64 `env:"COUNCIL_EXPORT_BYTES" envDefault:"2147483648" doc:"Largest total size of the files of /export in bytes; larger ones are not made."`
	// Archive is the object store of documents. [ReadSettings] also reads these variables.
	Archive objects.Config
}

func Program() run.Service {
	return run.Program[Config]{
		Name: "council-ingest", Part: schema.Council, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := settings.Read(cfg.File, env)
			return err
		},
	}.Service()
}

func (c *Config) Validate() error {
	if c.Every < time.Minute {
		return fmt.Errorf("COUNCIL_INGEST_EVERY: %s is shorter than a minute", c.Every)
	}
	return c.Archive.Validate()
}

// base returns the public base of the API, which is in some of the files.
func (c *Config) base() string {
	base := strings.TrimSuffix(c.PublicURL, "/")
	if base == "" {
		base = "http://" + c.Addr
	}
	return base + "/v1"
}

// Run runs the schedule until ctx ends. Only one replica works and the others stand by, because a
// portal must get its requests from one client at a limited rate.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	set, err := settings.Read(cfg.File, deps.Environ)
	if err != nil {
		return fmt.Errorf("council-ingest: %w", err)
	}
	s, err := newScheduler(cfg, deps, set)
	if err != nil {
		return err
	}
	if !set.Configured() {
		deps.Log.Info("no portal is configured; minutes are loaded by hand")
	}
	return pg.Alone(ctx, deps.DB, "council ingest", s.run)
}

// The operator's command uses these names, because it cannot import internal packages.
type (
	Settings = settings.Settings
	Portal   = settings.Portal
	Summary  = writer.Summary
	Request  = visit.Request
	Progress = visit.Progress
)

var (
	ReadSettings = settings.Read
	// RunChild must be the first call of main in every program that ingests. In a child process that
	// reads a PDF, it does that and exits.
	RunChild = pdftext.RunChild
)

// Ingest brings the tables up to date with the portals.
func Ingest(ctx context.Context, deps run.Deps, set *settings.Settings, req visit.Request) (writer.Summary, error) {
	return visit.New(deps, set, nil).Ingest(ctx, req)
}

const (
	// retryEvery is the time between an ingest with failed meetings and the next ingest.
	retryEvery = 2 * time.Minute
	// correctEvery bounds the time until readers see a correction.
	correctEvery = 5 * time.Second
	feedEvery    = 15 * time.Minute
)

// A scheduler runs the loops of the service: one re-parse at the start, ingests, the feed,
// requests, topics, corrections and files.
type scheduler struct {
	cfg     Config
	deps    run.Deps
	set     *settings.Settings
	portals *visit.Portals
	metrics *metrics
	files   *filePublisher

	ingesting chan struct{} // held during the only ingest of this process
	fromFeed  chan []int64  // meetings with new feed entries, for the next ingest
}

func newScheduler(cfg Config, deps run.Deps, set *settings.Settings) (*scheduler, error) {
	m, err := newMetrics(deps)
	if err != nil {
		return nil, err
	}
	return &scheduler{cfg: cfg, deps: deps, set: set, portals: visit.New(deps, set, m.countRequest), metrics: m,
		files:     newFilePublisher(deps, cfg.base(), cfg.ExportDir, cfg.ExportBytes),
		ingesting: make(chan struct{}, 1), fromFeed: make(chan []int64, 16)}, nil
}

func (s *scheduler) run(ctx context.Context) error {
	s.deps.Log.Info("this replica works; the other replicas stand by")
	g := run.NewGroup(ctx)
	g.Watch(s.reparse)
	g.Go("classify", s.classifyLoop)
	g.Go("corrections", s.correctLoop)
	g.Go("files", s.files.run)
	if s.set.Configured() {
		g.Go("ingest", s.ingestLoop)
		g.Go("feed", s.feedLoop)
		g.Go("requests", s.ingestOnRequest)
	}
	return g.Wait()
}

// reparse parses the archive once with this version of the parser. After a failure it waits longer
// each time, because some documents stay unreadable.
func (s *scheduler) reparse(ctx context.Context) {
	for pause := time.Minute; ; pause = min(2*pause, max(time.Minute, s.cfg.Every)) {
		sum, err := Reparse(ctx, s.deps, s.set, false)
		if err == nil {
			if sum.Changed > 0 {
				s.deps.Log.Info("parsed the archive with this version", "meetings", sum.Meetings, "changed", sum.Changed)
			}
			return
		}
		if ctx.Err() == nil {
			s.deps.Log.Error("cannot parse the archive; trying again", "error", err, "after", pause)
		}
		if !wait.For(ctx, pause) {
			return
		}
	}
}

// ingest runs one ingest, as soon as no other ingest runs.
func (s *scheduler) ingest(ctx context.Context, req visit.Request) (writer.Summary, error) {
	select {
	case s.ingesting <- struct{}{}:
		defer func() { <-s.ingesting }()
	case <-ctx.Done():
		return writer.Summary{}, ctx.Err()
	}
	start := time.Now()
	req.AllowPrivate = s.cfg.AllowPrivate
	ctx, done := s.deps.Span(ctx, "ingest")
	sum, err := s.portals.Ingest(ctx, req)
	done(err)
	s.files.ended.Store(sum.Changed > 0)
	s.metrics.seconds.Set(time.Since(start).Seconds())
	switch {
	case ctx.Err() != nil: // a stop is not counted
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

// ingestAll is like ingest, for a loop that backs off. Failed meetings are an error.
func (s *scheduler) ingestAll(ctx context.Context, req visit.Request) error {
	sum, err := s.ingest(ctx, req)
	if err == nil && sum.Failed > 0 {
		err = fmt.Errorf("%w: %d of %d", errIncomplete, sum.Failed, sum.Meetings)
	}
	return err
}

var errIncomplete = errors.New("some meetings could not be ingested")

func (s *scheduler) ingestLoop(ctx context.Context) error {
	// The period is for retries. After a successful ingest, isDue waits for cfg.Every.
	loop := run.Loop{Name: "ingest", Period: retryEvery, MaxBackoff: s.cfg.Every, Log: s.deps.Log}
	incomplete := false
	var again []int64 // kept until an ingest has read them
	return run.Every(ctx, loop, func(ctx context.Context) error {
		for len(s.fromFeed) > 0 {
			again = append(again, <-s.fromFeed...)
		}
		if !incomplete && len(again) == 0 {
			if due, err := s.isDue(ctx); err != nil || !due {
				return err
			}
		}
		slices.Sort(again)
		again = slices.Compact(again)
		err := s.ingestAll(ctx, visit.Request{Again: again})
		incomplete = err != nil
		if !incomplete {
			again = nil
		}
		return err
	})
}

// isDue reports whether an ingest is due. The time of the last ingest is in the database, so that
// restarts and other replicas know it. A time in the future comes from a wrong clock and is
// ignored.
func (s *scheduler) isDue(ctx context.Context) (due bool, err error) {
	err = s.deps.DB.QueryRow(ctx, `SELECT coalesce(checked_at NOT BETWEEN now() - $1::interval
		AND now() + interval '1 minute', true) FROM council.dataset`, s.cfg.Every).Scan(&due)
	if err != nil {
		return false, fmt.Errorf("look whether an ingest is due: %w", err)
	}
	return due, nil
}

func (s *scheduler) ingestOnRequest(ctx context.Context) error {
	return events.Consume(ctx, s.deps.Events, func(ctx context.Context, work *eventsv1.IngestMeetings) error {
		return s.ingestAll(ctx, visit.Request{Since: work.Since, Until: work.Until, MeetingID: work.MeetingId})
	})
}

// classifyLoop labels items that have no label because one run has a limit.
func (s *scheduler) classifyLoop(ctx context.Context) error {
	loop := run.Loop{Name: "classify", Period: 5 * time.Minute, Jitter: time.Minute, MaxBackoff: time.Hour,
		Log: s.deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error { return publish.New(s.deps, s.set).Classify(ctx) })
}

// correctLoop applies new corrections. It polls, because clerks have no permission to publish
// events.
func (s *scheduler) correctLoop(ctx context.Context) error {
	loop := run.Loop{Name: "apply corrections", Period: correctEvery, MaxBackoff: retryEvery, Log: s.deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error {
		_, err := Apply(ctx, s.deps)
		return err
	})
}

// feedLoop requests an ingest if the portal's feed has new entries, and has their meetings read
// again. Only the feed shows that old minutes were replaced. The next scheduled ingest finds
// everything else.
func (s *scheduler) feedLoop(ctx context.Context) error {
	all, err := s.set.Sources()
	at := slices.IndexFunc(all, func(src settings.PortalSource) bool { return src.Plain && src.Product.Can.Feed })
	if err != nil || at < 0 {
		<-ctx.Done() // no portal has a feed
		return ctx.Err()
	}
	src := &all[at]
	var seen []portal.FeedEntry
	first := true
	loop := run.Loop{Name: "look at the portal's feed", Period: feedEvery, Jitter: time.Minute, MaxBackoff: 4 * feedEvery,
		Log: s.deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error {
		reader, err := src.Open(ctx, s.cfg.AllowPrivate, 2, s.metrics.countRequest)
		if err != nil {
			return err
		}
		defer reader.Close()
		feed, ok := reader.(portal.FeedReader)
		if !ok {
			return nil
		}
		entries, err := feed.Feed(ctx)
		if err != nil {
			return err
		}
		if fresh := newEntries(entries, seen); len(fresh) > 0 && !first {
			select {
			case s.fromFeed <- fresh:
			default: // the channel is full; the next scheduled ingest reads them
			}
		}
		seen, first = entries, false
		return nil
	})
}

// newEntries returns the meetings of the feed's new entries. It returns 0 for an entry without a
// meeting.
func newEntries(entries, before []portal.FeedEntry) (meetings []int64) {
	for _, e := range entries {
		if !slices.Contains(before, e) {
			id, _ := strconv.ParseInt(e.MeetingID, 10, 64)
			meetings = append(meetings, id)
		}
	}
	return meetings
}
