// Package transitapi is the transit API: GTFS feeds as addressable resources, read from the tables
// that services/gtfs-import writes.
//
// This package has only settings, the table of endpoints and the wiring. internal/edition holds
// each live version of a feed in memory; every query is for one version, so no answer mixes two
// imports. internal/live holds realtime data, and internal/board computes departures from both.
// internal/static serves the timetable, with maps from internal/tile; internal/realtimeapi serves
// realtime data. internal/pages shows both on web pages, and internal/onebusaway serves both to the
// OneBusAway apps. internal/access checks permissions.
//
// The service writes nothing and calls no other service. Headers, caching and status codes are in
// pkg/rest. The tables are documented in pkg/schema/transit.
package transitapi

import (
	"cmp"
	"context"
	_ "embed" // for examples
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/mcp"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wellknown"
	"github.com/townline/townline/services/transit-api/internal/access"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/assist"
	"github.com/townline/townline/services/transit-api/internal/catalog"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/observed"
	"github.com/townline/townline/services/transit-api/internal/onebusaway"
	"github.com/townline/townline/services/transit-api/internal/pages"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/tile"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Config has the settings of the service.
type Config struct {
	// Addr is the address to listen on; port 0 means any free port.
	Addr string `env:"TRANSIT_ADDR" envDefault:"127.0.0.1:8081" doc:"Address of the transit API."`
	// PublicURL is the scheme and host that clients use, without the API's path. If empty, it is
	// http and the address on which the API listens.
	PublicURL string `env:"TRANSIT_PUBLIC_URL" doc:"Public address of the transit API: https://host, without /gtfs/api/v2. Default: the address it listens on."`
	// File is the path of transit.yaml; empty means default settings.
	File       string `env:"TRANSIT_CONFIG" doc:"transit.yaml: route extras, access, display."`
	CacheBytes int64  `env:"TRANSIT_CACHE_BYTES" envDefault:"268435456" doc:"Memory for cached answers, in bytes."`
	// FeedBytes bounds the memory of one feed; 0 means 128 MB.
	FeedBytes int64 `env:"TRANSIT_FEED_BYTES" envDefault:"134217728" doc:"Estimated memory that one feed may take, in bytes; 2.7 million stop times take 25 MB. A feed that needs more is not served, or is served without departure boards."`
	// Streams bounds the number of open event streams.
	Streams    int           `env:"TRANSIT_STREAMS" envDefault:"1000" doc:"Largest number of open event streams."`
	Linger     time.Duration `env:"DRAIN_DELAY" envDefault:"5s" doc:"How long a stopping API still answers after it reports not ready, so that load balancers stop sending requests first."`
	Pages      string        `env:"PAGES" envDefault:"on" oneof:"on,off" doc:"on serves pages for people beside the API, from / on; off serves the API alone."`
	OneBusAway string        `env:"ONEBUSAWAY" envDefault:"off" oneof:"on,off" doc:"on also serves each feed to the OneBusAway apps; riders type the address /oba/FEED."`
	MCP        string        `env:"MCP" envDefault:"off" oneof:"on,off" doc:"on serves the APIs to assistants too, at /mcp, by the Model Context Protocol."`
	conf.Public
	AccessLog rest.AccessLog `env:"TRANSIT_ACCESS_LOG" envDefault:"errors" oneof:"errors,all,off" doc:"Which requests are logged: errors, all or off."`

	// VisitDays is the setting of rt-poller, for the page about privacy.
	VisitDays int `env:"OBSERVE_VISIT_DAYS" envDefault:"400" doc:"Days for which the visits of stops of observed feeds are kept."`

	// RouteAlter may change a route of a feed when the feed is loaded, for example add to its Extra.
	// It is a hook for deployments that compile their own program. The ids of the route stay.
	RouteAlter func(feed string, r *Route) `env:"-"`

	now     func() time.Time // nil means time.Now
	timeout time.Duration    // time limit for building an answer; 0 means the default of package rest
}

// A Route is a row of routes.txt, as passed to [Config.RouteAlter].
type Route = edition.Route

// Program describes the service for its binary, townline up and tests.
func Program() run.Service {
	return run.Program[Config]{
		Name: "transit-api", Part: schema.Transit, Run: Run,
		// The tables have a partition for each feed version. Only a plan for the version of an execution
		// reads one partition; a plan for any version would become slower with every feed.
		Pool: pg.Options{ReadOnly: true, Plans: pg.CustomPlans, StatementTimeout: 15 * time.Second}, Check: "feeds",
		Address:   func(cfg Config) string { return cfg.Addr },
		Preflight: func(cfg Config, env conf.Environ) error { return CheckConfig(cfg.File, env) },
	}.Service()
}

const feedBytesUnlessSet = 128 << 20

const basePath = "/gtfs/api/v2"

// Run serves the API until ctx ends. While Postgres is unreachable, it serves cached answers, and
// 503 for other requests.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	if cfg.PublicURL == "" {
		cfg.PublicURL = "http://" + deps.Listener.Addr().String()
	}
	a, srv, err := newAPI(cfg, deps)
	if err != nil {
		return err
	}
	deps.Ready.Require("feeds", a.dir.Ready)
	deps.Ready.Require("realtime", a.live.Ready)
	deps.Ready.Require("annotations", a.annotations.Ready)
	deps.Ready.Require("keys", a.keys.Ready)
	g := run.NewGroup(ctx)
	g.Go("feed directory", a.dir.Run)
	g.Go("realtime index", a.live.Run)
	g.Go("annotations", a.annotations.Run)
	g.Go("keys", a.keys.Run)
	g.Go("http", func(ctx context.Context) error { return srv.Serve(ctx, deps.Listener) })
	return g.Wait()
}

type api struct {
	dir         *edition.Directory
	live        *live.Live
	annotations *annotation.Store
	access      *access.Control
	keys        *access.Keyring
	static      *static.API
	current     *realtimeapi.API
	observed    *observed.API
	pages       *pages.Pages
	apps        *onebusaway.API
	table       rest.Table
	extras      map[string]map[string]map[string]any // from transit.yaml; keyed by feed alias, route_id and key
	public      string                               // absolute address of basePath
}

// newAPI returns the API and its server, which is not started yet.
func newAPI(cfg Config, deps run.Deps) (*api, *rest.Server, error) {
	a, settings, err := assemble(cfg, deps.Environ, deps)
	if err != nil {
		return nil, nil, err
	}
	if a.access.GrantsNothing() {
		deps.Log.Warn("no role may read anything: grant permissions under access.roles in transit.yaml")
	}
	about, mounts := "", []*rest.Mount(nil)
	if cfg.OneBusAway == "on" {
		a.pages.Apps = onebusaway.Base
		about, mounts = onebusaway.About, []*rest.Mount{a.apps.Mount(a.access.CheckApp)}
	}
	site := &rest.Site{}
	if cfg.Pages != "off" {
		site, err = a.pages.Open()
		if err != nil {
			return nil, nil, err
		}
	}
	host := &wellknown.Host{Public: cfg.Public, Root: strings.TrimSuffix(cfg.PublicURL, "/"),
		Disallow: []string{basePath + "/", onebusaway.Base + "/", "/embed/", "/board", "/screens/"}}
	known, err := host.Endpoints()
	if err != nil {
		return nil, nil, fmt.Errorf("transit API: %w", err)
	}
	listed := &catalog.Catalog{Host: host, Name: a.pages.Site.Name, Feeds: a.dir, Live: a.live, Apps: a.pages.Apps,
		Assistants: cfg.MCP == "on"}
	site.Pages = slices.Concat(site.Pages, known, listed.Endpoints())
	revision, err := a.revision(cfg)
	if err != nil {
		return nil, nil, err
	}
	err = errors.Join(deps.Metrics.Register(a.dir), deps.Metrics.Register(a.pages.Seen))
	if err != nil {
		return nil, nil, fmt.Errorf("register metrics: %w", err)
	}
	srv, err := rest.New(rest.Config{
		Name: "transit", Dialect: wire.Dialect(), Base: basePath, PublicURL: a.public,
		Title: "Transit feeds", Version: "2.0.0", License: "MIT", Description: description + about, Examples: examples,
		DB: replica.Pool{Pool: deps.DB}, CacheBytes: cfg.CacheBytes, Revision: revision,
		Site: site, Mounts: mounts,
		Access: a.access.Check, DescriptionPermission: access.Description, Listeners: cfg.Streams,
		Origins: settings.Access.Origins,
		Log:     deps.Log, AccessLog: cfg.AccessLog, Metrics: deps.Metrics, Linger: cfg.Linger, Timeout: cfg.timeout,
		Traces: deps.Traces,
	}, a.table)
	if err != nil {
		return nil, nil, fmt.Errorf("transit API: %w", err)
	}
	if cfg.MCP == "on" {
		tools := (&assist.Tools{Feeds: a.dir, Now: a.current.Now}).Server(srv, strings.TrimSuffix(cfg.PublicURL, "/"))
		if err := mcp.Add(srv, tools); err != nil {
			return nil, nil, fmt.Errorf("transit API: %w", err)
		}
	}
	return a, srv, nil
}

func assemble(cfg Config, environ conf.Environ, deps run.Deps) (*api, *conf.Transit, error) {
	now := cfg.now
	if now == nil {
		now = time.Now
	}
	news := live.NewNews()
	dir := edition.NewDirectory(deps, cmp.Or(cfg.FeedBytes, feedBytesUnlessSet), now)
	a := &api{
		dir:         dir,
		live:        live.New(deps, dir, news),
		annotations: annotation.New(deps, now, news.Notify),
		keys:        access.NewKeyring(deps.DB, deps.Log),
		static:      &static.API{Feeds: dir, Tiles: tile.Loader{Log: deps.Log}},
		extras:      map[string]map[string]map[string]any{},
	}
	dir.Alter = a.alter(cfg.RouteAlter)
	dir.MapProblem = func(e *edition.Edition) error {
		_, err := tile.State(e)
		return err
	}
	a.current = &realtimeapi.API{Feeds: dir, Live: a.live, News: news, Annotations: a.annotations, Now: now}
	a.observed = observed.New(dir)
	a.static.IsObserved = a.observed.IsObserved
	a.apps = &onebusaway.API{Static: a.static, Current: a.current}
	root := strings.TrimSuffix(cfg.PublicURL, "/")
	a.public = root + basePath
	a.pages = &pages.Pages{Static: a.static, Current: a.current, Observed: a.observed, Root: root,
		Screens: map[string]*conf.Screen{},
		Seen: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "townline_screen_seen_timestamp_seconds",
			Help: "When a named screen last asked this replica for its board."}, []string{"screen"})}
	a.table = a.endpoints()
	settings, err := conf.ReadTransit(cfg.File, environ, func(t *conf.Transit) (err error) {
		a.access, err = access.New(t.Access, a.table, a.keys)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(settings.Access.Origins) == 0 {
		settings.Access.Origins = nil // all endpoints
	}
	a.static.Display = static.DisplayClock{Twelve: settings.Display.TimeFormat == "12h"}
	a.pages.Base, a.pages.TitleCase = settings.Display.Map, settings.Display.TitleCase
	a.pages.Locale = settings.Display.Written
	a.pages.Frames.Frames = settings.Embed.Ancestors
	a.pages.Site = settings.Site
	a.pages.Public = cfg.Public
	a.pages.AccessLog = cfg.AccessLog
	if slices.ContainsFunc(settings.Feeds, func(f conf.Feed) bool { return f.Observe }) {
		a.pages.VisitDays = cfg.VisitDays
	}
	for i := range settings.Screens {
		a.pages.Screens[settings.Screens[i].Name] = &settings.Screens[i]
	}
	a.apps.Agencies = map[string][]string{}
	for _, f := range settings.Feeds {
		if only := f.Agencies(); only != nil {
			a.apps.Agencies[f.Alias] = only
		}
		a.extras[f.Alias] = f.RouteExtras
		if f.Observe {
			a.observed.OnTime[f.Alias] = f.OnTime
		}
	}
	return a, settings, nil
}

// alter returns what changes a route before it is served: the keys of transit.yaml, then the hook.
func (a *api) alter(hook func(string, *Route)) func(string, *Route) {
	return func(feed string, r *Route) {
		own := a.extras[feed][r.RouteID]
		if len(own) == 0 && hook == nil {
			return
		}
		if r.Extra == nil {
			r.Extra = make(map[string]any, len(own))
		}
		maps.Copy(r.Extra, own)
		if hook != nil {
			hook(feed, r)
		}
	}
}

// MaxBody is the maximum size of an annotation's body, in bytes.
const MaxBody = annotation.MaxBody

// RenderBody renders an annotation's body as safe HTML. The format is "markdown" (GitHub's flavour)
// or "html".
func RenderBody(format, body string) (string, error) { return annotation.RenderBody(format, body) }

// NewKey returns a new key for a client.
func NewKey() access.Key { return access.NewKey() }

// CheckConfig reads transit.yaml like the service and returns its errors, including unknown
// permissions.
func CheckConfig(file string, environ conf.Environ) error {
	_, _, err := assemble(Config{File: file}, environ, run.Deps{})
	return err
}

// revision changes with the program and its configuration, so that clients do not keep cached
// answers.
func (a *api) revision(cfg Config) (string, error) {
	settings, err := json.Marshal([]any{run.Version, a.pages.Locale, a.extras, a.observed.OnTime, a.pages.Digest(),
		a.pages.Screens, a.pages.Base, a.pages.Frames, a.pages.Site, a.pages.TitleCase, a.pages.Apps, cfg.Public, cfg.MCP,
		cfg.AccessLog, a.pages.VisitDays})
	if err != nil {
		return "", fmt.Errorf("encode settings: %w", err)
	}
	h := fnv.New64a()
	_, _ = h.Write(settings) // never returns an error
	return fmt.Sprintf("%016x", h.Sum64()), nil
}

// examples are answers of the demo town, written by make golden.
//
//go:embed examples.json
var examples []byte

const description = `Transit schedules as resources: the GTFS files of each feed, and what is computed from them.

Request JSON with _format=json or with an Accept header that names application/json. Every answer is an envelope of
meta (counts, paging, links) and data. Values are the feed's own cells, as strings; an empty cell is null.

Texts come in the language that lang= or Accept-Language asks for where a feed has translations into it. Others stay in their own.

links name related resources by their relation. next and previous are false if there is no such page.
Answers about a feed change only when a new version is imported: revalidate with If-None-Match. Last-Modified is the time of the feed's last change.

The operator decides what everyone may read, and how often. Some resources want a key, which the operator of this address gives: send it as X-Api-Key: KEY or Authorization: Bearer KEY. 401 means that a key is needed, 403 that yours may not read this. 429 means too many requests: Retry-After says in how many seconds to ask again, and RateLimit-Remaining warns before.`

// endpoints returns all endpoints, for the root, the OpenAPI description, access control and tests.
// The ID of an endpoint is also its permission; the part before the dot is the permission's group.
func (a *api) endpoints() rest.Table {
	t := slices.Concat(
		rest.Table{
			rest.Func(rest.Spec{ID: "discovery.resources", Path: "/", Summary: "Every resource with its URI template",
				Tag: "Discovery"}, a.listResources),
		},
		a.static.Endpoints(),
		a.current.Endpoints(),
		a.observed.Endpoints(),
	)
	for i := range t {
		t[i].Permission = t[i].ID
	}
	return t
}

// A ResourceDescriptor describes one resource in the root.
type ResourceDescriptor struct {
	ID          string `json:"id" doc:"The resource's id. It is also the permission needed to read the resource." example:"static.stops"`
	Label       string `json:"label" doc:"What the resource contains."`
	URITemplate string `json:"uri_template" doc:"URI template of the resource (RFC 6570)."`
}

func (a *api) listResources(_ context.Context, c *rest.Call, p struct {
	wire.Window
}) (wire.Envelope[[]ResourceDescriptor], error) {
	var all []ResourceDescriptor
	for i := range a.table {
		e := &a.table[i]
		all = append(all, ResourceDescriptor{e.ID, e.Summary, e.Template(a.public, wire.Dialect())})
	}
	return wire.Cut(c, p.Window, all, wire.Links{{Rel: "feeds", Href: c.URL("/feeds")}}), nil
}
