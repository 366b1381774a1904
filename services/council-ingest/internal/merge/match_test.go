package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

func named(number, file, title string) Item {
	return Item{Item: record.Item{ItemNumber: text(number), FileNumber: text(file), Title: title}}
}

func TestPair(t *testing.T) {
	t.Parallel()
	id := int64(7)
	withFile := func(it Item) Item { it.LegifileID = &id; return it }
	for name, test := range map[string]struct {
		a, b []Item
		want []int
	}{
		"same": {[]Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")}, []Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")}, []int{0, 1}},
		"inserted above": {[]Item{named("1.", "", "Sweeping"), named("2.", "", "Lighting")},
			[]Item{named("1.", "", "Dredging"), named("2.", "", "Sweeping"), named("3.", "", "Lighting")}, []int{1, 2}},
		"corrected title":             {[]Item{named("1.", "", "Award of the street sweping contract")}, []Item{named("1.", "", "Award of the street sweeping contract")}, []int{0}},
		"cut title":                   {[]Item{named("4.", "", "Award of the contract")}, []Item{named("4.", "", "Award of the contract for street sweeping to the lowest bidder")}, []int{0}},
		"file number wins":            {[]Item{named("1.", "2026-1", "Old words")}, []Item{named("1.", "2026-2", "Old words about it"), named("2.", "2026-1", "Quite new")}, []int{1}},
		"legislative file":            {[]Item{withFile(named("1.", "", "Old words"))}, []Item{named("1.", "", "Other"), withFile(named("9.", "", "New title"))}, []int{1}},
		"moved under another heading": {[]Item{named("4.", "", "Final map"), named("5.", "", "Grant")}, []Item{named("5.", "2026-5", "Grant"), named("4.", "2026-4", "Final map")}, []int{1, 0}},
		"twice the same title":        {[]Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")}, []Item{named("1.", "", "Minutes"), named("2.", "", "Minutes")}, []int{0, 1}},
		"never for the place alone":   {[]Item{named("1.", "", "Sweeping")}, []Item{named("1.", "", "Dredging the harbour")}, []int{-1}},
		"nothing":                     {nil, []Item{named("1.", "", "Sweeping")}, []int{}},
	} {
		if got := pair(keysOf(test.a), keysOf(test.b)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// Whatever is inserted and taken out, what stays is recognised, and nobody twice.
func TestPairKeepsWhatStays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		titles := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3,9}( [a-z]{3,9}){2,5}`), 1, 20, func(s string) string { return s }).Draw(t, "titles")
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
		for i, j := range pair(keysOf(a), keysOf(b)) {
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

func TestComposeKeepsOrderAndAnomalies(t *testing.T) {
	t.Parallel()
	outline := []portal.Item{
		{Title: "Consent Calendar", Section: true},
		{Level: 1, Number: "1.", Title: "Proclamation", URL: "https://p/1"},
		{Level: 1, Number: "2.", Title: "Sweeping", LegifileID: 52},
		{Level: 1, Number: "3.", Title: "Receive the report"},
		{Level: 1, Number: "4.", Title: "Dredging", LegifileID: 54},
		{Title: "Items Removed from the Consent Calendar", Section: true},
		{Level: 1, Number: "5.", Title: "Lighting"},
	}
	vote := []record.Vote{{MotionSeq: 1, Positions: record.Positions{Aye: []string{"J. Doe", "Jane  Doe", "Ann Archer"}, Nay: []string{"Ann Archer"}}}}
	rec := &record.Record{Items: []record.Item{
		{ItemNumber: text("2."), FileNumber: text("2026-2"), Title: "Sweeping", Votes: vote},
		{ItemNumber: text("4."), FileNumber: text("2026-4"), Title: "Dredging", Votes: vote},
		{Title: "Adjournment", Votes: vote},
	}}
	s := Compose(outline, rec, NewNames(map[string][]string{"Jane A. Doe": {"J. Doe", "Jane Doe"}}))
	var got []string
	for _, it := range s.Items {
		file := int64(0)
		if it.LegifileID != nil {
			file = *it.LegifileID
		}
		got = append(got, fmt.Sprintf("%s %s %d %d %t", deref(it.ItemNumber), it.Title, file, len(it.Votes), it.IsConsent))
	}
	want := []string{"1. Proclamation 0 0 true", "2. Sweeping 52 1 false", "3. Receive the report 0 0 true", "4. Dredging 54 1 false", "5. Lighting 0 0 false", " Adjournment 0 1 false"}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Two spellings of one person, and one person in two rows: the first counts, and it is said.
	if p := s.Items[1].Votes[0].Positions; !slices.Equal(p.Aye, []string{"Jane A. Doe", "Ann Archer"}) || len(p.Nay) != 0 {
		t.Errorf("positions %+v", p)
	}
	places := []int{}
	for _, a := range s.Anomalies {
		places = append(places, a.Item)
	}
	if !slices.Equal(places, []int{1, 1, 3, 3, 5, 5}) {
		t.Errorf("anomalies at items %v", places)
	}
}
