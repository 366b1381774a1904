package observe

import (
	"cmp"
	"math"
	"slices"

	"github.com/townline/townline/pkg/performance"
)

func compareKeys(a, b Key, aSequence, bSequence int32) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Trip, b.Trip), cmp.Compare(a.Start, b.Start),
		cmp.Compare(aSequence, bSequence))
}

// Figures are what a day of a route adds up to, or one of its stops or hours.
type Figures struct {
	Route string
	Stop  string // "" if the figures are not of one stop
	Hour  int16  // of the service day; -1 if the figures are not of one hour
	// Trips. At a stop these are the trips that call there.
	Scheduled, Ran, Cancelled, Unseen, Unknown, Added, Unmatched int32
	// Stops of trips.
	Stopped, Passed, Predicted, StopsSkipped, StopsCancelled, StopsUnseen, StopsUnknown int32
	Delays, TimepointDelays                                                             performance.Delays
	Headways
}

// Headways sum up the times between departures of frequent service.
type Headways struct {
	Headways, Bunched              int32
	Seconds, Squares               int64
	PlannedSeconds, PlannedSquares int64
	Planned                        int32
}

// frequent is the longest scheduled headway of frequent service, in seconds.
const frequent = 900

// AddUp returns the figures of a route on a day: those of the route, of each stop and of each hour.
// rows are its rows, ordered by trip, start and sequence. gaps are the times in which the feed was
// silent.
func AddUp(route string, rows []Row, coverage *Coverage, dayStart int64) []*Figures {
	d := &adder{route: route, figures: map[place]*Figures{}}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Trip == rows[0].Trip && rows[n].Start == rows[0].Start {
			n++
		}
		d.trip(rows[:n])
		rows = rows[n:]
	}
	d.headways(coverage, dayStart)
	all := make([]*Figures, 0, len(d.figures))
	for _, f := range d.figures {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *Figures) int {
		return cmp.Or(cmp.Compare(a.Stop, b.Stop), cmp.Compare(a.Hour, b.Hour))
	})
	return all
}

type place struct {
	stop string
	hour int16
}

type adder struct {
	route   string
	figures map[place]*Figures
	at      map[[2]string][]passing // departures by direction and stop
}

// A passing is a departure of a run from a stop, or one that was scheduled.
type passing struct {
	planned, actual int32 // None if unknown
	seen            Seen
	hour            int16
}

func (d *adder) of(stop string, hour int16) *Figures {
	f := d.figures[place{stop, hour}]
	if f == nil {
		f = &Figures{Route: d.route, Stop: stop, Hour: hour, Delays: performance.Delays{},
			TimepointDelays: performance.Delays{}}
		d.figures[place{stop, hour}] = f
	}
	return f
}

// Outcome returns what became of a run, by its rows.
func Outcome(rows []Row) Seen {
	has := map[Seen]bool{}
	for i := range rows {
		if rows[i].Seen.IsVisit() {
			return Stopped
		}
		has[rows[i].Seen] = true
	}
	switch {
	case has[Cancelled]:
		return Cancelled
	case has[Unseen]:
		return Unseen
	case has[Unknown]:
		return Unknown
	}
	return Cancelled // all stops are skipped
}

func (f *Figures) count(kind Kind, outcome Seen) {
	switch {
	case kind == Added:
		f.Added++
		return
	case kind == Unmatched:
		f.Unmatched++
		return
	}
	f.Scheduled++
	switch outcome {
	case Cancelled, Skipped:
		f.Cancelled++
	case Unseen:
		f.Unseen++
	case Unknown:
		f.Unknown++
	default:
		f.Ran++
	}
}

func (d *adder) trip(rows []Row) {
	outcome := Outcome(rows)
	if rows[0].Kind != Scheduled && outcome != Stopped {
		return
	}
	hour := rows[0].hour()
	d.of("", -1).count(rows[0].Kind, outcome)
	d.of("", hour).count(rows[0].Kind, outcome)
	for i := range rows {
		row := &rows[i]
		stop := d.of(row.Stop, -1)
		stop.count(row.Kind, row.Seen)
		for _, f := range []*Figures{d.of("", -1), d.of("", row.hour()), stop} {
			f.stop(row)
		}
		if row.Place != Last {
			d.departs(row)
		}
	}
}

// hour returns the hour of the service day in which a call is scheduled or, without a schedule, was.
func (r *Row) hour() int16 {
	for _, at := range []*int32{r.Departs, r.Arrives, r.Left, r.Arrived} {
		if at != nil {
			return int16(max(0, *at) / 3600)
		}
	}
	return 0
}

func (f *Figures) stop(row *Row) {
	switch row.Seen {
	case Stopped:
		f.Stopped++
	case Passed:
		f.Passed++
	case Predicted:
		f.Predicted++
	case Skipped:
		f.StopsSkipped++
	case Cancelled:
		f.StopsCancelled++
	case Unseen:
		f.StopsUnseen++
	case Unknown:
		f.StopsUnknown++
	}
	if delay, ok := row.Delay(); ok {
		f.Delays[delay]++
		if row.Timepoint {
			f.TimepointDelays[delay]++
		}
	}
}

// Delay returns by how many seconds a departure was late or, at the last stop, an arrival.
func (r *Row) Delay() (delay int32, ok bool) {
	planned, actual := r.Departs, r.Left
	if r.Place == Last {
		planned, actual = r.Arrives, r.Arrived
	}
	if planned == nil || actual == nil || !r.Seen.IsVisit() {
		return 0, false
	}
	return *actual - *planned, true
}

func (d *adder) departs(row *Row) {
	p := passing{planned: None, actual: None, seen: row.Seen, hour: row.hour()}
	if row.Departs != nil {
		p.planned = *row.Departs
	}
	if row.Left != nil && row.Seen.IsVisit() {
		p.actual = *row.Left
	}
	if d.at == nil {
		d.at = map[[2]string][]passing{}
	}
	key := [2]string{row.Direction, row.Stop}
	d.at[key] = append(d.at[key], p)
}

// headways adds up the headways at each stop.
func (d *adder) headways(coverage *Coverage, dayStart int64) {
	for key, all := range d.at {
		var planned, actual []passing
		for _, p := range all {
			if p.planned != None {
				planned = append(planned, p)
			}
			if p.actual != None {
				actual = append(actual, p)
			}
		}
		slices.SortFunc(planned, func(a, b passing) int { return cmp.Compare(a.planned, b.planned) })
		slices.SortFunc(actual, func(a, b passing) int { return cmp.Compare(a.actual, b.actual) })
		for i := 1; i < len(actual); i++ {
			before, p := actual[i-1], actual[i]
			if !coverage.Covers(dayStart+int64(before.actual), dayStart+int64(p.actual)) {
				continue
			}
			if h, ok := headway(before, p, planned); ok {
				for _, f := range []*Figures{d.of("", -1), d.of("", p.hour), d.of(key[1], -1)} {
					f.Headways.add(h)
				}
			}
		}
	}
}

// headway returns the headway between two departures from a stop, with the planned ones. ok is
// false if the service is not frequent, or a scheduled departure between them was not seen.
func headway(before, p passing, planned []passing) (h Headways, ok bool) {
	from, to := before.planned, p.planned
	if from == None {
		from = before.actual
	}
	if to == None {
		to = p.actual
	}
	seconds := int64(p.actual - before.actual)
	longest, shortest := int64(0), int64(math.MaxInt64)
	for i := range planned {
		at := planned[i].planned
		if at > from && at < to && !planned[i].seen.IsVisit() && planned[i].seen != Cancelled && planned[i].seen != Skipped ||
			at > from && at < to && planned[i].seen.IsVisit() && planned[i].actual == None {
			return h, false
		}
		if i == 0 || at <= from || at > to {
			continue
		}
		gap := int64(at - planned[i-1].planned)
		longest, shortest = max(longest, gap), min(shortest, gap)
		h.Planned++
		h.PlannedSeconds += gap
		h.PlannedSquares += gap * gap
	}
	if h.Planned == 0 { // an added trip, or one out of order
		near, _ := slices.BinarySearchFunc(planned, to, func(x passing, at int32) int { return cmp.Compare(x.planned, at) })
		if near == 0 || near == len(planned) {
			return h, false
		}
		longest = int64(planned[near].planned - planned[near-1].planned)
		shortest = longest
	}
	h.Headways = 1
	h.Seconds = seconds
	h.Squares = seconds * seconds
	if 4*seconds < shortest {
		h.Bunched = 1
	}
	return h, longest > 0 && longest <= frequent
}

func (h *Headways) add(o Headways) {
	h.Headways += o.Headways
	h.Bunched += o.Bunched
	h.Seconds += o.Seconds
	h.Squares += o.Squares
	h.Planned += o.Planned
	h.PlannedSeconds += o.PlannedSeconds
	h.PlannedSquares += o.PlannedSquares
}
