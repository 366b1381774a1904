package head_test

import (
	"os"
	"strings"
	"testing"
)

// TestHeads reads the heads of minutes as clerks of many countries print them.
func TestHeads(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/heads.txt")
	if err != nil {
		t.Fatal(err)
	}
	for section := range strings.SplitSeq(string(data), "### ") {
		name, text, _ := strings.Cut(section, "\n")
		text, want, found := strings.Cut(text, "\n--- ")
		if !found {
			continue
		}
		day, body, _ := strings.Cut(strings.TrimSpace(want), " | ")
		day = strings.TrimPrefix(day, "none")
		if h := read(text); h.Date != day || h.Body != body {
			t.Errorf("%s:\n got %s | %s\nwant %s | %s", name, h.Date, h.Body, day, body)
		}
	}
}
