package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// drainFor is how long open requests may take to end after a stop.
const drainFor = 15 * time.Second

// Serve answers on a listener until ctx ends. Then it continues for Config.Linger and asks each
// client to reconnect, lets open requests end, and closes the listener.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,       // requests have no body
		WriteTimeout:      s.cfg.Timeout + s.pace, // of small answers; send sets it for each part of a large one
		ConnContext:       unsentBounded,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	srv.RegisterOnShutdown(sync.OnceFunc(func() { close(s.ended) }))
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-time.After(s.cfg.Linger):
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("stop %s: %w", ln.Addr(), err), srv.Close())
	}
	return nil
}
