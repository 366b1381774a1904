package rest

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

func (s *Server) handler(e *Endpoint) gin.HandlerFunc {
	route := e.in.Base + e.Path
	return func(g *gin.Context) {
		g.Request.Pattern = route // like http.ServeMux
		c := s.open(e, g.Writer, g.Request)
		if s.cfg.Traces != nil {
			c.startSpan(s.cfg.Traces)
		}
		defer s.close(c, g.Writer)
		err := c.setPath(g)
		if err == nil {
			err = s.answer(c)
		}
		if err != nil {
			s.fail(c, err)
		}
	}
}

// setPath decodes the values of the path. gin routes by the raw path if there is one; see
// ServeHTTP.
func (c *Call) setPath(g *gin.Context) error {
	for i, p := range g.Params {
		v := p.Value
		if g.Request.URL.RawPath != "" {
			var err error
			v, err = url.PathUnescape(v)
			if err != nil {
				return errNowhere
			}
		}
		if v == "" {
			return errNowhere
		}
		c.e.plan.SetPath(&c.request, i, v)
	}
	return nil
}

var errNowhere = NotFound("no such address")

func (c *Call) readParams() error {
	query := c.r.URL.RawQuery
	if c.e.form {
		query = withoutEmpty(query)
	}
	params, notFound, refused := c.e.plan.Read(&c.request, query)
	c.params = params
	if c.e.Translated {
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

// answer is the read path. It checks format, access, parameters, generation and validator, and then
// sends the body.
func (s *Server) answer(c *Call) error {
	e, r := c.e, c.r
	push := e.pushes() && wantsPush(r)
	if !e.anyFormat && !push {
		var err error
		c.request.Format, err = s.dialect(c).format(r)
		if err != nil {
			return err
		}
	}
	if e.page {
		c.readLanguage()
	}
	if err := s.authorize(c); err != nil {
		return err
	}
	if err := c.readParams(); err != nil {
		return err
	}
	if push {
		return s.push(c)
	}
	gen, err := e.now(r.Context(), c)
	if err != nil {
		return err
	}
	c.gen = gen
	c.chooseLanguage()

	var stack [128]byte
	request := c.canonical(stack[:0])
	if match := r.Header["If-None-Match"]; match != nil {
		quoted, ok := reply.MatchTag(match, reply.TagOf(s.salt, gen.N, request))
		if ok {
			s.unchanged(c, []string{quoted})
			return nil
		}
	}
	if e.Stream { // no cache and no time limit: the client reads at its own speed
		made, err := c.build(r.Context())
		if err == nil {
			s.write(c, made)
		}
		return err
	}
	key := reply.Key{Gen: gen.N, Request: string(request)}
	accept := r.Header["Accept-Encoding"]
	if accept != nil && e.compress && (e.page || r.Header["Range"] == nil) {
		key.Coding = reply.Negotiate(accept)
	}
	body, err := s.cached(r.Context(), c, key)
	if err != nil {
		return err
	}
	s.write(c, body)
	return nil
}

// authorize returns the error of Access if that refuses the request.
func (s *Server) authorize(c *Call) error {
	access := c.e.in.Access
	if access == nil {
		return nil
	}
	grant, err := access(c.r, &c.e.Spec)
	maps.Copy(c.w.Header(), grant.Header)
	c.private, c.missing = grant.Private, grant.Lacks
	return err
}
