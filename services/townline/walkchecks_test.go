package townline_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

// checks compare resources with the feed, keyed by their path without ids. Of other resources only
// the envelope is checked.
var checks = map[string]func(w *walker, a *answer) error{
	"feeds/*":                            (*walker).feed,
	"feeds/*/agencies":                   (*walker).agencies,
	"feeds/*/agencies/*":                 (*walker).agency,
	"feeds/*/agencies/*/routes":          (*walker).routes,
	routePattern:                         (*walker).route,
	routePattern + "/geojson":            (*walker).routeGeoJSON,
	routePattern + "/wkt":                (*walker).routeWKT,
	routePattern + "/directions":         (*walker).directions,
	routePattern + "/directions/*":       (*walker).direction,
	routePattern + "/stops/*":            (*walker).routeStops,
	routePattern + "/trips":              (*walker).tripList,
	routePattern + "/trips/*":            (*walker).trip,
	routePattern + "/trips/*/stop_times": (*walker).tripCalls,
	routePattern + "/trips/*/stops":      (*walker).tripStops,
	routePattern + "/trips/*/geojson":    (*walker).tripGeoJSON,
	routePattern + "/schedules/*/*":      (*walker).schedule,
	"feeds/*/services":                   (*walker).services,
	"feeds/*/services/*":                 (*walker).service,
	"feeds/*/shapes":                     (*walker).shapes,
	"feeds/*/shapes/*":                   (*walker).points,
	"feeds/*/shapes/*/geojson":           (*walker).shapeGeoJSON,
	"feeds/*/stops":                      (*walker).stops,
	"feeds/*/stops/*":                    (*walker).stop,
	"feeds/*/stops/*/routes":             (*walker).stopRoutes,
	"feeds/*/stops/*/directions":         (*walker).stopDirections,
	"feeds/*/stops/*/trips":              (*walker).stopTrips,
	"feeds/*/stops/*/stop_times":         (*walker).stopCalls,
	"feeds/*/report":                     (*walker).report,
	"feeds/*/files":                      (*walker).fileList,
	"feeds/*/files/*":                    (*walker).file,
	"feeds/*/locations":                  (*walker).locations,
}

// checkOf returns the check of a resource; nil if unknown.
func checkOf(name string) func(w *walker, a *answer) error {
	def, known := gtfs.TableOf(strings.TrimPrefix(name, "feeds/*/") + ".txt")
	if known && (def.Unchanged() || def.Plain && def.Title != "") {
		return (*walker).rowsAsTheyAre
	}
	return checks[name]
}

const routePattern = "feeds/*/agencies/*/routes/*"

// envelope checks the size of a page.
func (w *walker) envelope(a *answer) error {
	n := max(0, min(a.Meta.Limit, a.Meta.TotalCount-a.Meta.Offset))
	if a.Meta.Limit > 0 && len(a.rows) != n {
		return fmt.Errorf("%d items, want %d", len(a.rows), n)
	}
	return nil
}

// columns are the columns whose cells are served unchanged: an empty required cell is "", another
// empty cell null.
type columns struct{ required, nullable []string }

var (
	agencyColumns = columns{[]string{"agency_id", "agency_name", "agency_url", "agency_timezone"},
		[]string{"agency_lang", "agency_phone", "agency_fare_url", "agency_email"}}
	routeColumns = columns{[]string{"route_id", "agency_id", "route_type"},
		[]string{"route_short_name", "route_long_name", "route_desc", "route_url", "route_color", "route_text_color",
			"route_sort_order",
			"continuous_pickup", "continuous_drop_off", "network_id"}}
	stopColumns = columns{[]string{"stop_id", "stop_name", "stop_lat", "stop_lon"},
		[]string{"stop_code", "stop_desc", "zone_id", "stop_url", "location_type", "parent_station", "stop_timezone",
			"wheelchair_boarding",
			"platform_code", "tts_stop_name", "level_id"}}
	tripColumns = columns{[]string{"trip_id", "route_id", "service_id"},
		[]string{"trip_headsign", "trip_short_name", "direction_id", "block_id", "shape_id", "wheelchair_accessible",
			"bikes_allowed"}}
	callColumns = columns{[]string{"trip_id", "stop_id", "stop_sequence"},
		[]string{"arrival_time", "departure_time", "location_group_id", "stop_headsign", "start_pickup_drop_off_window",
			"end_pickup_drop_off_window", "pickup_type", "drop_off_type", "continuous_pickup", "continuous_drop_off",
			"shape_dist_traveled",
			"timepoint", "pickup_booking_rule_id", "drop_off_booking_rule_id"}}
	pointColumns = columns{[]string{"shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence"},
		[]string{"shape_dist_traveled"}}
)

// same compares an item with a row, cell by cell.
func (c columns) same(got map[string]any, want row, label string) error {
	if want == nil {
		return fmt.Errorf("%v is not in the feed", got)
	}
	for _, name := range c.required {
		if got[name] != want.get(name) {
			return fmt.Errorf("%s is %#v, want %q", name, got[name], want.get(name))
		}
	}
	for _, name := range c.nullable {
		if cell := want.get(name); cell == "" && got[name] != nil || cell != "" && got[name] != cell {
			return fmt.Errorf("%s is %#v, want %q", name, got[name], cell)
		}
		if _, ok := got[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if got["label"] != label {
		return fmt.Errorf("label is %#v, want %q", got["label"], label)
	}
	return nil
}

// page compares a page with its part of a list.
func page[T any](a *answer, all []T, same func(got map[string]any, want T) error) error {
	if a.Meta.TotalCount != len(all) {
		return fmt.Errorf("totalCount %d, want %d", a.Meta.TotalCount, len(all))
	}
	if n := max(0, min(a.Meta.Limit, len(all)-a.Meta.Offset)); len(a.rows) != n {
		return fmt.Errorf("%d items, want %d", len(a.rows), n)
	}
	for i, got := range a.rows {
		if err := same(got, all[a.Meta.Offset+i]); err != nil {
			return fmt.Errorf("item %d: %w", a.Meta.Offset+i, err)
		}
	}
	return nil
}

// one returns the item of a single resource.
func (a *answer) one() (map[string]any, error) {
	if len(a.rows) != 1 || a.Meta.TotalCount != 1 || a.Meta.DataCount != 1 || a.Meta.Limit != 0 {
		return nil, fmt.Errorf("not a single resource: %+v", a.Meta)
	}
	return a.rows[0], nil
}

func (w *walker) feed(a *answer) error {
	m := w.model
	calls := 0
	for _, list := range m.calls {
		calls += len(list)
	}
	for name, want := range map[string]int{"agencies": len(m.agencies), "routes": len(m.routeOf), "stops": len(m.stops),
		"services": len(m.services),
		"trips":    len(m.tripOf), "stop_times": calls, "shapes": len(m.shapes)} {
		if got := a.rows[0][name]; got != float64(want) {
			return fmt.Errorf("%s is %v, want %d", name, got, want)
		}
	}
	return nil
}

func sameAgency(got map[string]any, want row) error {
	return agencyColumns.same(got, want, cmp.Or(want.get("agency_name"), want.get("agency_id")))
}

func (w *walker) agencies(a *answer) error { return page(a, w.model.agencies, sameAgency) }

func (w *walker) agency(a *answer) error {
	got, err := a.one()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(w.model.agencies, func(r row) bool { return r.get("agency_id") == a.path[3] })
	return sameAgency(got, w.model.agencies[i])
}

func sameRoute(got map[string]any, want row) error {
	if want == nil {
		return errors.New("not in the feed")
	}
	label := strings.TrimSpace(want.get("route_short_name") + " " + want.get("route_long_name"))
	if err := routeColumns.same(got, want, cmp.Or(label, want.get("route_id"))); err != nil {
		return err
	}
	for name := range want.at { // columns outside GTFS
		if slices.Contains(routeColumns.required, name) || slices.Contains(routeColumns.nullable, name) || name == "label" ||
			name == "links" {
			continue
		}
		if cell, ok := got[name]; !ok || cell == nil != (want.get(name) == "") || cell != nil && cell != want.get(name) {
			return fmt.Errorf("%s is %#v, want %q", name, cell, want.get(name))
		}
	}
	return nil
}

func (w *walker) routes(a *answer) error { return page(a, w.model.routes[a.path[3]], sameRoute) }

func (w *walker) route(a *answer) error {
	got, err := a.one()
	if err != nil {
		return err
	}
	return sameRoute(got, w.model.routeOf[a.path[5]])
}

func sameDirection(route string) func(map[string]any, string) error {
	return func(got map[string]any, id string) error {
		if got["route_id"] != route || got["direction_id"] != id || got["direction"] == "" ||
			got["label"] != got["direction"] || got["service"] != nil {
			return fmt.Errorf("%v, want direction %s of %s", got, id, route)
		}
		if _, ok := got["route"]; ok {
			return errors.New("the directions of a route must not embed the route")
		}
		return nil
	}
}

func (w *walker) directions(a *answer) error {
	return page(a, w.model.directions(a.path[5]), sameDirection(a.path[5]))
}

func (w *walker) direction(a *answer) error {
	got, err := a.one()
	if err != nil {
		return err
	}
	return sameDirection(a.path[5])(got, a.path[7])
}

func (w *walker) sameStop(got map[string]any, id string) error {
	want := w.model.stopOf[id]
	if want == nil {
		return fmt.Errorf("stop %q is not in the feed", id)
	}
	return stopColumns.same(got, want, cmp.Or(want.get("stop_name"), want.get("stop_id")))
}

// routeStops compares the order of a direction's stops with every trip: each trip must find its
// stops in the list from top to bottom.
func (w *walker) routeStops(a *answer) error {
	var ids []string
	for _, got := range a.rows {
		id, _ := got["stop_id"].(string)
		if err := w.sameStop(got, id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if a.Meta.TotalCount != len(ids) {
		return nil // a page of a very long route
	}
	for _, trip := range w.model.trips[a.path[5]] {
		at := 0
		for _, id := range w.model.stopsOf(trip.get("trip_id")) {
			if direction(trip) != a.path[7] {
				break
			}
			next := slices.Index(ids[at:], id)
			if next < 0 {
				return fmt.Errorf("trip %q does not read from top to bottom at stop %q", trip.get("trip_id"), id)
			}
			at += next + 1
		}
	}
	return nil
}

func sameTrip(got map[string]any, want row) error {
	if want == nil {
		return errors.New("not in the feed")
	}
	return tripColumns.same(got, want, cmp.Or(want.get("trip_headsign"), want.get("trip_short_name"), want.get("trip_id")))
}

func (w *walker) tripList(a *answer) error { return page(a, w.model.trips[a.path[5]], sameTrip) }

func (w *walker) trip(a *answer) error {
	got, err := a.one()
	if err != nil {
		return err
	}
	return sameTrip(got, w.model.tripOf[a.path[7]])
}

func sameCall(got map[string]any, want row) error {
	if zone, _ := got["location_id"].(string); zone != want.get("location_id") {
		return fmt.Errorf("location_id is %#v, want %q", got["location_id"], want.get("location_id"))
	}
	return callColumns.same(got, want, want.get("trip_id")+" "+want.get("stop_sequence"))
}

func (w *walker) tripCalls(a *answer) error {
	return page(a, w.model.calls[a.path[7]], func(got map[string]any, want row) error {
		if _, ok := got["links"]; ok {
			return errors.New("the stop times of a trip must have no links")
		}
		return sameCall(got, want)
	})
}

func (w *walker) tripStops(a *answer) error { return page(a, w.model.stopsOf(a.path[7]), w.sameStop) }

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

func (w *walker) sameService(got map[string]any, want row) error {
	if want == nil {
		return errors.New("not in the feed")
	}
	if got["service_id"] != want.get("service_id") || got["label"] != want.get("service_id") {
		return fmt.Errorf("%v, want %q", got, want.get("service_id"))
	}
	for _, day := range weekdays {
		if got[day] != cmp.Or(want.get(day), "0") {
			return fmt.Errorf("%s is %#v, want %q", day, got[day], want.get(day))
		}
	}
	for _, name := range []string{"start_date", "end_date"} {
		if got[name] != w.midnight(want.get(name)) {
			return fmt.Errorf("%s is %#v, want %q", name, got[name], w.midnight(want.get(name)))
		}
	}
	return nil
}

// midnight returns a date in the format of the API. Clocks never change at midnight in these feeds.
func (w *walker) midnight(date string) string {
	zone, err := time.LoadLocation(w.model.agencies[0].get("agency_timezone"))
	if err != nil {
		zone = time.UTC
	}
	day, err := time.ParseInLocation("20060102", date, zone)
	if err != nil {
		return ""
	}
	return day.Format("2006-01-02T15:04:05-07:00")
}

func (w *walker) services(a *answer) error {
	return page(a, w.model.services, func(got map[string]any, want row) error {
		if _, ok := got["exceptions"]; ok {
			return errors.New("the list of services has exceptions")
		}
		return w.sameService(got, want)
	})
}

func (w *walker) service(a *answer) error {
	got, err := a.one()
	if err != nil {
		return err
	}
	if err := w.sameService(got, w.model.serviceOf[a.path[3]]); err != nil {
		return err
	}
	list, _ := got["exceptions"].([]any)
	want := w.model.dates[a.path[3]]
	if len(list) != len(want) {
		return fmt.Errorf("%d exceptions, want %d", len(list), len(want))
	}
	for i, item := range list {
		e, _ := item.(map[string]any)
		if e["service_id"] != a.path[3] || e["date"] != w.midnight(want[i].get("date")) ||
			e["exception_type"] != want[i].get("exception_type") {
			return fmt.Errorf("exception %v, want %v", e, want[i].cells)
		}
	}
	return nil
}

func (w *walker) shapes(a *answer) error {
	return page(a, w.model.shapes, func(got map[string]any, want string) error {
		if got["shape_id"] != want || len(got) != 2 {
			return fmt.Errorf("%v, want %q", got, want)
		}
		return nil
	})
}

func (w *walker) points(a *answer) error {
	return page(a, w.model.points[a.path[3]], func(got map[string]any, want row) error {
		return pointColumns.same(got, want, want.get("shape_id")+" "+want.get("shape_pt_sequence"))
	})
}
