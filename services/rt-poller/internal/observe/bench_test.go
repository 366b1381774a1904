package observe

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/townline/townline/pkg/sample"
)

// BenchmarkObserve measures the inference from a message of a subway with 240 trips.
func BenchmarkObserve(b *testing.B) {
	files := sample.Glob(b, "gtfs-rt/nyct-ace-series/*.pb")
	slices.Sort(files)
	var all []*Message
	for _, file := range files {
		data, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, read(b, data))
	}
	b.ReportAllocs()
	var o *Observer
	n := 0
	for b.Loop() {
		if n%len(all) == 0 {
			o = New(Zone{time.UTC}, none{})
		}
		o.Observe(all[n%len(all)])
		o.Stored(o.Changes())
		n++
	}
}
