package check

import (
	"bytes"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
)

type file struct {
	required string // columns, besides those without which a row is left out
	check    func(*row)
}

var files = map[string]file{
	"agency.txt":               {"agency_name agency_url agency_timezone", (*row).agency},
	"stops.txt":                {"", (*row).location},
	"routes.txt":               {"route_type", (*row).route},
	"calendar.txt":             {"start_date end_date", (*row).calendar},
	"feed_info.txt":            {"feed_publisher_name feed_publisher_url feed_lang", (*row).feedInfo},
	"frequencies.txt":          {"", (*row).frequency},
	"translations.txt":         {"", (*row).translation},
	"areas.txt":                {"area_id", nil},
	"attributions.txt":         {"organization_name", nil},
	"booking_rules.txt":        {"booking_rule_id booking_type", nil},
	"fare_attributes.txt":      {"fare_id price currency_type payment_method", nil},
	"fare_leg_join_rules.txt":  {"from_network_id to_network_id", nil},
	"fare_leg_rules.txt":       {"fare_product_id", nil},
	"fare_media.txt":           {"fare_media_id fare_media_type", nil},
	"fare_products.txt":        {"fare_product_id amount currency", nil},
	"fare_rules.txt":           {"fare_id", nil},
	"fare_transfer_rules.txt":  {"fare_transfer_type", nil},
	"levels.txt":               {"level_id level_index", nil},
	"location_groups.txt":      {"location_group_id", nil},
	"location_group_stops.txt": {"location_group_id stop_id", nil},
	"networks.txt":             {"network_id", nil},
	"pathways.txt":             {"pathway_id from_stop_id to_stop_id pathway_mode is_bidirectional", nil},
	"rider_categories.txt":     {"rider_category_id rider_category_name", nil},
	"route_networks.txt":       {"route_id network_id", nil},
	"stop_areas.txt":           {"area_id stop_id", nil},
	"timeframes.txt":           {"service_id", (*row).timeframe},
}

type row struct {
	c     *Checker
	table gtfs.Table
	n     int // from 1
	line  int
	cells [][]byte
	raw   func(column string) []byte
}

func (r *row) cell(column string) []byte { return r.cells[r.table.Column(column)] }

// reportIf reports the cell of a column; "" is the row as a whole.
func (r *row) reportIf(broken bool, code gtfs.Code, column string) {
	switch {
	case broken && column == "":
		r.report(code, "", nil)
	case broken:
		r.report(code, column, r.cell(column))
	}
}

func (r *row) report(code gtfs.Code, column string, value []byte) {
	r.reportAs(code, "", column, value)
}

// reportAs is report with an effect other than that of the rule.
func (r *row) reportAs(code gtfs.Code, effect gtfs.Effect, column string, value []byte) {
	f := gtfs.Finding{Code: code, Effect: effect, File: r.table.File, Line: r.line, Field: column, Value: value}
	if r.cells != nil && len(r.table.Key) > 0 { // else it is about the header
		f.RowID = r.cell(r.table.Key[0])
	}
	r.c.note(f)
}

const maxRemembered = 1000

func (r *row) agency() {
	a, zone, lang, url := &r.c.agencies, r.cell("agency_timezone"), r.cell("agency_lang"), r.cell("agency_url")
	if r.n == 1 {
		a.zone, a.lang = bytes.Clone(zone), bytes.Clone(lang)
	}
	a.count = r.n
	if len(r.raw("agency_id")) == 0 {
		a.nameless = r.line
	}
	if len(a.urls) < maxRemembered && len(url) > 0 {
		a.urls[string(url)] = true
	}
	known := r.n == 1 || r.c.isTimeZone(zone) // internal/load checks the first
	r.reportIf(!known, gtfs.BadTimeZone, "agency_timezone")
	r.reportIf(known && len(zone) > 0 && !bytes.Equal(zone, a.zone), gtfs.ZonesDiffer, "agency_timezone")
	r.reportIf(len(lang) > 0 && len(a.lang) > 0 && !bytes.EqualFold(lang, a.lang), gtfs.LanguagesDiffer, "agency_lang")
}

func (r *row) location() {
	s, name, desc := &r.c.stops, r.cell("stop_name"), r.cell("stop_desc")
	kind := r.kind()
	at := [2]int32{nowhere, nowhere}
	lat, ok1 := gtfs.ParseFloat(r.cell("stop_lat"))
	lon, ok2 := gtfs.ParseFloat(r.cell("stop_lon"))
	placed := ok1 && ok2
	if placed {
		at = [2]int32{int32(math.Round(lat * 1e6)), int32(math.Round(lon * 1e6))}
	}
	s.line, s.kind, s.at = append(s.line, int32(r.line)), append(s.kind, uint8(kind)), append(s.at, at)
	s.platform = append(s.platform, len(r.cell("platform_code")) > 0)
	s.stations = s.stations || kind == station
	if string(r.raw("stop_access")) == "1" {
		s.street.Add(r.n - 1)
	}
	if r.has("level_id") {
		s.leveled.Add(r.n - 1)
	}
	r.reportIf(placed && math.Abs(lat) <= 1 && math.Abs(lon) <= 1, gtfs.PointNearOrigin, "stop_lat")
	r.reportIf(placed && math.Abs(lat) >= 89, gtfs.PointNearPole, "stop_lat")
	r.reportIf(kind <= entrance && len(name) == 0, gtfs.StopNameless, "stop_name")
	if kind <= entrance && (len(r.raw("stop_lat")) == 0 || len(r.raw("stop_lon")) == 0) {
		r.report(gtfs.StopNowhere, "stop_lat", nil)
	}
	r.reportIf(len(desc) > 0 && bytes.EqualFold(desc, name), gtfs.StopDescRepeats, "stop_desc")
	r.reportIf(r.c.agencies.urls[string(r.cell("stop_url"))], gtfs.StopURLOfAgency, "stop_url")
	r.reportIf(!r.c.isTimeZone(r.cell("stop_timezone")), gtfs.BadTimeZone, "stop_timezone")
}

const (
	maxShortName = 12  // characters
	minContrast  = 72  // difference of brightness, which is at most 255
	maxNames     = 1e6 // of routes that are compared
)

func (r *row) route() {
	routes, short, long, desc := &r.c.routes, r.cell("route_short_name"), r.cell("route_long_name"), r.cell("route_desc")
	color, text := r.cell("route_color"), r.cell("route_text_color")
	routes.line, routes.speed = append(routes.line, int32(r.line)), append(routes.speed, maxSpeed(r.cell("route_type")))
	kind, _ := gtfs.ParseUint(r.cell("route_type"))
	routes.kind = append(routes.kind, int16(min(kind, math.MaxInt16)))
	for _, column := range []string{"continuous_pickup", "continuous_drop_off"} {
		if cell := r.cell(column); len(cell) == 1 && strings.IndexByte("023", cell[0]) >= 0 {
			routes.continuous.Add(r.n - 1)
		}
	}
	r.reportIf(len(short)+len(long) == 0, gtfs.RouteNameless, "")
	r.reportIf(utf8.RuneCount(short) > maxShortName, gtfs.RouteShortNameLong, "route_short_name")
	r.reportIf(len(short) > 0 && repeats(long, short), gtfs.RouteNameRepeats, "route_long_name")
	repeated := bytes.EqualFold(desc, short) || bytes.EqualFold(desc, long)
	r.reportIf(len(desc) > 0 && repeated, gtfs.RouteDescRepeats, "route_desc")
	r.reportIf(r.c.agencies.urls[string(r.cell("route_url"))], gtfs.RouteURLOfAgency, "route_url")
	difference := brightness(color) - brightness(text)
	alike := difference > -minContrast && difference < minContrast
	r.reportIf(len(color) > 0 && len(text) > 0 && alike, gtfs.RouteContrast, "route_text_color")
	h := fnv.New64a()
	for _, column := range []string{"agency_id", "route_short_name", "route_long_name", "route_type"} {
		_, _ = h.Write(r.cell(column))
		_, _ = h.Write([]byte{0})
	}
	if len(short)+len(long) > 0 && routes.names[h.Sum64()] {
		r.report(gtfs.RouteNameTwice, "", bytes.TrimSpace([]byte(string(short)+" "+string(long))))
	}
	if len(routes.names) < maxNames {
		routes.names[h.Sum64()] = true
	}
}

func (r *row) calendar() {
	r.c.services.line = append(r.c.services.line, int32(r.line))
	r.inOrder("start_date", "end_date")
}

// inOrder checks two dates, which compare as texts.
func (r *row) inOrder(start, end string) {
	from, to := r.cell(start), r.cell(end)
	r.reportIf(len(from) > 0 && len(to) > 0 && bytes.Compare(from, to) > 0, gtfs.RangeReversed, end)
}

func (r *row) feedInfo() {
	if r.n > 1 {
		r.report(gtfs.MoreThanOneRow, "", nil)
		return
	}
	r.inOrder("feed_start_date", "feed_end_date")
	from, hasStart := gtfs.ParseDate(r.cell("feed_start_date"))
	to, hasEnd := gtfs.ParseDate(r.cell("feed_end_date"))
	left := Day(to) - r.c.today
	r.reportIf(hasStart && !r.has("feed_end_date"), gtfs.FeedDateMissing, "feed_end_date")
	r.reportIf(hasEnd && !r.has("feed_start_date"), gtfs.FeedDateMissing, "feed_start_date")
	if !r.has("feed_start_date", "feed_end_date") {
		r.report(gtfs.FieldWanted, "feed_start_date", nil)
		r.report(gtfs.FieldWanted, "feed_end_date", nil)
	}
	r.reportIf(hasEnd && left < week, gtfs.FeedEnds7, "feed_end_date")
	r.reportIf(hasEnd && left >= week && left < month, gtfs.FeedEnds30, "feed_end_date")
	r.reportIf(hasStart && Day(from) > r.c.today, gtfs.FeedFuture, "feed_start_date")
	contact := len(r.cell("feed_contact_email")) + len(r.cell("feed_contact_url"))
	r.reportIf(contact == 0, gtfs.FeedContactMissing, "")
	r.reportIf(len(r.cell("feed_version")) == 0, gtfs.FieldWanted, "feed_version")
	own, lang := r.c.agencies.lang, r.cell("feed_lang")
	differs := !bytes.EqualFold(lang, []byte("mul")) && !sameLanguage(own, lang)
	r.reportIf(len(own) > 0 && len(lang) > 0 && differs, gtfs.FeedLanguageDiffers, "feed_lang")
}

func (r *row) timeframe() {
	from, to := r.seconds("start_time"), r.seconds("end_time")
	r.reportIf(from != None && to != None && to < from, gtfs.RangeReversed, "end_time")
	r.reportIf(from != None && to == from, gtfs.RangeEmpty, "end_time")
}

func (r *row) frequency() {
	before, trip := &r.c.frequency, r.cell("trip_id")
	from, _ := gtfs.ParseTime(r.cell("start_time"))
	to, _ := gtfs.ParseTime(r.cell("end_time"))
	r.reportIf(to < from, gtfs.RangeReversed, "end_time")
	r.reportIf(to == from, gtfs.RangeEmpty, "end_time")
	// The rows of a trip are nearly always in order, so one row is compared with the previous one.
	if to > from && from < before.until && bytes.Equal(trip, before.trip) {
		r.report(gtfs.FrequencyOverlap, "start_time", trip)
	}
	before.trip, before.until = append(before.trip[:0], trip...), to
}

func (c *Checker) isTimeZone(cell []byte) bool {
	zones := c.agencies.zones
	known, seen := zones[string(cell)]
	if !seen {
		known = IsTimeZone(string(cell))
		if len(zones) < maxRemembered {
			zones[string(cell)] = known
		}
	}
	return known
}

// IsTimeZone reports whether a text is empty or a time zone.
func IsTimeZone(zone string) bool {
	_, err := time.LoadLocation(zone)
	return err == nil && zone != "Local"
}

// sameLanguage compares language codes without their regions.
func sameLanguage(a, b []byte) bool {
	a, _, _ = bytes.Cut(a, []byte{'-'})
	b, _, _ = bytes.Cut(b, []byte{'-'})
	return bytes.EqualFold(a, b)
}

// repeats reports whether a long name begins with the short one, as a word.
func repeats(long, short []byte) bool {
	if len(long) < len(short) || !bytes.EqualFold(long[:len(short)], short) {
		return false
	}
	return len(long) == len(short) || bytes.IndexByte([]byte(" -("), long[len(short)]) >= 0
}

// brightness of a colour, 0 to 255.
func brightness(color []byte) int {
	n, _ := strconv.ParseUint(string(color), 16, 32)
	return int(30*(n>>16)+59*(n>>8&255)+11*(n&255)) / 100
}

// speeds are limits in km/h that no vehicle of a route_type reaches. The ranges include the extended
// route types.
var speeds = []struct{ from, to, limit uint16 }{
	{0, 0, 100}, {900, 999, 100}, // trams
	{2, 2, 500}, {100, 199, 500}, // trains
	{1, 1, 150}, {3, 3, 150}, {11, 12, 150}, {200, 299, 150}, {400, 499, 150}, {700, 899, 150},
	{4, 4, 80}, {1000, 1000, 80}, {1200, 1200, 80}, // ferries
	{5, 5, 30},                   // cable trams
	{6, 7, 50}, {1300, 1499, 50}, // aerial lifts and funiculars
}

func maxSpeed(routeType []byte) uint16 {
	n, ok := gtfs.ParseUint(routeType)
	for _, s := range speeds {
		if ok && int(s.from) <= n && n <= int(s.to) {
			return s.limit
		}
	}
	return 200
}
