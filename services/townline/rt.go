package townline

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	rtpoller "github.com/townline/townline/services/rt-poller"
)

type rtCmd struct {
	Status rtStatusCmd `cmd:"" help:"How each realtime source is doing."`
	Clear  rtClearCmd  `cmd:"" help:"Ask a source again that is left alone after failures."`
}

type rtStatusCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is printed by `townline rt status --help`.
func (*rtStatusCmd) Help() string {
	return `Shows for each source when it answered well last, what its message holds, how much of it is in the static feed, and what went wrong
since. A low match of trips means that feed and realtime source are of different versions; of stops, that the source speaks of stop
codes. What does not match is served all the same. After a failure the last good data stays in service, and the source is asked more and
more rarely, down to once a minute, its min_interval or what its server says (RT_MAX_PAUSE bounds that); rt clear asks at once. A source
that nobody reads is not polled, so its age grows.`
}

// Run is `townline rt status`.
func (c *rtStatusCmd) Run(s *session) error {
	return s.with("rt-status", func(deps run.Deps) error {
		all, err := rtpoller.ListStatus(s.ctx, deps.DB)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.tell(true, all, "")
		}
		if len(all) == 0 {
			fmt.Fprintln(s.stdout, "no realtime sources; they are listed under feeds in transit.yaml and appear when rt-poller starts")
			return nil
		}
		return writeStatus(s.stdout, all, time.Now())
	}, schema.Transit)
}

func writeStatus(out io.Writer, all []rtpoller.Status, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "FEED\tSOURCE\tLAST GOOD\tENTITIES\tTRIPS\tROUTES\tSTOPS\tINFORMED\tPOLLS\tFAILED\tTROUBLE")
	for _, s := range all {
		m := s.Matches
		if m == nil {
			m = &rtpoller.Matches{}
		}
		stops := share(m.Stops)
		if m.StopCodes.Found > m.Stops.Found {
			stops = share(m.StopCodes) + " by code"
		}
		trouble := "-"
		if s.Error != nil {
			trouble = fmt.Sprintf("%d in a row: %s", s.Failures, *s.Error)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", s.Alias, s.Source, age(s.FetchedAt, now), entities(s),
			share(m.Trips), share(m.Routes), stops, share(m.Informed), s.Polls, s.FailedEver, trouble)
	}
	return w.Flush()
}

// age is how long ago something was.
func age(t *time.Time, now time.Time) string {
	if t == nil {
		return "never"
	}
	return max(0, now.Sub(*t)).Round(time.Second).String() + " ago"
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

// share is a match as people read it.
func share(m rtpoller.Match) string {
	if m.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d=%.0f%%", m.Found, m.Of, 100*float64(m.Found)/float64(m.Of))
}
