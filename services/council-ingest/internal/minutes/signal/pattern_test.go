package signal

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

// A pattern finds what its regular expression finds.
func TestPatternsFindWhatExpressionsFind(t *testing.T) {
	t.Parallel()
	texts := []string{"", "the motion carried 4-1", "so voted", "ayes: 5 nays: 0", "4 ayes, 1 nay", "no second",
		"five were in favor",
		"adopte a l'unanimite", "nem con", "no's votes", "moved, unanimously", "x2nd by roe", "all those present voted aye",
		"it was laid on the table", "for want of a second", "unanimously", "withdrew", "voted yes", "6th february",
		"y-4; n-1",
		"14 ayes, 12 nays", "refuse par 27 non contre 14 oui et 103 abstentions", "35 voix contre 16",
		"16 votos a favor y 15 en contra"}
	for name, p := range map[string]*lexicon.Pattern{"harmless": harmless, "tie": tieMark, "other day": otherDay,
		"voted how": votedHow, "casting": Casting, "opened": OpenedVote, "body": bodyOf} {
		for _, text := range texts {
			want, got := regexp.MustCompile(p.String()).FindAllStringSubmatchIndex(text, -1),
				p.FindAllStringSubmatchIndex(text, -1)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in %q (-want +got):\n%s", name, text, diff)
			}
		}
	}
}
