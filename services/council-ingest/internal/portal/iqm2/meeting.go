package iqm2

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Meeting is what a meeting's page says beyond its row of the calendar.
type Meeting struct {
	ID int64
	// Board, Type and Starts as the page has them; empty where it does not say.
	Board, Type string
	Starts      time.Time // in the portal's zone
	Location    string
	Cancelled   bool
	// Withdrawn says that the page has been taken down for the time being; all else is empty.
	Withdrawn bool
	Documents []Document
	VideoURL  string
	Outline   []portal.Item
	// HasMinutes says that the portal holds minutes of the meeting, be it as a document or only as records on the pages of the files.
	HasMinutes bool
}

// withdrawnText stands, on an otherwise ordinary page, for a meeting that was taken down.
const withdrawnText = "meeting is not available at this time"

// ParseMeeting reads the page of meeting id, which was fetched from page.
func ParseMeeting(body []byte, page *url.URL, zone *time.Location, id int64) (Meeting, error) {
	m := Meeting{ID: id}
	doc, err := parsePage(body)
	if err != nil {
		return m, fmt.Errorf("read page of meeting %d: %w", id, err)
	}
	field := func(name string) *goquery.Selection { return doc.Find("[id$=" + name + "]").First() }
	said := param("?ID="+field("txtMeetingID").AttrOr("value", ""), "ID")
	if said == 0 && strings.Contains(strings.ToLower(doc.Find("body").Text()), withdrawnText) {
		m.Withdrawn = true
		return m, nil
	}
	// A page that names no meeting but has an agenda or a date is of the one that was asked for.
	if said == 0 && field("txtMeetingID").Length() == 0 && doc.Find(outlineTable+", [id$=lblMeetingDate]").Length() > 0 {
		said = id
	}
	if said != id {
		return m, fmt.Errorf("read page of meeting %d: %w: it says that it is of meeting %d", id, portal.ErrNotPortal, said)
	}
	m.HasMinutes = present(field("txtMinutesID"))
	m.Board, m.Type = portal.Fold(field("lblMeetingGroup").Text()), portal.Fold(field("lblMeetingType").Text())
	m.Starts, _, _ = readStart(field("lblMeetingDate").Text(), zone) // zero if it does not say
	m.Location = place(field("lblMeetingDate"))
	m.Cancelled = calledOff(field("lblMeetingStatus").Text()) || doc.Find(".MeetingHeading .MeetingCancelled").Length() > 0
	// What the agenda's rows lead to are attachments, and what is hidden is not out yet.
	for _, a := range doc.Find("a").NotSelection(doc.Find(outlineTable).Find("a")).Not(".HiddenDocumentLink").EachIter() {
		if d, ok := document(page, a); ok {
			m.Documents = append(m.Documents, d)
		} else if v := video(page, a.AttrOr("onclick", ""), a.AttrOr("href", "")); v != "" {
			m.VideoURL = v
		}
	}
	m.Outline = parseOutline(doc, page, id)
	return m, nil
}

// place is the room, which follows the date as bare text, and the address in its box.
func place(date *goquery.Selection) string {
	var parts []string
	if date.Length() == 0 {
		return ""
	}
	for n := date.Nodes[0].NextSibling; n != nil; n = n.NextSibling {
		switch {
		case n.Type == html.TextNode:
			if room := portal.Fold(n.Data); room != "" {
				parts = append(parts, room)
			}
		case n.Type == html.ElementNode && n.Data == "div":
			// Street and town are parted by three unbreakable blanks.
			for part := range strings.SplitSeq(goquery.NewDocumentFromNode(n).Text(), "\u00a0\u00a0\u00a0") {
				part = portal.Fold(part)
				if part != "" {
					parts = append(parts, part)
				}
			}
		case n.Type == html.ElementNode && n.Data == "span":
			return strings.Join(parts, ", ")
		}
	}
	return strings.Join(parts, ", ")
}
