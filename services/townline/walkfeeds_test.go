package townline_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
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

// The demo's feed holds every hard case on purpose; it is always walked.
func TestWalkDemo(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	walkFile(t, deps(open(t, url, pg.Options{})), serve(t, url, 1<<20), demoFeed(t))
}

// largeWalk is the size of a zip whose walk takes half an hour.
const largeWalk = 8 << 20

// Real and damaged feeds, side by side in one deployment: a few small ones; with
// TOWNLINE_EVERYTHING=1 every one up to largeWalk; or the one that TOWNLINE_WALK names.
// TestRealFeeds of gtfs-import holds the import of every one.
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

// aliasOf is the alias that a feed is walked under: its file's name.
func aliasOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".zip") }

// walkFile imports a zip, and follows every link that the API at base gives for it.
func walkFile(t *testing.T, importer run.Deps, base, file string) {
	t.Helper()
	alias := aliasOf(file)
	report, err := gtfsimport.Import(t.Context(), importer, gtfsimport.Request{Alias: alias, Source: file})
	if errors.Is(err, gtfsimport.ErrRefused) && mayBeRefused(file) {
		t.Logf("refused, as it may be: %s", report.Reason)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	awaitFeed(t, base, alias)
	walk(t, base, readModel(t, alias, file))
	checkExport(t, base, alias, file)
}

// mayBeRefused reports whether there may be nothing in a file to walk: in one that was damaged, and
// of those made here in these four only.
func mayBeRefused(file string) bool {
	crafted := strings.HasPrefix(aliasOf(file), "crafted-")
	hopeless := []string{"crafted-crc-error", "crafted-empty-archive", "crafted-truncated",
		"crafted-zip-of-txt-only-stops"}
	return filepath.Base(filepath.Dir(file)) == "malformed" && (!crafted || slices.Contains(hopeless, aliasOf(file)))
}

// awaitFeed waits until the API has seen the first import of a feed.
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

// serve runs the transit API until the test ends, with that many bytes for kept answers (0: as many
// as usual), and returns its base.
func serve(t testing.TB, url string, cache int64) string {
	t.Helper()
	file := transitConfig(t, "access: {roles: {anonymous: [discovery, static]}}\n")
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := deps(open(t, url, pg.Options{ReadOnly: true, Plans: pg.GenericPlans}))
	d.Listener = ln
	d.Ready.Require("feeds", func(context.Context) error { return errors.New("the API is starting") }) // replaced by Run
	runUntilEnd(t, func(ctx context.Context) error {
		cfg := transitapi.Config{File: file, AccessLog: "off", CacheBytes: cache}
		return transitapi.Run(ctx, cfg, d)
	})
	base := "http://" + ln.Addr().String() + "/gtfs/api/v2"
	eventually(t, func() error {
		if _, ok := d.Ready.Ready(t.Context()); !ok {
			return errors.New("the API does not get ready")
		}
		return nil
	})
	return base
}
