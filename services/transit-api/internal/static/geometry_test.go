package static

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/lines"
)

// For any cells, the coordinates are valid JSON, and a line has either no positions or at least
// two.
func TestLineIsJSON(t *testing.T) {
	t.Parallel()
	cell := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+]?[0-9]{0,3}\.?[0-9]{0,4}(e[0-9])?`))
	rapid.Check(t, func(t *rapid.T) {
		lon := rapid.SliceOfN(cell, 0, 5).Draw(t, "lon")
		lat := rapid.SliceOfN(cell, len(lon), len(lon)).Draw(t, "lat")
		b, err := json.Marshal(LineString{"LineString", newLine(lines.Points(lon, lat))})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ Coordinates [][]float64 }
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if len(back.Coordinates) == 1 {
			t.Fatalf("a line has one position: %s", b)
		}
		for _, p := range back.Coordinates {
			if len(p) != 2 {
				t.Fatalf("a position has %d numbers: %s", len(p), b)
			}
		}
	})
}
