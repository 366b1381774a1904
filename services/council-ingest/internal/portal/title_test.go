package portal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

func TestParseLocal(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Chicago")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"2026-06-04T19:00:00Z": "2026-06-04T19:00:00-05:00", "2026-12-04T19:00:00": "2026-12-04T19:00:00-06:00",
		"2026-06-04T19:00:00.123+00:00": "2026-06-04T19:00:00-05:00",
		"2026-06-04":                    "2026-06-04T00:00:00-05:00", "1900-01-01T00:00:00Z": "", "0001-01-01T00:00:00Z": "",
		"": "", "soon": "",
		"2026-13-04T19:00:00Z": "", "99999-01-01T00:00:00Z": "",
	} {
		at, ok := portal.ParseLocal(in, zone)
		if ok != (want != "") || ok && at.Format(time.RFC3339) != want {
			t.Errorf("%q: %v %t", in, at, ok)
		}
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, bare, body string
		state             portal.State
		test              bool
	}{
		{"Parks Board - CANCELLED", "Parks Board", "Parks Board", portal.Cancelled, false},
		{"CANCELED - Museum Board", "Museum Board", "Museum Board", portal.Cancelled, false},
		{"Zoning Commission CANCELLED ", "Zoning Commission", "Zoning Commission", portal.Cancelled, false},
		{"Town Council Meeting Rescheduled to August 3", "Town Council Meeting", "Town Council", portal.Deferred, false},
		{"Zoning Commission Meeting (1st week)", "Zoning Commission Meeting (1st week)", "Zoning Commission", "", false},
		{"Town Council Special Meeting", "Town Council Special Meeting", "Town Council", "", false},
		{"Board of Contested Elections", "Board of Contested Elections", "Board of Contested Elections", "", false},
		{"Testing Laboratory Board", "Testing Laboratory Board", "Testing Laboratory Board", "", false},
		{"Test", "Test", "Test", "", true},
		{"EVENT 3 - NO AUTOSTART", "EVENT 3 - NO AUTOSTART", "EVENT 3 - NO AUTOSTART", "", true},
		{"CANCELLED", "CANCELLED", "CANCELLED", portal.Cancelled, false},
	} {
		state, _ := portal.StateOf(c.title)
		if got := portal.WithoutState(c.title); got != c.bare || portal.BodyOf(c.title) != c.body || state != c.state ||
			portal.IsTest(c.title) != c.test {
			t.Errorf("%q: %q, %q, %q, %t", c.title, got, portal.BodyOf(c.title), state, portal.IsTest(c.title))
		}
	}
	if got := portal.TypeOf("Town Council Worksession", "Town Council"); got != "Worksession" {
		t.Error(got)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	own := map[string]portal.DocumentKind{"journal of votes": portal.KindActions}
	for name, want := range map[string]portal.DocumentKind{
		"HTML Agenda": portal.KindAgenda, "Agenda Packet": portal.KindPacket, "Summary Minutes": portal.KindMinutes,
		"Final Actions": portal.KindActions, "Notice of Cancellation": portal.KindNotice,
		"Draft minutes of the agenda committee": portal.KindMinutes, "Other": portal.KindOther,
		"Journal of  VOTES": portal.KindActions,
	} {
		if got := portal.KindOf(name, own); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if portal.StatusOf("260413 Final Minutes").State != portal.Final || portal.StatusOf("Draft Minutes").State != portal.
		Draft || portal.StatusOf("Minutes").State != "" {
		t.Error("papers")
	}
}

func TestHTMLText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"<strong data-x=\"1\">Committee - </strong><span>To&nbsp;adopt</span>": "Committee - To adopt",
		"a<br>b</p><p>c": "a b c", "R&amp;D <script>x</script>y": "R&D y", "5 < 6 & 7": "5 < 6 & 7",
		"plain  text": "plain text",
	} {
		if got := portal.HTMLText(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := portal.HTMLText(strings.Repeat("<b>", 1<<20)); got != "" {
		t.Error(len(got))
	}
}
