package publish

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/version"
)

var update = flag.Bool("update", false, "raise the versions whose golden output has changed")

// The test binary is also the child process that reads PDFs.
func TestMain(m *testing.M) {
	pdftext.RunChild()
	m.Run()
}

// If the golden output of the parser, of the extractor of text or of a portal's reader changes,
// archived documents must be read again, so its version must be higher.
func TestChangedGoldenOutputRaisesTheVersion(t *testing.T) {
	t.Parallel()
	lines, digests := version.Lines(), goldenDigests(t)
	var file strings.Builder
	for _, name := range append([]string{version.Parser, version.Text}, products.Names()...) {
		columns := append(lines[name], "0", "")[:2]
		if columns[1] == digests[name] {
			fmt.Fprintln(&file, name, columns[0], columns[1])
			continue
		}
		if !*update {
			t.Errorf("the golden output of %q is not that of version %s: archived documents must be read again. Run "+
				"make golden, which raises the version.", name, columns[0])
		}
		n, err := strconv.Atoi(columns[0])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&file, name, n+1, digests[name])
	}
	if *update {
		if err := os.WriteFile("../version/versions.txt", []byte(file.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// goldenDigests reads made-up documents and answers of portals, and returns a digest of what was
// read, by name of the version.
func goldenDigests(t *testing.T) map[string]string {
	t.Helper()
	read := map[string]*bytes.Buffer{version.Parser: {}, version.Text: {}}
	parse := func(in archive.Input) {
		d := &derived{Input: in, good: in.Latest}
		r := newReader(&settings.Settings{})
		if err := r.derive(d); err != nil {
			t.Fatal(err)
		}
		appendJSON(t, read[version.Parser], d.state)
	}
	for _, file := range files(t, "../minutes/testdata/*.txt") {
		text := string(content(t, file))
		for _, mediaType := range []string{"text/plain", "application/pdf"} {
			parse(archive.Input{Date: "2026-03-10", Latest: &archive.MinutesText{MediaType: mediaType, Text: &text}})
		}
		for _, form := range forms(t, text) {
			appendJSON(t, read[version.Text], extract(t, form))
		}
	}
	for _, file := range files(t, "../pdftext/testdata/*.pdf") {
		appendJSON(t, read[version.Text], extract(t, content(t, file)))
	}
	for _, file := range files(t, "../pdftext/testdata/*.txt") { // golden texts of made-up PDFs
		read[version.Text].Write(content(t, file))
	}
	for _, product := range products.All() {
		b, err := portal.ReadBundle(content(t, "../version/testdata/"+product.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		detail, err := product.Read(b, portal.ParseOptions{Zone: time.UTC})
		if err != nil || len(detail.Items) == 0 {
			t.Fatalf("%s: %d items, %v", product.Name, len(detail.Items), err)
		}
		read[product.Name] = &bytes.Buffer{}
		appendJSON(t, read[product.Name], detail)
		if product.Can.Record {
			parse(archive.Input{Date: "2026-03-10", Record: &detail, Outline: detail.Items})
		}
	}
	digests := map[string]string{}
	for name := range maps.Keys(read) {
		sum := sha256.Sum256(read[name].Bytes())
		digests[name] = hex.EncodeToString(sum[:8])
	}
	return digests
}

// forms returns a text as the other kinds of documents than a PDF.
func forms(t *testing.T, text string) [][]byte {
	t.Helper()
	var page, word strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&page, "<p>%s</p>\n", html.EscapeString(strings.TrimSpace(line)))
		fmt.Fprintf(&word, "<w:p><w:r><w:t>%s</w:t></w:r></w:p>", html.EscapeString(strings.Trim(line, "\f\n")))
	}
	var docx bytes.Buffer
	zipped := zip.NewWriter(&docx)
	file, err := zipped.Create("word/document.xml")
	if err == nil {
		_, err = io.WriteString(file, `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/`+
			`wordprocessingml/2006/main"><w:body>`+word.String()+`</w:body></w:document>`)
	}
	if err == nil {
		err = zipped.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return [][]byte{[]byte(text), []byte("<html><body>" + page.String() + "</body></html>"), docx.Bytes()}
}

func extract(t *testing.T, data []byte) archive.Text {
	t.Helper()
	text, err := doctext.Read(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	text.Version = ""
	return text
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files %s: %v", len(names), pattern, err)
	}
	slices.Sort(names)
	return names
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func appendJSON(t *testing.T, to io.Writer, value any) {
	t.Helper()
	if err := json.NewEncoder(to).Encode(value); err != nil {
		t.Fatal(err)
	}
}
