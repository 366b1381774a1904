package townline_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type feature[G any] struct {
	Type       string
	Properties map[string]any
	Geometry   struct {
		Type        string
		Coordinates G
	}
}

type positions [][2]float64

// text returns a string that identifies a line, to compare sets of lines.
func (p positions) text() string { return fmt.Sprint([][2]float64(p)) }

// lineOf converts cells to positions. A single position is doubled, because a line has at least
// two.
func lineOf(rows []row, lon, lat string) positions {
	line := positions{}
	for _, r := range rows {
		x, okX := degrees(r.get(lon))
		y, okY := degrees(r.get(lat))
		if okX && okY {
			line = append(line, [2]float64{x, y})
		}
	}
	if len(line) == 1 {
		line = append(line, line[0])
	}
	return line
}

func (m *feedModel) shapeLine(id string) positions {
	return lineOf(m.points[id], "shape_pt_lon", "shape_pt_lat")
}

// tripLine returns the trip's shape or, if it has none, the line through its stops.
func (m *feedModel) tripLine(trip row) positions {
	if id := trip.get("shape_id"); id != "" {
		return m.shapeLine(id)
	}
	var stops []row
	for _, id := range m.stopsOf(trip.get("trip_id")) {
		stops = append(stops, m.stopOf[id])
	}
	return lineOf(stops, "stop_lon", "stop_lat")
}

func (w *walker) shapeGeoJSON(a *answer) error {
	f, err := decode[feature[positions]](a)
	if err != nil {
		return err
	}
	if f.Type != "Feature" || f.Properties != nil || f.Geometry.Type != "LineString" ||
		f.Geometry.Coordinates.text() != w.model.shapeLine(a.path[3]).text() {
		return errors.New("the line differs from the shape")
	}
	return nil
}

func (w *walker) tripGeoJSON(a *answer) error {
	f, err := decode[feature[positions]](a)
	if err != nil {
		return err
	}
	trip := w.model.tripOf[a.path[7]]
	if f.Type != "Feature" || f.Geometry.Type != "LineString" || f.Geometry.Coordinates.text() != w.model.tripLine(trip).
		text() {
		return errors.New("the line differs from the trip's path")
	}
	for _, name := range []string{"trip_id", "route_id", "service_id", "trip_headsign", "block_id"} {
		if got, want := f.Properties[name], trip.get(name); got != nil && got != want || got == nil && want != "" {
			return fmt.Errorf("%s is %#v, want %q", name, got, want)
		}
	}
	return nil
}

// routeLines returns the distinct lines of a route's trips.
func (m *feedModel) routeLines(route string) []string {
	var shapes, out []string
	for _, trip := range m.trips[route] {
		if id := trip.get("shape_id"); id != "" {
			shapes = append(shapes, id)
		} else if l := m.tripLine(trip); len(l) > 0 {
			out = append(out, l.text())
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Sort(shapes)
	for _, id := range slices.Compact(shapes) { // one line per shape, even if two shapes are equal
		if l := m.shapeLine(id); len(l) > 0 {
			out = append(out, l.text())
		}
	}
	slices.Sort(out)
	return out
}

func (w *walker) sameLines(got []positions, route string) error {
	var lines []string
	for _, l := range got {
		lines = append(lines, l.text())
	}
	slices.Sort(lines)
	want := w.model.routeLines(route)
	// Two patterns have the same line if their stops have equal positions.
	if !slices.Equal(slices.Compact(slices.Clone(lines)), slices.Compact(slices.Clone(want))) || len(lines) < len(want) {
		return fmt.Errorf("%d lines, want %d", len(lines), len(want))
	}
	return nil
}

func (w *walker) routeGeoJSON(a *answer) error {
	f, err := decode[feature[[]positions]](a)
	if err != nil {
		return err
	}
	if f.Type != "Feature" || f.Geometry.Type != "MultiLineString" || f.Geometry.Coordinates == nil {
		return fmt.Errorf("not a MultiLineString: %s %s", f.Type, f.Geometry.Type)
	}
	if err := sameRoute(f.Properties, w.model.routeOf[a.path[5]]); err != nil {
		return err
	}
	return w.sameLines(f.Geometry.Coordinates, a.path[5])
}

func (w *walker) routeWKT(a *answer) error {
	text, err := decode[string](a)
	if err != nil {
		return err
	}
	if text == "MULTILINESTRING EMPTY" {
		return w.sameLines(nil, a.path[5])
	}
	text, ok := strings.CutPrefix(text, "MULTILINESTRING ((")
	text, closed := strings.CutSuffix(text, "))")
	if !ok || !closed {
		return errors.New("not a MULTILINESTRING")
	}
	var lines []positions
	for part := range strings.SplitSeq(text, "), (") {
		var l positions
		for pair := range strings.SplitSeq(part, ", ") {
			lon, lat, _ := strings.Cut(pair, " ")
			x, okX := degrees(lon)
			y, okY := degrees(lat)
			if !okX || !okY {
				return fmt.Errorf("position %q", pair)
			}
			l = append(l, [2]float64{x, y})
		}
		lines = append(lines, l)
	}
	return w.sameLines(lines, a.path[5])
}

type grid struct {
	AgencyID    string `json:"agency_id"`
	RouteID     string `json:"route_id"`
	ServiceID   string `json:"service_id"`
	DirectionID string `json:"direction_id"`
	Schedule    struct {
		Stops []struct {
			Label    string
			StopID   string `json:"stop_id"`
			StopName string `json:"stop_name"`
		}
		Trips []struct {
			TripID    string `json:"trip_id"`
			StopTimes []*struct {
				StopID  int64  `json:"stop_id"`
				Arrival string `json:"arrival_time"`
				Seconds int    `json:"arrival_time_seconds"`
			} `json:"stop_times"`
		}
	}
}

// schedule compares a timetable with its trips: each column from top to bottom has the trip's
// calls, every trip of the service is listed, and no row is empty.
func (w *walker) schedule(a *answer) error {
	g, err := decode[grid](a)
	if err != nil {
		return err
	}
	if g.AgencyID != a.path[3] || g.RouteID != a.path[5] || g.ServiceID != a.path[7] || g.DirectionID != a.path[8] {
		return fmt.Errorf("the answer is about %s %s %s %s", g.AgencyID, g.RouteID, g.ServiceID, g.DirectionID)
	}
	called := make([]bool, len(g.Schedule.Stops))
	columns := map[string]int{}
	for _, col := range g.Schedule.Trips {
		columns[col.TripID]++
		if len(col.StopTimes) != len(g.Schedule.Stops) {
			return fmt.Errorf("trip %q has %d cells for %d rows", col.TripID, len(col.StopTimes), len(g.Schedule.Stops))
		}
		var calls []row
		for _, c := range w.model.calls[col.TripID] {
			if c.get("stop_id") != "" {
				calls = append(calls, c)
			}
		}
		last := -1 << 30
		for i, cell := range col.StopTimes {
			if cell == nil {
				continue
			}
			called[i] = true
			if len(calls) == 0 {
				return fmt.Errorf("trip %q has too many stop times", col.TripID)
			}
			call := calls[0]
			calls = calls[1:]
			id := g.Schedule.Stops[i].StopID
			if id != call.get("stop_id") {
				return fmt.Errorf("trip %q is at %q, want %q", col.TripID, id, call.get("stop_id"))
			}
			if n, err := strconv.ParseInt(id, 10, 64); err == nil && strconv.FormatInt(n, 10) == id && n < 1<<53 &&
				n != cell.StopID {
				return fmt.Errorf("stop %q has the number %d", id, cell.StopID)
			}
			at, timed := secondsOf(call.get("arrival_time"))
			if !timed {
				at, timed = secondsOf(call.get("departure_time"))
			}
			if timed && w.model.windows[col.TripID] == nil && at != cell.Seconds {
				return fmt.Errorf("trip %q at %q: %d, want %d", col.TripID, id, cell.Seconds, at)
			}
			if !timed && cell.Seconds < last {
				return fmt.Errorf("trip %q at %q: %d is before %d", col.TripID, id, cell.Seconds, last)
			}
			last = cell.Seconds
			if want := display(cell.Seconds); cell.Arrival != want {
				return fmt.Errorf("%d is shown as %q, want %q", cell.Seconds, cell.Arrival, want)
			}
		}
		if len(calls) > 0 {
			return fmt.Errorf("trip %q lacks %d calls", col.TripID, len(calls))
		}
	}
	if slices.Contains(called, false) {
		return errors.New("a row without calls")
	}
	return w.scheduled(a, columns)
}

// scheduled compares the number of columns of each trip with its number of runs.
func (w *walker) scheduled(a *answer, columns map[string]int) error {
	for _, trip := range w.model.trips[a.path[5]] {
		id := trip.get("trip_id")
		want := 0
		timed := slices.ContainsFunc(w.model.calls[id], func(c row) bool {
			return c.get("arrival_time") != "" || c.get("departure_time") != ""
		})
		if trip.get("service_id") == a.path[7] && direction(trip) == a.path[8] && timed {
			want = 1
			if windows := w.model.windows[id]; windows != nil {
				want = departures(windows)
			}
		}
		if columns[id] != want {
			return fmt.Errorf("trip %q has %d columns, want %d", id, columns[id], want)
		}
	}
	return nil
}

// departures counts the departures of a trip by frequency; the end of a window is not a departure.
func departures(windows []row) int {
	n := 0
	for _, r := range windows {
		from, _ := secondsOf(r.get("start_time"))
		to, _ := secondsOf(r.get("end_time"))
		every, _ := strconv.Atoi(r.get("headway_secs"))
		if to > from {
			n += (to - from + every - 1) / every
		}
	}
	return n
}

// display formats a time of the service day on a twelve-hour clock.
func display(seconds int) string {
	seconds = (seconds%86400 + 86400) % 86400
	h, half := seconds/3600, "am"
	if h >= 12 {
		h, half = h-12, "pm"
	}
	if h == 0 {
		h = 12
	}
	return fmt.Sprintf("%d:%02d %s", h, seconds/60%60, half)
}
