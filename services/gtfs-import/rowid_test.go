package gtfsimport_test

import (
	"testing"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// A finding names its row, and so does the report of a stored version.
func TestFindingsNameTheirRows(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	load(t, db, "metro", small().
		with("stops.txt", "B,Bridge,45.1,", "B,Bridge,145.1,").
		with("stops.txt", "C,Court,45.2,", "C,Court,45.9,").
		with("frequencies.txt", "T4,8:00:00,10:00:00,600", "T4,8:00:00,10:00:00,0").
		with("shapes.txt", "H1,45.1,-122.10,2,\n", "H1,45.1,-122.10,2,\nLONE,45,-122,1,\n"))
	r, err := gtfsimport.OneReport(t.Context(), deps(t, db), "metro", 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[gtfs.Code]string{}
	for _, l := range r.Lines {
		if got[l.Code] == "" {
			got[l.Code] = l.RowID + " " + l.ShapeID
		}
	}
	for code, want := range map[gtfs.Code]string{"number_out_of_range": "T4 ", "single_shape_point": "LONE ",
		"unused_shape": "LONE ", "stop_too_far_from_shape": "C H1", "unknown_column": " "} {
		if got[code] != want {
			t.Errorf("%s names the row %q, want %q", code, got[code], want)
		}
	}
}
