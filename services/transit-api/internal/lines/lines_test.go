package lines

import "testing"

func TestNumber(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]float64{"54.680": 54.68, "-0.5": -.5, "0": 0, "-25": -25, "+54.7": 54.7, ".5": .5,
		"5.": 5, "007.50": 7.5, "1e1": 10} {
		if got, ok := number(cell); got != want || !ok {
			t.Errorf("%q: %v %t, want %v", cell, got, ok, want)
		}
	}
	for _, cell := range []string{"", "-", ".", "NaN", "Inf", "1,5", "1e300", "x", "54.68 "} {
		if got, ok := number(cell); ok {
			t.Errorf("Number(%q) = %v", cell, got)
		}
	}
}
