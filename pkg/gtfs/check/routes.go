package check

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfs"
)

const (
	maxShortName = 12 // number of characters
	minContrast  = 72 // difference of brightness, from 0 to 255
)

func (r *row) route() {
	routes := &r.c.routes
	short := r.cell("route_short_name")
	long := r.cell("route_long_name")
	desc := r.cell("route_desc")
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

func (c *Checker) Route(n int, trips int32, id []byte) {
	if trips == 0 && n < len(c.routes.line) {
		c.noteID("unused_route", "routes.txt", c.routes.line[n], "route_id", id)
	}
}
