package rest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
)

// A Server answers for one table. It is an http.Handler for every path below
// its base; all else is 404 in its dialect.
type Server struct {
	cfg        Config
	table      Table
	engine     *gin.Engine
	bodies     *bodies
	load       *load
	seed       maphash.Seed // of the sums of pushed bodies
	snapshots  beginner
	press      *press
	metrics    *metrics
	listeners  *listeners
	salt       string
	publicPath string // of the API, as clients see it
	ids        requestIDs
	leaving    atomic.Bool // connections are to be closed after their next answer

	public, private [2][]string // Cache-Control by Kind
	vary            []string
	describe, page  []byte // openapi.json, docs
}

// New makes a server of a table; its error names every entry that is wrong.
func New(cfg Config, table Table) (*Server, error) {
	if cfg.Dialect.ErrorBody == nil {
		return nil, errors.New("the API has no Dialect")
	}
	s := &Server{cfg: cfg, ids: newRequestIDs(), seed: maphash.MakeSeed()}
	s.defaults()
	public, err := url.Parse(cfg.PublicURL)
	if err != nil || !strings.Contains(cfg.PublicURL, "://") {
		return nil, fmt.Errorf("public URL %q is not absolute", cfg.PublicURL)
	}
	s.publicPath = strings.TrimSuffix(public.EscapedPath(), "/")
	s.load = newLoad(s.cfg.HeldBytes)
	if s.bodies, err = newBodies(s.cfg.CacheBytes, briefly, s.load); err != nil {
		return nil, err
	}
	if s.press, err = newPress(); err != nil {
		return nil, err
	}
	s.listeners = newListeners(s.cfg.Listeners)
	if s.metrics, err = newMetrics(s.cfg.Name, s.cfg.Metrics, s); err != nil {
		return nil, err
	}
	s.table = append(Table(nil), table...)
	s.table = append(s.table, s.descriptionEndpoints()...)
	for i := range s.table {
		s.table[i].settle(&s.cfg)
	}
	if err := s.table.check(); err != nil {
		return nil, err
	}
	if s.snapshots, _ = cfg.DB.(beginner); s.snapshots == nil && slices.ContainsFunc(s.table, func(e Endpoint) bool { return e.Source != nil && e.Source.Read != nil }) {
		return nil, errors.New("Source.Read needs a Config.DB that begins transactions")
	}
	d, text, err := s.openAPI()
	if err != nil {
		return nil, err
	}
	s.describe = text
	if s.page, err = d.Page(); err != nil {
		return nil, err
	}
	s.route()
	return s, nil
}

// A beginner is a DB that begins transactions, such as a pool.
type beginner interface {
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
}

// settle completes an entry with what the API says for all.
func (e *Endpoint) settle(cfg *Config) {
	if e.Source == nil {
		e.Source = cfg.Source
	}
	if e.Source != nil && e.Source.Now == nil {
		e.Source = nil
	}
	e.compress = compressible(e.media)
	if strings.HasPrefix(e.media, "text/") && !strings.Contains(e.media, "charset") {
		e.media += "; charset=utf-8"
	}
	e.mediaValue = []string{e.media}
	e.runs = map[string]bool{}
	for _, q := range e.Queries {
		sql, err := q.Prepared()
		e.runs[sql] = true
		e.err = errors.Join(e.err, err)
	}
}

// Unversioned is the source of answers that depend on no data: they are built
// each time, carry no validator and are not kept.
func Unversioned() *Source { return &Source{} }

// check names every entry that is wrong, and what two of them claim both.
func (t Table) check() error {
	var errs []error
	ids, paths := map[string]bool{}, map[string]string{}
	for i := range t {
		e := &t[i]
		if e.err != nil {
			errs = append(errs, fmt.Errorf("endpoint %s %s: %w", e.ID, e.Path, e.err))
		}
		if !strings.HasPrefix(e.Path, "/") {
			errs = append(errs, fmt.Errorf("endpoint %s: path %q must begin with a slash", e.ID, e.Path))
		}
		if ids[e.ID] {
			errs = append(errs, fmt.Errorf("endpoint %s stands twice", e.ID))
		}
		ids[e.ID] = true
		for seg := range strings.SplitSeq(e.Path, "/") {
			inner := seg
			if strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "}") {
				inner = seg[1 : len(seg)-1]
			}
			if strings.ContainsAny(inner, "{}:*") || inner == "" && seg != "" {
				errs = append(errs, fmt.Errorf("endpoint %s: segment %q of its path must be {name} or plain", e.ID, seg))
			}
		}
		shape := strings.TrimSuffix(ginPath(e.Path), "/")
		if other, taken := paths[shape]; taken {
			errs = append(errs, fmt.Errorf("endpoints %s and %s share the path %s", other, e.ID, e.Path))
		}
		paths[shape] = e.ID
	}
	return errors.Join(errs...)
}

// ginPath turns {name} into :p0, :p1 …: gin wants the same name at the same place of all paths.
func ginPath(path string) string {
	segs := strings.Split(path, "/")
	n := 0
	for i, seg := range segs {
		if strings.HasPrefix(seg, "{") {
			segs[i] = ":p" + strconv.Itoa(n)
			n++
		}
	}
	return strings.Join(segs, "/")
}

func (s *Server) route() {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.RedirectTrailingSlash = false
	g.RedirectFixedPath = false
	g.HandleMethodNotAllowed = true
	g.UseRawPath = true          // so that %2F in an id is not a slash
	g.UnescapePathValues = false // gin would take "+" for a blank; takePath does it
	base := s.Base()
	for i := range s.table {
		e := &s.table[i]
		s.metrics.prepare(e)
		h := s.handler(e)
		paths := []string{base + ginPath(e.Path)}
		if bare := base + strings.TrimSuffix(ginPath(e.Path), "/"); bare != paths[0] && bare != "" {
			paths = append(paths, bare) // a directory, such as the root, is one with and without its slash
		}
		for _, p := range paths {
			g.GET(p, h)
			g.HEAD(p, h)
		}
	}
	g.NoRoute(s.refuse(http.StatusNotFound))
	g.NoMethod(s.refuse(http.StatusMethodNotAllowed))
	s.engine = g
}

func (s *Server) handler(e *Endpoint) gin.HandlerFunc {
	return func(g *gin.Context) {
		c := &Call{s: s, e: e, db: s.cfg.DB, w: g.Writer, r: g.Request, start: time.Now()}
		s.open(c)
		if s.cfg.Traces != nil {
			s.begin(c)
		}
		defer s.close(c, g.Writer)
		err := c.takePath(g)
		if err == nil {
			err = s.answer(c)
		}
		if err != nil {
			s.fail(c, err)
		}
	}
}

// takePath puts the decoded values of the path where plan.read looks for them. gin routed by
// the raw path if there is one, see ServeHTTP; an empty value is nobody's address.
func (c *Call) takePath(g *gin.Context) error {
	for i, p := range g.Params {
		v := p.Value
		if g.Request.URL.RawPath != "" {
			var err error
			if v, err = url.PathUnescape(v); err != nil {
				return errNowhere
			}
		}
		if v == "" {
			return errNowhere
		}
		c.values[c.e.plan.paths[i]] = value{text: v, set: true, given: true}
	}
	return nil
}

var errNowhere = NotFound("no such address")

// refuse answers paths and methods that no endpoint has, and preflights.
func (s *Server) refuse(status int) gin.HandlerFunc {
	return func(g *gin.Context) {
		c := &Call{s: s, e: s.metrics.nowhere, w: g.Writer, r: g.Request, start: time.Now()}
		s.open(c)
		defer s.close(c, g.Writer)
		if status == http.StatusNotFound {
			s.fail(c, errNowhere)
			return
		}
		h := g.Writer.Header()
		h["Allow"] = allowed
		if g.Request.ContentLength != 0 {
			h["Connection"] = []string{"close"} // else net/http would wait for a body that nobody reads
		}
		if g.Request.Method == http.MethodOptions {
			h["Access-Control-Allow-Methods"] = allowed
			h["Access-Control-Allow-Headers"] = allowedHeaders
			h["Access-Control-Max-Age"] = []string{"86400"}
			g.Writer.WriteHeader(http.StatusNoContent)
			return
		}
		s.fail(c, &Error{Status: http.StatusMethodNotAllowed, Detail: "only GET and HEAD are answered here"})
	}
}

var (
	allowed        = []string{"GET, HEAD, OPTIONS"}
	allowedHeaders = []string{"Accept, Authorization, Cache-Control, If-Modified-Since, If-None-Match, Last-Event-ID, Range, X-Api-Key, X-Request-Id"}
	exposedHeaders = []string{"Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, Link, " +
		"RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Request-Id"}
	nosniff   = []string{"nosniff"}
	anyOrigin = []string{"*"}
	noStore   = []string{"no-store"}
	closing   = []string{"close"}
)

// Table returns the endpoints that are served, those of the description included.
func (s *Server) Table() Table { return s.table }

// Base returns the path of the API, without a slash at its end.
func (s *Server) Base() string { return strings.TrimSuffix(s.cfg.Base, "/") }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.RequestURI) > s.cfg.MaxURL {
		c := &Call{s: s, e: s.metrics.nowhere, w: w, r: r, start: time.Now()}
		s.open(c)
		s.fail(c, &Error{Status: http.StatusRequestURITooLong, Detail: fmt.Sprintf("an address may have %d bytes", s.cfg.MaxURL)})
		return
	}
	if s.entrance(r) {
		s.welcome(w, r)
		return
	}
	if r.URL.RawPath != "" { // gin compares raw text: bring it to the one form that escapes only what must be
		u := *r.URL
		u.RawPath = plainPath(u.RawPath)
		raw := new(http.Request)
		*raw = *r
		raw.URL = &u
		r = raw
	}
	s.engine.ServeHTTP(w, r)
}

// entrance tells whether a browser asks for the host or the API as a whole, where it finds nothing to read.
func (s *Server) entrance(r *http.Request) bool {
	if p := r.URL.Path; p != "/" && strings.TrimSuffix(p, "/") != s.Base() || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	return prefersHTML(r.Header["Accept"]) && !r.URL.Query().Has(s.cfg.Dialect.FormatParam)
}

// welcome leads a browser to the documentation, by the path that the public knows.
func (s *Server) welcome(w http.ResponseWriter, r *http.Request) {
	c := &Call{s: s, e: s.metrics.nowhere, w: w, r: r, start: time.Now()}
	s.open(c)
	h := w.Header()
	h["Vary"] = []string{"Accept"}
	h["Cache-Control"] = noStore
	h["Location"] = []string{s.publicPath + "/docs"}
	w.WriteHeader(http.StatusSeeOther)
}

// plainPath decodes every escape of a raw path but those of "/" and "%".
func plainPath(raw string) string {
	segs := strings.Split(raw, "/")
	for i, seg := range segs {
		if v, err := url.PathUnescape(seg); err == nil {
			segs[i] = strings.ReplaceAll(strings.ReplaceAll(v, "%", "%25"), "/", "%2F")
		}
	}
	return strings.Join(segs, "/")
}

// open gives a call its id and the headers that stand on every answer, errors too.
func (s *Server) open(c *Call) {
	c.id[0] = s.ids.of(c.r)
	h := c.w.Header()
	h["X-Request-Id"] = c.id[:]
	h["Vary"] = s.vary
	if s.leaving.Load() {
		h["Connection"] = closing
	}
	if s.cfg.Origins == nil {
		h["Access-Control-Allow-Origin"] = anyOrigin
	} else if o := c.r.Header.Get("Origin"); o != "" && slices.Contains(s.cfg.Origins, o) {
		h["Access-Control-Allow-Origin"] = []string{o}
	}
}

func (s *Server) cacheControl(c *Call) []string {
	if !c.gen.Until.IsZero() && !c.private {
		age := s.cfg.StaticFor
		if c.e.Kind == Realtime {
			age = s.cfg.RealtimeFor
		}
		return untilAge(age, c.gen.Until, time.Now())
	}
	if c.private {
		return s.private[c.e.Kind]
	}
	return s.public[c.e.Kind]
}

// untilAge is Cache-Control for an answer that is wrong after a moment, however long its kind may be kept.
func untilAge(age time.Duration, until, now time.Time) []string {
	left := min(age, until.Sub(now)).Truncate(time.Second)
	if left <= 0 {
		return []string{"public, no-cache"}
	}
	return []string{"public, max-age=" + strconv.Itoa(int(left.Seconds()))}
}
