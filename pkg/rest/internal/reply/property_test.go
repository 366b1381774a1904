package reply

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func (c Coding) name() string { return [...]string{"identity", "gzip", "zstd"}[c] }

// The choice of Negotiate follows RFC 9110, 12.5.3: it is acceptable, and no other coding has a
// higher weight.
func TestNegotiateProperty(t *testing.T) {
	t.Parallel()
	weights := []string{"", ";q=0", ";q=0.5", "; q=0.500", ";Q=1", ";q=1.0", ";q=0.001", ";q=2", ";q=x", ";level=1;q=0.3"}
	values := []float64{1, 0, .5, .5, 1, 1, .001, 0, 0, .3}
	names := []string{"gzip", "zstd", "identity", "*", "br", "GZIP", " zstd "}
	rapid.Check(t, func(t *rapid.T) {
		said := map[string]float64{}
		var elems []string
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			name, w := rapid.SampledFrom(names).Draw(t, "name"), rapid.IntRange(0, len(weights)-1).Draw(t, "weight")
			elems = append(elems, name+weights[w])
			key := strings.ToLower(strings.TrimSpace(name))
			if before, ok := said[key]; !ok || values[w] > before {
				said[key] = values[w]
			}
		}
		liking := func(c Coding) float64 {
			if q, ok := said[c.name()]; ok {
				return q
			}
			if c == Identity {
				return math.SmallestNonzeroFloat64 // acceptable unless it is refused
			}
			return said["*"]
		}
		got := Negotiate([]string{strings.Join(elems, ",")})
		if got != Identity && liking(got) == 0 {
			t.Fatalf("%v: %s is not acceptable", elems, got.name())
		}
		for _, c := range []Coding{gzipped, zstded} {
			if liking(c) > liking(got) {
				t.Fatalf("%v: %s, but %s has a higher weight", elems, got.name(), c.name())
			}
		}
	})
}

func TestNegotiate(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "*": "zstd", "*;q=0": "identity", "gzip;q=1, zstd;q=0.9": "gzip",
		"identity, gzip;q=0.5": "identity", "identity;q=0.5, gzip;q=0.5": "gzip", "identity;q=0": "identity",
		"x-gzip":      "gzip",
		"gzip;q=0, *": "zstd", "": "identity", ",,;": "identity",
	} {
		if got := Negotiate([]string{header}).name(); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if got := Negotiate([]string{"br", "gzip"}); got != gzipped {
		t.Errorf("two lines: %s", got.name())
	}
}

func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{`"a", W/"b-gzip"`, "application/json;q=0.5, */*", "gzip;q=0.1;q=x", `"`, `W/"`, "*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := []string{s}
		Negotiate(lines)
		if NamesJSON(lines) && !strings.Contains(strings.ToLower(s), "application/") {
			t.Errorf("%q names JSON", s)
		}
		if quoted, ok := MatchTag(lines, "tag"); ok && !strings.Contains(s, quoted) {
			t.Errorf("%q in %q", quoted, s)
		}
	})
}

func TestMatchTagProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.SliceOfN(rapid.StringMatching(`[A-Za-z0-9_-]{0,8}(-gzip|-zstd)?`), 0, 5).Draw(t, "tags")
		want := rapid.StringMatching(`[A-Za-z0-9_]{4}`).Draw(t, "want")
		if rapid.Bool().Draw(t, "there") {
			tags = append(tags, want+rapid.SampledFrom([]string{"", "-gzip", "-zstd"}).Draw(t, "coding"))
		}
		var list []string
		held := false
		for _, tag := range tags {
			held = held || tag == want || tag == want+"-gzip" || tag == want+"-zstd"
			list = append(list, rapid.SampledFrom([]string{"", "W/"}).Draw(t, "weak")+`"`+tag+`"`)
		}
		sep := rapid.SampledFrom([]string{",", ", ", " , "}).Draw(t, "sep")
		if _, ok := MatchTag([]string{strings.Join(list, sep)}, want); ok != held {
			t.Fatalf("%v: found %v, want %v", list, ok, held)
		}
	})
}
