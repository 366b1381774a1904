package lexicon

import (
	"regexp"
	"testing"
)

// Each row of words has a sample of its language with one of them, and the source of the sample.
func TestEverySampleHasItsWords(t *testing.T) {
	t.Parallel()
	for language, rows := range languages {
		for _, row := range rows {
			sample, _ := FoldText(row.sample)
			if !regexp.MustCompile(`\b(?:` + row.words + `)`).MatchString(sample) {
				t.Errorf("%s: the sample %q has none of the words %s", language, row.sample, row.words)
			}
			if row.source == "" {
				t.Errorf("%s: the sample %q has no source", language, row.sample)
			}
			if folded, _ := FoldText(row.words); folded != row.words {
				t.Errorf("%s: the words %s have capitals or accents", language, row.words)
			}
		}
	}
}
