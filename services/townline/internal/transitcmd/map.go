package transitcmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/townline/internal/mapfile"
	"github.com/townline/townline/services/townline/internal/session"
)

// Map is `townline map`.
type Map struct {
	File string `arg:"" help:"File to write, such as town.pmtiles."`
	From string `placeholder:"SOURCE" help:"PMTiles archive of streets, a file or an address. Default: the newest build of Protomaps, from OpenStreetMap."`
	Box  string `placeholder:"W,S,E,N" help:"West, south, east and north in degrees, such as -63.9,44.5,-63.2,44.9. Default: the stops of the feeds, with a margin."`
	Zoom int    `name:"max-zoom" default:"15" help:"Largest zoom. Default: 15."`
	Feed string `placeholder:"ALIAS" help:"Only the stops of this feed."`
}

// Help implements kong.HelpProvider.
func (*Map) Help() string {
	return `Cuts the streets around your stops out of an archive of the world, into one file for your own web server, so
that maps have streets and browsers contact no other host. It reads the parts that it needs, about 20 MB for a town.

  townline map town.pmtiles
  townline map town.pmtiles --from planet.pmtiles --box=-63.9,44.5,-63.2,44.9

An OpenStreetMap file (.osm.pbf) must first become tiles, with Planetiler or tilemaker; give the result to --from.
If you have a MapLibre style, no file is needed: display.map.style in transit.yaml takes its address.`
}

// builds is where Protomaps publishes a map of the world each day, for about a week.
const builds = "https://build.protomaps.com/"

const buildDays = 8

// Run implements the command.
func (c *Map) Run(s *session.Session) error {
	if strings.HasSuffix(c.From, ".pbf") || strings.HasSuffix(c.From, ".osm") {
		return fmt.Errorf("%s is an OpenStreetMap file: turn it into PMTiles with Planetiler or tilemaker, and give "+
			"that to --from", c.From)
	}
	if c.Zoom < 0 || c.Zoom > 20 {
		return fmt.Errorf("--max-zoom %d is not from 0 to 20", c.Zoom)
	}
	box, err := c.box(s)
	if err != nil {
		return err
	}
	from, size := c.From, int64(0)
	if from != "" {
		size, err = mapfile.Extract(s.Ctx, from, c.File, box, c.Zoom)
	}
	for day := 0; c.From == "" && day < buildDays; day++ {
		from = builds + time.Now().UTC().AddDate(0, 0, -day).Format("20060102") + ".pmtiles"
		size, err = mapfile.Extract(s.Ctx, from, c.File, box, c.Zoom)
		if !errors.Is(err, mapfile.ErrNotFound) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("make the map: %w", err)
	}
	fmt.Fprintf(s.Stdout, `%s: %.1f MB, from %s
Put it on a web server that answers range requests (nginx, Caddy, S3), then in transit.yaml:
  display: {map: {pmtiles: "https://files.example.org/%s", credit: "© OpenStreetMap"}}
`, c.File, float64(size)/1e6, from, filepath.Base(c.File))
	return nil
}

// margin is added to the stops on each side, in degrees: about five kilometres.
const margin = .05

func (c *Map) box(s *session.Session) (box mapfile.Box, err error) {
	if c.Box != "" {
		if n, err := fmt.Sscanf(c.Box, "%g,%g,%g,%g", &box.West, &box.South, &box.East, &box.North); n != 4 || err != nil ||
			!box.Valid() {
			return box, fmt.Errorf("--box %q is not W,S,E,N in degrees, such as -63.9,44.5,-63.2,44.9", c.Box)
		}
		return box, nil
	}
	err = s.With("map", func(deps run.Deps) error {
		stops, err := operator.StopBox(s.Ctx, deps.DB, c.Feed)
		if err == nil && stops == nil {
			err = errors.New("no feed with stops is live: import one, or give --box")
		}
		if err == nil {
			box = mapfile.Box{West: stops.West - margin, South: stops.South - margin, East: stops.East + margin,
				North: stops.North + margin}
		}
		return err
	}, schema.Transit)
	return box, err
}
