package townline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wait"
	"github.com/townline/townline/services/townline/demo"
	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/internal/session"
)

// A demoTown is the demo of `up`: the town's server, and the configuration files in the data folder
// with which the services read it.
type demoTown struct {
	town   *demo.Town
	folder string
	// env has the paths of the configuration files, for the services.
	env           map[string]string
	council, feed bool
}

// openDemo starts the demo for the halves that have no configuration. If one half has a
// configuration, openDemo starts the demo of the other half only with --demo.
func (c *upCmd) openDemo(s *session.Session, g *run.Group, out *lines, parts []schema.Part) (*demoTown, error) {
	wanted := c.Demo || !c.NoDemo && s.Set.CouncilConfig == "" && s.Set.TransitConfig == ""
	d := &demoTown{
		folder:  s.Set.DemoFolder(),
		council: wanted && s.Set.CouncilConfig == "" && slices.Contains(parts, schema.Council),
		feed:    wanted && s.Set.TransitConfig == "" && slices.Contains(parts, schema.Transit),
	}
	// The files of a killed `up` would mislead the sub-commands.
	if err := os.RemoveAll(d.folder); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	d.env = map[string]string{}
	if !d.feed && s.Set.TransitConfig == "" && slices.Contains(parts, schema.Transit) {
		// Without access.roles every request is refused. A demo on one machine grants everything;
		// operators of a deployment grant permissions themselves.
		path, err := d.write("access.yaml", openAccess)
		if err != nil {
			return nil, err
		}
		d.env["TRANSIT_CONFIG"] = path
		out.ready("access", "there is no TRANSIT_CONFIG: the transit API is open to everyone")
	}
	if !d.council && !d.feed {
		return d, nil
	}
	var err error
	d.town, err = demo.Start(g.Context(), demo.Options{Addr: c.DemoAddr})
	var taken *net.OpError
	if errors.As(err, &taken) {
		d.town, err = demo.Start(g.Context(), demo.Options{})
	}
	if err != nil {
		return nil, err
	}
	g.Go("demo town", func(context.Context) error { return d.town.Wait() })
	// The demo is on loopback, so fetches must be allowed to connect to it.
	d.env["TOWNLINE_ALLOW_PRIVATE"] = "true"
	if d.council {
		d.env["COUNCIL_CONFIG"], err = d.write("council.yaml", d.town.Council+"bodies: [{name: "+town.Planning+"}]\n")
		if err != nil {
			return nil, err
		}
		d.env["COUNCIL_TOWN"] = cmp.Or(s.Env["COUNCIL_TOWN"], town.City)
	}
	if d.feed {
		d.env["ONEBUSAWAY"] = cmp.Or(s.Env["ONEBUSAWAY"], "on")
		d.env["TRANSIT_CONFIG"], err = d.write("transit.yaml", d.town.Transit+openAccess+
			"embed: {ancestors: [\"*\"]}\nscreens: [{name: hall, stops: [alderbay:FT, alderbay:1001]}]\n")
		if err != nil {
			return nil, err
		}
	}
	out.ready("demo town", d.town.URL+"/Calendar.aspx")
	return d, nil
}

// Close removes the demo's configuration files.
func (d *demoTown) Close() { _ = os.RemoveAll(d.folder) }

func (d *demoTown) write(name, text string) (string, error) {
	path := filepath.Join(d.folder, name)
	err := os.MkdirAll(d.folder, 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte("# Written by townline up for the demo; removed when it stops.\n"+text), 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("demo: write %s: %w", path, err)
	}
	return path, nil
}

// openAccess grants everything to anonymous.
const openAccess = "access: {roles: {anonymous: [discovery, static, realtime, display]}}\n"

// tour prints the addresses of the demo to open first.
func (d *demoTown) tour(out *lines, pages bool) {
	if d.town == nil {
		return
	}
	transit, council := out.host(schema.Transit), out.host(schema.Council)
	feed := demo.Alias
	out.say("\nopen first", "")
	for _, a := range []struct {
		on            bool
		what, address string
	}{
		{d.feed && pages, "start page", transit + "/"},
		{d.feed && pages, "stop, on a phone", transit + "/f/" + feed + "/stops/FT"},
		{d.feed && pages, "board, on a screen", transit + "/screens/hall"},
		{d.feed && pages, "the same, for e-ink", transit + "/screens/hall.png"},
		{d.feed && pages && d.env["ONEBUSAWAY"] == "on", "in a rider's app", transit + "/f/" + feed + "/app"},
		{d.council && pages, "how the council voted", council + "/"},
		{d.council && pages, "who votes with whom", council + "/members/agreement"},
		{d.feed, "transit API, to try", transit + "/gtfs/api/v2/docs"},
		{d.council, "council API, to try", council + "/v1/docs"},
	} {
		if a.on {
			out.say("  "+a.what, a.address)
		}
	}
}

// report prints a line when the services serve the demo's data.
func (d *demoTown) report(ctx context.Context, in *session.Servers, out *lines) {
	if d.town == nil {
		return
	}
	pool, err := pg.Open(ctx, in.DatabaseURL, pg.Options{Name: "townline-demo", MaxConns: 1})
	if err != nil {
		return
	}
	defer pool.Close()
	type part struct {
		on          bool
		name, query string
	}
	for _, p := range []part{
		{d.feed, "demo feed", `
			SELECT name || ': ' || (v.counts->>'route') || ' routes, ' || (v.counts->>'stop') || ' stops, ' || (v.counts->>'trip') || ' trips'
			FROM transit.feed f JOIN transit.feed_version v USING (version_id)
			WHERE alias = '` + demo.Alias + `'`},
		{d.council, "demo council", `
			SELECT (SELECT count(*) FROM council.meeting) || ' meetings, ' || (SELECT count(*) FROM council.vote) || ' votes, '
			       || (SELECT count(*) FROM council.anomaly) || ' anomalies'
			FROM council.dataset WHERE last_ingest_at IS NOT NULL`},
	} {
		for p.on {
			var line string
			if pool.QueryRow(ctx, p.query).Scan(&line) == nil {
				out.ready(p.name, line)
				break
			}
			if !wait.For(ctx, 100*time.Millisecond) {
				return
			}
		}
	}
}
