package match

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func named(number, file, title string) Item { return NewItem(&file, &number, nil, title) }

func TestOutlinePairs(t *testing.T) {
	t.Parallel()
	withFile := func(it Item) Item { it.Legifile = 7; return it }
	for name, test := range map[string]struct {
		a, b []Item
		want []int
	}{
		"same": {[]Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")}, []int{0, 1}},
		"inserted above": {[]Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]Item{named("1.", "", "Dredging"), named("2.", "", "Sweeping"), named("3.", "", "Lighting")}, []int{1, 2}},
		"corrected title": {[]Item{named("1.", "", "Award of the street sweping contract")},
			[]Item{named("1.", "", "Award of the street sweeping contract")}, []int{0}},
		"cut title": {[]Item{named("4.", "", "Award of the contract")},
			[]Item{named("4.", "", "Award of the contract for street sweeping to the lowest bidder")}, []int{0}},
		"file number wins": {[]Item{named("1.", "2026-1", "Old words")},
			[]Item{named("1.", "2026-2", "Old words about it"), named("2.", "2026-1", "Quite new")}, []int{1}},
		"legislative file": {[]Item{withFile(named("1.", "", "Old words"))},
			[]Item{named("1.", "", "Other"), withFile(named("9.", "", "New title"))}, []int{1}},
		"moved under another heading": {[]Item{named("4.", "", "Final map"), named("5.", "", "Grant")},
			[]Item{named("5.", "2026-5", "Grant"), named("4.", "2026-4", "Final map")}, []int{1, 0}},
		"twice the same title": {[]Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")},
			[]Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")}, []int{0, 1}},
		"never by position alone": {[]Item{named("1.", "", "Sweeping")}, []Item{named("1.", "", "Dredging the harbour")},
			[]int{-1}},
		"nothing": {nil, []Item{named("1.", "", "Sweeping")}, []int{}},
	} {
		if got := Outline(test.a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// Insertions and removals do not disturb the items that stay, and no item has two partners.
func TestOutlineRecognisesItemsThatStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		titles := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3,9}( [a-z]{3,9}){2,5}`), 1, 20, func(s string) string {
			return s
		}).Draw(t, "titles")
		var a, b []Item
		stays := map[string]bool{}
		for i, title := range titles {
			inA, inB := rapid.Bool().Draw(t, "a"), rapid.Bool().Draw(t, "b")
			if inA {
				a = append(a, named(fmt.Sprintf("%d.", i+1), "", title))
			}
			if inB {
				b = append(b, named(fmt.Sprintf("%d.", len(b)+1), "", title))
			}
			stays[title] = inA && inB
		}
		taken := map[int]bool{}
		for i, j := range Outline(a, b) {
			if j >= 0 && taken[j] {
				t.Fatalf("item %d has two partners", j)
			}
			taken[j] = true
			if stays[a[i].Title] && (j < 0 || b[j].Title != a[i].Title) {
				t.Fatalf("%q was not recognised", a[i].Title)
			}
		}
	})
}

func TestIdentifyPairs(t *testing.T) {
	t.Parallel()
	vote := func(outcome, mover string) Vote {
		return Vote{Outcome: outcome, Mover: mover, Seconder: "not " + mover, Roll: "aye " + mover}
	}
	a, b, c := vote("ADOPTED", "1"), vote("FAILED", "10"), vote("TABLED", "20")
	corrected := a
	corrected.Outcome = "FAILED"
	item := func(number, title string, votes ...Vote) Item {
		return Item{Number: number, Title: title, Section: "resolutions", Votes: votes}
	}
	filed := func(file string, t Item) Item { t.File = file; return t }
	linked := func(file int64, t Item) Item { t.Legifile = file; return t }
	paged := func(t Item) Item { t.Page = 1; return t }
	moved := func(section string, t Item) Item { t.Section = section; return t }
	x, y := item("9", "opens the harbour", c), item("8", "closes the landing", vote("ADOPTED", "30"))
	for name, test := range map[string]struct {
		old, now []Item
		reread   bool
		want     []int
	}{
		"another of the title above": {[]Item{item("1", "pays bills", a)},
			[]Item{item("1", "pays bills", b), item("2", "pays bills", a)}, false, []int{1}},
		"the same to the letter above": {[]Item{item("1", "pays bills", a)},
			[]Item{item("1", "pays bills", a), item("2", "pays bills", a)}, false, []int{-1}},
		"and a neighbour decides": {[]Item{x, item("1", "pays bills", a)}, []Item{item("1", "pays bills", a), x,
			item("2", "pays bills", a)}, false, []int{1, 2}},
		"and a heading decides": {[]Item{item("1", "pays bills", a)},
			[]Item{moved("consent", item("1", "pays bills", a)), item("2", "pays bills", a)}, false, []int{1}},
		"one of two equals is gone": {[]Item{item("1", "pays bills", a), item("2", "pays bills", a)},
			[]Item{item("1", "pays bills", a)}, false, []int{-1, -1}},
		"nothing changed": {[]Item{item("1", "pays bills", a), item("2", "pays bills", a),
			item("3", "pays bills")}, []Item{item("1", "pays bills", a), item("2", "pays bills", a), item("3", "pays bills")},
			false, []int{0, 1, 2}},
		"above, and a correction": {[]Item{x, item("1", "pays bills", a), y}, []Item{x, item("1", "pays bills", b),
			item("2", "pays bills", corrected), y}, false, []int{0, 2, 3}},
		"another in its place": {[]Item{x, item("1", "pays bills", a), y}, []Item{x, item("1", "pays bills", b), y},
			false, []int{0, -1, 2}},
		"another above, of another file": {[]Item{filed("20261", item("1", "pays bills", b)), x,
			filed("20263", item("3", "pays bills", a))},
			[]Item{filed("20260", item("1", "pays bills", a)), filed("20261", item("2", "pays bills", b)), x,
				filed("20263", item("4", "pays bills", a))}, false, []int{1, 2, 3}},
		"another in its place, of its file": {[]Item{filed("20261", item("1", "pays bills", a))},
			[]Item{filed("20261", item("1", "pays bills", b))}, false, []int{0}},
		"another file": {[]Item{filed("20261", item("1", "pays bills", a))},
			[]Item{filed("20262", item("1", "pays bills", a))}, false, []int{-1}},
		"another of the portal's files": {[]Item{x, linked(1, item("1", "appoints ann to the board"))},
			[]Item{x, linked(2, item("1", "appoints ben to the board"))}, false, []int{0, -1}},
		"of the same title": {[]Item{x, linked(1, item("1", "pays bills"))},
			[]Item{x, linked(2, item("1", "pays bills"))}, false, []int{0, -1}},
		"under another title": {[]Item{linked(1, item("1", "appoints ann"))},
			[]Item{linked(1, item("7", "hires ann"))}, false, []int{0}},
		"joined to a title in the minutes": {[]Item{linked(1, item("1", "appoints ann")), x},
			[]Item{x, paged(linked(1, item("7", "appoints ben", b)))}, false, []int{-1, 0}},
		"joined, and the outline has it": {[]Item{filed("20261", paged(item("1", "appoints ann", a)))},
			[]Item{filed("20261", item("1", "hires ben")), paged(item("2", "appoints ann", a))}, false, []int{1}},
		"swapped between equal titles": {[]Item{x, paged(linked(1, item("1", "pays bills", a)))},
			[]Item{x, paged(linked(2, item("1", "pays bills", a)))}, false, []int{0, 1}},
		"minutes come": {[]Item{item("1", "pays bills"), x}, []Item{item("1a", "pays bills", a), x},
			false, []int{0, 1}},
		"read otherwise by a new version": {[]Item{item("1", "pays bills", a), item("2", "pays bills", a)},
			[]Item{item("1", "pays bills", b), item("2", "pays bills", c)}, true, []int{0, 1}},
		"a new version finds one, loses one": {[]Item{{Votes: []Vote{a}}, {Votes: []Vote{b}}},
			[]Item{{Votes: []Vote{b}}, {Votes: []Vote{c}}}, true, []int{-1, 0}},
		"a motion above": {[]Item{{Votes: []Vote{a}}}, []Item{{Votes: []Vote{b}}, {Votes: []Vote{a}}},
			false, []int{1}},
		"a motion above, corrected": {[]Item{{Votes: []Vote{a}}},
			[]Item{{Votes: []Vote{b}}, {Votes: []Vote{corrected}}}, false, []int{1}},
		"the same motion twice": {[]Item{{Votes: []Vote{a}}}, []Item{{Votes: []Vote{a}}, {Votes: []Vote{a}}},
			false, []int{-1}},
		"another motion": {[]Item{{Votes: []Vote{a}}}, []Item{{Votes: []Vote{b}}}, false, []int{-1}},
	} {
		if got := Identify(test.old, test.now, test.reread); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		for _, list := range [][]Item{test.old, test.now} {
			for i, j := range Identify(list, list, test.reread) {
				if i != j {
					t.Errorf("%s: unchanged, and %d became %d", name, i, j)
				}
			}
		}
	}
}
