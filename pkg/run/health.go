package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Health reports the state of a process. Checks run concurrently, with a short deadline.
//
// A process becomes ready when all required checks have passed in one round, and stays ready until
// it stops. A check that fails later is a warning: an API without its database still answers from
// memory. All replicas lose the database together. If they were taken out of service, clients would
// get refused connections instead of cached answers.
type Health struct {
	mu              sync.Mutex
	checks          []check
	ready, stopping bool
}

type check struct {
	name     string
	required bool
	fn       func(context.Context) error
}

// Require adds a check that must pass before the process is ready. It replaces a check with the
// same name.
func (h *Health) Require(name string, fn func(context.Context) error) { h.add(name, true, fn) }

// Warn adds a check that is reported but does not affect readiness.
func (h *Health) Warn(name string, fn func(context.Context) error) { h.add(name, false, fn) }

func (h *Health) add(name string, required bool, fn func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = slices.DeleteFunc(h.checks, func(c check) bool { return c.name == name })
	h.checks = append(h.checks, check{name, required, fn})
}

// Stopping makes the process unready for the rest of its life.
func (h *Health) Stopping() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopping = true
}

// A Report is the body of /readyz.
type Report struct {
	// Status is "ready", "ready with warnings" or "not ready".
	Status string `json:"status"`
	// Checks has "ok" or the error of each check, by name. It is empty if no check ran.
	Checks map[string]string `json:"checks,omitempty"`
}

// Ready reports whether the process can work. Once the process is ready, no check runs any more.
func (h *Health) Ready(ctx context.Context) (report Report, ok bool) {
	h.mu.Lock()
	ready := h.ready && !h.stopping
	h.mu.Unlock()
	if ready {
		return Report{Status: "ready"}, true
	}
	return h.Check(ctx)
}

// Check runs every check. ok is the same as for Ready.
func (h *Health) Check(ctx context.Context) (report Report, ok bool) {
	h.mu.Lock()
	checks := slices.Clone(h.checks)
	ready := h.ready
	stopping := h.stopping
	h.mu.Unlock()
	if stopping {
		return Report{Status: "not ready", Checks: map[string]string{"process": "stopping"}}, false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	results := make([]error, len(checks))
	var wg sync.WaitGroup
	for i, c := range checks {
		wg.Go(func() { results[i] = c.fn(ctx) })
	}
	wg.Wait()
	report = Report{Status: "ready", Checks: map[string]string{}}
	ok = true
	for i, c := range checks {
		if results[i] == nil {
			report.Checks[c.name] = "ok"
			continue
		}
		ok = ok && !c.required
		report.Status = "ready with warnings"
		report.Checks[c.name] = results[i].Error()
	}
	ok = ok || ready
	if !ok {
		report.Status = "not ready"
	}
	h.mu.Lock()
	h.ready = h.ready || ok
	h.mu.Unlock()
	return report, ok
}

// ServeAdmin serves /healthz (the process is alive), /readyz (it can work; ?verbose runs every
// check) and /metrics (Prometheus) on ln until ctx ends. This port is for operators, never for the
// public.
func ServeAdmin(ctx context.Context, ln net.Listener, health *Health, metrics *prometheus.Registry) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		readiness := health.Ready
		if r.URL.Query().Has("verbose") {
			readiness = health.Check
		}
		report, ok := readiness(r.Context())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(report)
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	srv := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	if err := Serve(ctx, srv, ln, 3*time.Second); ctx.Err() == nil {
		return err
	}
	return nil
}

// Serve serves on ln until ctx ends. Then it closes ln and waits at most drain for open requests,
// whose contexts do not end with ctx.
func Serve(ctx context.Context, srv *http.Server, ln net.Listener, drain time.Duration) error {
	srv.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := srv.Shutdown(draining); err != nil {
		return errors.Join(fmt.Errorf("stop %s: %w", ln.Addr(), err), srv.Close())
	}
	return nil
}
