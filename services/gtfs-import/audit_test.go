package gtfsimport_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// An unusable feed is refused with a reason, and the live version does not change.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	first := load(t, db, "metro", small())
	before := dump(t, db, "metro")
	for name, c := range map[string]struct {
		files  files
		reason string
	}{
		"no stops.txt": {small().without("stops.txt"), "no usable stops: there is no stops.txt"},
		"no rows of stops": {small().with("stops.txt", small()["stops.txt"], "stop_id\n"),
			"no usable stops: stops.txt has no rows"},
		"no stop_id":    {small().with("stops.txt", "stop_id", "id"), "none of the 5 rows of stops.txt can be used"},
		"no routes.txt": {small().without("routes.txt"), "no usable routes"},
		"no trips.txt":  {small().without("trips.txt"), "no usable trips"},
		"no calendar": {small().without("calendar.txt").without("calendar_dates.txt"),
			"no usable service: there is neither"},
		"routes of unknown agencies": {small().with("routes.txt", "R2,N", "R2,X").with("routes.txt", "R1,M", "R1,X"),
			"none of the 2 rows of routes.txt"},
		"trips of unknown route": {small().with("routes.txt", "R1,", "R9,").with("routes.txt", "R2,", "R8,"),
			"none of the 5 rows of trips.txt"},
	} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: c.files.pack(t)})
		if !errors.Is(err, gtfsimport.ErrRefused) || r == nil || r.Outcome != gtfsimport.Refused ||
			!strings.Contains(r.Reason, c.reason) || r.VersionID != first.VersionID {
			t.Errorf("%s: %+v, %v; want a refusal for %q", name, r, err, c.reason)
			continue
		}
		stored, err := gtfsimport.OneReport(t.Context(), deps(t, db), "metro", 0)
		if err != nil || stored.Reason != r.Reason || len(stored.Lines) != len(r.Lines) {
			t.Errorf("%s: stored report %+v, %v", name, stored, err)
		}
		f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro")
		if err != nil || f.CheckError == nil || *f.CheckError != r.Reason {
			t.Errorf("%s: feed %+v, %v", name, f, err)
		}
	}
	if diff := cmp.Diff(before, dump(t, db, "metro")); diff != "" {
		t.Errorf("the live version changed:\n%s", diff)
	}
	notZip := filepath.Join(t.TempDir(), "feed.zip")
	if err := os.WriteFile(notZip, []byte("<html>sorry</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, check := range []bool{false, true, true} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: notZip,
			Check: check})
		if !errors.Is(err, gtfsimport.ErrRefused) || !strings.Contains(r.Reason, "not a valid zip") {
			t.Errorf("a page instead of a zip: %+v, %v", r, err)
		}
	}
	if n := len(query(t, db, `SELECT '' FROM transit.feed_version WHERE reason LIKE '%not a valid zip%'`)); n != 1 {
		t.Errorf("the page was checked %d times, want once because the bytes are the same", n)
	}
	if r := load(t, db, "metro", small()); r.Outcome != gtfsimport.Unchanged {
		t.Errorf("import of the live bytes: %+v", r)
	}
	if f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro"); err != nil || f.CheckError != nil {
		t.Errorf("checks after a good import: %+v, %v", f, err)
	}
}

// The audit lists each invalid cell and row with its location.
func TestAudit(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	long := strings.Repeat("x", 600)
	f := small().
		with("stops.txt", "B,Bridge,45.1,", "B,Bridge,145.1,").
		with("stops.txt", "D,Dock,45.3,-122.3,,\n",
			"D,Dock,45.3,-122.3,,\nB,Again,1,1,,\n,Nameless,1,1,,\nQ,Quay,45,-122,,ZZ\n"+long+",Long,1,1,,\n").
		with("routes.txt", "FFFFFF", "#FFF").
		with("calendar.txt", "WK,1,1", "WK,yes,1").
		with("calendar_dates.txt", "SU,20260712,1", "SU,20260231,1\nSU,20260705,1\nSU,20260712,7\nSU,20260713,1").
		with("trips.txt", "T4,R1,WK",
			"T4,R1,WK,Court,0,\nT1,R1,WK,Twice,0,\nT7,R9,WK,,0,\nT8,R1,XX,,0,\nT9,R1,WK,,5,NOSHAPE\nT6,R1,").
		with("stop_times.txt", "T2,7:10:00,7:11:00,B,2,0\n",
			"T2,7:10,7:11:00,B,2,0\nT2,7:12:00,7:12:00,B,2,9\nTX,7:12:00,7:12:00,B,2,9\nT2,7:15:00,7:15:00,XX,3,0\nT2,7:16:00,7:16:00,,4,0\nT2,7:16:00,7:16:00,B,x,0\n").
		with("shapes.txt", "H1,45.1,-122.10,2,\n", "H1,45.1,-122.10,2,far\nH1,,1,9,\nH1,45,-122,2,\n").
		with("frequencies.txt", "T4,8:00:00,10:00:00,600",
			"T4,8:00:00,10:00:00,0\nT4,8:00:00,10:00:00,600\nT4,08:00:00,11:00:00,600\nNO,8:00:00,10:00:00,600")
	r := load(t, db, "metro", f)
	var got []string
	for _, l := range r.Lines {
		if len(l.Value) > 20 {
			l.Value = l.Value[:5] + "…"
		}
		got = append(got, fmt.Sprintf("%s %d %s: %s %q, %s", l.File, l.Line, l.Field, l.Code, l.Value, l.Effect))
	}
	want := []string{
		`calendar.txt 2 monday: invalid_integer "yes, read as 1", cell changed`,
		`calendar_dates.txt 4 date: invalid_date "20260231", row left out`,
		`calendar_dates.txt 5 : duplicate_key "SU", row left out`,
		`calendar_dates.txt 6 exception_type: unexpected_enum_value "7", row left out`,
		`feed_info.txt 2 feed_start_date: missing_recommended_field "", noted`,
		`feed_info.txt 2 feed_end_date: missing_recommended_field "", noted`,
		`feed_info.txt 2 : missing_feed_contact_email_and_url "", noted`,
		`feed_info.txt 2 feed_version: missing_recommended_field "", noted`,
		`frequencies.txt 2 headway_secs: number_out_of_range "0", row left out`,
		`frequencies.txt 4 trip_id: duplicate_key "T4", row left out`,
		`frequencies.txt 5 trip_id: foreign_key_violation "NO", row left out`,
		`routes.txt 1 badge: unknown_column "", noted`,
		`routes.txt 3 route_color: invalid_color "#FFF", cell emptied`,
		`shapes.txt 3 shape_dist_traveled: invalid_float "far", noted`,
		`shapes.txt 4 shape_pt_lat: missing_required_field "", row left out`,
		`shapes.txt 5 shape_pt_sequence: duplicate_key "H1", row left out`,
		`stop_times.txt 0 : unsorted_stop_times "", noted`,
		`stop_times.txt 7 arrival_time: invalid_time "7:10,…", cell changed`,
		`stop_times.txt 8 pickup_type: unexpected_enum_value "9", noted`,
		`stop_times.txt 8 stop_sequence: duplicate_key "T2", row left out`,
		`stop_times.txt 9 trip_id: foreign_key_violation "TX", row left out`,
		`stop_times.txt 10 stop_id: foreign_key_violation "XX", row left out`,
		`stop_times.txt 11 stop_id: missing_required_field "", row left out`,
		`stop_times.txt 12 stop_sequence: invalid_integer "x", row left out`,
		`stop_times.txt 17 arrival_time: stop_time_with_only_arrival_or_departure_time "T3", noted`,
		`stop_times.txt 17 arrival_time: missing_trip_edge "T3", noted`,
		`stops.txt 4 stop_lat: number_out_of_range "145.1", cell emptied`,
		`stops.txt 7 stop_id: duplicate_key "B", row left out`,
		`stops.txt 8 stop_id: missing_required_field "", row left out`,
		`stops.txt 9 parent_station: foreign_key_violation "ZZ", cell emptied`,
		`stops.txt 9 : stop_without_stop_time "Q", noted`,
		`stops.txt 10 stop_id: id_too_long "xxxxx…", row left out`,
		`trips.txt 2 shape_id: stops_match_shape_out_of_order "T1: s…", noted`,
		`trips.txt 6 trip_id: duplicate_key "T1", row left out`,
		`trips.txt 7 route_id: foreign_key_violation "R9", row left out`,
		`trips.txt 8 service_id: foreign_key_violation "XX", row left out`,
		`trips.txt 9 direction_id: unexpected_enum_value "5", cell emptied`,
		`trips.txt 9 shape_id: foreign_key_violation "NOSHAPE", cell emptied`,
		`trips.txt 9 trip_id: unused_trip "T9", noted`,
		`trips.txt 10 service_id: missing_required_field "", row left out`,
		`trips.txt 11 trip_id: unused_trip "T5", noted`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	checkFeed(t, db, "metro", f.bytes(t), "", r)
	if got := query(t, db, `SELECT (lat IS NULL AND lon IS NULL AND stop_lon = '-122.1')::text
		FROM transit.stop WHERE stop_id = 'B'`)[0]; got != "true" {
		t.Error("a stop with only one coordinate is accepted")
	}
}

func TestAgencies(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for i, c := range []struct{ name, agency, routes, agencies, routeAgencies string }{
		{name: "no ids at all", agency: "agency_name,agency_timezone\nMetro,Europe/Paris\n",
			routes:   "route_id,route_type\nR1,3\nR2,3\n",
			agencies: "ALIAS Metro", routeAgencies: "ALIAS ALIAS"},
		{name: "routes without", agency: "agency_id,agency_name\nM,Metro\n", routes: "route_id,agency_id\nR1,\nR2,M\n",
			agencies: "M Metro", routeAgencies: "M M"},
		{name: "an agency without, called by some id", agency: "agency_id,agency_name\n,Metro\n",
			routes:   "route_id,agency_id\nR1,X\nR2,\n",
			agencies: "ALIAS Metro", routeAgencies: "ALIAS ALIAS"},
		{name: "two, one without", agency: "agency_id,agency_name\nM,Metro\n,Other\n",
			routes:   "route_id,agency_id\nR1,\nR2,M\n",
			agencies: "M Metro, ALIAS Other", routeAgencies: "ALIAS M"},
		{name: "two, and a route without agency", agency: "agency_id,agency_name\nM,Metro\nN,Night\n",
			routes:   "route_id,agency_id\nR1,\nR2,N\n",
			agencies: "M Metro, N Night", routeAgencies: "M N"},
		{name: "none", routes: "route_id,agency_id\nR1,X\nR2,\n", agencies: "X ALIAS, ALIAS ALIAS",
			routeAgencies: "X ALIAS"},
	} {
		alias := fmt.Sprintf("feed%d", i)
		f := small()
		f["agency.txt"], f["routes.txt"] = c.agency, c.routes
		load(t, db, alias, f)
		agencies := query(t, db, `SELECT string_agg(agency_id || ' ' || agency_name, ', ' ORDER BY ord)
			FROM transit.feed JOIN transit.agency USING (version_id) WHERE alias = $1`, alias)[0]
		routes := query(t, db, `SELECT string_agg(agency_id, ' ' ORDER BY route_id) FROM transit.feed
			JOIN transit.route USING (version_id) WHERE alias = $1`, alias)[0]
		if want := strings.ReplaceAll(c.agencies, "ALIAS", alias); agencies != want {
			t.Errorf("%s: agencies %s, want %s", c.name, agencies, want)
		}
		if want := strings.ReplaceAll(c.routeAgencies, "ALIAS", alias); routes != want {
			t.Errorf("%s: agencies of routes %s, want %s", c.name, routes, want)
		}
	}
}

func TestDirectionNames(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small().with("trips.txt", "T3,R2,SU,Dock,1,", "T3,R2,SU,,1,")
	f["directions.txt"] = "route_id,direction_id,direction\nR1,0,Clockwise\nR9,0,Nowhere\nR1,0,Again\n"
	f["direction_names.txt"] = "station_id,headsign_direction_0\nS,Uptown\n"
	r := load(t, db, "metro", f)
	if got := query(t, db, `SELECT string_agg(direction, ', ' ORDER BY ord)
		FROM transit.route_direction`)[0]; got != "Clockwise, Inbound" {
		t.Errorf("directions %s", got)
	}
	for _, file := range r.Files {
		if file.File == "directions.txt" && (file.Read != 3 || file.LeftOut != 2) || file.File == "direction_names.txt" &&
			file.Used {
			t.Errorf("%+v", file)
		}
	}
}
