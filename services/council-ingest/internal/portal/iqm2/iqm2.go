// Package iqm2 reads the meeting portal of a city that uses IQM2 (MinuteTraq): calendar, meeting
// pages with their agenda outline, documents, and the feed.
//
// Parse functions turn pages into records and know no network. Texts of links vary from city to
// city, so documents are distinguished by the Type in their address, or by what the page calls the
// link for programs.
//
// Start with source.go, which asks; calendar.go and meeting.go read the pages.
package iqm2

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A FileLink is a link to a file.
type FileLink struct {
	Type int `json:"type"`
	// agendas and minutes have numberings of their own, neither is the meeting's; 0 where the address
	// has none
	ID  int64  `json:"id"`
	URL string `json:"url"`
}

// ofType are the kinds of documents by the Type in their address.
var ofType = map[int]portal.DocumentKind{
	1:  portal.KindPacket,
	12: portal.KindMinutes, // with attachments, or the only minutes
	14: portal.KindAgenda,
	15: portal.KindMinutes, // minutes proper
}

// namedTypes are the Types by the names that a meeting's page gives its links to documents, for
// links whose address does not say what they are.
var namedTypes = map[string]int{"agenda": 14, "agenda_packet": 1, "minutes": 15, "minutes_package": 12}

// parsePage reads a page that is whole. Portals cut pages off under load, and half
// a calendar would look like meetings that vanished.
func parsePage(body []byte) (*goquery.Document, error) {
	tail := body[max(0, len(body)-64<<10):] // comments and scripts can follow
	if !bytes.Contains(bytes.ToLower(tail), []byte("</html>")) {
		return nil, fmt.Errorf("%w: the page has no end", portal.ErrNotPortal)
	}
	doc, err := portal.ParsePage(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", portal.ErrNotPortal, err)
	}
	return doc, nil
}

// param reads a number from an address, whatever the case of its name; 0 if there is none.
func param(address, name string) int64 {
	n, _ := findParam(address, name)
	return n
}

// findParam returns the number and the name as the address spells it.
func findParam(address, name string) (n int64, spelled string) {
	address, _, _ = strings.Cut(address, "#")
	_, query, _ := strings.Cut(address, "?")
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(strings.TrimPrefix(pair, "amp;"), "=") // ampersands get escaped twice
		if strings.EqualFold(key, name) {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err == nil && n > 0 {
				return n, key
			}
		}
	}
	return 0, name
}

// address is a link to one of the portal's pages with nothing but the given numbers in it: what
// else stands there, such as a position in the video, moves from day to day. The
// page is asked for where the portal was found, whatever host the link names.
func address(page *url.URL, href string, params ...string) string {
	u, err := url.Parse(portal.Resolve(page, href))
	if err != nil {
		return ""
	}
	u.Scheme, u.Host, u.Fragment = page.Scheme, page.Host, ""
	var query []string
	for _, name := range params {
		n, spelled := findParam(href, name)
		query = append(query, fmt.Sprintf("%s=%d", spelled, n))
	}
	u.RawQuery = strings.Join(query, "&")
	return u.String()
}

// leadsTo reports whether an address is of one of the portal's pages.
func leadsTo(address, page string) bool {
	path, _, _ := strings.Cut(address, "?")
	return strings.HasSuffix(strings.ToLower(path), "/"+strings.ToLower(page))
}

// document reads a link to a file; ok is false for other links.
func document(page *url.URL, link *goquery.Selection) (d FileLink, ok bool) {
	// In the frames of a split view the address stands in another attribute.
	d.URL = portal.Resolve(page, link.AttrOr("oldhref", link.AttrOr("href", "")))
	if leadsTo(d.URL, "FileOpen.aspx") || leadsTo(d.URL, "FileView.aspx") {
		d.Type, d.ID = int(param(d.URL, "Type")), param(d.URL, "ID")
		if d.Type > 0 {
			return d, d.ID > 0
		}
	}
	d.Type = namedTypes[link.AttrOr("data-type", "")]
	return d, d.Type > 0 && d.URL != ""
}

// links returns the documents that links lead to, and the address of the recording. What is hidden
// is not out yet.
func links(page *url.URL, all *goquery.Selection) (docs []FileLink, recording string) {
	for _, a := range all.Not(".HiddenDocumentLink").EachIter() {
		if d, ok := document(page, a); ok {
			docs = append(docs, d)
		} else {
			recording = cmp.Or(video(page, a.AttrOr("onclick", ""), a.AttrOr("href", "")), recording)
		}
	}
	return docs, recording
}

// video finds the address of the recording in the script of a link. The page's
// and the calendar's differ in what else they say; what both say is kept.
func video(page *url.URL, scripts ...string) string {
	for _, script := range scripts {
		at := strings.Index(strings.ToLower(script), "splitview.aspx")
		if at < 0 || !strings.Contains(strings.ToLower(script[at:]), "mode=video") {
			continue
		}
		if id := param(strings.NewReplacer(`"`, "&", "'", "&").Replace(script[at:]), "MeetingID"); id > 0 {
			return portal.Resolve(page, fmt.Sprintf("SplitView.aspx?Mode=Video&MeetingID=%d&Format=Minutes", id))
		}
	}
	return ""
}
