package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// A Site has the pages of an API: HTML for people, at the root of its host. A page is an endpoint,
// made with [Page]. Like any other endpoint, it has generation, validator, cache and permissions.
// The description of the API does not list it.
type Site struct {
	// Pages has the endpoints; their paths are below the root. Files that pages use, such as styles,
	// are made with [Bytes].
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

// Page makes an endpoint of a [Site]. fn returns the HTML in the language of [Call.Language]. The
// page shows data of other endpoints, whose permissions Spec.Shows and Spec.MayShow list. Empty
// parameters count as absent, because browsers send the empty fields of a form. The data is
// Config.Dataset.
func Page[P any](spec Spec, fn func(ctx context.Context, c *Call, p P) ([]byte, error)) Endpoint {
	return PageFrom(spec, Source[P, None]{}, func(ctx context.Context, c *Call, p P, _ None) ([]byte, error) {
		return fn(ctx, c, p)
	})
}

// PageFrom is like Page, but its data comes from a source.
func PageFrom[P, R any](spec Spec, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) ([]byte, error)) Endpoint {
	e := BytesFrom(spec, "text/html", s, func(ctx context.Context, c *Call, p P, data R) (File, error) {
		html, err := fn(ctx, c, p, data)
		made := File{Body: html}
		if spec.Kind == Realtime { // generations change often, but the page rarely does
			made.tag()
		}
		return made, err
	})
	e.page = true
	return e
}

// PageFile makes an endpoint of a [Site] that is a page in another form, such as a picture. Like a
// page, it has the language and the permissions of the client. Its validator is the hash of its
// bytes.
func PageFile[P, R any](spec Spec, media string, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) (File, error)) Endpoint {
	e := BytesFrom(spec, media, s, func(ctx context.Context, c *Call, p P, data R) (File, error) {
		f, err := fn(ctx, c, p, data)
		f.tag()
		return f, err
	})
	e.page, e.picture = true, true
	return e
}

// tag sets the validator of a file to the hash of its bytes, unless it already has one.
func (f *File) tag() {
	if sum := sha256.Sum256(f.Body); f.Tag == "" {
		f.Tag = hex.EncodeToString(sum[:12])
	}
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
	case c.e.page && !c.e.picture:
		return true
	case c.e.in.site || c.e == s.unknown && !s.below(c.r.URL.Path):
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
