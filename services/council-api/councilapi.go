// Package councilapi serves what a town's council voted, to the public: meetings,
// agenda items, votes, members, contradictions, and the documents they come from.
//
// It is a table of endpoints and one file per resource: the
// parameters, the SQL and the row that is also the JSON. Everything else that HTTP
// asks for is pkg/rest. generation.go knows which state of the dataset an
// answer is made of.
//
// It only reads, only the Postgres schema council, and never calls council-ingest,
// which writes it. The contract of every path and field is the votes API
// document; what it leaves open is decided in the comments beside the SQL.
package councilapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/council-api/internal/dump"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// Config is the settings of the service.
type Config struct {
	// Addr is the address to listen on; port 0 takes any free one.
	Addr string `env:"COUNCIL_ADDR" envDefault:"127.0.0.1:8080" doc:"Address of the council API."`
	// PublicURL is scheme and host as clients see them, without the API's path;
	// empty means http and the bound address.
	PublicURL string `env:"COUNCIL_PUBLIC_URL" doc:"How the public reaches the council API: https://host, without /v1. Default: its address."`
	// CacheBytes is the budget of encoded answers kept in memory.
	CacheBytes int64 `env:"COUNCIL_CACHE_BYTES" envDefault:"134217728" doc:"Budget of kept answers in bytes."`
	// Linger is how long a stopping API goes on answering.
	Linger time.Duration `env:"DRAIN_DELAY" envDefault:"5s" doc:"How long a stopping API still answers after it reports not ready, so that load balancers stop sending requests first."`
	// ExportDir is where the files of the export are; empty means the system's temporary directory, else /dev/shm.
	ExportDir string `env:"COUNCIL_EXPORT_DIR" doc:"Where the files of /export are written. Default: the temporary directory."`
	// ExportBytes bounds the files of one export. While it is replaced there are two, and more while clients read older ones.
	ExportBytes int64 `env:"COUNCIL_EXPORT_BYTES" envDefault:"167772160" doc:"Largest export of the dataset in bytes; a larger one is not made."`
	// AccessLog is errors, all or off.
	AccessLog string `env:"COUNCIL_ACCESS_LOG" envDefault:"errors" doc:"Which requests are logged: errors, all or off."`

	// Archive is where documents are that Postgres has not.
	Archive objects.Config
}

// Program is the service for those who run it.
func Program() run.Service {
	return run.Typed[Config]{
		Name: "council-api", Part: schema.Council, Run: Run,
		Pool: pg.Options{ReadOnly: true, CustomPlans: true, StatementTimeout: 15 * time.Second}, Check: "dataset",
		Address: func(cfg Config) string { return cfg.Addr },
	}.Service()
}

// base is the API's address as clients see it.
func (c *Config) base() string { return strings.TrimSuffix(c.PublicURL, "/") + basePath }

// export is what the settings say of the export.
func (c *Config) export() dump.Options {
	opts := dump.Options{MaxBytes: c.ExportBytes, Base: c.base()}
	if c.ExportDir != "" {
		opts.Dirs = []string{c.ExportDir}
	}
	return opts
}

// basePath is where the API begins; its version is in it.
const basePath = "/v1"

// Run serves the API until ctx ends. While Postgres is away it answers what it
// has kept, and 503 to the rest.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	if cfg.PublicURL == "" {
		cfg.PublicURL = "http://" + deps.Listener.Addr().String()
	}
	data := newDataset(deps)
	exports := newExporter(deps, cfg.export())
	srv, err := open(cfg, deps, data, exports)
	if err != nil {
		return err
	}
	deps.Ready.Require("dataset", data.check)
	g := run.NewGroup(ctx)
	g.Go("dataset", data.run)
	g.Go("export", exports.run)
	g.Go("http", func(ctx context.Context) error { return srv.Serve(ctx, deps.Listener) })
	return g.Wait()
}

// open makes the server; nothing runs yet.
func open(cfg Config, deps run.Deps, data *dataset, exports *exporter) (*rest.Server, error) {
	accessLog, err := rest.ParseAccessLog(cfg.AccessLog)
	if err != nil {
		return nil, fmt.Errorf("COUNCIL_ACCESS_LOG: %w", err)
	}
	store, err := objects.Open(cfg.Archive)
	if err != nil {
		return nil, fmt.Errorf("council API: %w", err)
	}
	srv, err := rest.New(rest.Config{
		Name: "council", Dialect: wire.Dialect(), Base: basePath, PublicURL: cfg.base(),
		Title: "Council votes", Version: "1.0.0", License: "MIT", Description: description,
		DB: deps.DB, Source: data.source(), CacheBytes: cfg.CacheBytes, Revision: run.Version,
		Log: deps.Log, AccessLog: accessLog, Metrics: deps.Metrics, Linger: cfg.Linger, Traces: deps.Traces,
	}, endpoints(store, exports))
	if err != nil {
		return nil, fmt.Errorf("council API: %w", err)
	}
	return srv, nil
}

const description = `Every recorded vote of one city council, read from the approved minutes that the city clerk publishes, with a link to the page that says so.

Votes are read by fixed rules and never by a model. Topics and summaries of agenda items are made by a machine and may be wrong; each names what made it. Where the minutes contradict themselves, the vote says what is printed and /anomalies says what is wrong with it. Corrections after publication are in /changes, with the reason.

Lists come newest meeting first and in document order within a meeting. Follow next_cursor, or the Link header, until it is null: no entry is lost or repeated, even while the dataset changes. The data is in the public domain; /export/ has all of it as files.

Local dates are those of the council's time zone; timestamps are UTC. Every answer carries an ETag; send it in If-None-Match, and an unchanged dataset is answered without a body.`

// endpoints is the whole API in the order of its documentation. Archived
// documents that are not in the database come from store, exports from e.
func endpoints(store *objects.Store, e *exporter) rest.Table {
	return slices.Concat(meetingEndpoints(), minutesEndpoints(store), itemEndpoints(), voteEndpoints(), proofEndpoints(), memberEndpoints(), sharedVoteEndpoints(),
		anomalyEndpoints(), changeEndpoints(), topicEndpoints(), statsEndpoints(), feedEndpoints(), calendarEndpoints(), exportEndpoints(e))
}
