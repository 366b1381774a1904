package pages

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// A largeTimetable is a direction with many trips and stops. Trips in the rush hours are slower.
type largeTimetable struct {
	stops, trips int
	all, twelve  bool
	part         int
	seconds      int32
}

func (l largeTimetable) page(t testing.TB, s *site.Site) *timetablePage {
	t.Helper()
	none := func(*edition.Trip) string { return "" }
	g := &grid{direction: "0", name: "Harbour Terminal", towards: none, short: none}
	p, clock, slow := &edition.Pattern{}, &edition.Profile{}, &edition.Profile{}
	var rows []pgtype.Int4
	var order []string
	var stops []edition.Stop
	for r := range int32(l.stops) { //nolint:gosec // few
		id := fmt.Sprint("stop ", r)
		p.StopID = append(p.StopID, &id)
		clock.Departures = append(clock.Departures, pgtype.Int4{Int32: r * 97, Valid: true})
		slow.Departures = append(slow.Departures, pgtype.Int4{Int32: r*97 + r*r/3, Valid: true})
		rows = append(rows, pgtype.Int4{Int32: r, Valid: true})
		order = append(order, id)
		stops = append(stops, edition.Stop{StopID: id, Label: fmt.Sprintf("%d Street at Avenue %d", r*37%101, r*53%89)})
	}
	runs := []*edition.Run{edition.NewRun(p, clock), edition.NewRun(p, slow)}
	var some []board.TimedTrip
	for n := range l.trips {
		start := int32(18_000 + n*54_420/l.trips) //nolint:gosec // a time of day
		some = append(some, board.TimedTrip{Trip: &edition.Trip{TripID: fmt.Sprint(n), Start: start,
			RouteRef:   edition.RouteRef{Route: &edition.Route{}},
			ServiceRef: edition.ServiceRef{Service: &edition.Service{}}}, Run: runs[n/9%2], Rows: rows, Start: start})
	}
	var err error
	g.Table, err = static.NewTimetable(t.Context(), &edition.Feed{Edition: edition.New(stops, nil)}, order, some)
	if err != nil {
		t.Fatal(err)
	}
	g.Table.Arrange()
	v := &timetablePage{Head: site.Head{Lang: "en"}, RouteLine: RouteLine{ID: "10", Line: "10 Harbour"}, Feed: "metro",
		agency: "M", All: l.all,
		say:      Speaker{s.Speaker("en", lang.Locale{Twelve: l.twelve})},
		calendar: calendar{season: edition.NewSeason(nil), today: 20516, day: 20516, first: 20516},
		part:     l.part, seconds: l.seconds}
	v.fill([]*grid{g})
	return v
}

func renderTimetable(t testing.TB, s *site.Site, l largeTimetable) []byte {
	t.Helper()
	html, err := s.Render("timetable.html", l.page(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// compressed returns the size of a page as sent.
func compressed(t *testing.T, html []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(html); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Len()
}

const pageBytes = 30_000

// A timetable of 60 trips at 40 stops stays within the budget of a page.
func TestLargeTimetablesAreSmall(t *testing.T) {
	t.Parallel()
	s, err := site.New(files, notice.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		html := renderTimetable(t, s, largeTimetable{stops: 40, trips: 60, all: all, twelve: true, seconds: -1})
		cells := strings.Count(string(html), "Harbour Terminal: </span>")
		if want := 60 * static.MaxMain; !all && cells != want || all && cells != 60*40 {
			t.Errorf("all stops: %v: %d calls", all, cells)
		}
		if n := compressed(t, html); n > pageBytes {
			t.Errorf("all stops: %v: %d bytes", all, n)
		}
	}
}

// A long line with many trips is split into pages by time of day. Each page stays within the size
// limit, and each trip is on one page. The first page shows the current time.
func TestLongTimetablesArePaged(t *testing.T) {
	t.Parallel()
	s, err := site.New(files, notice.Sentences())
	if err != nil {
		t.Fatal(err)
	}
	const stops, trips = 90, 200
	total, pages := 0, 0
	for part := 1; part == 1 || part <= pages; part++ {
		v := largeTimetable{stops: stops, trips: trips, all: true, twelve: true, part: part, seconds: -1}.page(t, s)
		g := v.Grids[0]
		pages = len(g.Times)
		if pages < 2 || !g.Times[part-1].Chosen ||
			!strings.HasSuffix(g.Times[part-1].Value, fmt.Sprint("/timetable?all=true&dir=0&part=", part)) {
			t.Fatalf("part %d: %+v", part, g.Times)
		}
		for _, p := range g.Parts {
			for _, row := range p.Rows {
				total += strings.Count(string(row.Cells), "<td><span")
			}
		}
		html, err := s.Render("timetable.html", v)
		if err != nil {
			t.Fatal(err)
		}
		if n := compressed(t, html); n > pageBytes {
			t.Errorf("part %d of %d: %d bytes", part, pages, n)
		}
	}
	if total != stops*trips {
		t.Errorf("%d calls on %d pages, want %d", total, pages, stops*trips)
	}
	for clock, fits := range map[int32]func(at, of int) bool{
		-1:     func(at, _ int) bool { return at == 1 },
		0:      func(at, _ int) bool { return at == 1 },
		43_200: func(at, of int) bool { return at > 1 && at < of },
		86_399: func(at, of int) bool { return at == of },
	} {
		all := largeTimetable{stops: stops, trips: trips, all: true, seconds: clock}.page(t, s).Grids[0].Times
		if at := slices.IndexFunc(all, func(c Choice) bool { return c.Chosen }) + 1; !fits(at, len(all)) {
			t.Errorf("at second %d of the day, part %d of %d is shown", clock, at, len(all))
		}
	}
}
