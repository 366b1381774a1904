package view

import (
	"slices"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Timetable is the timetable of a route on one day.
type Timetable struct {
	site.Head
	Line, Name, Agency string
	Badge
	Shown      string   // in words, for which days it is
	Notices    []string // in words, above the tables
	Days       []DayChoice
	Date       string      // that is shown, YYYY-MM-DD; "" when a service is
	Hidden     []Hidden    // of the form that asks for another day
	Form       string      // its address
	Directions []DayChoice // both, and each
	Grids      []*TimetableGrid
	All        bool // all stops are shown
	Notes      []TimetableNote
	Changes    []DayChoice
	MoreDays   bool   // there are more changes
	Until      string // in words, how far the feed reaches, if that is soon
	Status     Status // how fresh what is known of today's trips is; the zero Status on other days
	Yours      string // address of the page that makes lines for another site; "" where there is none
	Alerts     []Notice
	Links      []Link

	now map[string]*TripNow // by trip_id
}

// A Hidden is a field of a form that the reader does not see.
type Hidden struct{ Name, Value string }

// A DayChoice is a day or a direction to choose, or one that is chosen.
type DayChoice struct {
	Label, Text string
	Address     string // "": there is nothing to see
	Current     bool
}

// A TimetableNote is a symbol in the tables and what it means.
type TimetableNote struct{ Symbol, Text string }

// A TimetableGrid is one direction.
type TimetableGrid struct {
	ID, Title string
	Every     []string // headways, in words
	Said      string   // of each cell after the stop
	Heads     []TimetableStop
	To, Train bool            // there are such columns
	Trips     []TimetableTrip // rows, with a cell for each of Heads
	Parts     []TimetablePart // with all stops, in place of Trips: some trips at a time are columns
	Times     []DayChoice     // with all stops, the times of day, one of which Parts has; none where Parts has them all
	Past      int             // how many of Trips are over
	Cut       bool            // there are more trips than a page may have
	// More is the address of the direction with all stops, or of both with the main ones; "" where these are all.
	More       string
	Timepoints bool // the main stops are the feed's timepoints

	spoken []string // for each of Heads: what is said before a time
}

// A TimetableStop is a stop, with the address of its board.
type TimetableStop struct{ Name, Address string }

// A TimetableTrip is a trip.
type TimetableTrip struct {
	To, Train string
	Every     string // in words, of a trip by headway
	Marks     []string
	Now       *TripNow // how it runs today; nil where that is not known
	Cells     []TimetableCell
}

// A TimetablePart is some trips as columns.
type TimetablePart struct {
	Title string
	Trips []TimetableTrip // without cells
	Rows  []TimetableRow
}

// A TimetableRow is a stop and the calls of some trips.
type TimetableRow struct {
	TimetableStop
	Cells []TimetableCell
}

// A TimetableCell is a call; without Text the trip does not call.
type TimetableCell struct {
	Text   string
	Next   bool // after midnight
	Gone   bool // the trip does not call here today
	Reckon bool // the feed gives no time
	Marks  []string
}

// TimetableData is what a timetable is made of.
type TimetableData struct {
	Route      edition.RouteNames
	Label      string
	Season     *edition.Season
	Today, Day int    // days since 1970; Day is the one that is shown
	Service    string // in place of Day
	ServiceFor string // in words, when it runs
	First      int    // from where on days are offered
	Begins     *int   // first and last day that the feed is published for; nil if it does not say
	Ends       *int
	Directions []DirectionData
	All        bool
	Ways       []DirectionName                            // all directions of the route
	Dir        string                                     // the direction that is asked for, "" for both
	Live       *TimetableLive                             // what is known of today's trips; nil on other days
	Clock      int32                                      // seconds of the service day where Day is today, else -1
	Part       int                                        // which time of day is asked for, from 1; 0: what is now
	Times      func(dir string, part int) string          // address of a time of day of a direction, with all stops
	Form       string                                     // address of the timetable without a query
	To         func(day int, dir string, all bool) string // address of another timetable; that of Day keeps the service
	Stop       func(id string) string                     // address of a stop's board
}

// A DirectionName is a direction by its name.
type DirectionName struct{ ID, Name string }

// A DirectionData is a direction of a timetable.
type DirectionData struct {
	ID, Name string
	Part     int // of the direction, where its trips do not take one way
	Sheet    *board.Sheet
	Stops    []*edition.Stop   // by row of the service order
	Short    map[string]string // trip_short_name by trip_id
	Cut      bool
}

const (
	// partTrips is how many columns fit on a sheet of A4 on its long side.
	partTrips = 14
	// partTripsTwelve is that for times on a clock of twelve hours.
	partTripsTwelve = 10
	// shownChanges is how many days are listed that are not as usual, and seasonDays how far ahead they are looked for.
	shownChanges = 10
	seasonDays   = 70
)

func dayTime(day int) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

// A timetableMaker fills a timetable.
type timetableMaker struct {
	*Timetable
	s     Speaker
	d     *TimetableData
	notes map[string]bool
}

// Fill writes a timetable in words. The head is there already.
func (v *Timetable) Fill(s Speaker, d *TimetableData) {
	m := &timetableMaker{v, s, d, map[string]bool{}}
	v.Line, v.Name, v.Badge, v.All = d.Label, "", NewBadge(d.Route.Color, d.Route.TextColor), d.All
	if d.Route.ShortName != nil {
		v.Line = *d.Route.ShortName
		if d.Route.LongName != nil {
			v.Name = *d.Route.LongName
		}
	}
	m.days()
	m.directions()
	m.now = m.live()
	for i := range d.Directions {
		m.grid(&d.Directions[i])
	}
	for _, key := range noteKeys {
		if m.notes[key] {
			v.Notes = append(v.Notes, TimetableNote{noteSymbols[key], s.Text("timetable.note." + key)})
		}
	}
}

// noteKeys are the notes that a timetable may have, in their order.
var noteKeys = []string{"noboard", "noalight", "phone", "driver", "wheelchair", "next", "reckoned", "skipped", "passes"}

var noteSymbols = map[string]string{"noboard": "a", "noalight": "b", "phone": "c", "driver": "d", "wheelchair": "w", "next": "+1", "reckoned": "~", "skipped": "×", "passes": "–"}

// Columns is how many columns the grid has.
func (g *TimetableGrid) Columns() int { return len(g.Heads) + 1 }

func (m *timetableMaker) mark(marks []string, key string) []string {
	m.notes[key] = true
	return append(marks, noteSymbols[key])
}

// directions fills in the choice of directions.
func (m *timetableMaker) directions() {
	m.Form = m.d.Form
	if len(m.d.Ways) > 1 {
		m.Directions = append(m.Directions, DayChoice{Label: m.s.Text("timetable.both"), Address: m.d.To(m.d.Day, "", m.d.All), Current: m.d.Dir == ""})
		for _, w := range m.d.Ways {
			m.Directions = append(m.Directions, DayChoice{Label: w.Name, Address: m.d.To(m.d.Day, w.ID, m.d.All), Current: m.d.Dir == w.ID})
		}
	}
	if m.d.Dir != "" {
		m.Hidden = append(m.Hidden, Hidden{"dir", m.d.Dir})
	}
	if m.d.All {
		m.Hidden = append(m.Hidden, Hidden{"all", "1"})
	}
}

// grid adds a direction.
func (m *timetableMaker) grid(d *DirectionData) {
	g := &TimetableGrid{ID: "dir-" + d.ID, Title: m.title(d), Cut: d.Cut}
	if d.Part > 0 {
		g.ID += "-" + strconv.Itoa(d.Part+1)
	}
	g.Said = m.s.Text("timetable.said", m.Line, g.Title)
	sheet := d.Sheet
	heads := map[string]bool{}
	for i := range sheet.Trips {
		heads[d.goesTo(&sheet.Trips[i])] = true
		g.Train = g.Train || d.Short[sheet.Trips[i].ID] != ""
	}
	g.To = len(heads) > 1
	rows := sheet.Main
	if m.d.All {
		rows = sheet.Rows
	} else {
		g.Timepoints = sheet.Timepoints
	}
	for _, r := range rows {
		g.Heads = append(g.Heads, TimetableStop{d.Stops[r].Label, m.d.Stop(d.Stops[r].StopID)})
	}
	for i := range sheet.Trips {
		t := &sheet.Trips[i]
		row := TimetableTrip{Train: d.Short[t.ID], Now: m.now[t.ID]}
		if g.To {
			row.To = d.goesTo(t)
		}
		if t.Wheelchair == '2' {
			row.Marks = m.mark(row.Marks, "wheelchair")
		}
		if t.Every > 0 {
			row.Every = m.every(t)
			if text := m.s.Text(aboutKey("timetable.everyfrom", t.About), m.s.headway(t.Every, t.About), m.clock(t.Start), m.clock(t.Until)); !slices.Contains(g.Every, text) {
				g.Every = append(g.Every, text)
			}
		}
		for _, r := range rows {
			c := m.cell(t, r)
			if c.Text != "" && row.Now != nil && row.Now.Skipped[d.Stops[r].StopID] {
				c.Gone, c.Marks = true, m.mark(c.Marks, "skipped")
			}
			row.Cells = append(row.Cells, c)
		}
		if m.d.Clock >= 0 && row.Now == nil && g.Past == len(g.Trips) && over(t) < m.d.Clock {
			g.Past++
		}
		g.Trips = append(g.Trips, row)
	}
	if g.Past == len(g.Trips) {
		g.Past = 0
	}
	switch {
	case m.d.All:
		g.More = m.d.To(m.d.Day, "", false)
		g.parts(m, d)
	case len(sheet.Main) < len(sheet.Rows):
		g.More = m.d.To(m.d.Day, d.ID, true)
	}
	m.Grids = append(m.Grids, g)
}

// over is when a trip has made its last call, in seconds of the service day.
func over(t *board.SheetTrip) int32 {
	if t.Every > 0 {
		return t.Until
	}
	at, _ := t.At(len(t.Run.StopID) - 1)
	return at
}

// Halves are the trips that are over, which a page shows when somebody asks for them, and the others.
func (g *TimetableGrid) Halves() []struct {
	ID    string
	Trips []TimetableTrip
} {
	type half = struct {
		ID    string
		Trips []TimetableTrip
	}
	if g.Past == 0 {
		return []half{{"", g.Trips}}
	}
	return []half{{"earlier-" + g.ID, g.Trips[:g.Past]}, {"", g.Trips[g.Past:]}}
}

// goesTo is where a trip goes: its headsign, else its last stop.
func (d *DirectionData) goesTo(t *board.SheetTrip) string {
	if t.Headsign != nil {
		return *t.Headsign
	}
	for i := len(t.Rows) - 1; i >= 0; i-- {
		if r := t.Rows[i]; r.Valid && int(r.Int32) < len(d.Stops) {
			return d.Stops[r.Int32].Label
		}
	}
	return d.Name
}

// parts turns the trips into columns, some at a time: a whole page of them, where they are more than one may have.
func (g *TimetableGrid) parts(m *timetableMaker, d *DirectionData) {
	width := partTrips
	if m.s.Twelve {
		width = partTripsTwelve
	}
	first, end := g.page(m, d, width)
	for from := first; from < end; from += width {
		some := g.Trips[from:min(from+width, end)]
		p := TimetablePart{Trips: some}
		for i, head := range g.Heads {
			row := TimetableRow{TimetableStop: head}
			calls := false
			for _, t := range some {
				row.Cells = append(row.Cells, t.Cells[i])
				calls = calls || t.Cells[i].Text != ""
			}
			if calls { // a stop that none of these calls at says nothing here
				p.Rows = append(p.Rows, row)
			}
		}
		p.Title = m.s.Text("timetable.part", g.Title, from+1, from+len(some), len(g.Trips))
		g.Parts = append(g.Parts, p)
	}
	g.Trips = nil
}

// cell is the call of a trip in a row.
func (m *timetableMaker) cell(t *board.SheetTrip, row int) TimetableCell {
	call, ok := t.Call(row)
	if !ok {
		m.notes["passes"] = true
		return TimetableCell{}
	}
	at, given := t.At(call)
	c := TimetableCell{Text: m.clock(at), Next: at >= 86400, Reckon: !given}
	m.notes["next"] = m.notes["next"] || c.Next
	m.notes["reckoned"] = m.notes["reckoned"] || c.Reckon
	is := func(cells edition.Cells, value string) bool {
		cell := cells.At(call)
		return cell != nil && *cell == value
	}
	last := call == len(t.Run.StopID)-1
	p := t.Run.Pattern
	switch {
	case is(p.PickupType, "1") && !last && call > 0:
		c.Marks = m.mark(c.Marks, "noboard")
	case is(p.DropOffType, "1") && call > 0 && !last:
		c.Marks = m.mark(c.Marks, "noalight")
	case is(p.PickupType, "2"), is(p.DropOffType, "2"):
		c.Marks = m.mark(c.Marks, "phone")
	case is(p.PickupType, "3"), is(p.DropOffType, "3"):
		c.Marks = m.mark(c.Marks, "driver")
	}
	return c
}

func (m *timetableMaker) clock(seconds int32) string {
	return m.s.Clock(dayTime(0).Add(time.Duration(seconds) * time.Second))
}

// date is a day in words, with its year where that is another one.
func (m *timetableMaker) date(day int) string { return m.s.date(day, m.d.Today) }

func (s Speaker) date(day, today int) string {
	text := s.Day(dayTime(day))
	if dayTime(day).Year() != dayTime(today).Year() {
		text = s.FullDate(dayTime(day))
	}
	return text
}

// ISO is a day as YYYY-MM-DD.
func ISO(day int) string { return dayTime(day).Format(time.DateOnly) }
