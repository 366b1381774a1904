package site

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/rest"
)

// A Frame describes a page to the site that frames it. assets/frame.js reports {townline: 1, kind,
// state, height} to that site, which can include assets/embed.js to create the frames.
type Frame struct {
	Kind  string // kind of the page: board, timetable, map, vote or member
	State string // a Frame constant; an element can override it with data-state
	Host  string // origin of the framing site; "" if unknown
	Theme string // address of a style sheet, or ""
}

const (
	FrameLive      = "live"      // live times
	FrameTimetable = "timetable" // times from the timetable only
	FrameRecord    = "record"    // data that rarely changes
	FrameEmpty     = "empty"
	FrameError     = "error"
)

// FrameParams are the parameters of every page that other sites can frame.
type FrameParams struct {
	Host *string `query:"host" maxlen:"255" pattern:"^https?://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?$"`
	ThemeParams
}

// Framed prepares a page for a frame in another site, with the colours of that site.
func (s *Site) Framed(h *Head, kind string, p FrameParams) {
	h.Frame = &Frame{Kind: kind, State: FrameTimetable}
	if p.Host != nil {
		h.Frame.Host = *p.Host
	}
	if p.Theme != nil && *p.Theme != "auto" {
		h.Class = *p.Theme
	}
	if query := p.query(); len(query) > 0 {
		query.Set("v", s.digest)
		h.Frame.Theme = h.Root + themePath + "?" + query.Encode()
	}
	h.Unlisted = true
}

const themePath = "/embed/theme.css"

// frameEndpoints serves the files of frames at fixed addresses.
func (s *Site) frameEndpoints() rest.Table {
	loader := s.File("site.embed", "/embed.js", "embed.js")
	loader.Header = http.Header{"Cross-Origin-Resource-Policy": {"cross-origin"}, "Access-Control-Allow-Origin": {"*"}}
	theme := rest.Spec{ID: "site.theme", Path: themePath, Summary: "Colours of a page in a frame", Kind: rest.Immutable,
		Media: "text/css"}
	type themeParams struct {
		ThemeParams
		Version *string `query:"v" maxlen:"64"` // makes the address unique
	}
	return rest.Table{loader, rest.From(theme, rest.Fixed[themeParams](0),
		func(_ context.Context, _ *rest.Call, p themeParams, _ rest.None) (rest.File, error) {
			return rest.File{Body: p.css()}, nil
		})}
}

// query returns the parameters for the address of the style sheet. It is empty for the site's own
// colours.
func (p ThemeParams) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]*string{"accent": p.Accent, "background": p.Background, "text": p.Text} {
		if value != nil && *value != "" {
			q.Set(name, *value)
		}
	}
	if p.Size != 0 && p.Size != 100 {
		q.Set("size", strconv.FormatInt(p.Size, 10))
	}
	return q
}
