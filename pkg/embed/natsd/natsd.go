// Package natsd runs a NATS server with JetStream inside this process: the one
// behind `townline up` when no NATS_URL is given, and the one behind the tests.
//
// This process talks to it without any socket. Other processes of the same
// user, such as another sub-command of townline, reach it over a loopback port
// with a token that only they can read. It is never for production.
package natsd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/townline/townline/pkg/embed/internal/claim"
)

// ErrInUse is wrapped by the error of Start while another process runs the
// server of the same folder.
var ErrInUse = claim.ErrTaken

// What JetStream may keep; a stream that would exceed it refuses messages.
const (
	maxStore  = 1 << 30
	maxMemory = 64 << 20
)

const readyTimeout = 10 * time.Second

// Options say where to run the server.
type Options struct {
	// StoreDir is the folder that belongs to this server alone, for instance
	// ".townline/nats". It is made when absent.
	StoreDir string
	// Log gets the server's warnings and errors. Nil means silence.
	Log *slog.Logger
}

// A Server is a running NATS server.
type Server struct {
	nats   *server.Server
	token  string
	url    string
	claim  *claim.Claim
	stop   sync.Once
	failed error // of Stop
}

// Start brings the server up on what o.StoreDir holds and returns when it takes connections. A
// store that is damaged is set aside, and the server starts with an empty one: what waited in it is
// lost, and the log says so. The error wraps ErrInUse while another process runs it.
func Start(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.StoreDir == "" {
		return nil, errors.New("embedded NATS: no store folder given")
	}
	if err := os.MkdirAll(o.StoreDir, 0o700); err != nil {
		return nil, fmt.Errorf("embedded NATS: %w", err)
	}
	held, err := claim.Take(o.StoreDir)
	if err != nil {
		return nil, fmt.Errorf("embedded NATS: %w", err)
	}
	s, err := startWhole(o, held)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded NATS in %s: %w", o.StoreDir, err), held.Release())
	}
	return s, nil
}

// startWhole starts on the store that is there, or without it when it is damaged.
func startWhole(o Options, held *claim.Claim) (*Server, error) {
	store := filepath.Join(o.StoreDir, "store")
	before, err := stored(store)
	if err != nil {
		return nil, err
	}
	s, err := start(o, held)
	if len(before) == 0 {
		return s, err
	}
	if err == nil {
		var lost uint64
		lost, err = s.check(before)
		if err == nil {
			if lost > 0 {
				o.Log.Warn("messages are gone from the store of the embedded NATS that no worker was given: imports or ingests "+
					"that were asked for are lost: ask again",
					"messages", lost)
			}
			return s, nil
		}
		s.shutdown()
	}
	aside, moved := setAside(store)
	if moved != nil {
		return nil, errors.Join(err, moved)
	}
	o.Log.Error("the store of the embedded NATS was damaged and is set aside; imports and ingests that were asked for "+
		"and not begun are lost: ask again", "error", err, "store", aside)
	return start(o, held)
}

func start(o Options, held *claim.Claim) (*Server, error) {
	s := &Server{token: rand.Text(), claim: held}
	var err error
	s.nats, err = server.NewServer(&server.Options{
		ServerName:             "townline",
		Host:                   "127.0.0.1",
		Port:                   server.RANDOM_PORT,
		Authorization:          s.token,
		JetStream:              true,
		StoreDir:               filepath.Join(o.StoreDir, "store"),
		JetStreamMaxStore:      maxStore,
		JetStreamMaxMemory:     maxMemory,
		DisableJetStreamBanner: true,
		NoSigs:                 true, // signals belong to the program, not to us
		NoLog:                  true,
	})
	if err != nil {
		return nil, err
	}
	s.nats.SetLoggerV2(logger{o.Log}, false, false, false)
	s.nats.Start()
	if !s.nats.ReadyForConnections(readyTimeout) || !s.nats.JetStreamEnabled() {
		s.shutdown()
		return nil, fmt.Errorf("not ready after %s", readyTimeout)
	}
	u := url.URL{Scheme: "nats", User: url.User(s.token), Host: s.nats.Addr().String()}
	s.url = u.String()
	if err := held.Announce(s.url); err != nil {
		s.shutdown()
		return nil, err
	}
	return s, nil
}

// Connect opens a connection inside this process. The caller closes it.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append([]nats.Option{nats.InProcessServer(s.nats), nats.Token(s.token)}, options...)...)
}

// URL is how another process of the same user connects. It holds a secret.
func (s *Server) URL() string { return s.url }

// Stop closes all connections, writes everything out and gives the folder up.
// Further calls return what the first returned.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		s.shutdown()
		s.failed = s.claim.Release()
	})
	return s.failed
}

func (s *Server) shutdown() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// Find returns the URL of the server that some process is running on storeDir,
// and false when there is none.
func Find(storeDir string) (url string, ok bool) {
	return claim.Announced(storeDir)
}

// logger hands the server's words to slog. Notices are about every step of the
// start, so they are of interest only when one looks closer.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l logger) Fatalf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (logger) Debugf(string, ...any)             {}
func (logger) Tracef(string, ...any)             {}
