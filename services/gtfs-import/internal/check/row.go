package check

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
)

// agencies is what later rows are compared with.
type agencies struct {
	urls       map[string]bool // of the first ones
	zones      map[string]bool // whether a zone is known
	zone, lang []byte          // of the first
	read       int
}

// mostKept is how many addresses and zones are remembered.
const mostKept = 1000

// zone reports whether a time zone is known.
func (a *agencies) known(zone []byte) bool {
	ok, seen := a.zones[string(zone)]
	if !seen {
		_, err := time.LoadLocation(string(zone))
		ok = err == nil && string(zone) != "Local"
		if len(a.zones) < mostKept {
			a.zones[string(zone)] = ok
		}
	}
	return ok
}

func (t *table) agency() Row {
	a, url, zone, lang := &t.c.agencies, t.def.Column("agency_url"), t.def.Column("agency_timezone"), t.def.Column("agency_lang")
	return func(line int, cells [][]byte) {
		if a.read++; a.read == 1 {
			a.zone, a.lang = bytes.Clone(cells[zone]), bytes.Clone(cells[lang])
		}
		if len(a.urls) < mostKept && len(cells[url]) > 0 {
			a.urls[string(cells[url])] = true
		}
		switch {
		case len(cells[zone]) > 0 && a.read > 1 && !a.known(cells[zone]): // the import itself judges the first
			t.report(gtfs.BadTimeZone, line, zone, cells[zone])
		case len(cells[zone]) > 0 && !bytes.Equal(cells[zone], a.zone):
			t.report(gtfs.ZonesDiffer, line, zone, cells[zone])
		}
		if len(cells[lang]) > 0 && len(a.lang) > 0 && !bytes.EqualFold(cells[lang], a.lang) {
			t.report(gtfs.LanguagesDiffer, line, lang, cells[lang])
		}
	}
}

// routes are numbered as the import numbers them.
type routes struct {
	line  []int32
	speed []uint16 // that is too fast for such a vehicle, in km/h
	names map[uint64]bool
}

// Of names.
const (
	longShortName = 12  // characters
	contrast      = 72  // least difference of brightness, of 255
	mostNames     = 1e6 // that are compared
)

func (t *table) route() Row {
	r, def := &t.c.routes, t.def
	agency, short, long, desc := def.Column("agency_id"), def.Column("route_short_name"), def.Column("route_long_name"), def.Column("route_desc")
	kind, url, color, text := def.Column("route_type"), def.Column("route_url"), def.Column("route_color"), def.Column("route_text_color")
	return func(line int, cells [][]byte) {
		r.line = append(r.line, int32(line))
		r.speed = append(r.speed, tooFast(cells[kind]))
		s, l, d := cells[short], cells[long], cells[desc]
		if len(s) == 0 && len(l) == 0 {
			t.report(gtfs.RouteNameless, line, -1, nil)
		}
		if utf8.RuneCount(s) > longShortName {
			t.report(gtfs.RouteShortNameLong, line, short, s)
		}
		if len(s) > 0 && repeats(l, s) {
			t.report(gtfs.RouteNameRepeats, line, long, l)
		}
		if len(d) > 0 && (bytes.EqualFold(d, s) || bytes.EqualFold(d, l)) {
			t.report(gtfs.RouteDescRepeats, line, desc, d)
		}
		if len(cells[url]) > 0 && t.c.agencies.urls[string(cells[url])] {
			t.report(gtfs.RouteURLOfAgency, line, url, cells[url])
		}
		if len(cells[color]) > 0 && len(cells[text]) > 0 {
			if difference := brightness(cells[color]) - brightness(cells[text]); difference > -contrast && difference < contrast {
				t.report(gtfs.RouteContrast, line, text, cells[text])
			}
		}
		h := fnv.New64a()
		for _, i := range [...]int{agency, short, long, kind} {
			_, _ = h.Write(cells[i])
			_, _ = h.Write([]byte{0})
		}
		if len(s)+len(l) > 0 && r.names[h.Sum64()] {
			t.report(gtfs.RouteNameTwice, line, -1, bytes.TrimSpace([]byte(string(s)+" "+string(l))))
		}
		if len(r.names) < mostNames {
			r.names[h.Sum64()] = true
		}
	}
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

// tooFast is the speed in km/h that no vehicle of a route_type reaches, nor of an extended one.
func tooFast(kind []byte) uint16 {
	n, err := strconv.Atoi(string(kind))
	if err != nil {
		return 200
	}
	switch {
	case n == 0, n >= 900 && n < 1000: // trams
		return 100
	case n == 2, n >= 100 && n < 200: // trains
		return 500
	case n == 1, n == 3, n == 11, n == 12, n >= 200 && n < 300, n >= 400 && n < 500, n >= 700 && n < 900:
		return 150
	case n == 4, n == 1000, n == 1200: // ferries
		return 80
	case n == 5: // cable cars in streets
		return 30
	case n == 6, n == 7, n >= 1300 && n < 1500: // those on ropes
		return 50
	}
	return 200
}

func (t *table) frequency() Row {
	trip, start, end := t.def.Column("trip_id"), t.def.Column("start_time"), t.def.Column("end_time")
	var last []byte
	until := 0
	return func(line int, cells [][]byte) {
		from, ok1 := gtfs.ParseTime(cells[start])
		to, ok2 := gtfs.ParseTime(cells[end])
		switch {
		case !ok1 || !ok2:
			return
		case to < from:
			t.report(gtfs.RangeReversed, line, end, cells[end])
		case to == from:
			t.report(gtfs.RangeEmpty, line, end, cells[end])
		case bytes.Equal(cells[trip], last) && from < until && to > from: // rows of a trip nearly always stand in order
			t.report(gtfs.FrequencyOverlap, line, start, cells[trip])
		}
		last, until = append(last[:0], cells[trip]...), to
	}
}
