package councilingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
)

func TestEndlessTextIsRefused(t *testing.T) {
	t.Parallel()
	text, err := doctext.Read(t.Context(), bytes.Repeat([]byte("RESULT: ADOPTED [3 TO 1]\n"), 150_001))
	if err != nil || text.Verdict != council.VerdictTooLarge || text.Text != nil || text.Error == "" {
		t.Errorf("%s %q, %v", text.Verdict, text.Error, err)
	}
}

func TestInvisibleCharactersAreDropped(t *testing.T) {
	t.Parallel()
	for _, r := range []rune{0x200b, 0x200e, 0x061c, 0x2066, 0x2069, 0x206f, 0x202e, 0xfeff, 0xfe0f, 0x034f, 0xe0041,
		0x180e, 0x7f} {
		text, err := doctext.Read(t.Context(), fmt.Appendf(nil, "a%cb\fc", r))
		if err != nil || text.Text == nil || *text.Text != "ab\fc" || len(text.Notes) != 1 || text.Notes[0].Page != 1 {
			t.Errorf("%U: %+v, %v", r, text, err)
		}
	}
	text, err := doctext.Read(t.Context(), []byte("\ufeffNúñez – O’Keefe\tMüller\u00adson\n東京\f"))
	if err != nil || text.Text == nil || *text.Text != "Núñez – O’Keefe\tMüllerson\n東京\f" || text.Notes != nil {
		t.Errorf("%+v, %v", text, err)
	}
}

// Pages from elsewhere may contain our mark, and any number of notes.
func TestNotesOfForeignPages(t *testing.T) {
	t.Parallel()
	page := bytes.TrimSuffix(doctext.NewRecords("Council", time.Now()).Bytes(), []byte("</body></html>\n"))
	page = append(page, strings.Repeat(`<aside data-code="no-such-code">x</aside><aside>x</aside>`+
		`<aside data-code="text-cut">x</aside>`, 2*doctext.MaxFiles)...)
	text, err := doctext.Read(t.Context(), page)
	if err != nil || len(text.Notes) != doctext.MaxFiles+1 || text.Notes[0].Code != "text-cut" {
		t.Errorf("%d notes, %v", len(text.Notes), err)
	}
}

// A page of PrimeGov is parsed as minutes: attendance, and items with roll calls or voice votes.
func TestPageOfPrimeGov(t *testing.T) {
	t.Parallel()
	const page = `<html><body><div id="MeetingContents"><p>TOWN OF ALDER</p><p>TOWN COUNCIL</p><p>FINAL ACTIONS ● MARCH 10, 2026</p>
<table data-sectionid="1"><tr><td colspan="3"><p>ROLL CALL</p><table><tr><td><p>Present:</p></td><td><p>Councillor Ann Archer</p><p>Councillor Cy De Witt</p><p>Mayor Ben Baker</p></td></tr><tr><td><p>Absent:</p></td><td><p>Councillor Dee Ode</p></td></tr></table></td></tr></table>
<table data-sectionid="2"><tr><td><p>I.</p></td><td><p>PLEDGE</p></td></tr></table><table data-sectionid="3"><tr><td><p>II.</p></td><td><p>MANAGER'S AGENDA</p></td></tr></table>
<table data-itemid="11"><tr><td><p>1.</p></td><td><p>A communication relative to a plow.</p><p>CMA 2026-8</p></td></tr></table>
<table><tr><td><p>RESULT: Approved [2-1-0]</p><p>YEAS: Councillor Archer, Mayor Baker</p><p>NAYS: Councillor De Witt</p><p>PRESENT: None</p><p>ABSENT: Councillor Ode</p></td></tr></table>
<table data-itemid="12"><tr><td><p>2.</p></td><td><p>Minutes of March 3.</p></td></tr></table><table><tr><td><p>RESULT: Report Accepted and Placed on File [VV3]</p></td></tr></table></div></body></html>`
	got := parsedPage(t, []byte(page))
	const want = `2026-03-10
Present Ann Archer, Present Cy De Witt, Present Ben Baker, Absent Dee Ode
1. A communication relative to a plow.
 Approved [2-1-0] adopted 2-1 aye [Ann Archer Ben Baker] nay [Cy De Witt] absent [Dee Ode]
2. Minutes of March 3.
 Report Accepted and Placed on File [VV3] adopted 3-0 aye [] nay [] absent []
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func parsedPage(t *testing.T, page []byte) string {
	t.Helper()
	text, err := doctext.Read(t.Context(), page)
	if err != nil || text.Verdict != council.VerdictWhole {
		t.Fatalf("%s %s, %v", text.Verdict, text.Error, err)
	}
	rec := minutes.NewParser(minutes.Options{}).Parse(*text.Text)
	var b strings.Builder
	if rec.MeetingDate != nil {
		fmt.Fprintln(&b, *rec.MeetingDate)
	}
	var who []string
	for _, a := range rec.Attendance {
		status := "?"
		if a.Status != nil {
			status = *a.Status
		}
		who = append(who, status+" "+a.Name)
	}
	fmt.Fprintln(&b, strings.Join(who, ", "))
	for _, it := range rec.Items {
		number := ""
		if it.ItemNumber != nil {
			number = *it.ItemNumber
		}
		fmt.Fprintf(&b, "%s %s\n", number, it.Title)
		for _, v := range it.Votes {
			fmt.Fprintf(&b, " %s %s %d-%d aye %v nay %v absent %v\n", v.ResultRaw, v.Result, v.AyesCount, v.NaysCount,
				v.Roll.Of(council.Aye), v.Roll.Of(council.Nay), v.Roll.Of(council.Absent))
		}
	}
	for _, a := range rec.Anomalies {
		t.Logf("%s %s", a.Code, a.Message)
	}
	t.Logf("text:\n%s", *text.Text)
	return b.String()
}

// The page has the final actions of Cambridge, abridged: nine members, two voice votes, one roll
// call.
func TestRecordedPageOfPrimeGov(t *testing.T) {
	t.Parallel()
	page := sample.Read(t, "council/portals/primegov/cambridge-ma/final-actions-2026-09-28.excerpt.html")
	if got := parsedPage(t, page); strings.Count(got, "Present ") != 9 ||
		strings.Count(got, "[VV9] adopted 9-0 aye []") != 2 ||
		strings.Count(got, "[9-0-0] adopted 9-0 aye [Ayah A. Al-Zubi Burhan Azeem") != 1 {
		t.Error(got)
	}
}
