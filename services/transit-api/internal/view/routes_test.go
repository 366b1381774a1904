package view

import (
	"slices"
	"testing"
)

func TestLinesInTheOrderOfPeople(t *testing.T) {
	t.Parallel()
	a := RoutesAgency{}
	for _, name := range []string{"Ferry", "10", "2", "7B", "99999999999", "", "7A", "100"} {
		a.Lines = append(a.Lines, RouteLine{Line: name})
	}
	SortLines(a.Lines)
	var got []string
	for _, l := range a.Lines {
		got = append(got, l.Line)
	}
	if want := []string{"2", "7A", "7B", "10", "100", "99999999999", "", "Ferry"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
