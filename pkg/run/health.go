package run

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Health reports the state of a process. Checks run at each request,
// side by side, with a short deadline.
type Health struct {
	mu       sync.Mutex
	checks   []check
	stopping bool
}

type check struct {
	name     string
	required bool
	fn       func(context.Context) error
}

// Require adds a check that must pass for the process to be ready. It replaces one of the same name.
func (h *Health) Require(name string, fn func(context.Context) error) { h.add(name, true, fn) }

// Warn adds a check that is reported but does not make the process unready.
func (h *Health) Warn(name string, fn func(context.Context) error) { h.add(name, false, fn) }

func (h *Health) add(name string, required bool, fn func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = slices.DeleteFunc(h.checks, func(c check) bool { return c.name == name })
	h.checks = append(h.checks, check{name, required, fn})
}

// Stopping makes the process unready from now on: it finishes its work and accepts no more.
func (h *Health) Stopping() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopping = true
}

// A Report is the body of /readyz.
type Report struct {
	// Status is "ready", "ready with warnings" or "not ready".
	Status string `json:"status"`
	// Checks has "ok" or the error, by the name of the check.
	Checks map[string]string `json:"checks"`
}

// Ready runs every check; ok reports whether all required ones passed.
func (h *Health) Ready(ctx context.Context) (report Report, ok bool) {
	h.mu.Lock()
	checks, stopping := append([]check(nil), h.checks...), h.stopping
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
		switch {
		case results[i] == nil:
			report.Checks[c.name] = "ok"
			continue
		case c.required:
			ok = false
		case report.Status == "ready":
			report.Status = "ready with warnings"
		}
		report.Checks[c.name] = results[i].Error()
	}
	if !ok {
		report.Status = "not ready"
	}
	return report, ok
}

// ServeAdmin serves /healthz (the process lives), /readyz (it can do its work)
// and /metrics (Prometheus) on ln until ctx ends. This port is for operators and
// their tools and never for the public.
func ServeAdmin(ctx context.Context, ln net.Listener, health *Health, metrics *prometheus.Registry) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		report, ok := health.Ready(r.Context())
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
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		_ = srv.Shutdown(end)
	})
	err := srv.Serve(ln)
	if !stop() {
		<-stopped
		return nil
	}
	return fmt.Errorf("serve %s: %w", ln.Addr(), err)
}
