package townline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
)

// infra is the Postgres and the NATS that a command works with: configured ones,
// those of a running `townline up`, or private ones started for the occasion.
type infra struct {
	databaseURL string
	events      events.Options
	// How each came about, for the lines that `up` prints.
	postgres, nats string
	// restart keeps a private Postgres of ours running: it starts it again when it
	// ends by itself, and returns when its context ends. Nil when it is not ours.
	restart func(context.Context) error
	close   []func()
}

// openInfra finds or starts Postgres and NATS. own says that this process is to
// be the one that runs the private servers (townline up): finding them in the
// hands of another is then an error.
func openInfra(s *session, own bool) (*infra, error) {
	in := &infra{}
	if err := in.openPostgres(s, own); err != nil {
		return nil, err
	}
	if err := in.openNATS(s, own); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func (in *infra) openPostgres(s *session, own bool) error {
	if s.set.DatabaseURL != "" {
		in.databaseURL, in.postgres = s.set.DatabaseURL, "as DATABASE_URL says"
		return nil
	}
	dir := filepath.Join(s.set.Data, "postgres")
	if err := os.MkdirAll(s.set.Data, 0o755); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	opts := pgd.Options{DataDir: dir, Log: s.log}
	if !own {
		server, err := pgd.FindOrStart(s.ctx, opts)
		if err != nil {
			return err
		}
		in.databaseURL = server.URL()
		in.close = append(in.close, func() { (&keeper{server: server, log: s.log}).stop(context.WithoutCancel(s.ctx)) })
		return nil
	}
	server, err := pgd.Start(s.ctx, opts)
	if errors.Is(err, pgd.ErrInUse) {
		return fmt.Errorf("%w\nanother townline is running on %s; stop it, or choose another folder with --data", err, s.set.Data)
	}
	if err != nil {
		return err
	}
	k := &keeper{server: server, opts: opts, log: s.log}
	in.databaseURL, in.postgres, in.restart = server.URL(), "private, in "+dir, k.run
	in.close = append(in.close, func() { k.stop(context.WithoutCancel(s.ctx)) })
	return nil
}

// keeper holds a private Postgres and replaces it when it dies.
type keeper struct {
	mu     sync.Mutex
	server *pgd.Server
	opts   pgd.Options
	log    *slog.Logger
}

func (k *keeper) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.server.Exited():
		}
		if ctx.Err() != nil {
			return nil
		}
		k.log.Error("the private Postgres ended by itself; starting it again")
		k.stop(ctx)
		server, err := pgd.Start(ctx, k.opts)
		for err != nil {
			k.log.Error("start the private Postgres again", "error", err)
			if !run.Sleep(ctx, 2*time.Second) {
				return nil
			}
			server, err = pgd.Start(ctx, k.opts)
		}
		k.mu.Lock()
		k.server = server
		k.mu.Unlock()
	}
}

func (k *keeper) stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.server.Stop(ctx); err != nil {
		k.log.Warn("stop the private Postgres", "error", err)
	}
}

func (in *infra) openNATS(s *session, own bool) error {
	if s.set.NATSURL != "" {
		// With the streams' replicas: a command that submits work must not make them fewer.
		var err error
		in.events, err = conf.Load[events.Options](s.env)
		in.events.URL, in.nats = s.set.NATSURL, "as NATS_URL says"
		return err
	}
	dir := filepath.Join(s.set.Data, "nats")
	if !own {
		if url, ok := natsd.Find(dir); ok {
			in.events.URL, in.nats = url, "of the running townline up"
		}
		// Without a running server there is nobody to tell: a nil bus says so.
		return nil
	}
	server, err := natsd.Start(natsd.Options{StoreDir: dir, Log: s.log})
	if err != nil {
		return err
	}
	in.events.Dial, in.nats = server.Connect, "embedded, in "+dir
	in.close = append(in.close, func() {
		if err := server.Stop(); err != nil {
			s.log.Warn("stop the embedded NATS", "error", err)
		}
	})
	return nil
}

// Close stops what openInfra started, last first.
func (in *infra) Close() {
	for i := len(in.close) - 1; i >= 0; i-- {
		in.close[i]()
	}
	in.close = nil
}

// migrate brings the given parts of the schema up to date, waiting a while for a
// configured Postgres that is not there yet.
func (in *infra) migrate(ctx context.Context, parts ...schema.Part) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := schema.Migrate(ctx, in.databaseURL, parts...)
		if err == nil || !pg.Unavailable(err) || time.Now().After(deadline) {
			return err
		}
		if !run.Sleep(ctx, 500*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// with runs fn with a migrated database and, if there is one, NATS: what most
// sub-commands need.
func (s *session) with(name string, fn func(run.Deps) error, parts ...schema.Part) error {
	in, err := openInfra(s, false)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := in.migrate(s.ctx, parts...); err != nil {
		return err
	}
	tracing, err := conf.Load[run.Tracing](s.env)
	if err != nil {
		return err
	}
	deps, closeDeps, err := run.Open(s.ctx, run.Resources{Name: name, DatabaseURL: in.databaseURL, Events: in.events, Tracing: tracing}, s.log)
	if err != nil {
		return err
	}
	defer closeDeps()
	return fn(deps)
}
