package councilapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

// readCalendar unfolds and splits a calendar into its events, and unescapes their texts.
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

func TestCalendarHasEveryMeeting(t *testing.T) {
	t.Parallel()
	reader, writer := testDB(t)
	w := newWorld(29, 120)
	w.store(t, writer)
	api := documented(t, testServer(t, reader))
	res := api.Get(t, "/v1/feeds/meetings.ics")
	if res.Status != 200 || res.Header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Fatalf("%d %v", res.Status, res.Header)
	}
	if !strings.Contains(string(res.Body), "\r\nX-WR-CALNAME:City Council\r\n") {
		t.Errorf("without the council's name: %.300s", res.Body)
	}
	var want, got []string
	cancelled := 0
	meetings := slices.Clone(w.meetings)
	slices.SortFunc(meetings, func(a, b wMeeting) int { return a.before(&b) })
	for _, m := range meetings {
		status, stamp := "CONFIRMED", "20261121T120000Z"
		if m.status == council.StatusCancelled {
			status = "CANCELLED"
			cancelled++
		}
		if m.status == council.StatusComplete {
			stamp = m.starts.UTC().Format("20060102T150405Z")
		}
		want = append(want, fmt.Sprintf("meeting-%d@votes.example %s %s Meeting %d %s https://portal.example/meeting/%d", m.id, stamp, m.starts.UTC().Format("20060102T150405Z"), m.id, status, m.id))
	}
	for _, e := range readCalendar(string(res.Body)) {
		got = append(got, strings.Join([]string{e["UID"], e["DTSTAMP"], e["DTSTART"], e["SUMMARY"], e["STATUS"], e["URL"]}, " "))
	}
	if d := gocmp.Diff(want, got); d != "" || cancelled == 0 {
		t.Errorf("%d cancelled (-want +got)\n%s", cancelled, d)
	}
}
