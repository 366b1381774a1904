package townline_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	transitapi "github.com/townline/townline/services/transit-api"
)

// The demo's feed has every difficult case, so it is always tested.
func TestWalkDemo(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	count := walkFile(t, deps(open(t, url, pg.Options{})), serve(t, url, 1<<20), demoFeed(t))
	for name := range checks {
		if count[name] == 0 && name != "feeds/*/locations" && name != "feeds/*/files/*" { // the demo has no such files
			t.Errorf("the walk did not reach %s, which has a check", name)
		}
	}
}

// largeWalk is the size of a zip whose walk takes half an hour.
const largeWalk = 8 << 20

// The test walks real and damaged feeds in one deployment: a few small feeds, or with
// TOWNLINE_EVERYTHING=1 all up to largeWalk; TOWNLINE_WALK selects one. TestRealFeeds of
// gtfs-import tests the import of each.
func TestWalkFeeds(t *testing.T) {
	t.Parallel()
	only := os.Getenv("TOWNLINE_WALK")
	var files []string
	err := filepath.WalkDir(sample.Folder(t, "gtfs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".zip") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		quick := slices.Contains([]string{"ggl-features", "crafted-crlf-bom-quotes", "crafted-times-odd",
			"crafted-truncated"}, aliasOf(path))
		if only == aliasOf(path) || only == "" && (everything() && info.Size() <= largeWalk || quick) {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no feeds to walk in the shared folder")
	}
	url := pgtest.URL(t)
	importer := deps(open(t, url, pg.Options{}))
	base := serve(t, url, 1<<20)
	for _, file := range files {
		t.Run(aliasOf(file), func(t *testing.T) { walkFile(t, importer, base, file) })
	}
}

// aliasOf returns the alias of a feed in this test: its file name without .zip.
func aliasOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".zip") }

// walkFile imports a zip, and follows every link that the API at base has for it.
func walkFile(t *testing.T, importer run.Deps, base, file string) (count map[string]int) {
	t.Helper()
	alias := aliasOf(file)
	report, err := gtfsimport.Import(t.Context(), importer, gtfsimport.Request{Alias: alias, Source: file})
	if errors.Is(err, gtfsimport.ErrRefused) && mayBeRefused(file) {
		t.Logf("the feed was refused, which is allowed: %s", report.Reason)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	awaitFeed(t, base, alias)
	count = walk(t, base, readModel(t, alias, file))
	checkExport(t, base, alias, file)
	return count
}

// mayBeRefused reports whether an import may refuse a file: damaged files, and only four of the
// crafted files.
func mayBeRefused(file string) bool {
	crafted := strings.HasPrefix(aliasOf(file), "crafted-")
	hopeless := []string{"crafted-crc-error", "crafted-empty-archive", "crafted-truncated",
		"crafted-zip-of-txt-only-stops"}
	return filepath.Base(filepath.Dir(file)) == "malformed" && (!crafted || slices.Contains(hopeless, aliasOf(file)))
}

// awaitFeed waits until the API has loaded the first import of a feed.
func awaitFeed(t *testing.T, base, alias string) {
	t.Helper()
	eventually(t, func() error { return answers(base + "/feeds/" + alias) })
}

func open(t testing.TB, url string, o pg.Options) *pgxpool.Pool {
	t.Helper()
	db, err := pg.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func deps(db *pgxpool.Pool) run.Deps {
	return run.Deps{DB: db, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Ready: &run.Health{}}
}

// serve runs the transit API until the test ends, and returns its base address. cache is the size
// of its cache in bytes; 0 means the default.
func serve(t testing.TB, url string, cache int64) string {
	t.Helper()
	file := transitConfig(t, "access: {roles: {anonymous: [discovery, static]}}\n")
	return serveTransit(t, url, transitapi.Config{File: file, CacheBytes: cache})
}
