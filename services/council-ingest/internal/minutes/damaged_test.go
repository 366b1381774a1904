package minutes

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// sitting has prose and votes, in lines of a column.
const sitting = `TOWN OF ALDERBAY
TOWN COUNCIL
March 3, 2026

Present: Ann Doe, Bob Roe, Cal Poe

The mayor opened the meeting and welcomed
the people who had come to hear about the
bridge. The clerk read the rules of the
house, and the members heard a report on
the state of the roads of the town.

1. Fees

Motion by Ann Doe, second by Bob Roe, to
set the fees of the harbor for the coming
year as the committee has proposed them.
Ayes: Ann Doe, Bob Roe. Nays: Cal Poe.
Motion carried.

The clerk reported that the fees had been
printed in the paper, as the law demands,
and that nobody had written to the board.

2. Bridge

Motion by Bob Roe, second by Cal Poe, to
ask the county for its part of the cost of
the bridge over the creek at Mill Street.
Ayes: Ann Doe, Bob Roe, Cal Poe. Nays: None.
Motion carried unanimously.

The council heard from the engineer of the
county, who said that the work would begin
in the spring, and be done before winter.
`

// besides prints the lines of a text in two columns, below the lines of a head.
func besides(text string, head int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	out := strings.Join(all[:head], "\n") + "\n"
	all = all[head:]
	n := (len(all) + 1) / 2
	for i := range n {
		right := ""
		if n+i < len(all) {
			right = all[n+i]
		}
		out += strings.TrimRight(fmt.Sprintf("%-50s%s", all[i], right), " ") + "\n"
	}
	return out
}

// Text in two columns is read column by column.
func TestTwoColumns(t *testing.T) {
	t.Parallel()
	want := "adopted 2-1 Ann Doe/Bob Roe aye Ann Doe, Bob Roe nay Cal Poe; " +
		"adopted 3-0 unanimous Bob Roe/Cal Poe aye Ann Doe, Bob Roe, Cal Poe"
	letters := strings.Repeat("The clerk read a letter about the bridge.\n", 60)
	for name, text := range map[string]string{
		"one column":             sitting,
		"two columns":            besides(sitting, 3),
		"two columns of accents": strings.ReplaceAll(besides(sitting, 3), "e r", "é r"),
		"a page of two columns":  besides(sitting, 3) + "\f" + besides(letters, 0),
		"a title over its columns": strings.Repeat(" ", 30) + "MINUTES OF THE REGULAR MEETING OF THE COUNCIL\n" +
			besides(sitting, 3),
	} {
		if got := votesIn(text); got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

// heldIn returns the votes of a text and the anomalies of its damaged pages.
func heldIn(text string) (votes, held string) {
	for _, a := range Parse(text, Options{}).Anomalies {
		if a.Code == council.CodeVotesUnread && strings.Contains(a.Message, "the page is damaged") {
			held += a.Message
		}
	}
	return votesIn(text), held
}

// A vote is not published if the lines around it may belong to another column.
func TestColumnsThatCannotBeToldApart(t *testing.T) {
	t.Parallel()
	mixed := besides(sitting+strings.Repeat("The clerk read a letter about the bridge.\n", 70), 3)
	votes, held := heldIn(mixed)
	want := "line 1: the page is damaged, and votes may be missing: its text stands in two columns that cannot be " +
		"told apart"
	if votes != "" || !strings.HasPrefix(held, want) || !strings.Contains(held, "Motion carried") {
		t.Errorf("got %q and the anomaly %q", votes, held)
	}
}

// A table is not text in two columns.
func TestATableOfTopicsIsNotTwoColumns(t *testing.T) {
	t.Parallel()
	table := strings.Repeat("Minutes of the last         Motion (Doe/Roe) to approve the minutes\n"+
		"meeting                     as read. Approved 3-0.\n\n", 8)
	if _, held := heldIn("TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\n" + table); held != "" {
		t.Errorf("the anomaly %q", held)
	}
}

// On a page with many misread letters, a vote stands only if its names and its tally prove each other.
func TestMisreadPages(t *testing.T) {
	t.Parallel()
	noise := "Thc c0uncil heard ond appr0ved thc rninutes of thc rneeting thot wos hcld in thc spring.\n"
	votes, held := heldIn(sitting + "3. Dog park\n\nMotion by Cal Pac, second by Bob R0e, to fence the park.\n" +
		"Motion carried.\n\n" + noise)
	if want := votesIn(sitting); votes != want {
		t.Errorf("got %q, want %q", votes, want)
	}
	for _, part := range []string{"line 1: the page is damaged",
		"many of its words are broken: Thc, c0uncil, ond, appr0ved",
		"not published are: line 39: Motion carried"} {
		if !strings.Contains(held, part) {
			t.Errorf("%q is missing in the anomaly %q", part, held)
		}
	}
	if _, held := heldIn(sitting + "The c0uncil met at 1a Mill St, Lt Roe of Unit5 and Dr Ln were bad.\n"); held != "" {
		t.Errorf("a text with few broken words has the anomaly %q", held)
	}
}

var space = regexp.MustCompile(`(\S) (\S)`)

// Wider gaps between all words are gaps between words.
func TestWiderGapsBetweenWords(t *testing.T) {
	t.Parallel()
	want := votesIn(sitting)
	for _, gap := range []string{"  ", "   "} {
		text := space.ReplaceAllString(space.ReplaceAllString(sitting, "$1"+gap+"$2"), "$1"+gap+"$2")
		if got := votesIn(text); got != want {
			t.Errorf("%d blanks:\n got %q\nwant %q", len(gap), got, want)
		}
	}
}
