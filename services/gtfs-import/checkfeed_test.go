package gtfsimport_test

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// checked checks a feed without a database.
func checked(t testing.TB, f files) (*gtfsimport.Report, error) {
	t.Helper()
	return gtfsimport.Check(t.Context(), run.Logger(io.Discard, "error", "text"), gtfsimport.Request{Source: f.pack(t),
		Today: today})
}

// A check finds what an import finds.
func TestCheckWithoutADatabase(t *testing.T) {
	t.Parallel()
	f := small().with("stops.txt", "45.1", "95.1")
	f["notes.txt"] = "a,b\n1,2\n"
	want := load(t, pgtest.New(t), "metro", f)
	got, err := checked(t, f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Lines, got.Lines); diff != "" || len(got.Lines) == 0 {
		t.Errorf("-imported +checked:\n%s", diff)
	}
	if diff := cmp.Diff(want.Findings, got.Findings); diff != "" {
		t.Errorf("-imported +checked:\n%s", diff)
	}
	refused, err := checked(t, small().without("stops.txt"))
	if !errors.Is(err, gtfsimport.ErrRefused) || refused == nil || refused.Reason == "" || len(refused.Findings) == 0 {
		t.Errorf("a feed without stops: %+v, %v", refused, err)
	}
}
