package councilingest

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/services/council-ingest/internal/match"
)

func named(number, file, title string) match.Item { return match.NewItem(&file, &number, nil, title) }

func TestOutlinePairs(t *testing.T) {
	t.Parallel()
	withFile := func(it match.Item) match.Item { it.Legifile = 7; return it }
	for name, test := range map[string]struct {
		a, b []match.Item
		want []int
	}{
		"same": {[]match.Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]match.Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")}, []int{0, 1}},
		"inserted above": {[]match.Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]match.Item{named("1.", "", "Dredging"), named("2.", "", "Sweeping"), named("3.", "", "Lighting")}, []int{1, 2}},
		"corrected title": {[]match.Item{named("1.", "", "Award of the street sweping contract")},
			[]match.Item{named("1.", "", "Award of the street sweeping contract")}, []int{0}},
		"cut title": {[]match.Item{named("4.", "", "Award of the contract")},
			[]match.Item{named("4.", "", "Award of the contract for street sweeping to the lowest bidder")}, []int{0}},
		"file number wins": {[]match.Item{named("1.", "2026-1", "Old words")},
			[]match.Item{named("1.", "2026-2", "Old words about it"), named("2.", "2026-1", "Quite new")}, []int{1}},
		"legislative file": {[]match.Item{withFile(named("1.", "", "Old words"))},
			[]match.Item{named("1.", "", "Other"), withFile(named("9.", "", "New title"))}, []int{1}},
		"moved under another heading": {[]match.Item{named("4.", "", "Final map"), named("5.", "", "Grant")},
			[]match.Item{named("5.", "2026-5", "Grant"), named("4.", "2026-4", "Final map")}, []int{1, 0}},
		"twice the same title": {[]match.Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")},
			[]match.Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")}, []int{0, 1}},
		"never by position alone": {[]match.Item{named("1.", "", "Sweeping")}, []match.Item{named("1.", "", "Dredging the harbour")},
			[]int{-1}},
		"nothing": {nil, []match.Item{named("1.", "", "Sweeping")}, []int{}},
	} {
		if got := match.Outline(test.a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("%s: Outline = %v, want %v", name, got, test.want)
		}
	}
}

// Insertions and removals do not affect the remaining items, and no item has two partners.
func TestOutlineRecognisesItemsThatStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		titles := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3,9}( [a-z]{3,9}){2,5}`), 1, 20, func(s string) string {
			return s
		}).Draw(t, "titles")
		var a, b []match.Item
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
		for i, j := range match.Outline(a, b) {
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
	vote := func(outcome, mover string) match.Vote {
		return match.Vote{Outcome: outcome, Mover: mover, Seconder: "not " + mover, Roll: "aye " + mover}
	}
	a, b, c := vote("ADOPTED", "1"), vote("FAILED", "10"), vote("TABLED", "20")
	corrected := a
	corrected.Outcome = "FAILED"
	item := func(number, title string, votes ...match.Vote) match.Item {
		return match.Item{Number: number, Title: title, Section: "resolutions", Votes: votes}
	}
	filed := func(file string, t match.Item) match.Item { t.File = file; return t }
	linked := func(file int64, t match.Item) match.Item { t.Legifile = file; return t }
	paged := func(t match.Item) match.Item { t.Page = 1; return t }
	moved := func(section string, t match.Item) match.Item { t.Section = section; return t }
	x, y := item("9", "opens the harbour", c), item("8", "closes the landing", vote("ADOPTED", "30"))
	for name, test := range map[string]struct {
		old, now []match.Item
		reread   bool
		want     []int
	}{
		"another of the title above": {[]match.Item{item("1", "pays bills", a)},
			[]match.Item{item("1", "pays bills", b), item("2", "pays bills", a)}, false, []int{1}},
		"the same to the letter above": {[]match.Item{item("1", "pays bills", a)},
			[]match.Item{item("1", "pays bills", a), item("2", "pays bills", a)}, false, []int{-1}},
		"and a neighbour decides": {[]match.Item{x, item("1", "pays bills", a)}, []match.Item{item("1", "pays bills", a), x,
			item("2", "pays bills", a)}, false, []int{1, 2}},
		"and a heading decides": {[]match.Item{item("1", "pays bills", a)},
			[]match.Item{moved("consent", item("1", "pays bills", a)), item("2", "pays bills", a)}, false, []int{1}},
		"one of two equals is gone": {[]match.Item{item("1", "pays bills", a), item("2", "pays bills", a)},
			[]match.Item{item("1", "pays bills", a)}, false, []int{-1, -1}},
		"nothing changed": {[]match.Item{item("1", "pays bills", a), item("2", "pays bills", a),
			item("3", "pays bills")}, []match.Item{item("1", "pays bills", a), item("2", "pays bills", a),
			item("3", "pays bills")}, false, []int{0, 1, 2}},
		"above, and a correction": {[]match.Item{x, item("1", "pays bills", a), y}, []match.Item{x, item("1", "pays bills", b),
			item("2", "pays bills", corrected), y}, false, []int{0, 2, 3}},
		"another in its place": {[]match.Item{x, item("1", "pays bills", a), y}, []match.Item{x, item("1", "pays bills", b), y},
			false, []int{0, -1, 2}},
		"another above, of another file": {[]match.Item{filed("20261", item("1", "pays bills", b)), x,
			filed("20263", item("3", "pays bills", a))},
			[]match.Item{filed("20260", item("1", "pays bills", a)), filed("20261", item("2", "pays bills", b)), x,
				filed("20263", item("4", "pays bills", a))}, false, []int{1, 2, 3}},
		"another in its place, of its file": {[]match.Item{filed("20261", item("1", "pays bills", a))},
			[]match.Item{filed("20261", item("1", "pays bills", b))}, false, []int{0}},
		"another file": {[]match.Item{filed("20261", item("1", "pays bills", a))},
			[]match.Item{filed("20262", item("1", "pays bills", a))}, false, []int{-1}},
		"another of the portal's files": {[]match.Item{x, linked(1, item("1", "appoints ann to the board"))},
			[]match.Item{x, linked(2, item("1", "appoints ben to the board"))}, false, []int{0, -1}},
		"of the same title": {[]match.Item{x, linked(1, item("1", "pays bills"))},
			[]match.Item{x, linked(2, item("1", "pays bills"))}, false, []int{0, -1}},
		"under another title": {[]match.Item{linked(1, item("1", "appoints ann"))},
			[]match.Item{linked(1, item("7", "hires ann"))}, false, []int{0}},
		"joined to a title in the minutes": {[]match.Item{linked(1, item("1", "appoints ann")), x},
			[]match.Item{x, paged(linked(1, item("7", "appoints ben", b)))}, false, []int{-1, 0}},
		"joined, and the outline has it": {[]match.Item{filed("20261", paged(item("1", "appoints ann", a)))},
			[]match.Item{filed("20261", item("1", "hires ben")), paged(item("2", "appoints ann", a))}, false, []int{1}},
		"swapped between equal titles": {[]match.Item{x, paged(linked(1, item("1", "pays bills", a)))},
			[]match.Item{x, paged(linked(2, item("1", "pays bills", a)))}, false, []int{0, 1}},
		"minutes come": {[]match.Item{item("1", "pays bills"), x}, []match.Item{item("1a", "pays bills", a), x},
			false, []int{0, 1}},
		"read otherwise by a new version": {[]match.Item{item("1", "pays bills", a), item("2", "pays bills", a)},
			[]match.Item{item("1", "pays bills", b), item("2", "pays bills", c)}, true, []int{0, 1}},
		"a new version finds one, loses one": {[]match.Item{{Votes: []match.Vote{a}}, {Votes: []match.Vote{b}}},
			[]match.Item{{Votes: []match.Vote{b}}, {Votes: []match.Vote{c}}}, true, []int{-1, 0}},
		"a motion above": {[]match.Item{{Votes: []match.Vote{a}}}, []match.Item{{Votes: []match.Vote{b}}, {Votes: []match.Vote{a}}},
			false, []int{1}},
		"a motion above, corrected": {[]match.Item{{Votes: []match.Vote{a}}},
			[]match.Item{{Votes: []match.Vote{b}}, {Votes: []match.Vote{corrected}}}, false, []int{1}},
		"the same motion twice": {[]match.Item{{Votes: []match.Vote{a}}}, []match.Item{{Votes: []match.Vote{a}}, {Votes: []match.Vote{a}}},
			false, []int{-1}},
		"another motion": {[]match.Item{{Votes: []match.Vote{a}}}, []match.Item{{Votes: []match.Vote{b}}}, false, []int{-1}},
	} {
		if got := match.Identify(test.old, test.now, test.reread); !slices.Equal(got, test.want) {
			t.Errorf("%s: Identify = %v, want %v", name, got, test.want)
		}
		for _, list := range [][]match.Item{test.old, test.now} {
			for i, j := range match.Identify(list, list, test.reread) {
				if i != j {
					t.Errorf("%s: unchanged item %d became %d", name, i, j)
				}
			}
		}
	}
}
