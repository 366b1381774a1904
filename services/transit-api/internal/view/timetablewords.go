package view

import (
	"slices"

	"github.com/townline/townline/services/transit-api/internal/board"
)

// title is the name of a direction; of a part of one, from where to where most of its trips go.
func (m *timetableMaker) title(d *DirectionData) string {
	if !slices.ContainsFunc(m.d.Directions, func(other DirectionData) bool { return other.ID == d.ID && other.Part != d.Part }) {
		return d.Name
	}
	seen, best := map[string]int{}, ""
	for i := range d.Sheet.Trips {
		t := &d.Sheet.Trips[i]
		name := d.goesTo(t)
		for _, r := range t.Rows {
			if r.Valid {
				name = d.Stops[r.Int32].Label + " – " + name
				break
			}
		}
		if seen[name]++; seen[name] > seen[best] {
			best = name
		}
	}
	return best
}

func (s Speaker) headway(seconds int64, about bool) string {
	if seconds%60 == 0 || seconds > 600 || about && seconds >= 60 {
		return s.Text("timetable.minutes", (seconds+30)/60)
	}
	return s.Text("timetable.seconds", seconds)
}

func (m *timetableMaker) every(t *board.SheetTrip) string {
	return m.s.Text(aboutKey("timetable.every", t.About), m.s.headway(t.Every, t.About), m.clock(t.Until))
}

// aboutKey is the key of a sentence about a headway; about is for trips that leave as often, not at the times of a timetable.
func aboutKey(key string, about bool) string {
	if about {
		key += ".about"
	}
	return key
}
