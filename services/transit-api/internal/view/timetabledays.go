package view

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
)

// Choose finds the day to show: the one that is asked for, else today, else the next day of service, else the last one. It returns in
// words why it is not today.
func (d *TimetableData) Choose(s Speaker, asked *int) (notices []string) {
	last := d.Ends
	d.First, d.Day = d.Today, d.Today
	next, ok := d.Season.Next(d.Today, seasonAhead)
	switch {
	case ok:
		if next > d.Today+seasonWeeks*7 {
			d.First = next
		}
	case last != nil:
		for next = *last; next > *last-seasonAhead && d.Season.On(next) == 0; {
			next--
		}
		d.First = next - seasonWeeks*7 + 1
	default:
		next = d.Today
	}
	switch {
	case asked != nil:
		d.Day = *asked
	case d.Service != "":
	case next > d.Today:
		notices = append(notices, d.empty(s, d.Today), s.Text("timetable.nexttime", s.date(next, d.Today)))
		d.Day = next
	case next < d.Today:
		notices = append(notices, s.Text("timetable.lasttime", s.date(next, d.Today)))
		d.Day = next
	}
	return notices
}

// empty says why a day has no trips: there is no service, or the feed does not reach that far.
func (d *TimetableData) empty(s Speaker, day int) string {
	switch {
	case d.Ends != nil && day > *d.Ends:
		return s.Text("timetable.until", s.date(*d.Ends, d.Today))
	case d.Begins != nil && day < *d.Begins:
		return s.Text("timetable.since", s.date(*d.Begins, d.Today))
	}
	return s.Text("timetable.noservice", s.date(day, d.Today))
}

// usual is the usual week, of eight weeks that the feed is published for: those to come, and before them as many as it takes.
func (d *TimetableData) usual() (usual [7]uint64, known [7]bool) {
	to := d.First + seasonWeeks*7 - 1
	if d.Ends != nil {
		to = min(to, *d.Ends)
	}
	usual, known = d.Season.Week(d.First, to)
	if !slices.Contains(known[:], false) {
		return usual, known
	}
	return d.Season.Week(to-seasonWeeks*7+1, to)
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

// days fills in for which days the timetable is, which others there are, and which days are not as usual.
func (m *timetableMaker) days() {
	d := m.d
	usual, known := d.usual()
	groups := weekGroups(usual, known)
	for _, g := range groups {
		label := m.s.week(g)
		c := DayChoice{Label: label}
		print := usual[g[0]]
		for day := d.First; print != 0 && day < d.First+seasonWeeks*7 && c.Address == ""; day++ {
			if slices.Contains(g, edition.Weekday(day)) && d.Season.On(day) == print {
				c.Address = d.To(day, d.Dir, d.All)
			}
		}
		if print == 0 {
			c.Text = m.s.Text("timetable.none")
		}
		if d.Service == "" && d.Season.On(d.Day) == print && print != 0 {
			c.Current = true
		}
		m.Days = append(m.Days, c)
	}
	if d.Service != "" {
		m.Shown = m.s.Text("timetable.service", d.Service, d.ServiceFor)
	} else {
		m.Date = ISO(d.Day)
		m.Shown = m.date(d.Day)
		own := usual[edition.Weekday(d.Day)] == d.Season.On(d.Day)
		for i, g := range groups {
			if own && len(g) > 1 && slices.Contains(g, edition.Weekday(d.Day)) {
				m.Shown = m.s.Text("timetable.shown", m.Days[i].Label, m.Shown)
			}
		}
		switch {
		case d.Season.On(d.Day) == 0:
			m.Notices = append(m.Notices, d.empty(m.s, d.Day))
		case !own && d.Day >= d.First && known[edition.Weekday(d.Day)]:
			m.Notices = append(m.Notices, m.s.Text("timetable.special", m.date(d.Day)))
		}
	}
	m.changes(usual, known)
}

// changes lists the days that are not as usual; what follows one another and is alike is one line.
func (m *timetableMaker) changes(usual [7]uint64, known [7]bool) {
	d := m.d
	type run struct {
		from, to int
		text     string
		print    uint64
	}
	var runs []run
	end := d.First + seasonDays
	published := d.Ends != nil && *d.Ends < end && *d.Ends >= d.Today
	if published {
		end = *d.Ends + 1
	}
	from := d.First
	if d.Begins != nil {
		from = max(from, *d.Begins)
	}
	for day := from; day < end; day++ {
		print := d.Season.On(day)
		if w := edition.Weekday(day); print == usual[w] || print == 0 && !known[w] {
			continue
		}
		text := m.s.Text("timetable.other")
		if print == 0 {
			text = m.s.Text("timetable.none")
		} else if as := slices.Index(usual[:], print); as >= 0 {
			text = m.s.Text("timetable.as", m.s.weekday(as))
		}
		if n := len(runs); n > 0 && runs[n-1].to == day-1 && runs[n-1].text == text && print == 0 {
			runs[n-1].to = day
			continue
		}
		runs = append(runs, run{day, day, text, print})
	}
	for _, r := range runs {
		m.MoreDays = len(m.Changes) == shownChanges
		if m.MoreDays {
			break
		}
		c := DayChoice{Label: m.date(r.from), Text: r.text}
		if r.to > r.from {
			c.Label = m.s.Text("timetable.fromto", m.date(r.from), m.date(r.to))
		}
		if r.print != 0 {
			c.Address = d.To(r.from, d.Dir, d.All)
		}
		m.Changes = append(m.Changes, c)
	}
	if published {
		m.Until = m.s.Text("timetable.until", m.date(*d.Ends))
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
