package gtfsimport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/gtfs/gtfstest"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// troubled is a database with a feed that changes between two editions. After any failure the feed
// is completely one of them.
type troubled struct {
	db         *pgxpool.Pool
	url        string
	paths      [2]string
	want       [2]map[string][]string
	live       int
	generation int64
	takes      time.Duration // duration of an import in a separate process
	moments    int           // number of interruptions
}

// newTroubled imports both editions. They are large enough for an import to take a while.
func newTroubled(t *testing.T) *troubled {
	t.Helper()
	x := &troubled{url: pgtest.URL(t), moments: 6}
	a := small()
	x.paths = [2]string{a.pack(t), a.with("stop_times.txt", "T2,7:", "T2,9:").with("stops.txt", "Dock", "Pier").pack(t)}
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		x.moments = 40
		for i, write := range []func(w io.Writer) error{
			func(w io.Writer) error { return gtfstest.Write(w, 4000) },
			func(w io.Writer) error { return gtfstest.Changed(w, x.paths[0]) },
		} {
			f, err := os.Create(filepath.Join(t.TempDir(), "feed.zip"))
			if err == nil {
				err = errors.Join(write(f), f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			x.paths[i] = f.Name()
		}
	}
	db, err := pg.Open(t.Context(), x.url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	x.db = db
	for i := range x.paths {
		start := time.Now()
		if err := x.child(t, i).Run(); err != nil {
			t.Fatal(err)
		}
		x.takes = time.Since(start)
		x.want[i], x.live = dump(t, db, "metro"), i
	}
	x.generation = x.feed(t).Generation
	return x
}

// child returns a process that will import an edition.
func (x *troubled) child(t *testing.T, edition int) *exec.Cmd {
	t.Helper()
	arg, err := json.Marshal(childImport{x.url, "metro", x.paths[edition], true})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	// The race detector would wait for a second at the end.
	cmd.Env = append(os.Environ(), childVariable+"="+string(arg), "GORACE=atexit_sleep_ms=0")
	return cmd
}

func (x *troubled) feed(t *testing.T) *gtfsimport.Feed {
	t.Helper()
	f, err := gtfsimport.OneFeed(t.Context(), deps(t, x.db), "metro")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// moment returns a random time within the nth of several equal parts of an import's duration.
func (x *troubled) moment(n int) time.Duration {
	share := int64(x.takes) * 11 / 10 / int64(x.moments)
	return time.Duration(int64(n)*share + rand.Int64N(share))
}

// compareLive compares the live version with its source, and reports whether it changed.
func (x *troubled) compareLive(t *testing.T, what string) (landed bool) {
	t.Helper()
	if f := x.feed(t); f.Generation != x.generation {
		landed, x.generation = true, f.Generation
		x.live = 1 - x.live
	}
	if diff := cmp.Diff(x.want[x.live], dump(t, x.db, "metro")); diff != "" {
		t.Fatalf("after %s (-want +got):\n%.2000s", what, diff)
	}
	return landed
}

// recover imports again while sweeps run.
func (x *troubled) recover(t *testing.T) {
	t.Helper()
	swept := make(chan error, 1)
	go func() { swept <- gtfsimport.Sweep(t.Context(), deps(t, x.db), 0) }()
	r, err := gtfsimport.Import(t.Context(), deps(t, x.db), gtfsimport.Request{Alias: "metro", Source: x.paths[1-x.live],
		Force: true, Wait: true})
	if err != nil || r.Outcome != gtfsimport.Imported {
		t.Fatalf("import after the failure: %+v, %v", r, err)
	}
	if err := <-swept; err != nil {
		t.Fatalf("the concurrent sweep: %v", err)
	}
	x.compareLive(t, "the import after")
	// A sweep leaves out a version that is in use, for example by autovacuum.
	for start := time.Now(); ; {
		if err := gtfsimport.Sweep(t.Context(), deps(t, x.db), 0); err != nil {
			t.Fatal(err)
		}
		got := query(t, x.db, `SELECT c.relname::text FROM pg_class c
			WHERE relnamespace = 'transit'::regnamespace AND relname ~ '^trip_[0-9]+$'`)
		if len(got) == 1 {
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("tables %v, want the tables of one version", got)
		}
	}
}

// If its sessions are terminated, as by a restart of Postgres, an import fails and the old feed
// stays complete.
func TestImportsThatLoseTheDatabase(t *testing.T) {
	t.Parallel()
	x := newTroubled(t)
	importers, err := pg.Open(t.Context(), x.url, pg.Options{Name: "importer"})
	if err != nil {
		t.Fatal(err)
	}
	defer importers.Close()
	d := deps(t, importers)
	failed := 0
	for i := range x.moments {
		at := x.moment(i)
		cut := make(chan error, 1)
		time.AfterFunc(at, func() {
			_, err := x.db.Exec(context.WithoutCancel(t.Context()), `
				SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE '%importer%'`)
			cut <- err
		})
		_, err := gtfsimport.Import(t.Context(), d, gtfsimport.Request{Alias: "metro", Source: x.paths[1-x.live], Force: true,
			Wait: true})
		if cutErr := <-cut; cutErr != nil {
			t.Fatal(cutErr)
		}
		if landed := x.compareLive(t, fmt.Sprintf("cut %d at %s", i, at)); err != nil {
			failed++
		} else if !landed {
			t.Fatal("an import reported success without a new version")
		}
	}
	t.Logf("%d of %d imports lost their sessions", failed, x.moments)
	x.recover(t)
}

// Two replicas with the same schedule and requests import each feed once, even without NATS.
func TestReplicas(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	store := t.TempDir()
	server, err := natsd.Start(natsd.Options{StoreDir: store})
	if err != nil {
		t.Fatal(err)
	}
	var path atomic.Value
	path.Store(small().pack(t))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := path.Load().(string)
		// Editions follow each other within one second, the precision of Last-Modified.
		w.Header().Set("ETag", fmt.Sprintf("%q", now))
		http.ServeFile(w, r, now)
	}))
	defer srv.Close()
	var buses []*events.Bus
	var stops []func()
	for n := range 2 {
		d := deps(t, db)
		bus, err := events.Open(events.Options{Dial: server.Connect, Name: fmt.Sprint("replica ", n)}, d.Log)
		if err != nil {
			t.Fatal(err)
		}
		defer bus.Close()
		buses = append(buses, bus)
		d.Events = bus
		stops = append(stops, serve(t, d, "  - {alias: metro, url: "+srv.URL+"/feed.zip, every: 1h}\n"))
	}
	generation := func(want int64) {
		t.Helper()
		await(t, db, `SELECT coalesce(max(generation), 0) >= $1 FROM transit.feed WHERE alias = 'metro'`, want)
		if f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro"); err != nil || f.Generation != want {
			t.Fatalf("feed %+v, %v, want generation %d", f, err, want)
		}
	}
	generation(1) // due in both replicas, imported by one
	for n := range 5 {
		path.Store(small().with("stops.txt", "Dock", fmt.Sprint("Dock ", n)).pack(t))
		for _, bus := range buses { // the same request twice
			if err := bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "metro"}); err != nil {
				t.Fatal(err)
			}
		}
		generation(int64(n + 2))
	}
	awaitNoWork(t, server)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	path.Store(small().with("stops.txt", "Dock", "Pier").pack(t))
	execSQL(t, db, `UPDATE transit.feed SET checked_at = now() - interval '2 hours'`)
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: srv.URL + "/feed.zip",
		AllowPrivate: true, Wait: true})
	if err != nil || r.Generation != 7 {
		t.Fatalf("import without NATS: %+v, %v", r, err)
	}
	for _, stop := range stops {
		stop()
	}
	if got := query(t, db, `SELECT state FROM transit.feed_version
		WHERE state IN ('live', 'staging', 'refused')`); !slices.Equal(got, []string{"live"}) {
		t.Errorf("states %v", got)
	}
}

// A request whose worker died before it could acknowledge it is delivered again. It is not imported
// again.
func TestARequestIsImportedOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	server, err := natsd.Start(natsd.Options{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop() }()
	d := deps(t, db)
	d.Events, err = events.Open(events.Options{Dial: server.Connect}, d.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Events.Close()
	path := small().pack(t)
	var fetched atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		http.ServeFile(w, r, path)
	}))
	defer srv.Close()
	body, err := proto.Marshal(&eventsv1.ImportFeed{Alias: "metro", Url: srv.URL + "/feed.zip", Force: true})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	defer serve(t, d, "")()
	for i, id := range []string{"first", "first", "second"} {
		for {
			_, err := js.Publish("work.transit.import", body, nats.MsgId(id))
			if err == nil {
				break
			}
			if !wait.For(t.Context(), 10*time.Millisecond) { // the worker creates the stream
				t.Fatal(err)
			}
		}
		awaitNoWork(t, server)
		if want := int32([]int{1, 1, 2}[i]); fetched.Load() != want {
			t.Errorf("request %d: fetched %d times, want %d", i, fetched.Load(), want)
		}
		if err := js.DeleteStream("TRANSIT_WORK"); err != nil { // a stream remembers ids
			t.Fatal(err)
		}
	}
	if f, err := gtfsimport.OneFeed(t.Context(), d, "metro"); err != nil || f.Generation != 2 {
		t.Errorf("feed %+v, %v; want one import for each of two requests", f, err)
	}
}

// awaitNoWork waits until every work request is acknowledged.
func awaitNoWork(t *testing.T, server *natsd.Server) {
	t.Helper()
	conn, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	for {
		left := uint64(0)
		for stream := range js.Streams() {
			left += stream.State.Msgs
		}
		if left == 0 {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("%d requests remain", left)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
