package gtfsimport_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/pkg/wait"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// slowFeeds answers only when the maximum number of concurrent requests has arrived.
type slowFeeds struct {
	path string
	full func(asking int) // called with the number of waiting requests
	mu   sync.Mutex
	left int
	now  []chan struct{}
}

func (s *slowFeeds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mine := make(chan struct{})
	s.mu.Lock()
	s.now = append(s.now, mine)
	if len(s.now) == min(8, s.left) {
		s.full(len(s.now))
		for _, other := range s.now {
			close(other)
		}
		s.left, s.now = s.left-len(s.now), nil
	}
	s.mu.Unlock()
	select {
	case <-mine:
		http.ServeFile(w, r, s.path)
	case <-r.Context().Done():
	}
}

// Nineteen feeds of slow servers are due at once, with two connections. Fetches use no connection,
// so eight run concurrently, ListWork lists the others, and the process stays ready.
func TestManySlowFeedsWithTwoConnections(t *testing.T) {
	t.Parallel()
	const feeds = 19
	url := pgtest.URL(t)
	db, err := pg.Open(t.Context(), url, pg.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	d := deps(t, db)
	run.StandardChecks(d, schema.Transit)
	var mu sync.Mutex
	var seen []string
	slow := &slowFeeds{path: small().pack(t), left: feeds, full: func(asking int) {
		report, ready := d.Ready.Ready(t.Context())
		if !ready {
			t.Errorf("not ready: %v", report.Checks)
		}
		work, err := gtfsimport.ListWork(t.Context(), d)
		if err != nil {
			t.Error(err)
		}
		states := map[string]int{}
		for _, w := range work {
			states[w.State]++
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%d asking, %d fetching", asking, states["fetching"]))
	}}
	server := httptest.NewServer(slow)
	defer server.Close()
	var yaml strings.Builder
	for n := range feeds {
		fmt.Fprintf(&yaml, "  - {alias: metro%d, url: %s/%d.zip, every: 1h}\n", n, server.URL, n)
	}
	stop := serve(t, d, yaml.String())
	await(t, db, `SELECT count(*) = $1 FROM transit.feed WHERE version_id IS NOT NULL`, feeds)
	stop()
	if want := []string{"8 asking, 8 fetching", "8 asking, 8 fetching", "3 asking, 3 fetching"}; !slices.Equal(seen,
		want) {
		t.Errorf("the servers got %v, want %v", seen, want)
	}
	if work, err := gtfsimport.ListWork(t.Context(), d); err != nil || len(work) != 0 {
		t.Errorf("remaining work: %v, %v; want none", work, err)
	}
}

// Of twelve feeds that are due at once, eight have a zip on disk, and two of these are imported. They
// do not become versions while a sweep drops partitions.
func TestBoundsOfAProcess(t *testing.T) {
	t.Parallel()
	const (
		feeds   = 12
		zips    = 8
		imports = 2
	)
	url := pgtest.URL(t)
	db, err := pg.Open(t.Context(), url, pg.Options{MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sweep, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sweep.Close(context.WithoutCancel(t.Context())) }()
	if err := pg.AwaitLock(t.Context(), sweep, stage.LockName); err != nil {
		t.Fatal(err)
	}
	path := small().pack(t)
	var fetched atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		http.ServeFile(w, r, path)
	}))
	defer server.Close()
	var yaml strings.Builder
	for n := range feeds {
		fmt.Fprintf(&yaml, "  - {alias: metro%d, url: %s/%d.zip, every: 1h}\n", n, server.URL, n)
	}
	stop := serve(t, deps(t, db), yaml.String())
	await(t, db, `SELECT count(*) = $1::int AND count(*) FILTER (WHERE state = 'importing') = $2::int
		  AND count(*) FILTER (WHERE state = 'waiting') = $1::int - $2::int FROM transit.feed_work`, feeds, imports)
	if n := fetched.Load(); n != zips {
		t.Errorf("%d zips on disk, want %d", n, zips)
	}
	if got := query(t, db, `SELECT count(*)::text FROM transit.feed_version`); !slices.Equal(got, []string{"0"}) {
		t.Errorf("%v versions during a sweep", got)
	}
	pg.Unlock(t.Context(), sweep, stage.LockName)
	await(t, db, `SELECT count(*) = $1 FROM transit.feed WHERE version_id IS NOT NULL`, feeds)
	stop()
}

// An import whose claim was lost does not replace a newer version.
func TestAnOvertakenImportFetchesAgain(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"fetching", "building"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			var served atomic.Value
			served.Store(small().pack(t))
			later := small().with("stops.txt", "Dock", "Pier").pack(t)
			var once sync.Once
			overtake := func(now string) {
				if now != when {
					return
				}
				once.Do(func() {
					// Simulate a claim that was not renewed in time.
					if _, err := db.Exec(t.Context(), `DELETE FROM transit.feed_work`); err != nil {
						t.Error(err)
					}
					if _, err := gtfsimport.Import(t.Context(), deps(t, db),
						gtfsimport.Request{Alias: "metro", Source: later}); err != nil {
						t.Error(err)
					}
					served.Store(later)
				})
			}
			var fetched atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fetched.Add(1)
				file := served.Load().(string)
				overtake("fetching")
				http.ServeFile(w, r, file)
			}))
			defer server.Close()
			r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: server.URL,
				AllowPrivate: true, Wait: true,
				Progress: func(file string, _, _ int64) {
					if file == "stop_times.txt" { // this file's reader does not use the connection
						overtake("building")
					}
				}})
			if err != nil || r.Outcome != gtfsimport.Unchanged || len(r.Files) > 0 || fetched.Load() != 2 {
				t.Fatalf("%+v, %v, fetched %d times; want no error after a second fetch", r, err, fetched.Load())
			}
			if err := gtfsimport.Sweep(t.Context(), deps(t, db), 0); err != nil {
				t.Error(err)
			}
			if got := query(t, db, `SELECT stop_name FROM transit.stop
				WHERE stop_id = 'D'`); !slices.Equal(got, []string{"Pier"}) {
				t.Errorf("stop D is %v, want only the name in the later edition", got)
			}
			if got := query(t, db, `SELECT DISTINCT state FROM transit.feed_version
				WHERE state <> 'dropped'`); !slices.Equal(got, []string{"live"}) {
				t.Errorf("versions are %v, want a live version and dropped versions", got)
			}
		})
	}
}

// An import that fails after another process has taken over its feed leaves no trace on the row of
// the other.
func TestAnOvertakenFailureIsNotRecorded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	load(t, db, "metro", small())
	for overtaken, want := range map[bool]bool{true: false, false: true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if overtaken {
				execSQL(t, db, `DELETE FROM transit.feed_work`)
			}
			w.WriteHeader(http.StatusTeapot)
		}))
		execSQL(t, db, `UPDATE transit.feed SET check_error = NULL`)
		_, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: server.URL,
			AllowPrivate: true})
		server.Close()
		noted := query(t, db, `SELECT (check_error IS NOT NULL)::text FROM transit.feed`)
		if err == nil || !slices.Equal(noted, []string{strconv.FormatBool(want)}) {
			t.Errorf("overtaken %v: %v; the row has an error: %v, want %v", overtaken, err, noted, want)
		}
	}
}

// A panic in a goroutine fails only its import.
func TestAPanicCostsOneImport(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	load(t, db, "metro", small())
	changed := small().with("stops.txt", "Dock", "Pier").pack(t)
	// The files are read before the goroutines start, in the first and in the second.
	for _, file := range []string{"stops.txt", "stop_times.txt", "shapes.txt"} {
		// Wait, because the previous import may still hold the lock.
		_, err := gtfsimport.Import(t.Context(), d, gtfsimport.Request{Alias: "metro", Source: changed, Wait: true,
			Progress: func(name string, _, _ int64) {
				if name == file {
					panic("hostile cell in " + file)
				}
			}})
		if err == nil || !strings.Contains(err.Error(), "hostile cell in "+file) {
			t.Errorf("%s: %v, want the panic as an error", file, err)
		}
		if f, err := gtfsimport.OneFeed(t.Context(), d, "metro"); err != nil || f.CheckError == nil ||
			!strings.Contains(*f.CheckError, "hostile") {
			t.Errorf("%s: %+v, %v; want the error stored with the feed", file, f, err)
		}
	}
	if got := query(t, db, `SELECT stop_name FROM transit.stop WHERE stop_id = 'D'`); !slices.Equal(got,
		[]string{"Dock"}) {
		t.Errorf("stop D is %v", got)
	}
	if r, err := gtfsimport.Import(t.Context(), d, gtfsimport.Request{Alias: "metro", Source: changed,
		Wait: true}); err != nil || r.Outcome != gtfsimport.Imported {
		t.Errorf("import after the panics: %+v, %v", r, err)
	}
}

// A killed process leaves no temporary file.
func TestKilledFetchLeavesNoFile(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("this system does not list the files of a process")
	}
	x := &troubled{url: pgtest.URL(t)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(make([]byte, 1<<20))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	x.paths[0] = server.URL
	cmd := x.child(t, 0)
	dir := t.TempDir()
	cmd.Env = append(cmd.Env, "TMPDIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for open := false; !open; {
		if !wait.For(t.Context(), 10*time.Millisecond) {
			t.Fatal("the child did not fetch the feed")
		}
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid))
		for _, fd := range fds {
			target, _ := os.Readlink(fd)
			open = open || strings.HasPrefix(target, dir)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("remaining files: %v, %v", left, err)
	}
}

// A host with a wrong clock stored the time of a check in the future. The feed is still checked.
func TestCheckWithATimeInTheFutureIsIgnored(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	execSQL(t, db, `INSERT INTO transit.feed (alias, name, checked_at)
		VALUES ('metro', 'Metro', now() + interval '2 days')`)
	asked := make(chan struct{}, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(srv.Close)
	stop := serve(t, deps(t, db), "  - {alias: metro, url: "+srv.URL+"/feed.zip}\n")
	select {
	case <-asked:
	case <-time.After(2 * time.Minute):
		t.Error("no check within two minutes")
	}
	stop()
}
