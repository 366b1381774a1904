package gtfsimport_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
)

// TestDaysOfRandomServices compares the stored days of a feed with a check of each service on each day. Every
// 60 days have a few random services of their own. Days before 1970 or after 2099 do not count.
func TestDaysOfRandomServices(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	f := small().without("frequencies.txt")
	var calendar, dates, trips, calls strings.Builder
	calendar.WriteString("service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n")
	dates.WriteString("service_id,date,exception_type\n")
	trips.WriteString("trip_id,route_id,service_id\n")
	calls.WriteString("trip_id,arrival_time,departure_time,stop_id,stop_sequence\n")
	counted := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	n := 0
	for begin := counted.AddDate(0, 0, -20); begin.Before(end); begin = begin.AddDate(0, 0, 60) {
		var runs [60]bool
		for range r.IntN(5) {
			n++
			first, last := r.IntN(40), r.IntN(40)
			week := r.IntN(1 << 7)
			day := func(i int) string { return begin.AddDate(0, 0, i).Format("20060102") }
			fmt.Fprintf(&calendar, "%d", n)
			for i := range 7 {
				fmt.Fprintf(&calendar, ",%d", week>>i&1)
			}
			fmt.Fprintf(&calendar, ",%s,%s\n", day(first), day(last))
			added := map[int]bool{}
			for range r.IntN(6) {
				i := r.IntN(60)
				if _, twice := added[i]; twice {
					continue
				}
				added[i] = r.IntN(2) == 0
				fmt.Fprintf(&dates, "%d,%s,%d\n", n, day(i), map[bool]int{true: 1, false: 2}[added[i]])
			}
			if r.IntN(10) == 0 {
				continue // a service without trips
			}
			fmt.Fprintf(&trips, "%d,R1,%d\n", n, n)
			fmt.Fprintf(&calls, "%d,6:00:00,6:00:00,B,1\n%d,6:10:00,6:10:00,C,2\n", n, n)
			for i := range runs {
				weekday := (int(begin.AddDate(0, 0, i).Weekday()) + 6) % 7
				is, excepted := added[i]
				runs[i] = runs[i] || is || !excepted && first <= i && i <= last && week>>weekday&1 == 1
			}
		}
		for i, is := range runs {
			if day := begin.AddDate(0, 0, i); is && !day.Before(counted) && day.Before(end) {
				want = append(want, day.Format(time.DateOnly))
			}
		}
	}
	f["calendar.txt"], f["calendar_dates.txt"] = calendar.String(), dates.String()
	f["trips.txt"], f["stop_times.txt"] = trips.String(), calls.String()
	db := pgtest.New(t)
	load(t, db, "metro", f)
	got := query(t, db, `SELECT generate_series(lower(d), upper(d) - 1, '1 day')::date::text
		FROM transit.feed_version, unnest(runs_on) d ORDER BY 1`)
	if d := cmp.Diff(want, got); d != "" || len(want) < 5000 {
		t.Errorf("%d days: (-want +got)\n%s", len(want), d)
	}
}
