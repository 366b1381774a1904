package files

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// readCalendar splits a calendar into its events. It unfolds lines and unescapes texts.
func readCalendar(text string) []map[string]string {
	var events []map[string]string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n ", ""), "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "BEGIN:VEVENT":
			events = append(events, map[string]string{})
		case len(events) > 0:
			events[len(events)-1][name] = strings.NewReplacer(`\\`, `\`, `\;`, `;`, `\,`, `,`, `\n`, "\n").Replace(value)
		}
	}
	return events
}

// A calendar preserves any title, in lines of at most 75 octets. A title cannot add an event.
func TestCalendarText(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-zé日;,\\n:]|BEGIN:VEVENT|\n){0,200}`))
	rapid.Check(t, func(t *rapid.T) {
		title, place := text.Draw(t, "title"), text.Draw(t, "place")
		status := rapid.SampledFrom(council.Statuses()).Draw(t, "status")
		out := string(calendar(title, []civic.Meeting{{IQM2ID: 7, StartsAt: rest.Time{Time: time.Unix(0, 0)}, Title: title,
			Location: &place, SourceURL: title, Status: status}}, time.FixedZone("", 3600), "19700101T000000Z", "h"))
		for line := range strings.SplitSeq(out, "\r\n") {
			if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("line of %d octets: %q", len(line), line)
			}
		}
		events := readCalendar(out)
		if len(events) != 1 {
			t.Fatalf("%d events in %q", len(events), out)
		}
		is := map[bool]string{false: "CONFIRMED", true: "CANCELLED"}[status == council.StatusCancelled]
		if events[0]["DURATION"] != "PT2H" || events[0]["STATUS"] != is {
			t.Fatalf("the event has no duration, or its status is not %s: %q", is, out)
		}
		if got := events[0]["SUMMARY"]; got != shown(title) {
			t.Fatalf("title %q became %q", title, got)
		}
		if got := events[0]["LOCATION"]; got != shown(place) {
			t.Fatalf("place %q became %q", place, got)
		}
	})
}

// shown returns a text without control characters, except line feeds.
func shown(s string) string {
	text := strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r != '\n' && (r < ' ' || r == 0x7f) {
			return -1
		}
		return r
	}, text)
}
