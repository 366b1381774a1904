package view

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/site"
)

// Routes is the lines of a feed.
type Routes struct {
	site.Head
	Feed     string
	Agencies []RoutesAgency
	Cut      bool   // there are more than a page may have
	Report   string // address of what the import found; "" where readers may not see it
}

// A RoutesAgency is the lines of an agency.
type RoutesAgency struct {
	Name, JSON string
	Lines      []RouteLine
}

// A RouteLine is a line, with the address of its timetable.
type RouteLine struct {
	Line, Name, Address string
	Table, Map          string // addresses of its timetable and its map, in the list of all lines
	Badge
}

// NewRouteLine is a line by its names; it goes by its label where it has no short one.
func NewRouteLine(label string, short, long, color, text *string, address string) RouteLine {
	l := RouteLine{Line: label, Address: address, Badge: NewBadge(color, text)}
	if short != nil {
		l.Line = *short
		if long != nil {
			l.Name = *long
		}
	}
	return l
}

// SortLines puts lines in the order in which people count: 2 before 10, and numbers before names.
func SortLines(lines []RouteLine) {
	slices.SortStableFunc(lines, func(x, y RouteLine) int { return compareLines(x.Line, y.Line) })
}

func compareLines(x, y string) int {
	n, restX := number(x)
	m, restY := number(y)
	return cmp.Or(cmp.Compare(n, m), cmp.Compare(restX, restY))
}

// number is what a name begins with as a number, a large one where it does not begin so, and the rest of it.
func number(name string) (n int, rest string) {
	end := 0
	for end < len(name) && end < 9 && name[end] >= '0' && name[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(name[:end])
	if err != nil {
		return 1 << 40, name
	}
	return n, name[end:]
}
