package minutes

import (
	"os"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// unreadIn returns the anomaly about unread votes, or "" if there is none.
func unreadIn(text string) string {
	for _, a := range Parse(text, Options{}).Anomalies {
		if a.Code == council.CodeVotesUnread {
			return a.Message
		}
	}
	return ""
}

const readVote = `
RESULT: ADOPTED [2 TO 1]
MOVER: Odile Brandt
SECONDER: Teodor Vance
AYES: Odile Brandt, Teodor Vance
NAYS: Suki Arano
`

// Minutes with unread votes have an anomaly. Other minutes have none.
func TestUnreadVotesAreReported(t *testing.T) {
	t.Parallel()
	head := "Town Board\nMarch 3, 2026\n\n"
	gap := strings.Repeat("The board heard the report of its engineer on the bridges.\n\n", 20)
	unknown := "3. Sets Fees\n\nHands were counted, and the Board votes as follows.\n\nYEAS ARE 3 - Brandt, Vance, " +
		"Arano.\nResult: carried, and so ordered.\n"
	for name, c := range map[string]struct{ text, want string }{
		"a roll in no known form": {head + gap + unknown,
			"line 48: not read as a vote: YEAS ARE 3 - Brandt, Vance, Arano."},
		"a known and an unknown form": {head + "1. Sets Tolls\n" + readVote + gap + unknown,
			"line 56: not read as a vote: Result: carried, and so ordered."},
		"the decision of a closed session": {head + "1. Closed Session\n\nThe chair reported that the Board voted 3-0 to sue.\n",
			"line 6: not read as a vote: The chair reported that the Board voted 3-0 to sue."},
		"a sentence after a vote": {head + "1. Sets Tolls\n" + readVote + gap + "The motion to adjourn passed.\n",
			"line 51: not read as a vote: The motion to adjourn passed."},
		"a sentence about its vote": {head + "1. Sets Tolls\n\nThe motion was adopted by the following vote:\n" + readVote,
			""},
		"no vote at all":     {head + gap, ""},
		"the form of a roll": {head + gap + "AYES: ________\nNAYS: ________\n", ""},
	} {
		if got := unreadIn(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// An unread row of a parsed vote is reported. Page 3 has another heading than pages 2 and 4.
func TestUnreadRowsAreReported(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/runninghead.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := unreadIn(string(text)); got != "" {
		t.Errorf("all rows are read, but there is the anomaly %q", got)
	}
	other := strings.Replace(string(text), "0042\n\nABSENT", "0043\n\nABSENT", 1)
	want := "page 3, line 45: not read as a vote: ABSENT: Commissioners Zander and Okafor"
	if got := unreadIn(other); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
