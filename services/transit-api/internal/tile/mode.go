package tile

import (
	"strconv"
	"strings"
)

// modes are the words for route types, the most important first: where a tile is full, the last are left out.
var modes = []string{"rail", "subway", "monorail", "tram", "ferry", "funicular", "gondola", "cable_tram", "air", "trolleybus", "coach", "bus", "taxi", "other"}

// basic are the words for the route types of GTFS itself.
var basic = map[int]string{0: "tram", 1: "subway", 2: "rail", 3: "bus", 4: "ferry", 5: "cable_tram", 6: "gondola", 7: "funicular", 11: "trolleybus", 12: "monorail"}

// extended are those for the hundreds of the extended route types.
var extended = map[int]string{1: "rail", 2: "coach", 3: "rail", 4: "subway", 5: "subway", 6: "subway", 7: "bus", 8: "trolleybus", 9: "tram", 10: "ferry", 11: "air", 12: "ferry", 13: "gondola", 14: "funicular", 15: "taxi"}

// Mode is the word for a route_type, "other" for those that have none.
func Mode(routeType string) string {
	n, err := strconv.Atoi(routeType)
	switch {
	case err != nil:
		return "other"
	case n == 405:
		return "monorail"
	case n == 717 || n == 715:
		return "bus"
	}
	if word, ok := basic[n]; ok {
		return word
	}
	if word, ok := extended[n/100]; ok && n >= 100 {
		return word
	}
	return "other"
}

// weight orders modes by how much they matter on a map.
func weight(mode string) int {
	for i, word := range modes {
		if word == mode {
			return i
		}
	}
	return len(modes)
}

// A modeSet is a set of modes, one bit each.
type modeSet uint16

func (s *modeSet) add(mode string) { *s |= 1 << weight(mode) }

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
