package iqm2

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// withdrawnText appears on the otherwise ordinary page of a meeting that is offline.
const withdrawnText = "meeting is not available at this time"

// ParseMeeting parses the page of the meeting with the given id. page is the address of the page.
func ParseMeeting(body []byte, page *url.URL, zone *time.Location, id int64) (portal.Detail, error) {
	doc, err := portal.ParseWholePage(body)
	if err != nil {
		return portal.Detail{}, fmt.Errorf("read page of meeting %d: %w", id, err)
	}
	field := func(name string) *goquery.Selection { return doc.Find("[id$=" + name + "]").First() }
	text := func(name string) string { return council.Fold(field(name).Text()) }
	// The input of a missing document has no value.
	value := func(name string) int64 { return param("?ID="+field(name).AttrOr("value", ""), "ID") }
	pageID := value("txtMeetingID")
	if pageID == 0 && strings.Contains(strings.ToLower(doc.Find("body").Text()), withdrawnText) {
		return portal.Detail{State: portal.Planned, Withdrawn: true, NoItems: true}, nil
	}
	// Some pages lack the id.
	if pageID == 0 && field("txtMeetingID").Length() == 0 && doc.Find(outlineTable+", [id$=lblMeetingDate]").Length() > 0 {
		pageID = id
	}
	if pageID != id {
		return portal.Detail{}, fmt.Errorf("read page of meeting %d: %w: it is the page of meeting %d", id,
			portal.ErrNotPortal, pageID)
	}
	cancelled := isCancelled(text("lblMeetingStatus")) || doc.Find(".MeetingHeading .MeetingCancelled").Length() > 0
	d := portal.Detail{
		Body: text("lblMeetingGroup"), Type: text("lblMeetingType"), Location: place(field("lblMeetingDate")),
		State: stateOf(cancelled), HasMinutes: value("txtMinutesID") > 0, Items: parseOutline(doc, page, id),
	}
	d.NoItems = len(d.Items) == 0
	d.Starts, _, _ = readStart(text("lblMeetingDate"), zone)
	// Links in the agenda lead to attachments.
	docs, video := links(page, doc.Find("a").NotSelection(doc.Find(outlineTable).Find("a")))
	d.Documents, d.VideoURL = documents(docs), video
	return d, nil
}

// place returns the room, which is plain text after the date, and the address, which is in a box.
func place(date *goquery.Selection) string {
	var parts []string
	if date.Length() == 0 {
		return ""
	}
	for n := date.Nodes[0].NextSibling; n != nil; n = n.NextSibling {
		switch {
		case n.Type == html.TextNode:
			if room := council.Fold(n.Data); room != "" {
				parts = append(parts, room)
			}
		case n.Type == html.ElementNode && n.Data == "div":
			// Three non-breaking blanks separate street and town.
			for part := range strings.SplitSeq(goquery.NewDocumentFromNode(n).Text(), "\u00a0\u00a0\u00a0") {
				part = council.Fold(part)
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

const outlineTable = "table.MeetingDetail, table#MeetingDetail"

const headingType = 70

// parseOutline parses the table of the agenda. The level is the number of empty cells before the
// number. Rows that link to files are attachments. Items link to a legislative file, to a motion,
// or to nothing.
func parseOutline(doc *goquery.Document, page *url.URL, meeting int64) []portal.Item {
	var entries []portal.Item
	for _, tr := range doc.Find(outlineTable).Find("tr").EachIter() {
		cells := tr.ChildrenFiltered("td")
		number, title := cells.Filter("td.Num").First(), cells.Filter("td.Title").First()
		if number.Length() == 0 || title.Length() == 0 || number.Find("img").Length() > 0 {
			continue // it has comments or printouts
		}
		e := portal.Item{Level: cells.IndexOfSelection(number), Number: council.Fold(number.Text()),
			Result: council.Fold(title.Find(".ItemVoteResult").Text())}
		link := title.Find("a").First()
		if _, file := document(page, link); file {
			continue
		}
		href := portal.Resolve(page, link.AttrOr("href", ""))
		bold := title.Find("strong").Length() > 0
		title.Find(".ItemTag, .ItemVoteResult").Remove()
		e.Title = council.Fold(title.Text())
		if e.Title == "" {
			continue
		}
		id := param(href, "ID")
		switch {
		case leadsTo(href, "Detail_LegiFile.aspx") && id > 0:
			e.LegifileID = id
			// omit the position in the video, because it changes
			e.URL = portal.Resolve(page, fmt.Sprintf("Detail_LegiFile.aspx?MeetingID=%d&ID=%d", meeting, id))
		case leadsTo(href, "Detail_Motion.aspx") && id > 0:
			kind := param(href, "Type")
			e.Section = kind == headingType
			if !e.Section {
				e.URL = portal.Resolve(page, fmt.Sprintf("Detail_Motion.aspx?MeetingID=%d&MinutesID=%d&ID=%d&Type=%d", meeting,
					param(href, "MinutesID"), id, kind))
			}
		case leadsTo(href, "Detail_Communication.aspx") && id > 0:
			e.URL = portal.Resolve(page, fmt.Sprintf("Detail_Communication.aspx?MeetingID=%d&ID=%d", meeting, id))
		default:
			e.Section = bold
		}
		entries = append(entries, e)
	}
	return entries
}

// ParseVotes parses the history on the page of a legislative file: the rows of each vote of a
// meeting, in the order of the page. Labels differ from city to city, and are kept.
func ParseVotes(body []byte, page *url.URL, meetingID string) ([][][2]string, error) {
	doc, err := portal.ParseWholePage(body)
	if err != nil {
		return nil, fmt.Errorf("read page of a legislative file: %w", err)
	}
	if doc.Find("[id$=_lblLegiFileTitle], table.MeetingHistory, #divBody").Length() == 0 {
		return nil, fmt.Errorf("read page of a legislative file: %w", portal.ErrNotPortal)
	}
	var tables [][][2]string
	meeting := int64(0)
	for _, tr := range doc.Find("table.MeetingHistory tr").EachIter() {
		if !tr.Closest("table").HasClass("MeetingHistory") {
			continue // it is a row of a vote
		}
		if tr.HasClass("HistorySection") {
			meeting = param(portal.Resolve(page, tr.Find(".Date a").AttrOr("href", "")), "ID")
			continue
		}
		for _, table := range tr.ChildrenFiltered("td").Find("table.VoteRecord").EachIter() {
			var rows [][2]string
			for _, row := range table.Find("tr").EachIter() {
				cells := row.ChildrenFiltered("td, th") // the first cell is the label, whatever its class is
				label, value := council.Fold(cells.First().Text()),
					council.Fold(cells.Slice(min(1, cells.Length()), cells.Length()).Text())
				if label != "" {
					if !strings.HasSuffix(label, ":") {
						label += ":"
					}
					rows = append(rows, [2]string{label, value})
				}
			}
			if meeting > 0 && portal.ID(meeting).String() == meetingID && len(rows) > 0 {
				tables = append(tables, rows)
			}
		}
	}
	return tables, nil
}

// ParseFeed parses the feed. It claims to be XML in UTF-16 but is HTML in UTF-8. ParseFeed also
// accepts real RSS.
func ParseFeed(body []byte) ([]portal.FeedEntry, error) {
	// HTML treats the declaration as a comment, which may hide the rest.
	if start := bytes.Index(body, []byte("?>")); start >= 0 && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<?xml")) {
		body = body[start+2:]
	}
	doc, err := portal.ParsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	var entries []portal.FeedEntry
	for _, s := range doc.Find("div > h2").Parent().AddSelection(doc.Find("item")).EachIter() {
		published := council.Fold(s.Find("em, pubdate").Last().Text())
		n := portal.FeedEntry{Headline: council.Fold(s.Find("h2, title").First().Text()),
			Published: strings.TrimSpace(strings.TrimPrefix(published, "Published on:"))}
		for _, a := range s.Find("a[href]").EachIter() {
			if href := a.AttrOr("href", ""); n.MeetingID == "" && leadsTo(href, "Detail_Meeting.aspx") {
				n.MeetingID = portal.ID(param(href, "ID")).String()
			}
		}
		if n.Headline != "" && !slices.Contains(entries, n) {
			entries = append(entries, n)
		}
	}
	if len(entries) == 0 && doc.Find("h1, channel").Length() == 0 {
		return nil, fmt.Errorf("read feed: %w", portal.ErrNotPortal)
	}
	return entries, nil
}
