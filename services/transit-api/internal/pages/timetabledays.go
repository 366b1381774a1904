package pages

import (
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

const (
	// The usual week is computed from seasonWeeks weeks. Service is searched seasonAhead days ahead
	// or back.
	seasonWeeks = 8
	seasonAhead = 400
	// Up to maxChanges unusual days in the next seasonDays days are listed.
	maxChanges = 10
	seasonDays = 70
)

// A calendar is the service of a route. Days are numbered from 1970-01-01.
type calendar struct {
	season       *edition.Season
	today, day   int // day is the day that is shown
	first        int // first day to choose
	begins, ends int // published days; ±noDay if unknown
}

const noDay = 1 << 40

func newCalendar(f *edition.Feed, route *edition.Route, now time.Time) calendar {
	return calendar{season: edition.NewSeason(f.TripsOf(route.Trips())), today: edition.DayNumber(now, f.Zone),
		begins: dayOf(f.FirstDay, -noDay), ends: dayOf(f.LastDay, noDay)}
}

func dayOf(d *rest.Date, otherwise int) int {
	if d == nil {
		return otherwise
	}
	return int(d.Unix() / 86400)
}

func dayTime(day int) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

func iso(day int) string { return dayTime(day).Format(time.DateOnly) }

// date returns a day in words, with its year if it is not this year.
func (s Speaker) date(day, today int) string {
	if dayTime(day).Year() != dayTime(today).Year() {
		return s.FullDate(dayTime(day))
	}
	return s.Day(dayTime(day))
}

// choose sets the day to show: the requested day, today, the next day with service, or the last
// one, in this order. If it is not today, a notice explains why.
func (v *timetablePage) choose(asked *rest.Date) {
	v.first, v.day = v.today, dayOf(asked, v.today)
	next, ok := v.season.Next(v.today, seasonAhead)
	switch {
	case ok && next > v.today+seasonWeeks*7:
		v.first = next
	case ok:
	case v.ends == noDay:
		next = v.today
	default:
		for next = v.ends; next > v.ends-seasonAhead && v.season.Fingerprint(next) == 0; {
			next--
		}
		v.first = next - seasonWeeks*7 + 1
	}
	if asked != nil || v.service != "" || next == v.today {
		return
	}
	v.day = next
	if next > v.today {
		v.Notices = append(v.Notices, v.empty(v.today), v.say.Text("timetable.nexttime", v.date(next)))
	} else {
		v.Notices = append(v.Notices, v.say.Text("timetable.lasttime", v.date(next)))
	}
}

func (v *timetablePage) empty(day int) string {
	switch {
	case day > v.ends:
		return v.say.Text("timetable.until", v.date(v.ends))
	case day < v.begins:
		return v.say.Text("timetable.since", v.date(v.begins))
	}
	return v.say.Text("timetable.noservice", v.date(day))
}

func (v *timetablePage) date(day int) string { return v.say.date(day, v.today) }

// usual returns the usual week of eight published weeks: future weeks and, if these are too few,
// past weeks.
func (c *calendar) usual() (usual [7]uint64, known [7]bool) {
	to := min(c.first+seasonWeeks*7-1, c.ends)
	usual, known = c.season.Week(c.first, to)
	if slices.Contains(known[:], false) {
		usual, known = c.season.Week(to-seasonWeeks*7+1, to)
	}
	return usual, known
}

// Service returns the days of a service in words.
func (s Speaker) Service(row *edition.Service) string {
	var days []int // indexed by time.Weekday
	week := row.Week()
	for i := range week { // Sunday is the last day
		if day := (i + 1) % len(week); week[day] {
			days = append(days, day)
		}
	}
	text := s.Text("timetable.ondates")
	if days != nil {
		text = s.week(days)
	}
	if row.FirstDay > row.LastDay {
		return text
	}
	return s.Text("timetable.dates", text, s.date(int(row.FirstDay), 0), s.date(int(row.LastDay), 0))
}

func (v *timetablePage) addDays() {
	usual, known := v.usual()
	weekday := edition.Weekday(v.day)
	own := v.service == "" && usual[weekday] == v.season.Fingerprint(v.day)
	v.Shown = v.date(v.day)
	for _, g := range weekGroups(usual, known) {
		print := usual[g[0]]
		c := Choice{Label: v.say.week(g), Chosen: v.service == "" && v.season.Fingerprint(v.day) == print && print != 0}
		for day := v.first; print != 0 && day < v.first+seasonWeeks*7 && c.Value == ""; day++ {
			if slices.Contains(g, edition.Weekday(day)) && v.season.Fingerprint(day) == print {
				c.Value = v.address(day, v.Dir, v.All)
			}
		}
		if print == 0 {
			c.More = v.say.Text("timetable.none")
		}
		v.Days = append(v.Days, c)
		if own && len(g) > 1 && slices.Contains(g, weekday) {
			v.Shown = v.say.Text("timetable.shown", c.Label, v.Shown)
		}
	}
	switch {
	case v.service != "":
		v.Shown = v.say.Text("timetable.service", v.service, v.serviceFor)
	case v.season.Fingerprint(v.day) == 0:
		v.Notices = append(v.Notices, v.empty(v.day))
	case !own && v.day >= v.first && known[weekday]:
		v.Notices = append(v.Notices, v.say.Text("timetable.special", v.date(v.day)))
	}
	if v.service == "" {
		v.Date = iso(v.day)
	}
	v.addChanges(usual, known)
}

// addChanges lists the unusual days. Consecutive days without service are one line.
func (v *timetablePage) addChanges(usual [7]uint64, known [7]bool) {
	type run struct {
		from, to int
		text     string
		print    uint64
	}
	var runs []run
	end := v.first + seasonDays
	published := v.ends < end && v.ends >= v.today
	if published {
		end = v.ends + 1
		v.Until = v.say.Text("timetable.until", v.date(v.ends))
	}
	for day := max(v.first, v.begins); day < end; day++ {
		print := v.season.Fingerprint(day)
		if w := edition.Weekday(day); print == usual[w] || print == 0 && !known[w] {
			continue
		}
		text := v.say.Text("timetable.other")
		if print == 0 {
			text = v.say.Text("timetable.none")
		} else if as := slices.Index(usual[:], print); as >= 0 {
			text = v.say.Text("timetable.as", v.say.weekday(as))
		}
		if n := len(runs); n > 0 && runs[n-1].to == day-1 && runs[n-1].text == text && print == 0 {
			runs[n-1].to = day
			continue
		}
		runs = append(runs, run{day, day, text, print})
	}
	v.MoreDays = len(runs) > maxChanges
	for _, r := range runs[:min(len(runs), maxChanges)] {
		c := Choice{Label: v.date(r.from), More: r.text}
		if r.to > r.from {
			c.Label = v.say.Text("timetable.fromto", v.date(r.from), v.date(r.to))
		}
		if r.print != 0 {
			c.Value = v.address(r.from, v.Dir, v.All)
		}
		v.Changes = append(v.Changes, c)
	}
}

// weekGroups groups weekdays with the same service, in order from Monday.
func weekGroups(usual [7]uint64, known [7]bool) (groups [][]int) {
	for n := range 7 {
		w := (n + 1) % 7
		if !known[w] {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool { return usual[g[0]] == usual[w] })
		if at < 0 {
			groups = append(groups, []int{w})
		} else {
			groups[at] = append(groups[at], w)
		}
	}
	return groups
}

// week returns weekdays in words: "Monday to Friday", or each day.
func (s Speaker) week(days []int) string {
	if len(days) == 7 {
		return s.Text("timetable.daily")
	}
	var parts []string
	for i := 0; i < len(days); {
		end := i
		for end+1 < len(days) && days[end+1] == (days[end]+1)%7 {
			end++
		}
		if end > i+1 {
			parts = append(parts, s.Text("timetable.fromto", s.weekday(days[i]), s.weekday(days[end])))
			i = end + 1
		}
		for ; i <= end; i++ {
			parts = append(parts, s.weekday(days[i]))
		}
	}
	return strings.Join(parts, ", ")
}

func (s Speaker) weekday(w int) string {
	return s.Text("day." + time.Weekday(w).String()[:3])
}
