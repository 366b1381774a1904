// Package doctext extracts the text of a document for the minutes parser, and determines the
// document's verdict. A document is a PDF, a document of Word, a web page, plain text, or our page of
// vote records of a council that publishes no minutes. Package visit fetches documents, package archive stores them.
package doctext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
	"github.com/townline/townline/services/council-ingest/internal/version"
)

const (
	// MaxBytes bounds the size of a document. Packets with attachments have tens of megabytes.
	MaxBytes = 128 << 20
	// maxText and maxTextLines bound the text of one document. Packets of 2,000 pages have a few
	// megabytes of text.
	maxText      = 8 << 20
	maxTextLines = 150_000
)

// MediaType detects the type of a document from its content, because portals send wrong types. It
// returns application/octet-stream for everything except PDF, Word (DOCX), web pages and text.
func MediaType(data []byte) string {
	head := bytes.TrimPrefix(data[:min(len(data), 4096)], []byte("\ufeff"))
	kind := http.DetectContentType(head)
	lower := bytes.ToLower(head)
	switch {
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return "application/pdf"
	case strings.HasPrefix(kind, "text/html"), bytes.Contains(lower, []byte("<html")),
		bytes.Contains(lower, []byte("<body")):
		return "text/html"
	case isDocx(data):
		return DOCX
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return "application/octet-stream"
	case strings.HasPrefix(kind, "text/"), kind == "application/octet-stream" && !bytes.ContainsRune(head, 0):
		return "text/plain"
	}
	return "application/octet-stream"
}

// Read extracts the text of a document. A problem of the document is recorded in the Text. After an
// error the caller should try again.
func Read(ctx context.Context, data []byte) (archive.Text, error) {
	t := archive.Text{Version: version.Of(version.Text)}
	switch MediaType(data) {
	case "application/pdf":
		doc, err := pdftext.Extract(ctx, data, pdftext.Limits{})
		if err != nil {
			return t, fmt.Errorf("read PDF: %w", err)
		}
		if !doc.Verdict.Readable() {
			t.Refuse(doc.Verdict, whyNot(doc))
			break
		}
		for _, n := range doc.Notes {
			if code, ok := n.Anomaly(); ok {
				t.Notes = append(t.Notes, archive.TextNote{Page: n.Page, Code: code, Message: n.Message})
			}
		}
		setText(&t, doc.Text, doc.Verdict, true)
		if t.Text != nil {
			t.Pages = doc.Pages
		}
	case "text/html":
		text, notes, err := readWebPage(data)
		switch {
		case errors.Is(err, portal.ErrCostly):
			t.Refuse(council.VerdictTooLarge, err.Error())
		case err != nil:
			t.Refuse(council.VerdictUnreadable, err.Error())
		case text == "":
			t.Refuse(council.VerdictUnreadable, "the document behind the link is a web page without minutes")
		default:
			t.Notes = notes
			setText(&t, text, council.VerdictWhole, false)
		}
	case DOCX:
		text, err := docxText(data)
		switch {
		case errors.Is(err, errDocxSize):
			t.Refuse(council.VerdictTooLarge, err.Error())
		case err != nil:
			t.Refuse(council.VerdictUnreadable, err.Error())
		default:
			setText(&t, text, council.VerdictWhole, false)
		}
	case "text/plain":
		setText(&t, string(portal.UTF8(data, "")), council.VerdictWhole, false)
	default:
		t.Refuse(council.VerdictUnreadable, "the document is neither a PDF, a DOCX, a web page nor text")
	}
	return t, nil
}

func setText(t *archive.Text, text string, v council.Verdict, paged bool) {
	text, odd := visibleText(text, paged)
	large := tooLarge(text)
	switch {
	case strings.TrimSpace(text) == "":
		t.Refuse(council.VerdictNoText, "the document has no text")
	case large != "":
		t.Refuse(council.VerdictTooLarge, large)
	default:
		t.Verdict = v
		t.Text = &text
		t.Pages = 1 + strings.Count(strings.TrimRight(text, "\f\r\n "), "\f")
		for _, n := range odd {
			noted := func(o archive.TextNote) bool { return o.Page == n.Page && o.Code == n.Code }
			if !slices.ContainsFunc(t.Notes, noted) {
				t.Notes = append(t.Notes, n)
			}
		}
		return
	}
	t.Notes = nil
}

// tooLarge returns why a text is too large to parse, or "".
func tooLarge(text string) string {
	if lines := strings.Count(text, "\n"); len(text) > maxText || lines > maxTextLines {
		return fmt.Sprintf("the document has %d bytes of text on %d lines, more than %d bytes or %d lines", len(text), lines,
			maxText, maxTextLines)
	}
	return minutes.Refuses(text)
}

// visibleText removes control and format characters, which could make different names look alike.
// It notes removed and unreadable characters by page, except byte order marks and soft hyphens,
// which are common.
func visibleText(text string, paged bool) (string, []archive.TextNote) {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\ufeff")
	var notes []archive.TextNote
	page := 0
	unseen := 0
	unknown := 0
	if paged || strings.Contains(text, "\f") {
		page = 1
	}
	endPage := func() {
		if unseen > 0 {
			notes = append(notes, archive.TextNote{Page: page, Code: council.CodeTextHidden,
				Message: fmt.Sprintf("%d characters that show nothing were left out", unseen)})
		}
		if unknown > 0 {
			notes = append(notes, archive.TextNote{Page: page, Code: council.CodeTextUnknown,
				Message: fmt.Sprintf("%d characters could not be read", unknown)})
		}
		page++
		unseen = 0
		unknown = 0
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\f':
			endPage()
		case r < 0x7f, r >= 0xa0 && r < 0xad:
			if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\v' {
				return -1
			}
		case r == '\uFFFD':
			unknown++
		case r == '\u00ad':
			return -1
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point), r < 0xa0 &&
			r != '\u0085':
			unseen++
			return -1
		}
		return r
	}, text)
	endPage()
	return text, notes
}

func whyNot(doc pdftext.Extraction) string {
	detail := ""
	for _, n := range doc.Notes { // the first damage explains the others
		if n.Code == pdftext.NoteDamaged {
			detail = ": " + n.Message
			if n.Page > 0 {
				detail = fmt.Sprintf(": page %d: %s", n.Page, n.Message)
			}
			break
		}
	}
	if detail == "" && len(doc.Notes) > 0 {
		detail = ": " + doc.Notes[len(doc.Notes)-1].Message
	}
	switch doc.Verdict {
	case council.VerdictNoText:
		return "the document has no text: its pages are pictures"
	case council.VerdictEncrypted:
		return "the document is encrypted"
	case council.VerdictTooLarge:
		return "the document is too large or too slow to read" + detail
	case council.VerdictPartial:
		return "part of the document is missing or damaged" + detail
	}
	return "the document is damaged" + detail
}

// Answers encodes archived answers of a portal's product as text. Equal answers give equal text.
func Answers(product string, d portal.Detail) archive.Text {
	body, _ := json.Marshal(d) // strings, numbers and times cannot fail
	return archive.Text{Verdict: council.VerdictWhole, Text: new(string(body)), Pages: 1, Version: version.Of(product)}
}

// ReadArchived extracts the text of an archived document or of a portal's answers.
func ReadArchived(ctx context.Context, mediaType string, content []byte, reading portal.ParseOptions) (archive.Text,
	error) {
	if mediaType != portal.MediaType {
		return Read(ctx, content)
	}
	b, err := portal.ReadBundle(content)
	if err != nil {
		return archive.Text{}, err
	}
	product, known := products.Named(b.Product)
	if !known {
		return archive.Text{}, fmt.Errorf("read answers of a portal: no product is called %q", b.Product)
	}
	detail, err := product.Read(b, reading)
	if err != nil {
		return archive.Text{}, fmt.Errorf("read answers of a portal: %w", err)
	}
	return Answers(b.Product, detail), nil
}
