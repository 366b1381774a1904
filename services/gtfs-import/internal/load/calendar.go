package load

import (
	"strings"
	"time"

	"github.com/townline/townline/pkg/gtfs/check"
)

// Multirange formats days as a Postgres datemultirange.
func Multirange(days []check.Days) string {
	var ranges []string
	for _, d := range days {
		ranges = append(ranges, "["+check.Date(d.First).Format(time.DateOnly)+","+check.Date(d.Last).Format(time.DateOnly)+
			"]")
	}
	return "{" + strings.Join(ranges, ",") + "}"
}

// lastDay is the last counted day: the end of 2099, in days since 1970.
const lastDay = 130*365 + 32 - 1

type week struct {
	first, last int32
	days        uint8 // the lowest bit is Monday
}

func (w week) runs(day int32) bool {
	return w.first <= day && day <= w.last && w.days&(1<<weekday(day)) != 0
}

// weekday returns the weekday of a day since 1970, from 0 for Monday. 1970-01-01 was a Thursday.
func weekday(day int32) int32 { return (day + 3) % 7 }

// calendar counts the running services with trips for each day.
type calendar struct {
	// weekly has for each weekday the difference from the previous day, so that long services cost
	// no more than short ones.
	weekly     [7][lastDay + 2]int32
	exceptions [lastDay + 1]int32
}

func (c *calendar) add(w week) {
	first, last := max(w.first, 0), min(w.last, lastDay)
	if first > last {
		return
	}
	for i := range c.weekly {
		if w.days&(1<<i) != 0 {
			c.weekly[i][first]++
			c.weekly[i][last+1]--
		}
	}
}

func (c *calendar) except(w week, day int32, added bool) {
	if day < 0 || day > lastDay || w.runs(day) == added {
		return
	}
	if added {
		c.exceptions[day]++
	} else {
		c.exceptions[day]--
	}
}

func (c *calendar) days() (all []check.Days) {
	var count [7]int32
	for day := range int32(lastDay + 1) {
		for i := range count {
			count[i] += c.weekly[i][day]
		}
		if count[weekday(day)]+c.exceptions[day] <= 0 {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Last < day-1 {
			all = append(all, check.Days{First: day, Last: day})
		} else {
			all[n-1].Last = day
		}
	}
	return all
}
