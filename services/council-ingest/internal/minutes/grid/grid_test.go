package grid_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
)

const header = "Member              For       Against"

func columns() (out []grid.Column[string]) {
	for _, c := range grid.Cells(header, 0, 2) {
		out = append(out, grid.Column[string]{Cell: c, Means: c.Text})
	}
	return out
}

func TestCells(t *testing.T) {
	t.Parallel()
	want := []grid.Cell{{Text: "Élise Doe", From: 4, To: 13}, {Text: "X", From: 16, To: 17}}
	if diff := cmp.Diff(want, grid.Cells("Élise Doe   X  ", 4, 3)); diff != "" {
		t.Error(diff)
	}
}

// TestMarked reads rows of marks: -1 is a mark below no header.
func TestMarked(t *testing.T) {
	t.Parallel()
	for row, want := range map[string][]int{
		"Doe                  X":                              {1},
		"Roe                            X":                    {2},
		"Poe   Chair                   (x)":                   {2},
		"Moe                  X         X":                    {1, 2},
		"Coe                                     X":           {2},
		"Noe                                               X": {-1},
		"Hoe                  X         Clerk   X":            {1},
	} {
		marks, _ := grid.Marked(columns(), grid.Cells(row, 0, 2))
		if diff := cmp.Diff(want, marks); diff != "" {
			t.Errorf("%s: %s", row, diff)
		}
	}
}

// TestBelow finds the column of a name that is as wide as the gap between two.
func TestBelow(t *testing.T) {
	t.Parallel()
	cells := grid.Cells("                    Maximilian  Roe", 0, 2)
	if at := grid.Below(columns(), cells[0]); at != 1 {
		t.Errorf("column %d, want 1", at)
	}
	if at := grid.Below(columns(), cells[1]); at != 2 {
		t.Errorf("column %d, want 2", at)
	}
}
