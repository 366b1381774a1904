package words

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// fold is what the reader does with a text before it looks for words.
func fold(text string) string {
	text = strings.NewReplacer("’", "'", "–", "-", "“", `"`, "”", `"`).Replace(strings.ToLower(text))
	return regexp.MustCompile(`\p{M}`).ReplaceAllString(norm.NFD.String(text), "")
}

// Each row of words has a sample of its language with one of them, and the source of the sample.
func TestEverySampleHasItsWords(t *testing.T) {
	t.Parallel()
	for language := range strings.FieldsSeq(Languages) {
		for _, row := range Of(language) {
			if !regexp.MustCompile(`(?:^|\b|\W|\d)(?:` + row.Words + `)`).MatchString(fold(row.Sample)) {
				t.Errorf("%s: the sample %q has none of the words %s", language, row.Sample, row.Words)
			}
			if row.Source == "" {
				t.Errorf("%s: the sample %q has no source", language, row.Sample)
			}
			plain := regexp.MustCompile(`\\.`).ReplaceAllString(row.Words, "")
			if fold(plain) != plain {
				t.Errorf("%s: the words %s have capitals or accents", language, row.Words)
			}
		}
	}
}
