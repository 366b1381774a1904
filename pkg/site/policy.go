package site

import (
	"net/http"
	"strings"
)

// A Policy is what the pages of a site may load from other hosts, and who may frame them. The zero
// Policy allows nothing.
type Policy struct {
	Frames  []string // who may show the page in a frame, exactly as written; none: nobody
	Connect []string // hosts that scripts may ask
	Images  []string // hosts and schemes of pictures
}

// Header returns the policy as headers.
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
		"child-src 'self'", // what browsers before worker-src go by
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
