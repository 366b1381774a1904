package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
)

const none = check.None

// findingsOf returns the findings as of a day in 2026, as "code file line field value".
func findingsOf(f func(*check.Checker)) []string {
	found := []string{}
	f(check.New(time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC), func(f gtfs.Finding) {
		if _, known := check.RuleOf(f.Code); !known {
			found = append(found, "no rule "+string(f.Code))
		}
		found = append(found, strings.TrimSpace(fmt.Sprintf("%s %s:%d %s %s", f.Code, strings.TrimSuffix(f.File, ".txt"),
			f.Line, f.Field, f.Value)))
	}, check.Refs{}))
	return found
}

// checkRows checks the rows of a file, which are CSV without quotes and begin with a header.
func checkRows(c *check.Checker, file string, rows ...string) {
	def, _ := gtfs.TableOf(file)
	header := strings.Split(rows[0], ",")
	has, at := make([]bool, len(def.Columns)), make([]int, len(def.Columns))
	for i, name := range header {
		has[def.Column(name)], at[def.Column(name)] = true, i
	}
	var cells [][]byte
	hasColumn := func(column string) bool { return def.Column(column) >= 0 && has[def.Column(column)] }
	if len(header) > 3 { // shorter tests list only the required columns
		c.Columns(def, hasColumn)
	}
	row := c.Table(def, check.Cells{
		Has: hasColumn,
		Raw: func(column string) []byte {
			if i := def.Column(column); i >= 0 {
				return cells[i]
			}
			return nil
		},
		IsShort: func() bool { return false },
	})
	for n, text := range rows[1:] {
		values := strings.Split(text, ",")
		cells = make([][]byte, len(def.Columns))
		for i := range cells {
			if has[i] {
				cells[i] = []byte(values[at[i]])
			}
		}
		row(n+2, cells)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		rows []string
		want []string
	}{
		{"agency.txt", []string{"agency_id,agency_name,agency_url,agency_timezone,agency_lang",
			"A,Alder,https://a.example,Europe/Paris,fr", "B,Birch,https://b.example,Europe/Paris,fr"}, nil},
		{"agency.txt", []string{"agency_id,agency_name,agency_timezone,agency_lang", "A,,Europe/Paris,fr",
			"B,B,Europe/Madrid,es", "C,C,Mars/Base,fr"}, []string{
			"missing_required_column agency:1 agency_url", "missing_required_field agency:2 agency_name",
			"inconsistent_agency_timezone agency:3 agency_timezone Europe/Madrid", "inconsistent_agency_lang agency:3 " +
				"agency_lang es", "invalid_timezone agency:4 agency_timezone Mars/Base"}},
		{"routes.txt", []string{"route_id,route_short_name,route_long_name,route_type,route_color,route_text_color",
			"1,10,Harbor Loop,3,FFFFFF,000000", "2,11,110 Street,3,,"}, nil},
		{"routes.txt",
			[]string{"route_id,route_short_name,route_long_name,route_desc,route_type,route_color,route_text_color",
				"1,,,,3,,", "2,Extraordinary,X,,3,000000,222222", "3,10,10 - Harbor,10,3,,", "4,E,East,East,3,,", "5,E,East,,3,,",
				"6,E,East,,2,,"}, []string{
				"route_both_short_and_long_name_missing routes:2",
				"route_short_name_too_long routes:3 route_short_name Extraordinary",
				"route_color_contrast routes:3 route_text_color 222222",
				"route_long_name_contains_short_name routes:4 route_long_name 10 - Harbor",
				"same_name_and_description_for_route routes:4 route_desc 10",
				"same_name_and_description_for_route routes:5 route_desc East", "duplicate_route_name routes:6  E East"}},
		{"stops.txt", []string{"stop_id,stop_name,stop_desc,stop_lat,stop_lon,location_type,stop_timezone",
			"A,Alder,By the sea,45.1,-122.1,,", "N,,,,,3,"}, nil},
		{"stops.txt", []string{"stop_id,stop_name,stop_desc,stop_lat,stop_lon,location_type,stop_timezone", "A,,,0.1,0.2,,",
			"B,Birch,birch,,-122,1,Nowhere/No", "C,Cold,,89.9,0,0,"}, []string{
			"point_near_origin stops:2 stop_lat 0.1", "missing_stop_name stops:2 stop_name",
			"stop_without_location stops:3 stop_lat",
			"same_name_and_description_for_stop stops:3 stop_desc birch", "invalid_timezone stops:3 stop_timezone Nowhere/No",
			"point_near_pole stops:4 stop_lat 89.9"}},
		{"calendar.txt", []string{"service_id,start_date,end_date", "A,20260101,20260101", "B,20260301,20260201",
			"C,,20260301"}, []string{
			"start_and_end_range_out_of_order calendar:3 end_date 20260201", "missing_required_field calendar:4 start_date"}},
		{"feed_info.txt",
			[]string{
				"feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version,feed_contact_email",
				"A,https://a.example,en,20260101,20261231,v1,a@a.example"}, nil},
		{"feed_info.txt",
			[]string{"feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version",
				"A,https://a.example,en,,20260605,", "A,https://a.example,en,,,"}, []string{
				"missing_feed_info_date feed_info:2 feed_start_date",
				"feed_expiration_date7_days feed_info:2 feed_end_date 20260605", "missing_feed_contact_email_and_url feed_info:2",
				"missing_recommended_field feed_info:2 feed_version", "more_than_one_entity feed_info:3"}},
		{"feed_info.txt",
			[]string{
				"feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version,feed_contact_url",
				"A,https://a.example,en,20260608,20260620,1,https://a.example"}, []string{
				"feed_expiration_date30_days feed_info:2 feed_end_date 20260620", "future_feed feed_info:2 feed_start_date " +
					"20260608"}},
		{"frequencies.txt", []string{"trip_id,start_time,end_time,headway_secs", "T,06:00:00,07:00:00,600",
			"T,07:00:00,08:00:00,600", "U,07:30:00,08:00:00,600"}, nil},
		{"frequencies.txt", []string{"trip_id,start_time,end_time,headway_secs", "T,06:00:00,07:00:00,600",
			"U,09:00:00,08:00:00,60", "V,09:00:00,09:00:00,60"}, []string{
			"start_and_end_range_out_of_order frequencies:3 end_time " +
				"08:00:00", "start_and_end_range_equal frequencies:4 end_time 09:00:00"}},
	} {
		got := findingsOf(func(k *check.Checker) { checkRows(k, c.file, c.rows...) })
		if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.file, c.rows[1:], diff)
		}
	}
}

func TestRowsAreComparedWithOtherFiles(t *testing.T) {
	t.Parallel()
	got := findingsOf(func(c *check.Checker) {
		c.Files(func(file string) bool { return file == "stops.txt" })
		checkRows(c, "agency.txt", "agency_id,agency_name,agency_url,agency_timezone,agency_lang",
			"A,Alder,https://a.example,Europe/Paris,fr-CA")
		checkRows(c, "stops.txt", "stop_id,stop_name,stop_lat,stop_lon,stop_url", "S,Sea,45,1,https://a.example")
		checkRows(c, "routes.txt", "route_id,route_short_name,route_type,route_url", "R,1,3,https://a.example")
		checkRows(c, "feed_info.txt", "feed_publisher_name,feed_publisher_url,feed_lang,feed_version,feed_contact_url",
			"A,https://a.example,en,1,https://a.example")
		c.Route(0, 0, []byte("R"))
	})
	want := []string{"missing_recommended_file feed_info:0", "same_stop_and_agency_url stops:2 stop_url https://a.example",
		"same_route_and_agency_url routes:2 route_url https://a.example", "missing_recommended_field routes:2 agency_id",
		"missing_recommended_field feed_info:2 feed_start_date", "missing_recommended_field feed_info:2 fee" +
			"d_end_date",
		"feed_info_lang_and_agency_lang_mismatch feed_info:2 feed_lang en", "unused_route routes:2 route_id R"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestStopsAndTheirParents(t *testing.T) {
	t.Parallel()
	id := func(n int32) []byte { return []byte{"SPQEBXU"[n]} }
	for _, called := range []bool{true, false} {
		got := findingsOf(func(c *check.Checker) {
			checkRows(c, "stops.txt", "stop_id,stop_name,stop_lat,stop_lon,location_type,platform_code",
				"S,s,45,1,1,", "P,p,45,1,0,1", "Q,q,45,1,0,2", "E,e,45,1,2,", "B,b,45,1,4,", "X,x,45,1,1,", "U,u,45,1,,")
			used := func(n int32) bool { return n == 1 }
			if !called {
				used = nil
			}
			c.Stops([]int32{-1, 0, -1, -1, 0, 0, -1}, used, id)
		})
		want := []string{"platform_without_parent_station stops:4 parent_station Q", "stop_without_stop_time stops:4  Q",
			"location_without_parent_station stops:5 parent_station E",
			"wrong_parent_location_type stops:6 parent_station B", "station_with_parent_station stops:7 parent_station X",
			"unused_station stops:7  X", "stop_without_stop_time stops:8  U"}
		if !called { // unknown, as for on-demand services
			want = []string{want[0], want[2], want[3], want[4]}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	today := check.Day(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		days [][2]int32 // from today
		want []string
	}{
		{[][2]int32{{-100, 100}}, nil},
		{[][2]int32{{-100, 3}, {10, 100}}, nil},
		{nil, []string{"trip_coverage_not_active_for_next7_days calendar:0"}},
		{[][2]int32{{-100, -1}}, []string{"trip_coverage_not_active_for_next7_days calendar:0  20260531"}},
		{[][2]int32{{5, 100}}, []string{"future_calendar calendar:0  20260606",
			"trip_coverage_not_active_for_next7_days calendar:0  20260606"}},
		{[][2]int32{{-100, 6}}, []string{"trip_coverage_not_active_for_next7_days calendar:0  20260607"}},
		{[][2]int32{{-100, 7}}, []string{"service_ends_within_30_days calendar:0  20260608"}},
		{[][2]int32{{-1, 0}, {15, 100}}, []string{"feed_service_gap calendar:0  20260602–20260615, 14 d"}},
		{[][2]int32{{-100, -60}, {-20, 100}}, nil}, // the gap is in the past
		{[][2]int32{{-100, 29}}, []string{"service_ends_within_30_days calendar:0  20260630"}},
	} {
		got := findingsOf(func(k *check.Checker) {
			var days []check.Days
			for _, d := range c.days {
				days = append(days, check.Days{First: today + d[0], Last: today + d[1]})
			}
			k.ServiceDays("calendar.txt", days)
		})
		if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.days, diff)
		}
	}
	got := findingsOf(func(c *check.Checker) {
		checkRows(c, "calendar.txt", "service_id,start_date,end_date", "A,20260101,20270101")
		c.Service(0, check.Service{ID: []byte("A"), Days: check.Days{First: 0, Last: -1}}, false)
		past := check.Days{First: today - 9, Last: today - 1}
		c.Service(1, check.Service{ID: []byte("B"), Days: past, HasTrips: true}, false)
		c.Service(2, check.Service{ID: []byte("C"), Days: past, HasTrips: true}, true)
		c.Service(3, check.Service{ID: []byte("D"), Days: check.Days{First: today, Last: today + 800}, HasTrips: true}, false)
		if !c.IsOver(today-1) || c.IsOver(today) {
			t.Error("today counts as past, or yesterday does not")
		}
	})
	want := []string{"service_has_no_active_day_of_the_week calendar:2 service_id A",
		"unused_service calendar:2 service_id A",
		"expired_calendar calendar_dates:0 service_id B", "service_extends_far_in_the_future calendar_dates:0 service_id D"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
