package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// Config has the settings of an API, except its table.
type Config struct {
	Name      string  // label in metrics and logs: "council", "transit"
	Dialect   Dialect // bodies of errors and choice of format
	Base      string  // path of the API: "/v1"
	PublicURL string  // absolute address of Base as clients see it; links in bodies begin with it

	Title       string // title in the description: "Council votes"
	Version     string
	Description string // text of the description, plain, with blank lines between paragraphs
	License     string // license in the description; "" means none

	DB      DB       // database of [Call.Query]
	Dataset *Dataset // data of endpoints without a [Source]; nil if they depend on the program only

	// Access decides whether a request is answered. It runs before parameters, validators and cache,
	// and again before every answer of a stream. If it returns an error ([Unauthorized], [Forbidden]),
	// that is the answer. Nil allows everything.
	Access func(r *http.Request, s *Spec) (Grant, error)
	// DescriptionPermission is the permission that the description requires. "" means none.
	DescriptionPermission string
	// Examples is a JSON object that has, by endpoint id, a request and its answer for the
	// description. ExampleBase replaces the address of the API.
	Examples []byte

	// Site has the pages. Nil means that there are none.
	Site *Site
	// Mounts are further APIs on the same host, which share its cache, limits and metrics.
	Mounts []*Mount

	Origins    []string // origins that may call from a browser; nil means all
	Listeners  int      // largest number of open streams; 0 means 1000
	CacheBytes int64    // memory of cached bodies; 0 means 256 MB
	// identifies program and configuration; part of every ETag, so that a change of either refreshes
	// clients
	Revision string
	Timeout  time.Duration // longest time to build an answer; 0 means 10 s
	Linger   time.Duration // how long requests are accepted after a stop, until load balancers notice it

	Log       *slog.Logger // nil means slog.Default
	AccessLog AccessLog
	Metrics   prometheus.Registerer // nil means that metrics are not exported
	Traces    trace.TracerProvider  // makes a span of each request; nil means no spans
}

// A Mount is a further API with its own base, dialect and access. The description does not list it.
// Like a site, it may run only the queries of the API, and empty parameters count as absent.
type Mount struct {
	Base    string
	Dialect Dialect
	Access  func(r *http.Request, s *Spec) (Grant, error)
	Table   Table
}

// A Site has the pages of an API: HTML for people, at the root of its host. A page is an endpoint
// whose function returns [HTML] in the language of [Call.Language]. Like any other endpoint, it has
// generation, validator, cache and permissions: those of the data that it shows, which Spec.Shows and
// Spec.MayShow list. Empty parameters count as absent, because browsers send the empty fields of a
// form. The description of the API does not list pages.
type Site struct {
	// Pages has the endpoints; their paths are below the root. Files that pages use, such as styles,
	// are endpoints too.
	Pages Table
	// Language of the pages, unless a client prefers one of Languages.
	Language  string
	Languages *lang.Choice
	// Header of each page, its errors included, such as the content security policy.
	Header http.Header
	// Error writes the page of an error. request is the request's id. Nil means that there are no
	// pages for people, only files.
	Error func(c *Call, e *Error, request string) []byte
}

func (t *Site) header(e *Endpoint) http.Header {
	h := http.Header{}
	if e.page {
		maps.Copy(h, t.Header)
	}
	maps.Copy(h, e.Header)
	return h
}

func (c *Config) complete() {
	c.CacheBytes = cmp.Or(c.CacheBytes, 256<<20)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Listeners = cmp.Or(c.Listeners, 1000)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Dataset == nil {
		c.Dataset = &Dataset{Now: func(context.Context) (Generation, error) { return Generation{N: 1}, nil }}
	}
}

// A Server serves one table. It is an http.Handler for every path below its base. For any other
// path it answers 404 in its dialect.
type Server struct {
	shared
	cfg        Config
	table      Table
	docsFiles  Table   // files of the description's page, which the description does not list
	areas      []*area // the API, then its site
	outside    *area   // of requests that no endpoint answers
	engine     *gin.Engine
	files      *reply.Cache
	metrics    *metrics
	base       string      // path of the API, without a final slash
	publicPath string      // path of the API as clients see it
	stopping   atomic.Bool // close each connection after its next answer

	describe, page func() ([]byte, error) // make openapi.json and its page
}

// Table returns the served endpoints, including those that serve the description.
func (s *Server) Table() Table { return s.table }

// Base returns the path of the API, without a final slash.
func (s *Server) Base() string { return s.base }

// fail turns every error into an answer.
func (s *Server) fail(c *Call, err error) {
	if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		c.left = true
		return
	}
	e := explain(err, c.e.NotFound)
	if e.Status >= http.StatusInternalServerError {
		c.cause = err
	}
	h := c.w.Header()
	for _, stale := range []string{"Etag", "Last-Modified", "Link", "Content-Disposition", "Content-Encoding",
		"Accept-Ranges"} {
		delete(h, stale)
	}
	for k, v := range e.Header {
		h[k] = v
	}
	if e.Status < http.StatusBadRequest { // a redirect, or a preflight request
		c.w.WriteHeader(e.Status)
		return
	}
	var body []byte
	if s.writesHTML(c) {
		body = s.errorPage(c, e)
		h["Content-Type"] = htmlType
	} else {
		d := s.dialect(c)
		body, _ = json.Marshal(d.ErrorBody(e, c.id[0])) // always encodes, because the description has its type
		h["Content-Type"] = []string{d.ErrorMedia}
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Cache-Control"] = noStore
	c.w.WriteHeader(e.Status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // an error means that the client has left
	}
}

// dialect returns the dialect of a call. If no endpoint has the address, the path decides.
func (s *Server) dialect(c *Call) *Dialect {
	if c.e.in == s.outside {
		for _, a := range s.areas {
			if !a.site && strings.HasPrefix(c.r.URL.Path, a.base+"/") {
				return &a.dialect
			}
		}
	}
	return &c.e.in.dialect
}

// explain converts an endpoint's error to an error that clients may see.
func explain(err error, notFound string) *Error {
	var e *Error
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, pgx.ErrNoRows):
		return &Error{Status: http.StatusNotFound, Detail: cmp.Or(notFound, "there is no such resource"), cause: err}
	case pg.Unavailable(err):
		e = Unavailable(5*time.Second, "the database cannot be reached; try again soon")
		e.cause = err
		return e
	// 57014 is query_canceled: the statement_timeout of the session.
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &refused) && refused.Code == "57014":
		return &Error{Status: http.StatusGatewayTimeout, Detail: "the answer took too long", cause: err}
	}
	return &Error{Status: http.StatusInternalServerError, Detail: "internal error", cause: err}
}

var ages = [...]time.Duration{Static: 5 * time.Minute, Realtime: 5 * time.Second, Immutable: 365 * 24 * time.Hour}

var public = [...][]string{
	Static:    {"public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400"},
	Realtime:  {"public, max-age=5"},
	Immutable: {"public, max-age=31536000, immutable"},
}

// staticPage is the Cache-Control of static pages. Its max-age is short, so that readers who return
// soon see new data.
var staticPage = []string{"public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"}

// expiring returns the Cache-Control of an answer that is private or expires at Generation.Until.
func (c *Call) expiring() []string {
	if c.private {
		return privately
	}
	left := min(ages[c.e.Kind], time.Until(c.gen.Until)).Truncate(time.Second)
	if left <= 0 {
		return []string{"public, no-cache"}
	}
	return []string{"public, max-age=" + strconv.Itoa(int(left.Seconds()))}
}

// slowFrom is the duration from which LogErrors logs an answer.
const slowFrom = time.Second

// statusLeft is nginx's status for a client that disconnected before the answer.
const statusLeft = 499

// close ends a call: a panic becomes a 500, the request is measured and may be logged.
func (s *Server) close(c *Call, w gin.ResponseWriter) {
	if p := recover(); p != nil {
		err := panics.Error(p)
		if w.Written() {
			c.cause = err
		} else {
			s.fail(c, err)
		}
	}
	if c.span != nil {
		c.endSpan(w.Status())
	}
	if c.held > 0 {
		s.large.Release(int64(c.held))
	}
	if c.pushed && c.cause == nil { // the duration of a stream says nothing about the server
		return
	}
	status, took := w.Status(), time.Since(c.start)
	if c.left {
		status = statusLeft
	}
	c.e.seconds[min(status/100, 5)].Observe(took.Seconds())
	failed := c.cause != nil
	if s.cfg.AccessLog == LogOff || s.cfg.AccessLog != LogAll && !failed && took < slowFrom {
		return
	}
	level := slog.LevelInfo
	attrs := append(make([]slog.Attr, 0, 8), slog.String("api", s.cfg.Name), slog.String("request_id", c.id[0]),
		slog.String("method", c.r.Method),
		slog.String("route", c.e.ID), slog.Int("status", status), slog.Int("bytes", max(w.Size(), 0)),
		slog.Duration("took", took))
	if failed {
		level, attrs = slog.LevelError, append(attrs, slog.String("error", pg.Loggable(c.cause)))
	}
	if failed && status == http.StatusServiceUnavailable { // a start, an overload or an outage, which readiness reports
		level = slog.LevelWarn
	}
	s.cfg.Log.LogAttrs(c.r.Context(), level, "request", attrs...)
}

const tracer = "github.com/townline/townline/pkg/rest"

// startSpan starts the span of a request, in the trace of its traceparent header. If several
// requests wait for one body, the body belongs to the trace of the first.
func (c *Call) startSpan(provider trace.TracerProvider) {
	ctx := propagation.TraceContext{}.Extract(c.r.Context(), propagation.HeaderCarrier(c.r.Header))
	ctx, c.span = provider.Tracer(tracer).Start(ctx, c.r.Method+" "+c.r.Pattern, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(
			attribute.String("http.request.method", c.r.Method), attribute.String("http.route", c.r.Pattern),
			attribute.String("url.path", c.r.URL.Path), attribute.String("townline.request_id", c.id[0])))
	c.r = c.r.WithContext(ctx)
}

func (c *Call) endSpan(status int) {
	c.span.SetAttributes(attribute.Int("http.response.status_code", status))
	if c.cause != nil {
		c.span.SetStatus(codes.Error, c.cause.Error())
	}
	c.span.End()
}

// hasPages reports whether there are pages for people.
func (s *Server) hasPages() bool { return s.cfg.Site != nil && s.cfg.Site.Error != nil }

// Pages returns the endpoints of the site, or nil if there is no site.
func (s *Server) Pages() Table {
	if s.cfg.Site == nil {
		return nil
	}
	return s.areas[1].table
}

// writesHTML reports whether the answer to an error is HTML. Errors of pages always are. Errors of
// the site's files and of unknown addresses outside the API are HTML if the client prefers HTML.
func (s *Server) writesHTML(c *Call) bool {
	switch {
	case !s.hasPages():
		return false
	case c.e.page && !c.e.Picture:
		return true
	case c.e.in.site || c.e.in == s.outside && !s.below(c.r.URL.Path):
		return reply.PrefersHTML(c.r.Header["Accept"])
	}
	return false
}

func (s *Server) below(path string) bool {
	return path == s.Base() || strings.HasPrefix(path, s.Base()+"/") ||
		slices.ContainsFunc(s.cfg.Mounts, func(m *Mount) bool { return strings.HasPrefix(path, m.Base+"/") })
}

func (s *Server) errorPage(c *Call, e *Error) []byte {
	c.readLanguage()
	maps.Copy(c.w.Header(), s.cfg.Site.Header)
	if c.e.page {
		maps.Copy(c.w.Header(), c.e.Header)
	}
	return s.cfg.Site.Error(c, e, c.id[0])
}
