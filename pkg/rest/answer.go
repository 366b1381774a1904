package rest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

// maxURL is the length of the longest address that is answered.
const maxURL = 8000

// serve answers a request. It starts a call with the headers that every answer has, reads the path,
// and checks format and access.
func (e *Endpoint) serve(g *gin.Context) {
	s, r := e.server, g.Request
	r.Pattern = e.route // like http.ServeMux
	c := &Call{s: s, e: e, db: s.cfg.DB, w: g.Writer, r: r, start: time.Now(), id: [1]string{r.Header.Get("X-Request-Id")}}
	if !validID.MatchString(c.id[0]) {
		c.id[0] = rand.Text()
	}
	h := g.Writer.Header()
	h["X-Request-Id"] = c.id[:]
	h["X-Content-Type-Options"] = nosniff
	h["Vary"] = e.in.vary
	if s.stopping.Load() {
		h["Connection"] = closing
	}
	if o := r.Header.Get("Origin"); s.cfg.Origins == nil && !e.in.site {
		h["Access-Control-Allow-Origin"] = anyOrigin
	} else if o != "" && !e.in.site && slices.Contains(s.cfg.Origins, o) { // not scripts of other origins on pages
		h["Access-Control-Allow-Origin"] = []string{o}
	}
	if s.cfg.Traces != nil {
		c.startSpan(s.cfg.Traces)
	}
	defer s.close(c, g.Writer)
	var err error
	if len(r.RequestURI) > maxURL {
		err = &Error{Status: http.StatusRequestURITooLong, Detail: fmt.Sprintf("the address is longer than %d bytes", maxURL)}
	}
	for i, p := range g.Params {
		text := p.Value
		if r.URL.RawPath != "" && err == nil { // gin has routed by the raw path, see ServeHTTP
			text, err = url.PathUnescape(text)
		}
		if text == "" {
			err = errNowhere
		}
		c.request.Path[i] = text
	}
	if e.entrance && err == nil {
		err = s.toDocs(r)
	}
	if d := &e.in.Dialect; d.FormatParam != "" && !e.anyFormat && err == nil && !(e.pushes && wantsPush(r)) {
		c.request.Format, err = d.format(r)
	}
	if e.page {
		c.readLanguage()
	}
	if access := e.in.Access; access != nil && err == nil {
		var grant Grant
		grant, err = access(r, &e.Spec)
		maps.Copy(h, grant.Header)
		c.private, c.missing = grant.Private, grant.Lacks
	}
	if err == nil {
		err = s.answer(c)
	}
	if err != nil {
		s.fail(c, err)
	}
}

// answer checks parameters, generation and validator, and then sends the body.
func (s *Server) answer(c *Call) error {
	e, r, query := c.e, c.r, c.r.URL.RawQuery
	if e.form {
		query = withoutEmpty(query)
	}
	params, notFound, refused := e.plan.Read(&c.request, query)
	if e.Translated {
		if why := checkLanguage(query); why != "" {
			refused = append(refused, Fault{Path: langParam, Message: why})
		}
	}
	switch {
	case notFound != nil:
		return NotFound("%s %s", notFound.Path, notFound.Message)
	case refused != nil:
		return BadRequest(refused...)
	}
	c.params = params
	if e.pushes && wantsPush(r) {
		return s.push(c)
	}
	var err error
	if e.now == nil {
		c.gen, err = s.cfg.Dataset.Now(r.Context())
	} else {
		c.gen, err = e.now(r.Context(), c)
	}
	if err != nil {
		return err
	}
	if e.Translated {
		c.chooseLanguage()
	}
	c.lasting = e.lasting
	if c.private || !c.gen.Until.IsZero() {
		c.lasting = c.expiring()
	}
	var stack [128]byte
	request := e.plan.Canonical(stack[:0], &c.request, true)
	if c.lang != "" {
		request = c.localized(request)
	}
	if match := r.Header["If-None-Match"]; match != nil {
		quoted, ok := reply.MatchTag(match, reply.TagOf(s.salt, c.gen.N, request))
		if ok {
			s.unchanged(c, []string{quoted})
			return nil
		}
	}
	c.key = string(request)
	if e.Stream { // no cache and no time limit: the client reads at its own speed
		made, err := c.build(r.Context())
		if err == nil {
			s.write(c, made)
		}
		return err
	}
	key, coding := reply.Key{Gen: c.gen.N, Request: c.key}, reply.Identity
	if accept := r.Header["Accept-Encoding"]; accept != nil && e.compress && (e.page || r.Header["Range"] == nil) {
		coding = reply.Negotiate(accept)
	}
	f, ok := s.files.Get(key, coding)
	if ok {
		s.metrics.hits.Inc()
	} else {
		s.metrics.misses.Inc()
		f, err = s.files.Load(r.Context(), key, coding, e.Kind == Immutable, c.build)
	}
	if err != nil {
		return err
	}
	s.write(c, f)
	return nil
}

// withoutEmpty removes parameters without a value: browsers send the empty fields of a form as
// "name=".
func withoutEmpty(query string) string {
	if !strings.Contains(query, "=&") && !strings.HasSuffix(query, "=") {
		return query
	}
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, value, _ := strings.Cut(pair, "=")
		return value == "" && len(name) < len(pair)
	})
	return strings.Join(pairs, "&")
}

var (
	errNowhere     = NotFound("no such address")
	allowed        = []string{"GET, HEAD, OPTIONS"}
	allowedHeaders = []string{"Accept, Authorization, Cache-Control, If-Modified-Since, If-None-Match, Last-Event-ID, " +
		"Range, X-Api-Key, X-Request-Id"}
)

// toDocs redirects browsers from the root of the host, if it is not a page, and from that of the API
// to the documentation.
func (s *Server) toDocs(r *http.Request) error {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads || !reply.PrefersHTML(r.Header["Accept"]) || r.URL.Query().Has(s.cfg.Dialect.FormatParam) {
		return nil
	}
	return &Error{Status: http.StatusSeeOther, Header: http.Header{"Vary": {"Accept"}, "Cache-Control": noStore,
		"Location": {s.publicPath + "/docs"}}}
}

// refusal returns an endpoint that answers every request with an error.
func (s *Server) refusal(refuse func(r *http.Request) error) *Endpoint {
	e := newEndpoint[None, None](Spec{ID: "none"})
	e.server, e.in = s, s.outside
	e.anyFormat = true
	e.seconds = s.metrics.observers("none")
	e.now = func(_ context.Context, c *Call) (Generation, error) { return Generation{}, refuse(c.r) }
	return &e
}

func (s *Server) notFound(r *http.Request) error {
	if r.URL.Path == "/" || strings.TrimSuffix(r.URL.Path, "/") == s.base {
		return cmp.Or(s.toDocs(r), error(errNowhere))
	}
	return errNowhere
}

// notAllowed refuses requests with a method other than GET and HEAD, and answers preflight requests.
func notAllowed(r *http.Request) error {
	e := &Error{Status: http.StatusMethodNotAllowed, Detail: "only GET and HEAD are allowed",
		Header: http.Header{"Allow": allowed}}
	if r.ContentLength != 0 {
		e.Header["Connection"] = closing // otherwise net/http would wait for the body, which nothing reads
	}
	if r.Method == http.MethodOptions {
		e.Status = http.StatusNoContent
		e.Header["Access-Control-Allow-Methods"] = allowed
		e.Header["Access-Control-Allow-Headers"] = allowedHeaders
		e.Header["Access-Control-Max-Age"] = []string{"86400"}
	}
	return e
}
