package transitapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/townline/townline/pkg/performance"
)

// observedYear stores the figures of 399 days of a feed with 30 lines.
func (w *world) observedYear(tb testing.TB) (last time.Time) {
	tb.Helper()
	const days, lines = 399, 30
	end := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	delays := make([][]byte, lines)
	for l := range delays {
		d := performance.Delays{}
		for k := range int32(1300) { // visits of a line on a weekday
			d[(k*k*7+int32(l)*13)%600-120+(k%11)*20]++
		}
		delays[l] = d.Encode()
	}
	for n := range days {
		day := end.AddDate(0, 0, -n)
		for l := range lines {
			w.exec(tb, `INSERT INTO transit.performance_day (alias, service_date, route_id, stop_id, hour, trips_scheduled,
				trips_ran, stops_passed, delays, timepoint_delays, accuracy)
				VALUES ('metro', $1, $2, '', -1, 50, 49, 1300, $3, '', ARRAY[9,8,7,6,5,4,3,2,1,2,3,4,5,6,7,8])
				ON CONFLICT DO NOTHING`, day, fmt.Sprintf("L%d", l), delays[l])
		}
		w.exec(tb, `INSERT INTO transit.observed_day (alias, service_date, added_up_at, written_at)
			VALUES ('metro', $1, '2026-03-03', '2026-03-02') ON CONFLICT DO NOTHING`, day)
	}
	return end
}

// BenchmarkYearOfWhatRan measures the page of 399 days on a cache miss.
func BenchmarkYearOfWhatRan(b *testing.B) {
	w := newWorld(b, nil)
	last := w.observedYear(b)
	for n := 0; b.Loop(); n++ {
		from := last.AddDate(0, 0, -398+n)
		w.page(b, fmt.Sprintf("/f/metro/performance?from=%s&to=%s", from.Format(time.DateOnly), last.Format(time.DateOnly)))
	}
}
