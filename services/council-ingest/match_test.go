package councilingest

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/match"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

func named(number, file, title string) record.Item {
	return record.Item{FileNumber: &file, ItemNumber: &number, Title: title}
}

func TestOutlinePairs(t *testing.T) {
	t.Parallel()
	withFile := func(it record.Item) record.Item { it.LegifileID = new(int64(7)); return it }
	for name, test := range map[string]struct {
		a, b []record.Item
		want []int
	}{
		"same": {[]record.Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]record.Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")}, []int{0, 1}},
		"inserted above": {[]record.Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]record.Item{named("1.", "", "Dredging"), named("2.", "", "Sweeping"), named("3.", "", "Lighting")}, []int{1, 2}},
		"corrected title": {[]record.Item{named("1.", "", "Award of the street sweping contract")},
			[]record.Item{named("1.", "", "Award of the street sweeping contract")}, []int{0}},
		"cut title": {[]record.Item{named("4.", "", "Award of the contract")},
			[]record.Item{named("4.", "", "Award of the contract for street sweeping to the lowest bidder")}, []int{0}},
		"file number wins": {[]record.Item{named("1.", "2026-1", "Old words")},
			[]record.Item{named("1.", "2026-2", "Old words about it"), named("2.", "2026-1", "Quite new")}, []int{1}},
		"legislative file": {[]record.Item{withFile(named("1.", "", "Old words"))},
			[]record.Item{named("1.", "", "Other"), withFile(named("9.", "", "New title"))}, []int{1}},
		"moved under another heading": {[]record.Item{named("4.", "", "Final map"), named("5.", "", "Grant")},
			[]record.Item{named("5.", "2026-5", "Grant"), named("4.", "2026-4", "Final map")}, []int{1, 0}},
		"twice the same title": {[]record.Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")},
			[]record.Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")}, []int{0, 1}},
		"never by position alone": {[]record.Item{named("1.", "", "Sweeping")},
			[]record.Item{named("1.", "", "Dredging the harbour")},
			[]int{-1}},
		"nothing": {nil, []record.Item{named("1.", "", "Sweeping")}, []int{}},
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
		var a, b []record.Item
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
	vote := func(outcome, mover string) record.Vote {
		return record.Vote{ResultRaw: outcome, Mover: &mover, Seconder: new("not " + mover),
			Roll: council.NewRoll([]string{mover})}
	}
	a, b, c := vote("ADOPTED", "1"), vote("FAILED", "10"), vote("TABLED", "20")
	corrected := a
	corrected.ResultRaw = "FAILED"
	item := func(number, title string, votes ...record.Vote) record.Item {
		return record.Item{ItemNumber: &number, Title: title, Section: new("resolutions"), Votes: votes}
	}
	filed := func(file string, t record.Item) record.Item { t.FileNumber = &file; return t }
	linked := func(file int64, t record.Item) record.Item { t.LegifileID = &file; return t }
	paged := func(t record.Item) record.Item { t.Page = new(1); return t }
	moved := func(section string, t record.Item) record.Item { t.Section = &section; return t }
	ofVotes := func(votes ...record.Vote) (items []record.Item) {
		for _, v := range votes {
			items = append(items, record.Item{Votes: []record.Vote{v}})
		}
		return items
	}
	x, y := item("9", "opens the harbour", c), item("8", "closes the landing", vote("ADOPTED", "30"))
	for name, test := range map[string]struct {
		old, now []record.Item
		reread   bool
		want     []int
	}{
		"another of the title above": {[]record.Item{item("1", "pays bills", a)},
			[]record.Item{item("1", "pays bills", b), item("2", "pays bills", a)}, false, []int{1}},
		"the same to the letter above": {[]record.Item{item("1", "pays bills", a)},
			[]record.Item{item("1", "pays bills", a), item("2", "pays bills", a)}, false, []int{-1}},
		"and a neighbour decides": {[]record.Item{x, item("1", "pays bills", a)}, []record.Item{item("1", "pays bills", a), x,
			item("2", "pays bills", a)}, false, []int{1, 2}},
		"and a heading decides": {[]record.Item{item("1", "pays bills", a)},
			[]record.Item{moved("consent", item("1", "pays bills", a)), item("2", "pays bills", a)}, false, []int{1}},
		"one of two equals is gone": {[]record.Item{item("1", "pays bills", a), item("2", "pays bills", a)},
			[]record.Item{item("1", "pays bills", a)}, false, []int{-1, -1}},
		"nothing changed": {[]record.Item{item("1", "pays bills", a), item("2", "pays bills", a),
			item("3", "pays bills")}, []record.Item{item("1", "pays bills", a), item("2", "pays bills", a),
			item("3", "pays bills")}, false, []int{0, 1, 2}},
		"above, and a correction": {[]record.Item{x, item("1", "pays bills", a), y},
			[]record.Item{x, item("1", "pays bills", b),
				item("2", "pays bills", corrected), y}, false, []int{0, 2, 3}},
		"another in its place": {[]record.Item{x, item("1", "pays bills", a), y},
			[]record.Item{x, item("1", "pays bills", b), y},
			false, []int{0, -1, 2}},
		"another above, of another file": {[]record.Item{filed("20261", item("1", "pays bills", b)), x,
			filed("20263", item("3", "pays bills", a))},
			[]record.Item{filed("20260", item("1", "pays bills", a)), filed("20261", item("2", "pays bills", b)), x,
				filed("20263", item("4", "pays bills", a))}, false, []int{1, 2, 3}},
		"another in its place, of its file": {[]record.Item{filed("20261", item("1", "pays bills", a))},
			[]record.Item{filed("20261", item("1", "pays bills", b))}, false, []int{0}},
		"another file": {[]record.Item{filed("20261", item("1", "pays bills", a))},
			[]record.Item{filed("20262", item("1", "pays bills", a))}, false, []int{-1}},
		"another of the portal's files": {[]record.Item{x, linked(1, item("1", "appoints ann to the board"))},
			[]record.Item{x, linked(2, item("1", "appoints ben to the board"))}, false, []int{0, -1}},
		"of the same title": {[]record.Item{x, linked(1, item("1", "pays bills"))},
			[]record.Item{x, linked(2, item("1", "pays bills"))}, false, []int{0, -1}},
		"under another title": {[]record.Item{linked(1, item("1", "appoints ann"))},
			[]record.Item{linked(1, item("7", "hires ann"))}, false, []int{0}},
		"joined to a title in the minutes": {[]record.Item{linked(1, item("1", "appoints ann")), x},
			[]record.Item{x, paged(linked(1, item("7", "appoints ben", b)))}, false, []int{-1, 0}},
		"joined, and the outline has it": {[]record.Item{filed("20261", paged(item("1", "appoints ann", a)))},
			[]record.Item{filed("20261", item("1", "hires ben")), paged(item("2", "appoints ann", a))}, false, []int{1}},
		"swapped between equal titles": {[]record.Item{x, paged(linked(1, item("1", "pays bills", a)))},
			[]record.Item{x, paged(linked(2, item("1", "pays bills", a)))}, false, []int{0, 1}},
		"minutes come": {[]record.Item{item("1", "pays bills"), x}, []record.Item{item("1a", "pays bills", a), x},
			false, []int{0, 1}},
		"read otherwise by a new version": {[]record.Item{item("1", "pays bills", a), item("2", "pays bills", a)},
			[]record.Item{item("1", "pays bills", b), item("2", "pays bills", c)}, true, []int{0, 1}},
		"a new version finds one, loses one": {ofVotes(a, b), ofVotes(b, c), true, []int{-1, 0}},
		"a motion above":                     {ofVotes(a), ofVotes(b, a), false, []int{1}},
		"a motion above, corrected":          {ofVotes(a), ofVotes(b, corrected), false, []int{1}},
		"the same motion twice":              {ofVotes(a), ofVotes(a, a), false, []int{-1}},
		"another motion":                     {ofVotes(a), ofVotes(b), false, []int{-1}},
	} {
		if got, _ := match.Identify(test.old, test.now, test.reread); !slices.Equal(got, test.want) {
			t.Errorf("%s: Identify = %v, want %v", name, got, test.want)
		}
		for _, list := range [][]record.Item{test.old, test.now} {
			same, _ := match.Identify(list, list, test.reread)
			for i, j := range same {
				if i != j {
					t.Errorf("%s: unchanged item %d became %d", name, i, j)
				}
			}
		}
	}
}
