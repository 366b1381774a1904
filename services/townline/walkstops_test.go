package townline_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file has the expected resources of stops, and the check that a walk has reached everything.

func (w *walker) stops(a *answer) error {
	return page(a, w.model.stops, func(got map[string]any, want row) error { return w.sameStop(got, want.get("stop_id")) })
}

func (w *walker) stop(a *answer) error {
	got, err := a.one()
	if err != nil {
		return err
	}
	return w.sameStop(got, a.path[3])
}

// callers returns the trips that call at a stop or its children.
func (m *feedModel) callers(stop string) map[string]bool {
	trips := map[string]bool{}
	for call := range m.callsAt[stop] {
		trips[call[:strings.LastIndexByte(call, ' ')]] = true
	}
	return trips
}

func (w *walker) stopRoutes(a *answer) error {
	want := map[string]bool{}
	for trip := range w.model.callers(a.path[3]) {
		want[w.model.tripOf[trip].get("route_id")] = true
	}
	return page(a, slices.SortedFunc(maps.Keys(want), w.routeOrder), func(got map[string]any, id string) error {
		return sameRoute(got, w.model.routeOf[id])
	})
}

// routeOrder orders routes by agency in file order, then by route in file order.
func (w *walker) routeOrder(a, b string) int { return cmp.Compare(w.model.rank[a], w.model.rank[b]) }

func (w *walker) stopDirections(a *answer) error {
	type key struct{ route, direction string }
	want := map[key]bool{}
	for trip := range w.model.callers(a.path[3]) {
		t := w.model.tripOf[trip]
		want[key{t.get("route_id"), direction(t)}] = true
	}
	list := slices.SortedFunc(maps.Keys(want), func(a, b key) int {
		return cmp.Or(w.routeOrder(a.route, b.route), cmp.Compare(a.direction, b.direction))
	})
	return page(a, list, func(got map[string]any, want key) error {
		if got["route_id"] != want.route || got["direction_id"] != want.direction {
			return fmt.Errorf("%v %v, want %v", got["route_id"], got["direction_id"], want)
		}
		route, _ := got["route"].(map[string]any)
		return sameRoute(route, w.model.routeOf[want.route])
	})
}

// stopTrips and stopCalls collect the pages of a stop; totals compares them.
func (w *walker) stopTrips(a *answer) error {
	return w.gather(w.trips, a, func(got map[string]any) (string, error) {
		id, _ := got["trip_id"].(string)
		return id, sameTrip(got, w.model.tripOf[id])
	})
}

func (w *walker) stopCalls(a *answer) error {
	return w.gather(w.calls, a, func(got map[string]any) (string, error) {
		trip, _ := got["trip_id"].(string)
		sequence, _ := got["stop_sequence"].(string)
		calls := w.model.calls[trip]
		i := slices.IndexFunc(calls, func(c row) bool { return c.get("stop_sequence") == sequence })
		if i < 0 {
			return "", fmt.Errorf("no call %s of trip %q", sequence, trip)
		}
		return trip + " " + sequence, sameCall(got, calls[i])
	})
}

func (w *walker) gather(into map[string]map[string]bool, a *answer, item func(map[string]any) (string, error)) error {
	stop := a.path[3]
	again := fmt.Sprint(a.path, a.Meta.Offset) // the link previous has another address for a page than the link next
	w.mu.Lock()
	met := w.pages[again]
	w.pages[again] = true
	w.mu.Unlock()
	if met {
		return nil
	}
	for _, got := range a.rows {
		key, err := item(got)
		if err != nil {
			return err
		}
		w.mu.Lock()
		if into[stop] == nil {
			into[stop] = map[string]bool{}
		}
		twice := into[stop][key]
		into[stop][key] = true
		w.mu.Unlock()
		if twice {
			return fmt.Errorf("%q is listed twice", key)
		}
	}
	return nil
}

// totals compares the number of reached rows with the number of all rows.
func (w *walker) totals() {
	if len(w.fault) > 0 {
		return
	}
	m := w.model
	for name, want := range map[string]int{"feeds/*/agencies/*": len(m.agencies), routePattern: len(m.routeOf),
		"feeds/*/stops/*":    len(m.stops),
		"feeds/*/services/*": len(m.services), routePattern + "/trips/*": len(m.tripOf),
		"feeds/*/shapes/*/geojson": len(m.shapes)} {
		if w.count[name] != want {
			w.fault = append(w.fault, fmt.Sprintf("%d answers of %s, want %d", w.count[name], name, want))
		}
	}
	for _, s := range m.stops {
		id := s.get("stop_id")
		if !maps.Equal(w.calls[id], m.callsAt[id]) {
			w.fault = append(w.fault, fmt.Sprintf("stop %q: %d stop times, want %d", id, len(w.calls[id]), len(m.callsAt[id])))
		}
		if want := m.callers(id); !maps.Equal(w.trips[id], want) {
			w.fault = append(w.fault, fmt.Sprintf("stop %q: %d trips, want %d", id, len(w.trips[id]), len(want)))
		}
		if len(w.fault) >= maxFaults {
			return
		}
	}
}

// decode decodes the data of a single resource.
func decode[T any](a *answer) (T, error) {
	var v T
	return v, json.Unmarshal(a.Data, &v)
}
