// Package iqm2 reads the portals of IQM2 (MinuteTraq): calendar, meeting pages with agenda outline,
// documents, and the feed.
//
// Parse functions send no requests. The texts of links differ from city to city. So the Type in the
// address, or the data-type of the link, says what a document is.
//
// Start with source.go, which sends the requests; calendar.go and meeting.go parse the pages.
package iqm2

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A FileLink is a link to a file. Its JSON form is hashed and stored.
type FileLink struct {
	Type int    `json:"type"`
	ID   int64  `json:"id"` // id of the agenda or the minutes, not of the meeting; 0 if the address has none
	URL  string `json:"url"`
}

// kindOfType maps the Type in the address to the kind of document.
var kindOfType = map[int]portal.DocumentKind{
	1:  portal.KindPacket,
	12: portal.KindMinutes, // minutes with attachments, or the only minutes
	14: portal.KindAgenda,
	15: portal.KindMinutes, // minutes without attachments
}

// typeNames maps values of data-type to types, for links whose address has no Type.
var typeNames = map[string]int{"agenda": 14, "agenda_packet": 1, "minutes": 15, "minutes_package": 12}

// param reads a number from an address, ignoring the case of the name; 0 if there is none.
func param(address, name string) int64 {
	n, _ := findParam(address, name)
	return n
}

func findParam(address, name string) (n int64, spelled string) {
	address, _, _ = strings.Cut(address, "#")
	_, query, _ := strings.Cut(address, "?")
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(strings.TrimPrefix(pair, "amp;"), "=") // some addresses are escaped twice
		if strings.EqualFold(key, name) {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err == nil && n > 0 {
				return n, key
			}
		}
	}
	return 0, name
}

// address returns a link to a page of the portal with only the given parameters. Other parameters,
// such as a position in the video, change from day to day. The host is always the portal's.
func address(page *url.URL, href string, params ...string) string {
	u, err := url.Parse(portal.Resolve(page, href))
	if err != nil {
		return ""
	}
	u.Scheme = page.Scheme
	u.Host = page.Host
	u.Fragment = ""
	var query []string
	for _, name := range params {
		n, spelled := findParam(href, name)
		query = append(query, fmt.Sprintf("%s=%d", spelled, n))
	}
	u.RawQuery = strings.Join(query, "&")
	return u.String()
}

func leadsTo(address, page string) bool {
	path, _, _ := strings.Cut(address, "?")
	return strings.HasSuffix(strings.ToLower(path), "/"+strings.ToLower(page))
}

func document(page *url.URL, link *goquery.Selection) (d FileLink, ok bool) {
	// The frames of a split view have their address in another attribute.
	d.URL = portal.Resolve(page, link.AttrOr("oldhref", link.AttrOr("href", "")))
	if leadsTo(d.URL, "FileOpen.aspx") || leadsTo(d.URL, "FileView.aspx") {
		d.Type, d.ID = int(param(d.URL, "Type")), param(d.URL, "ID")
		if d.Type > 0 {
			return d, d.ID > 0
		}
	}
	d.Type = typeNames[link.AttrOr("data-type", "")]
	return d, d.Type > 0 && d.URL != ""
}

// links returns the documents and the recording that links lead to. Hidden documents are not
// published yet.
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

// video finds the address of the recording in the script of a link. It keeps only the parameters
// that calendar and page both have.
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
