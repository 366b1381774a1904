package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Servers are the Postgres and the NATS of a command: configured servers, those of a running
// `townline up`, or private servers started for the command.
type Servers struct {
	DatabaseURL string
	Events      events.Options
	// Postgres and NATS say where each server comes from, for the output of `up`.
	Postgres, NATS string
	// Restart keeps the private Postgres running: it restarts Postgres when it ends, and returns
	// when its context ends. It is nil if there is no private Postgres.
	Restart func(context.Context) error
	log     *slog.Logger
	close   []func()
}

// Open finds or starts Postgres and NATS. If own is set, this process must run the private servers
// itself (townline up): it is an error if another process runs them.
func Open(s *Session, own bool) (*Servers, error) {
	in := &Servers{log: s.Log}
	if err := in.openPostgres(s, own); err != nil {
		return nil, err
	}
	if err := in.openNATS(s, own); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func (in *Servers) openPostgres(s *Session, own bool) error {
	if s.Set.DatabaseURL != "" {
		in.DatabaseURL, in.Postgres = s.Set.DatabaseURL, "from DATABASE_URL"
		return nil
	}
	dir := filepath.Join(s.Set.Data, "postgres")
	if err := os.MkdirAll(s.Set.Data, 0o755); err != nil {
		return fmt.Errorf("make the data folder: %w%s", err, otherFolder)
	}
	opts := pgd.Options{DataDir: dir, Log: s.Log}
	if !own {
		server, err := pgd.FindOrStart(s.Ctx, opts)
		if err != nil {
			return unwritable(err)
		}
		in.DatabaseURL = server.URL()
		in.close = append(in.close, func() { (&keeper{server: server, log: s.Log}).stop(context.WithoutCancel(s.Ctx)) })
		return nil
	}
	server, err := pgd.Start(s.Ctx, opts)
	if errors.Is(err, pgd.ErrInUse) {
		return fmt.Errorf("%w\nanother townline is running on %s; stop it, or choose another folder with --data", err,
			s.Set.Data)
	}
	if err != nil {
		return unwritable(err)
	}
	k := &keeper{server: server, opts: opts, log: s.Log}
	in.DatabaseURL, in.Postgres = server.URL(), "private, in "+dir
	in.Restart = k.run
	in.close = append(in.close, func() { k.stop(context.WithoutCancel(s.Ctx)) })
	return nil
}

// otherFolder is the advice for an unusable data folder.
const otherFolder = "\nchoose a folder that this account can write with --data or TOWNLINE_DATA, or a database with " +
	"DATABASE_URL"

// unwritable adds a solution to the error of a private Postgres if this account may not use its
// folder.
func unwritable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("use the data folder: %w%s", err, otherFolder)
	}
	return err
}

// keeper owns a private Postgres and replaces it if it dies.
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
		k.log.Error("the private Postgres ended; starting it again")
		k.stop(ctx)
		server, err := pgd.Start(ctx, k.opts)
		for err != nil {
			k.log.Error("start the private Postgres again", "error", err)
			if !wait.For(ctx, 2*time.Second) {
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

func (in *Servers) openNATS(s *Session, own bool) error {
	if s.Set.NATSURL != "" {
		// Use the streams' replicas: a command that submits work must not reduce them.
		var err error
		in.Events, err = conf.Load[events.Options](s.Env)
		in.Events.URL, in.NATS = s.Set.NATSURL, "from NATS_URL"
		return err
	}
	dir := filepath.Join(s.Set.Data, "nats")
	if !own {
		if url, ok := natsd.Find(dir); ok {
			in.Events.URL, in.NATS = url, "of the running townline up"
		}
		// Without a running server no service listens, so the bus is nil.
		return nil
	}
	server, err := natsd.Start(natsd.Options{StoreDir: dir, Log: s.Log})
	if err != nil {
		return err
	}
	in.Events.Dial, in.NATS = server.Connect, "embedded, in "+dir
	in.close = append(in.close, func() {
		if err := server.Stop(); err != nil {
			s.Log.Warn("stop the embedded NATS", "error", err)
		}
	})
	return nil
}

// Close stops what Open started, in reverse order.
func (in *Servers) Close() {
	for i := len(in.close) - 1; i >= 0; i-- {
		in.close[i]()
	}
	in.close = nil
}

// Migrate migrates the given parts of the schema. If a configured Postgres does not answer yet,
// Migrate waits up to patience.
func (in *Servers) Migrate(ctx context.Context, parts ...schema.Part) error {
	deadline := time.Now().Add(patience)
	for waits := false; ; waits = true {
		err := schema.Migrate(ctx, in.DatabaseURL, parts...)
		if err == nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !pg.Unavailable(err) || time.Now().After(deadline) {
			return unusable(err)
		}
		if !waits {
			in.log.Warn("the database does not answer; trying again", "longest", patience, "error", pg.Loggable(err))
		}
		if !wait.For(ctx, 500*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// patience is how long a command waits for a configured Postgres that does not answer yet.
const patience = 30 * time.Second

// unusable returns the error for an unusable database, with a solution. It contains no host and no
// user.
func unusable(err error) error {
	var unread *pgconn.ParseConfigError
	var refused *pgconn.ConnectError
	switch {
	case errors.As(err, &unread):
		return fmt.Errorf("DATABASE_URL cannot be read: write postgres://USER@HOST:PORT/DATABASE: %w", err)
	case errors.As(err, &refused):
		return errors.New(pg.Loggable(err) + "\n`townline doctor` says what is wrong with DATABASE_URL and what to do")
	}
	return err
}

// Served asks the running transit APIs which feeds they serve. For each feed it returns the most
// outdated answer. apis is the number of APIs that answered; without NATS it is 0.
func Served(ctx context.Context, bus *events.Bus, log *slog.Logger) (feeds map[string]*eventsv1.FeedServed, apis int) {
	answers, err := bus.AskServed(ctx, time.Second)
	if err != nil {
		log.Warn("cannot ask the transit APIs what they serve", "error", err)
	}
	feeds = map[string]*eventsv1.FeedServed{}
	for _, a := range answers {
		for _, f := range a.Feeds {
			other := feeds[f.Alias]
			if other == nil || f.VersionId < other.VersionId || f.VersionId == other.VersionId && other.Problem == "" {
				feeds[f.Alias] = f
			}
		}
	}
	return feeds, len(answers)
}
