package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/townline/demo"
)

// services are the five services with their database roles.
var services = []struct{ name, role string }{
	{"council-ingest", "council_ingest"}, {"council-api", "council_api"},
	{"gtfs-import", "gtfs_import"}, {"rt-poller", "rt_poller"}, {"transit-api", "transit_api"},
}

// Intervals of the demo's sources. They are shorter than in the demo itself, so that a duplicate
// poll is visible.
const (
	staleAfter  = 2 * time.Second
	minInterval = time.Second
)

// A deployment has everything that an operator would run.
type deployment struct {
	p     *proof
	db    *database
	nats  []*node
	towns [2]*upstream // the town, and the same town with the feed of another month
	bus   *events.Bus
	files map[string]string // files for TRANSIT_CONFIG and COUNCIL_CONFIG
	pools []*pool
	apis  func(ctx context.Context, h half) ([]*target, error) // returns each replica of a half

	all       []*process // replicas, in the order of services
	balancers []*balancer
}

// deploy starts the servers and the upstreams, without services and schema.
func (p *proof) deploy(ctx context.Context) (*deployment, error) {
	d := &deployment{p: p}
	d.apis = func(_ context.Context, h half) (all []*target, err error) {
		for _, r := range d.of(h.name + "-api") {
			all = append(all, &r.target)
		}
		return all, nil
	}
	var err error
	d.db, err = p.startDatabase(ctx, "postgres", false)
	if err != nil {
		return nil, err
	}
	d.nats, err = p.startNATS(ctx)
	if err != nil {
		return nil, err
	}
	// The town's feed depends on the month, so a clock that is 45 days ahead gives another feed.
	for i, off := range []time.Duration{0, 45 * 24 * time.Hour} {
		d.towns[i], err = p.startTown(ctx, "127.0.0.1:0", off)
		if err != nil {
			return nil, err
		}
	}
	if err := d.configure(); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(p.folder, "bus.log"))
	if err != nil {
		return nil, err
	}
	p.closes = append(p.closes, func() { _ = log.Close() })
	d.bus, err = events.Open(events.Options{URL: d.natsURL(), Replicas: nodes, Name: "prove"},
		run.Logger(log, "info", "text"))
	if err != nil {
		return nil, err
	}
	p.closes = append(p.closes, d.bus.Close)
	return d, d.roles(ctx, d.db)
}

func (d *deployment) natsURL() string {
	var urls []string
	for _, n := range d.nats {
		urls = append(urls, n.url)
	}
	return strings.Join(urls, ",")
}

// configure writes transit.yaml and council.yaml of the first town, behind its proxy.
func (d *deployment) configure() error {
	u := d.towns[0]
	behind := strings.NewReplacer(u.town.URL, u.url, "  every: 6h\n", "", "stale_after: 15s",
		"stale_after: "+staleAfter.String(), "min_interval: 5s", "min_interval: "+minInterval.String()+", timeout: 2s")
	d.files = map[string]string{}
	for name, text := range map[string]string{
		"transit": u.town.Transit +
			"access: {roles: {anonymous: [discovery, static, realtime, display], kiosk: [display]}}\n",
		"council": u.town.Council,
	} {
		path := filepath.Join(d.p.folder, name+".yaml")
		d.files[strings.ToUpper(name)+"_CONFIG"] = path
		if err := os.WriteFile(path, []byte(behind.Replace(text)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// roles creates the database roles, which a database administrator does once.
func (d *deployment) roles(ctx context.Context, db *database) error {
	for _, s := range services {
		if err := db.exec(ctx, "CREATE ROLE "+s.role+" LOGIN"); err != nil {
			return err
		}
	}
	return nil
}

// migrate migrates the schema to the version of the binaries in bin, and grants the rights of the
// roles.
func (d *deployment) migrate(ctx context.Context, bin string) error {
	args := []string{"migrate", "--reader", "council_api", "--reader", "transit_api"}
	for _, program := range []string{"council-ingest", "gtfs-import", "rt-poller"} {
		args = append(args, "--writer", program+"="+strings.ReplaceAll(program, "-", "_"))
	}
	_, err := d.townline(ctx, bin, d.db, args...)
	return err
}

// townline runs the operator's command, without NATS.
func (d *deployment) townline(ctx context.Context, bin string, db *database, args ...string) (string, error) {
	env := []string{"DATABASE_URL=" + db.url, "TOWNLINE_DATA=" + filepath.Join(d.p.folder, "data"),
		"TOWNLINE_ALLOW_PRIVATE=true"}
	for name, file := range d.files {
		env = append(env, name+"="+file)
	}
	return command(ctx, env, filepath.Join(bin, "townline"), args...)
}

func (d *deployment) replica(bin string, service, role string, n int, db *database) (*process, error) {
	env := map[string]string{
		"DATABASE_URL": db.as(role), "NATS_URL": d.natsURL(), "NATS_REPLICAS": fmt.Sprint(nodes),
		"TOWNLINE_ALLOW_PRIVATE": "true",
		// The cache is tiny, so that most reads use the database.
		"COUNCIL_CACHE_BYTES": "200000", "TRANSIT_CACHE_BYTES": "200000",
	}
	for _, h := range halves {
		env[strings.ToUpper(h.name)+"_PUBLIC_URL"] = h.public
	}
	for name, file := range d.files {
		env[name] = file
	}
	return d.p.newProcess(bin, service, n, env)
}

// startReplicas starts processes of each service, with the numbers from and to.
func (d *deployment) startReplicas(bin string, from, to int) error {
	for _, s := range services {
		for n := from; n <= to; n++ {
			r, err := d.replica(bin, s.name, s.role, n, d.db)
			if err != nil {
				return err
			}
			d.all = append(d.all, r)
			if err := r.start(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *deployment) balance(ctx context.Context) {
	for _, h := range halves {
		b := &balancer{name: h.name}
		for _, r := range d.of(h.name + "-api") {
			b.add(ctx, r)
		}
		d.balancers = append(d.balancers, b)
		d.pools = append(d.pools, &pool{h, b.pick})
	}
}

func (d *deployment) of(service string) []*process {
	var some []*process
	for _, r := range d.all {
		if r.service() == service {
			some = append(some, r)
		}
	}
	return some
}

func (d *deployment) awaitAll(ctx context.Context) error {
	for _, r := range d.all {
		if err := r.awaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *deployment) state(ctx context.Context) (council, transit int64, err error) {
	err = d.db.query(ctx,
		`SELECT (SELECT generation FROM council.dataset), coalesce((SELECT generation FROM transit.feed WHERE alias = '`+
			demo.Alias+`'), 0)`, &council, &transit)
	return council, transit, err
}

// filled waits until the first ingest and the first import are done.
func (d *deployment) filled(ctx context.Context) error {
	return until(ctx, 60*time.Second, "first ingest and first import", func(ctx context.Context) (bool, error) {
		var done bool
		err := d.db.query(ctx, `
			SELECT (SELECT checked_at IS NOT NULL FROM council.dataset)
			       AND EXISTS (SELECT FROM transit.feed WHERE version_id IS NOT NULL)`, &done)
		return done, err
	})
}

// serving waits until every replica of the transit API serves the feed with a hash.
func (d *deployment) serving(ctx context.Context, sha256 string) error {
	replicas, err := d.apis(ctx, halves[1])
	if err != nil {
		return err
	}
	for _, r := range replicas {
		err := until(ctx, 30*time.Second, r.name+" serving the import", func(ctx context.Context) (bool, error) {
			c := &crawler{half: halves[1], target: r}
			got, err := c.get(ctx, halves[1].base+"/feeds/"+demo.Alias)
			return err == nil && strings.Contains(string(got.body), sha256), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
