package edition

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func stopNamed(id, name, code, kind string) Stop {
	s := Stop{Label: name, StopID: id, StopName: name, StopLat: "44.65", StopLon: "-63.57"}
	if code != "" {
		s.StopCode = &code
	}
	if kind != "" {
		s.LocationType = &kind
	}
	return s
}

// searched returns the ids that a search finds, best match first.
func searched(e *Edition, s Search) []string {
	var all []Found
	e.Search(s, func(f Found) bool { all = append(all, f); return true })
	slices.SortFunc(all, func(a, b Found) int { return a.Compare(&b) })
	ids := []string{}
	for _, f := range all {
		ids = append(ids, f.StopID)
	}
	return ids
}

func TestSearchByWords(t *testing.T) {
	t.Parallel()
	e := New([]Stop{
		stopNamed("p1", "Gare Saint-Étienne", "", "0"), stopNamed("st", "Gare Saint-Étienne", "", "1"),
		stopNamed("in", "Gare Saint-Étienne", "", "2"),
		stopNamed("7", "Main St", "100", ""), stopNamed("100", "St Main", "", ""),
		stopNamed("x", "Mainland Ave at St. John's Rd", "", ""),
		stopNamed("y", "Großer Łódź-Platz", "", ""), stopNamed("z", "東京駅前", "", ""), stopNamed("B 50%/x", "", "", ""),
		stopNamed("end", "Last", "", "3"),
	}, nil)
	for q, want := range map[string][]string{
		"gare saint étienne": {"st", "p1"},
		"ETIENNE":            {"st", "p1"},
		"gar sai":            {"st", "p1"},
		"aint":               {},
		"main":               {"7", "x", "100"},
		"main st":            {"7", "x", "100"}, // the exact name, its beginning, its words
		"st main":            {"100", "7", "x"},
		"johns":              {"x"},
		"John's":             {"x"},
		"100":                {"7", "100"}, // code and id, then the name
		"grosser lodz":       {"y"},
		"京":                  {"z"},
		"駅前":                 {"z"},
		"50":                 {"B 50%/x"},
		"b 50 x":             {"B 50%/x"},
		"last":               {},
		"main nowhere":       {},
		"\x1f":               nil,
		"%_*":                nil,
	} {
		w := ParseTerms(q)
		if w == nil {
			if want != nil {
				t.Errorf("%q has no words", q)
			}
			continue
		}
		if got := searched(e, Search{Terms: w}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", q, got, want)
		}
	}
}

// A search finds the same stops as a simple implementation of the rules.
func TestSearchFindsAll(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[abÉ é'\-1]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		var stops []Stop
		for i := range rapid.IntRange(0, 8).Draw(t, "stops") {
			stops = append(stops, stopNamed(fmt.Sprint(text.Draw(t, "id"), i), text.Draw(t, "name"), text.Draw(t, "code"),
				rapid.SampledFrom([]string{"", "0", "1", "2", "4"}).Draw(t, "type")))
		}
		q := text.Draw(t, "q")
		plain := func(s string) []string {
			s = strings.NewReplacer("É", "e", "é", "e", "'", "", "-", " ").Replace(s)
			return strings.Fields(s)
		}
		want := []string{}
		for i := range stops {
			s := &stops[i]
			words := append(plain(s.StopName), plain(s.StopID)...)
			if s.StopCode != nil {
				words = append(words, plain(*s.StopCode)...)
			}
			all := s.LocationType == nil || *s.LocationType < "2"
			for _, wanted := range plain(q) {
				all = all && slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, wanted) })
			}
			if all {
				want = append(want, s.StopID)
			}
		}
		w := ParseTerms(q)
		if (w == nil) != (len(plain(q)) == 0) {
			t.Fatalf("%q: %+v", q, w)
		}
		if w == nil {
			return
		}
		got := searched(New(stops, nil), Search{Terms: w})
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %+v: %q, want %q", q, stops, got, want)
		}
	})
}

func TestSearchByPlace(t *testing.T) {
	t.Parallel()
	at := func(id, lat, lon string) Stop { return Stop{StopID: id, Label: id, StopLat: lat, StopLon: lon} }
	e := New([]Stop{at("far", "45.65", "-63.57"), at("near", "44.651", "-63.57"), at("nearer", " 44.65 ", "-63.5705"),
		at("none", "", ""), at("odd", "91", "0"), at("word", "north", "-63.57")}, nil)
	if got := searched(e, Search{Near: &Near{44.65, -63.57, 1000}}); !slices.Equal(got, []string{"nearer", "near"}) {
		t.Errorf("%q", got)
	}
	if got := searched(e, Search{Near: &Near{44.65, -63.57, 50}, Terms: ParseTerms("near")}); !slices.Equal(got,
		[]string{"nearer"}) {
		t.Errorf("%q", got)
	}
	// Areas across the antimeridian, and from pole to pole.
	for _, c := range []struct {
		lat1, lon1, lat2, lon2, want float64
	}{{0, 179.5, 0, -179.5, 111_195}, {90, 0, -90, 77, 20_015_115}, {44.65, -63.57, 44.65, -63.57, 0}} {
		if got := Distance(c.lat1, c.lon1, c.lat2, c.lon2); math.Abs(got-c.want) > 10 {
			t.Errorf("%+v: %f", c, got)
		}
	}
}
