package gtfsimport_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/gtfs-import/internal/gather"
)

type gatherRow struct {
	Group, Seq, Line int32
	Text             string
}

// However the rows are ordered and however small the bounds, every row is reported once,
// with its group, in order, equal ones as they came.
func TestGatherer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.Int32Range(0, 40).Draw(t, "groups")
		var in []gatherRow
		for i := range rapid.IntRange(0, 300).Draw(t, "rows") {
			in = append(in, gatherRow{
				rapid.Int32Range(0, groups).Draw(t, "group"), rapid.Int32Range(0, 9).Draw(t, "seq"), int32(i),
				fmt.Sprint("text ", i),
			})
		}
		if rapid.Bool().Draw(t, "nearly sorted") {
			slices.SortStableFunc(in, func(a, b gatherRow) int { return cmp.Compare(a.Group/3, b.Group/3) })
		}
		limits := gather.Limits{Groups: rapid.IntRange(1, 10).Draw(t, "window"), Bytes: rapid.IntRange(1, 500).Draw(t,
			"bytes"), LateBytes: rapid.IntRange(1, 2000).Draw(t, "late")}
		got := map[int32][]gatherRow{}
		times := map[int32]int{}
		g := gather.New(limits, func(r *gather.Rows) error {
			times[r.Group]++
			if r.Late != (times[r.Group] == 2) || times[r.Group] > 2 {
				t.Fatalf("group %d is reported for time %d, late: %v", r.Group, times[r.Group], r.Late)
			}
			if !slices.IsSortedFunc(r.Rows, func(a, b gather.Row) int {
				return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Line, b.Line))
			}) {
				t.Fatalf("group %d is not in order: %v", r.Group, r.Rows)
			}
			for i := range r.Rows {
				x := &r.Rows[i]
				if x.A != -x.Line || x.B != 2*x.Line || x.C != 7 {
					t.Fatalf("values of row %+v", x)
				}
				got[r.Group] = append(got[r.Group], gatherRow{r.Group, x.Seq, x.Line, string(r.Text(x))})
			}
			return nil
		})
		defer g.Close()
		for i, r := range in {
			if i == 0 || in[i-1].Group != r.Group {
				if err := g.Open(r.Group); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Add(gather.Row{Seq: r.Seq, Line: r.Line, A: -r.Line, B: 2 * r.Line, C: 7}, []byte(r.Text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Flush(); err != nil {
			t.Fatal(err)
		}
		if g.HasLate() {
			if err := g.Late(); err != nil {
				t.Fatal(err)
			}
		}
		want := map[int32][]gatherRow{}
		for _, r := range in {
			want[r.Group] = append(want[r.Group], r)
		}
		for n := range want {
			// The first report and the late one are each in order; together they are once sorted again.
			for _, m := range []map[int32][]gatherRow{want, got} {
				slices.SortStableFunc(m[n], func(a, b gatherRow) int {
					return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Line, b.Line))
				})
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("groups (-want +got):\n%s", diff)
		}
	})
}

func TestGathererBoundsAGroup(t *testing.T) {
	t.Parallel()
	reported := 0
	g := gather.New(gather.Limits{}, func(r *gather.Rows) error {
		reported++
		if len(r.Rows) != gather.MaxRows || r.Surplus != 5 {
			t.Errorf("%d rows, %d surplus", len(r.Rows), r.Surplus)
		}
		return nil
	})
	defer g.Close()
	if err := g.Open(0); err != nil {
		t.Fatal(err)
	}
	for i := range gather.MaxRows + 5 {
		if err := g.Add(gather.Row{Seq: int32(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Flush(); err != nil || reported != 1 {
		t.Errorf("reported %d times, error %v", reported, err)
	}
}
