package gtfsimport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// Files that the import does not use are stored unchanged, with unknown columns and with manual
// rows. Rows that refer to missing rows are omitted.
func TestFilesAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small()
	f["transfers.txt"] = "From_Stop_ID, walk,to_stop_id,transfer_type\n1,\"a, \"\"b\"\" " +
		"\",C,x\nB,,nowhere,0\n1,,C,2\n,,,4\n"
	f["fare_media.txt"] = "fare_media_id,fare_media_name\nCASH,Cash\nAPP,App\n"
	f["stops.txt"] = "shelter," + strings.TrimSuffix(strings.ReplaceAll(f["stops.txt"], "\n", "\nx,"), "x,")
	f["vehicles.txt"] = "vehicle,,vehicle\nBus 1,x,y\n\nBus 2\n"
	f["readme.md"] = "# Not a table\n"
	f["locations.geojson"] =
		`{"type": "FeatureCollection", "features": [{"id": "z1", "type": "Feature", "geometry": null}, {"type": "Zone"}], "more": {"a": [1]}}`
	load(t, db, "metro", f)
	manual(t, db, "patch fare_media.txt fare_media_id=CASH;fare_media_type=0", "hide fare_media.txt fare_media_id=APP",
		"add fare_media.txt fare_media_id=CARD;fare_media_name=Card", "add areas.txt area_id=A;area_name=Area",
		"patch transfers.txt from_stop_id=1;to_stop_id=C;min_transfer_time=60")
	r, err := gtfsimport.Reimport(t.Context(), deps(t, db), "metro", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := query(t, db, `SELECT file || ' ' || ord || ' ' || jsonb_strip_nulls(cells) FROM transit.file_rows
		WHERE file = 'stops.txt' ORDER BY ord`)
	if len(got) != 5 || got[4] != `stops.txt 4 {"shelter": "x", "stop_id": "D"}` {
		t.Errorf("unknown columns of stops: %q", got)
	}
	got = query(t, db, `SELECT file || ' ' || ord || ' ' || cells FROM transit.file_rows WHERE file <> 'stops.txt'
		ORDER BY file, ord`)
	want := []string{
		`areas.txt 0 {"area_id": "A", "area_name": "Area"}`,
		`fare_media.txt 0 {"fare_media_id": "CASH", "fare_media_name": "Cash", "fare_media_type": "0"}`,
		`fare_media.txt 1 {"fare_media_id": "CARD", "fare_media_name": "Card", "fare_media_type": null}`,
		`levels.txt 0 {"level_id": "L", "level_index": "0"}`,
		`locations.geojson 0 {"feature": "{\"id\":\"z1\",\"type\":\"Feature\",\"geometry\":null}"}`,
		`transfers.txt 0 {"walk": "a, \"b\"", "to_stop_id": "C", "from_stop_id": "1", "transfer_type": "x", "min_transfer_time": "60"}`,
		`transfers.txt 1 {"walk": null, "to_stop_id": "C", "from_stop_id": "1", "transfer_type": "2", "min_transfer_time": "60"}`,
		`transfers.txt 2 {"walk": null, "to_stop_id": null, "from_stop_id": null, "transfer_type": "4", "min_transfer_time": null}`,
		`vehicles.txt 0 {"vehicle": "Bus 1"}`,
		`vehicles.txt 1 {"vehicle": "Bus 2"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	listed := query(t, db, `SELECT concat_ws(' ', file, row_count, columns) FROM transit.file
		WHERE version_id = (SELECT version_id FROM transit.feed) ORDER BY ord`)
	for _, want := range []string{"areas.txt 1 {area_id,area_name}", "readme.md", "vehicles.txt 2 {vehicle}",
		"routes.txt {route_id,agency_id,route_short_name,route_long_name,route_type,route_color,badge}"} {
		if !slices.Contains(listed, want) {
			t.Errorf("%q is not listed in\n%s", want, strings.Join(listed, "\n"))
		}
	}
	if listed[len(listed)-1] != want[0][:9]+" 1 {area_id,area_name}" {
		t.Errorf("the last file is %s", listed[len(listed)-1])
	}
	var found []string
	for _, l := range r.Lines {
		if !strings.Contains("locations.geojson transfers.txt vehicles.txt", l.File) || l.Code == "unknown_file" ||
			l.Code == "unknown_column" {
			continue
		}
		found = append(found, fmt.Sprintf("%s %d %s: %s", l.File, l.Line, l.Field, l.Code))
	}
	if diff := cmp.Diff([]string{"locations.geojson 0 properties: missing_required_element",
		"locations.geojson 0 type: unsupported_feature_type", "transfers.txt 2 transfer_type: invalid_integer",
		"transfers.txt 2 : transfer_distance_too_large", "transfers.txt 3 to_stop_id: foreign_key_violation",
		"transfers.txt 4 : transfer_distance_too_large", "transfers.txt 4 from_stop_id: duplicate_key",
		"transfers.txt 5 from_trip_id: missing_required_field", "transfers.txt 5 to_trip_id: missing_required_field"},
		found); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	for _, f := range r.Files {
		if f.File == "fare_media.txt" && (f.Added != 2 || f.Removed != 2 || f.Unchanged != 0 || f.Hidden != 1 ||
			f.Read != 3) {
			t.Errorf("%+v", f)
		}
	}
}

// What is wrong with a zone is a code, a member and the value there, so that every language has words for it.
func TestFaultsOfZonesAreData(t *testing.T) {
	t.Parallel()
	f := small()
	good := square("z", -122, 45)
	with := func(id, old, new string) string {
		return strings.Replace(strings.Replace(good, `"z"`, `"`+id+`"`, 1), old, new, 1)
	}
	f["locations.geojson"] = `{"type":"FeatureCollection","type":"FeatureCollection","features":[` +
		strings.Join([]string{good, good,
			with("a", `"properties":{},`, ""), with("b", `"Polygon"`, `"Point"`), with("c", `"Feature"`, `"Zone"`),
			with("d", `{}`, `{"k":1,"k":2}`), with("e", "[-121.9,45],[-121.9,45.1]", "[-121.9,45.1],[-121.9,45]"),
			with("f", "[-122,45]]]", "[-122,46]]]"), with("g", `"id":"g",`, "")}, ",") + `]}`
	r := load(t, pgtest.New(t), "metro", f)
	var found []string
	for _, l := range r.Lines {
		if l.File == "locations.geojson" {
			found = append(found, fmt.Sprintf("%s %s %s", l.Code, l.Field, l.Value))
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff([]string{"duplicate_geo_json_key id z", "geo_json_duplicated_element  type",
		"geo_json_duplicated_element feature d: k", "invalid_geometry geometry e: 45, -122",
		"invalid_geometry geometry f: 45, -122", "missing_required_element id ", "missing_required_element properties a",
		"unsupported_feature_type type Zone", "unsupported_geometry_type geometry.type b: Point"}, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// An unreadable optional file does not prevent the import.
func TestBrokenZonesAreLeftOut(t *testing.T) {
	t.Parallel()
	f := small()
	f["locations.geojson"] = `{"features": [{"type": "Feature"}, `
	r := load(t, pgtest.New(t), "metro", f)
	if found := done(r); len(found) != 1 || found[0].Code != "unreadable_file" || found[0].File != "locations.geojson" {
		t.Errorf("findings %+v", found)
	}
}

// A version with an older importFormat is imported again at the next check of its source, even if
// it lacks tables.
func TestOlderVersionsAreImportedAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	zip := small().pack(t)
	check := func() gtfsimport.Outcome {
		t.Helper()
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: zip, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		return r.Outcome
	}
	check()
	if got := check(); got != gtfsimport.Unchanged {
		t.Errorf("second check: %s", got)
	}
	execSQL(t, db, `UPDATE transit.feed_version SET made = 1; DROP TABLE transit.file_1, transit.file_row_1,
		transit.export_piece_1, transit.translation_1`)
	if got := check(); got != gtfsimport.Imported {
		t.Errorf("check with a version of an older format: %s", got)
	}
	if got := check(); got != gtfsimport.Unchanged {
		t.Errorf("check after the new import: %s", got)
	}
}

// A stop time in a zone stores the zone.
func TestCallsInZones(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small().with("stop_times.txt", "stop_sequence,pickup_type\n", "stop_sequence,pickup_type,location_id\n").
		with("stop_times.txt", "T3,,,D,10,\n", "T3,,,,10,2,z1\n").
		with("stop_times.txt", "T4,08:09:00,08:09:00,C,2,\n", "T4,,,,2,2,z2\n")
	f["locations.geojson"] =
		`{"type": "FeatureCollection", "features": [{"id": "z1", "type": "Feature", "geometry": null}, {"id": "z2", "type": "Feature", "geometry": null}]}`
	load(t, db, "metro", f)
	got := query(t, db, `SELECT trip_id || ' ' || stop_sequence || ' ' || location_id FROM transit.stop_times
		WHERE location_id IS NOT NULL ORDER BY trip_id`)
	if want := []string{"T3 10 z1", "T4 2 z2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
