package pages

import (
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

const (
	// partTrips is the number of columns that fit on A4 in landscape, partTripsTwelve with times on
	// a 12-hour clock.
	partTrips       = 14
	partTripsTwelve = 10
	// pageCells bounds the calls on a page with all stops: at five compressed bytes per call, the
	// page is at most 30 kB.
	pageCells = 4500
)

// A grid is one direction of a timetable, or a part of a direction whose trips use different paths.
type grid struct {
	Table     *static.Timetable
	Title     string
	Every     []string // headways, in words
	Said      string   // text for screen readers in each cell, after the stop
	Heads     []static.ScheduleStop
	To, Train bool       // whether the columns exist
	Trips     []gridTrip // rows with a cell for each of Heads
	Parts     []gridPart // in place of Trips if all stops are shown
	Times     []Choice   // times of day, if all stops are shown and Parts has only one of them
	Past      int        // number of past Trips, which a page hides at first
	Cut       bool       // some trips are omitted
	More      string     // address of the table with all stops, or with main stops; "" if they are the same

	direction, name string
	towards         func(*edition.Trip) string // destination; "" if unknown
	part            int
	shift           map[int]int32              // seconds from the agency's clock to that of a stop, by row; absent if 0
	short           func(*edition.Trip) string // trip_short_name
	spoken          map[int]string             // before a time, by row
}

type gridTrip struct {
	To, Train    string
	Every        string // headway in words, for a trip that keeps a headway
	Inaccessible bool
	Now          *tripNow // how the trip runs today; nil if unknown

	cells []string
}

// Cells returns the calls of the trip as HTML.
func (t gridTrip) Cells() template.HTML {
	return template.HTML(strings.Join(t.cells, "")) //nolint:gosec // escaped
}

type gridPart struct {
	Title string
	Trips []gridTrip
	Rows  []gridRow
}

type gridRow struct {
	static.ScheduleStop
	Cells template.HTML
}

// ID identifies the grid on its page.
func (g *grid) ID() string {
	if g.part > 0 {
		return "dir-" + g.direction + "-" + strconv.Itoa(g.part+1)
	}
	return "dir-" + g.direction
}

func (g *grid) Columns() int { return len(g.Heads) + 1 }

func (v *timetablePage) note(symbol string) string {
	v.noted[symbol] = true
	return symbol
}

func (v *timetablePage) addGrid(g *grid, all []*grid) {
	g.Title = g.title(all)
	g.Said = v.say.Text("timetable.said", v.Line, g.Title)
	heads := map[string]bool{}
	for i := range g.Table.Trips {
		t := &g.Table.Trips[i]
		heads[g.goesTo(t)] = true
		g.Train = g.Train || g.short(t.Timed.Trip) != ""
	}
	g.To, g.spoken = len(heads) > 1, map[int]string{}
	rows := g.Table.Main
	if v.All {
		rows = nil
		for r := range g.Table.Stops {
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		g.Heads = append(g.Heads, g.Table.Stops[r])
		g.spoken[r] = `<span class="said">` + html.EscapeString(g.Table.Stops[r].Label+", "+g.Said) + `: </span>`
	}
	for i := range g.Table.Trips {
		t := &g.Table.Trips[i]
		row := v.newTrip(g, t, rows)
		if v.seconds >= 0 && row.Now == nil && g.Past == len(g.Trips) && over(t) < v.seconds {
			g.Past++
		}
		g.Trips = append(g.Trips, row)
	}
	if g.Past == len(g.Trips) {
		g.Past = 0
	}
	switch {
	case v.All:
		g.More = v.address(v.day, "", false)
		v.addParts(g, len(all))
	case len(g.Table.Main) < len(g.Table.Stops):
		g.More = v.address(v.day, g.direction, true)
	}
	v.Grids = append(v.Grids, g)
}

func (v *timetablePage) newTrip(g *grid, t *static.ScheduleTrip, rows []int) gridTrip {
	row := gridTrip{Train: g.short(t.Timed.Trip), Now: v.trips[t.TripID],
		Inaccessible: t.Timed.WheelchairAccessible == '2'}
	if g.To {
		row.To = g.goesTo(t)
	}
	if row.Inaccessible {
		v.note("w")
	}
	if t.Timed.Every > 0 {
		about := ""
		if t.Timed.Approximate { // exact_times is 0
			about = ".about"
		}
		headway := v.say.headway(t.Timed.Every, t.Timed.Approximate)
		row.Every = v.say.Text("timetable.every"+about, headway, v.clock(t.Timed.Until))
		text := v.say.Text("timetable.everyfrom"+about, headway, v.clock(t.Timed.Start), v.clock(t.Timed.Until))
		if !slices.Contains(g.Every, text) {
			g.Every = append(g.Every, text)
		}
	}
	for _, r := range rows {
		row.cells = append(row.cells, v.cell(g, t, r))
	}
	return row
}

// title returns the name of a direction. The name of a part of a direction is where most of its
// trips start and end.
func (g *grid) title(all []*grid) string {
	if !slices.ContainsFunc(all, func(other *grid) bool {
		return other.direction == g.direction && other.part != g.part
	}) {
		return g.name
	}
	seen, best := map[string]int{}, ""
	for i := range g.Table.Trips {
		t := &g.Table.Trips[i]
		name := g.goesTo(t)
		if r := slices.IndexFunc(t.StopTimes, isCall); r >= 0 {
			name = g.Table.Stops[r].Label + " – " + name
		}
		if seen[name]++; seen[name] > seen[best] {
			best = name
		}
	}
	return best
}

// goesTo returns the headsign of a trip or, if it has none, its last stop.
func (g *grid) goesTo(t *static.ScheduleTrip) string {
	if to := g.towards(t.Timed.Trip); to != "" {
		return to
	}
	for r := len(t.StopTimes) - 1; r >= 0; r-- {
		if t.StopTimes[r] != nil {
			return g.Table.Stops[r].Label
		}
	}
	return g.name
}

func isCall(c *static.ScheduleCell) bool { return c != nil }

func over(t *static.ScheduleTrip) int32 {
	if t.Timed.Every > 0 {
		return t.Timed.Until
	}
	at, _ := t.Timed.At(len(t.Timed.Run.StopID) - 1)
	return at
}

func (v *timetablePage) addParts(g *grid, grids int) {
	width := partTrips
	if v.say.Twelve {
		width = partTripsTwelve
	}
	first, end := v.page(g, width, pageCells/max(grids, 1)/max(len(g.Heads), 1))
	for from := first; from < end; from += width {
		some := g.Trips[from:min(from+width, end)]
		p := gridPart{Trips: some, Title: v.say.Text("timetable.part", g.Title, from+1, from+len(some), len(g.Trips))}
		for i, head := range g.Heads {
			var calls strings.Builder
			for _, t := range some {
				calls.WriteString(t.cells[i])
			}
			if calls.Len() > len(some)*len(noCall) {
				p.Rows = append(p.Rows, gridRow{head, template.HTML(calls.String())}) //nolint:gosec // escaped
			}
		}
		g.Parts = append(g.Parts, p)
	}
	g.Trips = nil
}

// page returns the trips of one page of a table with all stops, and adds links to the other times
// of day. It shows the requested time of day, or the current one, or the first one.
func (v *timetablePage) page(g *grid, width, room int) (first, end int) {
	most := max(room/width, 1) * width
	if len(g.Trips) <= most {
		return 0, len(g.Trips)
	}
	trips := g.Table.Trips
	pages := (len(trips) + most - 1) / most
	most = ((len(trips)+pages-1)/pages + width - 1) / width * width // equal parts, rounded up to whole tables
	pages = (len(trips) + most - 1) / most
	shown := v.part
	for n := 1; shown == 0 && n <= pages; n++ {
		if last := min(n*most, len(trips)) - 1; v.seconds < 0 || trips[last].Timed.Start >= v.seconds || n == pages {
			shown = n
		}
	}
	shown = min(max(shown, 1), pages)
	for n := 1; n <= pages; n++ {
		from, to := trips[(n-1)*most].Timed.Start, trips[min(n*most, len(trips))-1].Timed.Start
		g.Times = append(g.Times, Choice{Label: v.say.Text("timetable.fromto", v.clock(from), v.clock(to)),
			Value: v.address(v.day, g.direction, true) + "&part=" + strconv.Itoa(n), Chosen: n == shown})
	}
	return (shown - 1) * most, min(shown*most, len(trips))
}

const noCall = "<td>–</td>"

// cell returns the HTML of a trip's call at a row of the service order. Screen readers read stop
// and trip before the time. A page has thousands of cells; a template would take a hundred times as
// long.
func (v *timetablePage) cell(g *grid, t *static.ScheduleTrip, row int) string {
	call := t.StopTimes[row]
	if call == nil {
		v.note("–")
		return noCall
	}
	at, given := t.Timed.At(call.Call)
	isClosed := t.Timed.Every == 0 && v.closures.Has(t.Timed.Trip, g.Table.Stops[row].StopID, v.dayStart+int64(at))
	at += g.shift[row]
	text := html.EscapeString(v.clock(at))
	if !given {
		text = v.note("~") + text
	}
	if at >= 86400 {
		text += "<sup>" + v.note("+1") + "</sup>"
	}
	marks := v.mark(boardingMark(t.Timed.Run, call.Call))
	switch now := v.trips[t.TripID]; {
	case now != nil && now.Skipped[g.Table.Stops[row].StopID]:
		text, marks = "<s>"+text+"</s>", marks+v.mark("×")
	case isClosed:
		text, marks = "<s>"+text+"</s>", marks+v.mark("!")
	}
	return "<td>" + g.spoken[row] + text + marks + "</td>"
}

func (v *timetablePage) mark(symbol string) string {
	if symbol == "" {
		return ""
	}
	return ` <a class="mark" href="#note-` + v.note(symbol) + `">` + symbol + `</a>`
}

// boardingMark returns the symbol for a call where boarding or alighting is restricted.
func boardingMark(run *edition.Run, call int) string {
	pickup, dropOff := cell(run.PickupType.At(call)), cell(run.DropOffType.At(call))
	between := call > 0 && call < len(run.StopID)-1
	switch {
	case pickup == "1" && between:
		return "a"
	case dropOff == "1" && between:
		return "b"
	case pickup == "2", dropOff == "2":
		return "c"
	case pickup == "3", dropOff == "3":
		return "d"
	}
	return ""
}

func (v *timetablePage) clock(seconds int32) string {
	return v.say.Clock(dayTime(0).Add(time.Duration(seconds) * time.Second))
}

func (s Speaker) headway(seconds int64, about bool) string {
	if seconds%60 == 0 || seconds > 600 || about && seconds >= 60 {
		return s.Text("timetable.minutes", (seconds+30)/60)
	}
	return s.Text("timetable.seconds", seconds)
}
