package load

import (
	"strings"
	"time"

	"github.com/townline/townline/services/gtfs-import/internal/check"
)

// Days are those from First to Last.
type Days = check.Days

// Multirange is how Postgres reads days as a datemultirange.
func Multirange(days []Days) string {
	var b strings.Builder
	for i, d := range days {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("[" + d.First.Format(time.DateOnly) + "," + d.Last.Format(time.DateOnly) + "]")
	}
	return "{" + b.String() + "}"
}

// lastDay bounds the days that are counted: from 1970 to 2099.
const lastDay = 130*365 + 32 - 1

// week is the row of a service in calendar.txt.
type week struct {
	first, last int32
	days        uint8 // Monday is the lowest bit
}

func (w week) runs(day int32) bool {
	return w.first <= day && day <= w.last && w.days&(1<<weekday(day)) != 0
}

// weekday of a day since 1970, which began with a Thursday; Monday is 0.
func weekday(day int32) int32 { return (day + 3) % 7 }

// running counts, day by day, how many services with trips run.
type running struct {
	// weekly are differences from the previous day, for each weekday: the length of a service costs
	// nothing.
	weekly [7][]int32
	// single are the exceptions.
	single []int32
}

func newRunning() *running {
	r := &running{single: make([]int32, lastDay+1)}
	for i := range r.weekly {
		r.weekly[i] = make([]int32, lastDay+2)
	}
	return r
}

func (r *running) add(w week) {
	first, last := max(w.first, 0), min(w.last, lastDay)
	if first > last {
		return
	}
	for i := range r.weekly {
		if w.days&(1<<i) != 0 {
			r.weekly[i][first]++
			r.weekly[i][last+1]--
		}
	}
}

// except counts an exception of a service: a day more, or one less.
func (r *running) except(w week, day int32, added bool) {
	if day < 0 || day > lastDay || w.runs(day) == added {
		return
	}
	if added {
		r.single[day]++
	} else {
		r.single[day]--
	}
}

// days on which something runs.
func (r *running) days() (all []Days) {
	var now [7]int32
	before := false
	for day := range int32(lastDay + 1) {
		for i := range now {
			now[i] += r.weekly[i][day]
		}
		runs := now[weekday(day)]+r.single[day] > 0
		if runs && !before {
			all = append(all, Days{First: date(day)})
		}
		if runs {
			all[len(all)-1].Last = date(day)
		}
		before = runs
	}
	return all
}
