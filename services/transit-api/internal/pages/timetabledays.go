package pages

import (
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

const (
	// seasonWeeks is how many weeks show what is usual, and seasonAhead how many days ahead service is looked for, or back.
	seasonWeeks = 8
	seasonAhead = 400
	// shownChanges is how many days are listed that are not as usual, and seasonDays how far ahead they are looked for.
	shownChanges = 10
	seasonDays   = 70
)

// choose finds the day to show: the one that is asked for, else today, else the next day of service, else the last one. A notice says
// why it is not today.
func (v *timetablePage) choose(asked *int) {
	v.first, v.day = v.today, v.today
	next, ok := v.season.Next(v.today, seasonAhead)
	switch {
	case ok:
		if next > v.today+seasonWeeks*7 {
			v.first = next
		}
	case v.ends != nil:
		for next = *v.ends; next > *v.ends-seasonAhead && v.season.On(next) == 0; {
			next--
		}
		v.first = next - seasonWeeks*7 + 1
	default:
		next = v.today
	}
	switch {
	case asked != nil:
		v.day = *asked
	case v.service != "":
	case next > v.today:
		v.Notices = append(v.Notices, v.empty(v.today), v.say.Text("timetable.nexttime", v.date(next)))
		v.day = next
	case next < v.today:
		v.Notices = append(v.Notices, v.say.Text("timetable.lasttime", v.date(next)))
		v.day = next
	}
}

// empty says why a day has no trips: there is no service, or the feed does not reach that far.
func (v *timetablePage) empty(day int) string {
	switch {
	case v.ends != nil && day > *v.ends:
		return v.say.Text("timetable.until", v.date(*v.ends))
	case v.begins != nil && day < *v.begins:
		return v.say.Text("timetable.since", v.date(*v.begins))
	}
	return v.say.Text("timetable.noservice", v.date(day))
}

// date is a day in words, with its year if that is another one.
func (v *timetablePage) date(day int) string { return v.say.date(day, v.today) }

// usual is the usual week, of eight weeks that the feed is published for: those to come, and before them as many as it takes.
func (v *timetablePage) usual() (usual [7]uint64, known [7]bool) {
	to := v.first + seasonWeeks*7 - 1
	if v.ends != nil {
		to = min(to, *v.ends)
	}
	usual, known = v.season.Week(v.first, to)
	if !slices.Contains(known[:], false) {
		return usual, known
	}
	return v.season.Week(to-seasonWeeks*7+1, to)
}

// Service is when a service runs, in words: its days of the week by time.Weekday, and its first and last day.
func (s Speaker) Service(week [7]string, first, last *int) string {
	var days []int
	for n := range 7 {
		if w := (n + 1) % 7; week[w] == "1" {
			days = append(days, w)
		}
	}
	text := s.Text("timetable.ondates")
	if days != nil {
		text = s.week(days)
	}
	if first == nil || last == nil {
		return text
	}
	return s.Text("timetable.dates", text, s.date(*first, 0), s.date(*last, 0))
}

// addDays adds for which days the timetable is, which others there are, and which days are not as usual.
func (v *timetablePage) addDays() {
	usual, known := v.usual()
	groups := weekGroups(usual, known)
	for _, g := range groups {
		label := v.say.week(g)
		c := Choice{Label: label}
		print := usual[g[0]]
		for day := v.first; print != 0 && day < v.first+seasonWeeks*7 && c.Address == ""; day++ {
			if slices.Contains(g, edition.Weekday(day)) && v.season.On(day) == print {
				c.Address = v.address(day, v.dir, v.All)
			}
		}
		if print == 0 {
			c.Text = v.say.Text("timetable.none")
		}
		if v.service == "" && v.season.On(v.day) == print && print != 0 {
			c.Current = true
		}
		v.Days = append(v.Days, c)
	}
	if v.service != "" {
		v.Shown = v.say.Text("timetable.service", v.service, v.serviceFor)
	} else {
		v.Date = iso(v.day)
		v.Shown = v.date(v.day)
		own := usual[edition.Weekday(v.day)] == v.season.On(v.day)
		for i, g := range groups {
			if own && len(g) > 1 && slices.Contains(g, edition.Weekday(v.day)) {
				v.Shown = v.say.Text("timetable.shown", v.Days[i].Label, v.Shown)
			}
		}
		switch {
		case v.season.On(v.day) == 0:
			v.Notices = append(v.Notices, v.empty(v.day))
		case !own && v.day >= v.first && known[edition.Weekday(v.day)]:
			v.Notices = append(v.Notices, v.say.Text("timetable.special", v.date(v.day)))
		}
	}
	v.addChanges(usual, known)
}

// addChanges lists the days that are not as usual; what follows one another and is alike is one line.
func (v *timetablePage) addChanges(usual [7]uint64, known [7]bool) {
	type run struct {
		from, to int
		text     string
		print    uint64
	}
	var runs []run
	end := v.first + seasonDays
	published := v.ends != nil && *v.ends < end && *v.ends >= v.today
	if published {
		end = *v.ends + 1
	}
	from := v.first
	if v.begins != nil {
		from = max(from, *v.begins)
	}
	for day := from; day < end; day++ {
		print := v.season.On(day)
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
	for _, r := range runs {
		v.MoreDays = len(v.Changes) == shownChanges
		if v.MoreDays {
			break
		}
		c := Choice{Label: v.date(r.from), Text: r.text}
		if r.to > r.from {
			c.Label = v.say.Text("timetable.fromto", v.date(r.from), v.date(r.to))
		}
		if r.print != 0 {
			c.Address = v.address(r.from, v.dir, v.All)
		}
		v.Changes = append(v.Changes, c)
	}
	if published {
		v.Until = v.say.Text("timetable.until", v.date(*v.ends))
	}
}

// weekGroups are the days of the week that are alike, in the order of their first ones from Monday.
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

// week is some days of the week in words: "Monday to Friday", or one by one.
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
		switch {
		case end > i+1:
			parts = append(parts, s.Text("timetable.fromto", s.weekday(days[i]), s.weekday(days[end])))
		default:
			for ; i < end; i++ {
				parts = append(parts, s.weekday(days[i]))
			}
			parts = append(parts, s.weekday(days[end]))
		}
		i = end + 1
	}
	return strings.Join(parts, ", ")
}

// weekday is the name of a day of the week.
func (s Speaker) weekday(w int) string {
	return s.Text("day." + time.Weekday(w).String()[:3])
}
