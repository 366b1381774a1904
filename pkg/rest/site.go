package rest

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

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

// hasPages reports whether there are pages for people.
func (s *Server) hasPages() bool { return s.cfg.Site != nil && s.cfg.Site.Error != nil }

// Pages returns the endpoints of the site, or nil if there is no site.
func (s *Server) Pages() Table {
	if s.cfg.Site == nil {
		return nil
	}
	return s.areas[1].Table
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

// May reports whether the client has a permission of Spec.MayShow.
func (c *Call) May(permission string) bool { return !slices.Contains(c.missing, permission) }

func (c *Call) Unattended() bool { return c.e.Unattended }

func (c *Call) Framed() string { return c.e.Framed }

// Path returns the address of a page without scheme and host, as in c.Path("/items/{id}", id).
func (c *Call) Path(template string, ids ...string) string { return URL(c.s.root, template, ids...) }
