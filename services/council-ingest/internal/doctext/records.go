package doctext

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const recordsMark = `<meta name="generator" content="townline vote records">`

// MaxFiles bounds the number of legislative files on one page of records.
const MaxFiles = 400

// Records builds an HTML page with the vote records of one meeting. The page is archived and parsed
// like minutes.
type Records struct {
	Votes int // number of votes so far
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

func (r *Records) Section(title string) {
	fmt.Fprintf(&r.page, "<h2>%s</h2>\n", html.EscapeString(title))
}

func (r *Records) File(number, title string) {
	fmt.Fprintf(&r.page, "<h3><span>%s</span> <span>%s</span></h3>\n", html.EscapeString(number), html.EscapeString(title))
}

// Vote adds a vote on the current file. rows are pairs of label and value.
func (r *Records) Vote(rows [][2]string) {
	r.Votes++
	r.page.WriteString("<table class=\"VoteRecord\">\n")
	for _, pair := range rows {
		fmt.Fprintf(&r.page, "<tr><td>%s</td><td>%s</td></tr>\n", html.EscapeString(pair[0]), html.EscapeString(pair[1]))
	}
	r.page.WriteString("</table>\n")
}

// LeftOut adds a note about missing data to the page.
func (r *Records) LeftOut(code council.AnomalyCode, format string, args ...any) {
	fmt.Fprintf(&r.page, "<aside data-code=\"%s\">%s</aside>\n", code, html.EscapeString(fmt.Sprintf(format, args...)))
}

func (r *Records) Bytes() []byte { return []byte(r.page.String() + "</body></html>\n") }

// readWebPage extracts minutes from a web page, or returns "" if it has none. notes are the notes
// that LeftOut wrote.
func readWebPage(data []byte) (text string, notes []archive.TextNote, err error) {
	if bytes.Contains(data, []byte(recordsMark)) {
		doc, err := portal.ParsePage(data)
		if err != nil {
			return "", nil, fmt.Errorf("read vote records: %w", err)
		}
		return recordsText(doc), recordsNotes(doc), nil
	}
	data = portal.UTF8(data, "")
	if text, ok := portalPage(data); ok {
		return text, nil, nil
	}
	doc, err := portal.ParsePage(data)
	if err != nil {
		return "", nil, fmt.Errorf("read web page: %w", err)
	}
	text = together(portal.PageText(doc.Nodes[0], nil))
	if tooLarge(text) == "" && !minutes.IsMinutes(text) {
		return "", nil, nil
	}
	return text, nil, nil
}

// together removes the blank lines from a text that has one around nearly each line, because the
// page prints each line as a paragraph. They separate nothing there.
func together(text string) string {
	tight := blankLines.ReplaceAllString(text, "\n")
	lines := strings.Count(tight, "\n")
	if adjacent := lines - len(blankLines.FindAllString(text, -1)); adjacent*12 > lines {
		return text
	}
	return tight
}

var blankLines = regexp.MustCompile(`\n{2,}`)

func recordsNotes(doc *goquery.Document) []archive.TextNote {
	var notes []archive.TextNote
	for _, s := range doc.Find("body > aside").EachIter() {
		code := council.AnomalyCode(s.AttrOr("data-code", ""))
		// Pages from elsewhere can contain such notes too.
		if (code == council.CodeUnreadable || code == council.CodeTextCut) && len(notes) <= MaxFiles {
			notes = append(notes, archive.TextNote{Code: code, Message: s.Text()})
		}
	}
	return notes
}

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
