// Package run is the life of a process: signals, named goroutines that stand and
// fall together, loops with jitter and backoff, health and metrics on a port of
// their own, logging, tracing.
//
// A service is a Config and a function Run(ctx, cfg, Deps) error that blocks until
// ctx ends. Its package exports both as a Service; Main makes a program of it, and
// townline up serves several in one process. Nothing here knows what a service does.
package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/panics"
)

// Deps is what every service is given. Nothing in it is shared with another
// service of the same process but the servers behind it.
type Deps struct {
	// DB is the pool of connections to Postgres. It may be unable to connect for
	// a while; services answer 503 or try again until it is.
	DB *pgxpool.Pool
	// Events is the connection to NATS; nil is allowed and leads nowhere.
	Events *events.Bus
	// Log carries the service's name.
	Log *slog.Logger
	// Metrics is the service's own registry, served at /metrics.
	Metrics *prometheus.Registry
	// Ready is what /readyz answers; services add their own checks.
	Ready *Health
	// Listener is the public port of an API, open; nil for other services.
	Listener net.Listener
	// Environ is what ${NAME} in configuration files refers to.
	Environ conf.Environ
	// Traces makes spans; nil when nothing is traced. Services begin theirs with Span.
	Traces trace.TracerProvider
}

// Signals returns a context that ends at the first SIGINT or SIGTERM. A second
// one ends the process at once, for whoever does not want to wait.
func Signals(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ch:
			cancel()
		case <-ctx.Done():
			return
		}
		<-ch
		os.Exit(130)
	}()
	return ctx, func() { signal.Stop(ch); cancel() }
}

// A Group runs functions that belong together: when one returns, with an error
// or without, all are told to stop.
type Group struct {
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewGroup returns a group whose functions get a context derived from parent.
func NewGroup(parent context.Context) *Group {
	ctx, cancel := context.WithCancelCause(parent)
	return &Group{parent: parent, ctx: ctx, cancel: cancel}
}

// Context ends when the group is told to stop.
func (g *Group) Context() context.Context { return g.ctx }

var (
	errEnded   = errors.New("ended")
	errStopped = errors.New("stopped")
)

// Go starts fn under a name that its error will carry. A panic in fn becomes an
// error of the group, so that the others still stop in order.
func (g *Group) Go(name string, fn func(context.Context) error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		err := errEnded
		defer func() {
			if p := recover(); p != nil {
				err = panics.Error(p)
			}
			g.cancel(fmt.Errorf("%s: %w", name, err))
		}()
		if e := fn(g.ctx); e != nil {
			err = e
		}
	}()
}

// Watch starts fn, which stops with the group but does not end it by returning. A panic in fn does, as in Go.
func (g *Group) Watch(fn func(context.Context)) {
	g.wg.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				g.cancel(panics.Error(p))
			}
		}()
		fn(g.ctx)
	})
}

// Stop tells every function to stop and waits for them.
func (g *Group) Stop() error {
	g.cancel(errStopped)
	return g.Wait()
}

// Wait blocks until every function has returned. It returns nil when the group
// was stopped from outside, and otherwise why the first function returned. An
// error that speaks of a cancelled context is a stop only if the parent was
// cancelled: some other context may have been meant.
func (g *Group) Wait() error {
	g.wg.Wait()
	cause := context.Cause(g.ctx)
	stopped := errors.Is(cause, context.Canceled) && g.parent.Err() != nil
	if cause == nil || stopped || errors.Is(cause, errStopped) || errors.Is(cause, errEnded) {
		return nil
	}
	return cause
}

// Sleep waits for d or until ctx ends, and tells whether it waited to the end.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
