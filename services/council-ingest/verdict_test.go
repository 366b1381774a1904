package councilingest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
)

// The verdict of a document determines what happens to its meeting. A complete document is
// published and a truncated one is not. Published votes stay.
func TestVerdictReachesTheMeeting(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	whole := pdfOf(strings.Split(minutesText("May 5, 2026", item("1.", "2026-1", "Sets fees", unanimous),
		item("2.", "2026-2", "Sells the park", split)), "\n"), nil)
	table := bytes.LastIndex(whole, []byte("xref\n0 "))
	stream := bytes.Index(whole, []byte("endstream"))
	for i, c := range []struct {
		what, verdict, status, code string
		data                        []byte
	}{
		{"whole", "whole", "complete", "", whole},
		{"cut in its page", "unreadable", "parse_error", "unreadable", whole[:stream-300]},
		{"without a font", "unreadable", "parse_error", "unreadable", bytes.Replace(whole, []byte("\n5 0 obj"),
			[]byte("\n6 0 obj"), 1)},
		{"with a page missing", "partial", "parse_error", "unreadable", bytes.Replace(whole, []byte("/Count 1"),
			[]byte("/Count 2"), 1)},
		{"without its table", "unreadable", "parse_error", "unreadable", whole[:table]},
		{"without an object that it draws", "repaired", "complete", "document-repaired",
			bytes.Replace(whole, []byte("1 1 1 rg"), []byte("/Seal Do"), 1)},
	} {
		sum, err := Load(t.Context(), deps, set, Minutes{MeetingID: 7, Date: "2026-05-05", Bytes: c.data})
		if err != nil || sum.Votes != 2 {
			t.Errorf("%s: %+v, %v", c.what, sum, err)
		}
		var verdict, status, codes string
		err = db.QueryRow(t.Context(), `
			SELECT t.verdict, m.status, coalesce((SELECT string_agg(code, ' ') FROM council.anomaly WHERE iqm2_id = 7), '')
			FROM council.meeting m JOIN council.minutes n ON n.minutes_id = m.latest_id
			  JOIN council.document_text t USING (document_id)`).Scan(&verdict, &status, &codes)
		if err != nil || verdict != c.verdict || status != c.status || codes != c.code {
			t.Errorf("%d %s: verdict %s, status %s, anomalies %q, %v", i, c.what, verdict, status, codes, err)
		}
		mustBeProven(t, deps, set)
	}
}

// A web page with excessive nesting, and a document with an excessive number of votes, affect only
// their own meeting. They are not tried again.
func TestTooLargeDocuments(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	votes := strings.Repeat("RESULT: ADOPTED [3 TO 1]\n", 2_001) // one more than minutes.Refuses allows
	p.mu.Lock()
	p.meetings[0].minutes = "<html><body>" + strings.Repeat("<div>", 600) + "RESULT: ADOPTED [UNANIMOUS]"
	p.meetings[1].minutesType, p.meetings[1].minutesID, p.meetings[1].minutes = 15, 811,
		minutesText("May 5, 2026", item("1.", "2026-1", "Sets fees", unanimous))+votes
	p.mu.Unlock()
	for range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || sum.Votes != 0 {
			t.Errorf("summary %+v", sum)
		}
	}
	for meeting, want := range map[int64]string{10: "parse_error unreadable unreadable",
		11: "parse_error too_large unreadable"} {
		if got := value[string](t, db, `
			SELECT concat_ws(' ', m.status, t.verdict, (SELECT string_agg(code, ' ') FROM council.anomaly a
			       WHERE a.iqm2_id = m.iqm2_id))
			FROM council.meeting m JOIN council.minutes n ON n.minutes_id = m.latest_id JOIN council.document_text t
			  USING (document_id)
			WHERE m.iqm2_id = $1`, meeting); got != want {
			t.Errorf("meeting %d: %s, want %s", meeting, got, want)
		}
	}
}

// Invisible and unreadable characters are removed from names, and cause an anomaly.
func TestNamesOfNothing(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	text := minutesText("May 5, 2026",
		item("1.", "2026-1", "Sets fees", block("ADOPTED [3 TO 1]", "Ann\u2066 Archer\u2069", "\u202eBen Baker",
			"AYES:         Ann\u200b Archer, Ben B\u2060aker, Cy De Witt", "NAYS:         Dee O'D\u061cell")),
		item("2.", "2026-2", "Sells the park", block("ADOPTED [3 TO 1]", "\ufffd\ufffd\ufffd Ze\ufffd\ufffdr", "Ben Baker",
			"AYES:         Ann Archer, Ben Baker, \ufffd\ufffd\ufffd Ze\ufffd\ufffdr", "NAYS:         Dee O'Dell")))
	text = strings.Replace(text, "  Dee O'Dell                Councilmember         Present",
		"  Dee O'Dell                Councilmember         Present\n  \ufffd\ufffd\ufffd Ze\ufffd\ufffdr               "+
			"Councilmember         Present", 1)
	if sum := mustLoad(t, deps, set, 7, "2026-05-05", text); sum.Votes != 2 {
		t.Errorf("%+v", sum)
	}
	var members, codes string
	if err := db.QueryRow(t.Context(), `
		SELECT (SELECT string_agg(full_name, ', ' ORDER BY full_name) FROM council.member),
		       (SELECT string_agg(DISTINCT code, ' ' ORDER BY code)
		         FROM council.anomaly)`).Scan(&members, &codes); err != nil {
		t.Fatal(err)
	}
	if members != "Ann Archer, Ben Baker, Cy De Witt, Dee O'Dell" {
		t.Errorf("the members are %q", members)
	}
	for _, code := range []council.AnomalyCode{council.CodeTextHidden, council.CodeTextUnknown, council.CodeMemberUnknown,
		council.CodeAttendanceRow} {
		if !strings.Contains(codes, string(code)) {
			t.Errorf("the anomaly %s is not among %s", code, codes)
		}
	}
	mustBeProven(t, deps, set)
}
