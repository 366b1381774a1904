package rest

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/panics"
)

// AccessLog is which requests get a line.
type AccessLog int

// How much is logged.
const (
	LogErrors AccessLog = iota // server errors and slow answers
	LogAll
	LogOff
)

// ParseAccessLog reads "errors", "all" or "off".
func ParseAccessLog(s string) (AccessLog, error) {
	switch s {
	case "", "errors":
		return LogErrors, nil
	case "all":
		return LogAll, nil
	case "off":
		return LogOff, nil
	}
	return 0, fmt.Errorf("access log %q is none of errors, all, off", s)
}

// requestIDs makes ids that no other process makes: a random start and a count.
type requestIDs struct {
	prefix string
	n      *atomic.Uint64
}

func newRequestIDs() requestIDs {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return requestIDs{base32.HexEncoding.EncodeToString(b[:]), new(atomic.Uint64)}
}

// of takes the id that a proxy gave, if it is one, else makes one.
func (ids requestIDs) of(r *http.Request) string {
	if in := r.Header["X-Request-Id"]; len(in) == 1 && saneID(in[0]) {
		return in[0]
	}
	const digits = "0123456789abcdefghijklmnopqrstuv"
	b := [18]byte{8: '-'}
	copy(b[:], ids.prefix)
	for i, n := len(b)-1, ids.n.Add(1); i > 8; i, n = i-1, n>>5 {
		b[i] = digits[n&31]
	}
	return string(b[:])
}

// saneID holds ids from outside to what fits a log line and a URN.
func saneID(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

// metrics counts by endpoint and class of status.
type metrics struct {
	seconds      *prometheus.HistogramVec
	hits, misses prometheus.Counter
	slow         prometheus.Counter
	nowhere      *Endpoint // stands for requests that no endpoint has
}

var classes = [6]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

func newMetrics(name string, reg prometheus.Registerer, s *Server) (*metrics, error) {
	labels := prometheus.Labels{"api": name}
	m := &metrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "townline_http_request_duration_seconds", Help: "Time to answer, by endpoint and class of status.", ConstLabels: labels,
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "status"}),
		hits: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "townline_http_cache_hits_total", Help: "Answers taken from kept bodies.", ConstLabels: labels}),
		misses: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "townline_http_cache_misses_total", Help: "Answers that had to be built or waited for.", ConstLabels: labels}),
		slow: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "townline_http_slow_clients_total", Help: "Connections that were closed because the client took its answer too slowly.", ConstLabels: labels}),
	}
	size := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "townline_http_cache_bytes", Help: "Bytes of kept bodies.", ConstLabels: labels},
		func() float64 { return float64(s.bodies.kept.WeightedSize()) })
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "townline_http_cache_waiting", Help: "Requests that wait for an answer to be built.", ConstLabels: labels}, s.bodies.waiting)
	streams := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "townline_http_streams", Help: "Open event streams.", ConstLabels: labels},
		func() float64 { return float64(s.listeners.open.Load()) })
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "townline_http_held_bytes", Help: "Bytes of answers that are being written and not kept.", ConstLabels: labels}, s.load.bytes)
	m.nowhere = &Endpoint{Spec: Spec{ID: "none"}, plan: &plan{}}
	m.prepare(m.nowhere)
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.seconds, m.hits, m.misses, m.slow, size, waiting, streams, held} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics of %s: %w", name, err)
		}
	}
	return m, nil
}

// prepare finds an endpoint's observers once, so that a request need not.
func (m *metrics) prepare(e *Endpoint) {
	route := e.Path
	if route == "" {
		route = e.ID
	}
	for i, class := range classes {
		e.seconds[i] = m.seconds.WithLabelValues(route, class)
	}
}

func (m *metrics) hit()  { m.hits.Inc() }
func (m *metrics) miss() { m.misses.Inc() }

// statusLeft is what proxies call a client that did not wait.
const statusLeft = 499

// written is what gin's writer knows of the answer.
type written interface {
	Status() int
	Size() int
	Written() bool
}

// close ends a call: a panic becomes a 500, the request is measured and perhaps logged.
func (s *Server) close(c *Call, w written) {
	if p := recover(); p != nil {
		err := panics.Error(p)
		if w.Written() {
			c.cause = err
		} else {
			s.fail(c, err)
		}
	}
	if c.span != nil {
		c.end(w.Status())
	}
	if c.pushed && c.cause == nil { // how long a client listened is no measure of us
		return
	}
	status, took := w.Status(), time.Since(c.start)
	if c.left {
		status = statusLeft
	}
	c.e.seconds[min(status/100, 5)].Observe(took.Seconds())
	failed := c.cause != nil
	switch s.cfg.AccessLog {
	case LogOff:
		return
	case LogErrors:
		if !failed && took < s.cfg.Slow {
			return
		}
	}
	level := slog.LevelInfo
	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs, slog.String("api", s.cfg.Name), slog.String("request_id", c.id[0]), slog.String("method", c.r.Method),
		slog.String("route", c.e.ID), slog.Int("status", status), slog.Int("bytes", max(w.Size(), 0)), slog.Duration("took", took))
	if c.cause != nil {
		attrs = append(attrs, slog.String("error", c.cause.Error()))
	}
	if failed {
		level = slog.LevelError
	}
	s.cfg.Log.LogAttrs(c.r.Context(), level, "request", attrs...)
}
