// Package doctext makes the text that the minutes parser sees of a document, whatever it is: a PDF,
// a web page, plain text, or the page of vote records that is put together where a council
// publishes no minutes. It judges whether the document is whole. It fetches and stores nothing:
// documents are fetched by package visit and kept by package archive.
package doctext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
)

const (
	// MaxBytes is the size of the largest document that is fetched or loaded. Packets with attachments
	// reach some tens of megabytes.
	MaxBytes = 128 << 20
	// maxText and maxTextLines bound the text of one document. Minutes of a night have some hundred
	// kilobytes, packets of two thousand pages some megabytes.
	maxText      = 8 << 20
	maxTextLines = 150_000
)

// MediaType is what a document is by its content: portals serve everything as
// something else now and then. What is neither a PDF nor readable as text, such as a
// word processor's file or a picture, is application/octet-stream.
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
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return "application/octet-stream"
	case strings.HasPrefix(kind, "text/"), kind == "application/octet-stream" && !bytes.ContainsRune(head, 0):
		return "text/plain"
	}
	return "application/octet-stream"
}

// Read returns what the minutes parser will see of a document. What is wrong with
// the document stands in the Text; an error is ours, and a reason to try again.
func Read(ctx context.Context, data []byte) (archive.Text, error) {
	t := archive.Text{Version: run.Version}
	switch MediaType(data) {
	case "application/pdf":
		doc, err := pdftext.Extract(ctx, data, pdftext.Limits{})
		if err != nil {
			return t, fmt.Errorf("read the text of a PDF: %w", err)
		}
		if !doc.Verdict.Readable() {
			t.Refuse(doc.Verdict, whyNot(doc))
			break
		}
		for _, n := range doc.Notes {
			if code, is := n.Anomaly(); is {
				t.Notes = append(t.Notes, archive.TextNote{Page: n.Page, Code: code, Message: n.Message})
			}
		}
		setText(&t, doc.Text, doc.Verdict, true)
		if t.Text != nil {
			t.Pages = doc.Pages
		}
	case "text/html":
		text, notes, err := readPage(data)
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
	case "text/plain":
		setText(&t, string(portal.UTF8(data, "")), council.VerdictWhole, false)
	default:
		t.Refuse(council.VerdictUnreadable, "the document is neither a PDF nor text")
	}
	return t, nil
}

// setText takes text as the database and the API can hold it: UTF-8 of characters that show
// something. Text that is blank is no text, and text without end is refused.
func setText(t *archive.Text, text string, v council.Verdict, paged bool) {
	text, odd := visibleText(text, paged)
	lines := strings.Count(text, "\n")
	many := minutes.Refuses(text)
	switch {
	case strings.TrimSpace(text) == "":
		t.Refuse(council.VerdictNoText, "the document has no text")
	case len(text) > maxText || lines > maxTextLines:
		t.Refuse(council.VerdictTooLarge, fmt.Sprintf("the document has %d bytes of text on %d lines, more than %d bytes "+
			"or %d lines", len(text), lines, maxText, maxTextLines))
	case many != "":
		t.Refuse(council.VerdictTooLarge, many)
	default:
		t.Verdict, t.Text, t.Pages = v, &text, 1+strings.Count(strings.TrimRight(text, "\f\r\n "), "\f")
		for _, n := range odd {
			if !noted(t.Notes, n) {
				t.Notes = append(t.Notes, n)
			}
		}
		return
	}
	t.Notes = nil
}

// noted reports whether the page has a note of that code already.
func noted(notes []archive.TextNote, n archive.TextNote) bool {
	for _, o := range notes {
		if o.Page == n.Page && o.Code == n.Code {
			return true
		}
	}
	return false
}

// visibleText leaves out of a text what shows nothing: characters that turn the direction of
// writing, join, part or mark others, and controls. A name must not carry them: it would look like
// another and be another. What is left out, and what stands for a character that could not be read,
// is noted by page. A mark of byte order at the beginning and soft hyphens are no more than habit.
func visibleText(text string, paged bool) (string, []archive.TextNote) {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\ufeff")
	var notes []archive.TextNote
	page, unseen, unknown := 0, 0, 0
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
		page, unseen, unknown = page+1, 0, 0
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

// whyNot says why a PDF's text cannot be parsed as minutes.
func whyNot(doc pdftext.Extraction) string {
	detail := ""
	for _, n := range doc.Notes { // the first that damages it says most
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

// Answers is what the archived answers of a portal say, as the text of the document: the same
// answers give the same text.
func Answers(d portal.Detail) archive.Text {
	said, _ := json.Marshal(d) // strings, numbers and times cannot fail
	text := string(said)
	return archive.Text{Verdict: council.VerdictWhole, Text: &text, Pages: 1, Version: run.Version}
}

// ReadArchived makes the text of an archived document again: of minutes what the parser will see,
// of a portal's answers what they say. reading is how the answers are read.
func ReadArchived(ctx context.Context, mediaType string, content []byte, reading portal.Reading) (archive.Text, error) {
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
	return Answers(detail), nil
}
