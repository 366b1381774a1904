package townline_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline"
)

// The operator's commands for a feed, from its first import to its removal.
func TestFeedCommands(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	call := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := townline.Main(t.Context(), append(args, "--database-url", url), conf.Environ{}, &out, &errs); got != want {
			t.Fatalf("townline %s: status %d, want %d: %s%s", strings.Join(args, " "), got, want, &out, &errs)
		}
		return out.String() + errs.String()
	}
	has := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in:\n%s", part, text)
			}
		}
	}
	first := demoFeed(t)
	second := marked(t, first, "#2#")
	config := transitConfig(t, "feeds: [{alias: metro, name: Metro Transit}]\n")
	has(call(0, "feed", "import", "metro", first, "--transit-config", config),
		"version 1 is imported, but not served yet", "no running transit API answers", "stop_times.txt")
	has(call(0, "feed", "import", "metro", first), "nothing new")
	var imported, checked gtfsimport.Report
	for text, r := range map[string]*gtfsimport.Report{call(0, "feed", "report", "metro", "--json"): &imported,
		call(0, "feed", "check", first, "--json"): &checked} {
		if err := json.Unmarshal([]byte(text), r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(imported.Lines, checked.Lines); diff != "" || checked.Outcome != gtfsimport.Checked {
		t.Errorf("%s; -imported +checked:\n%s", checked.Outcome, diff)
	}
	has(call(0, "feed", "list"), "metro", "Metro Transit", ": ok")
	has(call(1, "feed", "import", "metro", second), "is held", "departures in the next 7 days", "--force publishes")
	has(call(0, "feed", "import", "metro", "--force"), "version 3 is imported") // version 2 is the held one
	var report gtfsimport.Report
	if err := json.Unmarshal([]byte(call(0, "feed", "report", "metro", "--feed-version=1", "--json")),
		&report); err != nil || report.VersionID != 1 {
		t.Errorf("report of version %d: %v", report.VersionID, err)
	}
	has(call(0, "feed", "rollback", "metro"), "version 4 is imported")
	has(call(0, "feed", "show", "metro"), "Metro Transit", "retired", "live")

	rows := write(t, "stops.csv", "\ufeffstop_id,stop_name,stop_lat,stop_lon\nX1,\"Market, "+
		"Square\",47.1,-122.3\nX2,Ferry,47.2,-122.4\n")
	has(call(0, "manual", "add", "metro", "stops", "--csv", rows, "--note", "opens in May"), "is imported",
		"no running transit API answers")
	has(call(0, "manual", "list", "metro"), "X1", "Market, Square", "opens in May", "ID")
	has(call(0, "manual", "remove", "metro", "1"), "is imported")
	if list := call(0, "manual", "list", "metro"); strings.Contains(list, "X1") {
		t.Errorf("row 1 still exists:\n%s", list)
	}
	call(0, "manual", "remove", "metro", "2")
	has(call(0, "manual", "list", "metro"), "no manual rows; add one")
	has(call(1, "manual", "list", "nowhere"), "feed nowhere: there is no such feed")
	has(call(1, "manual", "patch", "metro", "stops", "stop_name=Nowhere"), "stop_id")
	has(call(1, "manual", "add", "metro", "nothing", "a=b"), "nothing")
	has(call(1, "feed", "import", "metro", "/no/such.zip"), "no such file", "give the path of a zip")
	has(call(2, "feed", "remove", "metro"), "--yes")
	has(call(0, "feed", "remove", "metro", "--yes"), "removed")
	has(call(1, "feed", "show", "metro"), "metro")
	has(call(1, "feed", "report", "nowhere"), "nowhere")
}
