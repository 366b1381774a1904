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
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// maxDocument is the largest minutes document that is fetched or loaded. Packets with attachments reach some tens of megabytes.
const maxDocument = 128 << 20

// mediaType tells what a document is by its content: portals serve everything as
// something else now and then. What is neither a PDF nor readable as text, such as a
// word processor's file or a picture, is application/octet-stream.
func mediaType(data []byte) string {
	head := bytes.TrimPrefix(data[:min(len(data), 4096)], []byte("\ufeff"))
	kind := http.DetectContentType(head)
	switch lower := bytes.ToLower(head); {
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return "application/pdf"
	case strings.HasPrefix(kind, "text/html"), bytes.Contains(lower, []byte("<html")), bytes.Contains(lower, []byte("<body")):
		return "text/html"
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return "application/octet-stream"
	case strings.HasPrefix(kind, "text/"), kind == "application/octet-stream" && !bytes.ContainsRune(head, 0):
		return "text/plain"
	}
	return "application/octet-stream"
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
			for _, n := range doc.Notes {
				if code, is := n.Anomaly(); is {
					t.Notes = append(t.Notes, archive.TextNote{Page: n.Page, Code: code, Message: n.Message})
				}
			}
		}
	case "text/html":
		text, notes, err := readPage(data)
		if err != nil {
			return t, err
		}
		if text == "" {
			t.Error = "the document behind the link is a web page without minutes"
			break
		}
		t.Set(text)
		t.Notes = notes
	case "text/plain":
		t.Set(string(portal.UTF8(data, "")))
	default:
		t.Error = "the document is neither a PDF nor text"
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
