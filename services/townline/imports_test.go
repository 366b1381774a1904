package townline_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/demo/agency"
)

// demoFeed writes the demo's feed to a file.
func demoFeed(t testing.TB) string {
	t.Helper()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	a, err := agency.New(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := a.Zip(now)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "demo.zip", string(text))
}

// marked writes a copy of a feed with every eighth of its trips, in which names of stops and
// directions begin with a mark.
func marked(t *testing.T, file, mark string) string {
	t.Helper()
	in, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range in.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readCSV(text)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write(writeCSV(t, markColumn(f.Name, fewerTrips(rows), mark))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "feed.zip", out.String())
}

// fewerTrips keeps every eighth trip of a file, always the same trips, and all rows that do not
// refer to a trip.
func fewerTrips(rows [][]string) [][]string {
	at := slices.Index(rows[0], "trip_id")
	return slices.DeleteFunc(rows, func(row []string) bool {
		return at >= 0 && row[at] != "trip_id" && crc32.ChecksumIEEE([]byte(row[at]))%8 != 0
	})
}

func markColumn(file string, rows [][]string, mark string) [][]string {
	name, ok := map[string]string{"stops.txt": "stop_name", "trips.txt": "trip_headsign", "routes.txt": "route_long_name",
		"agency.txt": "agency_name"}[file]
	if !ok {
		return rows
	}
	column := slices.Index(rows[0], name)
	for _, row := range rows[1:] {
		row[column] = mark + row[column]
	}
	return rows
}

func importFile(ctx context.Context, d run.Deps, file string) error {
	_, err := gtfsimport.Import(ctx, d, gtfsimport.Request{Alias: "demo", Source: file})
	return err
}

// During a series of imports, each answer is about one feed, and no request fails.
func TestReadersDuringImports(t *testing.T) {
	t.Parallel()
	// This is twice the number of cores of a small machine. More readers would slow the imports
	// without more reads or builds.
	const readers = 4
	imports := 2
	if everything() {
		imports = 20
	}
	file := demoFeed(t)
	versions := []string{marked(t, file, "#A#"), marked(t, file, "#B#")}
	url := pgtest.URL(t)
	d := deps(open(t, url, pg.Options{}))
	if err := importFile(t.Context(), d, versions[1]); err != nil {
		t.Fatal(err)
	}
	base := serve(t, url, 1<<20)
	all := crawl(t, base, "demo")
	hrefs := make([]string, 0, len(all))
	for href, body := range all {
		if bytes.Contains(body, []byte("#B#")) {
			hrefs = append(hrefs, href)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int64
	seen := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)} // signals an answer of A, and of B
	var g sync.WaitGroup
	for n := range readers {
		g.Go(func() {
			w := &walker{}
			for i := n * 31; ctx.Err() == nil; i++ {
				href := hrefs[i%len(hrefs)]
				body, err := w.fetch(context.WithoutCancel(ctx), href)
				isA, isB := bytes.Contains(body, []byte("#A#")), bytes.Contains(body, []byte("#B#"))
				if err != nil || isA == isB {
					t.Errorf("%s: %v, from A %t, from B %t: %.200s", href, err, isA, isB, body)
					cancel()
				}
				asked.Add(1)
				which := seen[0]
				if isB {
					which = seen[1]
				}
				select {
				case which <- struct{}{}:
				default: // reported already
				}
			}
		})
	}
	for n := range imports {
		if err := importFile(t.Context(), d, versions[n%2]); err != nil {
			t.Error(err)
			break
		}
		// Readers must see every import: the next import waits until an answer from this one.
		select {
		case <-seen[n%2]: // a signal from before the last import
		default:
		}
		select {
		case <-seen[n%2]:
		case <-ctx.Done():
		}
	}
	cancel()
	g.Wait()
	t.Logf("%d answers during %d imports", asked.Load(), imports)
}

// A feed that is imported again gives the same bytes.
func TestSameFeedSameBytes(t *testing.T) {
	t.Parallel()
	file, other := marked(t, demoFeed(t), "#A#"), marked(t, demoFeed(t), "#B#")
	url := pgtest.URL(t)
	d := deps(open(t, url, pg.Options{}))
	if err := importFile(t.Context(), d, file); err != nil {
		t.Fatal(err)
	}
	base := serve(t, url, 1<<20)
	before := crawl(t, base, "demo")
	for _, f := range []string{other, file} {
		if err := importFile(t.Context(), d, f); err != nil {
			t.Fatal(err)
		}
		awaitMark(t, base, f == other)
	}
	after := crawl(t, base, "demo")
	if len(before) < 300 || len(before) != len(after) {
		t.Fatalf("%d answers at first, %d in the end", len(before), len(after))
	}
	for href, body := range before {
		if !bytes.Equal(body, after[href]) && !strings.HasSuffix(href, "/report") { // the report has the time of the import
			t.Errorf("%s: %.300s, was %.300s", href, after[href], body)
		}
	}
}

// awaitMark waits until the API serves the last import.
func awaitMark(t *testing.T, base string, want bool) {
	t.Helper()
	eventually(t, func() error {
		if _, body := request(t, base+"/feeds/demo/agencies"); bytes.Contains(body, []byte("#B#")) != want {
			return errors.New("the API does not serve the import")
		}
		return nil
	})
}

// crawl requests everything that is reachable by links and returns the bodies by address.
func crawl(t *testing.T, base, alias string) map[string][]byte {
	t.Helper()
	w := &walker{}
	bodies := map[string][]byte{}
	queue := []string{base + "/feeds/" + alias}
	for len(queue) > 0 {
		href := queue[0]
		queue = queue[1:]
		if _, met := bodies[href]; met || !strings.HasPrefix(href, base+"/feeds/"+alias) {
			continue
		}
		body, err := w.fetch(t.Context(), href)
		if err != nil {
			t.Fatal(err)
		}
		bodies[href] = body
		for _, part := range strings.Split(string(body), `"`+base)[1:] {
			rest, _, _ := strings.Cut(part, `"`)
			queue = append(queue, base+rest)
		}
	}
	if len(bodies) == 0 {
		t.Fatal(fmt.Errorf("no links at %s", base))
	}
	return bodies
}
