package townline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	rtpoller "github.com/townline/townline/services/rt-poller"
)

type rtClearCmd struct {
	Alias  string `arg:"" help:"The feed."`
	Source string `arg:"" optional:"" help:"One source of it, such as trip_updates/0; rt status lists them. Default: all."`
}

// Help is printed by `townline rt clear --help`.
func (*rtClearCmd) Help() string {
	return `Forgets that a realtime source failed and how long it is to be left alone, and asks for a poll now: when the agency has mended its server, or
when a clock was wrong. A server that asks for a pause (429 or 503 with Retry-After) may ask again. The last good data stays in service.`
}

// Run is `townline rt clear`.
func (c *rtClearCmd) Run(s *session) error {
	return s.with("rt-clear", func(deps run.Deps) error {
		cleared, err := rtpoller.Clear(s.ctx, deps.DB, c.Alias, c.Source)
		if err != nil {
			return err
		}
		if len(cleared) == 0 {
			return fmt.Errorf("there is no realtime source %q: `townline rt status` lists them", strings.TrimSpace(c.Alias+" "+c.Source))
		}
		slices.Sort(cleared)
		for _, source := range cleared {
			deps.Events.Publish(s.ctx, &eventsv1.RefreshSource{Alias: c.Alias, Source: source})
		}
		if err := deps.Events.Flush(s.ctx); err != nil {
			deps.Log.Debug("nobody was asked to poll now; the schedule will", "error", err)
		}
		fmt.Fprintf(s.stdout, "cleared %s of %s; asked for a poll\n", strings.Join(cleared, ", "), c.Alias)
		return nil
	}, schema.Transit)
}

// checkPauses tells which realtime sources are not polled, until when and why.
func (p *patient) checkPauses(ctx context.Context, pool *pgxpool.Pool, t *conf.Transit) {
	all, err := rtpoller.ListPauses(ctx, pool)
	if err != nil {
		return // the schema's finding says why
	}
	known := map[string]bool{}
	for _, r := range all {
		subject := r.Alias + " " + r.Source + ": polls"
		known[subject] = true
		advice := "when the source is mended: `townline rt clear " + r.Alias + " " + r.Source + "` asks at once"
		switch {
		case r.Ahead:
			p.note("realtime", subject, statusWarning, "its row is dated ahead: a clock was wrong when it was written", "see that all machines follow a time server, then `townline rt clear "+r.Alias+"`")
		case r.Error == nil:
			p.note("realtime", subject, statusOK, "polled "+age(r.PolledAt, time.Now()), "")
		case r.Until == nil:
			p.note("realtime", subject, statusWarning, fmt.Sprintf("%s failed in a row: %s", plural(r.Failures, "poll"), *r.Error), advice)
		default:
			p.note("realtime", subject, statusWarning, fmt.Sprintf("paused until %s (for %s) after %s failed in a row: %s",
				r.Until.UTC().Format(time.RFC3339), r.For.Round(time.Second), plural(r.Failures, "poll"), *r.Error), advice)
		}
	}
	for _, f := range t.Feeds {
		places := map[string]int{}
		for _, s := range f.Realtime {
			subject := fmt.Sprintf("%s %s/%d: polls", f.Alias, s.Kind, places[s.Kind])
			places[s.Kind]++
			if !known[subject] {
				p.note("realtime", subject, statusWarning, "no poller has registered it", "see that rt-poller runs and reads the same transit.yaml")
			}
		}
	}
}
