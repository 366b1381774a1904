package gtfsimport_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func deps(t testing.TB, db *pgxpool.Pool) run.Deps {
	t.Helper()
	return run.Deps{DB: db, Log: run.Logger(t.Output(), "warn", "text"), Metrics: prometheus.NewRegistry(),
		Ready: &run.Health{}}
}

// explainedBy has the expected code for each malformed feed.
var explainedBy = map[string]gtfs.Code{
	"crafted-dangling-foreign-keys":   "foreign_key_violation",
	"crafted-duplicate-entry":         "duplicate_file",
	"crafted-duplicate-primary-keys":  "duplicate_key",
	"crafted-times-odd":               "stop_time_with_arrival_before_previous_departure_time",
	"crafted-windows1252":             "invalid_character",
	"crafted-zip-slip":                "file_outside_feed",
	"etalab-duplicates":               "duplicate_key",
	"etalab-missing_agency_id":        "missing_required_agency_id",
	"oba-empty_agency":                "empty_file",
	"tf-bad_utf8":                     "invalid_character",
	"tf-contains_null":                "control_character",
	"tf-missing_agency":               "missing_required_file",
	"tf-missing_column":               "missing_required_column",
	"tf-missing_endpoint_times":       "missing_trip_edge",
	"tf-undefined_stop":               "foreign_key_violation",
	"vtor-duplicate_ids":              "duplicate_key",
	"vtor-bogus_pathways":             "foreign_key_violation",
	"tl-example-nested-dir-ambiguous": "invalid_input_files_in_subfolder",
	"vtor-incomplete_shapes":          "stop_without_location",
}

// Every real and every malformed feed is imported, or refused with a reason. Large feeds (over a
// quarter of a megabyte) and three quarters of the others need TOWNLINE_EVERYTHING.
func TestRealFeeds(t *testing.T) {
	t.Parallel()
	var zips []string
	for _, pattern := range []string{"*.zip", "malformed/*.zip"} {
		zips = append(zips, sample.Glob(t, "gtfs/"+pattern)...)
	}
	db := pgtest.New(t)
	for _, zip := range zips {
		name := strings.TrimSuffix(filepath.Base(zip), ".zip")
		info, err := os.Stat(zip)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sample.OneOf(t, 4)
			if info.Size() > 1<<18 {
				sample.Long(t)
			}
			encoding := ""
			if strings.Contains(name, "cp1250") {
				encoding = "windows-1250"
			}
			alias := strings.ReplaceAll(name, ".", "_")
			report, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: alias, Source: zip,
				Encoding: encoding})
			if errors.Is(err, gtfsimport.ErrHeld) && strings.Contains(zip, "malformed") {
				t.Logf("held: %s", report.Reason)
				report, err = gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: alias, Source: zip,
					Encoding: encoding, Force: true, Wait: true})
			}
			if errors.Is(err, gtfsimport.ErrRefused) {
				t.Logf("refused: %s", report.Reason)
				if report.Reason == "" || !strings.Contains(zip, "malformed") {
					t.Errorf("refused for %q", report.Reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				t.Logf("%s: %d × %s (%s)", f.File, f.Count, f.Code, f.Effect)
			}
			want := explainedBy[name]
			if want != "" && !slices.ContainsFunc(report.Findings, func(f gtfsimport.Finding) bool { return f.Code == want }) {
				t.Errorf("no %s among %+v", want, report.Findings)
			}
			data, err := os.ReadFile(zip)
			if err != nil {
				t.Fatal(err)
			}
			checkFeed(t, db, alias, data, encoding, report)
			checkExport(t, db, alias, data, encoding, report)
		})
	}
}
