// Package run manages the life of a process: signals, groups of goroutines that stop together,
// loops with jitter and backoff, health and metrics on an admin port, logging, and tracing.
//
// A service is a Config and a function Run(ctx, cfg, Deps) error that blocks until ctx ends. Its
// package exports both as a Service. Main makes a program from a service; townline up runs several
// services in one process. This package does not depend on any service.
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

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/panics"
)

// Deps has the dependencies of a service. Two services in one process share only the servers.
type Deps struct {
	// DB may be unable to connect for a while. Services then answer 503 or try again.
	DB *pgxpool.Pool
	// Events is nil without NATS.
	Events *events.Bus
	// Log adds the service's name.
	Log *slog.Logger
	// Metrics is the service's own registry, served at /metrics.
	Metrics *prometheus.Registry
	// Ready has the checks of /readyz. Services add their own checks.
	Ready *Health
	// Listener is the open public port of an API. It is nil for other services.
	Listener net.Listener
	// Environ has the variables that ${NAME} in configuration files refers to.
	Environ conf.Environ
	// Traces is nil without tracing. Services start spans with Span.
	Traces trace.TracerProvider
}

// Signals returns a context that ends at the first SIGINT or SIGTERM. A second signal ends the
// process at once.
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

// A Group runs functions until one of them returns. Then the context of all functions ends.
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

func (g *Group) Context() context.Context { return g.ctx }

var (
	errEnded   = errors.New("ended before it was stopped")
	errStopped = errors.New("stopped")
)

// Go starts fn. An error of fn gets name as its prefix. A panic in fn becomes an error of the
// group, so that the other functions still stop in order.
func (g *Group) Go(name string, fn func(context.Context) error) {
	g.wg.Go(func() {
		err := panics.Safely(func() error { return fn(g.ctx) })
		if err == nil {
			err = errEnded
		}
		g.cancel(fmt.Errorf("%s: %w", name, err))
	})
}

// Watch starts fn, which stops with the group but may return earlier. A panic in fn ends the group.
func (g *Group) Watch(fn func(context.Context)) {
	g.wg.Go(func() {
		if err := panics.Safely(func() error { fn(g.ctx); return nil }); err != nil {
			g.cancel(err)
		}
	})
}

// Stop ends the context of all functions and waits for them.
func (g *Group) Stop() error {
	g.cancel(errStopped)
	return g.Wait()
}

// Wait blocks until every function has returned. It returns nil if the group was stopped from
// outside. Otherwise it returns the error of the function that returned first; if that function
// returned nil, Wait returns an error that says that the function ended early. A context.Canceled
// error counts as a stop only if the parent was cancelled.
func (g *Group) Wait() error {
	g.wg.Wait()
	cause := context.Cause(g.ctx)
	stopped := errors.Is(cause, context.Canceled) && g.parent.Err() != nil
	if cause == nil || stopped || errors.Is(cause, errStopped) {
		return nil
	}
	return cause
}
