package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

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
	vote := []record.Vote{{MotionSeq: 1, Roll: council.NewRoll([]string{"J. Doe", "Jane  Doe", "Ann Archer"},
		[]string{"Ann Archer"})}}
	rec := &record.Record{Items: []record.Item{
		{ItemNumber: council.Some("2."), FileNumber: council.Some("2026-2"), Title: "Sweeping", Votes: vote},
		{ItemNumber: council.Some("4."), FileNumber: council.Some("2026-4"), Title: "Dredging", Votes: vote},
		{Title: "Adjournment", Votes: vote},
	}}
	names, _ := NamesOnBody(map[string][]string{"Jane A. Doe": {"J. Doe", "Jane Doe"}}, "")
	s := Compose(outline, rec, names)
	var got []string
	for _, it := range s.Items {
		file := int64(0)
		if it.LegifileID != nil {
			file = *it.LegifileID
		}
		got = append(got, fmt.Sprintf("%s %s %d %d %t", council.Text(it.ItemNumber), it.Title, file, len(it.Votes),
			it.IsConsent))
	}
	want := []string{"1. Proclamation 0 0 true", "2. Sweeping 52 1 false", "3. Receive the report 0 0 true",
		"4. Dredging 54 1 false", "5. Lighting 0 0 false", " Adjournment 0 1 false"}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// If one person has two spellings or two rows, the first one counts.
	if p := s.Items[1].Votes[0].Roll; !slices.Equal(p, council.NewRoll([]string{"Jane A. Doe", "Ann Archer"})) {
		t.Errorf("the positions are %+v", p)
	}
	places := []int{}
	for _, a := range s.Anomalies {
		places = append(places, a.Item)
	}
	if !slices.Equal(places, []int{1, 1, 3, 3, 5, 5}) {
		t.Errorf("the anomalies belong to the items %v", places)
	}
}
