package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wait"
)

// A Program is a service as its package defines it. C is the type of its settings.
type Program[C any] struct {
	Name string
	Part schema.Part
	Pool pg.Options
	// Check is the name of the first check that Run adds to Deps.Ready. The process is not ready
	// before. It is empty if Run adds no check.
	Check string
	// Address returns the public address of an API. It is nil for other services.
	Address func(C) string
	// Preflight reads the files that the settings name before anything is opened. It may be nil.
	Preflight func(C, conf.Environ) error
	Run       func(context.Context, C, Deps) error
}

// A Service is a program without the type of its settings. Each service's package has a function
// Program that returns its Service: its binary, `townline up` and the tests all run that.
type Service struct {
	Name string
	Part schema.Part
	// Settings returns the service's own settings from env. The list is complete even if there is an
	// error.
	Settings func(env conf.Environ) ([]conf.Setting, error)
	// Serve runs the service in a process. It reads settings and files, opens the dependencies, runs
	// the service with its admin port until ctx ends, and closes everything.
	Serve func(ctx context.Context, env conf.Environ, host Host) error
}

func (p Program[C]) Service() Service {
	return Service{Name: p.Name, Part: p.Part, Serve: p.serve, Settings: func(env conf.Environ) ([]conf.Setting, error) {
		cfg, err := conf.Load[C](env)
		return conf.Settings(cfg), err
	}}
}

// A Host has the options of a process that runs several services. The zero value is for a process
// with one service.
type Host struct {
	// Log replaces the logger of LOG_LEVEL and LOG_FORMAT. It may be nil.
	Log *slog.Logger
	// Events replaces the NATS options from the environment. It may be nil.
	Events *events.Options
	// Started is called when the service begins to run. It may be nil.
	Started func(Started)
}

// Started describes a running service, whether it is ready or not.
type Started struct {
	Ready *Health
	// Admin is the address of the admin port. Public is the address of an API; nil for other services.
	Admin, Public net.Addr
}

type infra struct {
	DatabaseURL string `env:"DATABASE_URL,required" doc:"Postgres, as a URL."`
	Events      events.Options
	AdminAddr   string `env:"ADMIN_ADDR" envDefault:"127.0.0.1:9090" doc:"Address of /healthz, /readyz and /metrics; do not expose it to the public."`
	LogLevel    string `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error."`
	LogFormat   string `env:"LOG_FORMAT" envDefault:"json" doc:"json or text."`
	Tracing     Tracing
}

func (in *infra) Validate() error { return in.Tracing.Validate() }

// Settings returns the settings that every service has, from env. DATABASE_URL may be missing.
func Settings(env conf.Environ) ([]conf.Setting, error) {
	const address = "DATABASE_URL"
	in, err := conf.Load[infra](conf.Environ{address: "-"}.With(env))
	if env[address] == "" {
		in.DatabaseURL = ""
	}
	return conf.Settings(in), err
}

// Main is the main function of a service's own binary. It returns the exit status. It does not
// migrate the schema; /readyz reports a missing schema.
func Main(s Service) int {
	if len(os.Args) > 1 {
		if os.Args[1] == "--version" {
			fmt.Println(Version)
			return 0
		}
		s.usage()
		if os.Args[1] != "--help" && os.Args[1] != "-h" {
			return 2
		}
		return 0
	}
	ctx, stop := Signals(context.Background())
	defer stop()
	if err := s.Serve(ctx, conf.OS(), Host{}); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}

func (p Program[C]) serve(ctx context.Context, env conf.Environ, host Host) error {
	in, err := conf.Load[infra](env)
	if err != nil {
		return err
	}
	cfg, err := conf.Load[C](env)
	if err == nil && p.Preflight != nil {
		err = p.Preflight(cfg, env)
	}
	if err != nil {
		return err
	}
	log := host.Log
	if log == nil {
		log = Logger(os.Stderr, in.LogLevel, in.LogFormat)
	}
	if host.Events != nil {
		in.Events = *host.Events
	}
	deps, closeDeps, err := Open(ctx, Resources{Name: p.Name, DatabaseURL: in.DatabaseURL, Pool: p.Pool, Events: in.Events,
		Tracing: in.Tracing}, log)
	if err != nil {
		return err
	}
	defer closeDeps()
	deps.Environ = env
	StandardChecks(deps, p.Part)
	if p.Check != "" {
		deps.Ready.Require(p.Check, func(context.Context) error { return errors.New("the service is starting") })
	}
	if err := StandardMetrics(deps); err != nil {
		return err
	}
	started := Started{Ready: deps.Ready}
	if p.Address != nil {
		deps.Listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", p.Address(cfg))
		if err != nil {
			return fmt.Errorf("%w (choose another address with %s_ADDR)", err, strings.ToUpper(string(p.Part)))
		}
		defer deps.Listener.Close() // closes it a second time if the service has begun to serve
		started.Public = deps.Listener.Addr()
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", in.AdminAddr)
	if err != nil {
		return fmt.Errorf("admin port: %w (choose another with ADMIN_ADDR)", err)
	}
	started.Admin = ln.Addr()
	deps.Log.Info("started", "version", Version, "admin", started.Admin.String())
	g := NewGroup(ctx)
	context.AfterFunc(g.Context(), deps.Ready.Stopping)
	admin := serveAdminLast(g, ln, deps)
	if host.Started != nil {
		host.Started(started)
	}
	g.Go(p.Name, func(ctx context.Context) error {
		p.awaitSchema(ctx, deps)
		return p.Run(ctx, cfg, deps)
	})
	err = g.Wait()
	return errors.Join(err, admin.Stop())
}

// serveAdminLast serves the admin port until the returned group is stopped, which is after the
// service. So /readyz can report a stopping process as not ready. If the port fails, g ends.
func serveAdminLast(g *Group, ln net.Listener, deps Deps) *Group {
	admin := NewGroup(context.WithoutCancel(g.parent))
	admin.Go("admin", func(ctx context.Context) error { return ServeAdmin(ctx, ln, deps.Ready, deps.Metrics) })
	g.Go("admin", func(ctx context.Context) error {
		select {
		case <-admin.Context().Done():
			return context.Cause(admin.Context())
		case <-ctx.Done():
			return nil
		}
	})
	return admin
}

// Resources are the options of Open.
type Resources struct {
	Name        string
	DatabaseURL string
	Pool        pg.Options
	// Events has the NATS options. Without URL and Dial there is no NATS.
	Events  events.Options
	Tracing Tracing
}

// Open opens the database and NATS for a service or a command. The returned function closes both.
func Open(ctx context.Context, r Resources, log *slog.Logger) (Deps, func(), error) {
	log = log.With("service", r.Name)
	traces, flush, err := r.Tracing.Open(ctx, r.Name, log)
	if err != nil {
		return Deps{}, nil, err
	}
	r.Pool.Name = "townline-" + r.Name
	db, err := pg.Open(ctx, r.DatabaseURL, r.Pool)
	if err != nil {
		flush()
		return Deps{}, nil, err
	}
	var bus *events.Bus
	if r.Events.URL != "" || r.Events.Dial != nil {
		r.Events.Name, r.Events.Traces = r.Name, traces
		bus, err = events.Open(r.Events, log)
		if err != nil {
			db.Close()
			flush()
			return Deps{}, nil, err
		}
	}
	deps := Deps{DB: db, Events: bus, Log: log, Metrics: prometheus.NewRegistry(), Ready: &Health{}, Traces: traces}
	return deps, func() { bus.Close(); pg.Close(db, closeWithin); flush() }, nil
}

// closeWithin bounds the time that a stop waits for hanging connections.
const closeWithin = 3 * time.Second

// awaitSchema waits until the database has the schema, or ctx ends. Only services that write need
// it: an API starts at once and answers 503.
func (p Program[C]) awaitSchema(ctx context.Context, deps Deps) {
	if p.Pool.ReadOnly {
		return
	}
	logged := false
	for {
		have, want, err := schema.Version(ctx, deps.DB, p.Part)
		if err == nil && have >= want || ctx.Err() != nil {
			return
		}
		if !logged {
			logged = true
			deps.Log.Warn("waiting for the database and its schema", "have", have, "want", want, "error", err)
		}
		if !wait.For(ctx, time.Second) {
			return
		}
	}
}

// StandardChecks adds the readiness checks of every service: the database, a schema of this
// program's version or later, and NATS, which is only a warning.
func StandardChecks(deps Deps, part schema.Part) {
	deps.Ready.Require("database", func(ctx context.Context) error {
		if err := pg.Look(ctx, deps.DB, func(ctx context.Context, conn *pgx.Conn) error {
			return conn.Ping(ctx)
		}); err != nil {
			return fmt.Errorf("not reachable") // the log has the details, which name hosts
		}
		return nil
	})
	deps.Ready.Require("schema", func(ctx context.Context) error {
		var have, want int64
		err := pg.Look(ctx, deps.DB, func(ctx context.Context, conn *pgx.Conn) (err error) {
			have, want, err = schema.Version(ctx, conn, part)
			return err
		})
		if err != nil {
			return fmt.Errorf("version not readable")
		}
		if have < want {
			return fmt.Errorf("at version %d, this program needs %d: run townline migrate", have, want)
		}
		return nil
	})
	deps.Ready.Warn("nats", deps.Events.Check)
}

func (s Service) usage() {
	fmt.Printf("%s takes its settings from the environment:\n\n", s.Name)
	w := tabwriter.NewWriter(os.Stdout, 2, 4, 2, ' ', 0)
	own, _ := s.Settings(nil) // an error does not matter, because the values are not printed
	for _, set := range append(conf.Settings(infra{}), own...) {
		fmt.Fprintf(w, "  %s\t%s\n", set.Name, strings.TrimSpace(set.Doc))
	}
	_ = w.Flush() // an error means that the terminal is closed
}
