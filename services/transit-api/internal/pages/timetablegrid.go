package pages

import (
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

const (
	// partTrips is how many columns fit on A4 in landscape, partTripsTwelve with times on a 12-hour
	// clock.
	partTrips       = 14
	partTripsTwelve = 10
	// pageCells is how many calls a page with all stops has, to stay within 30 kB at five
	// compressed bytes per call.
	pageCells = 4500
)

// A grid is one direction of a timetable, or a part of it if trips take different ways.
type grid struct {
	Title      string
	Every      []string // headways, in words
	Said       string   // spoken in each cell after the stop
	Heads      []*edition.Stop
	To, Train  bool       // the column exists
	Trips      []gridTrip // rows, with a cell for each of Heads
	Parts      []gridPart // with all stops, replaces Trips
	Times      []Choice   // with all stops, the times of day if Parts has only one
	Past       int        // number of Trips that are over
	Cut        bool       // some trips are left out
	More       string     // address of the table with all stops, or of that with main stops; "" if they are the same
	Timepoints bool       // the main stops are the feed's timepoints

	direction, name string
	towards         func(*edition.Trip) string // destination; "" if unknown
	part            int
	sheet           *board.Sheet
	stops           []*edition.Stop   // by row of the service order
	short           map[string]string // trip_short_name by trip_id
	spoken          []string          // for each of Heads, spoken before a time
}

type gridTrip struct {
	To, Train string
	Every     string // in words, of a trip by headway
	Marks     []string
	Now       *tripNow // how it runs today; nil if unknown
	Cells     []gridCell
}

type gridPart struct {
	Title string
	Trips []gridTrip
	Rows  []gridRow
}

type gridRow struct {
	*edition.Stop
	Cells []gridCell
}

type gridCell struct {
	Text   string
	Next   bool // after midnight
	Gone   bool // the trip does not call here today
	Reckon bool // interpolated: the feed has no time
	Marks  []string
}

// ID identifies the grid on its page.
func (g *grid) ID() string {
	if g.part > 0 {
		return "dir-" + g.direction + "-" + strconv.Itoa(g.part+1)
	}
	return "dir-" + g.direction
}

// Columns counts the columns.
func (g *grid) Columns() int { return len(g.Heads) + 1 }

// note adds a symbol, and its explanation to the page.
func (v *timetablePage) note(marks []string, symbol string) []string {
	v.noted[symbol] = true
	return append(marks, symbol)
}

func (v *timetablePage) addGrid(g *grid, all []*grid) {
	g.Title = g.title(all)
	g.Said = v.say.Text("timetable.said", v.Line, g.Title)
	heads := map[string]bool{}
	for i := range g.sheet.Trips {
		heads[g.goesTo(&g.sheet.Trips[i])] = true
		g.Train = g.Train || g.short[g.sheet.Trips[i].ID] != ""
	}
	g.To = len(heads) > 1
	rows := g.sheet.Main
	if v.All {
		rows = g.sheet.Rows
	} else {
		g.Timepoints = g.sheet.Timepoints
	}
	for _, r := range rows {
		g.Heads = append(g.Heads, g.stops[r])
	}
	for i := range g.sheet.Trips {
		t := &g.sheet.Trips[i]
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
	case len(g.sheet.Main) < len(g.sheet.Rows):
		g.More = v.address(v.day, g.direction, true)
	}
	v.Grids = append(v.Grids, g)
}

func (v *timetablePage) newTrip(g *grid, t *board.SheetTrip, rows []int) gridTrip {
	row := gridTrip{Train: g.short[t.ID], Now: v.trips[t.ID]}
	if g.To {
		row.To = g.goesTo(t)
	}
	if t.Wheelchair == '2' {
		row.Marks = v.note(row.Marks, "w")
	}
	if t.Every > 0 {
		about := ""
		if t.Approximate { // exact_times=0
			about = ".about"
		}
		headway := v.say.headway(t.Every, t.Approximate)
		row.Every = v.say.Text("timetable.every"+about, headway, v.clock(t.Until))
		text := v.say.Text("timetable.everyfrom"+about, headway, v.clock(t.Start), v.clock(t.Until))
		if !slices.Contains(g.Every, text) {
			g.Every = append(g.Every, text)
		}
	}
	for _, r := range rows {
		c := v.cell(t, r)
		if c.Text != "" && row.Now != nil && row.Now.Skipped[g.stops[r].StopID] {
			c.Gone, c.Marks = true, v.note(c.Marks, "×")
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

// title returns the name of a direction. A part of one is named by where most of its trips start
// and go.
func (g *grid) title(all []*grid) string {
	if !slices.ContainsFunc(all, func(other *grid) bool {
		return other.direction == g.direction && other.part != g.part
	}) {
		return g.name
	}
	seen, best := map[string]int{}, ""
	for i := range g.sheet.Trips {
		t := &g.sheet.Trips[i]
		name := g.goesTo(t)
		for _, r := range t.Rows {
			if r.Valid {
				name = g.stops[r.Int32].Label + " – " + name
				break
			}
		}
		if seen[name]++; seen[name] > seen[best] {
			best = name
		}
	}
	return best
}

// goesTo returns the headsign of a trip, else its last stop.
func (g *grid) goesTo(t *board.SheetTrip) string {
	if to := g.towards(t.Trip); to != "" {
		return to
	}
	for i := len(t.Rows) - 1; i >= 0; i-- {
		if r := t.Rows[i]; r.Valid && int(r.Int32) < len(g.stops) {
			return g.stops[r.Int32].Label
		}
	}
	return g.name
}

func over(t *board.SheetTrip) int32 {
	if t.Every > 0 {
		return t.Until
	}
	at, _ := t.At(len(t.Run.StopID) - 1)
	return at
}

// A half is the trips that are over, which a page hides at first, or the others.
type half struct {
	ID    string
	Trips []gridTrip
}

// Halves separates the trips that are over.
func (g *grid) Halves() []half {
	if g.Past == 0 {
		return []half{{"", g.Trips}}
	}
	return []half{{"earlier-" + g.ID(), g.Trips[:g.Past]}, {"", g.Trips[g.Past:]}}
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
			row := gridRow{Stop: head}
			calls := false
			for _, t := range some {
				row.Cells = append(row.Cells, t.Cells[i])
				calls = calls || t.Cells[i].Text != ""
			}
			if calls {
				p.Rows = append(p.Rows, row)
			}
		}
		g.Parts = append(g.Parts, p)
	}
	g.Trips = nil
}

// page returns the trips of one page of a table with all stops, and adds links to the other times
// of day. It is the requested time of day, else the current one, else the first.
func (v *timetablePage) page(g *grid, width, room int) (first, end int) {
	most := max(room/width, 1) * width
	if len(g.Trips) <= most {
		return 0, len(g.Trips)
	}
	trips := g.sheet.Trips
	pages := (len(trips) + most - 1) / most
	most = ((len(trips)+pages-1)/pages + width - 1) / width * width // as even as whole tables can be
	pages = (len(trips) + most - 1) / most
	shown := v.part
	for n := 1; shown == 0 && n <= pages; n++ {
		if last := min(n*most, len(trips)) - 1; v.seconds < 0 || trips[last].Start >= v.seconds || n == pages {
			shown = n
		}
	}
	shown = min(max(shown, 1), pages)
	for n := 1; n <= pages; n++ {
		from, to := trips[(n-1)*most].Start, trips[min(n*most, len(trips))-1].Start
		g.Times = append(g.Times, Choice{Label: v.say.Text("timetable.fromto", v.clock(from), v.clock(to)),
			Address: v.address(v.day, g.direction, true) + "&part=" + strconv.Itoa(n), Current: n == shown})
	}
	return (shown - 1) * most, min(shown*most, len(trips))
}

func (v *timetablePage) cell(t *board.SheetTrip, row int) gridCell {
	call, ok := t.Call(row)
	if !ok {
		v.noted["–"] = true
		return gridCell{}
	}
	at, given := t.At(call)
	c := gridCell{Text: v.clock(at), Next: at >= 86400, Reckon: !given}
	v.noted["+1"] = v.noted["+1"] || c.Next
	v.noted["~"] = v.noted["~"] || c.Reckon
	is := func(cells edition.Cells, value string) bool { return cell(cells.At(call)) == value }
	between := call > 0 && call < len(t.Run.StopID)-1
	p := t.Run.Pattern
	switch {
	case is(p.PickupType, "1") && between:
		c.Marks = v.note(c.Marks, "a")
	case is(p.DropOffType, "1") && between:
		c.Marks = v.note(c.Marks, "b")
	case is(p.PickupType, "2"), is(p.DropOffType, "2"):
		c.Marks = v.note(c.Marks, "c")
	case is(p.PickupType, "3"), is(p.DropOffType, "3"):
		c.Marks = v.note(c.Marks, "d")
	}
	return c
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

// A page has thousands of cells, for which a template takes a hundred times as long as this code.
// It escapes all texts from outside.

// Write writes the cells of a trip. Screen readers hear stop and trip before each time.
func (g *grid) Write(t gridTrip) template.HTML {
	if g.spoken == nil {
		for _, head := range g.Heads {
			g.spoken = append(g.spoken, spoken(head.Label, g.Said))
		}
	}
	return writeCells(t.Cells, g.spoken)
}

// WriteRow writes the calls at a stop.
func (g *grid) WriteRow(r gridRow) template.HTML {
	return writeCells(r.Cells, slices.Repeat([]string{spoken(r.Label, g.Said)}, len(r.Cells)))
}

func spoken(stop, trip string) string {
	return `<span class="said">` + html.EscapeString(stop+", "+trip) + `: </span>`
}

func writeCells(cells []gridCell, spoken []string) template.HTML {
	var b strings.Builder
	for i, c := range cells {
		if c.Text == "" {
			b.WriteString("<td>–</td>")
			continue
		}
		text := html.EscapeString(c.Text)
		if c.Reckon {
			text = "~" + text
		}
		if c.Next {
			text += "<sup>+1</sup>"
		}
		if c.Gone {
			text = "<s>" + text + "</s>"
		}
		b.WriteString("<td>" + spoken[i] + text)
		for _, mark := range c.Marks {
			mark = html.EscapeString(mark)
			b.WriteString(` <a class="mark" href="#note-` + mark + `">` + mark + `</a>`)
		}
		b.WriteString("</td>")
	}
	return template.HTML(b.String()) //nolint:gosec // escaped
}
