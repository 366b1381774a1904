package townline

import (
	"cmp"
	"fmt"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/reviewsite"
	"github.com/townline/townline/services/townline/internal/session"
)

type reviewCmd struct {
	Addr string   `placeholder:"ADDRESS" help:"Address to listen on, instead of REVIEW_ADDR: loopback, or unix: and the path of a socket."`
	By   []string `placeholder:"NAME" sep:"none" help:"Name and office of a clerk. Each clerk gets a link; repeatable. Default: one link, and the pages ask for the name."`
}

func (*reviewCmd) Help() string {
	return `Serves pages on which a clerk reviews anomalies and corrects votes, on this machine alone, until Ctrl-C. It
prints a link, which works once within an hour and signs in one browser for twelve hours; start the command
again for a new link. It needs only the rights of the clerk's role.

  townline review --by 'Ann Example, City Clerk'

With REVIEW_PROXY_HEADER and a socket a proxy on this machine names the clerk, and no links are needed.
deploy/docs/corrections.md explains both.`
}

func (c *reviewCmd) Run(s *session.Session) error {
	s.UseDemo()
	cfg, err := conf.Load[reviewsite.Config](s.Env)
	if err != nil {
		return err
	}
	if s.Set.CouncilConfig != "" {
		settings, err := councilingest.ReadSettings(s.Set.CouncilConfig, s.Env)
		if err != nil {
			return err
		}
		cfg.TimeZone = cmp.Or(s.Env["COUNCIL_TIME_ZONE"], settings.TimeZone)
		cfg.Locale = cmp.Or(s.Env["COUNCIL_LOCALE"], settings.Locale)
	}
	if c.Addr != "" {
		cfg.Addr = c.Addr
	}
	return s.With("council-review", func(deps run.Deps) error {
		ln, err := reviewsite.Listen(s.Ctx, cfg)
		if err != nil {
			return err
		}
		desk, err := reviewsite.Open(cfg, deps, ln)
		if err != nil {
			return err
		}
		links := desk.Links(c.By)
		if len(links) == 0 {
			fmt.Fprintf(s.Stdout, "review at %s, for a proxy that names the clerk in %s\n", ln.Addr(), cfg.Header)
		}
		for i, link := range links {
			whom := ""
			if len(c.By) > 0 {
				whom = " for " + c.By[i]
			}
			fmt.Fprintf(s.Stdout, "open once%s: %s\n", whom, link)
		}
		return desk.Serve(s.Ctx, ln)
	}, schema.Council)
}
