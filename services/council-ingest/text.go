package councilingest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
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

// readText is what the minutes parser will see of a document. What is wrong with
// the document is told by the Text; an error is ours, and a reason to try again.
func readText(ctx context.Context, data []byte) (archive.Text, error) {
	t := archive.Text{Version: run.Version}
	switch mediaType(data) {
	case "application/pdf":
		doc, err := pdftext.Extract(ctx, data, pdftext.Limits{})
		if err != nil {
			return t, fmt.Errorf("read the text of a PDF: %w", err)
		}
		if t.Error = whyNot(doc); t.Error == "" {
			t.Set(doc.Text)
			t.Pages = doc.Pages
		}
	case "text/html":
		if !bytes.Contains(data, []byte(recordsMark)) {
			t.Error = "the document behind the link is a web page"
			break
		}
		text, err := recordsText(data)
		if err != nil {
			return t, err
		}
		t.Set(text)
	default:
		t.Set(string(data))
	}
	return t, nil
}

// whyNot says why a PDF's text cannot be parsed as minutes; "" when it can.
func whyNot(doc pdftext.Document) string {
	detail := ""
	if len(doc.Notes) > 0 {
		detail = ": " + doc.Notes[len(doc.Notes)-1].Message
	}
	switch doc.Status {
	case pdftext.StatusOK:
		return ""
	case pdftext.StatusScan:
		return "the document has no text: its pages are pictures"
	case pdftext.StatusEncrypted:
		return "the document is encrypted"
	case pdftext.StatusLimit:
		return "the document is too large or too slow to read" + detail
	}
	return "the document is damaged" + detail
}
