package minutes

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLayoutsOfItems reads an item as clerks lay out its title, its motion and its outcome.
func TestLayoutsOfItems(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/forms/items.txt")
	if err != nil {
		t.Fatal(err)
	}
	for section := range strings.SplitSeq("\n"+string(data), "\n### ") {
		name, text, _ := strings.Cut(section, "\n")
		text, want, found := strings.Cut(text, "\n--- ")
		if !found {
			continue
		}
		var got []string
		for _, it := range Parse(formsHead+text+"\n\n2. Reports\n\nThe clerk reported.\n", Options{}).Items {
			for _, v := range it.Votes {
				got = append(got, fmt.Sprintf("%s | %s %s %s/%s%s", it.Title, v.Result, countsOf(&v), or(v.Mover),
					or(v.Seconder), rollOf(&v)))
			}
		}
		if want = strings.TrimSpace(want); strings.Join(got, "; ") != want {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "; "), want)
		}
	}
}
