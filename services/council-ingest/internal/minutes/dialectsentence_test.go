package minutes_test

import (
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

// A town's own words are found on one line and across two lines.
func TestStatesRoll(t *testing.T) {
	t.Parallel()
	d := lexicon.New(lexicon.Words{Rolls: []string{"and the roll being called"}}, nil)
	for _, c := range []struct {
		text, below string
		at          int
	}{
		{"Moved by Doe, and the roll being called:", "", 14},
		{"Moved by Doe, and the roll", "being called, it was adopted.", 14},
		{"Moved by Doe, and the roll", "", -1},
		{"Moved by Doe, and the roll", "was not being called", -1},
		{"It carried by the", "following vote:", 11},
		{"", "and the roll being called", -1},
	} {
		if at := d.StatesRoll(c.text, c.below); at != c.at {
			t.Errorf("StatesRoll(%q, %q) = %d, want %d", c.text, c.below, at, c.at)
		}
	}
}
