package classify

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

func TestKeywords(t *testing.T) {
	t.Parallel()
	k := NewKeywords()
	for _, test := range []struct {
		section, title string
		topic          council.Topic
		quote          string
	}{
		{"", "Replacement of the Sewer Main on Birch Street", council.TopicUtilities, "Sewer Main"},
		{"", "REPLACEMENT OF THE SEWER MAINS", council.TopicUtilities, "SEWER MAINS"},
		{"", "Receives the Treasurer’s Reports", council.TopicBudget, "Treasurer’s Reports"},
		{"", "Café Seating: Outdoor Dining Permit", council.TopicEconomy, "Outdoor Dining"},
		// The longer term hides the shorter one, so the item is not about police.
		{"", "Side Letter with the Police Officers Association", council.TopicPersonnel, "Side Letter"},
		// The names of streets do not decide.
		{"", "Water Street", "", ""},
		{"", "Park Avenue and Bridge Road", "", ""},
		// Topics that are similar, and titles without a topic.
		{"", "Housing and Water", "", ""},
		{"", "Adopt the Resolution", "", ""},
		{"", "", "", ""},
		// A heading helps a vague title, but does not override a clear one.
		{"Parks and Recreation", "Fees for the Coming Season", council.TopicParks, "Season"},
		{"Parks and Recreation", "Replacement of the Sewer Main and the Lift Station", council.TopicUtilities, "Sewer Main"},
		// Formal words do not outweigh the subject, even if there are many.
		{"", "Award of Contract and Purchase Order: Consultant Bid for Services Agreement on Homeless Shelter",
			council.TopicHomelessness, "Homeless"},
	} {
		got := k.Label(Input{test.section, test.title})
		if got.Topic != test.topic || test.quote != "" && got.Quote != test.quote {
			t.Errorf("%q, %q: %q by %q, want %q by %q", test.section, test.title, got.Topic, got.Quote, test.topic, test.quote)
		}
		if (got.Topic == "") != (got.Confidence == 0) {
			t.Errorf("%q: topic %q with confidence %v", test.title, got.Topic, got.Confidence)
		}
	}
}

// TestConfidencesAreMeasured compares the table of confidences with measurements on the calibration
// titles.
func TestConfidencesAreMeasured(t *testing.T) {
	t.Parallel()
	k := NewKeywords()
	edges := []float64{2, 3, 4, 6}
	right, answers := make([]float64, len(edges)), make([]float64, len(edges))
	for _, l := range readLabelled(t, "calibrate") {
		o := k.Label(Input{Title: l.Title})
		if o.Topic == "" {
			continue
		}
		bin := 0
		for i, from := range edges {
			if o.margin >= from {
				bin = i
			}
		}
		answers[bin]++
		if o.Topic == l.Topic {
			right[bin]++
		}
	}
	type bin struct{ from, right, answers float64 }
	worth := func(b bin) float64 { return math.Round(100*(b.right+1)/(b.answers+2)) / 100 }
	var bins []bin
	for i, from := range edges {
		bins = append(bins, bin{from, right[i], answers[i]})
		// A bin with a lower value than the bin before is merged with that bin, so that a greater margin
		// never has a lower confidence.
		for n := len(bins); n > 1 && worth(bins[n-1]) <= worth(bins[n-2]); n = len(bins) {
			bins[n-2].right += bins[n-1].right
			bins[n-2].answers += bins[n-1].answers
			bins = bins[:n-1]
		}
	}
	var want []step
	for _, b := range bins {
		want = append(want, step{b.from, worth(b)})
	}
	if !slices.Equal(want, confidences) {
		t.Errorf("the table has the confidences %v, measured are %v", confidences, want)
	}
}

func FuzzKeywords(f *testing.F) {
	k := NewKeywords()
	f.Add("Consent Calendar", "Award of Contract for the Élm Street’s Sewer Main")
	f.Add("", "\xff\x00İİ ʼn sewer'''")
	f.Fuzz(func(t *testing.T, section, title string) {
		o := k.Label(Input{section, title})
		if o.Topic == "" {
			if o != (Opinion{}) {
				t.Errorf("an opinion without a topic is %+v", o)
			}
			return
		}
		if o.Confidence <= 0 || o.Confidence >= 1 || o.Quote == "" || !strings.Contains(title, o.Quote) &&
			!strings.Contains(section, o.Quote) {
			t.Errorf("%q, %q: %+v", section, title, o)
		}
		if utf8.ValidString(title) && k.Label(Input{section, title}) != o {
			t.Error("the same question has two different answers")
		}
	})
}

// Each topic has a title that is obvious.
func TestObviousTopics(t *testing.T) {
	t.Parallel()
	k := NewKeywords()
	for title, topic := range map[string]council.Topic{
		"Housing and Zoning priorities":                                 council.TopicHousing,
		"An Act promoting housing stability":                            council.TopicHousing,
		"Condolences to the Family of an Example":                       council.TopicOther,
		"Congratulations to the Community Center on Its 90th Birthday":  council.TopicOther,
		"Sets Salaries of Police Officers":                              council.TopicPersonnel,
		"Residential permit parking on Example Street":                  council.TopicTransport,
		"Appointment of Jane Example as member of the Library Board":    council.TopicGovernance,
		"Reappoints a Member to the Zoning Board of Appeals":            council.TopicGovernance,
		"Promotes Jane Example to Lieutenant":                           council.TopicPersonnel,
		"Report of the Committee on Housing with an Affirmative Answer": council.TopicGovernance,
	} {
		if got := k.Label(Input{Title: title}); got.Topic != topic {
			t.Errorf("%q: %q by %q, want %q", title, got.Topic, got.Quote, topic)
		}
	}
}
