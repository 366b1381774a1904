package rest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

// maxURL is the length of the longest address that is answered.
const maxURL = 8000

// handler answers the requests to an endpoint. It starts a call with the headers that every answer
// has, reads the path, and checks format and access.
func (s *Server) handler(e *Endpoint) gin.HandlerFunc {
	return func(g *gin.Context) {
		r := g.Request
		r.Pattern = e.route // like http.ServeMux
		c := &Call{s: &s.shared, e: e, db: s.db, w: g.Writer, r: r, start: time.Now(),
			id: [1]string{r.Header.Get("X-Request-Id")}}
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
			err = &Error{Status: http.StatusRequestURITooLong,
				Detail: fmt.Sprintf("the address is longer than %d bytes", maxURL)}
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
		if d := &e.in.dialect; d.FormatParam != "" && !e.anyFormat && err == nil && !(e.pushes && wantsPush(r)) {
			c.request.Format, err = d.format(r)
		}
		if e.page {
			c.readLanguage()
		}
		if access := e.in.access; access != nil && err == nil {
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
}

// answer checks parameters, generation and validator, and then sends the body.
func (s *Server) answer(c *Call) error {
	e, r := c.e, c.r
	query := r.URL.RawQuery
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
		return c.push(s.current)
	}
	var err error
	if e.now == nil {
		c.gen, err = s.dataset.Now(r.Context())
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
	f, err := s.files.Get(r.Context(), key, coding, e.Kind == Immutable, c.build)
	if err != nil {
		return err
	}
	s.write(c, f)
	return nil
}

// current returns the answer that a stream sends next.
func (s *Server) current(ctx context.Context, c *Call) (*File, error) {
	gen, err := c.e.now(ctx, c)
	if err != nil {
		return nil, err
	}
	c.gen = gen
	if c.e.Translated {
		c.chooseLanguage()
	}
	defer func() { c.data = nil }() // frees memory, because a stream is idle most of the time
	key := c.e.plan.Canonical(nil, &c.request, true)
	if c.lang != "" {
		key = c.localized(key)
	}
	c.key = string(key)
	return s.files.Get(ctx, reply.Key{Gen: gen.N, Request: c.key}, reply.Identity, false, c.build)
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
	allowedMethods = []string{"GET, HEAD, OPTIONS"}
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
	e.in = s.outside
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
		Header: http.Header{"Allow": allowedMethods}}
	if r.ContentLength != 0 {
		e.Header["Connection"] = closing // otherwise net/http would wait for the body, which nothing reads
	}
	if r.Method == http.MethodOptions {
		e.Status = http.StatusNoContent
		e.Header["Access-Control-Allow-Methods"] = allowedMethods
		e.Header["Access-Control-Allow-Headers"] = allowedHeaders
		e.Header["Access-Control-Max-Age"] = []string{"86400"}
	}
	return e
}

// write sends a file, a part of it, or a 304, as the preconditions of the request demand.
func (s *Server) write(c *Call, r *File) {
	h, in := c.w.Header(), c.r.Header
	if again := r.Header["Refresh"]; again != nil {
		h["Refresh"] = again
	}
	if match := in["If-None-Match"]; match != nil {
		quoted, ok := reply.MatchTag(match, r.Tag)
		if !ok && reply.AnyTag(match) {
			quoted, ok = r.Header.Get("Etag"), true
		}
		if ok {
			r.Close()
			s.unchanged(c, []string{quoted})
			return
		}
	} else if since := in["If-Modified-Since"]; since != nil && !r.Modified.IsZero() {
		if t, err := http.ParseTime(since[0]); err == nil && !r.Modified.After(t) {
			r.Close()
			s.unchanged(c, r.Header["Etag"])
			return
		}
	}
	if !c.e.in.site {
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
	maps.Copy(h, c.e.header)
	maps.Copy(h, r.Header)
	h["Cache-Control"] = c.lasting
	if c.lang != "" && !c.e.page {
		h["Content-Language"] = []string{c.lang}
	}
	if c.e.body == nil && !c.e.page { // the endpoint serves a file
		h["Accept-Ranges"] = acceptRanges
		if r.Content != nil || in["Range"] != nil {
			s.serveFile(c, r)
			return
		}
	}
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return
	}
	if len(r.Body) <= largeFrom { // a small body keeps the deadline of the request, see Serve
		_, _ = c.w.Write(r.Body) // an error means that the client has left
		return
	}
	if err := c.hold(c.r.Context(), len(r.Body), false); err != nil {
		s.fail(c, err)
		return
	}
	_, _ = newPacedWriter(c.w, s.pace, s.slow).Write(r.Body)
}

// serveFile lets net/http handle ranges and If-Range, but writes errors in the dialect.
func (s *Server) serveFile(c *Call, r *File) {
	defer r.Close()
	content, held := r.Content, streamCost
	if content == nil {
		content, held = bytes.NewReader(r.Body), len(r.Body)
	}
	if err := c.hold(c.r.Context(), held, false); err != nil {
		s.fail(c, err)
		return
	}
	w := newPacedWriter(c.w, s.pace, s.slow)
	req, satisfiable := ranged(c.r)
	if satisfiable {
		http.ServeContent(w, req, "", r.Modified, content)
	} else {
		w.refused = http.StatusRequestedRangeNotSatisfiable
	}
	if w.failed != nil && c.r.Context().Err() == nil { // the client sees too few bytes
		c.cause = fmt.Errorf("stream: %w", w.failed)
	}
	switch w.refused {
	case 0:
	case http.StatusRequestedRangeNotSatisfiable:
		if size, err := content.Seek(0, io.SeekEnd); err == nil {
			c.w.Header()["Content-Range"] = []string{"bytes */" + strconv.FormatInt(size, 10)}
		}
		s.fail(c, &Error{Status: w.refused, Detail: "the range is outside the file"})
	case http.StatusPreconditionFailed:
		s.fail(c, &Error{Status: w.refused, Detail: "the file has changed"})
	default:
		s.fail(c, &Error{Status: http.StatusInternalServerError, Detail: "internal error",
			cause: fmt.Errorf("file of %s: status %d", c.e.ID, w.refused)})
	}
}

// ranged corrects a request's range where net/http deviates from RFC 9110: ranges without GET and
// with unknown units are ignored (14.2), and one of the last 0 bytes is not satisfiable (14.1.2).
func ranged(r *http.Request) (req *http.Request, satisfiable bool) {
	req = r.Clone(r.Context())
	unit, set, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Range")), "=")
	if r.Method != http.MethodGet || !strings.EqualFold(unit, "bytes") {
		req.Header.Del("Range")
		return req, true
	}
	req.Header.Set("Range", "bytes="+set)
	return req, strings.Trim(set, " \t") != "-0" || r.Header["If-Range"] != nil
}

func (s *Server) unchanged(c *Call, etag []string) {
	h := c.w.Header()
	h["Etag"] = etag
	h["Cache-Control"] = c.lasting
	c.w.WriteHeader(http.StatusNotModified)
}
