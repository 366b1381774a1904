package rtpoller

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// shipped returns GOMEMLIMIT and the container's memory limit of the shipped deployment, in bytes.
func shipped(t *testing.T) (soft, hard int64) {
	t.Helper()
	for file, pattern := range map[string]string{
		"kubernetes/base/rt-poller/deployment.yaml": `(?s)GOMEMLIMIT\s+value: (\d+)MiB.*limits:\s+memory: (\d+)Mi`,
		"compose.yaml": `(?s)\n  rt-poller:.*?mem_limit: (\d+)m.*?GOMEMLIMIT: (\d+)MiB`,
	} {
		text, err := os.ReadFile(filepath.Join("../../deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no memory limit for rt-poller", file)
		}
		one, err1 := strconv.ParseInt(string(found[1]), 10, 64)
		two, err2 := strconv.ParseInt(string(found[2]), 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		one, two = min(one, two)<<20, max(one, two)<<20
		if soft != 0 && (soft != one || hard != two) {
			t.Fatalf("Kubernetes and compose differ: %d and %d, %d and %d", soft, one, hard, two)
		}
		soft, hard = one, two
	}
	return soft, hard
}

// The default RT_MAX_BYTES fits into the shipped memory limit. The service does not start with a
// value that does not fit.
func TestMemoryAndLimitsFitTogether(t *testing.T) {
	t.Parallel()
	cfg, err := conf.Load[Config](conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	soft, hard := shipped(t)
	if need := MemoryFor(cfg.MaxBytes); need > soft || soft > hard {
		t.Errorf("RT_MAX_BYTES=%d needs %d MiB, but GOMEMLIMIT is %d MiB of %d", cfg.MaxBytes, need>>20, soft>>20, hard>>20)
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Skip("the environment of the test sets GOMEMLIMIT")
	}
	err = Config{}.checkMemory(1 << 30)
	if err != nil {
		t.Errorf("RT_MAX_BYTES of 0: %v", err)
	}
	if err := (Config{MaxBytes: 64 << 20}).checkMemory(soft); err == nil ||
		!strings.Contains(err.Error(), "GOMEMLIMIT is 340 MiB") {
		t.Errorf("RT_MAX_BYTES of 64 MiB in the shipped memory: %v", err)
	}
}

// Two sources with the most expensive answers stay within the shipped memory limit. The measured
// process has the shipped GOMEMLIMIT.
func TestLargestAnswersFitIntoTheShippedMemory(t *testing.T) {
	t.Parallel()
	const database = "TOWNLINE_TEST_POLL_INTO"
	if url := os.Getenv(database); url != "" {
		pollLargest(t, url)
		return
	}
	soft, hard := shipped(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	// the shipped settings
	child.Env = append(os.Environ(), database+"="+pgtest.URL(t), fmt.Sprintf("GOMEMLIMIT=%d", soft), "GOGC=100")
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := regexp.MustCompile(`(?m)^peak (\d+)$`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("the process did not print its memory\n%s", out)
	}
	peak, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("peak %d MiB of %d", peak>>20, hard>>20)
	if peak > hard {
		t.Errorf("the process used %d MiB, the shipped limit is %d", peak>>20, hard>>20)
	}
}

// pollLargest runs in the measured process.
func pollLargest(t *testing.T, url string) {
	t.Helper()
	cfg, err := conf.Load[Config](conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	head, err := proto.Marshal(&rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"),
		Timestamp: proto.Uint64(uint64(time.Now().Unix()))}})
	if err != nil {
		t.Fatal(err)
	}
	inside := func(num protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	entity := inside(2, append(inside(1, []byte("1")), inside(3, inside(1, inside(1, []byte("t"))))...))
	served := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { // chunked, without a Content-Length
			rest := int(cfg.MaxBytes) - len(head) - n*len(entity) - 100
			_, _ = w.Write(head)
			w.(http.Flusher).Flush()
			some := bytes.Repeat(entity, 1024)
			for range n / 1024 {
				_, _ = w.Write(some)
			}
			_, _ = w.Write(protowire.AppendVarint(protowire.AppendTag(nil, 1000, protowire.BytesType), uint64(rest)))
			zeros := make([]byte, 32<<10)
			for ; rest > 0; rest -= len(zeros) {
				_, _ = w.Write(zeros[:min(rest, len(zeros))])
			}
		}
	}
	most := httptest.NewServer(served(100 << 10)) // just below the limit of gtfsrt
	defer most.Close()
	db, err := pg.Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	deps := run.Deps{DB: db, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Ready: &run.Health{}}
	feed := conf.Feed{Alias: "demo"}
	for range 2 {
		feed.Realtime = append(feed.Realtime, conf.Source{Kind: conf.TripUpdates, URL: most.URL, MinInterval: time.Second,
			Timeout: time.Minute})
	}
	transit := &conf.Transit{Feeds: []conf.Feed{feed}}
	if err := transit.Validate(); err != nil {
		t.Fatal(err)
	}
	metrics, err := newMetrics(deps)
	if err != nil {
		t.Fatal(err)
	}
	cfg.AllowPrivate = true
	all := newPollers(cfg, transit, deps, metrics)
	if err := newRegistry(deps, all).register(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := run.NewGroup(context.WithoutCancel(t.Context()))
	polled := make(chan error, len(all))
	for _, p := range all {
		g.Watch(func(ctx context.Context) { polled <- p.poll(ctx, 0) })
	}
	for range all {
		if err := <-polled; err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Stop(); err != nil {
		t.Fatal(err)
	}
	var stored, least int64
	var wrong string
	if err := db.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM transit.snapshot), (SELECT coalesce(min(length(data)), 0) FROM transit.snapshot),
		       (SELECT coalesce(string_agg(error, '; '), '') FROM transit.source)`).Scan(&stored, &least,
		&wrong); err != nil {
		t.Fatal(err)
	}
	if stored != int64(len(all)) || least < cfg.MaxBytes*9/10 {
		t.Fatalf("%d snapshots of at least %d bytes: %s", stored, least, wrong)
	}
	var took runtime.MemStats
	runtime.ReadMemStats(&took)
	fmt.Printf("peak %d\n", took.Sys) // Sys never decreases, and excludes the memory of the race detector
}
