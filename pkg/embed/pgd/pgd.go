// Package pgd runs a private Postgres server for one checkout: the one behind
// `townline up` when no DATABASE_URL is given, and the one behind the tests.
//
// The server listens on a Unix socket only, in a folder that only its own account can enter; it is
// never for production. Everything is made for crashes: whatever is killed at whatever moment, the
// next Start comes up with the data whole.
//
// Where the programs come from is in binaries.go and npm.go, which account and folders the server
// uses in place.go, its first and every further start in cluster.go.
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

// ErrInUse is wrapped by the error of Start while another process runs the
// server of the same folder.
var ErrInUse = claim.ErrTaken

// The names of the superuser and of the database that a private server offers.
// There is no password: who can enter the socket's folder may connect.
const (
	superuser = "townline"
	database  = "townline"
)

// Options say where and how to run the server. Only DataDir is required.
type Options struct {
	// DataDir is the folder that belongs to this server alone, for instance
	// ".townline/postgres". It is made when absent.
	DataDir string
	// Settings are postgresql.conf settings laid over the package's own.
	Settings map[string]string
	// Disposable is for data that may be lost, such as a test's: nothing is
	// forced to the disk, and a cluster that was not shut down properly, or is of
	// another version than a new one would be, is made anew.
	Disposable bool
	// Log gets a line for everything slow or unusual. Nil means silence.
	Log *slog.Logger
}

// A Server is a running private Postgres.
type Server struct {
	url    string
	socket string       // its folder
	claim  *claim.Claim // nil, like child, for a server that another process runs
	child  *child
	stop   sync.Once
	failed error // of Stop
}

// Start brings up the server of o.DataDir, creating the cluster the first time, and returns when it
// takes connections. The server ends with Stop, or when this process ends in any way.
//
// The error wraps ErrInUse while another process runs the same server.
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

// FindOrStart is for work that needs the server for a while: it returns the one that another
// process is running on o.DataDir, which Stop then leaves alone, or else starts it.
func FindOrStart(ctx context.Context, o Options) (*Server, error) {
	for began := time.Now(); ; {
		if url, ok := Find(ctx, o.DataDir); ok {
			return &Server{url: url}, nil
		}
		s, err := Start(ctx, o)
		// Claimed but not to be found: it is starting or stopping just now.
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
		want = 0 // whatever a new one would be made with
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
	s := &Server{url: at.url(database), socket: at.socket, claim: held, child: running}
	if err := held.Announce(s.url); err != nil {
		running.end(ctx)
		return nil, err
	}
	return s, nil
}

// URL is the connection string of the server's own database, for this and any
// other process of the same user.
func (s *Server) URL() string { return s.url }

// Exited is closed when the server has ended, for any reason. It is nil for a
// server that another process runs.
func (s *Server) Exited() <-chan struct{} {
	if s.child == nil {
		return nil
	}
	return s.child.exited
}

// Stop ends open sessions, shuts the server down and gives the folder up. When
// ctx ends first the server is stopped the hard way, which costs a recovery at
// the next Start and no data. Further calls return what the first returned.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		if s.child == nil {
			return
		}
		s.child.end(ctx)
		os.Remove(s.socket) // only if empty; may lie outside of the data folder
		s.failed = s.claim.Release()
	})
	return s.failed
}

// Find returns the URL of the server that some process is running on dataDir, and false when there
// is none, or none that can be reached and proves to be the right one.
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
	// The authority's host stays empty: the socket's folder cannot stand there.
	return u.String()
}

// owns proves that conn speaks with the server of this very cluster. Nothing
// may be changed over a connection before this returned nil: a process that listens
// where we expect ourselves need not be us.
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

// createDatabase creates the database that the server offers, if it is not there.
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

// A child is a process of ours that must not outlive us.
type child struct {
	process *os.Process
	exited  chan struct{}
}

// end asks for a fast shutdown, and less politely when ctx ends first.
func (c *child) end(ctx context.Context) {
	// A signal that cannot be sent finds no process: exited is closed, or soon.
	_ = c.process.Signal(syscall.SIGINT) // fast: roll back, checkpoint, exit
	select {
	case <-c.exited:
		return
	case <-ctx.Done():
	}
	_ = c.process.Signal(syscall.SIGQUIT) // immediate: recover at the next start
	select {
	case <-c.exited:
	case <-time.After(5 * time.Second):
		_ = c.process.Kill()
		<-c.exited
	}
}
