package townline_test

import (
	"cmp"
	"slices"
	"strconv"
	"testing"
)

type row = *record

// A record has the cells of a row. Rows of one file share the indexes of their columns.
type record struct {
	at    map[string]int
	cells []string
}

// get returns a cell; "" if it is empty or the column is missing.
func (r *record) get(column string) string {
	if i, ok := r.at[column]; ok {
		return r.cells[i]
	}
	return ""
}

func (r *record) set(column, cell string) { r.cells[r.at[column]] = cell }

// newRow returns a row from alternating names and cells.
func newRow(cells ...string) row {
	r := &record{at: map[string]int{}}
	for i := 0; i < len(cells); i += 2 {
		r.at[cells[i]] = i / 2
		r.cells = append(r.cells, cells[i+1])
	}
	return r
}

// A feedModel has the expected answers of the API for a feed: its CSV files, read by the rules of
// the GTFS reference, independently of the database.
type feedModel struct {
	rank      map[string]int // position of a route: by agency in file order, then by route in file order
	alias     string
	agencies  []row
	routes    map[string][]row // by agency, in file order
	routeOf   map[string]row
	stops     []row
	stopOf    map[string]row
	services  []row // with the additional column "in_calendar"
	serviceOf map[string]row
	dates     map[string][]row // exceptions by service, sorted by date
	trips     map[string][]row // by route, in file order
	tripOf    map[string]row
	calls     map[string][]row           // by trip, sorted by stop_sequence
	shapes    []string                   // ids in file order
	points    map[string][]row           // by shape, sorted by sequence
	windows   map[string][]row           // rows of frequencies.txt by trip
	callsAt   map[string]map[string]bool // "trip sequence" by stop; stations include those of their platforms
	feed      csvFeed
	kept      map[string][]row // rows of files that the import does not use, by file
}

// readModel reads a feed. It keeps the rows and cells that the import should keep: the first of
// several rows with the same key, no rows with dangling references, and only valid cells.
func readModel(t *testing.T, alias, file string) *feedModel {
	t.Helper()
	feed := readZip(t, file)
	m := &feedModel{alias: alias, feed: feed,
		routes: map[string][]row{}, routeOf: map[string]row{}, stopOf: map[string]row{}, serviceOf: map[string]row{},
		dates: map[string][]row{}, trips: map[string][]row{}, tripOf: map[string]row{}, calls: map[string][]row{},
		points: map[string][]row{}, windows: map[string][]row{}, callsAt: map[string]map[string]bool{},
		rank: map[string]int{}}
	m.readAgencies(t, feed)
	for _, a := range m.agencies {
		for _, r := range m.routes[a.get("agency_id")] {
			m.rank[r.get("route_id")] = len(m.rank)
		}
	}
	m.readStops(t, feed)
	m.readServices(t, feed)
	m.readShapes(t, feed)
	m.readTrips(t, feed)
	m.readCalls(t, feed)
	for r := range feed.rows(t, "frequencies.txt") {
		id, start := r.get("trip_id"), r.get("start_time")
		twice := slices.ContainsFunc(m.windows[id], func(o row) bool { return o.get("start_time") == start })
		if m.tripOf[id] != nil && !twice && start != "" && r.get("end_time") != "" && r.get("headway_secs") != "" {
			m.windows[id] = append(m.windows[id], r)
		}
	}
	m.readKept(t, feed)
	return m
}

func (m *feedModel) readAgencies(t *testing.T, feed csvFeed) {
	seen := map[string]bool{}
	nameless := ""
	for r := range feed.rows(t, "agency.txt") {
		if r.get("agency_id") == "" {
			r.set("agency_id", m.alias)
			nameless = m.alias
		}
		if !seen[r.get("agency_id")] {
			seen[r.get("agency_id")] = true
			m.agencies = append(m.agencies, r)
		}
	}
	standIn := len(m.agencies) == 0
	for r := range feed.rows(t, "routes.txt") {
		id := r.get("agency_id")
		switch {
		case standIn && !seen[cmp.Or(id, m.alias)]: // no agency.txt: use the agencies of the routes
			id = cmp.Or(id, m.alias)
			seen[id] = true
			m.agencies = append(m.agencies, newRow("agency_id", id, "agency_name", m.alias))
		case standIn:
			id = cmp.Or(id, m.alias)
		case id == "" && nameless != "":
			id = nameless
		case id == "" || !seen[id] && len(m.agencies) == 1 && nameless != "":
			id = m.agencies[0].get("agency_id")
		case !seen[id]:
			continue
		}
		if r.get("route_id") == "" || m.routeOf[r.get("route_id")] != nil {
			continue
		}
		r.set("agency_id", id)
		m.routeOf[r.get("route_id")] = r
		m.routes[id] = append(m.routes[id], r)
	}
}

func (m *feedModel) readStops(t *testing.T, feed csvFeed) {
	for r := range feed.rows(t, "stops.txt") {
		if r.get("stop_id") != "" && m.stopOf[r.get("stop_id")] == nil {
			m.stopOf[r.get("stop_id")] = r
			m.stops = append(m.stops, r)
		}
	}
	for _, r := range m.stops {
		if p := r.get("parent_station"); m.stopOf[p] == nil || p == r.get("stop_id") {
			r.set("parent_station", "")
		}
	}
}

func (m *feedModel) readServices(t *testing.T, feed csvFeed) {
	for r := range feed.rows(t, "calendar.txt") {
		if r.get("service_id") != "" && m.serviceOf[r.get("service_id")] == nil {
			r.set("in_calendar", "1")
			m.serviceOf[r.get("service_id")] = r
			m.services = append(m.services, r)
		}
	}
	for r := range feed.rows(t, "calendar_dates.txt") {
		id := r.get("service_id")
		if id == "" || r.get("date") == "" || r.get("exception_type") == "" {
			continue
		}
		s := m.serviceOf[id]
		if s == nil {
			s = newRow("service_id", id, "start_date", r.get("date"), "end_date", r.get("date"))
			m.serviceOf[id] = s
			m.services = append(m.services, s)
		}
		if s.get("in_calendar") == "" {
			s.set("start_date", min(s.get("start_date"), r.get("date")))
			s.set("end_date", max(s.get("end_date"), r.get("date")))
		}
		if !slices.ContainsFunc(m.dates[id], func(o row) bool { return o.get("date") == r.get("date") }) {
			m.dates[id] = append(m.dates[id], r)
		}
	}
	for _, list := range m.dates {
		slices.SortFunc(list, func(a, b row) int { return cmp.Compare(a.get("date"), b.get("date")) })
	}
}

func (m *feedModel) readShapes(t *testing.T, feed csvFeed) {
	type key struct {
		id       string
		sequence int
	}
	seen := map[key]bool{}
	for r := range feed.rows(t, "shapes.txt") {
		id := r.get("shape_id")
		sequence, ok := wholeNumber(r.get("shape_pt_sequence"))
		if id == "" || !ok || r.get("shape_pt_lat") == "" || r.get("shape_pt_lon") == "" || seen[key{id, sequence}] {
			continue
		}
		seen[key{id, sequence}] = true
		r.set("shape_pt_sequence", strconv.Itoa(sequence))
		if m.points[id] == nil {
			m.shapes = append(m.shapes, id)
		}
		m.points[id] = append(m.points[id], r)
	}
	for _, list := range m.points {
		slices.SortStableFunc(list, bySequence("shape_pt_sequence"))
	}
}

func bySequence(column string) func(a, b row) int {
	return func(a, b row) int {
		x, _ := strconv.Atoi(a.get(column))
		y, _ := strconv.Atoi(b.get(column))
		return cmp.Compare(x, y)
	}
}

func (m *feedModel) readTrips(t *testing.T, feed csvFeed) {
	for r := range feed.rows(t, "trips.txt") {
		id := r.get("trip_id")
		if id == "" || m.tripOf[id] != nil || m.routeOf[r.get("route_id")] == nil || m.serviceOf[r.get("service_id")] == nil {
			continue
		}
		if m.points[r.get("shape_id")] == nil {
			r.set("shape_id", "")
		}
		m.tripOf[id] = r
		m.trips[r.get("route_id")] = append(m.trips[r.get("route_id")], r)
	}
}

func (m *feedModel) readCalls(t *testing.T, feed csvFeed) {
	for r := range feed.rows(t, "stop_times.txt") {
		id := r.get("trip_id")
		sequence, ok := wholeNumber(r.get("stop_sequence"))
		elsewhere := r.get("location_group_id") != "" || r.get("location_id") != "" // then no stop is required
		if m.tripOf[id] == nil || !ok || m.stopOf[r.get("stop_id")] == nil && (r.get("stop_id") != "" || !elsewhere) {
			continue
		}
		r.set("stop_sequence", strconv.Itoa(sequence))
		if !slices.ContainsFunc(m.calls[id], func(o row) bool { return o.get("stop_sequence") == r.get("stop_sequence") }) {
			m.calls[id] = append(m.calls[id], r)
		}
	}
	for trip, list := range m.calls {
		slices.SortStableFunc(list, bySequence("stop_sequence"))
		for _, c := range list {
			stop := c.get("stop_id")
			for range 5 { // through platform, station and further parents
				if stop == "" {
					break
				}
				if m.callsAt[stop] == nil {
					m.callsAt[stop] = map[string]bool{}
				}
				m.callsAt[stop][trip+" "+c.get("stop_sequence")] = true
				stop = m.stopOf[stop].get("parent_station")
			}
		}
	}
}

// direction returns the direction of a trip; "0" if it has none.
func direction(trip row) string { return cmp.Or(trip.get("direction_id"), "0") }

func (m *feedModel) directions(route string) []string {
	var out []string
	for _, trip := range m.trips[route] {
		out = append(out, direction(trip))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m *feedModel) stopsOf(trip string) []string {
	var out []string
	for _, c := range m.calls[trip] {
		if c.get("stop_id") != "" {
			out = append(out, c.get("stop_id"))
		}
	}
	return out
}
