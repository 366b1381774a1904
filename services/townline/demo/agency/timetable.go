package agency

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Service ids. Lantern Night has no row in calendar.txt: it is known from its dates alone.
const (
	weekday = "WKDY"
	weekend = "WKND"
	lantern = "LANTERN"
)

// pattern is one way a bus drives: its stops, and how long after the start it is at each.
type pattern struct {
	route, direction, shape, headsign string
	calls                             []call
	line                              []point
}

// call is one stop of a pattern. arrive and depart are seconds after the trip's start, along is kilometres from it.
type call struct {
	stop           string
	arrive, depart int
	along          float64
	// timed calls are printed with their time; at the others stop_times.txt leaves the cells empty.
	timed    bool
	headsign string
}

// trip is one row of trips.txt. start is seconds after the service day's midnight, and beyond 86400 for the small hours.
type trip struct {
	id, service, block string
	start              int
	*pattern
	// every is the headway in seconds of a trip that repeats until the time until (frequencies.txt); 0 for all others.
	every, until int
	exact        bool
	// bus is the fleet number of the bus that drives the trip, of the first one where several share it.
	bus int
}

// end is when the trip's last stop is reached, in seconds after the service day's midnight.
func (t *trip) end() int { return t.start + t.calls[len(t.calls)-1].arrive }

// timetable is everything that the static feed states, apart from dates.
type timetable struct {
	stops    []stop
	patterns []*pattern
	trips    []*trip
}

// plan makes the timetable. It takes no randomness: a timetable that changed with the seed would help nobody.
func plan() *timetable {
	t := &timetable{stops: stops()}
	loop := []string{"FT-A", "1001", "1002", "1003", "1004", "1005", "1006", "1007", "1008", "1009", "1010", "PIER 7/8", "FT-A"}
	trunk := []string{"FT-B", "2001", "2003", "2005", "2007", "2009"}
	point := append(slices.Clone(trunk), "2101", "2102", "2103", "2104")
	college := append(slices.Clone(trunk), "2201", "2202", "2203", "2204")
	south := func(north []string) []string {
		back := slices.Clone(north)
		slices.Reverse(back)
		for i, id := range back {
			if n, err := strconv.Atoi(id); err == nil && n < 2100 {
				back[i] = strconv.Itoa(n + 1) // the other side of the road
			}
		}
		return back
	}
	backwards := slices.Clone(loop)
	slices.Reverse(backwards)

	clockwise := t.draw("10", "0", "10 cw", "Harbor Loop", loop)
	counter := t.draw("10", "1", "10 ccw", "Harbor Loop via Pier 7/8", backwards)
	// The sign of a loop bus changes at its far side, so that riders see where it still goes.
	for _, p := range []*pattern{clockwise, counter} {
		for i := range p.calls {
			p.calls[i].timed = true
			p.calls[i].headsign = "City Hall"
			if i >= 4 {
				p.calls[i].headsign = "Ferry Terminal"
			}
		}
	}
	northPoint := t.draw("20", "0", "20/A out", "Point Alder Lighthouse", point)
	northCollege := t.draw("20", "0", "20/B out", "Niño Ranch via College", college)
	northShort := t.draw("20", "0", "20/S out", "Redwood Junction", trunk)
	southPoint := t.draw("20", "1", "20/A in", "Ferry Terminal", south(point))
	southCollege := t.draw("20", "1", "20/B in", "Ferry Terminal", south(college))
	southShort := t.draw("20", "1", "20/S in", "Ferry Terminal", south(trunk))

	const minute = 60
	t.run(weekday, 5*60+40, 22*60+40, 20, clockwise)
	t.run(weekday, 6*60+30, 9*60+30, 30, counter)
	t.run(weekday, 15*60+30, 18*60+30, 30, counter)
	t.run(weekend, 7*60, 22*60+30, 20, clockwise)
	t.run(weekend, 10*60+10, 17*60+40, 30, counter)
	t.run(weekday, 5*60+15, 21*60+45, 30, northPoint, northCollege)
	t.run(weekday, 6*60, 21*60+30, 30, southPoint, southCollege)
	t.run(weekday, 6*60+30, 9*60, 30, northShort)
	t.run(weekday, 15*60+30, 18*60, 30, southShort)
	t.run(weekend, 7*60+10, 22*60+10, 30, northPoint, northCollege)
	t.run(weekend, 7*60+55, 22*60+25, 30, southCollege, southPoint)
	// The last buses leave after midnight, and count to the day before.
	t.run(weekday, 23*60, 25*60, 60, northCollege)
	t.run(weekday, 23*60+50, 25*60+50, 60, southCollege)
	t.run(weekend, 23*60+20, 25*60+20, 60, northCollege)
	t.run(weekend, 24*60+10, 26*60+10, 60, southCollege)
	// The owl goes round until the first buses of the next day, so that at every hour there is a bus to look at: a source that
	// tells of none is taken for broken.
	for _, service := range []string{weekday, weekend} {
		owl := t.add(service, (22*60+30)*minute, clockwise, "OWL")
		owl.every, owl.until, owl.bus = 30*minute, 31*60*minute, 1380
	}
	shuttle := t.add(lantern, 17*60*minute, clockwise, "LANTERN")
	shuttle.every, shuttle.until, shuttle.bus, shuttle.exact = 10*minute, 22*60*minute, 1340, true

	slices.SortFunc(t.trips, func(a, b *trip) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.service, b.service), cmp.Compare(a.start, b.start), cmp.Compare(a.id, b.id))
	})
	t.assignBlocks()
	return t
}

// draw adds a pattern that calls at the stops, at the speed that a town or a coast road allows.
func (t *timetable) draw(route, direction, shape, headsign string, ids []string) *pattern {
	var through []stop
	for _, id := range ids {
		i := slices.IndexFunc(t.stops, func(s stop) bool { return s.id == id })
		through = append(through, t.stops[i])
	}
	speed := 20.0 // kilometres an hour
	if route == "20" {
		speed = 30
	}
	p := &pattern{route: route, direction: direction, shape: shape, headsign: headsign}
	line, at := road(through)
	p.line = line
	clock := 0
	for i, s := range through {
		if i > 0 {
			drive := (at[i] - at[i-1]) / speed * 3600
			clock += 30 * int(math.Ceil((drive+20)/30)) // whole half minutes, twenty seconds of them at the kerb
		}
		// Terminals, the branching point and every third stop are timepoints; the bus waits half a minute at the branching point.
		c := call{stop: s.id, arrive: clock, depart: clock, along: at[i], timed: i == 0 || i == len(ids)-1 || i%3 == 2}
		if s.id == "2009" || s.id == "2010" {
			c.timed = true
			if i > 0 && i < len(ids)-1 {
				clock += 30
				c.depart = clock
			}
		}
		p.calls = append(p.calls, c)
	}
	t.patterns = append(t.patterns, p)
	return p
}

// run adds trips from the first minute of the day to the last, every so many minutes, taking the patterns in turn.
func (t *timetable) run(service string, first, last, every int, patterns ...*pattern) {
	for i, m := 0, first; m <= last; i, m = i+1, m+every {
		t.add(service, m*60, patterns[i%len(patterns)], fmt.Sprintf("%02d%02d", m/60, m%60))
	}
}

// add adds one trip; name tells it from the other trips of its pattern and service.
func (t *timetable) add(service string, start int, p *pattern, name string) *trip {
	way := strings.ReplaceAll(p.shape[3:], " ", "-")
	added := &trip{id: p.route + "-" + service + "-" + way + "-" + name, service: service, start: start, pattern: p}
	t.trips = append(t.trips, added)
	return added
}

// assignBlocks gives each bus its day's work: after a trip it takes the next one of its route that starts where it stands.
func (t *timetable) assignBlocks() {
	type bus struct {
		service, route, block, at string
		number, free              int
	}
	var fleet []*bus
	size := map[string]int{}
	for _, tr := range t.trips {
		if tr.every > 0 {
			continue // several buses share a trip of frequencies.txt, so it has no block
		}
		first, last := tr.calls[0].stop, tr.calls[len(tr.calls)-1].stop
		i := slices.IndexFunc(fleet, func(b *bus) bool {
			return b.service == tr.service && b.route == tr.route && place(b.at) == place(first) && b.free <= tr.start
		})
		if i < 0 {
			size[tr.service]++
			n := size[tr.service]
			i = len(fleet)
			fleet = append(fleet, &bus{service: tr.service, route: tr.route, number: 1200 + n, block: fmt.Sprintf("%s-%02d", tr.service, n)})
		}
		fleet[i].at, fleet[i].free = last, tr.end()+4*60
		tr.block, tr.bus = fleet[i].block, fleet[i].number
	}
}

// place is where a stop lies for a bus that turns: both sides of a road are one place.
func place(id string) string {
	if id == "2010" {
		return "2009"
	}
	return id
}
