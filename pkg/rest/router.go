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
	"golang.org/x/sync/semaphore"

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
	s := &Server{cfg: cfg, base: strings.TrimSuffix(cfg.Base, "/"),
		publicPath: strings.TrimSuffix(public.EscapedPath(), "/")}
	s.share()
	s.files, err = reply.NewCache(cfg.CacheBytes, reply.Briefly)
	if err != nil {
		return nil, err
	}
	exported := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"api": cfg.Name}, cfg.Metrics))
	s.metrics = newMetrics(exported)
	s.slow = s.metrics.slow
	s.exportCounts(exported)
	if err := s.complete(table); err != nil {
		return nil, err
	}
	if err := s.openAPI(); err != nil {
		return nil, err
	}
	s.route()
	return s, nil
}

// share sets what the calls of a server share.
func (s *Server) share() {
	cfg := &s.cfg
	s.shared = shared{db: cfg.DB, dataset: cfg.Dataset, publicURL: cfg.PublicURL,
		formatName: cfg.Dialect.FormatParam, timeout: cfg.Timeout,
		largest: 32 << 20, pace: 15 * time.Second, seed: maphash.MakeSeed(),
		streams: make(chan struct{}, cfg.Listeners), ended: make(chan struct{}),
		salt: cfg.Name + "\x00" + cfg.PublicURL + "\x00" + cfg.Revision}
	s.large = semaphore.NewWeighted(max(cfg.CacheBytes/4, int64(s.largest)))
	s.snapshots, _ = cfg.DB.(beginner)
	if root, ok := strings.CutSuffix(s.publicPath, s.base); ok {
		s.root = root
	}
	if site := cfg.Site; site != nil {
		s.language, s.languages = site.Language, site.Languages
	}
}

func (s *Server) exportCounts(exported promauto.Factory) {
	gauge := func(name, help string, read func() float64) {
		exported.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	gauge("townline_http_cache_bytes", "Bytes of cached bodies.", s.files.Bytes)
	gauge("townline_http_cache_waiting", "Requests that wait for an answer to be built.", s.files.Waiting)
	counter := func(name, help string, read func() float64) {
		exported.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
	}
	counter("townline_http_cache_hits_total", "Answers from cached bodies.", s.files.Hits)
	counter("townline_http_cache_misses_total", "Answers that had to be built, or waited for a build.", s.files.Misses)
	gauge("townline_http_streams", "Open event streams.", func() float64 { return float64(len(s.streams)) })
}

// complete copies and completes the tables of all areas. Pages and mounts may run only the queries
// of the API.
func (s *Server) complete(table Table) error {
	described, files := s.descriptionEndpoints()
	vary := s.cfg.Dialect.vary()
	if s.cfg.Origins != nil {
		vary += ", Origin"
	}
	s.varyLanguage = []string{vary + ", Accept-Language"}
	api := &area{base: s.base, dialect: s.cfg.Dialect, access: s.cfg.Access,
		table: slices.Concat(table, described), vary: []string{vary}}
	s.table = api.table
	s.areas = []*area{api}
	if site := s.cfg.Site; site != nil {
		s.areas = append(s.areas, &area{dialect: s.cfg.Dialect, access: s.cfg.Access, table: slices.Clone(site.Pages),
			label: "page ", site: true, vary: []string{"Accept-Language, Accept-Encoding"}})
	}
	for _, m := range s.cfg.Mounts {
		s.areas = append(s.areas, &area{base: m.Base, dialect: m.Dialect, access: m.Access, table: slices.Clone(m.Table),
			label: m.Base, vary: api.vary})
	}
	s.outside = &area{base: s.base, dialect: s.cfg.Dialect, vary: api.vary}
	s.docsFiles = files
	for i := range s.docsFiles {
		s.docsFiles[i].in = api
		s.docsFiles[i].complete(s, "/docs")
	}
	queries := api.table.Queries()
	for _, a := range s.areas {
		for i := range a.table {
			e := &a.table[i]
			e.in = a
			if a != api {
				e.anyFormat, e.Queries = true, queries
				e.form = e.page || !a.site
			}
			if a.site {
				e.header = s.cfg.Site.header(e)
			}
			e.entrance = a == api && e.Path == "/"
			e.complete(s, a.label+e.Path)
			if e.snapshot && s.snapshots == nil {
				return fmt.Errorf("endpoint %s reads a snapshot, which needs a Config.DB that begins transactions", e.ID)
			}
		}
		if err := a.table.check(); err != nil {
			return err
		}
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
	g.UnescapePathValues = false // gin would decode "+" as a blank; Endpoint.serve decodes instead
	nowhere := s.handler(s.refusal(s.notFound))
	s.addAll(g, s.docsFiles, s.base, nowhere)
	for _, a := range s.areas {
		s.addAll(g, a.table, a.base, nowhere)
	}
	g.NoRoute(nowhere)
	g.NoMethod(s.handler(s.refusal(notAllowed)))
	s.engine = g
}

// addAll routes the endpoints of a table. gin cannot distinguish /items/{id} and /items/{id}.png,
// so one handler serves both.
func (s *Server) addAll(g *gin.Engine, t Table, base string, nowhere gin.HandlerFunc) {
	forms := map[string][]*Endpoint{}
	for i := range t {
		plain, _ := cutEnding(t[i].Path)
		path := base + strings.NewReplacer("{", ":", "}", "").Replace(plain)
		forms[path] = append(forms[path], &t[i])
	}
	for path, all := range forms {
		h := s.handler(all[0])
		if len(all) > 1 || all[0].ending != "" {
			h = s.serveForms(all, nowhere)
		}
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

// serveForms returns the handler of endpoints whose paths differ only in their endings.
func (s *Server) serveForms(forms []*Endpoint, nowhere gin.HandlerFunc) gin.HandlerFunc {
	slices.SortStableFunc(forms, func(x, y *Endpoint) int { return len(y.ending) - len(x.ending) })
	handlers := make([]gin.HandlerFunc, len(forms))
	for i, e := range forms {
		handlers[i] = s.handler(e)
	}
	return func(g *gin.Context) {
		last := &g.Params[len(g.Params)-1].Value
		for i, e := range forms {
			if id, ok := strings.CutSuffix(*last, e.ending); ok {
				*last = id
				handlers[i](g)
				return
			}
		}
		nowhere(g)
	}
}

// Handle lets h answer all requests to a path that no endpoint has. It must be called before the
// server serves.
func (s *Server) Handle(path string, h http.Handler) { s.engine.Any(path, gin.WrapH(h)) }

// ServeHTTP implements http.Handler. gin compares raw text, so a path with escapes is routed by the
// form that has only the necessary ones.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawPath == "" {
		s.engine.ServeHTTP(w, r)
		return
	}
	segs := strings.Split(r.URL.RawPath, "/")
	for i, seg := range segs {
		if v, err := url.PathUnescape(seg); err == nil {
			segs[i] = strings.ReplaceAll(strings.ReplaceAll(v, "%", "%25"), "/", "%2F")
		}
	}
	u, plain := *r.URL, *r
	u.RawPath = strings.Join(segs, "/")
	plain.URL = &u
	s.engine.ServeHTTP(w, &plain)
	r.Pattern = plain.Pattern
}

// complete sets the fields that depend on the API's configuration.
func (e *Endpoint) complete(s *Server, route string) {
	e.seconds = s.metrics.observers(route)
	e.route = e.in.base + e.Path
	e.snapshot = e.snapshot || e.now == nil && s.dataset.Read != nil
	e.lasting = public[e.Kind]
	if e.page && e.Kind == Static {
		e.lasting = staticPage
	}
	e.compress = reply.Compressible(e.media)
	if strings.HasPrefix(e.media, "text/") && !strings.Contains(e.media, "charset") {
		e.media += "; charset=utf-8"
	}
	e.mediaValue = []string{e.media}
	e.runs = map[string]bool{}
	for _, q := range e.Queries {
		sql, err := q.Prepared()
		e.runs[sql] = true
		e.err = errors.Join(e.err, err)
		if before := q.Resolving(); before != nil {
			sql, err = before.Prepared()
			e.runs[sql] = true
			e.err = errors.Join(e.err, err)
		}
	}
}
