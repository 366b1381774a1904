package gtfsimport_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
)

// sound is a feed without errors or warnings: a station with a platform, an entrance and a node,
// and two stops on the street.
func sound() files {
	return files{
		"agency.txt": "agency_id,agency_name,agency_url,agency_timezone\nM,Metro,https://metro.example,America/Los_Angeles\n",
		"routes.txt": "route_id,agency_id,route_short_name,route_long_name,route_type\nR,M,10,Loop,3\nQ,M" +
			",20,Hill,3\n",
		"calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end" +
			"_date\nWK,1,1,1,1,1,0,0,20260101,20261231\nWE,0,0,0,0,0,1,1,20260101,20261231\n",
		"stops.txt": "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,level_id\nS,Station," +
			"45.0,-122.0,1,,\n" +
			"P,Platform,45.0,-122.0,0,S,L\nE,Entrance,45.0,-122.001,2,S,L\nN,,,,3,S,L\nA,Alder,45.01,-122.0" +
			",,,\nB,Birch,45.02,-122.0,,,\n",
		"levels.txt": "level_id,level_index\nL,0\n",
		"pathways.txt": "pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional\n" +
			"1,E,N,1,1\n2,N,P,1,1\n",
		"trips.txt": "trip_id,route_id,service_id,trip_headsign,block_id\nT,R,WK,Birch,X\nU,R,WK,Birch,Y\nV" +
			",Q,WK,Birch,Z\nW,R,WE,Birch,\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n" +
			"T,06:00:00,06:00:00,P,1\nT,06:05:00,06:05:00,A,2\nT,06:10:00,06:10:00,B,3\n" +
			"U,06:05:00,06:05:00,P,1\nU,06:10:00,06:10:00,A,2\nU,06:15:00,06:15:00,B,3\n" +
			"V,06:10:00,06:10:00,P,1\nV,06:20:00,06:20:00,B,2\nW,06:00:00,06:00:00,P,1\nW,06:20:00,06:20:00,B,2\n",
		"feed_info.txt": "feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,fe" +
			"ed_version,feed_contact_url\n" +
			"Metro,https://metro.example,en,20260101,20261231,1,https://metro.example/contact\n",
	}
}

// change replaces text in a file of the feed, or the whole file if old is empty; if both texts are
// empty, it removes the file.
type change struct{ file, old, new string }

func (f files) change(all ...change) files {
	g := maps.Clone(f)
	for _, c := range all {
		switch {
		case c.old != "":
			g = g.with(c.file, c.old, c.new)
		case c.new != "":
			g[c.file] = c.new
		default:
			delete(g, c.file)
			continue
		}
		if strings.HasSuffix(c.file, ".txt") {
			g[c.file] = padded(g[c.file])
		}
	}
	return g
}

// padded adds empty cells to rows that are shorter than the header.
func padded(text string) string {
	header, rows, _ := strings.Cut(text, "\n")
	var b strings.Builder
	b.WriteString(header + "\n")
	for row := range strings.Lines(rows) {
		row = strings.TrimSuffix(row, "\n")
		b.WriteString(row + strings.Repeat(",", max(0, strings.Count(header, ",")-strings.Count(row, ","))) + "\n")
	}
	return b.String()
}

func codesOf(t *testing.T, f files) (codes []gtfs.Code) {
	t.Helper()
	r, err := checked(t, f)
	if err != nil && r == nil {
		t.Fatal(err)
	}
	for _, found := range r.Findings {
		if rule, _ := check.RuleOf(found.Code); rule.Severity != check.Info {
			codes = append(codes, found.Code)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(codes)))
}

func whole(file, rows string) change       { return change{file, "", rows} }
func in(file, old, replaced string) change { return change{file, old, replaced} }

// A ruleCase has changes of the sound feed that break a rule, and changes that almost break it.
// also lists other rules that the broken feed breaks.
type ruleCase struct {
	code         gtfs.Code
	broken, near []change
	also         []gtfs.Code
}

func TestRulesOfTheReport(t *testing.T) {
	t.Parallel()
	if found := codesOf(t, sound()); len(found) > 0 {
		t.Fatalf("the sound feed has findings %v", found)
	}
	for _, c := range slices.Concat(rulesOfRows(), rulesOfBookings(), rulesOfFeeds(), rulesOfZones(), rulesOfReferences(),
		rulesOfCells(), claims()) {
		t.Run(string(c.code), func(t *testing.T) {
			t.Parallel()
			want := slices.Sorted(slices.Values(append([]gtfs.Code{c.code}, c.also...)))
			if found := codesOf(t, sound().change(c.broken...)); !slices.Equal(found, want) {
				t.Errorf("broken feed: %v, want %v", found, want)
			}
			if found := codesOf(t, sound().change(c.near...)); slices.Contains(found, c.code) {
				t.Errorf("near miss: %v", found)
			}
		})
	}
}

func rulesOfRows() []ruleCase {
	const (
		transfer = "from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,far" +
			"e_transfer_type\n"
		products = "fare_product_id,rider_category_id,amount,currency\n"
		frames   = "timeframe_group_id,start_time,end_time,service_id\n"
		credits  = "attribution_id,organization_name,is_producer,is_operator,is_authority\n"
		access   = "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,level_id,stop_access\n" +
			"S,Station,45.0,-122.0,1,,,\n" +
			"P,Platform,45.0,-122.0,0,S,L,0\nE,Entrance,45.0,-122.001,2,S,L,\nN,,,,3,S,L,\nA,Alder,45.01,-1" +
			"22.0,,,,\nB,Birch,45.02,-122.0,,,,\n"
	)
	fares := func(rows string) []change { return append(legs(), whole("fare_transfer_rules.txt", transfer+rows)) }
	product := func(rows string) []change { return []change{whole("fare_products.txt", products+rows)} }
	frame := func(rows string) []change { return []change{whole("timeframes.txt", frames+rows)} }
	stops := func(old, replaced string) []change {
		return sound().change(whole("stops.txt", access), in("stops.txt", old, replaced)).changes("stops.txt")
	}
	return []ruleCase{
		{code: "attribution_without_role", broken: []change{whole("attributions.txt", credits+"1,Ann,0,,0\n")},
			near: []change{whole("attributions.txt", credits+"1,Ann,0,,1\n")}},
		{code: "bidirectional_exit_gate", broken: []change{in("pathways.txt", "1,E,N,1,1", "1,E,N,7,1\n3,E,N,1,1")},
			near: []change{in("pathways.txt", "1,E,N,1,1", "1,E,N,7,0\n3,E,N,6,1")}},
		{code: "fare_transfer_rule_duration_limit_type_without_duration_limit", broken: fares("a,b,,,1,0\n"),
			near: fares("a,b,,60,1,0\n")},
		{code: "fare_transfer_rule_duration_limit_without_type", broken: fares("a,b,,60,,0\n"),
			near: fares("a,b,,60,0,0\n")},
		{code: "fare_transfer_rule_invalid_transfer_count", broken: fares("a,a,0,,,0\nb,b,-2,,,0\n"),
			near: fares("a,a,-1,,,0\nb,b,1,,,0\n")},
		{code: "fare_transfer_rule_with_forbidden_transfer_count", broken: fares("a,b,1,,,0\n"),
			near: fares("a,a,1,,,0\n")},
		{code: "fare_transfer_rule_without_transfer_count", broken: fares("a,a,,,,0\n"), near: fares("a,b,,,,0\n")},
		{code: "invalid_currency", broken: product("p,,2.50,EU\n"), near: product("p,,2.50,EUR\n")},
		{code: "invalid_currency_amount", broken: product("p,,2.5,USD\n"),
			near: product("p,,2.50,USD\nq,,250,JPY\nr,,1.250,KWD\n")},
		{code: "stop_access_specified_for_incorrect_location", broken: stops("S,Station,45.0,-122.0,1,,,",
			"S,Station,45.0,-122.0,1,,,0"),
			near: []change{whole("stops.txt", access)}},
		{code: "stop_access_specified_for_stop_with_no_parent_station",
			broken: stops("A,Alder,45.01,-122.0,,,,", "A,Alder,45.01,-122.0,,,,1"),
			near:   []change{whole("stops.txt", access)}},
		{code: "pathway_to_stop_with_access_outside_of_station_pathways", broken: stops("0,S,L,0", "0,S,L,1"),
			near: []change{whole("stops.txt", access)}},
		{code: "timeframe_only_start_or_end_time_specified", broken: frame("a,06:00:00,,WK\n"),
			near: frame("a,,,WK\n")},
		{code: "timeframe_start_or_end_time_greater_than_twenty_four_hours",
			broken: frame("a,06:00:00,24:00:01,WK\n"),
			near:   frame("a,06:00:00,24:00:00,WK\n")},
		{code: "timeframe_overlap", broken: frame("a,06:00:00,09:00:00,WK\na,08:59:00,10:00:00,WK\n"),
			near: frame("a,06:00:00,09:00:00,WK\na,09:00:00,10:00:00,WK\na,06:00:00,09:00:00,WE\nb,06:00:00" +
				",09:00:00,WK\n")},
		{code: "missing_recommended_field", broken: []change{whole("fare_media.txt",
			"fare_media_id,fare_media_name,fare_media_type\n1,,2\n")},
			near: []change{whole("fare_media.txt", "fare_media_id,fare_media_name,fare_media_type\n1,,1\n")}},
	}
}

// legs returns the files of fare rules with the groups a and b.
func legs() []change {
	return []change{whole("networks.txt", "network_id\nn\n"),
		whole("fare_products.txt", "fare_product_id,amount,currency\np,2.00,USD\n"),
		whole("fare_leg_rules.txt", "leg_group_id,network_id,fare_product_id\na,n,p\nb,,p\n")}
}

func (f files) changes(names ...string) (all []change) {
	for _, name := range names {
		all = append(all, whole(name, f[name]))
	}
	return all
}

func rulesOfBookings() []ruleCase {
	booking := func(row string) []change {
		return []change{whole("booking_rules.txt",
			"booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_duration_max,"+
				"prior_notice_start_day,prior_notice_start_time,prior_notice_last_day,prior_notice_last_time\n"+row+
				"\n")}
	}
	return []ruleCase{
		{code: "forbidden_prior_day_booking_field_value", broken: booking("1,2,30,,,,1,17:00:00"),
			near: booking("1,2,,,,,1,17:00:00")},
		{code: "forbidden_prior_notice_start_day", broken: booking("1,1,30,60,7,08:00:00,,"),
			near: booking("1,1,30,,7,08:00:00,,")},
		{code: "forbidden_prior_notice_start_time", broken: booking("1,1,30,,,08:00:00,,"),
			near: booking("1,1,30,,7,08:00:00,,")},
		{code: "forbidden_real_time_booking_field_value", broken: booking("1,0,0,,,,,"), near: booking("1,0,,,,,,")},
		{code: "forbidden_same_day_booking_field_value", broken: booking("1,1,30,,,,,17:00:00"),
			near: booking("1,1,30,,,,,")},
		{code: "invalid_prior_notice_duration_min", broken: booking("1,1,30,29,,,,"), near: booking("1,1,30,30,,,,")},
		{code: "missing_prior_notice_duration_min", broken: booking("1,1,,60,,,,"), near: booking("1,1,0,60,,,,")},
		{code: "missing_prior_notice_last_day", broken: booking("1,2,,,,,,17:00:00"),
			near: booking("1,2,,,,,1,17:00:00")},
		{code: "missing_prior_notice_last_time", broken: booking("1,2,,,,,1,"), near: booking("1,2,,,,,1,17:00:00")},
		{code: "missing_prior_notice_start_time", broken: booking("1,2,,,7,,1,17:00:00"),
			near: booking("1,2,,,7,08:00:00,1,17:00:00")},
		{code: "prior_notice_last_day_after_start_day", broken: booking("1,2,,,7,08:00:00,8,17:00:00"),
			near: booking("1,2,,,7,08:00:00,7,17:00:00")},
	}
}
