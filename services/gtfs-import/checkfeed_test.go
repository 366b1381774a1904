package gtfsimport_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// checked checks a feed without a database.
func checked(t testing.TB, f files) (*gtfsimport.Report, error) {
	t.Helper()
	return gtfsimport.Check(t.Context(), gtfsimport.Request{Source: f.pack(t), Today: today})
}

// sameFindings checks the source of an import without a database and expects the same findings.
func sameFindings(t testing.TB, source string, imported *gtfsimport.Report) {
	t.Helper()
	got, err := gtfsimport.Check(t.Context(), gtfsimport.Request{Alias: imported.Alias, Name: imported.Name,
		Source: source, Today: today})
	if got == nil || errors.Is(err, gtfsimport.ErrRefused) != (imported.Outcome == gtfsimport.Refused) {
		t.Fatalf("check: %+v, %v; the import: %s", got, err, imported.Outcome)
	}
	if diff := cmp.Diff(imported.Lines, got.Lines); diff != "" {
		t.Errorf("-imported +checked:\n%s", diff)
	}
	if diff := cmp.Diff(imported.Findings, got.Findings); diff != "" {
		t.Errorf("-imported +checked:\n%s", diff)
	}
	if got.Reason != imported.Reason || got.SHA256 != imported.SHA256 || got.FirstDay != imported.FirstDay {
		t.Errorf("checked: %+v, imported: %+v", got, imported)
	}
}

// A check and an import have the same findings. The test helper load compares them for all other
// feeds.
func TestCheckWithoutADatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for name, f := range map[string]files{
		"no finding":          small(),
		"a place and a file":  small().with("stops.txt", "45.1", "95.1").with("notes.txt", "", "a,b\n1,2\n"),
		"shapes in no order":  mixedShapes(),
		"refused":             small().without("stops.txt"),
		"a file of no column": small().with("routes.txt", small()["routes.txt"], ""),
	} {
		zip := f.pack(t)
		want, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: zip,
			Today: today, Force: true})
		if want == nil {
			t.Fatalf("%s: %v", name, err)
		}
		sameFindings(t, zip, want)
	}
	page := filepath.Join(t.TempDir(), "feed.zip")
	if err := os.WriteFile(page, []byte("<html>sorry</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{"a page": page, "no file": "/no/such.zip",
		"an address": "https://agency.example/gtfs.zip"} {
		if r, err := gtfsimport.Check(t.Context(), gtfsimport.Request{Source: source}); r != nil || err == nil ||
			errors.Is(err, gtfsimport.ErrRefused) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// mixedShapes interleaves the points of more shapes than an import keeps open, so that the import
// completes each shape later. The distances of one shape decrease.
func mixedShapes() files {
	text := "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\n"
	for point := range 3 {
		for shape := range 40 {
			distance := point
			if shape == 7 {
				distance = -point + 9
			}
			text += fmt.Sprintf("H%d,45.%d,-122.1%d,%d,%d\n", shape, point, shape, point, distance)
		}
	}
	return small().with("shapes.txt", small()["shapes.txt"], text)
}

// A shape whose points are scattered in the file is checked once, as a whole.
func TestShapesInNoOrderAreJudgedOnce(t *testing.T) {
	t.Parallel()
	r, err := checked(t, mixedShapes())
	if err != nil {
		t.Fatal(err)
	}
	count := map[gtfs.Code]int{}
	for _, f := range r.Findings {
		count[f.Code] += f.Count
	}
	for _, f := range r.Findings {
		if rule, _ := check.RuleOf(f.Code); f.Severity != rule.Severity {
			t.Errorf("%s has the severity %q", f.Code, f.Severity)
		}
	}
	if count["single_shape_point"] != 0 || count["decreasing_shape_distance"] != 2 || count["partly_checked"] != 0 {
		t.Errorf("findings: %v", count)
	}
}
