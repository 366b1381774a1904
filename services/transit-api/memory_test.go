package transitapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A replaced snapshot is freed, with its message and index, even after it was read.
func TestReplacedSnapshotsAreFreed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(noon)
	var all []weak.Pointer[realtime.Snapshot]
	const count = 4
	for n := range count {
		at := noon.Add(time.Duration(n) * time.Minute)
		w.sent(t, "mixed", at, updateOf("late", "C", 2), updateOf(fmt.Sprint("trip ", n), "C"))
		for _, path := range []string{"/rt/tripupdates/C", "/rt/vehicles?stop_id=C", "/rt/predictions/C",
			"/rt/alerts/stop/C"} {
			w.ask(t, path)
		}
		all = append(all, weak.Make(w.snapshot(t)))
	}
	// The cleanup of a request may hold a snapshot for a moment.
	for deadline := time.Now().Add(time.Minute); ; {
		runtime.GC()
		held := []int{}
		for n, s := range all {
			if s.Value() != nil {
				held = append(held, n)
			}
		}
		if slices.Equal(held, []int{count - 1}) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("of %d snapshots these are not freed: %v", count, held)
		}
	}
	runtime.KeepAlive(w)
}

// shippedMemory is the memory limit of the deployment in deploy/, and softLimit is its GOMEMLIMIT.
const (
	shippedMemory = 1 << 30
	softLimit     = "900MiB"
)

// Five million rows of calendar_dates.txt, headways of a second, the largest grid and the largest
// realtime messages fit into the memory limit in deploy/. The test runs in a separate process.
func TestHostileFeedsFitIntoShippedMemory(t *testing.T) {
	t.Parallel()
	if os.Getenv("TOWNLINE_EVERYTHING") == "" {
		t.Skip("set TOWNLINE_EVERYTHING to run this test: five million rows take a minute")
	}
	const alone = "TOWNLINE_TEST_ALONE"
	if os.Getenv(alone) == "" {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=10m")
		c.Env = append(os.Environ(), alone+"=1", "GOMEMLIMIT="+softLimit, "GOGC=100") // as in deploy/
		out, err := c.CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Error(err)
		}
		return
	}
	w := newWorld(t, func(c *Config) { c.FeedBytes = 128 << 20 })
	confine(t, shippedMemory)
	w.bigFeed(t, 2500, 2000)
	start := time.Now()
	w.reimport(t, everySecond)
	big := w.api.dir.Feed("big")
	if big.BoardsUnavailable() != nil {
		t.Fatalf("feed with five million days: %v", big.BoardsUnavailable())
	}
	t.Logf("five million days: loaded in %s, %d MB estimated, %d MB at most so far",
		time.Since(start).Round(time.Millisecond), big.Bytes>>20, peak(t)>>20)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	start = time.Now()
	w.ask(t, "/rt/predictions/C?minutes=50")
	t.Logf("one board with headways of a second: %s", time.Since(start).Round(time.Millisecond))
	var all sync.WaitGroup
	var late atomic.Int32
	for n := range 40 {
		all.Go(func() {
			for _, path := range []string{fmt.Sprintf("/rt/predictions/C?minutes=%d", 60+n),
				fmt.Sprintf("/rt/predictions/C?minutes=%d&feed=big", 60+n),
				"/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/0"} {
				switch got := w.status(t, path); got {
				case http.StatusOK:
				// There may be too many requests for the timeout, but not for the memory.
				case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
					late.Add(1)
				default:
					t.Errorf("%s: %d", path, got)
				}
			}
		})
	}
	all.Wait()
	t.Logf("120 boards and grids at once, %d of them late: %d MB at most so far", late.Load(), peak(t)>>20)
	w.ask(t, "/rt/predictions/C?minutes=51") // the API still answers
	for n := range 3 {
		at := noon.Add(time.Duration(n) * time.Minute)
		m := &rt.FeedMessage{Header: header(at)}
		for i := range 60_000 {
			e := updateOf(fmt.Sprintf("trip %d of %d", i, n))
			for k := range 20 {
				e.TripUpdate.StopTimeUpdate = append(e.TripUpdate.StopTimeUpdate,
					&rt.TripUpdate_StopTimeUpdate{StopId: proto.String(strconv.Itoa((i*7 + k) % 50_000)), Arrival: byDelay(60)})
			}
			m.Entity = append(m.Entity, e)
		}
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		w.store(t, "metro", "trip_updates", at, data)
		if err := w.api.live.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := w.snapshot(t)
		if len(s.Message.TripUpdates) != 60_000 {
			t.Fatal("the message was not accepted")
		}
		t.Logf("message %d: %d MB, %d MB estimated with its index, %d MB at most so far (of this process that also made "+
			"the message)", n, len(data)>>20, s.Message.Memory()>>20, peak(t)>>20)
	}
	if got := peak(t); got > shippedMemory {
		t.Errorf("used %d MB of %d MB", got>>20, shippedMemory>>20)
	}
}

// status requests JSON and discards the body, so that only the API's memory counts.
func (w *world) status(t *testing.T, path string) int {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, basePath+path, nil)
	req.Header.Set("Accept", "application/json")
	out := &discarded{header: http.Header{}, status: http.StatusOK}
	w.srv.ServeHTTP(out, req)
	return out.status
}

type discarded struct {
	header http.Header
	status int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) WriteHeader(status int)      { d.status = status }
func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }

// confine puts this process, but not the servers that it has started, in a cgroup with a memory
// limit. Without cgroups, the test only compares the peak.
func confine(t *testing.T, bytes int64) {
	t.Helper()
	// The names of the limit in cgroup versions 1 and 2.
	for root, limit := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes",
		"/sys/fs/cgroup": "memory.max"} {
		group := filepath.Join(root, fmt.Sprintf("townline-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		err := os.WriteFile(filepath.Join(group, limit), strconv.AppendInt(nil, bytes, 10), 0o600)
		if err == nil {
			err = os.WriteFile(filepath.Join(group, "cgroup.procs"), strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600)
		}
		t.Cleanup(func() { // only an empty group can be removed
			_ = os.WriteFile(filepath.Join(root, "cgroup.procs"), strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600)
			_ = os.Remove(group)
		})
		if err == nil {
			t.Logf("confined to %d MB by %s", bytes>>20, group)
			return
		}
	}
	t.Log("cannot create a control group: only the peak is compared")
}

func peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system does not report the peak: ", err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this system does not report the peak")
	}
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
