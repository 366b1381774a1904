package classify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
)

// A realTitle is a title of a real agenda and its acceptable topics, the best first. The topic ""
// means that the title has no clear topic.
type realTitle struct {
	City, Title string
	Topics      []council.Topic
}

// realTitles reads one half of the labelled titles of real agendas, which are not in this
// repository.
func realTitles(t *testing.T, half string) []realTitle {
	t.Helper()
	data := sample.Read(t, "council/topics/"+half+".tsv")
	var out []realTitle
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cells) != 3 {
			t.Fatalf("want city, topics and title: %q", line)
		}
		r := realTitle{City: cells[0], Title: cells[2]}
		for topic := range strings.SplitSeq(cells[1], "/") {
			if topic == none {
				topic = ""
			}
			r.Topics = append(r.Topics, council.Topic(topic))
		}
		out = append(out, r)
	}
	return out
}

// realMeasured has the figures of the accuracy card for the test half: number of titles, share
// answered, precision and recall by any accepted topic, precision and recall by the best topic, and
// answers for titles without a topic.
const realMeasured = "158 | 0.80 | 0.92 | 0.75 | 0.83 | 0.67 | 1 of 4"

// realVersion is the version of the term list that was measured.
const realVersion = "6337a59cfe5a"

// On real titles that did not influence the terms, nine of ten labels are right, and seven of ten
// titles get a label.
func TestRealTitles(t *testing.T) {
	t.Parallel()
	k := NewKeywords()
	for _, half := range []string{"tune", "test"} {
		titles, answers, right, best, found, invented, without := 0, 0, 0, 0, 0, 0, 0
		for _, r := range realTitles(t, half) {
			got := k.Label(Input{Title: r.Title}).Topic
			if r.Topics[0] != "" {
				titles++
			} else {
				without++
			}
			if got == "" {
				if half == "tune" && r.Topics[0] != "" {
					t.Logf("no answer, want %v: %s", r.Topics, council.Clip(r.Title, 160))
				}
				continue
			}
			answers++
			if r.Topics[0] == "" {
				invented++
			}
			switch {
			case slices.Contains(r.Topics, got):
				right++
				if r.Topics[0] == got {
					best++
				}
				if r.Topics[0] != "" {
					found++
				}
			case half == "tune":
				t.Logf("%s, want %v: %s", got, r.Topics, council.Clip(r.Title, 160))
			}
		}
		line := fmt.Sprintf("%d | %s | %s | %s | %s | %s | %d of %d", titles, share(answers-invented, titles),
			share(right, answers), share(found, titles),
			share(best, answers), share(best, titles), invented, without)
		t.Logf("%s: %s", half, line)
		if half == "test" && (10*right < 9*answers || 10*found < 7*titles) {
			t.Error("too many labels are wrong or missing")
		}
		if half == "test" && (line != realMeasured || keywordsVersion() != realVersion) {
			t.Errorf("measured %s in version %s, the card has %s in %s", line, keywordsVersion(), realMeasured, realVersion)
		}
	}
}
