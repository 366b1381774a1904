package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"log/slog"
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
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// Config has the settings of an API besides its table.
type Config struct {
	Name      string  // label of metrics and logs: "council", "transit"
	Dialect   Dialect // how errors and formats are answered
	Base      string  // path of the API: "/v1"
	PublicURL string  // absolute address of Base as clients see it; links in bodies start with it

	Title       string // of the description: "Council votes"
	Version     string // of the description: "1.0.0"
	Description string // of the description, plain text with blank lines between paragraphs
	License     string // of the description; "" leaves it out

	DB      DB       // database of [Call.Query]
	Dataset *Dataset // what endpoints without a [Source] show; nil if they depend on the program alone

	// Access allows a request, before parameters, validators and cache are read, and every answer of
	// a stream. Its error ([Unauthorized], [Forbidden]) is the answer. Nil allows everything.
	Access func(r *http.Request, s *Spec) (Grant, error)
	// DescriptionPermission is the permission needed to read the description; "" is none.
	DescriptionPermission string
	// Examples of the description: a JSON object with a request and its answer by endpoint id.
	// ExampleBase stands for the address of the API.
	Examples []byte

	// Site is the pages; nil leaves them out.
	Site *Site
	// Mounts are further APIs on the same host, which share its cache, limits and metrics.
	Mounts []*Mount

	Origins    []string // origins that browsers may call from; nil is all
	Listeners  int      // most streams open at once; 0 is 1000
	CacheBytes int64    // memory of cached bodies; 0 is 256 MB
	// of program and configuration: part of every ETag, so that a change of either refreshes clients
	Revision string
	Timeout  time.Duration // longest time an answer may take to build; 0 is 10 s
	Linger   time.Duration // how long requests are accepted after a stop, until load balancers notice

	Log       *slog.Logger          // nil is slog.Default
	AccessLog AccessLog             // which requests are logged
	Metrics   prometheus.Registerer // nil: metrics are not exported
	Traces    trace.TracerProvider  // makes a span of each request; nil is none
}

// A Mount is a further API with its own base, dialect and access. The description does not list it.
// Like a site, it may run the queries of the API and no others, and empty parameters are absent.
type Mount struct {
	Base    string // "/oba"
	Dialect Dialect
	Access  func(r *http.Request, s *Spec) (Grant, error) // see [Config.Access]
	Table   Table
}

// A Grant is the result of Access for a request that may be answered.
type Grant struct {
	Private bool        // a credential was needed, so no shared cache may keep the answer
	Header  http.Header // headers of the answer, also of an error, such as the rest of a quota
	Lacks   []string    // permissions of Spec.MayShow that the client lacks, in that order
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

// A Server answers for one table. It is an http.Handler for every path below
// its base; any other path is 404 in its dialect.
type Server struct {
	cfg       Config
	table     Table
	aids      Table     // files of the page of the description, which does not list them
	areas     []*area   // the API, then its site
	nowhere   *Endpoint // answers requests to unknown addresses
	engine    *gin.Engine
	bodies    *reply.Cache
	load      *reply.Load
	press     *reply.Press
	seed      maphash.Seed // of the sums of pushed bodies
	snapshots beginner
	metrics   *metrics
	streams   chan struct{} // holds an element for each open event stream
	ended     chan struct{} // closed when streams must end
	// answerBytes is the size of the largest body of JSON. A larger one is refused while it is made.
	answerBytes int
	pace        time.Duration // longest time for a client to read partSize bytes of an answer
	salt        string
	publicPath  string      // of the API, as clients see it
	root        string      // of the site, as clients see it
	stopping    atomic.Bool // close connections after their next answer
	recalled    recalled

	vary, varyPage []string
	varyLanguage   []string               // of what is translated
	describe, page func() ([]byte, error) // openapi.json, docs
}

// A beginner is a DB that begins transactions, such as a pool.
type beginner interface {
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
}

// Table returns the served endpoints, including those of the description.
func (s *Server) Table() Table { return s.table }

// Base returns the path of the API, without a slash at its end.
func (s *Server) Base() string { return strings.TrimSuffix(s.cfg.Base, "/") }

var (
	allowed        = []string{"GET, HEAD, OPTIONS"}
	allowedHeaders = []string{"Accept, Authorization, Cache-Control, If-Modified-Since, If-None-Match, Last-Event-ID, " +
		"Range, X-Api-Key, X-Request-Id"}
	exposedHeaders = []string{"Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, " +
		"Link, " +
		"RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Request-Id"}
	nosniff      = []string{"nosniff"}
	html         = []string{"text/html; charset=utf-8"}
	anyOrigin    = []string{"*"}
	noStore      = []string{"no-store"}
	closing      = []string{"close"}
	privately    = []string{"private, no-cache"}
	acceptRanges = []string{"bytes"}
)

// open starts a call with its id and the headers that every answer has.
func (s *Server) open(e *Endpoint, w http.ResponseWriter, r *http.Request) *Call {
	c := &Call{s: s, e: e, db: s.cfg.DB, w: w, r: r, start: time.Now()}
	c.id[0] = requestID(r)
	h := w.Header()
	h["X-Request-Id"] = c.id[:]
	h["X-Content-Type-Options"] = nosniff
	h["Vary"] = s.vary
	if e.in.site {
		h["Vary"] = s.varyPage
	}
	if s.stopping.Load() {
		h["Connection"] = closing
	}
	if e.in.site {
		return c // pages are not for scripts of others
	}
	if s.cfg.Origins == nil {
		h["Access-Control-Allow-Origin"] = anyOrigin
	} else if o := r.Header.Get("Origin"); o != "" && slices.Contains(s.cfg.Origins, o) {
		h["Access-Control-Allow-Origin"] = []string{o}
	}
	return c
}

// fail is the one place where an error becomes an answer.
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
	var body []byte
	if s.writesHTML(c) {
		body = s.errorPage(c, e)
		h["Content-Type"] = html
	} else {
		d := s.dialect(c)
		body, _ = json.Marshal(d.ErrorBody(e, c.id[0])) // the description has its type
		h["Content-Type"] = []string{d.ErrorMedia}
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Cache-Control"] = noStore
	c.w.WriteHeader(e.Status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // a client that left is no error
	}
}

// dialect returns the dialect of a call, by the path if no endpoint has the address.
func (s *Server) dialect(c *Call) *Dialect {
	if c.e == s.nowhere {
		for _, a := range s.areas {
			if !a.site && strings.HasPrefix(c.r.URL.Path, a.Base+"/") {
				return &a.Dialect
			}
		}
	}
	return &c.e.in.Dialect
}

// explain turns an error of an endpoint into one that clients may see.
func explain(err error, notFound string) *Error {
	var e *Error
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, reply.ErrBusy):
		return Unavailable(5*time.Second, "too many large answers are being served; try again soon")
	case errors.Is(err, pgx.ErrNoRows):
		return &Error{Status: http.StatusNotFound, Detail: cmp.Or(notFound, "there is no such resource"), cause: err}
	case pg.Unavailable(err):
		e = Unavailable(5*time.Second, "the database cannot be reached; try again soon")
		e.cause = err
		return e
	// query_canceled: the session's statement_timeout
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

// staticPage is the Cache-Control of static pages. It is short: readers who return should see new
// data soon.
var staticPage = []string{"public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"}

func (c *Call) cacheControl() []string {
	switch {
	case c.private:
		return privately
	case c.gen.Until.IsZero() && c.e.page && c.e.Kind == Static:
		return staticPage
	case c.gen.Until.IsZero():
		return public[c.e.Kind]
	}
	left := min(ages[c.e.Kind], time.Until(c.gen.Until)).Truncate(time.Second) // the answer expires at Until
	if left <= 0 {
		return []string{"public, no-cache"}
	}
	return []string{"public, max-age=" + strconv.Itoa(int(left.Seconds()))}
}

// slow is the duration from which LogErrors logs an answer.
const slow = time.Second

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
	if c.pushed && c.cause == nil { // the duration of a stream is not a measure of the server
		return
	}
	status, took := w.Status(), time.Since(c.start)
	if c.left {
		status = statusLeft
	}
	c.e.seconds[min(status/100, 5)].Observe(took.Seconds())
	failed := c.cause != nil
	if s.cfg.AccessLog == LogOff || s.cfg.AccessLog != LogAll && !failed && took < slow {
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
	if failed && status == http.StatusServiceUnavailable { // a start, a full server or an outage, which readiness reports
		level = slog.LevelWarn
	}
	s.cfg.Log.LogAttrs(c.r.Context(), level, "request", attrs...)
}
