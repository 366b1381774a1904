package view

import (
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
)

// A TimetableLive is what is known of today's trips beside the timetable.
type TimetableLive struct {
	BoardData
	Date string // service day of the trips, YYYYMMDD
}

// A TripNow is how a trip of today runs, in words.
type TripNow struct {
	Text    string
	Kind    string          // d on time, late, note
	Gone    bool            // the whole trip does not run
	Skipped map[string]bool // stops at which it does not call
}

// live reads how the trips run: of the calls that are still to come, the soonest decides. The page says how old that is.
func (m *timetableMaker) live() map[string]*TripNow {
	l := m.d.Live
	if l == nil {
		return nil
	}
	b := &Board{Head: m.Head, Variant: "phone", Now: l.Now.Unix()}
	maker := boardMaker{Board: b, say: m.s, wish: BoardWish{Variant: "phone"}, data: &l.BoardData,
		zones: map[string]*time.Location{}}
	for _, f := range l.Feeds {
		maker.zones[f.Alias] = f.Zone
	}
	maker.status()
	m.Status = b.Status
	trips := map[string]*TripNow{}
	for i := range l.Departures {
		d := &l.Departures[i]
		if d.StartDate != l.Date || d.Origin == "scheduled" && d.ScheduleRelationship == board.Scheduled {
			continue
		}
		t := trips[d.TripID]
		if t == nil {
			t = &TripNow{Skipped: map[string]bool{}}
			trips[d.TripID] = t
		}
		switch {
		case d.ScheduleRelationship == board.Canceled:
			t.Text, t.Kind, t.Gone = m.s.Text("board.cancelled"), "note", true
		case d.ScheduleRelationship == board.Skipped:
			t.Skipped[d.StopID] = true
		case t.Text == "" && d.Delay != nil:
			t.Text, t.Kind = m.s.Delay(*d.Delay), "d"
			if *d.Delay >= lateFrom {
				t.Kind = "late"
			}
		}
	}
	return trips
}

// pageCells is how many calls a page with all stops has, so that it stays within 30 kB: five bytes each, compressed.
const pageCells = 4500

// page is which trips a page with all stops shows, and fills in the choice of the others: those of the time of day that is asked for, else
// of now, else the first.
func (g *TimetableGrid) page(m *timetableMaker, d *DirectionData, width int) (first, end int) {
	room := pageCells / max(len(m.d.Directions), 1) / max(len(g.Heads), 1)
	most := max(room/width, 1) * width
	if len(g.Trips) <= most {
		return 0, len(g.Trips)
	}
	sheet := d.Sheet.Trips
	begins := func(i int) int32 { return sheet[i].Start }
	shown := m.d.Part
	pages := (len(g.Trips) + most - 1) / most
	most = ((len(g.Trips)+pages-1)/pages + width - 1) / width * width // as even as whole tables can be
	pages = (len(g.Trips) + most - 1) / most
	for n := 1; shown == 0 && n <= pages; n++ {
		if last := min(n*most, len(sheet)) - 1; m.d.Clock < 0 || begins(last) >= m.d.Clock || n == pages {
			shown = n
		}
	}
	shown = min(max(shown, 1), pages)
	for n := 1; n <= pages; n++ {
		from, to := begins((n-1)*most), begins(min(n*most, len(sheet))-1)
		g.Times = append(g.Times, DayChoice{Label: m.s.Text("timetable.fromto", m.clock(from), m.clock(to)), Address: m.d.Times(d.ID, n), Current: n == shown})
	}
	return (shown - 1) * most, min(shown*most, len(g.Trips))
}

// lateFrom is from how many seconds on a trip is drawn as late; in words it is late from half a minute on.
const lateFrom = 60
