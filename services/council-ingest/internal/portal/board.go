package portal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CountBodies counts the meetings of each board.
func CountBodies(rows []Meeting) map[string]int {
	count := map[string]int{}
	for _, row := range rows {
		if row.Body != "" {
			count[row.Body]++
		}
	}
	return count
}

// BusiestFirst are the boards by their number of meetings, and then by name.
func BusiestFirst(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
}

// BoardOf returns which board of a calendar is meant by a configured name: the one of that name, or the only one whose
// name ends with it, as "Atlanta City Council" does. It is "" when there is no such board, or more than one; others
// then lists the calendar's boards with their meetings.
func BoardOf(count map[string]int, name string) (board, others string) {
	var longer, lines []string
	for _, b := range BusiestFirst(count) {
		switch {
		case strings.EqualFold(b, name):
			return b, ""
		case EndsIn(b, name):
			longer = append(longer, b)
		}
		lines = append(lines, fmt.Sprintf("%q (%d)", b, count[b]))
	}
	if len(longer) == 1 {
		return longer[0], ""
	}
	return "", strings.Join(lines, ", ")
}

// EndsIn reports whether the last words of a board's name are those of name.
func EndsIn(board, name string) bool {
	return strings.HasSuffix(strings.ToLower(board), " "+strings.ToLower(name))
}
