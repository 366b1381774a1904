package councilingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// pdfOf makes a PDF of one page with lines, and below them white text. The file has no table of
// objects; a reader finds them by search.
func pdfOf(lines, white []string) []byte {
	var content strings.Builder
	content.WriteString("BT /F1 9 Tf 11 TL 40 760 Td\n")
	put := func(lines []string) {
		for _, line := range lines {
			fmt.Fprintf(&content, "(%s) Tj T*\n", strings.NewReplacer("(", `\(`, ")", `\)`, "–", "-").Replace(line))
		}
	}
	put(lines)
	content.WriteString("1 1 1 rg\n")
	put(white)
	content.WriteString("ET\n")
	var b, table bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, o := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
	} {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		table.String(), at)
	return b.Bytes()
}

// Hidden text on a page gives no vote. It is an anomaly with the number of the page, and Verify
// derives the anomaly from the archive.
func TestHiddenTextIsAnAnomaly(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	shown := strings.Split(minutesText("May 5, 2026", item("1.", "2026-1", "Sets fees", unanimous)), "\n")
	hidden := strings.Split(item("2.", "2026-2", "Sells the park", split), "\n")
	doc := Minutes{MeetingID: 7, Date: "2026-05-05", Bytes: pdfOf(shown, hidden)}
	sum, err := Load(t.Context(), deps, set, doc)
	if err != nil || sum.Votes != 1 {
		t.Fatalf("Load = %+v, %v", sum, err)
	}
	var page int
	var kind, message string
	if err := db.QueryRow(t.Context(), `SELECT source_page, kind, message
		FROM council.anomaly WHERE code = 'text-hidden'`).Scan(&page, &kind, &message); err != nil {
		t.Fatal(err)
	}
	if page != 1 || kind != "inconsistency" || !strings.Contains(message, "Sells the park") {
		t.Errorf("the anomaly is on page %d, of kind %s: %s", page, kind, message)
	}
	var out bytes.Buffer
	if wrong, err := Verify(t.Context(), deps, set, &out); err != nil || wrong > 0 {
		t.Errorf("Verify found %d differences, %v:\n%s", wrong, err, out.String())
	}
	if again, err := Load(t.Context(), deps, set, doc); err != nil || again.Changed > 0 {
		t.Errorf("the second Load = %+v, %v", again, err)
	}
	mustExec(t, db, `UPDATE council.document_text SET notes = '[]'`)
	if wrong, err := Verify(t.Context(), deps, set, &out); err != nil || wrong != 2 {
		t.Errorf("without the notes, Verify found %d differences, %v:\n%s", wrong, err, out.String())
	}
}
