package councilingest

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/archive"
)

// maxDocument is the largest minutes document that is fetched or loaded. Packets with attachments reach some tens of megabytes.
const maxDocument = 128 << 20

// mediaType tells what a document is by its content: portals serve everything as
// something else now and then.
func mediaType(data []byte) string {
	head := data[:min(len(data), 1024)]
	switch {
	case bytes.Contains(head, []byte("%PDF-")):
		return "application/pdf"
	case strings.HasPrefix(http.DetectContentType(data), "text/html"):
		return "text/html"
	}
	return "text/plain"
}

// readText is what the minutes parser will see of a document.
func readText(_ context.Context, data []byte) archive.Text {
	t := archive.Text{Version: parserVersion}
	switch mediaType(data) {
	case "application/pdf":
		t.Error = "PDF not readable yet"
	case "text/html":
		t.Error = "the document behind the link is a web page"
	default:
		text := strings.ReplaceAll(strings.ToValidUTF8(string(data), string(utf8.RuneError)), "\x00", "")
		if strings.TrimSpace(text) == "" {
			t.Error = "the document has no text"
			break
		}
		t.Text, t.Pages = &text, 1+strings.Count(strings.TrimRight(text, "\f\r\n "), "\f")
	}
	return t
}

// parserVersion names the extractor and the parser together: a new one is a
// reason to read everything again.
const parserVersion = "1"
