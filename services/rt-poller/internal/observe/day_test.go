package observe

import (
	"fmt"
	"testing"
)

// A day of a frequent line: trips every ten minutes of which one was cancelled, one was not seen and
// one was added; none of the headways is across the unseen one.
func TestAddUp(t *testing.T) {
	t.Parallel()
	var rows []Row
	at := func(s int32) *int32 { return &s }
	add := func(trip string, kind Kind, seen Seen, planned, actual int32) {
		row := Row{Key: Key{Trip: trip, Start: None}, Stop: "A", Route: "R", Place: Middle, Kind: kind, Seen: seen,
			Timepoint: true}
		if kind == Scheduled {
			row.Departs = at(planned)
		}
		if seen.IsVisit() {
			row.Left = at(actual)
		}
		rows = append(rows, row)
	}
	for i := range int32(6) {
		add(fmt.Sprint("a", i), Scheduled, Passed, 36000+600*i, 36000+600*i+60*(i%2))
	}
	add("b", Scheduled, Cancelled, 39600, 0)
	add("c", Scheduled, Passed, 40200, 40200)
	add("d", Scheduled, Unseen, 40800, 0)
	add("e", Scheduled, Stopped, 41400, 41400)
	add("f", Added, Stopped, 0, 41700)
	add("g", Unmatched, Passed, 0, 50000)
	add("h", Scheduled, Unknown, 60000, 0)
	coverage := NewCoverage([]Gap{{Source: "x", From: 0, To: 1}}, map[string]int64{"x": 100_000})
	f := AddUp("R", rows, coverage, 0)[0]
	if f.Stop != "" || f.Hour != -1 || f.Scheduled != 11 || f.Ran != 8 || f.Cancelled != 1 || f.Unseen != 1 ||
		f.Unknown != 1 || f.Added != 1 || f.Unmatched != 1 {
		t.Errorf("%+v", f)
	}
	// Five between the first six trips, and one across the cancelled trip. After the last frequent
	// departure service is not frequent.
	if f.Headways.Headways != 6 || f.Seconds != 660+540+660+540+660+1140 || f.Planned != 7 || f.PlannedSeconds != 4200 {
		t.Errorf("%+v", f.Headways)
	}
	if f.Delays[0] != 5 || f.Delays[60] != 3 {
		t.Errorf("%v", f.Delays)
	}
}

// A trip is unknown if the feed was silent at any time during it, with all its sources.
func TestCoverage(t *testing.T) {
	t.Parallel()
	c := NewCoverage([]Gap{{Source: "v", From: 0, To: 1000}, {Source: "u", From: 0, To: 1100},
		{Source: "v", From: 2000, To: 3000},
		{Source: "u", From: 2900, To: 4000}}, map[string]int64{"v": 5000, "u": 5010})
	for _, x := range []struct {
		from, to int64
		want     bool
	}{{900, 1500, false}, {1000, 2100, true}, {2100, 2800, true}, {2850, 2950, false}, {3100, 3900, true},
		{4900, 5090, true},
		{4900, 5200, false}} {
		if got := c.Covers(x.from, x.to); got != x.want {
			t.Errorf("%d to %d: %v", x.from, x.to, got)
		}
	}
}
