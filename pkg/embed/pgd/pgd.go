// Package pgd runs a private Postgres server, for tests and for `townline up` without a
// DATABASE_URL; never for production. The server listens only on a Unix socket, in a folder that
// only its own account can enter. After any crash, the next Start recovers all data.
//
// binaries.go and npm.go find the programs, place.go selects account and folders, cluster.go
// creates and starts the cluster.
package pgd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/embed/internal/claim"
	"github.com/townline/townline/pkg/wait"
)

// ErrInUse is wrapped by the error of Start if another process runs the server of the folder.
var ErrInUse = claim.ErrTaken

// The server has no password: every account that can enter the socket's folder may connect.
const (
	superuser = "townline"
	database  = "townline"
)

// Options configure the server. Only DataDir is required.
type Options struct {
	// DataDir is the server's own folder, such as ".townline/postgres". Start creates it.
	DataDir string
	// Settings override the package's postgresql.conf.
	Settings map[string]string
	// Disposable allows the loss of all data, for example in tests. Nothing is synced to disk. Start
	// replaces a cluster that crashed or has an old version.
	Disposable bool
	Log        *slog.Logger
}

// A Server is a running private Postgres.
type Server struct {
	url    string
	socket string
	claim  *claim.Claim // claim and child are nil if another process runs the server
	child  *child
	stop   sync.Once
	failed error
}

// Start starts the server of o.DataDir and returns when it accepts connections. The first start
// creates the cluster. The server ends with Stop or with this process, even if that is killed.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	o.DataDir, err = prepare(o.DataDir)
	if err != nil {
		return nil, fmt.Errorf("private Postgres: %w", err)
	}
	held, err := claim.Take(o.DataDir)
	if err != nil {
		return nil, fmt.Errorf("private Postgres: %w", err)
	}
	s, err := start(ctx, o, held)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("private Postgres in %s: %w", o.DataDir, err), held.Release())
	}
	return s, nil
}

// FindOrStart returns the server that another process runs on o.DataDir, or starts it. Stop does
// not stop the server of another process.
func FindOrStart(ctx context.Context, o Options) (*Server, error) {
	for began := time.Now(); ; {
		if url, ok := Find(ctx, o.DataDir); ok {
			return &Server{url: url}, nil
		}
		s, err := Start(ctx, o)
		// The folder is claimed but not announced: another process starts or stops the server.
		if !errors.Is(err, ErrInUse) || time.Since(began) > startTimeout || !wait.For(ctx, 100*time.Millisecond) {
			return s, err
		}
	}
}

func start(ctx context.Context, o Options, held *claim.Claim) (*Server, error) {
	at, err := choosePlace(o.DataDir)
	if err != nil {
		return nil, err
	}
	if err := at.endOrphan(ctx, o.Log); err != nil {
		return nil, err
	}
	if crashed, _ := at.lockFile(ctx); crashed != "" && o.Disposable {
		if err := at.discard(); err != nil {
			return nil, err
		}
	}
	major, err := at.major()
	if err != nil {
		return nil, err
	}
	want := major
	if o.Disposable {
		want = 0
	}
	programs, err := locate(ctx, o, at.account, want)
	if err != nil {
		return nil, err
	}
	if major != 0 && major != programs.major {
		if err := at.discard(); err != nil {
			return nil, err
		}
		major = 0
	}
	if major == 0 {
		o.Log.Info("creating the database cluster", "version", programs.version, "folder", at.cluster())
		if err := at.create(ctx, programs, o); err != nil {
			return nil, err
		}
	}
	running, err := at.run(ctx, programs, o)
	if err != nil {
		return nil, err
	}
	at.sweep()
	s := &Server{url: at.url(database), socket: at.socket, claim: held, child: running}
	if err := held.Announce(s.url); err != nil {
		running.end(ctx)
		return nil, err
	}
	return s, nil
}

// URL returns the connection string of the server's database, for all processes of this user.
func (s *Server) URL() string { return s.url }

// Exited is closed when the server has ended. It is nil if another process runs the server.
func (s *Server) Exited() <-chan struct{} {
	if s.child == nil {
		return nil
	}
	return s.child.exited
}

// Stop ends open sessions, shuts the server down and releases the folder. If ctx ends first, it
// stops the server at once: the next Start must recover, and no data is lost. Later calls return
// the result of the first.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		if s.child == nil {
			return
		}
		s.child.end(ctx)
		os.Remove(s.socket) // removed only if empty; it may be outside of the data folder
		s.failed = s.claim.Release()
	})
	return s.failed
}

// Find returns the URL of the server that another process runs on dataDir; false if it does not
// answer or serves other data.
func Find(ctx context.Context, dataDir string) (url string, ok bool) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", false
	}
	url, ok = claim.Announced(dir)
	if !ok {
		return "", false
	}
	at, err := placed(dir)
	if err != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", false
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return url, at.owns(ctx, conn) == nil
}

func (p place) url(database string) string {
	q := url.Values{"host": {p.socket}}
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database, RawQuery: q.Encode()}
	// A path cannot be the host of a URL, so the host is a parameter.
	return u.String()
}

// owns returns an error unless conn leads to the server of this cluster. Call it before any change,
// because another server may listen on the socket.
func (p place) owns(ctx context.Context, conn *pgx.Conn) error {
	var dir string
	if err := conn.QueryRow(ctx, "SELECT current_setting('data_directory')").Scan(&dir); err != nil {
		return fmt.Errorf("ask the server for its data directory: %w", err)
	}
	if !sameFile(dir, p.cluster()) {
		return fmt.Errorf("the server behind %s keeps its data in %s, not in %s: not ours", p.socket, dir, p.cluster())
	}
	return nil
}

func createDatabase(ctx context.Context, conn *pgx.Conn) error {
	var exists bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+database)
	}
	if err != nil {
		return fmt.Errorf("create database %s: %w", database, err)
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// A child is a process that ends when this process ends.
type child struct {
	process *os.Process
	exited  chan struct{}
}

// end requests a fast shutdown, and an immediate one if ctx ends first.
func (c *child) end(ctx context.Context) {
	// An error means that the process has ended.
	_ = c.process.Signal(syscall.SIGINT) // fast shutdown: roll back, checkpoint, exit
	select {
	case <-c.exited:
		return
	case <-ctx.Done():
	}
	_ = c.process.Signal(syscall.SIGQUIT) // immediate shutdown: recover at the next start
	select {
	case <-c.exited:
	case <-time.After(5 * time.Second):
		_ = c.process.Kill()
		<-c.exited
	}
}
