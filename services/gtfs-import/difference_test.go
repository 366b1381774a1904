package gtfsimport_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func TestABAGivesTheSameRows(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	a := small()
	b := a.with("stop_times.txt", "T1,6:20:00,6:20:00,C,3,0\n", "").with("routes.txt", "00ff00", "0000ff").with(
		"frequencies.txt", ",600", ",900")
	load(t, db, "metro", a)
	before := dump(t, db, "metro")
	load(t, db, "metro", b)
	if cmp.Equal(before, dump(t, db, "metro")) {
		t.Error("B gives the same rows as A")
	}
	load(t, db, "metro", a)
	if diff := cmp.Diff(before, dump(t, db, "metro")); diff != "" {
		t.Errorf("A after B after A (-first +last):\n%s", diff)
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	a := small()
	load(t, db, "metro", a)
	b := a.with("stops.txt", "D,Dock,45.3", "D,Dock East,45.3").with("stops.txt", "C,Court",
		"E,Exchange,45.4,-122.4,,\nC,Court").
		with("trips.txt", "T4,R1,WK,Court,0,\n", "").with("trips.txt", "T2,R1,WK,Loop", "T2,R1,SU,Loop").
		with("stop_times.txt", "T4,08:00:00,08:00:00,B,1,\nT4,08:09:00,08:09:00,C,2,\n", "").
		with("stop_times.txt", "T2,7:10:00,7:11:00,B,2,0\n", "T2,7:10:00,7:12:00,B,2,0\nT2,7:15:00,7:15:00,D,9,0\n").
		with("shapes.txt", "H1,45.1,-122.10,2,", "H1,45.1,-122.1,2,").
		with("translations.txt", "Boucle", "Circuit").with("translations.txt", "es,Muelle,D", "es,Muelle,B").
		with("frequencies.txt", "T4,8", "T1,8").with("calendar_dates.txt", "SU,20260712,1", "SU,20260719,1").
		without("feed_info.txt")
	r := load(t, db, "metro", b)
	got := map[string][4]int64{}
	for _, f := range r.Files {
		got[f.File] = [4]int64{f.Added, f.Changed, f.Removed, f.Unchanged}
	}
	want := map[string][4]int64{
		"agency.txt":         {0, 0, 0, 2},
		"stops.txt":          {1, 1, 0, 4},
		"routes.txt":         {0, 0, 0, 2},
		"calendar.txt":       {0, 0, 0, 1},
		"calendar_dates.txt": {1, 0, 1, 2},
		"trips.txt":          {0, 1, 1, 3},
		"stop_times.txt":     {1, 1, 2, 10},
		"shapes.txt":         {0, 1, 0, 2},
		"frequencies.txt":    {1, 0, 1, 0},
		"feed_info.txt":      {0, 0, 1, 0},
		"translations.txt":   {1, 1, 1, 1},
		"levels.txt":         {0, 0, 0, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("added, changed, removed, unchanged (-want +got):\n%s", diff)
	}
}

// Differences of stop times are computed by patterns. They equal those of a comparison of all rows.
func TestDifferenceOfStopTimesRowByRow(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	calls := func() map[string]string {
		all := map[string]string{}
		for _, row := range query(t, db, `SELECT trip_id || ' ' || stop_sequence || '=' || to_jsonb(c)::text
			FROM transit.stop_times c`) {
			key, cells, _ := strings.Cut(row, "=")
			all[key] = cells
		}
		return all
	}
	var before map[string]string
	for round := range 6 {
		f := small()
		trips, times := strings.Builder{}, strings.Builder{}
		trips.WriteString("trip_id,route_id,service_id\n")
		times.WriteString("trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign\n")
		for i := range 40 {
			if rnd.IntN(8) == 0 {
				continue
			}
			fmt.Fprintf(&trips, "T%d,R1,WK\n", i)
			start := 6*3600 + i%4*60*rnd.IntN(2)
			for s := range 5 {
				if rnd.IntN(20) == 0 {
					continue
				}
				at := string(gtfs.AppendTime(nil, start+s*300+60*(rnd.IntN(12)/11)))
				if rnd.IntN(15) == 0 {
					at = ""
				}
				fmt.Fprintf(&times, "T%d,%s,%s,%c,%d,%s\n", i, at, at, "1BCD"[s%4], s+1, []string{"", "", "", "", "X"}[rnd.IntN(5)])
			}
		}
		f["trips.txt"], f["stop_times.txt"] = trips.String(), times.String()
		delete(f, "frequencies.txt")
		r := load(t, db, "metro", f)
		after := calls()
		if round > 0 {
			var want [4]int64
			for k, c := range after {
				old, ok := before[k]
				switch {
				case !ok:
					want[0]++
				case old != c:
					want[1]++
				default:
					want[3]++
				}
			}
			for k := range before {
				if _, ok := after[k]; !ok {
					want[2]++
				}
			}
			i := slices.IndexFunc(r.Files, func(f gtfsimport.FileReport) bool { return f.File == "stop_times.txt" })
			if got := [4]int64{r.Files[i].Added, r.Files[i].Changed, r.Files[i].Removed, r.Files[i].Unchanged}; got != want {
				t.Errorf("round %d: added, changed, removed, unchanged %v, want %v", round, got, want)
			}
		}
		before = after
	}
}

// The order of the rows of stop_times.txt and shapes.txt does not matter.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var trips, times, shapes []string
	for i := range 700 { // more than an import keeps open
		trips = append(trips, fmt.Sprintf("T%d,R1,WK,H%d", i, i%90))
		for s := range 4 + i%3 {
			at := string(gtfs.AppendTime(nil, 6*3600+i%7*60+s*90))
			times = append(times, fmt.Sprintf("T%d,%s,%s,%c,%d", i, at, at, "1BCD"[(s+i)%4], s))
		}
	}
	for h := range 90 {
		for p := range 5 {
			shapes = append(shapes, fmt.Sprintf("H%d,45.%d,-122.%d,%d,%d", h, h+p, p, p*(1+h%2), p))
		}
	}
	build := func() files {
		f := small()
		f["trips.txt"] = "trip_id,route_id,service_id,shape_id\n" + strings.Join(trips, "\n")
		f["stop_times.txt"] = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n" + strings.Join(times, "\n")
		f["shapes.txt"] = "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\n" +
			strings.Join(shapes, "\n")
		return f.without("frequencies.txt")
	}
	views := func() map[string][]string {
		all := map[string][]string{}
		for _, v := range []string{"stop_times", "shapes", "trips"} {
			all[v] = query(t, db, `SELECT to_jsonb(x)::text FROM transit.`+v+` x ORDER BY 1`)
		}
		all["directions"] = query(t, db, `SELECT stop_id::text FROM transit.feed JOIN transit.route_direction
			USING (version_id)`)
		all["index"] = query(t, db, `SELECT stop_id || ' ' || trip_count || ' ' || call_count FROM transit.feed
			JOIN transit.stop_index USING (version_id) ORDER BY 1`)
		return all
	}
	load(t, db, "metro", build())
	sorted := views()
	rnd := rand.New(rand.NewPCG(3, 4))
	rnd.Shuffle(len(times), func(i, j int) { times[i], times[j] = times[j], times[i] })
	rnd.Shuffle(len(shapes), func(i, j int) { shapes[i], shapes[j] = shapes[j], shapes[i] })
	r := load(t, db, "metro", build())
	if diff := cmp.Diff(sorted, views()); diff != "" {
		t.Errorf("sorted and shuffled (-sorted +shuffled):\n%s", diff)
	}
	for _, f := range r.Files {
		if f.Used && f.Added+f.Changed+f.Removed > 0 {
			t.Errorf("unchanged import: %+v", f)
		}
	}
	if got := r.Counts["stop_time"]; got != int64(len(times)) {
		t.Errorf("%d stop times, want %d", got, len(times))
	}
}
