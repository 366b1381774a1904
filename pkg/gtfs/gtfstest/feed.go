// Package gtfstest writes GTFS feeds for benchmarks and tests: large synthetic feeds, and modified
// copies of a feed. It shares no code with pkg/gtfs, which reads them.
package gtfstest

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
)

// Trips is the number of trips of a large region. They have 2.7 million stop times.
const Trips = 100_000

// As in real timetables, the trips of a route share a few stop patterns, and their durations depend
// on the time of day.
const (
	tripsOfRoute    = 200
	patternsOfRoute = 4
	stopsOfRoute    = 36
	speeds          = 5   // speeds by the time of day; each gives a profile for each pattern
	pointsOfShape   = 260 // each pattern has one shape
	services        = 12
	inPieces        = 37 // one trip in 37 has its stop times in two places of the file, as in merged feeds
)

// Write writes a zip with the given number of trips. Its output is deterministic.
func Write(w io.Writer, trips int) error {
	z := zip.NewWriter(w)
	g := &generator{r: rand.New(rand.NewPCG(1, 2)), routes: (trips + tripsOfRoute - 1) / tripsOfRoute, trips: trips}
	for _, f := range []struct {
		name  string
		write func(w *bufio.Writer)
	}{
		{"agency.txt", g.agency}, {"routes.txt", g.routeRows}, {"stops.txt", g.stops}, {"calendar.txt", g.calendar},
		{"calendar_dates.txt", g.dates}, {"trips.txt", g.tripRows}, {"stop_times.txt", g.stopTimes}, {"shapes.txt", g.shapes},
	} {
		entry, err := z.Create(f.name)
		if err != nil {
			return fmt.Errorf("make %s: %w", f.name, err)
		}
		b := bufio.NewWriterSize(entry, 1<<16)
		f.write(b)
		if err := b.Flush(); err != nil {
			return fmt.Errorf("make %s: %w", f.name, err)
		}
	}
	return z.Close()
}

type generator struct {
	r             *rand.Rand
	routes, trips int
}

func (g *generator) agency(w *bufio.Writer) {
	fmt.Fprint(w, "agency_id,agency_name,agency_url,agency_timezone,agency_lang\n")
	for i := range 4 {
		fmt.Fprintf(w, "a%d,Region %d Transit,https://transit.example/%d,Europe/Berlin,en\n", i, i, i)
	}
}

func (g *generator) routeRows(w *bufio.Writer) {
	fmt.Fprint(w, "route_id,agency_id,route_short_name,route_long_name,route_type,route_color\n")
	for i := range g.routes {
		fmt.Fprintf(w, "r%d,a%d,%d,Terminus %d - Terminus %d,3,%06X\n", i, i%4, i+1, i, i+1, i*7919%0x1000000)
	}
}

func (g *generator) stops(w *bufio.Writer) {
	fmt.Fprint(w, "stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,wheelchair_boarding\n")
	for i := range g.routes * stopsOfRoute {
		fmt.Fprintf(w, "s%d,%d,\"Street %d, Corner %d\",%.6f,%.6f,0,1\n", i, 10000+i, i/7, i%7, 52+g.r.Float64(),
			13+g.r.Float64())
	}
}

func (g *generator) calendar(w *bufio.Writer) {
	fmt.Fprint(w, "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n")
	for i := range services {
		week := [...]string{"1,1,1,1,1,0,0", "0,0,0,0,0,1,0", "0,0,0,0,0,0,1"}[i%3]
		fmt.Fprintf(w, "c%d,%s,20260101,20261231\n", i, week)
	}
}

func (g *generator) dates(w *bufio.Writer) {
	fmt.Fprint(w, "service_id,date,exception_type\n")
	for i := range services {
		for _, day := range []string{"20260403", "20260501", "20261225"} {
			fmt.Fprintf(w, "c%d,%s,%d\n", i, day, 1+i%2)
		}
	}
}

func (g *generator) tripRows(w *bufio.Writer) {
	fmt.Fprint(w, "route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible\n")
	for t := range g.trips {
		route, p := t/tripsOfRoute, t%patternsOfRoute
		fmt.Fprintf(w, "r%d,c%d,t%d,Terminus %d,%d,b%d,h%d-%d,1\n", route, t/16%services, t, route+p%2, p%2, t/8, route, p)
	}
}

func (g *generator) stopTimes(w *bufio.Writer) {
	fmt.Fprint(w,
		"trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,"+
			"drop_off_type,shape_dist_traveled,timepoint\n")
	for route := 0; route < g.routes; route++ {
		end := min((route+1)*tripsOfRoute, g.trips)
		for piece := range 2 {
			for t := route * tripsOfRoute; t < end; t++ {
				if piece == 1 && t%inPieces != 0 {
					continue
				}
				g.calls(w, t, piece)
			}
		}
	}
}

func (g *generator) calls(w *bufio.Writer, t, piece int) {
	route, p := t/tripsOfRoute, t%patternsOfRoute
	first, last := p/2*stopsOfRoute/4, stopsOfRoute-p/2*stopsOfRoute/4 // patterns 2 and 3 are short turns
	n := last - first
	from, to := 0, n
	if t%inPieces == 0 {
		from, to = piece*n/2, (piece+1)*n/2
	}
	start := 5*3600 + t%tripsOfRoute*330
	pace := 70 + t%tripsOfRoute*speeds/tripsOfRoute*12
	for i := from; i < to; i++ {
		stop := first + i
		if p%2 == 1 {
			stop = last - 1 - i
		}
		at := start + i*pace + i*i%17
		fmt.Fprintf(w, "t%d,%02d:%02d:%02d,%02d:%02d:%02d,s%d,%d,,0,0,%.1f,%d\n", t, at/3600, at/60%60, at%60, at/3600,
			at/60%60, at%60,
			route*stopsOfRoute+stop, i+1, float64(i)*412.5, (i+1)%2)
	}
}

func (g *generator) shapes(w *bufio.Writer) {
	fmt.Fprint(w, "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\n")
	for route := range g.routes {
		for p := range patternsOfRoute {
			lat, lon := 52+g.r.Float64(), 13+g.r.Float64()
			for i := range pointsOfShape {
				lat, lon = lat+(g.r.Float64()-.5)/500, lon+(g.r.Float64()-.5)/500
				fmt.Fprintf(w, "h%d-%d,%.5f,%.5f,%d,%.1f\n", route, p, lat, lon, i, float64(i)*57)
			}
		}
	}
}
