package assign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfsrt"
)

// midnight is the start of a service day.
const midnight = 1_795_824_000

// newTimetable returns calls at stops, with times in minutes from the start, and sequences 10, 20 …
func newTimetable(stops string, minutes ...int32) *Timetable {
	t := &Timetable{Code: func(stop string) string { return "code " + stop }}
	for i, stop := range strings.Fields(stops) {
		t.Sequences, t.StopIDs = append(t.Sequences, int32(10*i+10)), append(t.StopIDs, &stop)
		t.Arrivals = append(t.Arrivals, 60*minutes[i])
	}
	t.Departure = func(call int) int64 { return int64(t.Arrivals[call]) + 30 }
	return t
}

// at returns the update of a stop that arrives at a minute of the day.
func at(stop string, minute int64) gtfsrt.Call {
	return gtfsrt.Call{Stop: gtfsrt.Stop{StopID: []byte(stop), Sequence: -1},
		Arrival: gtfsrt.Event{Time: midnight + 60*minute}}
}

func late(stop string, seconds int32) gtfsrt.Call {
	return gtfsrt.Call{Stop: gtfsrt.Stop{StopID: []byte(stop), Sequence: -1},
		Arrival: gtfsrt.Event{Delay: seconds, HasDelay: true}}
}

// An update belongs to the run whose times it fits; the stated run comes first.
func TestFind(t *testing.T) {
	t.Parallel()
	const day = 24 * 60
	table := newTimetable("A B C", 0, 10, 20)
	for _, c := range []struct {
		name   string
		starts []int64 // minutes of the day; the first is stated unless at is set
		at     int64
		calls  []gtfsrt.Call
		want   int
	}{
		{name: "the stated run", starts: []int64{600, 600 - day}, calls: []gtfsrt.Call{at("B", 615)}},
		{name: "three hours late", starts: []int64{600, 600 - day}, calls: []gtfsrt.Call{at("B", 790)}},
		{name: "a day off", starts: []int64{600 + day, 600}, calls: []gtfsrt.Call{at("A", 603)}, want: 1},
		{name: "no run", starts: []int64{600 + day}, calls: []gtfsrt.Call{at("A", 603)}, want: -1},
		{name: "seconds since midnight", starts: []int64{600}, calls: []gtfsrt.Call{{Stop: gtfsrt.Stop{StopID: []byte("A"),
			Sequence: -1},
			Arrival: gtfsrt.Event{Time: 36_000}}}, want: -1},
		{name: "a delay of a day", starts: []int64{600}, calls: []gtfsrt.Call{late("A", 86_340)}, want: -1},
		{name: "most of its times", starts: []int64{600 - day, 600}, at: 600,
			calls: []gtfsrt.Call{at("A", 600-day), at("B", 611), at("C", 621)}, want: 1},
		{name: "only a delay", starts: []int64{600 - day, 600, 600 + day}, at: 590, calls: []gtfsrt.Call{late("A", 60)},
			want: 1},
		{name: "nothing", starts: []int64{600, 600 - day}},
		{name: "no candidates", at: 600, calls: []gtfsrt.Call{at("A", 603)}, want: -1},
	} {
		var starts []int64
		for _, minute := range c.starts {
			starts = append(starts, midnight+60*minute)
		}
		if run, _ := table.Find(c.calls, starts, c.at == 0, midnight+60*c.at, nil); run != c.want {
			t.Errorf("%s: run %d, want %d", c.name, run, c.want)
		}
	}
}

// A call that only its stop identifies is the one whose time fits.
func TestFindCalls(t *testing.T) {
	t.Parallel()
	const start = 600 // minute of the day
	loop := newTimetable("A B C A", 0, 10, 20, 32)
	twice := newTimetable("A B A B A", 0, 10, 20, 30, 40)
	for _, c := range []struct {
		name  string
		table *Timetable
		calls []gtfsrt.Call
		want  string // index of the update of each call
	}{
		{"the last leg of a loop", loop, []gtfsrt.Call{at("A", start+33)}, "- - - 0"},
		{"its first leg", loop, []gtfsrt.Call{at("A", start+3)}, "0 - - -"},
		{"by code", loop, []gtfsrt.Call{at("code A", start+33)}, "- - - 0"},
		{"all calls, 20 minutes late", loop,
			[]gtfsrt.Call{at("A", start+20), at("B", start+30), at("C", start+40), at("A", start+52)}, "0 1 2 3"},
		{"20 minutes late, behind the first call", loop, []gtfsrt.Call{at("B", start+30), at("A", start+52)}, "- 0 - 1"},
		{"25 minutes late, at the first call", loop, []gtfsrt.Call{at("A", start+25), at("B", start+35)}, "0 1 - -"},
		{"the second round", twice, []gtfsrt.Call{at("B", start+33), at("A", start+43)}, "- - - 0 1"},
		{"the first round", twice, []gtfsrt.Call{at("B", start+12), at("A", start+22)}, "- 0 1 - -"},
		{"without times, in order", loop, []gtfsrt.Call{late("C", 60), late("A", 60)}, "- - 0 1"},
		{"without times, in any order", loop, []gtfsrt.Call{late("C", 60), late("B", 60)}, "- 1 0 -"},
		{"the same call twice", loop, []gtfsrt.Call{late("C", 60), late("C", 90)}, "- - 0 -"},
		{"an unknown stop", loop, []gtfsrt.Call{at("Z", start)}, "- - - -"},
	} {
		_, matched := c.table.Find(c.calls, []int64{midnight + 60*start}, true, 0, nil)
		var got []string
		for _, m := range matched {
			n := slices.IndexFunc(c.calls, func(u gtfsrt.Call) bool {
				return m != nil && string(u.StopID) == string(m.StopID) && u.Arrival == m.Arrival
			})
			got = append(got, strings.Replace(fmt.Sprint(n), "-1", "-", 1))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// Predicted times never contradict each other, and passed calls are over.
func TestPredict(t *testing.T) {
	t.Parallel()
	const start = 600
	table := newTimetable("A B C D", 0, 10, 20, 30)
	departs := func(stop string, minute int64) gtfsrt.Call {
		c := at(stop, minute)
		c.Departure, c.Arrival = c.Arrival, gtfsrt.Event{}
		return c
	}
	skips := gtfsrt.Call{Stop: gtfsrt.Stop{StopID: []byte("B"), Sequence: -1}, Relationship: skipped}
	for _, c := range []struct {
		name  string
		now   int64
		of    gtfsrt.Prediction
		want  string // minutes of arrivals after the start, with the origin; a passed call has "<"
		delay int64  // of the first call
	}{
		{name: "the delay of the trip", now: start - 5, of: gtfsrt.Prediction{Delay: 120, HasDelay: true},
			want: "2p 12p 22p 32p", delay: 120},
		{name: "not against an event", now: start - 5, of: gtfsrt.Prediction{Delay: -840, HasDelay: true,
			Calls: []gtfsrt.Call{departs("A", start+1)}}, want: "0a 10p 20p 30p", delay: 30},
		{name: "nor before one", now: start - 5, of: gtfsrt.Prediction{Delay: 840, HasDelay: true,
			Calls: []gtfsrt.Call{departs("B", start+11)}}, want: "0s 10a 20p 30p"},
		{name: "early, omitted", now: start - 5, of: gtfsrt.Prediction{Calls: []gtfsrt.Call{at("B", start)}},
			want: "-10p< 0a 10p 20p", delay: -600},
		{name: "early, named", now: start - 5,
			of:   gtfsrt.Prediction{Calls: []gtfsrt.Call{at("A", start-8), at("B", start+2)}},
			want: "-8a< 2a 12p 22p", delay: -480},
		{name: "omitted behind a passed one", now: start + 10, of: gtfsrt.Prediction{
			Calls: []gtfsrt.Call{at("A", start+5), at("C", start+9), at("D", start+18)}}, want: "5a< 9p< 9a< 18a",
			delay: 300},
		{name: "skipped behind a passed one", now: start + 10, of: gtfsrt.Prediction{
			Calls: []gtfsrt.Call{at("A", start+5), skips, at("C", start+9)}}, want: "5a< 9p< 9a< 19p", delay: 300},
		{name: "before the first event, not yet over", now: start - 5,
			of:   gtfsrt.Prediction{Calls: []gtfsrt.Call{at("C", start+22)}},
			want: "0s 10s 22a 32p"},
	} {
		begins := int64(midnight + 60*start)
		_, matched := table.Find(c.of.Calls, []int64{begins}, true, 0, nil)
		calls := table.Predict(&c.of, matched, begins, midnight+60*c.now, nil)
		var got []string
		for _, x := range calls {
			text := fmt.Sprint((x.Arrival-begins)/60) + string("spa"[x.Origin])
			if x.Passed {
				text += "<"
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != c.want || calls[0].Delay != c.delay {
			t.Errorf("%s: %v, delay %d; want %s, %d", c.name, got, calls[0].Delay, c.want, c.delay)
		}
	}
}
