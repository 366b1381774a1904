package townline_test

import (
	"runtime"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
)

// BenchmarkFeedMemory measures the heap that one feed takes in transit-api: that of an API with the
// feed, less that of an API without feeds.
//
//	go test -run - -bench FeedMemory -benchtime 1x ./services/townline -feed some.zip
func BenchmarkFeedMemory(b *testing.B) {
	address, _ := benchDatabase(b, largeFeed(b))
	before := heap()
	serve(b, pgtest.URL(b), 1)
	empty := heap()
	serve(b, address, 1)
	const megabyte = 1 << 20
	b.ReportMetric((float64(heap()-empty)-float64(empty-before))/megabyte, "MB")
	b.ReportMetric(0, "ns/op")
}

// heap returns the bytes of all objects that are still in use.
func heap() int64 {
	var m runtime.MemStats
	for range 3 { // finalizers and cleanups of one collection free objects for the next one
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
