package townline_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
)

// A row is one row of a file by column.
type row = *record

// A record holds cells; rows of one file share the places of their columns.
type record struct {
	at    map[string]int
	cells []string
}

// get is a cell; "" when it is empty, or the column is not there.
func (r *record) get(column string) string {
	if i, ok := r.at[column]; ok {
		return r.cells[i]
	}
	return ""
}

func (r *record) set(column, cell string) { r.cells[r.at[column]] = cell }

// newRow makes a row of names and cells in turn.
func newRow(cells ...string) row {
	r := &record{at: map[string]int{}}
	for i := 0; i < len(cells); i += 2 {
		r.at[cells[i]] = i / 2
		r.cells = append(r.cells, cells[i+1])
	}
	return r
}

// A feedModel is what the API should say of a feed: its CSV files read by the rules
// of the reference, and nothing of the database.
type feedModel struct {
	rank      map[string]int // where a route stands: agencies in file order, in each its routes
	alias     string
	agencies  []row
	routes    map[string][]row // by agency, in file order
	routeOf   map[string]row
	stops     []row
	stopOf    map[string]row
	services  []row // with "in_calendar"
	serviceOf map[string]row
	dates     map[string][]row // exceptions by service, by date
	trips     map[string][]row // by route, in file order
	tripOf    map[string]row
	calls     map[string][]row           // by trip, by stop_sequence
	shapes    []string                   // ids in file order
	points    map[string][]row           // by shape, by sequence
	windows   map[string][]row           // frequencies by trip
	callsAt   map[string]map[string]bool // "trip sequence" by stop; stations know those of their platforms
}

// readModel reads a feed. It keeps what the import should keep: of rows with
// the same key the first, none whose references dangle, and of cells those that
// their column allows.
func readModel(t *testing.T, alias, file string) *feedModel {
	t.Helper()
	feed, err := gtfs.OpenFile(file, gtfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = feed.Close() }()
	m := &feedModel{alias: alias,
		routes: map[string][]row{}, routeOf: map[string]row{}, stopOf: map[string]row{}, serviceOf: map[string]row{},
		dates: map[string][]row{}, trips: map[string][]row{}, tripOf: map[string]row{}, calls: map[string][]row{},
		points: map[string][]row{}, windows: map[string][]row{}, callsAt: map[string]map[string]bool{}, rank: map[string]int{}}
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
	for r := range rowsOf(t, feed, "frequencies.txt") {
		id, start := r.get("trip_id"), r.get("start_time")
		twice := slices.ContainsFunc(m.windows[id], func(o row) bool { return o.get("start_time") == start })
		if m.tripOf[id] != nil && !twice && start != "" && r.get("end_time") != "" && r.get("headway_secs") != "" {
			m.windows[id] = append(m.windows[id], r)
		}
	}
	return m
}

// rowsOf yields the rows of a file, each cell as it should come out.
func rowsOf(t *testing.T, feed *gtfs.Feed, file string) func(yield func(row) bool) {
	return func(yield func(row) bool) {
		def, _ := gtfs.TableOf(file)
		if !feed.Has(file) {
			return
		}
		r, err := feed.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		at, kinds := map[string]int{}, make([]gtfs.Kind, len(r.Header()))
		for i, name := range r.Header() {
			name = canonical(def, name)
			if c := def.Column(name); c >= 0 {
				kinds[i] = def.Columns[c].Kind
			}
			if name != "" {
				at[name] = i
			}
		}
		width := len(kinds)
		for _, c := range append(slices.Clone(def.Columns), gtfs.Column{Name: "in_calendar"}) { // so that any of them can be set
			if _, ok := at[c.Name]; !ok {
				at[c.Name] = width
				width++
			}
		}
		known := map[string]string{} // cells repeat themselves
		for r.Next() {
			out := &record{at, make([]string, width)}
			for i, kind := range kinds {
				cell := allowed(kind, r.Cell(i))
				text, ok := known[string(cell)]
				if !ok {
					text = string(cell)
					known[text] = text
				}
				out.cells[i] = text
			}
			if !yield(out) {
				return
			}
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
}

// canonical is a column's name as the reference writes it.
func canonical(def gtfs.Table, name string) string {
	for _, c := range def.Columns {
		if strings.EqualFold(c.Name, name) {
			return c.Name
		}
	}
	return name
}

// allowed is a cell as it should come out: nothing if the column does not allow it and something rests on it, times with two
// digits for the hour, sequences without leading zeros.
func allowed(k gtfs.Kind, cell []byte) []byte {
	if len(cell) == 0 || !k.OK(cell) && !k.Kept() {
		return nil
	}
	if k == gtfs.Time {
		seconds, _ := gtfs.ParseTime(cell)
		return gtfs.AppendTime(nil, seconds)
	}
	return cell
}

func (m *feedModel) readAgencies(t *testing.T, feed *gtfs.Feed) {
	seen := map[string]bool{}
	nameless := ""
	for r := range rowsOf(t, feed, "agency.txt") {
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
	for r := range rowsOf(t, feed, "routes.txt") {
		id := r.get("agency_id")
		switch {
		case standIn && !seen[cmp.Or(id, m.alias)]: // no agency.txt: those that the routes name
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

func (m *feedModel) readStops(t *testing.T, feed *gtfs.Feed) {
	for r := range rowsOf(t, feed, "stops.txt") {
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

func (m *feedModel) readServices(t *testing.T, feed *gtfs.Feed) {
	for r := range rowsOf(t, feed, "calendar.txt") {
		if r.get("service_id") != "" && m.serviceOf[r.get("service_id")] == nil {
			r.set("in_calendar", "1")
			m.serviceOf[r.get("service_id")] = r
			m.services = append(m.services, r)
		}
	}
	for r := range rowsOf(t, feed, "calendar_dates.txt") {
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

func (m *feedModel) readShapes(t *testing.T, feed *gtfs.Feed) {
	type key struct {
		id       string
		sequence int
	}
	seen := map[key]bool{}
	for r := range rowsOf(t, feed, "shapes.txt") {
		id := r.get("shape_id")
		sequence, ok := gtfs.ParseUint([]byte(r.get("shape_pt_sequence")))
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

func (m *feedModel) readTrips(t *testing.T, feed *gtfs.Feed) {
	for r := range rowsOf(t, feed, "trips.txt") {
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

func (m *feedModel) readCalls(t *testing.T, feed *gtfs.Feed) {
	for r := range rowsOf(t, feed, "stop_times.txt") {
		id := r.get("trip_id")
		sequence, ok := gtfs.ParseUint([]byte(r.get("stop_sequence")))
		elsewhere := r.get("location_group_id") != "" || r.get("location_id") != "" // at no stop, and need not be
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
			for range 5 { // of platform, station and what else there may be
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

// direction is the direction that a trip counts for.
func direction(trip row) string { return cmp.Or(trip.get("direction_id"), "0") }

// directions are those in which a route has trips.
func (m *feedModel) directions(route string) []string {
	var out []string
	for _, trip := range m.trips[route] {
		out = append(out, direction(trip))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stopsOf are the stops of a trip's calls.
func (m *feedModel) stopsOf(trip string) []string {
	var out []string
	for _, c := range m.calls[trip] {
		if c.get("stop_id") != "" {
			out = append(out, c.get("stop_id"))
		}
	}
	return out
}

// readCSV reads a whole file.
func readCSV(text []byte) ([][]string, error) {
	return csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).ReadAll()
}

// writeCSV writes a whole file.
func writeCSV(t *testing.T, rows [][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The reader of the feed is the one that the import uses. Where a file is CSV by
// the book, the standard library must read the same cells.
func checkReader(t *testing.T, file string) {
	t.Helper()
	feed, err := gtfs.OpenFile(file, gtfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = feed.Close() }()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	seen := map[string]bool{}
	for _, f := range z.File {
		if _, known := gtfs.TableOf(f.Name); known && !seen[f.Name] {
			seen[f.Name] = true
			if err := compareReaders(feed, f); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

func compareReaders(feed *gtfs.Feed, f *zip.File) error {
	raw, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }()
	text, err := io.ReadAll(raw)
	if err != nil {
		return err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if _, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil // not by the book
	}
	std := csv.NewReader(bytes.NewReader(text))
	std.ReuseRecord = true
	_, _ = std.Read() // the header
	r, err := feed.Open(f.Name)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	for n := 2; ; n++ {
		want, err := std.Read()
		if err != nil {
			return nil
		}
		if !r.Next() {
			return fmt.Errorf("ends before row %d: %v", n, r.Err())
		}
		for i, cell := range want {
			got := strings.ReplaceAll(string(r.Cell(i)), "\r\n", "\n") // as the standard library does
			if got != strings.TrimSpace(cell) && utf8.ValidString(cell) {
				return fmt.Errorf("row %d cell %d: %q, want %q", n, i, got, cell)
			}
		}
	}
}
