package townline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	rtpoller "github.com/townline/townline/services/rt-poller"
	transitapi "github.com/townline/townline/services/transit-api"
)

// In these tests the services run as in production: one process each, which can be killed. Postgres
// is private to the test; NATS is behind a wire that can be cut.

// actAsService is an environment variable with the name of the service that a child of this binary
// runs.
const actAsService = "TOWNLINE_TEST_ACT_AS_SERVICE"

// TestService runs the service in a child process; it is not a test.
func TestService(*testing.T) {
	os.Args = os.Args[:1]
	switch os.Getenv(actAsService) {
	case "rt-poller":
		os.Exit(run.Main(rtpoller.Program()))
	case "transit-api":
		os.Exit(run.Main(transitapi.Program()))
	}
}

// A part can be killed and started again.
type part struct {
	name        string
	kill, start func()
	pid         func() int // id of the service's process
}

// A fleet has the services, their Postgres and their NATS.
type fleet struct {
	t      testing.TB
	config string
	folder string
	db     *pgd.Server
	nats   *wire
}

func newFleet(t testing.TB, config string) *fleet {
	t.Helper()
	f := &fleet{t: t, config: transitConfig(t, config), folder: filepath.Join(t.TempDir(), "postgres")}
	f.startPostgres()
	t.Cleanup(func() { _ = f.db.Stop(context.Background()) })
	if err := schema.Migrate(t.Context(), f.db.URL(), schema.Transit); err != nil {
		t.Fatal(err)
	}
	srv := pgtest.NATS(t)
	f.nats = newWire(t, srv.URL())
	return f
}

func (f *fleet) startPostgres() {
	f.t.Helper()
	db, err := pgd.Start(context.WithoutCancel(f.t.Context()), pgd.Options{DataDir: f.folder})
	if err != nil {
		f.t.Fatal(err)
	}
	f.db = db
}

// postgres returns the server with all its sessions as a part.
func (f *fleet) postgres() *part {
	return &part{name: "Postgres", kill: func() {
		db := open(f.t, f.db.URL(), pg.Options{})
		var pid int
		if err := db.QueryRow(f.t.Context(), `SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)::integer`).Scan(
			&pid); err != nil {
			f.t.Fatal(err)
		}
		db.Close()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			f.t.Fatal(err)
		}
		<-f.db.Exited()
		_ = f.db.Stop(context.Background())
	}, start: f.startPostgres}
}

// service starts a service in a separate process. addr is its listen address, if it has one;
// settings are additional environment variables.
func (f *fleet) service(name, addr string, settings ...string) *part {
	f.t.Helper()
	var cmd *exec.Cmd
	p := &part{name: name}
	p.start = func() {
		self, err := os.Executable()
		if err != nil {
			f.t.Fatal(err)
		}
		cmd = exec.Command(self, "-test.run=^TestService$")
		cmd.Env = append(os.Environ(), actAsService+"="+name, "DATABASE_URL="+f.db.URL(), "NATS_URL="+f.nats.url,
			"TRANSIT_CONFIG="+f.config,
			"TRANSIT_ADDR="+addr, "ADMIN_ADDR=127.0.0.1:0", "TOWNLINE_ALLOW_PRIVATE=true", "LOG_LEVEL=error")
		cmd.Env = append(cmd.Env, settings...)
		if err := cmd.Start(); err != nil {
			f.t.Fatal(err)
		}
	}
	p.kill = func() {
		_ = cmd.Process.Kill() // the process may have ended already, which the test would notice
		_ = cmd.Wait()
	}
	p.pid = func() int { return cmd.Process.Pid }
	p.start()
	f.t.Cleanup(func() { p.kill() })
	return p
}

// A wire forwards connections to a server until it is cut.
type wire struct {
	url, address, server string
	mu                   sync.Mutex
	ln                   net.Listener
	conns                []net.Conn
}

func newWire(t testing.TB, server string) *wire {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: freeAddress(t), server: u.Host}
	u.Host = w.address
	w.url = u.String()
	if err := w.join(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cut)
	return w
}

func (w *wire) join() error {
	ln, err := net.Listen("tcp", w.address)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.ln = ln
	w.mu.Unlock()
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", w.server)
			if err != nil {
				_ = near.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, near, far)
			w.mu.Unlock()
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					_ = errors.Join(near.Close(), far.Close())
				}()
			}
		}
	}()
	return nil
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.ln.Close()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// freeAddress returns an address that stays free while nothing listens on it: other programs connect from
// 127.0.0.1, and a connection may take a port there. Systems without other local addresses use that one.
func freeAddress(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)))
	if err != nil {
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// A route is a realtime source with one bus, which is further north in each answer.
type route struct{ requests atomic.Int64 }

func (r *route) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"),
		Timestamp: proto.Uint64(uint64(time.Now().Unix()))},
		Entity: []*rt.FeedEntity{{Id: proto.String("bus"), Vehicle: &rt.VehiclePosition{
			Position: &rt.Position{Latitude: proto.Float32(float32(r.requests.Add(1))), Longitude: proto.Float32(0)}}}}}
	if data, err := proto.Marshal(m); err == nil {
		_, _ = w.Write(data)
	}
}

// bus returns the position of the bus in the answer of an API, and the time of the last poll.
func bus(ctx context.Context, base string) (at float64, fetched int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/gtfs/api/v2/rt/vehicles?_format=json", nil)
	if err != nil {
		return 0, 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	var a struct {
		Meta struct {
			LastFetched int64 `json:"last_fetched"`
		}
		Data []struct{ Position struct{ Latitude float64 } }
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil || res.StatusCode != http.StatusOK {
		return 0, 0, fmt.Errorf("%s %w", res.Status, err)
	}
	if len(a.Data) == 0 {
		return 0, a.Meta.LastFetched, errors.New("no bus")
	}
	return a.Data[0].Position.Latitude, a.Meta.LastFetched, nil
}
