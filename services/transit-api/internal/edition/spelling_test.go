package edition

import (
	"context"
	"slices"
	"testing"
)

// A search that finds nothing tries abbreviations, similar words, and fewer words, in this order.
func TestSearchForgiving(t *testing.T) {
	t.Parallel()
	e := New([]Stop{
		stopNamed("1", "Barrington St & Duke St", "", ""), stopNamed("2", "Spring Garden Rd before Queen St", "", ""),
		stopNamed("3", "Lacewood Terminal Bay 2", "", ""), stopNamed("4", "Bayers Rd after Connaught Ave", "", ""),
		stopNamed("5", "Prince St & Argyle St", "", ""), stopNamed("6", "Princess Margaret Blvd", "", ""),
		stopNamed("7", "Quiet Road", "", ""), stopNamed("8", "Saint-Étienne Station", "", ""),
		stopNamed("9", "Union St & University Ave", "", ""), stopNamed("10", "Main St", "4711", ""),
	}, nil)
	feeds := []*Feed{{Alias: "unloaded"}, {Alias: "town", Edition: e}}
	for q, want := range map[string]struct {
		corrected string
		ids       []string
	}{
		"barrington":        {"", []string{"1"}},
		"barington":         {"barrington", []string{"1"}},
		"spring gardn":      {"spring garden", []string{"2"}},
		"lacewood termnal":  {"lacewood terminal", []string{"3"}},
		"prinecss":          {"princess", []string{"6"}},
		"bayers road":       {"bayers rd", []string{"4"}}, // another stop has "Road"
		"quiet rd":          {"quiet road", []string{"7"}},
		"st etienne":        {"", []string{"8"}}, // the beginning of Station
		"princes street":    {"prince st", []string{"5"}},
		"bariington street": {"barrington st", []string{"1"}},
		"queens university": {"university", []string{"9"}}, // no stop has a word like "queens" as well
		"4712":              {"", nil},                     // a number is not corrected
		"main 4712":         {"", nil},                     // nor left out
		"zzzzzz":            {"", nil},
	} {
		hits, total, corrected, err := SearchForgiving(context.Background(), feeds, Search{Terms: ParseTerms(q)}, 10)
		var ids []string
		for _, h := range hits {
			ids = append(ids, h.StopID)
		}
		if err != nil || total != len(want.ids) || corrected != want.corrected || !slices.Equal(ids, want.ids) {
			t.Errorf("%q: %q, %d of %q, %v; want %q, %q", q, corrected, total, ids, err, want.corrected, want.ids)
		}
	}
}

// A canceled search ends with the error of its context.
func TestSearchForgivingEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	feeds := []*Feed{{Alias: "town", Edition: New([]Stop{stopNamed("1", "Main St", "", "")}, nil)}}
	if _, _, _, err := SearchForgiving(ctx, feeds, Search{Terms: ParseTerms("maine")}, 10); err == nil {
		t.Error("no error")
	}
}
