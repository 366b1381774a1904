// Package noticesite has the pages on which an operator adds, previews and ends notices for riders:
// the transit half of `townline review`. internal/gate serves them.
//
// Like `townline annotation` it stores annotations with pkg/operator. Start with list.go (all
// notices), then add.go (what a notice is about, its form, its preview).
package noticesite

import (
	"cmp"
	"embed"
	"errors"
	"html/template"
	"io/fs"

	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/townline/internal/gate"
)

// Config has the settings.
type Config struct {
	PublicURL string `env:"TRANSIT_PUBLIC_URL" doc:"Public address of the transit API: https://host, without /gtfs/api/v2. Default: the address it listens on."`
	Addr      string `env:"TRANSIT_ADDR" envDefault:"127.0.0.1:8081" doc:"Address of the transit API."`
}

//go:embed *.html words
var own embed.FS

var errNotFound = errors.New("not found")

// Start is the path of the first page.
const Start = "/notices"

// pages has the pages about notices.
type pages struct {
	*gate.Server
	deps run.Deps
	root string // address of the riders' pages
}

// Half returns the pages about notices.
func Half(cfg Config, deps run.Deps) gate.Half {
	return gate.Half{
		Start: Start, Name: "notices.half", Files: []fs.FS{own}, NotFound: errNotFound,
		Pages: func(server *gate.Server) map[string]gate.Page {
			s := &pages{Server: server, deps: deps, root: cmp.Or(cfg.PublicURL, "http://"+cfg.Addr)}
			return map[string]gate.Page{
				"GET /notices": s.list, "GET /notices/about": s.about, "GET /notices/trips": s.trips,
				"GET /notices/new": s.add, "POST /notices/new": s.submit, "POST /notices/{id}/end": s.end,
			}
		},
	}
}

// An entity is what a notice is about, with the riders' page about it.
type entity struct {
	operator.Entity
	Page   string // address of the riders' page
	Alerts string // address of the feed's page of alerts
	Add    string // address of the form for a notice about it
}

// Full returns the name with what tells it from others.
func (e entity) Full() string {
	if e.More == "" || e.More == e.Name {
		return e.Name
	}
	return e.Name + " (" + e.More + ")"
}

func (s *pages) entity(e operator.Entity) entity {
	to := func(path string, ids ...string) string { return rest.URL(s.root, path, ids...) }
	out := entity{Entity: e, Alerts: to("/f/{feed}/alerts", e.Feed)}
	switch e.Type {
	case "stops":
		out.Page = to("/f/{feed}/stops/{stop}", e.Feed, e.ID)
	case "routes":
		out.Page = to("/f/{feed}/routes/{agency}/{route}", e.Feed, e.AgencyID, e.ID)
	case "trips":
		out.Page = to("/f/{feed}/routes/{agency}/{route}/trips/{trip}", e.Feed, e.AgencyID, e.RouteID, e.ID)
	default:
		out.Page = to("/f/{feed}", e.Feed)
	}
	return out
}

// safe marks HTML that transitapi.RenderBody has made safe.
func safe(html string) template.HTML { return template.HTML(html) } //nolint:gosec // sanitized
