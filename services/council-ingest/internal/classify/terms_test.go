package classify

import (
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// A term that is listed twice under one topic would count twice.
func TestEveryTermIsListedOnce(t *testing.T) {
	t.Parallel()
	where := map[council.Topic]map[string]string{}
	eachTerm(func(topic council.Topic, weight float64, term string) {
		if where[topic] == nil {
			where[topic] = map[string]string{}
		}
		words, _ := wordsOf(term)
		key := strings.Join(words, " ")
		if before, twice := where[topic][key]; twice || key == "" {
			t.Errorf("%s: %q and %q are the same term", topic, term, before)
		}
		where[topic][key] = term
		if term != strings.ToLower(term) {
			t.Errorf("%s: %q is not in lower case", topic, term)
		}
		if !slices.Contains([]float64{0, 1, 2, 3, 4, 6}, weight) {
			t.Errorf("%s: %q has the weight %v", topic, term, weight)
		}
	})
	for _, topic := range council.Topics() {
		if len(where[topic]) == 0 {
			t.Errorf("topic %s has no terms", topic)
		}
		delete(where, topic)
	}
	if len(where) > 0 {
		t.Errorf("topics that the API lacks: %v", where)
	}
}

func TestTheGuideDefinesEveryTopic(t *testing.T) {
	t.Parallel()
	var defined []council.Topic
	for _, d := range guide {
		defined = append(defined, d.Topic)
	}
	if !slices.Equal(defined, council.Topics()) {
		t.Errorf("the guide defines the topics %v", defined)
	}
}
