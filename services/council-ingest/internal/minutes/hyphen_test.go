package minutes

import (
	"strings"
	"testing"
)

// What justified text breaks at the margin is whole again; a hyphen that may
// belong to its word stays.
func TestMendHyphens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"whole elsewhere":         {"The council met. The coun-\ncil left.", "The council met. The\ncouncil left."},
		"a compound":              {"The part-time clerk and part-\ntime help.", "The part-time clerk and part-\ntime help."},
		"not known":               {"Sets the re-\ngarding rule.", "Sets the re-\ngarding rule."},
		"capitals":                {"A HARBOR, THE HAR-\nBOR MASTER", "A HARBOR, THE\nHARBOR MASTER"},
		"a name of two":           {"Pilar Ruiz-\nSantos and Ruizsantos", "Pilar Ruiz-\nSantos and Ruizsantos"},
		"a document full of them": {"ab cd ef a-\nb c-\nd", "ab cd ef a-\nb c-\nd"},
		"likely, among many": {"motion item paper; mo-\ntion; the it-\nem; the pa-\nper; the re-\ngarding; long term, long-\nterm",
			"motion item paper;\nmotion; the\nitem; the\npaper; the\nregarding; long term, long-\nterm"},
	} {
		lines, _ := splitLines(c.text, false)
		mendHyphens(lines)
		got := make([]string, len(lines))
		for i, ln := range lines {
			got[i] = ln.text
		}
		if joined := strings.Join(got, "\n"); joined != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, joined, c.want)
		}
	}
}
