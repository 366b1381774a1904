package transitcmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline/internal/session"
)

// RT has the sub-commands of `townline rt`.
type RT struct {
	Status rtStatusCmd `cmd:"" help:"Show the state of each realtime source."`
	Clear  rtClearCmd  `cmd:"" help:"Resume polling of a source that is paused after failures."`
}

type rtStatusCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (*rtStatusCmd) Help() string {
	return `Shows for each source its last good answer, the number of entities, the share of them that the static feed
has, the broken rules of gtfs-realtime-validator with their counts, and later failures. If few trips match,
feed and realtime source have different versions; if few stops match, the source uses stop codes. Entities
without a match are served too. /f/ALIAS/rt/report explains the rules. After failures the last good data is
still served, and polls slow down: to one a minute, to min_interval, or to the pause that the server asks
for (at most RT_MAX_PAUSE); rt clear requests a poll at once. A source that no client reads is not polled,
so its age grows.`
}

func (c *rtStatusCmd) Run(s *session.Session) error {
	return s.With("rt-status", func(deps run.Deps) error {
		all, err := rtpoller.ListStatus(s.Ctx, deps.DB)
		if err != nil {
			return err
		}
		now := time.Now()
		return session.List(s, c.JSON, all, "no realtime sources; they are listed under feeds in transit.yaml and appear "+
			"when rt-poller starts",
			"FEED, SOURCE, LAST GOOD, ENTITIES, TRIPS, ROUTES, STOPS, INFORMED, RULES, POLLS, FAILED, TROUBLE",
			func(r rtpoller.Status) []any { return statusCells(r, now) })
	}, schema.Transit)
}

func statusCells(r rtpoller.Status, now time.Time) []any {
	m := cmp.Or(r.Matches, &rtpoller.Matches{})
	stops := share(m.Stops)
	if m.StopCodes.Found > m.Stops.Found {
		stops = share(m.StopCodes) + " by code"
	}
	trouble := "-"
	if r.Error != nil {
		trouble = fmt.Sprintf("%d in a row: %s", r.Failures, *r.Error)
	}
	return []any{r.Alias, r.Source, session.Age(r.FetchedAt, now), entities(r),
		share(m.Trips), share(m.Routes), stops, share(m.Informed), broken(r), r.Polls, r.FailedEver, trouble}
}

// broken lists the rules that the last message breaks.
func broken(s rtpoller.Status) string {
	var parts []string
	for _, f := range s.Findings {
		parts = append(parts, fmt.Sprintf("%s×%d", f.Code, f.Count))
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, " ")
}

func entities(s rtpoller.Status) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{s.TripUpdates, "trips"}, {s.Vehicles, "vehicles"}, {s.Alerts, "alerts"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func share(m rtpoller.Match) string {
	if m.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d=%.0f%%", m.Found, m.Of, 100*float64(m.Found)/float64(m.Of))
}

type rtClearCmd struct {
	Alias  string `arg:"" help:"The feed."`
	Source string `arg:"" optional:"" help:"A source of the feed, such as trip_updates/0; rt status lists them. Default: all."`
}

func (*rtClearCmd) Help() string {
	return `Clears the failures and the pause of a realtime source, and requests a poll at once. Use it when the agency
has repaired its server, or after a wrong clock was set right. A server that asks for a pause (429 or 503
with Retry-After) may ask again. The last good data is still served.`
}

func (c *rtClearCmd) Run(s *session.Session) error {
	return s.With("rt-clear", func(deps run.Deps) error {
		cleared, err := rtpoller.Clear(s.Ctx, deps.DB, c.Alias, c.Source)
		if err != nil {
			return err
		}
		if len(cleared) == 0 {
			return fmt.Errorf("there is no realtime source %q: `townline rt status` lists them",
				strings.TrimSpace(c.Alias+" "+c.Source))
		}
		slices.Sort(cleared)
		for _, source := range cleared {
			deps.Events.Publish(s.Ctx, &eventsv1.RefreshSource{Alias: c.Alias, Source: source})
		}
		next := "requested a poll"
		if err := errors.Join(deps.Events.Flush(s.Ctx), deps.Events.Check(s.Ctx)); err != nil {
			deps.Log.Debug("no poll was requested", "error", err)
			next = "NATS is not reachable, so no poll was requested: the source is polled on schedule"
		}
		fmt.Fprintf(s.Stdout, "cleared %s of %s; %s\n", strings.Join(cleared, ", "), c.Alias, next)
		return nil
	}, schema.Transit)
}
