package rest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/townline/townline/pkg/run"
)

// drainFor is the time that open requests may take to end after a stop.
const drainFor = 15 * time.Second

// Serve answers on a listener until ctx ends. Then it continues for Config.Linger and asks each
// client to reconnect. At last it lets open requests end and closes the listener.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,       // requests have no body
		WriteTimeout:      s.cfg.Timeout + s.pace, // for small answers; send sets a deadline for each part of a large answer
		ConnContext:       unsentBounded,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	srv.RegisterOnShutdown(sync.OnceFunc(func() { close(s.ended) }))
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		s.stopping.Store(true)
		time.AfterFunc(s.cfg.Linger, stop)
	})()
	return run.Serve(serving, srv, ln, drainFor)
}
