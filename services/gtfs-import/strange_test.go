package gtfsimport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// Service days are the days of services with trips.
func TestServiceDays(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	today := time.Now().UTC()
	day := func(n int) string { return today.AddDate(0, 0, n).Format("20060102") }
	f := small().
		with("calendar.txt", "WK,1,1,1,1,1,0,0,20260101,20261231",
			fmt.Sprintf("WK,1,1,1,1,1,1,1,%s,%s\nEMPTY,1,1,1,1,1,1,1,20200101,20991231", day(-90), day(-60)))
	f["calendar_dates.txt"] = fmt.Sprintf("service_id,date,exception_type\nWK,%s,2\nSU,%s,1\nEMPTY,%s,1\n", day(-60),
		day(-80), day(1))
	r := load(t, db, "metro", f)
	if want := [2]string{today.AddDate(0, 0, -90).Format(time.DateOnly),
		today.AddDate(0, 0, -61).Format(time.DateOnly)}; [2]string{r.FirstDay, r.LastDay} != want {
		t.Errorf("service from %s to %s, want %v", r.FirstDay, r.LastDay, want)
	}
	week := func() int32 {
		t.Helper()
		found, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro")
		if err != nil || found.WeekDays == nil {
			t.Fatalf("%+v, %v", found, err)
		}
		return *found.WeekDays
	}
	if n := week(); n != 0 {
		t.Errorf("%d days of the coming week, want none", n)
	}
	f["calendar_dates.txt"] += fmt.Sprintf("SU,%s,1\nSU,%s,1\nSU,%s,1\n", day(0), day(6), day(7))
	load(t, db, "metro", f)
	if n := week(); n != 2 {
		t.Errorf("%d days of the coming week, want 2", n)
	}
	execSQL(t, db, `UPDATE transit.feed_version SET runs_on = NULL`) // an older release
	if found, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro"); err != nil || found.WeekDays != nil {
		t.Errorf("%+v, %v; want unknown days", found, err)
	}
}

// Parent stations that form a loop or are nested too deep, and headways longer than a day, are
// removed and reported with their locations.
func TestCirclesAndHeadways(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small().
		with("stops.txt", "B,Bridge,45.1,-122.1,,", "B,Bridge,45.1,-122.1,,C").with("stops.txt", "C,Court,45.2,-122.2,,",
		"C,Court,45.2,-122.2,,B").
		with("stops.txt", "D,Dock,45.3,-122.3,,\n",
			"D,Dock,45.3,-122.3,,X\nX,X,45,-122,1,Y\nY,Y,45,-122,1,X\nZ,Z,45,-122,1,Z\n"+
				"P1,,45,-122,,P2\nP2,,45,-122,,P3\nP3,,45,-122,,P4\nP4,,45,-122,,P5\nP5,,45,-122,,P6\nP6,,45,-122,1,\n").
		with("frequencies.txt", "T4,8:00:00,10:00:00,600",
			"T4,8:00:00,10:00:00,2147483647\nT4,9:00:00,10:00:00,1\nT4,10:00:00,11:00:00,86401\nT4,11:00:00,12:00:00,86400\nT4,12:00:00,13:00:00,99999999999")
	r := load(t, db, "metro", f)
	var got []string
	for _, l := range done(r) {
		got = append(got, fmt.Sprintf("%s %d %s: %s %q, %s", l.File, l.Line, l.Field, l.Code, l.Value, l.Effect))
	}
	want := []string{
		`frequencies.txt 2 headway_secs: headway_too_long "2147483647", row left out`,
		`frequencies.txt 4 headway_secs: headway_too_long "86401", row left out`,
		`frequencies.txt 6 headway_secs: number_out_of_range "99999999999", row left out`,
		`stops.txt 4 parent_station: parent_station_loop "C", cell emptied`,
		`stops.txt 5 parent_station: parent_station_loop "B", cell emptied`,
		`stops.txt 7 parent_station: parent_station_loop "Y", cell emptied`,
		`stops.txt 8 parent_station: parent_station_loop "X", cell emptied`,
		`stops.txt 9 parent_station: parent_station_loop "Z", cell emptied`,
		`stops.txt 10 parent_station: parent_station_loop "P2", cell emptied`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	parents := query(t, db, `SELECT stop_id || '<' || parent_station FROM transit.stop WHERE parent_station IS NOT NULL
		ORDER BY stop_id`)
	if want := strings.Fields("1<S D<X P2<P3 P3<P4 P4<P5 P5<P6"); !slices.Equal(parents, want) {
		t.Errorf("parents %v, want %v", parents, want)
	}
	// Each of two stops that are each other's parent has only its own stop times.
	if got := query(t, db,
		`SELECT stop_id || ' ' || call_count || ' ' || trip_count FROM transit.stop_index WHERE stop_id IN ('B', 'C') ORDER BY 1`); !slices.Equal(got, []string{"B 4 4", "C 4 4"}) {
		t.Errorf("calls %v", got)
	}
	if got := query(t, db, `SELECT headway_secs::text FROM transit.frequency
		ORDER BY ord`); !slices.Equal(got, []string{"1", "86400"}) {
		t.Errorf("headways %v", got)
	}
}
