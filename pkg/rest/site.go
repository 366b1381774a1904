package rest

import (
	"maps"
	"net/http"
	"slices"

	"github.com/townline/townline/pkg/lang"
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

// May reports whether the client has a permission of Spec.MayShow.
func (c *Call) May(permission string) bool { return !slices.Contains(c.missing, permission) }

func (c *Call) Unattended() bool { return c.e.Unattended }

func (c *Call) Framed() string { return c.e.Framed }

// Path returns the address of a page without scheme and host, as in c.Path("/items/{id}", id).
func (c *Call) Path(template string, ids ...string) string { return URL(c.s.root, template, ids...) }
