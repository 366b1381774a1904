package town

import (
	"slices"
	"time"
)

// weeksAhead is how far the public calendar reaches ahead.
const weeksAhead = 9

// Each fortnight has room for ten meetings; these are their places, and the last digit of their ids.
const (
	regular = iota
	closed
	special
	specialTwin
	specialJoint
	study
	planning
	withdrawn
	parks
)

// Meetings are all meetings on the public calendar at an instant, in the order of their start.
func (t *Town) Meetings(now time.Time) []*Meeting {
	local := now.In(t.zone)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	first, last := today.AddDate(0, -t.months, 0), today.AddDate(0, 0, 7*weeksAhead)
	var out []*Meeting
	for n := index(first) - 1; n <= index(last); n++ {
		for _, m := range t.fortnight(n) {
			day := time.Date(m.Starts.Year(), m.Starts.Month(), m.Starts.Day(), 0, 0, 0, 0, time.UTC)
			if !day.Before(first) && !day.After(last) {
				out = append(out, m)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Meeting) int { return a.Starts.Compare(b.Starts) })
	return out
}

// index is the number of the fortnight that a day falls in; day is the Tuesday that a fortnight starts with.
func index(d time.Time) int   { return int(d.Sub(epoch).Hours()) / 24 / 14 }
func tuesday(n int) time.Time { return epoch.AddDate(0, 0, 14*n) }

// cancelled tells whether the regular council meeting of a fortnight is called off: every tenth, and those in the winter recess.
func cancelled(n int) bool {
	d := tuesday(n)
	return n%10 == 8 || d.Month() == time.December && d.Day() >= 22 || d.Month() == time.January && d.Day() == 1
}

// held is the first fortnight from n on, in steps of 1 or -1, whose regular meeting takes place.
func held(n, step int) int {
	for cancelled(n) {
		n += step
	}
	return n
}

// scanned tells whether the minutes of a fortnight's regular meeting are a photocopy.
func scanned(n int) bool {
	return !cancelled(n) && (n%14 == 9 || n%14 == 10 && cancelled(n-1))
}

// evenings are the fortnights whose turn it is at the regular meeting of fortnight n: its own, and those just before it of which no
// readable minutes tell. What comes round every few meetings is thus made up for when a meeting is called off.
func evenings(n int) []int {
	out := []int{n}
	for k := n - 1; cancelled(k) || scanned(k); k-- {
		out = append(out, k)
	}
	return out
}

// turn tells whether something that comes round every so many meetings, at a place in the round, has its turn.
func turn(n, every, place int) bool {
	return slices.ContainsFunc(evenings(n), func(k int) bool { return k%every == place })
}

// fortnight is everything that happens in a fortnight.
func (t *Town) fortnight(n int) []*Meeting {
	out := []*Meeting{t.regular(n)}
	if n%3 == 1 && !cancelled(n) {
		out = append(out, t.closed(n))
	}
	if n%6 == 2 {
		out = append(out, t.special(n))
	}
	if n%5 == 0 {
		out = append(out, t.study(n))
	}
	if n%12 == 1 {
		out = append(out, t.withdrawn(n))
	}
	if n%2 == 0 {
		out = append(out, t.planning(n))
	} else {
		out = append(out, t.parks(n))
	}
	return out
}

// meeting starts a meeting: its ids, place, time, and when its papers appear. days and hour count from the fortnight's Tuesday.
func (t *Town) meeting(n, place int, board, kind string, days, hour, minute int) *Meeting {
	d := tuesday(n).AddDate(0, 0, days)
	m := &Meeting{
		ID: 10*n + place, AgendaID: 10*n + place - 1400, MinutesID: 10*n + place - 2300,
		Board: board, Type: kind, Room: "Council Chambers", Address: "201 Harbor Way, Alder Bay, CA  95499",
		Starts: time.Date(d.Year(), d.Month(), d.Day(), hour, minute, 0, 0, t.zone),
		Style:  n % 3,
	}
	// The agenda is out the day after the regular meeting before, or five days ahead; minutes are approved at the next regular meeting and posted the day after.
	before := tuesday(held(n-1, -1))
	m.AgendaPosted = time.Date(before.Year(), before.Month(), before.Day()+1, 10, 0, 0, 0, t.zone)
	if place != regular {
		m.AgendaPosted = time.Date(d.Year(), d.Month(), d.Day()-5, 16, 30, 0, 0, t.zone)
	}
	next := held(n+1, 1)
	if after := tuesday(next); after.Sub(d) < 3*24*time.Hour {
		next = held(next+1, 1)
	}
	a := tuesday(next)
	m.MinutesPosted = time.Date(a.Year(), a.Month(), a.Day()+1, 10, 0, 0, 0, t.zone)
	return m
}
