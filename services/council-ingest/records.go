package councilingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Some councils publish no minutes as a document: the portal then holds them as
// vote records on the pages of the legislative files. They are put together to one
// HTML page, which is archived like any document, read as text in the form of
// minutes, and parsed by the one parser that there is.

// recordsMark stands in pages that were put together here, and tells them from a web page behind the wrong link.
const recordsMark = `<meta name="generator" content="townline vote records">`

// maxRecords bounds how many files' pages are fetched for one meeting.
const maxRecords = 400

// noneOfThem is how many files' pages are asked for of a meeting when each is refused: then the portal has none, or none for now.
const noneOfThem = 10

// fetchRecords returns the vote records of a meeting as a document; nil if there is none, or when it is
// archived already. A file whose page is refused is left out, and the document says so. The refusal is an error as well until the same document comes
// again: it may pass.
func (v *visitor) fetchRecords(ctx context.Context, row portal.Row, page portal.Meeting) (*archive.Document, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">%s<title>%s</title></head><body>\n<h1>%s</h1>\n<p class=\"date\">%s</p>\n",
		recordsMark, html.EscapeString(row.Title), html.EscapeString(row.Title), row.Starts.Format("Monday, January 2, 2006"))
	votes, fetched, beyond := 0, 0, 0
	var refused []error
	leftOut := func(code council.AnomalyCode, format string, args ...any) {
		fmt.Fprintf(&b, "<aside data-code=\"%s\">%s</aside>\n", code, html.EscapeString(fmt.Sprintf(format, args...)))
	}
	for _, e := range page.Outline {
		if e.Section {
			fmt.Fprintf(&b, "<h2>%s</h2>\n", html.EscapeString(strings.TrimSpace(e.Number+" "+e.Title)))
			continue
		}
		if e.LegifileID == 0 {
			continue
		}
		if fetched == maxRecords {
			beyond++
			continue
		}
		fetched++
		records, err := v.portal.FetchVotes(ctx, e.URL)
		if forbidden := v.forbidden(err); forbidden || portal.Refused(err) {
			if !forbidden {
				refused = append(refused, err)
			}
			if len(refused) == noneOfThem && fetched == noneOfThem {
				break
			}
			leftOut(council.CodeUnreadable, "the page of file %d (%s) could not be had from the portal; its votes are missing", e.LegifileID, strings.TrimSpace(e.Number+" "+e.Title))
			continue
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "<h3><span>%s</span> <span>%s</span></h3>\n", html.EscapeString(e.Number), html.EscapeString(e.Title))
		for _, r := range records {
			if r.MeetingID != row.ID {
				continue
			}
			votes++
			b.WriteString("<table class=\"VoteRecord\">\n")
			for _, pair := range r.Rows {
				fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td></tr>\n", html.EscapeString(pair[0]), html.EscapeString(pair[1]))
			}
			b.WriteString("</table>\n")
		}
	}
	if votes == 0 {
		return nil, errors.Join(refused...)
	}
	if beyond > 0 {
		leftOut(council.CodeTextCut, "the meeting has %d files, of which the first %d are read; votes of the others are missing", fetched+beyond, fetched)
	}
	b.WriteString("</body></html>\n")
	url := row.URL
	doc := &archive.Document{Bytes: []byte(b.String()), MediaType: "text/html", URL: &url, Fetched: v.now()}
	have, err := archive.LatestFrom(ctx, v.deps.DB, row.ID, url)
	if err != nil {
		return nil, unstored(err)
	}
	if doc.Is(have.SHA256) {
		return nil, nil
	}
	doc.Text, err = readText(ctx, doc.Bytes)
	return doc, errors.Join(append(refused, err)...)
}

// readPage returns a web page as the text of minutes, "" when there are none on it, and what a page of ours says of files that were left out.
func readPage(data []byte) (text string, notes []archive.TextNote, err error) {
	if bytes.Contains(data, []byte(recordsMark)) {
		doc, err := goquery.NewDocumentFromReader(bytes.NewReader(data))
		if err != nil {
			return "", nil, fmt.Errorf("read vote records: %w", err)
		}
		return recordsText(doc), recordsNotes(doc), nil
	}
	text, err = pageText(portal.UTF8(data, ""))
	if err != nil || !voteRow.MatchString(text) {
		return "", nil, err
	}
	return text, nil, nil
}

// recordsNotes are what such a page says of files that were left out.
func recordsNotes(doc *goquery.Document) []archive.TextNote {
	var notes []archive.TextNote
	for _, s := range doc.Find("body > aside").EachIter() {
		code := council.AnomalyCode(s.AttrOr("data-code", ""))
		if (code == council.CodeUnreadable || code == council.CodeTextCut) && len(notes) <= maxRecords { // anybody can write our mark
			notes = append(notes, archive.TextNote{Code: code, Message: s.Text()})
		}
	}
	return notes
}

// recordsText turns such a page into the text of minutes: headings, items, and blocks of label and value.
func recordsText(doc *goquery.Document) string {
	var b strings.Builder
	for _, s := range doc.Find("body").Children().EachIter() {
		switch goquery.NodeName(s) {
		case "h1":
			fmt.Fprintf(&b, "                 %s Minutes\n", s.Text())
		case "p":
			fmt.Fprintf(&b, "                 %s\n", s.Text())
		case "h2":
			fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(s.Text()))
		case "h3":
			spans := s.Find("span")
			fmt.Fprintf(&b, "\n      %s  %s\n\n", spans.First().Text(), spans.Last().Text())
		case "table":
			for _, tr := range s.Find("tr").EachIter() {
				cells := tr.Find("td")
				fmt.Fprintf(&b, "       %-13s %s\n", cells.First().Text(), cells.Last().Text())
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
