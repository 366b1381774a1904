package agency

import "time"

// validity is the feed's first and last day: from four months before the month of the day until twelve months after it.
// It moves by whole months, so that a feed fetched again within the month is the same zip, byte for byte.
func validity(day time.Time) (first, last time.Time) {
	month := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	return month.AddDate(0, -4, 0), month.AddDate(0, 13, -1)
}

// exception is one row of calendar_dates.txt.
type exception struct {
	service string
	day     time.Time
	added   bool
}

// exceptions lists what differs from the weekly calendar between two days: the weekend timetable on public holidays, and
// the shuttle of Lantern Night, the first Saturday of each month.
func exceptions(first, last time.Time) []exception {
	var out []exception
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		if holiday(day) != "" && day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			out = append(out, exception{weekday, day, false}, exception{weekend, day, true})
		}
		if day.Weekday() == time.Saturday && day.Day() <= 7 {
			out = append(out, exception{lantern, day, true})
		}
	}
	return out
}

// holiday names the public holiday that falls on a day, "" on any other.
func holiday(day time.Time) string {
	nth := (day.Day() + 6) / 7
	switch m, d, wd := day.Month(), day.Day(), day.Weekday(); {
	case m == time.January && d == 1:
		return "New Year's Day"
	case m == time.May && wd == time.Monday && d > 24:
		return "Memorial Day"
	case m == time.July && d == 4:
		return "Independence Day"
	case m == time.September && wd == time.Monday && nth == 1:
		return "Labor Day"
	case m == time.November && wd == time.Thursday && nth == 4:
		return "Thanksgiving Day"
	case m == time.December && d == 25:
		return "Christmas Day"
	}
	return ""
}

// runs tells whether a service operates on a day.
func runs(service string, day time.Time) bool {
	for _, e := range exceptions(day, day) {
		if e.service == service {
			return e.added
		}
	}
	free := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
	return service == weekday && !free || service == weekend && free
}
