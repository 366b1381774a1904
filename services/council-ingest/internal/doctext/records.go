package doctext

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// recordsMark stands in pages of vote records, and distinguishes them from a web page behind the
// wrong link.
const recordsMark = `<meta name="generator" content="townline vote records">`

// MaxFiles is how many legislative files one page of records may have.
const MaxFiles = 400

// Records puts the vote records of one meeting together to an HTML page, which is archived like any
// document, read as text in the form of minutes, and parsed by the one parser.
type Records struct {
	Votes int // so far
	page  strings.Builder
}

// NewRecords begins the page of a meeting.
func NewRecords(title string, starts time.Time) *Records {
	r := &Records{}
	fmt.Fprintf(&r.page, "<!DOCTYPE html>\n<html><head><meta "+
		"charset=\"utf-8\">%s<title>%s</title></head><body>\n<h1>%s</h1>\n<p class=\"date\">%s</p>\n",
		recordsMark, html.EscapeString(title), html.EscapeString(title), starts.Format("Monday, January 2, 2006"))
	return r
}

// Section begins a section of the agenda.
func (r *Records) Section(title string) {
	fmt.Fprintf(&r.page, "<h2>%s</h2>\n", html.EscapeString(title))
}

// File begins a legislative file.
func (r *Records) File(number, title string) {
	fmt.Fprintf(&r.page, "<h3><span>%s</span> <span>%s</span></h3>\n", html.EscapeString(number), html.EscapeString(title))
}

// Vote adds a vote on the file, as pairs of label and value.
func (r *Records) Vote(rows [][2]string) {
	r.Votes++
	r.page.WriteString("<table class=\"VoteRecord\">\n")
	for _, pair := range rows {
		fmt.Fprintf(&r.page, "<tr><td>%s</td><td>%s</td></tr>\n", html.EscapeString(pair[0]), html.EscapeString(pair[1]))
	}
	r.page.WriteString("</table>\n")
}

// LeftOut notes on the page what is missing from it.
func (r *Records) LeftOut(code council.AnomalyCode, format string, args ...any) {
	fmt.Fprintf(&r.page, "<aside data-code=\"%s\">%s</aside>\n", code, html.EscapeString(fmt.Sprintf(format, args...)))
}

// Bytes is the page.
func (r *Records) Bytes() []byte { return []byte(r.page.String() + "</body></html>\n") }

// readPage returns a web page as the text of minutes, "" when there are none on it, and what a page
// of ours says of files that were left out.
func readPage(data []byte) (text string, notes []archive.TextNote, err error) {
	if bytes.Contains(data, []byte(recordsMark)) {
		doc, err := portal.ParsePage(data)
		if err != nil {
			return "", nil, fmt.Errorf("read vote records: %w", err)
		}
		return recordsText(doc), recordsNotes(doc), nil
	}
	if text, ok := portalPage(portal.UTF8(data, "")); ok {
		return text, nil, nil
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
		// anybody can write our mark
		if (code == council.CodeUnreadable || code == council.CodeTextCut) && len(notes) <= MaxFiles {
			notes = append(notes, archive.TextNote{Code: code, Message: s.Text()})
		}
	}
	return notes
}

// recordsText turns such a page into the text of minutes: headings, items, and blocks of label and
// value.
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
