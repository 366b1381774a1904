package townline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	operators "github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/townline"
)

// The map is that of the stops of the live feeds. What cannot be cut is an error that says what to do.
func TestMapCommand(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := open(t, url, pg.Options{})
	if box, err := operators.StopBox(t.Context(), db, ""); box != nil || err != nil {
		t.Errorf("without a feed: %v, %v", box, err)
	}
	if err := importFile(t.Context(), deps(db), demoFeed(t)); err != nil {
		t.Fatal(err)
	}
	box, err := operators.StopBox(t.Context(), db, "demo")
	if err != nil || box == nil || box.West >= box.East || box.South >= box.North || box.North-box.South > 2 {
		t.Errorf("the box of the stops: %+v, %v", box, err)
	}
	for args, says := range map[string]string{
		"--from town.osm.pbf --box=1,1,2,2":  "Planetiler or tilemaker",
		"--from none.pmtiles --box=2,1,1,2":  "is not W,S,E,N",
		"--from none.pmtiles --box=1,1,2,2":  "no such file",
		"--from none.pmtiles --max-zoom=99":  "is not from 0 to 20",
		"--from none.pmtiles --feed=nowhere": "no feed with stops is live",
	} {
		var out bytes.Buffer
		all := append([]string{"map", t.TempDir() + "/town.pmtiles", "--database-url", url}, strings.Fields(args)...)
		if status := townline.Main(t.Context(), all, conf.Environ{}, &out, &out); status != 1 ||
			!strings.Contains(out.String(), says) {
			t.Errorf("%s: status %d, %s", args, status, &out)
		}
	}
}
