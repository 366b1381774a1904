package demo_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/demo/agency"
)

// noon is 12:00 in Alder Bay on a Saturday in November, in the week before a holiday.
var noon = time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)

// open starts the agency with a fixed clock.
func open(t *testing.T, at time.Time) *agency.Agency {
	t.Helper()
	a, err := agency.New(func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// feed reads the zip into rows by column name.
func feed(t *testing.T, a *agency.Agency, day time.Time) map[string][]map[string]string {
	t.Helper()
	packed, _, err := a.Zip(day)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(r).ReadAll() // ReadAll also rejects rows that are longer or shorter than the header
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, name := range lines[0] {
				row[name] = line[i]
			}
			out[f.Name] = append(out[f.Name], row)
		}
	}
	return out
}

// The feed names nobody to contact and has a column of its own. It breaks no other rule of the
// report.
func TestFeedIsValid(t *testing.T) {
	t.Parallel()
	packed, _, err := open(t, noon).Zip(noon)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "gtfs.zip")
	if err := os.WriteFile(file, packed, 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := gtfsimport.Check(t.Context(), gtfsimport.Request{Source: file, Today: noon})
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range report.Findings {
		if found.Code != "missing_feed_contact_email_and_url" && found.Code != "unknown_column" {
			t.Errorf("%+v", found)
		}
	}
}

// TestFeedHoldsTheHardCases checks that the feed has the cases for which the demo was made.
func TestFeedHoldsTheHardCases(t *testing.T) {
	t.Parallel()
	f := feed(t, open(t, noon), noon)
	has := map[string]bool{}
	perTrip := map[string]map[string]int{}
	for _, row := range f["stop_times.txt"] {
		if perTrip[row["trip_id"]] == nil {
			perTrip[row["trip_id"]] = map[string]int{}
		}
		perTrip[row["trip_id"]][row["stop_id"]]++
		has["a stop called at twice"] = has["a stop called at twice"] || perTrip[row["trip_id"]][row["stop_id"]] == 2
		has["a call after 25:00"] = has["a call after 25:00"] || row["arrival_time"] > "25"
		has["a call without a time"] = has["a call without a time"] || row["arrival_time"] == ""
		has["a stop headsign"] = has["a stop headsign"] || row["stop_headsign"] != ""
		has["a wait at a stop"] = has["a wait at a stop"] || row["arrival_time"] != row["departure_time"]
	}
	for _, row := range f["stops.txt"] {
		has["a platform"] = has["a platform"] || row["parent_station"] == "FT" && row["platform_code"] == "B"
		has["an id with a slash and a blank"] = has["an id with a slash and a blank"] ||
			strings.Contains(row["stop_id"], "/") && strings.Contains(row["stop_id"], " ")
		has["a name beyond ASCII"] = has["a name beyond ASCII"] || strings.Contains(row["stop_name"], "ñ")
	}
	for _, row := range f["frequencies.txt"] {
		has["frequency, exact "+row["exact_times"]] = true
	}
	for _, row := range f["calendar_dates.txt"] {
		has["service of dates only"] = has["service of dates only"] || row["service_id"] == "LANTERN"
		has["service taken away"] = has["service taken away"] || row["service_id"] == "WKDY" &&
			row["exception_type"] == "2" && row["date"] == "20261126"
	}
	patterns := map[string]bool{}
	for _, row := range f["trips.txt"] {
		patterns[row["shape_id"]] = true
	}
	has["branches and short turns both ways"] = len(patterns) == 8
	for _, want := range []string{
		"a stop called at twice", "a call after 25:00", "a call without a time", "a stop headsign", "a wait at a stop",
		"a platform",
		"an id with a slash and a blank", "a name beyond ASCII", "frequency, exact 0", "frequency, exact 1",
		"service of dates only",
		"service taken away", "branches and short turns both ways",
	} {
		if !has[want] {
			t.Errorf("the feed lacks %s", want)
		}
	}
}

func TestSameInstantSameBytes(t *testing.T) {
	t.Parallel()
	a, b := open(t, noon), open(t, noon)
	for _, path := range []string{agency.PathGTFS, agency.PathTripUpdates, agency.PathVehicles, agency.PathAlerts} {
		if !bytes.Equal(body(t, a, path), body(t, b, path)) {
			t.Errorf("%s differs between two agencies", path)
		}
	}
	today, _, _ := a.Zip(noon)
	later, _, _ := b.Zip(noon.AddDate(0, 0, 8)) // still in November
	if !bytes.Equal(today, later) {
		t.Error("the feed changed within a month")
	}
	december, _, _ := b.Zip(noon.AddDate(0, 1, 0))
	if bytes.Equal(today, december) {
		t.Error("the feed did not change with the month")
	}
}

// body fetches a path and requires status 200.
func body(t *testing.T, a *agency.Agency, path string) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	mux := http.NewServeMux()
	a.Register(mux)
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if w.Code != http.StatusOK || w.Body.Len() == 0 {
		t.Fatalf("%s: %d, %d bytes", path, w.Code, w.Body.Len())
	}
	return w.Body.Bytes()
}
