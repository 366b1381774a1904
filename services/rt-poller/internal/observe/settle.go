package observe

import (
	"math"
	"slices"
)

// A Row is a stop of a run as it is stored. Times are seconds of the service day; nil if unknown.
type Row struct {
	Key
	Sequence         int32
	Stop, Route      string
	Direction        string
	Place            Place
	Kind             Kind
	Seen             Seen
	Timepoint        bool
	Arrives, Departs *int32 // scheduled
	Arrived, Left    *int32 // actual
	ArrivedWithin    *int16 // uncertainty of Arrived
	LeftWithin       *int16
	Vehicle          string
	Counted          bool // its predictions are counted
	Tally            *Tally
	run              *run
	call             int
}

// A Place is the position of a stop in its trip.
type Place byte

const (
	First  Place = 'f'
	Middle Place = 'm'
	Last   Place = 'l'
)

func (r *run) row(i int) Row {
	c := &r.calls[i]
	row := Row{Key: r.Key, Sequence: c.sequence, Stop: c.stop, Route: r.route, Direction: r.direction, Place: Middle,
		Kind: r.kind, Seen: r.state(i), Timepoint: c.timepoint, Arrives: known(c.arrives), Departs: known(c.departs),
		Vehicle: c.vehicle, Counted: c.sampled, Tally: c.tally, run: r, call: i}
	switch {
	case r.isFirst(i):
		row.Place = First
	case r.trip != nil && i == len(r.calls)-1:
		row.Place = Last
	}
	if c.seen.IsVisit() {
		row.Arrived, row.Left = known(c.arrived), known(c.left)
		if row.Arrived != nil {
			row.ArrivedWithin = &c.arrivedWithin
		}
		if row.Left != nil {
			row.LeftWithin = &c.departWithin
		}
	}
	return row
}

func known(at int32) *int32 {
	if at == None {
		return nil
	}
	return &at
}

// Changes returns the rows of the calls that changed since Stored. Rows that are Unseen must be
// deleted: the call is still to come, or its visit was a wrong guess.
func (o *Observer) Changes() []Row {
	var rows []Row
	for r := range o.changed {
		visited := r.visited()
		for i := range r.calls {
			c := &r.calls[i]
			state := r.state(i)
			if !c.changed || state == Skipped && i > visited || r.kind != Scheduled && !state.IsVisit() && state != Unseen {
				continue
			}
			rows = append(rows, r.row(i))
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { // writers lock rows in one order
		return compareKeys(a.Key, b.Key, a.Sequence, b.Sequence)
	})
	return rows
}

// Stored notes that the rows of Changes, and the gaps, are stored.
func (o *Observer) Stored(rows []Row) {
	for i := range rows {
		c := &rows[i].run.calls[rows[i].call]
		c.changed, c.tally = false, nil
	}
	for r := range o.changed {
		r.changed = false
	}
	clear(o.changed)
}

// Planned is a run that the timetable has on a day.
type Planned struct {
	Trip  *Trip
	Start int32 // None unless the trip runs several times a day
	Every int32 // headway of a run that keeps one without exact times; otherwise 0
}

// End returns the second of the service day at which the run is over.
func (p Planned) End() int32 {
	if p.Start == None {
		return p.Trip.Start + p.Trip.length()
	}
	return p.Start + p.Trip.length()
}

// Settle returns rows for the calls of runs that are over and that nothing was seen of. Rows that
// are stored already stay.
func (o *Observer) Settle(day int32, runs []Planned, coverage *Coverage) []Row {
	var rows []Row
	start := o.Zone.Start(day)
	for _, p := range runs {
		if p.Every > 0 && o.hasRunNear(p, day) {
			continue
		}
		key := Key{Trip: p.Trip.ID, Day: day, Start: p.Start}
		r := o.runs[key]
		if r == nil {
			r = o.begin(key, p.Trip, Scheduled, "", "")
		}
		seen := Unseen
		if r.visited() < 0 && !coverage.Covers(start+int64(p.End()-p.Trip.length()), start+int64(p.End())) {
			seen = Unknown
		}
		for i := range r.calls {
			if state := r.state(i); !state.IsVisit() {
				row := r.row(i)
				if state == Unseen {
					row.Seen = seen
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// hasRunNear reports whether something is known of a run that stands for a planned one without exact
// times: it starts within half a headway.
func (o *Observer) hasRunNear(p Planned, day int32) bool {
	return slices.ContainsFunc(o.byTrip[p.Trip.ID], func(r *run) bool {
		off := 2 * (r.Start - p.Start)
		return r.Day == day && r.Start != None && off >= -p.Every && off < p.Every && (r.cancelled || r.visited() >= 0)
	})
}

// Coverage knows when no source of a feed had messages.
type Coverage struct{ silent [][2]int64 }

// NewCoverage returns the coverage of a feed by the gaps of its sources. last has the time of the
// last message of each source.
func NewCoverage(gaps []Gap, last map[string]int64) *Coverage {
	c := &Coverage{}
	first := true
	for source, at := range last {
		var own [][2]int64
		for _, g := range gaps {
			if g.Source == source {
				own = append(own, [2]int64{g.From, g.To})
			}
		}
		own = append(own, [2]int64{at, math.MaxInt64})
		slices.SortFunc(own, func(a, b [2]int64) int { return int(max(-1, min(a[0]-b[0], 1))) })
		if first {
			c.silent, first = own, false
			continue
		}
		c.silent = intersect(c.silent, own)
	}
	return c
}

func intersect(a, b [][2]int64) (both [][2]int64) {
	for _, x := range a {
		for _, y := range b {
			if from, to := max(x[0], y[0]), min(x[1], y[1]); from < to {
				both = append(both, [2]int64{from, to})
			}
		}
	}
	return both
}

// Covers reports whether there were messages the whole time, at most MaxGap apart.
func (c *Coverage) Covers(from, to int64) bool {
	for _, gap := range c.silent {
		goesOn := gap[1] == math.MaxInt64
		if from < gap[1] && to > gap[0] && gap[1]-gap[0] > MaxGap && (!goesOn || to-gap[0] > MaxGap) {
			return false
		}
	}
	return len(c.silent) > 0
}

// Adopt takes over what another observer has stored of a run: the arrival keeps the first, the
// departure the last.
func (o *Observer) Adopt(row *Row) {
	r := o.runs[row.Key]
	if r == nil {
		trip := o.Timetable.Trip(row.Trip)
		if row.Kind == Unmatched {
			trip = nil
		}
		r = o.add(o.begin(row.Key, trip, row.Kind, row.Route, row.Direction))
		r.mentioned = r.dayStart + int64(max(r.end(), 0))
	}
	if r.trip == nil {
		r.begins = r.begins || row.Place == First
	}
	i, found := r.indexOf(int64(row.Sequence))
	if !found {
		if r.trip != nil {
			return // another version of the timetable
		}
		r.calls = slices.Insert(r.calls, i, newCall(row.Sequence, row.Stop))
	}
	c := &r.calls[i]
	c.sampled = c.sampled || row.Counted
	switch row.Seen {
	case Cancelled:
		if !c.seen.IsVisit() && r.visited() < i && r.updated == 0 {
			r.cancelled = true
		}
	case Skipped:
		c.skipped = c.skipped || r.updated == 0
	case Unknown:
		if c.seen == 0 {
			c.seen = Unknown
		}
	}
	if !row.Seen.IsVisit() {
		return
	}
	stored := visit{seen: row.Seen, arrived: None, left: None, vehicle: row.Vehicle}
	if row.Arrived != nil {
		stored.arrived, stored.arrivedWithin = *row.Arrived, *row.ArrivedWithin
	}
	if row.Left != nil {
		stored.left, stored.departWithin = *row.Left, *row.LeftWithin
	}
	r.mentioned = max(r.mentioned, r.dayStart+int64(stored.last()))
	c.adopt(stored)
	if c.changed {
		r.changed = true
		o.changed[r] = struct{}{}
	}
}

func (c *call) adopt(stored visit) {
	own := c.visit
	switch {
	case own.seen.rank() < stored.seen.rank():
		c.visit, c.changed = stored, false
	case own.seen.rank() == stored.seen.rank():
		if stored.arrived != None {
			c.arrived, c.arrivedWithin = stored.arrived, stored.arrivedWithin
		}
		if own.left == None {
			c.left, c.departWithin = stored.left, stored.departWithin
		}
		c.changed = c.visit != stored || c.tally != nil && !c.sampled
	}
}
