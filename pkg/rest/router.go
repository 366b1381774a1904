package rest

import (
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// New makes a server from a table. The error names every invalid entry.
func New(cfg Config, table Table) (*Server, error) {
	if cfg.Dialect.ErrorBody == nil {
		return nil, errors.New("the API has no Dialect")
	}
	public, err := url.Parse(cfg.PublicURL)
	if err != nil || !strings.Contains(cfg.PublicURL, "://") {
		return nil, fmt.Errorf("public URL %q is not absolute", cfg.PublicURL)
	}
	cfg.complete()
	s := &Server{cfg: cfg, seed: maphash.MakeSeed(), publicPath: strings.TrimSuffix(public.EscapedPath(), "/"),
		answerBytes: 32 << 20, pace: 15 * time.Second, vary: []string{cfg.Dialect.vary()},
		streams: make(chan struct{}, cfg.Listeners), ended: make(chan struct{}),
		salt: cfg.Name + "\x00" + cfg.PublicURL + "\x00" + cfg.Revision}
	s.varyPage = []string{"Accept-Language, Accept-Encoding"}
	if root, ok := strings.CutSuffix(s.publicPath, s.Base()); ok {
		s.root = root
	}
	if cfg.Origins != nil {
		s.vary[0] += ", Origin"
	}
	s.varyLanguage = []string{s.vary[0] + ", Accept-Language"}
	s.load = reply.NewLoad(max(cfg.CacheBytes/4, int64(s.answerBytes))) // so a single client is never refused
	s.bodies, err = reply.NewCache(cfg.CacheBytes, reply.Briefly)
	if err != nil {
		return nil, err
	}
	s.compressor, err = reply.NewCompressor()
	if err != nil {
		return nil, err
	}
	exported := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"api": cfg.Name}, cfg.Metrics))
	s.metrics = newMetrics(exported)
	s.exportGauges(exported)
	s.unknown = &Endpoint{Spec: Spec{ID: "none"}, plan: &bind.Plan{}, seconds: s.metrics.observers("none")}
	if err := s.complete(table); err != nil {
		return nil, err
	}
	if err := s.openAPI(); err != nil {
		return nil, err
	}
	s.route()
	return s, nil
}

func (s *Server) exportGauges(exported promauto.Factory) {
	gauge := func(name, help string, read func() float64) {
		exported.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	gauge("townline_http_cache_bytes", "Bytes of cached bodies.", s.bodies.Bytes)
	gauge("townline_http_cache_waiting", "Requests that wait for an answer to be built.", s.bodies.Waiting)
	gauge("townline_http_streams", "Open event streams.", func() float64 { return float64(len(s.streams)) })
	gauge("townline_http_held_bytes", "Bytes of large answers that are being written.", func() float64 {
		return s.load.Bytes() // read at each call, because Limits may replace s.load
	})
}

// An area is a part of the server's addresses: the API, its site, or a mount.
type area struct {
	Mount
	label string // prefix of the paths of its endpoints in the metrics
	site  bool
}

// complete copies and completes the tables of all areas. Pages and mounts may run only the queries
// of the API.
func (s *Server) complete(table Table) error {
	described, files := s.descriptionEndpoints()
	api := &area{Mount: Mount{s.Base(), s.cfg.Dialect, s.cfg.Access, slices.Concat(table, described)}}
	s.table = api.Table
	s.docsFiles = files
	s.unknown.in = api
	s.areas = []*area{api}
	if site := s.cfg.Site; site != nil {
		s.areas = append(s.areas, &area{Mount{"", s.cfg.Dialect, s.cfg.Access, slices.Clone(site.Pages)}, "page ", true})
	}
	for _, m := range s.cfg.Mounts {
		s.areas = append(s.areas, &area{Mount{m.Base, m.Dialect, m.Access, slices.Clone(m.Table)}, m.Base, false})
	}
	for i := range s.docsFiles {
		s.docsFiles[i].in = api
		s.docsFiles[i].complete(&s.cfg, s.metrics, "/docs")
	}
	queries := api.Table.Queries()
	for _, a := range s.areas {
		for i := range a.Table {
			e := &a.Table[i]
			e.in = a
			if a != api {
				e.anyFormat, e.Queries = true, queries
				e.form = e.page || !a.site
			}
			if a.site {
				e.header = s.cfg.Site.header(e)
			}
			e.complete(&s.cfg, s.metrics, a.label+e.Path)
		}
		if err := a.Table.check(); err != nil {
			return err
		}
	}
	s.snapshots, _ = s.cfg.DB.(beginner)
	if s.snapshots == nil && s.cfg.Dataset.Read != nil {
		return errors.New("Dataset.Read needs a Config.DB that begins transactions")
	}
	return nil
}

func (s *Server) route() {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.RedirectTrailingSlash = false
	g.RedirectFixedPath = false
	g.HandleMethodNotAllowed = true
	g.UseRawPath = true          // so that %2F in an id is not a slash
	g.UnescapePathValues = false // gin would decode "+" as a blank; setPath decodes instead
	s.addAll(g, s.docsFiles, s.Base())
	for _, a := range s.areas {
		s.addAll(g, a.Table, a.Base)
	}
	g.NoRoute(s.refuse(http.StatusNotFound))
	g.NoMethod(s.refuse(http.StatusMethodNotAllowed))
	s.engine = g
}

// addAll routes the endpoints of a table. gin cannot distinguish /items/{id} and /items/{id}.png,
// so one handler serves both.
func (s *Server) addAll(g *gin.Engine, t Table, base string) {
	forms := map[string][]*Endpoint{}
	for i := range t {
		e := &t[i]
		path := base + e.ginPath()
		forms[path] = append(forms[path], e)
	}
	for path, all := range forms {
		h := s.handlerOf(all)
		paths := []string{path}
		if bare := strings.TrimSuffix(path, "/"); bare != path && bare != "" {
			paths = append(paths, bare) // a directory, such as the root, has the same content with and without its final slash
		}
		for _, p := range paths {
			g.GET(p, h)
			g.HEAD(p, h)
		}
	}
}

// handlerOf returns the handler of an endpoint, or of several endpoints whose paths differ only in
// their endings.
func (s *Server) handlerOf(forms []*Endpoint) gin.HandlerFunc {
	slices.SortStableFunc(forms, func(x, y *Endpoint) int { return len(y.ending) - len(x.ending) })
	if forms[0].ending == "" {
		return s.handler(forms[0])
	}
	handlers := make([]gin.HandlerFunc, len(forms))
	for i, f := range forms {
		handlers[i] = s.handler(f)
	}
	nothing := s.refuse(http.StatusNotFound)
	return func(g *gin.Context) {
		last := &g.Params[len(g.Params)-1].Value
		for i, f := range forms {
			if id, ok := strings.CutSuffix(*last, f.ending); ok {
				*last = id
				handlers[i](g)
				return
			}
		}
		nothing(g)
	}
}

// refuse answers requests with an unknown path or method, and preflight requests.
func (s *Server) refuse(status int) gin.HandlerFunc {
	return func(g *gin.Context) {
		c := s.open(s.unknown, g.Writer, g.Request)
		defer s.close(c, g.Writer)
		if status == http.StatusNotFound {
			s.fail(c, errNowhere)
			return
		}
		h := g.Writer.Header()
		h["Allow"] = allowed
		if g.Request.ContentLength != 0 {
			h["Connection"] = []string{"close"} // otherwise net/http would wait for the body, which nothing reads
		}
		if g.Request.Method == http.MethodOptions {
			h["Access-Control-Allow-Methods"] = allowed
			h["Access-Control-Allow-Headers"] = allowedHeaders
			h["Access-Control-Max-Age"] = []string{"86400"}
			g.Writer.WriteHeader(http.StatusNoContent)
			return
		}
		s.fail(c, &Error{Status: http.StatusMethodNotAllowed, Detail: "only GET and HEAD are allowed"})
	}
}

// Handle lets h answer all requests to a path, in place of the table. It must be called before the
// server serves.
func (s *Server) Handle(path string, h http.Handler) {
	if s.handlers == nil {
		s.handlers = map[string]http.Handler{}
	}
	s.handlers[path] = h
}

const maxURL = 8000

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.RequestURI) > maxURL {
		c := s.open(s.unknown, w, r)
		s.fail(c, &Error{Status: http.StatusRequestURITooLong, Detail: fmt.Sprintf("the address is longer than %d bytes",
			maxURL)})
		return
	}
	if h := s.handlers[r.URL.Path]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	if s.entrance(r) { // redirect to the documentation, by its public path
		s.open(s.unknown, w, r)
		h := w.Header()
		h["Vary"] = []string{"Accept"}
		h["Cache-Control"] = noStore
		h["Location"] = []string{s.publicPath + "/docs"}
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	if r.URL.RawPath != "" { // gin compares raw text, so use the form with only the necessary escapes
		u, raw := *r.URL, *r
		u.RawPath = plainPath(u.RawPath)
		raw.URL = &u
		s.engine.ServeHTTP(w, &raw)
		r.Pattern = raw.Pattern
		return
	}
	s.engine.ServeHTTP(w, r)
}

// entrance reports whether a browser requests the root of the host or of the API and there is no
// page.
func (s *Server) entrance(r *http.Request) bool {
	if p := r.URL.Path; p != "/" && strings.TrimSuffix(p, "/") != s.Base() || r.Method != http.MethodGet &&
		r.Method != http.MethodHead {
		return false
	}
	if r.URL.Path == "/" && s.hasPages() {
		return false // the site has a page there
	}
	return reply.PrefersHTML(r.Header["Accept"]) && !r.URL.Query().Has(s.cfg.Dialect.FormatParam)
}

// plainPath decodes the escapes of a raw path, except those of "/" and "%".
func plainPath(raw string) string {
	segs := strings.Split(raw, "/")
	for i, seg := range segs {
		if v, err := url.PathUnescape(seg); err == nil {
			segs[i] = strings.ReplaceAll(strings.ReplaceAll(v, "%", "%25"), "/", "%2F")
		}
	}
	return strings.Join(segs, "/")
}
