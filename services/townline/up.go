package townline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wait"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
)

type upCmd struct {
	Only             string `enum:"council,transit," default:"" placeholder:"HALF" help:"Run one half only: council or transit."`
	Demo             bool   `xor:"demo" help:"Run the demo of each half that has no configuration file, even if the other half has one."`
	NoDemo           bool   `xor:"demo" help:"Serve only what is in the database and in the configuration files."`
	CouncilAddr      string `env:"COUNCIL_ADDR" default:"127.0.0.1:8080" help:"Address of the council API. Port 0 takes any free one. Default: 127.0.0.1:8080"`
	TransitAddr      string `env:"TRANSIT_ADDR" default:"127.0.0.1:8081" help:"Address of the transit API. Default: 127.0.0.1:8081"`
	CouncilPublicURL string `name:"council-public-url" env:"COUNCIL_PUBLIC_URL" placeholder:"URL" help:"Public address of the council API. Default: the address it listens on."`
	TransitPublicURL string `name:"transit-public-url" env:"TRANSIT_PUBLIC_URL" placeholder:"URL" help:"Public address of the transit API. Default: the address it listens on."`
	DemoAddr         string `env:"DEMO_ADDR" default:"127.0.0.1:8082" help:"Address of the demo town's portal and agency; if it is in use, another port. Default: 127.0.0.1:8082"`
}

func (*upCmd) Help() string {
	return `With nothing configured, townline up starts a private Postgres and an embedded NATS in the data folder,
brings the schema up to date, runs all five services and loads the demo: a fictional town whose portal and
transit agency run in the same process. The services read them like real ones.

If one half has a configuration file there is no demo, so that fictional data is not mixed with real data.
--demo runs the demo of the other half anyway, --no-demo runs no demo. Mistakes in settings and files are
reported before anything starts. Ctrl-C stops everything.`
}

// firstPage is the path of each API to open first in a browser.
var firstPage = map[schema.Part]string{schema.Council: "/v1/meetings",
	schema.Transit: "/gtfs/api/v2/feeds?_format=json"}

func (c *upCmd) Run(s *session.Session) error {
	if _, errs := session.Configuration(s, c.Only); len(errs) > 0 {
		return session.WrongConfiguration(errs)
	}
	if err := c.checkAddresses(s.Ctx); err != nil {
		return session.WrongConfiguration([]error{err})
	}
	out := &lines{w: s.Stdout}
	in, err := session.Open(s, true)
	if err != nil {
		return err
	}
	defer in.Close()
	out.ready("postgres", in.Postgres)
	out.ready("nats", in.NATS)

	parts := session.Halves(c.Only)
	if err := in.Migrate(s.Ctx, parts...); err != nil {
		return err
	}
	out.ready("schema", fmt.Sprint(parts))

	g := run.NewGroup(s.Ctx)
	if in.Restart != nil {
		g.Go("postgres", in.Restart)
	}
	town, err := c.openDemo(s, g, out, parts)
	if err != nil {
		return errors.Join(err, g.Stop())
	}
	defer town.Close()
	env, err := c.environ(s, in, town)
	if err != nil {
		return errors.Join(err, g.Stop())
	}
	var unready []<-chan struct{}
	listens := make(chan string, 1)
	for _, svc := range session.Services() {
		if slices.Contains(parts, svc.Part) {
			unready = append(unready, start(g, svc, env, run.Host{Log: s.Log, Events: &in.Events}, out, listens))
		}
	}
	g.Watch(func(ctx context.Context) {
		town.report(ctx, in, out)
		for _, ready := range unready {
			select {
			case <-ready:
			case <-ctx.Done():
				return
			}
		}
		town.tour(out, s.Env["PAGES"] != "off")
		out.say("\neverything is up; Ctrl-C stops it", "")
	})
	err = g.Wait()
	out.say("stopped", "")
	return err
}

func (c *upCmd) environ(s *session.Session, in *session.Servers, town *demoTown) (conf.Environ, error) {
	env := s.Env.With(map[string]string{
		"DATABASE_URL": in.DatabaseURL, "ADMIN_ADDR": "127.0.0.1:0", "DRAIN_DELAY": "0s",
		"COUNCIL_ADDR": c.CouncilAddr, "COUNCIL_PUBLIC_URL": c.CouncilPublicURL,
		"TRANSIT_ADDR": c.TransitAddr, "TRANSIT_PUBLIC_URL": c.TransitPublicURL,
	}).With(town.env)
	if c.Only != "transit" && env["COUNCIL_CONFIG"] != "" { // `up` uses one file for both services of the council half
		settings, err := councilingest.ReadSettings(env["COUNCIL_CONFIG"], env)
		if err != nil {
			return nil, err
		}
		env = env.With(map[string]string{
			"COUNCIL_TIME_ZONE": cmp.Or(env["COUNCIL_TIME_ZONE"], settings.TimeZone),
			"COUNCIL_LOCALE":    cmp.Or(env["COUNCIL_LOCALE"], settings.Locale),
		})
	}
	return env, nil
}

// checkAddresses returns an error for each malformed address. It does not check whether the address
// is in use.
func (c *upCmd) checkAddresses(ctx context.Context) error {
	var wrong []error
	for _, a := range []struct {
		name, value string
	}{{"COUNCIL_ADDR", c.CouncilAddr}, {"TRANSIT_ADDR", c.TransitAddr}, {"DEMO_ADDR", c.DemoAddr}} {
		_, port, err := net.SplitHostPort(a.value)
		if err == nil {
			_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %q is not an address to listen on, such as 127.0.0.1:8080: %w", a.name, a.value,
				err))
		}
	}
	return errors.Join(wrong...)
}

// start runs a service in the group. Once the service is ready, it prints a line and closes the
// returned channel. The address of the council API goes through listens to council-ingest, which
// writes it into files; COUNCIL_ADDR may have the port 0.
func start(g *run.Group, svc run.Service, env conf.Environ, host run.Host, out *lines,
	listens chan string) <-chan struct{} {
	ready := make(chan struct{})
	host.Started = func(at run.Started) {
		if svc.Name == "council-api" {
			listens <- at.Public.String()
		}
		g.Watch(func(ctx context.Context) {
			for {
				if _, ok := at.Ready.Ready(ctx); ok {
					break
				}
				if !wait.For(ctx, 50*time.Millisecond) {
					return
				}
			}
			public := ""
			if at.Public != nil {
				public = "http://" + at.Public.String() + firstPage[svc.Part] + "   "
				out.heard(svc.Part, "http://"+at.Public.String())
			}
			out.ready(svc.Name, public+"(admin http://"+at.Admin.String()+"/readyz)")
			close(ready)
		})
	}
	g.Go(svc.Name, func(ctx context.Context) error {
		if svc.Name == "council-ingest" {
			select {
			case address := <-listens:
				env = env.With(map[string]string{"COUNCIL_ADDR": address})
			case <-ctx.Done():
				return nil
			}
		}
		return svc.Serve(ctx, env, host)
	})
	return ready
}

// lines prints a line for each ready service. It is safe for concurrent use.
type lines struct {
	mu    sync.Mutex
	w     interface{ Write([]byte) (int, error) }
	hosts map[schema.Part]string // addresses of the APIs that are ready
}

func (l *lines) heard(part schema.Part, host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil {
		l.hosts = map[schema.Part]string{}
	}
	l.hosts[part] = host
}

// host returns the address of an API; "" if it does not run in this process.
func (l *lines) host(part schema.Part) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hosts[part]
}

func (l *lines) ready(name, what string) { l.say("ready    "+name, what) }

func (l *lines) say(head, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, strings.TrimRight(fmt.Sprintf("%-24s %s", head, what), " "))
}
