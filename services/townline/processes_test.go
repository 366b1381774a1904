package townline_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// Services, Postgres and NATS are killed and restarted in several orders. The API answers while its
// own process lives, and vehicle positions continue to change afterwards.
func TestHealing(t *testing.T) {
	t.Parallel()
	source := &route{}
	srv := httptest.NewServer(source)
	t.Cleanup(srv.Close)
	f := newFleet(t, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: metro, realtime: [{kind: vehicle_positions, url: %q, min_interval: 100ms, stale_after: 100ms, timeout: 1s}]}]`, srv.URL))
	addr := freeAddress(t)
	base := "http://" + addr
	api := f.service("transit-api", addr)
	parts := []*part{f.service("rt-poller", ""), api, f.postgres(), {name: "NATS", kill: f.nats.cut, start: func() {
		if err := f.nats.join(); err != nil {
			t.Fatal(err)
		}
	}}}
	var last float64
	moves := func(after string) {
		t.Helper()
		eventually(t, func() error {
			at, _, err := bus(t.Context(), base)
			if err == nil && at <= last {
				err = fmt.Errorf("the bus has been at %v since %s", at, after)
			}
			last = max(last, at)
			return err
		})
	}
	moves("the start")
	for _, p := range parts {
		p.kill()
		if p != api {
			for range 5 {
				if at, _, err := bus(t.Context(), base); err != nil || at < last {
					t.Errorf("without %s: %v %v", p.name, at, err)
				}
			}
		}
		p.start()
		moves(p.name + " came back")
	}
	orders := [][]int{{2, 0, 3, 1}}
	if everything() {
		orders = permutations([]int{0, 1, 2, 3})
	}
	for n, order := range orders {
		back := orders[(n*7+5)%len(orders)] // restart in a different order
		var names []string
		for _, i := range order {
			parts[i].kill()
		}
		for _, i := range back {
			// A process without Postgres waits for it. The restarted server has the same address.
			parts[i].start()
			names = append(names, parts[i].name)
		}
		moves(strings.Join(names, ", ") + " came back")
	}
}

func permutations(of []int) [][]int {
	if len(of) < 2 {
		return [][]int{of}
	}
	var all [][]int
	for i, first := range of {
		for _, rest := range permutations(slices.Delete(slices.Clone(of), i, i+1)) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}
