package townline_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// boardPeriod is the interval at which an open board requests its rows; see board.js.
const boardPeriod = 20 * time.Second

// BenchmarkScaleBoards has 10,000 open boards at 500 places, like screens. Each requests its rows
// every 20 seconds, at its own offset, over a persistent connection, with the ETag of its rows. A
// realtime source of 3 MB has new data every 15 seconds. The benchmark measures the waiting time of
// a board, and the processor time and memory of one transit-api. An iteration is one period. The
// boards are in this process, on the same cores as the API.
//
//	go test -run - -bench ScaleBoards -benchtime 2x ./services/townline
func BenchmarkScaleBoards(b *testing.B) {
	source, f, stops := boardsOfFleet(b)
	addr := freeAddress(b)
	api := f.service("transit-api", addr)
	f.service("rt-poller", "")
	rows := func(i int) string {
		return "/board?part=rows&stop=" + url.QueryEscape("bench:"+stops[i%len(stops)])
	}
	eventually(b, func() error { return answers("http://" + addr + rows(0)) })
	source.await(b, 1)

	ctx, stop := context.WithCancel(b.Context())
	var all errgroup.Group
	seen := &boardTally{}
	open := func(from, to int) {
		for i := from; i < to; i++ {
			all.Go(func() error { return openBoardAt(ctx, addr, rows(i), seen) })
		}
	}
	defer func() {
		stop()
		if err := all.Wait(); err != nil {
			b.Error(err)
		}
	}()
	period := func(n int) { // period waits until there are n more answers
		want := seen.count() + n
		for seen.count() < want {
			select {
			case <-b.Context().Done():
				b.Fatal(b.Context().Err())
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	open(0, len(stops)) // one per place, to measure the cost of places
	period(2 * len(stops))
	before := anonymous(b, api.pid())
	open(len(stops), listeners)
	period(2 * listeners)
	seen.clear()
	busy, began := processorTime(b, api.pid()), time.Now()
	for b.Loop() {
		period(listeners)
	}
	wall := time.Since(began)
	busy = processorTime(b, api.pid()) - busy
	memory := anonymous(b, api.pid())
	took, same := seen.taken()
	at := func(q float64) float64 { return took[int(q*float64(len(took)-1))] }
	report(b, "answers", map[string]float64{"req/s": float64(len(took)) / wall.Seconds()})
	report(b, "answers-with-a-body", map[string]float64{"req/s": float64(len(took)-same) / wall.Seconds()})
	report(b, "wait-p50", map[string]float64{"ms": at(0.5)})
	report(b, "wait-p99", map[string]float64{"ms": at(0.99), "at-most": 250})
	report(b, "wait-worst", map[string]float64{"ms": at(1)})
	report(b, "processor-per-second", map[string]float64{"ms": 1000 * busy.Seconds() / wall.Seconds(), "at-most": 1000})
	report(b, "memory", map[string]float64{"MB": memory})
	report(b, "memory-per-board", map[string]float64{"kB": (memory - before) * 1024 / float64(listeners-len(stops)),
		"at-most": 40})
}

// A boardTally has the times that boards waited for their rows.
type boardTally struct {
	mu   sync.Mutex
	took []float64 // in ms
	same int       // number of answers without changes
}

func (t *boardTally) note(took time.Duration, same bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took = append(t.took, float64(took.Microseconds())/1000)
	if same {
		t.same++
	}
}

func (t *boardTally) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.took)
}

func (t *boardTally) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took, t.same = nil, 0
}

// taken returns all waiting times, the shortest first.
func (t *boardTally) taken() (took []float64, same int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.Sort(t.took)
	return t.took, t.same
}

// openBoardAt requests a board's rows once per period, until the context ends.
func openBoardAt(ctx context.Context, addr, path string, seen *boardTally) error {
	wait := time.NewTimer(rand.N(boardPeriod))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-wait.C:
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return ended(ctx, err)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	in, tag := bufio.NewReaderSize(conn, 2048), ""
	every := time.NewTicker(boardPeriod)
	defer every.Stop()
	for {
		began := time.Now()
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: transit.example\r\nAccept-Encoding: "+
			"gzip\r\nAccept-Language: en\r\n%s\r\n", path, tag); err != nil {
			return ended(ctx, err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return ended(ctx, err)
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil {
			return ended(ctx, err)
		}
		if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusNotModified {
			return fmt.Errorf("%s: %s", path, res.Status)
		}
		seen.note(time.Since(began), res.StatusCode == http.StatusNotModified)
		if etag := res.Header.Get("Etag"); etag != "" {
			tag = "If-None-Match: " + etag + "\r\n"
		}
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
	}
}

// ended returns the error of a board; nil if the context has ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skipf("cannot read the processor time of a process: %v", err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // the name may contain spaces
	var ticks int
	for _, field := range fields[11:13] { // user and system time
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}
