package townline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilapi "github.com/townline/townline/services/council-api"
	councilingest "github.com/townline/townline/services/council-ingest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	rtpoller "github.com/townline/townline/services/rt-poller"
	transitapi "github.com/townline/townline/services/transit-api"
)

type upCmd struct {
	Only             string `enum:"council,transit," default:"" placeholder:"HALF" help:"Run one half only: council or transit."`
	Demo             bool   `xor:"demo" help:"Run the demo of each half that has no configuration file, also beside one that has."`
	NoDemo           bool   `xor:"demo" help:"Serve only what is in the database and in the configuration files."`
	CouncilAddr      string `env:"COUNCIL_ADDR" default:"127.0.0.1:8080" help:"Address of the council API. Port 0 takes any free one. Default: 127.0.0.1:8080"`
	TransitAddr      string `env:"TRANSIT_ADDR" default:"127.0.0.1:8081" help:"Address of the transit API. Default: 127.0.0.1:8081"`
	CouncilPublicURL string `name:"council-public-url" env:"COUNCIL_PUBLIC_URL" placeholder:"URL" help:"How the public reaches the council API. Default: its address."`
	TransitPublicURL string `name:"transit-public-url" env:"TRANSIT_PUBLIC_URL" placeholder:"URL" help:"How the public reaches the transit API. Default: its address."`
	DemoAddr         string `env:"DEMO_ADDR" default:"127.0.0.1:8082" help:"Address of the demo town's portal and agency; another one if it is taken. Default: 127.0.0.1:8082"`
}

// Help is printed by `townline up --help`.
func (*upCmd) Help() string {
	return `With nothing configured, townline up starts a private Postgres and an embedded NATS in the data folder,
brings the schema up to date, runs all five services and loads the demo: a fictional town whose portal and
transit agency are served beside it, and go through the same doors as real ones.

Where one half has a configuration file there is no demo, so that nothing made up is served beside what is real: --demo runs that of the
other half all the same, and --no-demo none at all. Mistakes in settings and files are told before anything is started. Ctrl-C stops everything.`
}

// A service is one of the five as `up` runs it.
type service struct {
	name string
	part schema.Part
	pool pg.Options
	// addr is where it listens for the public; empty for those that do not.
	addr string
	// url is what a person opens first, below the public address.
	path string
	run  func(ctx context.Context, env conf.Environ, ln net.Listener, deps run.Deps) error
}

func (c *upCmd) services() []service {
	api := pg.Options{ReadOnly: true, CustomPlans: true, StatementTimeout: 15 * time.Second}
	all := []service{
		{
			name: "council-ingest", part: schema.Council,
			run: func(ctx context.Context, env conf.Environ, _ net.Listener, deps run.Deps) error {
				return load(ctx, env, deps, councilingest.Run)
			},
		},
		{
			name: "council-api", part: schema.Council, pool: api, addr: c.CouncilAddr, path: "/v1/meetings",
			run: func(ctx context.Context, env conf.Environ, ln net.Listener, deps run.Deps) error {
				return load(ctx, env, deps, func(ctx context.Context, cfg councilapi.Config, deps run.Deps) error {
					cfg.Listener, cfg.Linger = ln, 0
					return councilapi.Run(ctx, cfg, deps)
				})
			},
		},
		{
			name: "gtfs-import", part: schema.Transit,
			run: func(ctx context.Context, env conf.Environ, _ net.Listener, deps run.Deps) error {
				return load(ctx, env, deps, gtfsimport.Run)
			},
		},
		{
			name: "rt-poller", part: schema.Transit,
			run: func(ctx context.Context, env conf.Environ, _ net.Listener, deps run.Deps) error {
				return load(ctx, env, deps, rtpoller.Run)
			},
		},
		{
			name: "transit-api", part: schema.Transit, pool: pg.Options{ReadOnly: true, StatementTimeout: api.StatementTimeout}, addr: c.TransitAddr, path: "/gtfs/api/v2/feeds?_format=json",
			run: func(ctx context.Context, env conf.Environ, ln net.Listener, deps run.Deps) error {
				return load(ctx, env, deps, func(ctx context.Context, cfg transitapi.Config, deps run.Deps) error {
					cfg.Listener, cfg.Linger = ln, 0
					return transitapi.Run(ctx, cfg, deps)
				})
			},
		},
	}
	var chosen []service
	for _, s := range all {
		if c.Only == "" || string(s.part) == c.Only {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// load reads a service's Config from the environment and runs it.
func load[C any](ctx context.Context, env conf.Environ, deps run.Deps, fn func(context.Context, C, run.Deps) error) error {
	cfg, err := conf.Load[C](env)
	if err != nil {
		return err
	}
	return fn(ctx, cfg, deps)
}

// Run is `townline up`.
func (c *upCmd) Run(s *session) error {
	if _, errs := configuration(s, c.Only); len(errs) > 0 {
		return wrongConfiguration(errs)
	}
	out := &lines{w: s.stdout}
	in, err := openInfra(s, true)
	if err != nil {
		return err
	}
	defer in.Close()
	out.ready("postgres", in.postgres)
	out.ready("nats", in.nats)

	services := c.services()
	parts := []schema.Part{}
	for _, svc := range services {
		if len(parts) == 0 || parts[len(parts)-1] != svc.part {
			parts = append(parts, svc.part)
		}
	}
	if err := in.migrate(s.ctx, parts...); err != nil {
		return err
	}
	out.ready("schema", fmt.Sprint(parts))

	g := run.NewGroup(s.ctx)
	env := s.env.With(map[string]string{"COUNCIL_PUBLIC_URL": c.CouncilPublicURL, "TRANSIT_PUBLIC_URL": c.TransitPublicURL})
	if in.restart != nil {
		g.Go("postgres", in.restart)
	}
	town, err := c.openDemo(s, g, out, parts)
	if err != nil {
		return errors.Join(err, g.Stop())
	}
	env = env.With(town.env)
	defer town.Close()
	var ready sync.WaitGroup
	for _, svc := range services {
		closeService, err := svc.start(s, g, in, env, out, &ready)
		if err != nil {
			return errors.Join(err, g.Stop())
		}
		defer closeService()
	}
	g.Watch(func(ctx context.Context) {
		town.report(ctx, in, out)
		ready.Wait()
		if ctx.Err() == nil {
			out.say("\neverything is up; Ctrl-C stops it", "")
		}
	})
	err = g.Wait()
	out.say("stopped", "")
	return err
}

// start opens what the service needs, runs it in the group, and prints a line
// once it is ready. The returned function closes what was opened.
func (svc service) start(s *session, g *run.Group, in *infra, env conf.Environ, out *lines, ready *sync.WaitGroup) (func(), error) {
	var ln net.Listener
	var err error
	if svc.addr != "" {
		if ln, err = (&net.ListenConfig{}).Listen(s.ctx, "tcp", svc.addr); err != nil {
			half := strings.ToUpper(string(svc.part))
			return nil, fmt.Errorf("%s: %w (choose another address with %s_ADDR)", svc.name, err, half)
		}
		key := strings.ToUpper(string(svc.part)) + "_PUBLIC_URL"
		if env[key] == "" {
			env = env.With(map[string]string{key: "http://" + ln.Addr().String()})
		}
	}
	admin, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("%s: admin port: %w", svc.name, err)
	}
	deps, closeDeps, err := in.deps(s, svc.name, svc.pool)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", svc.name, err)
	}
	run.StandardChecks(deps, svc.part)
	if err := run.StandardMetrics(deps); err != nil {
		closeDeps()
		return nil, err
	}
	g.Go(svc.name, func(ctx context.Context) error { return svc.run(ctx, env, ln, deps) })
	g.Go(svc.name+" admin", func(ctx context.Context) error { return run.ServeAdmin(ctx, admin, deps.Ready, deps.Metrics) })
	ready.Add(1)
	g.Watch(func(ctx context.Context) {
		defer ready.Done()
		for {
			if _, ok := deps.Ready.Ready(ctx); ok {
				break
			}
			if !run.Sleep(ctx, 50*time.Millisecond) {
				return
			}
		}
		what := ""
		if ln != nil {
			what = "http://" + ln.Addr().String() + svc.path + "   "
		}
		out.ready(svc.name, what+"(admin http://"+admin.Addr().String()+"/readyz)")
	})
	return closeDeps, nil
}

// lines prints what is ready, a line each, from several goroutines.
type lines struct {
	mu sync.Mutex
	w  interface{ Write([]byte) (int, error) }
}

func (l *lines) ready(name, what string) { l.say("ready    "+name, what) }

func (l *lines) say(head, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, strings.TrimRight(fmt.Sprintf("%-24s %s", head, what), " "))
}

// demoFolder holds the configuration files of a running demo, so that the other
// sub-commands see the same town.
func (s *Settings) demoFolder() string { return filepath.Join(s.Data, "demo") }

// useDemo lets a sub-command that was given no configuration files use those of a
// running demo.
func (s *session) useDemo() {
	for _, f := range []struct {
		set       *string
		env, name string
	}{{&s.set.TransitConfig, "TRANSIT_CONFIG", "transit.yaml"}, {&s.set.CouncilConfig, "COUNCIL_CONFIG", "council.yaml"}} {
		path := filepath.Join(s.set.demoFolder(), f.name)
		if *f.set == "" && fileExists(path) {
			*f.set, s.set.AllowPrivate = path, true
			s.env = s.env.With(map[string]string{f.env: path, "TOWNLINE_ALLOW_PRIVATE": "true"})
		}
	}
}
