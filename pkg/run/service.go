package run

import (
	"context"
	"errors"
	"fmt"
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
)

// A Service is one deployable: what it is called, which part of the schema it
// lives on, and the function that is its life.
type Service[C any] struct {
	Name string
	Part schema.Part
	Pool pg.Options
	// Check names the first check that Run adds to its Deps.Ready. Until it is there
	// the process has only begun to start. Empty when Run adds none.
	Check string
	// Preflight reads the files that the settings name, before anything is opened or waited for. Nil where they name none.
	Preflight func(C) error
	// Run blocks until its context ends.
	Run func(context.Context, C, Deps) error
}

// infra are the settings that every service has.
type infra struct {
	DatabaseURL string `env:"DATABASE_URL,required" doc:"Postgres, as a URL."`
	Events      events.Options
	AdminAddr   string `env:"ADMIN_ADDR" envDefault:"127.0.0.1:9090" doc:"Address of /healthz, /readyz and /metrics; not for the public."`
	LogLevel    string `env:"LOG_LEVEL" envDefault:"info" doc:"debug, info, warn or error."`
	LogFormat   string `env:"LOG_FORMAT" envDefault:"json" doc:"json or text."`
	Tracing     Tracing
}

// Main is what a service's own binary does; it returns the exit status. Settings
// come from the environment; --help prints them. The schema must have been
// migrated by somebody else: until it is, /readyz says so.
func Main[C any](s Service[C]) int {
	env := conf.OS()
	if len(os.Args) > 1 {
		if os.Args[1] == "--version" {
			fmt.Println(Version)
			return 0
		}
		usage[C](s.Name)
		if os.Args[1] != "--help" && os.Args[1] != "-h" {
			return 2
		}
		return 0
	}
	ctx, stop := Signals(context.Background())
	defer stop()
	if err := s.serve(ctx, env); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}

func (s Service[C]) serve(ctx context.Context, env conf.Environ) error {
	in, err := conf.Load[infra](env)
	if err != nil {
		return err
	}
	cfg, err := conf.Load[C](env)
	if err != nil {
		return err
	}
	if s.Preflight != nil {
		if err := s.Preflight(cfg); err != nil {
			return err
		}
	}
	log := Logger(os.Stderr, in.LogLevel, in.LogFormat).With("service", s.Name)
	traces, flush, err := in.Tracing.Open(ctx, s.Name, log)
	if err != nil {
		return err
	}
	defer flush()
	s.Pool.Name = "townline-" + s.Name
	db, err := pg.Open(ctx, in.DatabaseURL, s.Pool)
	if err != nil {
		return err
	}
	defer db.Close()
	var bus *events.Bus
	if in.Events.URL != "" {
		in.Events.Name, in.Events.Traces = s.Name, traces
		if bus, err = events.Open(in.Events, log); err != nil {
			return err
		}
		defer bus.Close()
	}
	deps := Deps{DB: db, Events: bus, Log: log, Metrics: prometheus.NewRegistry(), Ready: &Health{}, Traces: traces}
	StandardChecks(deps, s.Part)
	if s.Check != "" {
		deps.Ready.Require(s.Check, func(context.Context) error { return errors.New("the service is starting") })
	}
	if err := StandardMetrics(deps); err != nil {
		return err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", in.AdminAddr)
	if err != nil {
		return fmt.Errorf("admin port: %w (choose another with ADMIN_ADDR)", err)
	}
	log.Info("started", "version", Version, "admin", ln.Addr().String())
	g := NewGroup(ctx)
	context.AfterFunc(g.Context(), deps.Ready.Stopping)
	// The admin port closes last, so that whoever watches /readyz sees a process that stops as one that is not ready.
	admin := NewGroup(context.WithoutCancel(ctx))
	admin.Go("admin", func(ctx context.Context) error { return ServeAdmin(ctx, ln, deps.Ready, deps.Metrics) })
	g.Go("admin", func(ctx context.Context) error {
		select {
		case <-admin.Context().Done():
			return context.Cause(admin.Context())
		case <-ctx.Done():
			return nil
		}
	})
	g.Go(s.Name, func(ctx context.Context) error {
		if err := s.await(ctx, deps); err != nil {
			return err
		}
		return s.Run(ctx, cfg, deps)
	})
	err = g.Wait()
	return errors.Join(err, admin.Stop())
}

// await waits for the schema that a writer writes. A reader begins at once, for it says itself that it cannot answer yet.
func (s Service[C]) await(ctx context.Context, deps Deps) error {
	if s.Pool.ReadOnly {
		return nil
	}
	told := false
	for {
		have, want, err := schema.Version(ctx, deps.DB, s.Part)
		if err == nil && have >= want {
			return nil
		}
		if !told {
			told = true
			deps.Log.Warn("waiting for the database and its schema", "have", have, "want", want, "error", err)
		}
		if !Sleep(ctx, time.Second) {
			return nil
		}
	}
}

// StandardChecks adds what every service's readiness rests on: the database, its
// schema at this program's version or a later one, and, as a warning, NATS.
func StandardChecks(deps Deps, part schema.Part) {
	deps.Ready.Require("database", func(ctx context.Context) error {
		if err := pg.Look(ctx, deps.DB, func(ctx context.Context, conn *pgx.Conn) error { return conn.Ping(ctx) }); err != nil {
			return fmt.Errorf("not reachable") // the details, which name hosts, are in the log of whoever needs the database
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
			return fmt.Errorf("at version %d, this program wants %d: run townline migrate", have, want)
		}
		return nil
	})
	deps.Ready.Warn("nats", deps.Events.Check)
}

func usage[C any](name string) {
	fmt.Printf("%s takes its settings from the environment:\n\n", name)
	w := tabwriter.NewWriter(os.Stdout, 2, 4, 2, ' ', 0)
	var zero C
	for _, set := range append(conf.Settings(infra{}), conf.Settings(zero)...) {
		fmt.Fprintf(w, "  %s\t%s\n", set.Name, strings.TrimSpace(set.Doc))
	}
	_ = w.Flush() // a terminal that has gone is nobody's loss
}
