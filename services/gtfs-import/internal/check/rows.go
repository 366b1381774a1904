package check

import (
	"bytes"
	"hash/fnv"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
)

// file is how the rows of one file are judged.
type file struct {
	// required columns are filled in by each row, besides those without which a row is left out.
	required []string
	judge    func(*row)
}

var files = map[string]file{
	"agency.txt":      {[]string{"agency_name", "agency_url", "agency_timezone"}, (*row).agency},
	"stops.txt":       {nil, (*row).stop},
	"routes.txt":      {[]string{"route_type"}, (*row).route},
	"calendar.txt":    {[]string{"start_date", "end_date"}, (*row).calendar},
	"feed_info.txt":   {[]string{"feed_publisher_name", "feed_publisher_url", "feed_lang"}, (*row).feedInfo},
	"frequencies.txt": {nil, (*row).frequency},
}

// row is the row of a file that is judged.
type row struct {
	c     *Checks
	table gtfs.Table
	n     int // from 1
	line  int
	cells [][]byte
}

func (r *row) cell(column string) []byte { return r.cells[r.table.Column(column)] }

// when reports a finding if it is so, with the cell of the column; "" is the row as a whole.
func (r *row) when(broken bool, code gtfs.Code, column string) {
	switch {
	case broken && column == "":
		r.report(code, "", nil)
	case broken:
		r.report(code, column, r.cell(column))
	}
}

func (r *row) report(code gtfs.Code, column string, value []byte) {
	r.c.note(gtfs.Finding{Code: code, File: r.table.File, Line: r.line, Field: column, Value: value})
}

// mostKept is how many addresses and zones are remembered.
const mostKept = 1000

func (r *row) agency() {
	a, zone, lang, url := &r.c.agencies, r.cell("agency_timezone"), r.cell("agency_lang"), r.cell("agency_url")
	if r.n == 1 {
		a.zone, a.lang = bytes.Clone(zone), bytes.Clone(lang)
	}
	if len(a.urls) < mostKept && len(url) > 0 {
		a.urls[string(url)] = true
	}
	known := r.n == 1 || r.c.knownZone(zone) // the import itself judges the first
	r.when(!known, gtfs.BadTimeZone, "agency_timezone")
	r.when(known && len(zone) > 0 && !bytes.Equal(zone, a.zone), gtfs.ZonesDiffer, "agency_timezone")
	r.when(len(lang) > 0 && len(a.lang) > 0 && !bytes.EqualFold(lang, a.lang), gtfs.LanguagesDiffer, "agency_lang")
}

func (r *row) stop() {
	s, name, desc := &r.c.stops, r.cell("stop_name"), r.cell("stop_desc")
	kind, ok := gtfs.ParseUint(r.cell("location_type"))
	if !ok || kind > boardingArea {
		kind = platform
	}
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
	r.when(placed && math.Abs(lat) <= 1 && math.Abs(lon) <= 1, gtfs.PointNearOrigin, "stop_lat")
	r.when(placed && math.Abs(lat) >= 89, gtfs.PointNearPole, "stop_lat")
	r.when(kind <= entrance && len(name) == 0, gtfs.StopNameless, "stop_name")
	if kind <= entrance && !placed {
		r.report(gtfs.StopNowhere, "stop_lat", nil)
	}
	r.when(len(desc) > 0 && bytes.EqualFold(desc, name), gtfs.StopDescRepeats, "stop_desc")
	r.when(r.c.agencies.urls[string(r.cell("stop_url"))], gtfs.StopURLOfAgency, "stop_url")
	r.when(!r.c.knownZone(r.cell("stop_timezone")), gtfs.BadTimeZone, "stop_timezone")
}

// Of names and colours.
const (
	longShortName = 12  // characters
	contrast      = 72  // least difference of brightness, of 255
	mostNames     = 1e6 // that are compared
)

func (r *row) route() {
	routes, short, long, desc := &r.c.routes, r.cell("route_short_name"), r.cell("route_long_name"), r.cell("route_desc")
	color, text := r.cell("route_color"), r.cell("route_text_color")
	routes.line, routes.speed = append(routes.line, int32(r.line)), append(routes.speed, tooFast(r.cell("route_type")))
	r.when(len(short)+len(long) == 0, gtfs.RouteNameless, "")
	r.when(utf8.RuneCount(short) > longShortName, gtfs.RouteShortNameLong, "route_short_name")
	r.when(len(short) > 0 && repeats(long, short), gtfs.RouteNameRepeats, "route_long_name")
	repeated := bytes.EqualFold(desc, short) || bytes.EqualFold(desc, long)
	r.when(len(desc) > 0 && repeated, gtfs.RouteDescRepeats, "route_desc")
	r.when(r.c.agencies.urls[string(r.cell("route_url"))], gtfs.RouteURLOfAgency, "route_url")
	difference := brightness(color) - brightness(text)
	alike := difference > -contrast && difference < contrast
	r.when(len(color) > 0 && len(text) > 0 && alike, gtfs.RouteContrast, "route_text_color")
	h := fnv.New64a()
	for _, column := range []string{"agency_id", "route_short_name", "route_long_name", "route_type"} {
		_, _ = h.Write(r.cell(column))
		_, _ = h.Write([]byte{0})
	}
	if len(short)+len(long) > 0 && routes.names[h.Sum64()] {
		r.report(gtfs.RouteNameTwice, "", bytes.TrimSpace([]byte(string(short)+" "+string(long))))
	}
	if len(routes.names) < mostNames {
		routes.names[h.Sum64()] = true
	}
}

func (r *row) calendar() {
	r.c.services.line = append(r.c.services.line, int32(r.line))
	r.inOrder("start_date", "end_date")
}

// inOrder judges two days, which are written so that they compare as texts.
func (r *row) inOrder(start, end string) {
	from, to := r.cell(start), r.cell(end)
	r.when(len(from) > 0 && len(to) > 0 && bytes.Compare(from, to) > 0, gtfs.RangeReversed, end)
}

func (r *row) feedInfo() {
	if r.n > 1 {
		r.report(gtfs.MoreThanOneRow, "", nil)
		return
	}
	r.inOrder("feed_start_date", "feed_end_date")
	from, hasStart := gtfs.ParseDate(r.cell("feed_start_date"))
	to, hasEnd := gtfs.ParseDate(r.cell("feed_end_date"))
	left := dayOf(to) - r.c.today
	r.when(hasStart && !hasEnd, gtfs.FeedDateMissing, "feed_end_date")
	r.when(hasEnd && !hasStart, gtfs.FeedDateMissing, "feed_start_date")
	r.when(hasEnd && left < week, gtfs.FeedEnds7, "feed_end_date")
	r.when(hasEnd && left >= week && left < month, gtfs.FeedEnds30, "feed_end_date")
	r.when(hasStart && dayOf(from) > r.c.today, gtfs.FeedFuture, "feed_start_date")
	contact := len(r.cell("feed_contact_email")) + len(r.cell("feed_contact_url"))
	r.when(contact == 0, gtfs.FeedContactMissing, "")
	r.when(len(r.cell("feed_version")) == 0, gtfs.FieldWanted, "feed_version")
	own, lang := r.c.agencies.lang, r.cell("feed_lang")
	differs := !bytes.EqualFold(lang, []byte("mul")) && !sameLanguage(own, lang)
	r.when(len(own) > 0 && len(lang) > 0 && differs, gtfs.FeedLanguageDiffers, "feed_lang")
}

func (r *row) frequency() {
	before, trip := &r.c.frequency, r.cell("trip_id")
	from, _ := gtfs.ParseTime(r.cell("start_time"))
	to, _ := gtfs.ParseTime(r.cell("end_time"))
	r.when(to < from, gtfs.RangeReversed, "end_time")
	r.when(to == from, gtfs.RangeEmpty, "end_time")
	// Rows of a trip nearly always stand in order.
	if to > from && from < before.until && bytes.Equal(trip, before.trip) {
		r.report(gtfs.FrequencyOverlap, "start_time", trip)
	}
	before.trip, before.until = append(before.trip[:0], trip...), to
}

// knownZone reports whether a cell is empty or a time zone.
func (c *Checks) knownZone(zone []byte) bool {
	zones := c.agencies.zones
	known, seen := zones[string(zone)]
	if !seen {
		_, err := time.LoadLocation(string(zone))
		known = err == nil && string(zone) != "Local"
		if len(zones) < mostKept {
			zones[string(zone)] = known
		}
	}
	return known
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

// speeds are those in km/h that no vehicle of a route_type reaches, nor of an extended one.
var speeds = []struct{ from, to, limit uint16 }{
	{0, 0, 100}, {900, 999, 100}, // trams
	{2, 2, 500}, {100, 199, 500}, // trains
	{1, 1, 150}, {3, 3, 150}, {11, 12, 150}, {200, 299, 150}, {400, 499, 150}, {700, 899, 150},
	{4, 4, 80}, {1000, 1000, 80}, {1200, 1200, 80}, // ferries
	{5, 5, 30},                   // cable cars in streets
	{6, 7, 50}, {1300, 1499, 50}, // those on ropes
}

func tooFast(kind []byte) uint16 {
	n, ok := gtfs.ParseUint(kind)
	for _, s := range speeds {
		if ok && int(s.from) <= n && n <= int(s.to) {
			return s.limit
		}
	}
	return 200
}
