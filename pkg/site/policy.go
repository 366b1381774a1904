package site

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/rest"
)

// A Policy lists the hosts from which pages may load, and the sites that may frame them. The zero
// Policy allows nothing.
type Policy struct {
	Frames  []string // sources for frame-ancestors; if empty, no site may frame the pages
	Connect []string // hosts for requests by scripts
	Images  []string // hosts and schemes of pictures
}

func (p Policy) Header() http.Header {
	with := func(first string, more []string) string { return strings.Join(append([]string{first}, more...), " ") }
	frames := "'none'"
	if len(p.Frames) > 0 {
		frames = strings.Join(p.Frames, " ")
	}
	csp := []string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src " + with("'self' data:", p.Images),
		"connect-src " + with("'self'", p.Connect),
		"worker-src 'self'",
		"child-src 'self'", // for browsers that lack worker-src
		"manifest-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors " + frames,
	}
	h := http.Header{
		"Content-Security-Policy":    {strings.Join(csp, "; ")},
		"Cross-Origin-Opener-Policy": {"same-origin"},
		"Permissions-Policy":         {"camera=(), geolocation=(self), microphone=(), payment=(), usb=()"},
		"Referrer-Policy":            {"same-origin"},
	}
	if len(p.Frames) > 0 {
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h["Cross-Origin-Opener-Policy"] = nil
	}
	return h
}

// Some pages are not endpoints of pkg/rest, because they are personal and change data. Their
// program handles the requests itself. It gets the head of each page from HeadFor and serves files
// with ServeFile.

// HeadFor returns the head of a page for a request. The caller sets the other fields.
func (s *Site) HeadFor(r *http.Request) Head {
	lang, asked := rest.ReadLanguage(r, Languages()[0], s.choice)
	h := Head{Lang: lang, Brand: s.brand, Unlisted: true, asked: asked}
	if r.Method == http.MethodGet {
		h.here = without(r.URL, "lang")
	}
	return h
}

func without(u *url.URL, name string) string {
	q := u.Query()
	q.Del(name)
	if len(q) == 0 {
		return u.EscapedPath()
	}
	return u.EscapedPath() + "?" + q.Encode()
}

// ServeFile serves a file whose path begins with /assets/.
func (s *Site) ServeFile(w http.ResponseWriter, r *http.Request) {
	f, hash := s.find(strings.TrimPrefix(r.URL.Path, "/assets/"))
	if f == nil {
		http.NotFound(w, r)
		return
	}
	body, err := f.body()
	if err != nil { // cannot happen, because the files are compiled in
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	keep := "max-age=31536000, immutable"
	if hash != f.hash {
		keep = fmt.Sprintf("max-age=%d", int(otherVersionAge.Seconds()))
	}
	w.Header().Set("Cache-Control", keep)
	w.Header().Set("Content-Type", f.media)
	_, _ = w.Write(body) // an error means that the client has left
}
