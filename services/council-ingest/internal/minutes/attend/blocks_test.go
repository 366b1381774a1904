package attend_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:embed testdata/blocks.txt
var blocks string

// TestBlocks reads attendance as clerks print it: "### name", the text, "---", and a line for each member: name,
// office, status.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for form := range strings.SplitSeq(blocks, "### ") {
		name, form, _ := strings.Cut(form, "\n")
		text, rows, _ := strings.Cut(form, "\n---\n")
		if name == "" {
			continue
		}
		var want []string
		for row := range strings.SplitSeq(strings.TrimSpace(rows), "\n") {
			cells := strings.Split(row, "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			want = append(want, strings.Join(cells, "/"))
		}
		got := strings.Split(show(read(text)), "; ")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
