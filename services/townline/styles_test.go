package townline_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Pages have one scale of text and one grid: sizes in rem are those of the tokens in site.css, and
// distances are multiples of 4 pixels. Sizes in em and in parts of a window are relative to them.
func TestStylesKeepTheScale(t *testing.T) {
	t.Parallel()
	tokens, err := os.ReadFile("../../pkg/site/style/site.css")
	if err != nil {
		t.Fatal(err)
	}
	var scale []string
	for _, m := range regexp.MustCompile(`--[a-z]+: ([\d.]+rem)/([\d.]+)rem`).FindAllStringSubmatch(string(tokens), -1) {
		scale = append(scale, m[1])
		if high, err := strconv.ParseFloat(m[2], 64); err != nil || math.Mod(high*16, 4) != 0 {
			t.Errorf("a line of %s is %s rem high, which is no multiple of 4 pixels", m[1], m[2])
		}
	}
	if len(scale) < 5 {
		t.Fatalf("site.css has the sizes %v", scale)
	}
	sheets := []string{"../../pkg/site/style/site.css"}
	for _, folder := range []string{"../transit-api/internal/pages/assets", "../council-api/internal/pages/assets",
		"internal/gate/assets"} {
		found, err := filepath.Glob(folder + "/*.css")
		if err != nil || len(found) == 0 {
			t.Fatalf("style sheets in %s: %d, %v", folder, len(found), err)
		}
		sheets = append(sheets, found...)
	}
	size := regexp.MustCompile(`font(?:-size)?: (?:\d00 )?([\d.]+rem)`)
	distance := regexp.MustCompile(`(?:margin|padding|gap)(?:-[a-z]+)?: ([^;}]*)`)
	rem := regexp.MustCompile(`([\d.]+)rem`)
	for _, sheet := range sheets {
		css, err := os.ReadFile(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(css)) {
			for _, m := range size.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(scale, m[1]) {
					t.Errorf("%s: text of %s is not on the scale: %s", sheet, m[1], line)
				}
			}
			for _, m := range distance.FindAllStringSubmatch(line, -1) {
				for _, n := range rem.FindAllStringSubmatch(m[1], -1) {
					if wide, err := strconv.ParseFloat(n[1], 64); err != nil || math.Mod(wide*16, 4) != 0 {
						t.Errorf("%s: %s rem is not on the grid: %s", sheet, n[1], line)
					}
				}
			}
		}
	}
}
