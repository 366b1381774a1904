package council_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

func TestStorableAndClip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Zoë": "Zoë", "a\x00b": "ab", "a\xffb\xc3": "a\uFFFDb\uFFFD", "": ""} {
		if got := council.Storable(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	for _, test := range []struct {
		in   string
		most int
		want string
	}{{"short", 5, "short"}, {"ééééé", 5, "ééééé"}, {"éééééé", 5, "éééé…"}, {"a bcdef", 3, "a…"}, {"ab", 1, "…"}} {
		if got := council.Clip(test.in, test.most); got != test.want || utf8.RuneCountInString(got) > test.most {
			t.Errorf("%q in %d: %q, want %q", test.in, test.most, got, test.want)
		}
	}
	if got := council.Clip(strings.Repeat("x", 1000), 120); utf8.RuneCountInString(got) != 120 ||
		!strings.HasSuffix(got, "…") {
		t.Errorf("got %d characters", utf8.RuneCountInString(got))
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 nays": council.Count(0, "nay"), "1 nay": council.Count(1, "nay"),
		"2 nays": council.Count(2, "nay"), "2 anomalies": council.Count(2, "anomaly"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", " a b ": "a b", "a  b": "a b", "a\tb\n": "a b", "a\u00a0b": "a b"} {
		if got := council.Fold(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// A name cannot change the text around it, or hide a part of itself.
func TestLineIsVisible(t *testing.T) {
	t.Parallel()
	in := "Planning\u202e \x07Board\u2066\u200b\nof\u00a0Appeals\u2028 "
	if got := council.Line(in, 100); got != "Planning Board of Appeals" {
		t.Errorf("%q", got)
	}
	if got := council.Line("Zoning Board", 6); got != "Zonin…" {
		t.Errorf("%q", got)
	}
}
