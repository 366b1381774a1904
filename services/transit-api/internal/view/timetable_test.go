package view

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// largeTimetable is a direction of 60 trips that call at 40 stops, with all of them shown or the main ones.
func largeTimetable(all bool) *TimetableData {
	const stops, trips = 40, 60
	d := DirectionData{ID: "0", Name: "Harbour Terminal", Short: map[string]string{}}
	p, clock := &edition.Pattern{}, &edition.Profile{}
	var rows []pgtype.Int4
	for r := range int32(stops) {
		id := fmt.Sprint("stop ", r)
		p.StopID = append(p.StopID, &id)
		clock.Departures = append(clock.Departures, pgtype.Int4{Int32: r * 97, Valid: true})
		rows = append(rows, pgtype.Int4{Int32: r, Valid: true})
		d.Stops = append(d.Stops, &edition.Stop{StopID: id, Label: fmt.Sprintf("%d Street at Avenue %d", r*37%101, r*53%89)})
	}
	run := edition.NewRun(p, clock)
	var some []board.SheetTrip
	for n := range int32(trips) {
		some = append(some, board.SheetTrip{Trip: &edition.Trip{ID: fmt.Sprint(n), Start: 18_000 + n*907}, Run: run, Rows: rows, Start: 18_000 + n*907})
	}
	d.Sheet = board.NewSheet(some, stops)
	return &TimetableData{Label: "10 Harbour", Season: edition.NewSeason(nil), Today: 20516, Day: 20516, First: 20516, All: all, Directions: []DirectionData{d},
		To: func(int, string, bool) string { return "/t" }, Stop: func(id string) string { return "/f/metro/stops/" + id }}
}

func renderTimetable(t testing.TB, s *site.Site, all bool) []byte {
	t.Helper()
	v := &Timetable{Head: site.Head{Lang: "en"}}
	v.Fill(Speaker{Words: s.Words("en"), Twelve: true}, largeTimetable(all))
	html, err := s.Render("timetable.html", v)
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// A timetable of 60 trips at 40 stops, each time with its stop and its line in words, keeps the budget of the page.
func TestLargeTimetablesAreSmall(t *testing.T) {
	t.Parallel()
	s, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		html := renderTimetable(t, s, all)
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(html); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		cells := strings.Count(string(html), "Harbour Terminal: </span>")
		t.Logf("all stops: %v: %d calls, %d bytes, compressed %d", all, cells, len(html), b.Len())
		if want := 60 * board.MaxMain; !all && cells != want || all && cells != 60*40 {
			t.Errorf("all stops: %v: %d calls", all, cells)
		}
		if b.Len() > 30_000 {
			t.Errorf("all stops: %v: %d bytes", all, b.Len())
		}
	}
}

func BenchmarkTimetable(b *testing.B) {
	s, err := Open()
	if err != nil {
		b.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		b.Run(fmt.Sprint("all=", all), func(b *testing.B) {
			for b.Loop() {
				renderTimetable(b, s, all)
			}
		})
	}
}
