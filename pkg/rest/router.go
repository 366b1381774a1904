package rest

import (
	"context"
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
	s := &Server{cfg: cfg, seed: maphash.MakeSeed(), base: strings.TrimSuffix(cfg.Base, "/"),
		publicPath: strings.TrimSuffix(public.EscapedPath(), "/"), largest: 32 << 20, pace: 15 * time.Second,
		streams: make(chan struct{}, cfg.Listeners), ended: make(chan struct{}),
		salt: cfg.Name + "\x00" + cfg.PublicURL + "\x00" + cfg.Revision}
	if root, ok := strings.CutSuffix(s.publicPath, s.base); ok {
		s.root = root
	}
	s.large = semaphore.NewWeighted(max(cfg.CacheBytes/4, int64(s.largest)))
	s.files, err = reply.NewCache(cfg.CacheBytes, reply.Briefly)
	if err != nil {
		return nil, err
	}
	exported := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"api": cfg.Name}, cfg.Metrics))
	s.metrics = newMetrics(exported)
	s.exportGauges(exported)
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
	gauge("townline_http_cache_bytes", "Bytes of cached bodies.", s.files.Bytes)
	gauge("townline_http_cache_waiting", "Requests that wait for an answer to be built.", s.files.Waiting)
	gauge("townline_http_streams", "Open event streams.", func() float64 { return float64(len(s.streams)) })
}

// An area is a part of the server's addresses: the API, its site, or a mount.
type area struct {
	Mount
	label string // prefix of the paths of its endpoints in the metrics
	site  bool
	vary  []string
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
	api := &area{Mount: Mount{Base: s.base, Dialect: s.cfg.Dialect, Access: s.cfg.Access,
		Table: slices.Concat(table, described)}, vary: []string{vary}}
	s.table = api.Table
	s.areas = []*area{api}
	if site := s.cfg.Site; site != nil {
		s.areas = append(s.areas, &area{Mount: Mount{Dialect: s.cfg.Dialect, Access: s.cfg.Access,
			Table: slices.Clone(site.Pages)}, label: "page ", site: true, vary: []string{"Accept-Language, Accept-Encoding"}})
	}
	for _, m := range s.cfg.Mounts {
		mounted := &area{Mount: *m, label: m.Base, vary: api.vary}
		mounted.Table = slices.Clone(m.Table)
		s.areas = append(s.areas, mounted)
	}
	s.outside = &area{Mount: Mount{Base: s.base, Dialect: s.cfg.Dialect}, vary: api.vary}
	s.docsFiles = files
	for i := range s.docsFiles {
		s.docsFiles[i].in = api
		s.docsFiles[i].complete(s, "/docs")
	}
	s.snapshots, _ = s.cfg.DB.(beginner)
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
			e.entrance = a == api && e.Path == "/"
			e.complete(s, a.label+e.Path)
			if e.read != nil && s.snapshots == nil {
				return fmt.Errorf("endpoint %s reads a snapshot, which needs a Config.DB that begins transactions", e.ID)
			}
		}
		if err := a.Table.check(); err != nil {
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
	nowhere := s.refusal(s.notFound).serve
	s.addAll(g, s.docsFiles, s.base, nowhere)
	for _, a := range s.areas {
		s.addAll(g, a.Table, a.Base, nowhere)
	}
	g.NoRoute(nowhere)
	g.NoMethod(s.refusal(notAllowed).serve)
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
		h := all[0].serve
		if len(all) > 1 || all[0].ending != "" {
			h = serveForms(all, nowhere)
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
func serveForms(forms []*Endpoint, nowhere gin.HandlerFunc) gin.HandlerFunc {
	slices.SortStableFunc(forms, func(x, y *Endpoint) int { return len(y.ending) - len(x.ending) })
	return func(g *gin.Context) {
		last := &g.Params[len(g.Params)-1].Value
		for _, f := range forms {
			if id, ok := strings.CutSuffix(*last, f.ending); ok {
				*last = id
				f.serve(g)
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
	e.server = s
	e.seconds = s.metrics.observers(route)
	e.route = e.in.Base + e.Path
	if read := s.cfg.Dataset.Read; e.now == nil && read != nil {
		e.read = func(ctx context.Context, c *Call) (Generation, error) { return read(ctx, c.db) }
	}
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
