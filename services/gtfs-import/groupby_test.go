package gtfsimport_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/gtfs-import/internal/groupby"
)

type groupRow struct {
	Key, Seq, Line int32
	Text           string
}

// For any order of the rows and any limits, the last emission of each key has all its rows in order.
func TestGrouper(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.Int32Range(0, 40).Draw(t, "groups")
		factor := rapid.SampledFrom([]int32{1, 50, 256}).Draw(t, "factor")
		var in []groupRow
		for i := range rapid.IntRange(0, 300).Draw(t, "rows") {
			in = append(in, groupRow{
				rapid.Int32Range(0, groups).Draw(t, "group") * factor, rapid.Int32Range(0, 9).Draw(t, "seq"), int32(i) + 1,
				fmt.Sprint("text ", i),
			})
		}
		if rapid.Bool().Draw(t, "nearly sorted") {
			slices.SortStableFunc(in, func(a, b groupRow) int { return cmp.Compare(a.Key/factor/3, b.Key/factor/3) })
			for i := range in {
				in[i].Line = int32(i) + 1
			}
		}
		limits := groupby.Limits{Groups: rapid.IntRange(1, 10).Draw(t, "window"), Bytes: rapid.IntRange(1, 500).Draw(t,
			"bytes"), LateBytes: rapid.IntRange(1, 2000).Draw(t, "late")}
		got, lines := map[int32][]groupRow{}, map[string]int32{}
		g := groupby.New(limits, func(r *groupby.Group) error {
			var rows []groupRow
			for i := range r.Rows {
				x := &r.Rows[i]
				if x.Line == 0 {
					x.Line = lines[string(r.Text(x))]
				}
				lines[string(r.Text(x))] = x.Line
				if x.A != -x.Line || x.B != 2*x.Line || x.C != 7 {
					t.Fatalf("row %+v has wrong values", x)
				}
				rows = append(rows, groupRow{r.Key, x.Seq, x.Line, string(r.Text(x))})
			}
			got[r.Key] = rows
			return nil
		})
		parts := rapid.SampledFrom([]int{0, 100, 10_000}).Draw(t, "parts")
		addLate := func() { // as from the stored groups, which do not have the lines
			met := map[int32]bool{}
			for part := range g.Late(parts, func(key int32) int { return len(got[key]) }) {
				keys := part.Keys()
				for _, k := range keys {
					if met[k] || len(got[k]) == 0 {
						t.Fatalf("group %d is in two parts, or was not emitted before", k)
					}
					met[k] = true
				}
				err := part.Emit(func(key int32, add func(groupby.Row, []byte)) {
					if !slices.Contains(keys, key) {
						t.Fatalf("restores group %d, and the keys are %d", key, keys)
					}
					for _, r := range got[key] {
						add(groupby.Row{Seq: r.Seq, A: -r.Line, B: 2 * r.Line, C: 7}, []byte(r.Text))
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for i, r := range in {
			if i == 0 || in[i-1].Key != r.Key {
				if err := g.Open(r.Key); err != nil {
					t.Fatal(err)
				}
			}
			g.Add(groupby.Row{Seq: r.Seq, Line: r.Line, A: -r.Line, B: 2 * r.Line, C: 7}, []byte(r.Text))
			if g.IsFull() {
				addLate()
			}
		}
		if err := g.Flush(); err != nil {
			t.Fatal(err)
		}
		addLate()
		want := map[int32][]groupRow{}
		for _, r := range in {
			want[r.Key] = append(want[r.Key], r)
		}
		for n := range want {
			slices.SortStableFunc(want[n], func(a, b groupRow) int {
				return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Line, b.Line))
			})
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("groups (-want +got):\n%s", diff)
		}
	})
}

func TestLongGroupsAreCut(t *testing.T) {
	t.Parallel()
	emitted := 0
	g := groupby.New(groupby.Limits{}, func(r *groupby.Group) error {
		emitted++
		if len(r.Rows) != groupby.MaxRows || r.Dropped != 5 {
			t.Errorf("group has %d rows and dropped %d", len(r.Rows), r.Dropped)
		}
		return nil
	})
	if err := g.Open(0); err != nil {
		t.Fatal(err)
	}
	for i := range groupby.MaxRows + 5 {
		g.Add(groupby.Row{Seq: int32(i)}, nil)
	}
	if err := g.Flush(); err != nil || emitted != 1 {
		t.Errorf("emitted %d times, error %v", emitted, err)
	}
}
