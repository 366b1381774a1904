package townline

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/gate"
	"github.com/townline/townline/services/townline/internal/noticesite"
	"github.com/townline/townline/services/townline/internal/reviewsite"
	"github.com/townline/townline/services/townline/internal/session"
)

type reviewCmd struct {
	Addr string   `placeholder:"ADDRESS" help:"Address to listen on, instead of REVIEW_ADDR: loopback, or unix: and the path of a socket."`
	By   []string `placeholder:"NAME" sep:"none" help:"Name and office of a clerk or operator. Each gets a link; repeatable. Default: one link, and the pages ask for the name."`
	Only string   `enum:",council,transit" default:"" placeholder:"HALF" help:"council: only the clerk's pages. transit: only the notices for riders. Default: what DATABASE_URL may write."`
}

func (*reviewCmd) Help() string {
	return `Serves pages on this machine alone, until Ctrl-C: a clerk reviews anomalies and corrects votes, an operator
adds, previews and ends notices for riders. It prints a link, which works once within an hour and signs in one browser
for twelve hours; start the command again for a new link. The clerk's pages need only the rights of the clerk's
role, the notices only those of townline's role. Pages that the role may not use are left out.

  townline review --by 'Ann Example, City Clerk'
  townline review --only transit --by 'Bo Example, dispatcher'

With REVIEW_PROXY_HEADER and a socket a proxy on this machine names the visitor, and no links are needed.
deploy/docs/corrections.md and deploy/docs/webmaster.md explain both.`
}

func (c *reviewCmd) Run(s *session.Session) error {
	s.UseDemo()
	cfg, err := conf.Load[gate.Config](s.Env)
	if err != nil {
		return err
	}
	notices, err := conf.Load[noticesite.Config](s.Env)
	if err != nil {
		return err
	}
	if s.Set.CouncilConfig != "" {
		settings, err := councilingest.ReadSettings(s.Set.CouncilConfig, s.Env)
		if err != nil {
			return err
		}
		cfg.Town = cmp.Or(s.Env["COUNCIL_TOWN"], settings.Site.Name, cfg.Town)
		cfg.TimeZone = cmp.Or(s.Env["COUNCIL_TIME_ZONE"], settings.TimeZone)
		cfg.Locale = cmp.Or(s.Env["COUNCIL_LOCALE"], settings.Locale)
	}
	cfg.Addr = cmp.Or(c.Addr, cfg.Addr)
	return s.With("review", func(deps run.Deps) error {
		parts, err := c.parts(s, deps)
		if err != nil {
			return err
		}
		var halves []gate.Half
		for _, part := range parts {
			if part == schema.Council {
				halves = append(halves, reviewsite.Half(deps))
			} else {
				halves = append(halves, noticesite.Half(notices, deps))
			}
		}
		return c.serve(s, cfg, halves, deps)
	})
}

// parts returns the parts whose pages to serve, with a current schema.
func (c *reviewCmd) parts(s *session.Session, deps run.Deps) ([]schema.Part, error) {
	parts := session.Halves(c.Only)
	if c.Only == "" {
		var err error
		parts, err = schema.Statements(s.Ctx, deps.DB)
		if err != nil {
			return nil, err
		}
	}
	if len(parts) == 0 {
		return nil, errors.New("the role in DATABASE_URL may write neither reviews nor notices: use the clerk's role, or " +
			"townline's")
	}
	return parts, schema.Migrate(s.Ctx, deps.DB.Config().ConnString(), parts...)
}

func (c *reviewCmd) serve(s *session.Session, cfg gate.Config, halves []gate.Half, deps run.Deps) error {
	ln, err := gate.Listen(s.Ctx, cfg)
	if err != nil {
		return err
	}
	server, err := gate.Open(cfg, deps.Log, ln, halves...)
	if err != nil {
		return err
	}
	links := server.Links(c.By)
	if len(links) == 0 {
		fmt.Fprintf(s.Stdout, "review at %s, for a proxy that names the visitor in %s\n", ln.Addr(), cfg.Header)
	}
	for i, link := range links {
		whom := ""
		if len(c.By) > 0 {
			whom = " for " + c.By[i]
		}
		fmt.Fprintf(s.Stdout, "open once%s: %s\n", whom, link)
	}
	return server.Serve(s.Ctx, ln)
}
