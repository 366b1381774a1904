package transitapi

import (
	"fmt"
	"runtime"
	"slices"
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
	// What a request left to be tidied up may hold one for a moment.
	for deadline := time.Now().Add(20 * time.Second); ; {
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
			t.Fatalf("of %d snapshots these are held: %v", count, held)
		}
	}
	runtime.KeepAlive(w)
}
