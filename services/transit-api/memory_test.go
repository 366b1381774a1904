package transitapi

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
)

// A snapshot that another has followed is let go, with its message and its index, whoever has read of it: memory does not
// grow with the number of snapshots, but for answers that are kept within their budget.
func TestPastSnapshotsAreLetGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(noon)
	var all []weak.Pointer[snapshot]
	const count = 4
	for n := range count {
		at := noon.Add(time.Duration(n) * time.Minute)
		w.polled(t, "metro", "mixed", at, &rt.FeedMessage{Header: header(at), Entity: []*rt.FeedEntity{updateOf("late", "C", 2), updateOf(fmt.Sprint("trip ", n), "C")}})
		for _, path := range []string{"/rt/tripupdates/C", "/rt/vehicles?stop_id=C", "/rt/predictions/C", "/rt/alerts/stop/C"} {
			w.ask(t, path)
		}
		all = append(all, weak.Make(w.api.live.now.Load().sources[0].snapshot))
	}
	runtime.GC()
	for n, s := range all {
		if held := s.Value() != nil; held != (n == count-1) {
			t.Errorf("snapshot %d of %d is held: %v", n, count, held)
		}
	}
	runtime.KeepAlive(w)
}
