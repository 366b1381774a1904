package doctext_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
)

const docxHead = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`

func docx(t *testing.T, body string) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	w, err := zw.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(docxHead + body + `</w:body></w:document>`)); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWord(t *testing.T) {
	t.Parallel()
	p := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	for name, c := range map[string]struct{ body, want string }{
		"paragraphs": {p("City Council") + p("") + p("May 5, 2026"), "City Council\n\nMay 5, 2026\n"},
		"a tab and a break": {`<w:p><w:r><w:t>AYES:</w:t><w:tab/><w:t>Doe</w:t><w:br/><w:t>NAYS: Roe</w:t></w:r></w:p>`,
			"AYES:\tDoe\nNAYS: Roe\n"},
		"a table": {"<w:tbl><w:tr><w:tc>" + p("RESULT:") + "</w:tc><w:tc>" + p("ADOPTED") + p("[2 TO 1]") + "</w:tc></w:tr></w:tbl>",
			"RESULT:\tADOPTED\n       \t[2 TO 1]\n\n"},
		"deleted text": {`<w:p><w:r><w:t>Doe</w:t></w:r><w:del><w:r><w:delText>Roe</w:delText></w:r></w:del></w:p>`, "Doe\n"},
	} {
		data := docx(t, c.body)
		if kind := doctext.MediaType(data); kind != doctext.DOCX {
			t.Errorf("%s: media type %s", name, kind)
		}
		got, err := doctext.Read(t.Context(), data)
		if err != nil || got.Text == nil || *got.Text != c.want {
			t.Errorf("%s: %v, %v, want %q", name, council.Text(got.Text), err, c.want)
		}
	}
	for name, data := range map[string][]byte{
		"cut off":      docx(t, p("Doe"))[:60],
		"no document":  []byte("PK\x03\x04 word/document.xml"),
		"broken XML":   docx(t, "<w:p>"),
		"nothing":      docx(t, ""),
		"endless text": docx(t, p(strings.Repeat("Doe ", 3<<20))),
	} {
		if got, err := doctext.Read(t.Context(), data); err != nil || got.Text != nil {
			t.Errorf("%s: %v, %v", name, got.Verdict, err)
		}
	}
}

// A page of minutes is read, and a page about something else is not.
func TestWebPageOfMinutes(t *testing.T) {
	t.Parallel()
	const minutes = "<html><body><h1>Minutes</h1><p>Tuesday, May 5, 2026</p><p>Moved by Doe, seconded by Roe, to pay " +
		"the bills. " +
		"Carried.</p></body></html>"
	got, err := doctext.Read(t.Context(), []byte(minutes))
	if err != nil || got.Text == nil || !strings.Contains(*got.Text, "seconded by Roe") {
		t.Errorf("%v, %v", got.Verdict, err)
	}
	cookies := []byte("<html><body>Please sign in to approve cookies.</body></html>")
	if got, err := doctext.Read(t.Context(), cookies); err != nil || got.Text != nil {
		t.Errorf("a page without minutes: %v, %v", got.Verdict, err)
	}
}
