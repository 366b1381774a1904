package check

import (
	"bytes"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/compact"
)

// checks are the functions that check the rows of files.
var checks = map[string]func(*row){
	"agency.txt":       (*row).agency,
	"stops.txt":        (*row).location,
	"routes.txt":       (*row).route,
	"calendar.txt":     (*row).calendar,
	"feed_info.txt":    (*row).feedInfo,
	"frequencies.txt":  (*row).frequency,
	"translations.txt": (*row).translation,
	"timeframes.txt":   (*row).timeframe,
}

type row struct {
	c     *Checker
	table gtfs.Table
	n     int // row number, from 1
	line  int
	cells [][]byte
	raw   func(column string) []byte
	short bool            // the row has fewer cells than the header
	seen  map[uint64]bool // hashes of rows, for again
}

func (r *row) cell(column string) []byte { return r.cells[r.table.Column(column)] }

// reportIf reports a cell, or the whole row if column is "".
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

// reportAs is report with an effect that differs from the rule's. It skips short rows, which have a
// finding of their own.
func (r *row) reportAs(code gtfs.Code, effect gtfs.Effect, column string, value []byte) {
	if r.short {
		return
	}
	f := gtfs.Finding{Code: code, Effect: effect, File: r.table.File, Line: r.line, Field: column, Value: value}
	if len(r.table.Key) > 0 {
		f.RowID = r.cell(r.table.Key[0])
	}
	r.c.note(f)
}

// has reports whether any of the columns has a value, valid or not.
func (r *row) has(columns ...string) bool {
	return slices.ContainsFunc(columns, func(column string) bool { return len(r.raw(column)) > 0 })
}

func (r *row) is(column, value string) bool { return string(r.raw(column)) == value }

func (r *row) number(column string) (n int, ok bool) {
	f, ok := gtfs.ParseFloat(r.cell(column))
	return int(f), ok && f == float64(int(f))
}

// seconds returns a time; None if it is missing or invalid.
func (r *row) seconds(column string) int {
	if s, ok := gtfs.ParseTime(r.cell(column)); ok {
		return s
	}
	return None
}

// stop returns the number of the stop that a column names; -1 if there is none.
func (r *row) stop(column string) int32 { return r.c.find("stops.txt", r.cell(column)) }

func (r *row) kind() int {
	kind, ok := gtfs.ParseUint(r.cell("location_type"))
	if !ok || kind > boardingArea {
		kind = platform
	}
	return kind
}

// maxHashes bounds the number of rows per file that again compares.
const maxHashes = 1e6

// again reports whether an earlier row has the same cells in the columns.
func (r *row) again(columns ...string) bool {
	h := fnv.New64a()
	for _, column := range columns {
		_, _ = h.Write([]byte(column))
		_, _ = h.Write(r.cell(column))
		_, _ = h.Write([]byte{0})
	}
	again := r.seen[h.Sum64()]
	if len(r.seen) < maxHashes {
		r.seen[h.Sum64()] = true
	}
	return again
}

const maxRemembered = 1000

func (r *row) agency() {
	a, zone, lang, url := &r.c.agencies, r.cell("agency_timezone"), r.cell("agency_lang"), r.cell("agency_url")
	if r.n == 1 {
		a.zone = bytes.Clone(zone)
	}
	if len(a.lang) == 0 {
		a.lang = bytes.Clone(lang)
	}
	a.count = r.n
	if len(r.raw("agency_id")) == 0 {
		a.nameless = r.line
	}
	if len(a.urls) < maxRemembered && len(url) > 0 {
		a.urls[string(url)] = true
	}
	known := r.n == 1 || r.c.isTimeZone(zone) // internal/load checks the first
	r.reportIf(!known, "invalid_timezone", "agency_timezone")
	r.reportIf(known && len(zone) > 0 && !bytes.Equal(zone, a.zone), "inconsistent_agency_timezone", "agency_timezone")
	r.reportIf(len(lang) > 0 && len(a.lang) > 0 && !bytes.EqualFold(lang, a.lang),
		"inconsistent_agency_lang", "agency_lang")
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
	for _, mark := range []struct {
		set *compact.Set
		is  bool
	}{{&s.leveled, r.has("level_id")}, {&s.parented, r.has("parent_station")}, {&s.street, r.is("stop_access", "1")}} {
		if mark.is {
			mark.set.Add(r.n - 1)
		}
	}
	r.reportIf(placed && isNearOrigin(at), "point_near_origin", "stop_lat")
	r.reportIf(placed && isNearPole(at), "point_near_pole", "stop_lat")
	r.reportIf(kind <= entrance && len(name) == 0, "missing_stop_name", "stop_name")
	if kind <= entrance && (len(r.raw("stop_lat")) == 0 || len(r.raw("stop_lon")) == 0) {
		r.report("stop_without_location", "stop_lat", nil)
	}
	r.reportIf(len(desc) > 0 && bytes.EqualFold(desc, name), "same_name_and_description_for_stop", "stop_desc")
	r.reportIf(r.c.agencies.urls[string(r.cell("stop_url"))], "same_stop_and_agency_url", "stop_url")
	r.reportIf(!r.c.isTimeZone(r.cell("stop_timezone")), "invalid_timezone", "stop_timezone")
}

const (
	maxShortName = 12 // number of characters
	minContrast  = 72 // difference of brightness, from 0 to 255
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
	r.reportIf(len(short)+len(long) == 0, "route_both_short_and_long_name_missing", "")
	r.reportIf(utf8.RuneCount(short) > maxShortName, "route_short_name_too_long", "route_short_name")
	r.reportIf(len(short) > 0 && repeats(long, short), "route_long_name_contains_short_name", "route_long_name")
	repeated := bytes.EqualFold(desc, short) || bytes.EqualFold(desc, long)
	r.reportIf(len(desc) > 0 && repeated, "same_name_and_description_for_route", "route_desc")
	r.reportIf(r.c.agencies.urls[string(r.cell("route_url"))], "same_route_and_agency_url", "route_url")
	difference := brightness(color) - brightness(text)
	alike := difference > -minContrast && difference < minContrast
	r.reportIf(len(color) > 0 && len(text) > 0 && alike, "route_color_contrast", "route_text_color")
	if len(short)+len(long) > 0 && r.again("agency_id", "route_short_name", "route_long_name", "route_type") {
		r.report("duplicate_route_name", "", bytes.TrimSpace([]byte(string(short)+" "+string(long))))
	}
}

func (r *row) calendar() {
	r.c.services.line = append(r.c.services.line, int32(r.line))
	r.inOrder("start_date", "end_date")
}

// inOrder reports a start date after the end date. Dates compare as strings.
func (r *row) inOrder(start, end string) {
	from, to := r.cell(start), r.cell(end)
	r.reportIf(len(from) > 0 && len(to) > 0 && bytes.Compare(from, to) > 0, "start_and_end_range_out_of_order", end)
}

func (r *row) feedInfo() {
	if r.n > 1 {
		r.report("more_than_one_entity", "", nil)
		return
	}
	r.inOrder("feed_start_date", "feed_end_date")
	from, hasStart := gtfs.ParseDate(r.cell("feed_start_date"))
	to, hasEnd := gtfs.ParseDate(r.cell("feed_end_date"))
	left := Day(to) - r.c.today
	r.reportIf(hasStart && !r.has("feed_end_date"), "missing_feed_info_date", "feed_end_date")
	r.reportIf(hasEnd && !r.has("feed_start_date"), "missing_feed_info_date", "feed_start_date")
	if !r.has("feed_start_date", "feed_end_date") {
		r.report("missing_recommended_field", "feed_start_date", nil)
		r.report("missing_recommended_field", "feed_end_date", nil)
	}
	r.reportIf(hasEnd && left < week, "feed_expiration_date7_days", "feed_end_date")
	r.reportIf(hasEnd && left >= week && left < month, "feed_expiration_date30_days", "feed_end_date")
	r.reportIf(hasStart && Day(from) > r.c.today, "future_feed", "feed_start_date")
	contact := len(r.cell("feed_contact_email")) + len(r.cell("feed_contact_url"))
	r.reportIf(contact == 0, "missing_feed_contact_email_and_url", "")
	r.reportIf(len(r.cell("feed_version")) == 0, "missing_recommended_field", "feed_version")
	own, lang := r.c.agencies.lang, r.cell("feed_lang")
	differs := !bytes.EqualFold(lang, []byte("mul")) && !sameLanguage(own, lang)
	r.reportIf(len(own) > 0 && len(lang) > 0 && differs, "feed_info_lang_and_agency_lang_mismatch", "feed_lang")
}

func (r *row) timeframe() {
	from, to := r.seconds("start_time"), r.seconds("end_time")
	r.timeRange(from, to)
	if !r.has("start_time") {
		from = 0
	}
	if !r.has("end_time") {
		to = 24 * 60 * 60
	}
	r.keepInterval(from, to, "timeframe_group_id", "service_id")
}

func (r *row) frequency() {
	from, to := r.seconds("start_time"), r.seconds("end_time")
	r.timeRange(from, to)
	r.keepInterval(from, to, "trip_id")
}

func (r *row) timeRange(from, to int) {
	r.reportIf(from != None && to != None && to < from, "start_and_end_range_out_of_order", "end_time")
	r.reportIf(from != None && to == from, "start_and_end_range_equal", "end_time")
}

type interval struct {
	group          string // cells, each ended by a zero byte: intervals of the same group must not overlap
	from, to, line int
}

func (r *row) keepInterval(from, to int, group ...string) {
	file := r.table.File
	switch {
	case from == None || to == None:
		return
	case len(r.c.intervals[file]) >= maxKept:
		r.c.Partly(file)
		return
	}
	i := interval{from: from, to: to, line: r.line}
	for _, column := range group {
		i.group += string(r.cell(column)) + "\x00"
	}
	r.c.intervals[file] = append(r.c.intervals[file], i)
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

// sameLanguage reports whether two language codes differ only in their regions.
func sameLanguage(a, b []byte) bool {
	a, _, _ = bytes.Cut(a, []byte{'-'})
	b, _, _ = bytes.Cut(b, []byte{'-'})
	return bytes.EqualFold(a, b)
}

// repeats reports whether the long name begins with the words of the short name.
func repeats(long, short []byte) bool {
	if len(long) < len(short) || !bytes.EqualFold(long[:len(short)], short) {
		return false
	}
	return len(long) == len(short) || bytes.IndexByte([]byte(" -("), long[len(short)]) >= 0
}

// brightness returns the brightness of a colour, from 0 to 255.
func brightness(color []byte) int {
	n, _ := strconv.ParseUint(string(color), 16, 32)
	return int(30*(n>>16)+59*(n>>8&255)+11*(n&255)) / 100
}

// speeds are limits in km/h that no vehicle of a route_type reaches. The ranges include extended
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
