// Package councilapi is the public API of a town council's votes: meetings, agenda items, votes,
// members, anomalies, and their documents, and pages for people with the same data.
//
// This package has the configuration and the table of endpoints. internal/civic serves the
// contents of minutes, internal/review anomalies and corrections, internal/files downloads and
// feeds, internal/pages the pages. The rest of HTTP is in pkg/rest.
//
// It only reads, from the Postgres schema council, and never calls council-ingest, which writes it.
// The votes API document defines every path and field; comments on the SQL explain decisions that
// it leaves open.
package councilapi

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/mcp"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wellknown"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/pages"
	"github.com/townline/townline/services/council-api/internal/wire"
)

type Config struct {
	Addr string `env:"COUNCIL_ADDR" envDefault:"127.0.0.1:8080" doc:"Address of the council API."`
	// PublicURL is the scheme and host that clients use. If empty, it is http and the bound address.
	PublicURL  string        `env:"COUNCIL_PUBLIC_URL" doc:"Public address of the council API: https://host, without /v1. Default: the address it listens on."`
	CacheBytes int64         `env:"COUNCIL_CACHE_BYTES" envDefault:"134217728" doc:"Memory for cached answers, in bytes."`
	Linger     time.Duration `env:"DRAIN_DELAY" envDefault:"5s" doc:"How long a stopping API still answers after it reports not ready, so that load balancers stop sending requests first."`
	Pages      string        `env:"PAGES" envDefault:"on" oneof:"on,off" doc:"on serves pages for people beside the API, from / on; off serves the API alone."`
	MCP        string        `env:"MCP" envDefault:"off" oneof:"on,off" doc:"on serves the APIs to assistants too, at /mcp, by the Model Context Protocol."`
	File       string        `env:"COUNCIL_CONFIG" doc:"council.yaml: the portal and the words of this council, and the look, frames and contact of its pages (site, embed, contact, time_zone, locale). A variable that is set comes before its key."`
	conf.Council
	conf.Public
	Color string `env:"COUNCIL_COLOR" doc:"Colour of links and buttons on the council's pages: six hexadecimal digits such as 0b57a4. Made darker or lighter where it could not be read. Empty: blue."`
	Logo  string `env:"COUNCIL_LOGO" doc:"Path of a picture that the council's pages show before the name: PNG, or SVG with a viewBox, at most 32 kB. Empty: none."`
	// Embed lists the sites that may show pages below /embed.
	Embed     string         `env:"COUNCIL_EMBED" envDefault:"*" doc:"Sites that may show a vote or a member of the council's pages in a frame, with blanks between: https://town.example, https://*.town.example, or * for every site. none: nobody."`
	Mail      string         `env:"COUNCIL_MAIL" doc:"Mail address to which readers of the pages report errors. Empty: the pages do not ask for reports."`
	AccessLog rest.AccessLog `env:"COUNCIL_ACCESS_LOG" envDefault:"errors" oneof:"errors,all,off" doc:"Which requests are logged: errors, all or off."`

	// Archive is the object store for documents that are not in Postgres.
	Archive objects.Config
}

func Program() run.Service {
	return run.Program[Config]{
		Name: "council-api", Part: schema.Council, Run: Run,
		Pool: pg.Options{ReadOnly: true, Plans: pg.CustomPlans, StatementTimeout: 15 * time.Second}, Check: "dataset",
		Address: func(cfg Config) string { return cfg.Addr },
	}.Service()
}

func (c *Config) base() string { return strings.TrimSuffix(c.PublicURL, "/") + basePath }

const basePath = "/v1"

// Run serves the API until ctx ends. While Postgres is unreachable, it answers from its cache, and
// other requests get a 503.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	if cfg.PublicURL == "" {
		cfg.PublicURL = "http://" + deps.Listener.Addr().String()
	}
	data := newDataset(deps)
	srv, err := open(cfg, deps, data)
	if err != nil {
		return err
	}
	deps.Ready.Require("dataset", data.check)
	g := run.NewGroup(ctx)
	g.Go("dataset", data.run)
	g.Go("http", func(ctx context.Context) error { return srv.Serve(ctx, deps.Listener) })
	return g.Wait()
}

func open(cfg Config, deps run.Deps, data *dataset) (*rest.Server, error) {
	store, err := objects.Open(cfg.Archive)
	if err != nil {
		return nil, fmt.Errorf("council API: %w", err)
	}
	file, err := cfg.readFile(deps.Environ)
	if err != nil {
		return nil, fmt.Errorf("council API: %w", err)
	}
	p := &pages.Pages{Town: cmp.Or(cfg.Town, conf.DefaultTown), Mail: cfg.Mail, Public: cfg.Public,
		AccessLog: cfg.AccessLog, Root: strings.TrimSuffix(cfg.PublicURL, "/")}
	p.Zone, p.Locale, err = cfg.Place()
	if err != nil {
		return nil, err
	}
	p.Color, p.Logo = cfg.Color, cfg.Logo
	if file.Embed.Ancestors != nil && deps.Environ["COUNCIL_EMBED"] == "" {
		p.Frames.Frames = file.Embed.Ancestors
	} else if cfg.Embed != "none" {
		p.Frames.Frames, err = conf.Ancestors(cfg.Embed)
		if err != nil {
			return nil, fmt.Errorf("COUNCIL_EMBED: %w", err)
		}
	}
	place := files.Place{Zone: p.Zone}
	if cfg.Town != conf.DefaultTown {
		place.Town = cfg.Town
	}
	host := &wellknown.Host{Public: cfg.Public, Root: p.Root, Disallow: []string{basePath + "/", "/embed/", "/*cursor="}}
	people := &rest.Site{}
	if cfg.Pages != "off" {
		place.Pages, host.Sitemap = p.Root, pages.Sitemap
		people, err = p.Open()
		if err != nil {
			return nil, fmt.Errorf("council API: %w", err)
		}
	}
	known, err := host.Endpoints()
	if err != nil {
		return nil, fmt.Errorf("council API: %w", err)
	}
	people.Pages = slices.Concat(people.Pages, known,
		files.CatalogEndpoints(files.Catalog{Host: host, Town: p.Town, Assistants: cfg.MCP == "on"}))
	srv, err := rest.New(rest.Config{
		Name: "council", Dialect: wire.Dialect(), Base: basePath, PublicURL: cfg.base(),
		Title: "Council votes", Version: "1.0.0", License: "MIT", Description: description, Examples: examples,
		DB: deps.DB, Dataset: data.source(), CacheBytes: cfg.CacheBytes, Revision: p.Revision() + cfg.MCP, Site: people,
		Log: deps.Log, AccessLog: cfg.AccessLog, Metrics: deps.Metrics, Linger: cfg.Linger, Traces: deps.Traces,
	}, endpoints(store, place))
	if err != nil {
		return nil, fmt.Errorf("council API: %w", err)
	}
	if cfg.MCP == "on" {
		if err := mcp.Add(srv, assistants(srv, p.Root)); err != nil {
			return nil, fmt.Errorf("council API: %w", err)
		}
	}
	return srv, nil
}

// readFile completes the settings by council.yaml, if there is one. Variables that are set come before
// its keys.
func (c *Config) readFile(env conf.Environ) (file conf.CouncilFile, err error) {
	if c.File == "" {
		return file, nil
	}
	if err := conf.ReadPart(c.File, env, &file); err != nil {
		return file, err
	}
	for _, s := range []struct {
		variable, key string
		setting       *string
	}{
		{"COUNCIL_TOWN", file.Site.Name, &c.Town},
		{"COUNCIL_COLOR", file.Site.Color, &c.Color},
		{"COUNCIL_LOGO", file.Site.Logo, &c.Logo},
		{"COUNCIL_MAIL", file.Contact.Reports, &c.Mail},
		{"CONTACT_MAIL", file.Contact.Mail, &c.Contact},
		{"CONTACT_PHONE", file.Contact.Phone, &c.Phone},
		{"COUNCIL_TIME_ZONE", file.TimeZone, &c.TimeZone},
		{"COUNCIL_LOCALE", file.Locale, &c.Locale},
	} {
		if s.key != "" && env[s.variable] == "" {
			*s.setting = s.key
		}
	}
	return file, nil
}

// examples are answers of the demo town, written by make golden.
//
//go:embed examples.json
var examples []byte

const description = `Every recorded vote of one city council: read from the approved minutes that the city clerk publishes, with a link to the page, or, until there are minutes, as the portal records it.

Fixed rules read the votes, never a model. A machine makes the topics and summaries of agenda items; they may be wrong, and each names the model or rules that made it. If the minutes contradict themselves, the vote shows what is printed and /anomalies says what is wrong. /changes lists corrections after publication, with the reason.

Lists begin with the newest meeting and follow the order of the document within a meeting. Follow next_cursor, or the Link header, until it is null: no entry is lost or repeated, even while the dataset changes. The data is in the public domain; /export/ has all of it as files.

Local dates are those of the council's time zone; timestamps are UTC. Every answer carries an ETag; send it in If-None-Match, and an unchanged dataset is answered without a body.

No key is needed, and this API does not limit requests. A proxy of the operator may: then the answer is 429, and Retry-After says in how many seconds to ask again. To get everything, download a file of /export/ instead of all pages of a list.`
