package portal_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/primegov"
)

func primegovRow(id int, title, at, docs string) string {
	return fmt.Sprintf(
		`{"id":%d,"committeeId":3,"title":%q,"dateTime":%q,"documentList":[%s],"meetingState":3,"videoUrl":"https://tv.example/x","location":"Hall "}`, id, title, at, docs)
}

func primegovDoc(template int, name string, output, sort int) string {
	return fmt.Sprintf(
		`{"id":%d,"templateId":%d,"templateName":%q,"compileOutputType":%d,"publishStatus":1,"sortOrder":%d,"publishDate":"2026-03-01T10:00:00.1"}`, template+900, template, name, output, sort)
}

func TestPrimegovMeetings(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	list, err := primegov.DecodeMeetings([]byte(`[`+strings.Join([]string{
		primegovRow(1, "Town Council - Regular Meeting", "2026-03-10T19:00:00", primegovDoc(12, "Agenda", 1, 2)+","+
			primegovDoc(11, "HTML Agenda", 3, 1)+
			`,{"templateId":13,"publishStatus":0,"templateName":"Minutes"},{"templateId":14,"meetingId":77},"x"`),
		primegovRow(2, "CANCELED - Parks Board", "2026-03-11T19:00:00", ""),
		primegovRow(3, "Parks Board CANCELLED ", "2026-03-12T19:00:00", ""),
		primegovRow(4, "Zoning Board", "2026-03-13T19:00:00", primegovDoc(15, "Notice of Cancellation", 1, 1)),
		primegovRow(5, "Zoning Board", "2026-03-14T19:00:00", primegovDoc(16, "Notice of Cancellation", 1, 1)+","+
			primegovDoc(17, "Summary Minutes", 1, 2)),
		primegovRow(6, "Town Council Meeting - SAP", "2026-03-10T19:00:00", ""),
		primegovRow(7, "SAP - Zoning Board", "2026-03-10T19:00:00", ""),
		primegovRow(8, "EVENT 3 - NO AUTOSTART", "2026-03-10T19:00:00", ""),
		primegovRow(9, "TEST 2 FOR STREAMING", "2026-03-10T19:00:00", ""),
		primegovRow(10, "Library Board", "0001-01-01T00:00:00", ""),
	}, ",")+`]`), zone)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, m := range list {
		got += fmt.Sprintf("%d %s %s|%s|%s|%d\n", m.ID, m.Starts.Format(time.RFC3339), m.State, m.Word, m.Body(nil),
			len(m.Documents))
	}
	const want = `1 2026-03-10T19:00:00-06:00 planned||Town Council|2
2 2026-03-11T19:00:00-06:00 cancelled|CANCELED|Parks Board|0
3 2026-03-12T19:00:00-06:00 cancelled|CANCELLED|Parks Board|0
4 2026-03-13T19:00:00-06:00 cancelled|Cancellation|Zoning Board|1
5 2026-03-14T19:00:00-06:00 planned||Zoning Board|2
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if b := list[0].Body(map[string]string{"3": "Council of the Town"}); b != "Council of the Town" {
		t.Error(b)
	}
	b := portal.Bundle{Product: "primegov", Root: "https://alder.primegov.com/"}
	b.Add("meeting/1", 0, list[0].RawJSON)
	d, err := primegov.Product().Read(b, portal.ParseOptions{Zone: zone,
		Kinds: map[string]portal.DocumentKind{"agenda": portal.KindNotice}})
	docs := d.Documents
	if err != nil || len(docs) != 2 || docs[0].URL != "https://alder.primegov.com/Portal/Meeting?meetingTemplateId=11" ||
		docs[0].Format != portal.HTML || docs[0].Kind != portal.KindAgenda ||
		docs[1].URL != "https://alder.primegov.com/Public/CompiledDocument?meetingTemplateId=12&compileOutputType=1" ||
		docs[1].Kind != portal.KindNotice {
		t.Errorf("%+v", docs)
	}
}

// An invalid list is an error, never an empty list.
func TestPrimegovInvalidLists(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "null", "{}", `{"value":[]}`, `[1]`, `[{"title":"x"}]`, `[{"id":1`,
		"<html>log in</html>"} {
		if l, err := primegov.DecodeMeetings([]byte(body), time.UTC); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("meetings %q: %v, %v", body, l, err)
		}
	}
	for _, body := range []string{"", "null", "{}", `["x"]`, `[{}]`, "<html>"} {
		if l, err := primegov.DecodeYears([]byte(body)); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("years %q: %v, %v", body, l, err)
		}
		if l, err := primegov.DecodeCommittees([]byte(body)); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("bodies %q: %v, %v", body, l, err)
		}
	}
	if l, err := primegov.DecodeMeetings([]byte("[]"), time.UTC); err != nil || len(l) != 0 {
		t.Errorf("DecodeMeetings of an empty list = %v, %v", l, err)
	}
	if years, err := primegov.DecodeYears([]byte(`["2024",2026,2025,2026,{}]`)); err != nil ||
		!slices.Equal(years, []int{2024, 2025, 2026}) {
		t.Errorf("%v, %v", years, err)
	}
}

// A meeting that is in both lists is one meeting.
func TestPrimegovAMeetingInBothLists(t *testing.T) {
	t.Parallel()
	joined := primegov.Join([]primegov.Meeting{{ID: 2, Title: "to come"}, {ID: 1}},
		[]primegov.Meeting{{ID: 2, Title: "over"}})
	if len(joined) != 2 || joined[0].ID != 1 || joined[1].Title != "over" {
		t.Errorf("%+v", joined)
	}
}

const wordPage = `<html><body><div id="MeetingContents"><table><tr><td><p>TOWN OF ALDER</p><p>FINAL ACTIONS ● MARCH 10, 2026</p></td></tr></table>
<table class="item-table-fromdocx" data-sectionid="1"><tr><td class="attachmentCell"><div></div></td><td colspan="3"><p>ROLL CALL</p><table><tr><td><p>Present:</p></td><td><p>Councillor Ann Archer</p><p>Mayor Ben Baker</p></td></tr><tr><td><p>Absent:</p></td><td><p>None</p></td></tr></table></td></tr></table>
<table class="item-table-fromdocx" data-sectionid="2"><tr><td class="attachmentCell"></td><td><p>IV.</p></td><td><p>MANAGER'S AGENDA</p></td><td class="optionalButtonsCell"><a href="/x">Combine</a></td></tr></table>
<table class="item-table-fromdocx" data-itemid="11"><tr><td class="attachmentCell"></td><td><p>1.</p></td><td class="agenda-item" data-itemid="11"><p>A communication relative to a plow.</p><p>CMA 2026-8</p>
 <div class="item_contents">more</div></td><td class="optionalButtonsCell"><a href="/api/compilemeetingattachmenthistory/historyattachment/?historyId=ab-1&amp;sig=x">b</a></td></tr></table>
<p> </p><table><tr><td><p><span>RESULT:</span><span> </span><span>Approved [2-0-0]</span></p><p>YEAS: Councillor Archer, Mayor Baker</p><p>NAYS: None</p></td></tr></table>
<table class="item-table-fromdocx" data-itemid="12"><tr><td><p>2.</p></td><td class="agenda-item"><p>Minutes of March 3.</p></td></tr><tr><td colspan="2"><p>RESULT: Accepted [VV2]</p></td></tr></table>
</div></body></html>`

func showBlocks(blocks []primegov.Block) string {
	var b strings.Builder
	for _, x := range blocks {
		switch x.Kind {
		case primegov.SectionBlock, primegov.ItemBlock:
			fmt.Fprintf(&b, "%d %s|%s|%s|%s|%t %d\n", x.Item.Level, x.Item.ID, x.Item.Number, x.Item.FileNumber, x.Item.Title,
				x.Item.Section, len(x.Item.Attachments))
		case primegov.VoteBlock:
			fmt.Fprintf(&b, "vote %s\n", strings.Join(x.Lines, " / "))
		case primegov.TextBlock:
			fmt.Fprintf(&b, "text %s\n", strings.Join(x.Lines, " / "))
		}
	}
	return b.String()
}

func TestPrimegovPageMadeFromWord(t *testing.T) {
	t.Parallel()
	root := &url.URL{Scheme: "https", Host: "alder.primegov.com", Path: "/"}
	blocks, err := primegov.DecodePage([]byte(wordPage), root)
	const want = `text TOWN OF ALDER / FINAL ACTIONS ● MARCH 10, 2026
0 s1|||ROLL CALL|true 0
text Present: / Councillor Ann Archer / Mayor Ben Baker / Absent: / None
0 s2|IV.||MANAGER'S AGENDA|true 0
1 11|1.|CMA 2026-8|A communication relative to a plow.|false 1
vote RESULT: Approved [2-0-0] / YEAS: Councillor Archer, Mayor Baker / NAYS: None
1 12|2.||Minutes of March 3.|false 0
vote RESULT: Accepted [VV2]
`
	if got := showBlocks(blocks); err != nil || got != want {
		t.Fatalf("%v, got\n%swant\n%s", err, got, want)
	}
	if a := blocks[4].Item.Attachments[0]; a.
		URL != "https://alder.primegov.com/api/compilemeetingattachmenthistory/historyattachment/?historyId=ab-1" ||
		a.ID != "ab-1" {
		t.Errorf("%+v", a)
	}
}

const madePage = `<html><body><script>sessionStorage.setItem("csrfToken", 'abc');</script><div id="MeetingContents"><p>Town Council</p>
<div data-sectionid='5'><table><tr class='section-row'><td class='number-cell-section'>1.</td><td class='section-heading'><div class='item-cell'><b>Consent</b></div></td></tr>
<tr><td colspan='2'><div class="meeting-item" data-itemid="51" data-mig="u"><table class="item-table"><tr><td class="number-cell">(1)</td><td class="item-cell"><div class="agenda-item"><table class="forcepopulate"><tr><td colspan="2">25-1209</td></tr><tr><td>CD 12</td><td>Plow the streets</td></tr></table></div>
<div class="motionsAndVotes">RESULT: PASSED AYES: Archer, Baker NAYS: None</div></td></tr></table></div></td></tr></table></div>
<div class="meeting-item" data-itemid="51"><p>again</p></div></div></body></html>`

func TestPrimegovPageMadeByTheProduct(t *testing.T) {
	t.Parallel()
	blocks, err := primegov.DecodePage([]byte(madePage), &url.URL{Scheme: "https", Host: "alder.primegov.com", Path: "/"})
	const want = `text Town Council
0 s5|1.||Consent|true 0
1 51|(1)|25-1209|CD 12 Plow the streets|false 0
vote RESULT: PASSED / AYES: Archer, Baker / NAYS: None
text again
`
	if got := showBlocks(blocks); err != nil || got != want {
		t.Errorf("%v, got\n%swant\n%s", err, got, want)
	}
}

// A truncated page, an unrelated page and an endless page give no items.
func TestPrimegovInvalidPages(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"", "<html><body>busy</body></html>", wordPage[:len(wordPage)/2]} {
		if blocks, err := primegov.DecodePage([]byte(page), nil); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("%d blocks, %v", len(blocks), err)
		}
	}
	deep := `<html><body>` + strings.Repeat(`<div data-sectionid="1"><b>`, 5_000) + "x" + `</body></html>`
	if blocks, err := primegov.DecodePage([]byte(deep), nil); err == nil && len(blocks) > 2 {
		t.Errorf("%d blocks, %v", len(blocks), err)
	}
}

// Any answer gives valid data or an error.
func FuzzPrimegovAnswers(f *testing.F) {
	f.Add([]byte(wordPage))
	f.Add([]byte(madePage))
	f.Add([]byte("[" + primegovRow(1, "Town Council", "2026-03-10T19:00:00", primegovDoc(12, "Agenda", 1, 2)) + "]"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if blocks, err := primegov.DecodePage(body, &url.URL{Scheme: "https", Host: "x.example", Path: "/"}); err == nil {
			for _, b := range blocks {
				if b.Kind == primegov.ItemBlock && b.Item.ID == "" || len(b.Item.Title) > 16_000 {
					t.Errorf("%+v", b)
				}
			}
		}
		if list, err := primegov.DecodeMeetings(body, time.UTC); err == nil {
			for _, m := range primegov.Join(list) {
				if m.ID <= 0 || m.Starts.IsZero() || len(m.Documents) > 200 {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
