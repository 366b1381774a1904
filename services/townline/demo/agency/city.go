package agency

import "math"

// stop is a place of stops.txt on the town's own map.
type stop struct {
	id, code, name, spoken string
	// x and y are kilometres east and north of the ferry terminal.
	x, y float64
	// kind is location_type: "" a stop or platform, "1" the station, "2" its entrance.
	kind, parent, platform, zone string
}

// The terminal stands here. There is only water at these coordinates, so no real town is drawn over.
const (
	originLat = 39.1500
	originLon = -124.1800
)

// lat is the latitude of a point of the town's map, in degrees.
func lat(y float64) float64 { return originLat + y/111.2 }

// lon is the longitude of a point of the town's map, in degrees.
func lon(x float64) float64 { return originLon + x/(111.2*math.Cos(originLat*math.Pi/180)) }

// shore is how far east the water reaches at a latitude: two waves make a coast with a bay in it.
func shore(y float64) float64 { return 0.8*math.Sin(0.75*y) + 0.22*math.Sin(2.1*y+0.6) - 0.14 }

// stops are all places, in the order of stops.txt. Coast stops come in pairs, one for each side of the road.
func stops() []stop {
	all := []stop{
		{id: "FT", code: "50000", name: "Ferry Terminal", x: 0.10, y: 0.02, kind: "1", zone: "1"},
		{id: "FT-A", code: "50001", name: "Ferry Terminal Bay A", x: 0.08, y: 0.03, parent: "FT", platform: "A", zone: "1"},
		{id: "FT-B", code: "50002", name: "Ferry Terminal Bay B", x: 0.13, y: 0.04, parent: "FT", platform: "B", zone: "1"},
		{id: "FT-E", name: "Ferry Terminal, Harbor Way entrance", x: 0.15, y: -0.01, kind: "2", parent: "FT", zone: "1"},
		{id: "1001", code: "50101", name: "Harbor Way & 1st Street", spoken: "Harbor Way and First Street", x: 0.35, y: 0.42, zone: "1"},
		{id: "1002", code: "50102", name: "Fish Market", x: 0.62, y: 0.78, zone: "1"},
		{id: "1003", code: "50103", name: "Mercado de la Bahía", x: 0.98, y: 0.96, zone: "1"},
		{id: "1004", code: "50104", name: "City Hall", x: 1.32, y: 0.80, zone: "1"},
		{id: "1005", code: "50105", name: "Cañada Way & Señal Street", spoken: "Canyada Way and Senyal Street", x: 1.70, y: 0.62, zone: "1"},
		{id: "1006", code: "50106", name: "Central Library", x: 1.92, y: 0.22, zone: "1"},
		{id: "1007", code: "50107", name: "Alder Bay High School", x: 1.98, y: -0.25, zone: "1"},
		{id: "1008", code: "50108", name: "Orchard Park, “The Pines”", x: 1.66, y: -0.62, zone: "1"},
		{id: "1009", code: "50109", name: "Café Row", x: 1.22, y: -0.70, zone: "1"},
		{id: "1010", code: "50110", name: "Old Cannery", x: 0.82, y: -0.58, zone: "1"},
		{id: "PIER 7/8", code: "50111", name: "Pier 7/8", spoken: "Piers seven and eight", x: 0.40, y: -0.32, zone: "1"},
	}
	for _, place := range []struct {
		north, south, name string
		y                  float64
		zone               string
	}{
		{"2001", "2002", "Embarcadero & Coast Highway", 0.9, "1"},
		{"2003", "2004", "Shell Beach", 1.8, "2"},
		{"2005", "2006", "Playa de los Álamos", 2.7, "2"},
		{"2007", "2008", "Miramar Heights", 3.6, "2"},
		{"2009", "2010", "Redwood Junction", 4.5, "2"},
	} {
		x := shore(place.y) + 0.18
		all = append(all,
			stop{id: place.north, code: "5" + place.north, name: place.name, x: x + 0.012, y: place.y + 0.01, zone: place.zone},
			stop{id: place.south, code: "5" + place.south, name: place.name, x: x - 0.012, y: place.y - 0.01, zone: place.zone})
	}
	for _, place := range []struct {
		id, name string
		x, y     float64
	}{
		{"2101", "Tidepools", shore(5.3) + 0.15, 5.3},
		{"2102", "Whale Overlook", shore(6.2) + 0.15, 6.2},
		{"2103", "Peña Rock", shore(7.0) + 0.15, 7.0},
		{"2104", "Point Alder Lighthouse", shore(7.9) + 0.15, 7.9},
		{"2201", "Creekside", 0.55, 5.0},
		{"2202", "Bayview Hospital", 1.35, 5.25},
		{"2203", "Alder Bay College", 2.20, 5.1},
		{"2204", "Niño Ranch Park & Ride", 3.15, 5.4},
	} {
		all = append(all, stop{id: place.id, code: "5" + place.id, name: place.name, x: place.x, y: place.y, zone: "3"})
	}
	return all
}

// point is one vertex of a shape; along is the distance driven from its start, in kilometres.
type point struct{ x, y, along float64 }

// bends is how many vertices a shape has between two stops.
const bends = 8

// road draws a smooth road through the stops (a Catmull-Rom spline) and tells how far along it each stop lies.
func road(through []stop) (line []point, at []float64) {
	n := len(through)
	near := func(i int) stop { return through[min(max(i, 0), n-1)] }
	for i := 0; i < n-1; i++ {
		a, b, c, d := near(i-1), near(i), near(i+1), near(i+2)
		for k := range bends {
			t := float64(k) / bends
			line = append(line, point{x: spline(a.x, b.x, c.x, d.x, t), y: spline(a.y, b.y, c.y, d.y, t)})
		}
	}
	line = append(line, point{x: through[n-1].x, y: through[n-1].y})
	for i := range line {
		if i > 0 {
			line[i].along = line[i-1].along + math.Hypot(line[i].x-line[i-1].x, line[i].y-line[i-1].y)
		}
		if i%bends == 0 {
			at = append(at, line[i].along)
		}
	}
	return line, at
}

// spline is the point at t (0 to 1) between b and c of the curve through a, b, c and d.
func spline(a, b, c, d, t float64) float64 {
	return 0.5 * (2*b + (c-a)*t + (2*a-5*b+4*c-d)*t*t + (3*b-a-3*c+d)*t*t*t)
}
