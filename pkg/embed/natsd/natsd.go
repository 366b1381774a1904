// Package natsd runs a NATS server with JetStream in this process, for tests and for `townline up`
// without a NATS_URL; never for production.
//
// This process connects without a socket. Other processes of the same user connect to a loopback
// port with a token that only this user can read.
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

// Limits of JetStream. A stream rejects messages beyond them.
const (
	maxStore  = 1 << 30
	maxMemory = 64 << 20
)

const readyTimeout = 10 * time.Second

type Options struct {
	// StoreDir is the server's own folder, such as ".townline/nats". Start creates it.
	StoreDir string
	// Log gets the server's warnings and errors. It may be nil.
	Log *slog.Logger
}

type Server struct {
	nats   *server.Server
	token  string
	url    string
	claim  *claim.Claim
	stop   sync.Once
	failed error
}

// Start starts the server of o.StoreDir and returns when it accepts connections. It sets a damaged
// store aside and starts with an empty one. The log says how many messages were lost.
func Start(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.StoreDir == "" {
		return nil, errors.New("embedded NATS: StoreDir is required")
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

// startWhole starts the server with the existing store, or with an empty one if the store is
// damaged.
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
				o.Log.Warn("the store of the embedded NATS lost undelivered messages: repeat the last import and "+
					"ingest commands", "messages", lost)
			}
			return s, nil
		}
		s.shutdown()
	}
	aside, moved := setAside(store)
	if moved != nil {
		return nil, errors.Join(err, moved)
	}
	o.Log.Error("the store of the embedded NATS was damaged and is set aside: repeat the import and ingest commands "+
		"that had not begun", "error", err, "store", aside)
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
		NoSigs:                 true, // the program handles signals
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

// URL returns the address for other processes of this user. It contains the token.
func (s *Server) URL() string { return s.url }

// Stop closes all connections, writes the store and releases the folder. Later calls return the
// result of the first.
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

// Find returns the URL of the server that another process runs on storeDir; false if there is none.
func Find(storeDir string) (url string, ok bool) {
	return claim.Announced(storeDir)
}

// logger writes the server's log to slog, with notices at level debug.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l logger) Fatalf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (logger) Debugf(string, ...any)             {}
func (logger) Tracef(string, ...any)             {}
