package classify

import (
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// A term that stands twice under a topic would count twice.
func TestEveryTermIsListedOnce(t *testing.T) {
	t.Parallel()
	for _, topic := range council.Topics() {
		if len(vocabulary[topic]) == 0 {
			t.Errorf("%s: no terms", topic)
		}
		where := map[string]string{}
		for _, w := range vocabulary[topic] {
			for term := range strings.SplitSeq(w.terms, ",") {
				key := joined(wordsOf(term))
				if before, twice := where[key]; twice || key == "" {
					t.Errorf("%s: %q and %q are one term", topic, strings.TrimSpace(term), strings.TrimSpace(before))
				}
				where[key] = term
				if term != strings.ToLower(term) {
					t.Errorf("%s: %q is not in lower case", topic, term)
				}
			}
		}
	}
	if len(vocabulary) != len(council.Topics()) {
		t.Error("the vocabulary has a topic that the API has not")
	}
}

func TestTheGuideDefinesEveryTopic(t *testing.T) {
	t.Parallel()
	var defined []council.Topic
	for _, d := range guide {
		defined = append(defined, d.Topic)
	}
	if !slices.Equal(defined, council.Topics()) {
		t.Errorf("the guide defines %v", defined)
	}
}
