package townline_test

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
)

// BenchmarkExport reads the zip of a feed. It measures the speed and the peak memory, which is
// small because the zip is streamed from the database.
//
//	go test -run - -bench Export -benchtime 5x ./services/townline -feed some.zip
func BenchmarkExport(b *testing.B) {
	address, _ := benchDatabase(b, largeFeed(b))
	api := serve(b, address, 1)
	live := func() float64 {
		runtime.GC()
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return float64(s[0].Value.Uint64()) / 1e6
	}
	// read reads the zip and calls each after a fixed number of bytes.
	read := func(each func()) (size int64) {
		res, err := http.Get(api + "/feeds/bench/gtfs.zip")
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		for err == nil {
			var n int64
			n, err = io.CopyN(io.Discard, res.Body, 2<<20)
			size += n
			each()
		}
		if !errors.Is(err, io.EOF) || res.StatusCode != http.StatusOK || size < 1000 {
			b.Fatal(res.Status, size, err)
		}
		return size
	}
	size := float64(read(func() {})) / 1e6 // the first read opens connections
	before, peak := live(), 0.0
	read(func() { peak = max(peak, live()) })
	var took []float64
	for range b.N {
		begin := time.Now()
		read(func() {})
		took = append(took, time.Since(begin).Seconds())
	}
	slices.Sort(took)
	report(b, "speed", map[string]float64{"MB/s": size / took[len(took)/2]})
	report(b, "memory", map[string]float64{"MB": peak - before, "MB-zip": size, "ratio": (peak - before) / size,
		"at-most": 0.3})
}
