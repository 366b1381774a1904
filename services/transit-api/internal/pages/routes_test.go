package pages

import (
	"slices"
	"testing"
)

func TestLinesAreOrderedByNumber(t *testing.T) {
	t.Parallel()
	var lines []RouteLine
	for _, name := range []string{"Ferry", "10", "2", "7B", "99999999999", "", "7A", "100"} {
		lines = append(lines, RouteLine{Line: name})
	}
	sortLines(lines)
	var got []string
	for _, l := range lines {
		got = append(got, l.Line)
	}
	if want := []string{"2", "7A", "7B", "10", "100", "99999999999", "", "Ferry"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestHeadsignsWithoutTheirLine(t *testing.T) {
	t.Parallel()
	line := "64"
	for headsign, want := range map[string]string{
		"64 Burnside": "Burnside", "64 - Burnside": "Burnside", "640 Burnside": "640 Burnside", "64": "64", "64 ": "64 ",
	} {
		if got := withoutLine(headsign, &line); got != want {
			t.Errorf("%q without line 64 is %q, want %q", headsign, got, want)
		}
	}
	if got := withoutLine(" Burnside", nil); got != " Burnside" {
		t.Errorf("headsign without a line: %q", got)
	}
}
