package classify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"pgregory.net/rapid"
)

func claimed(topic, quote string, summary any) string {
	text, _ := json.Marshal(map[string]any{"topic": topic, "summary": summary, "quote": quote})
	return string(text)
}

var sewer = Input{Section: "Public Works", Title: "Award of Contract to O’Neill & Sons for the Mill St. Sewer Main, " +
	"Phase 2, in an Amount Not to Exceed $1,250,000.00, by June 30, 2027 (5% retention)"}

func TestJudge(t *testing.T) {
	t.Parallel()
	good := claimed("utilities", "Sewer Main", "Awards a contract for the Mill St. Sewer Main.")
	for _, test := range []struct {
		name, written string
		want          verdict
	}{
		{"all well", good, verdict{Topic: council.TopicUtilities, Summary: "Awards a contract for the Mill St. Sewer Main.",
			Quote: "Sewer Main"}},
		{"no topic, with a summary", claimed("none", "Phase 2", "Concerns phase 2 of a contract."),
			verdict{Summary: "Concerns phase 2 of a contract.", Quote: "Phase 2"}},
		{"nothing at all", claimed("none", "", nil), verdict{}},
		{"a fence", "Here you are:\n```json\n" + good + "\n```\n", verdict{Topic: council.TopicUtilities,
			Summary: "Awards a contract for the Mill St. Sewer Main.", Quote: "Sewer Main"}},
		{"thought aloud", "<think>{sewer?}</think>\n" + claimed("utilities", "Sewer Main", nil),
			verdict{Topic: council.TopicUtilities, Quote: "Sewer Main"}},
		{"an empty summary", claimed("utilities", "Sewer Main", " "), verdict{Topic: council.TopicUtilities,
			Quote: "Sewer Main"}},
		{"the heading as evidence", claimed("utilities", "Public Works", nil), verdict{Topic: council.TopicUtilities,
			Quote: "Public Works"}},
		{"blanks in a quote", claimed("utilities", "Sewer\n Main", nil), verdict{Topic: council.TopicUtilities,
			Quote: "Sewer Main"}},
		{"an invented topic", claimed("sewers", "Sewer Main", nil), verdict{Refused: []Reason{TopicUnknown}}},
		{"a topic in capitals", claimed("Utilities", "Sewer Main", nil), verdict{Refused: []Reason{TopicUnknown}}},
		{"an altered quote", claimed("utilities", "Sewer Mains", nil), verdict{Refused: []Reason{QuoteMissing}}},
		{"a quote of punctuation", claimed("utilities", " 2, ", nil), verdict{Refused: []Reason{QuoteMissing}}},
		{"no quote", claimed("utilities", "", nil), verdict{Refused: []Reason{QuoteMissing}}},
		{"a summary without evidence", claimed("none", "", "Awards a contract for the Mill St. Sewer Main."),
			verdict{Refused: []Reason{QuoteMissing}}},
		{"another member", `{"topic":"utilities","summary":null,"quote":"Sewer Main","votes":"5-0"}`,
			verdict{Refused: []Reason{Malformed}}},
		{"a member missing", `{"topic":"utilities","quote":"Sewer Main"}`, verdict{Refused: []Reason{Malformed}}},
		{"a number for a topic", `{"topic":3,"summary":null,"quote":"Sewer Main"}`, verdict{Refused: []Reason{Malformed}}},
		{"two objects", good + good, verdict{Refused: []Reason{Malformed}}},
		{"half an object", good[:30], verdict{Refused: []Reason{Malformed}}},
		{"prose", "It is about utilities.", verdict{Refused: []Reason{Malformed}}},
		{"nothing", "", verdict{Refused: []Reason{Malformed}}},
		{"a bad summary costs the summary alone", claimed("utilities", "Sewer Main", "Awards a contract of $9,000,000 for "+
			"the sewer main."),
			verdict{Topic: council.TopicUtilities, Quote: "Sewer Main", Refused: []Reason{SummaryFigure}}},
	} {
		got := judge(sewer, test.written, false)
		if got.Topic != test.want.Topic || got.Summary != test.want.Summary || got.Quote != test.want.Quote ||
			!slices.Equal(got.Refused, test.want.Refused) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	if got := judge(sewer, good, true); got.Topic != "" || !slices.Equal(got.Refused, []Reason{Declined}) {
		t.Errorf("the verdict on a declined answer is %+v", got)
	}
}

func TestSummariesMatchTheItem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		summary string
		want    []Reason
	}{
		{"Awards a contract to O'Neill & Sons not to exceed $1,250,000.", nil},
		{"Awards a contract of $1,250,000 for the Mill St. Sewer Main by June 30, 2027.", nil},
		{"The city awards a contract with 5 percent retention.", nil},
		{"Awards phase 2 of the sewer main to O’NEILL.", nil},
		// Figures that differ slightly.
		{"Awards a contract of $1,205,000 for the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract of 1,250,000 feet of sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract of $1.25 million for the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract with $5 retention for the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract of 2 million for the sewer main.", []Reason{SummaryFigure}},
		{"Awards two contracts for the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract for the sewer main by June 2, 2027.", []Reason{SummaryFigure}},
		{"Awards a contract for the sewer main by July 30, 2027.", []Reason{SummaryFigure, SummaryName}},
		{"Awards a contract for the sewer main by 6/30/2027.", []Reason{SummaryFigure}},
		{"Awards a contract of ½ of the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract of ５ million for the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract of zero dollars for the sewer main.", []Reason{SummaryFigure}},
		{"Awards a contract for a quarter of the sewer main.", []Reason{SummaryFigure}},
		// Names.
		{"Awards a contract to O'Neal & Sons for the sewer main.", []Reason{SummaryName}},
		{"Awards a contract to Mill Sons for the sewer main.", []Reason{SummaryName}},
		{"Acme builds the sewer main on this contract.", []Reason{SummaryName}},
		{"Awards a contract on behalf of Mayor Finch for the sewer main.", []Reason{SummaryName}},
		{"Awards the contract for the UV plant of the sewer main.", []Reason{SummaryName}},
		// Outcomes.
		{"Contract for the sewer main passed with no nays.", []Reason{SummaryResult}},
		{"The council unanimously awards the contract for the sewer main.", []Reason{SummaryResult}},
		// Shape of the summary.
		{"Sewer main.", []Reason{SummaryShape}},
		{"Awards a contract for the sewer main. Awards the amount.", []Reason{SummaryShape}},
		{"Awards a **contract** for the sewer main.", []Reason{SummaryShape}},
		{"Awards a contract <script> for the sewer main.", []Reason{SummaryShape}},
		{"Awards a contract for the sewer main by 二〇二七.", []Reason{SummaryShape, SummaryFigure}},
		{"Awards a contract for the ѕewer main.", []Reason{SummaryShape}},
		{"Awards a contract for the sewer main\nin this amount.", []Reason{SummaryShape}},
		{"Awards a contract for the sewer main \u202e in this amount.", []Reason{SummaryShape}},
		{"Awards a contract for the sewer main, see http://o.example.", []Reason{SummaryShape}},
		{"Awards a contract for the sewer main " + strings.Repeat("in this amount ", 20), []Reason{SummaryShape}},
	} {
		if got := faults(test.summary, sewer.cut()); !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.summary, got, test.want)
		}
	}
	// A summary may repeat words of outcome that the item has.
	tabled := Input{Title: "Tabled from May 6: Rejected Bids for the Vote Center"}
	if got := faults("Concerns rejected bids for the vote center, tabled from May 6.", tabled); got != nil {
		t.Errorf("faults for the item's own words: %v", got)
	}
	if got := faults("Concerns rejected bids adopted for the vote center.", tabled); !slices.Equal(got,
		[]Reason{SummaryResult}) {
		t.Errorf("faults for another word of outcome: %v", got)
	}
}

// A title supports a summary that repeats the title. A title does not support figures and names
// that the summary adds.
func TestGuardsOnAnyTitle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`[A-Z]?[a-zé]{1,9}('s|’s)?`),
			rapid.StringMatching(`\$?[1-9][0-9]{0,2}(,[0-9]{3}){0,2}(\.[0-9]{2})?%?`),
			rapid.SampledFrom([]string{"May", "June", "million", "percent", "No.", "St.", "&", "-", "three", "(b)", "R-4",
				"2026-27", "FAILED", "$"})), 3, 25).Draw(t, "words")
		title := strings.Join(words, " ")
		in := Input{Title: title}.cut()
		given := tokenize(in.Title)
		if !figuresHold(given, given) || !namesHold(given, given) || mentionsResult(given, given) {
			t.Fatalf("%q does not support itself", title)
		}
		at := rapid.IntRange(0, len(words)).Draw(t, "at")
		figure := "$" + rapid.StringMatching(`[1-9][0-9]{10}`).Draw(t, "figure")
		altered := strings.Join(slices.Insert(slices.Clone(words), at, figure), " ")
		if figuresHold(tokenize(altered), given) {
			t.Fatalf("the altered figures of %q count as supported by %q", altered, title)
		}
		altered = strings.Join(slices.Insert(slices.Clone(words), at, "Quixxle"), " ")
		if namesHold(tokenize(altered), given) {
			t.Fatalf("the altered names of %q count as supported by %q", altered, title)
		}
	})
}

func FuzzJudge(f *testing.F) {
	f.Add("Public Works", "Award of Contract for the Sewer Main",
		claimed("utilities", "Sewer Main", "Awards a contract for the sewer main."))
	f.Add("", "$ % . , St. \xff", `{"topic":"none","summary":"\u0000$ %","quote":"St."}`)
	f.Fuzz(func(t *testing.T, section, title, written string) {
		in := Input{section, title}
		v := judge(in, written, false)
		if v.Topic != "" && !slices.Contains(council.Topics(), v.Topic) {
			t.Errorf("unknown topic %q", v.Topic)
		}
		if (v.Topic != "" || v.Summary != "") && !strings.Contains(council.Fold(title), v.Quote) &&
			!strings.Contains(council.Fold(section), v.Quote) {
			t.Errorf("the quote %q is not in %q", v.Quote, title)
		}
		if len([]rune(v.Summary)) > mostSummary {
			t.Errorf("the summary has %d characters", len([]rune(v.Summary)))
		}
	})
}
