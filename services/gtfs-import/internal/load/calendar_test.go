package load

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/gtfs/check"
)

// TestServiceDays compares the calendar with a check of each service on each day.
func TestServiceDays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &calendar{}
		type service struct {
			week
			except map[int32]bool // whether a day is added (true) or removed
		}
		var services []service
		near := rapid.OneOf(rapid.Int32Range(0, 40), rapid.SampledFrom([]int32{-5, lastDay - 1, lastDay, lastDay + 3}))
		for range rapid.IntRange(0, 4).Draw(t, "services") {
			s := service{week{near.Draw(t, "first"), near.Draw(t, "last"), rapid.Uint8Range(0, 127).Draw(t, "days")},
				map[int32]bool{}}
			c.add(s.week)
			for range rapid.IntRange(0, 5).Draw(t, "exceptions") {
				d := near.Draw(t, "day")
				if _, twice := s.except[d]; !twice {
					s.except[d] = rapid.Bool().Draw(t, "added")
					c.except(s.week, d, s.except[d])
				}
			}
			services = append(services, s)
		}
		got := map[int32]bool{}
		for _, days := range c.days() {
			for d := days.First; d <= days.Last; d++ {
				got[d] = true
			}
		}
		for d := range int32(lastDay + 1) {
			want := false
			for _, s := range services {
				added, excepted := s.except[d]
				bit := 1 << ((int(check.Date(d).Weekday()) + 6) % 7)
				want = want || added || !excepted && s.first <= d && d <= s.last && s.week.days&uint8(bit) != 0
			}
			if want != got[d] {
				t.Fatalf("%s: runs %v, want %v", check.Date(d).Format(time.DateOnly), got[d], want)
			}
		}
	})
	if got := check.Date(lastDay).Format(time.DateOnly); got != "2099-12-31" {
		t.Errorf("the last day is %s", got)
	}
}
