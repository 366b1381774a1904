package tile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// modes are the words for route types, the most important first: a full tile leaves out the last.
var modes = []string{"rail", "subway", "monorail", "tram", "ferry", "funicular", "gondola", "cable_tram", "air",
	"trolleybus", "coach", "bus", "taxi", "other"}

// typeModes are the words for the route types of GTFS, for the hundreds of the extended ones, and for exceptions.
var typeModes = map[int]string{0: "tram", 1: "subway", 2: "rail", 3: "bus", 4: "ferry", 5: "cable_tram",
	6: "gondola", 7: "funicular", 11: "trolleybus", 12: "monorail",
	100: "rail", 200: "coach", 300: "rail", 400: "subway", 500: "subway", 600: "subway", 700: "bus", 800: "trolleybus",
	900: "tram", 1000: "ferry", 1100: "air", 1200: "ferry", 1300: "gondola", 1400: "funicular", 1500: "taxi",
	405: "monorail"}

// modeOf is the word for a route_type, "other" for those that have none.
func modeOf(routeType string) string {
	n, err := strconv.Atoi(routeType)
	if err != nil {
		return "other"
	}
	if typeModes[n] == "" && n > 100 {
		n -= n % 100
	}
	return cmp.Or(typeModes[n], "other")
}

// weight orders modes by how much they matter on a map.
func weight(mode string) int { return slices.Index(modes, mode) }

// A modeSet is a set of modes, one bit each.
type modeSet uint16

// String lists the modes with commas between them.
func (s modeSet) String() string {
	var words []string
	for i, word := range modes {
		if s&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ",")
}
