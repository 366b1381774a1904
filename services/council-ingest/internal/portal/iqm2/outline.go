package iqm2

import (
	"fmt"
	"net/url"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// outlineTable is where the agenda stands on a meeting's page.
const outlineTable = "table.MeetingDetail, table#MeetingDetail"

// headingType is the Type of a motion page that is no motion but a heading.
const headingType = 70

// parseOutline reads the agenda table. Nesting is the number of empty cells before
// a row's number. Rows that lead to files are attachments, whatever their letter;
// an item leads to a legislative file or a motion, or nowhere.
func parseOutline(doc *goquery.Document, page *url.URL, meeting int64) []portal.Item {
	var entries []portal.Item
	for _, tr := range doc.Find(outlineTable).Find("tr").EachIter() {
		cells := tr.ChildrenFiltered("td")
		number, title := cells.Filter("td.Num").First(), cells.Filter("td.Title").First()
		if number.Length() == 0 || title.Length() == 0 || number.Find("img").Length() > 0 {
			continue // comments, printouts
		}
		e := portal.Item{Level: cells.IndexOfSelection(number), Number: portal.Fold(number.Text()), Result: portal.Fold(title.Find(".ItemVoteResult").Text())}
		link := title.Find("a").First()
		if _, file := document(page, link); file {
			continue
		}
		href := portal.Resolve(page, link.AttrOr("href", ""))
		bold := title.Find("strong").Length() > 0
		title.Find(".ItemTag, .ItemVoteResult").Remove()
		e.Title = portal.Fold(title.Text())
		if e.Title == "" {
			continue
		}
		id := param(href, "ID")
		switch {
		case leadsTo(href, "Detail_LegiFile.aspx") && id > 0:
			e.LegifileID = id
			// The address as given also holds a position in the video, which moves.
			e.URL = portal.Resolve(page, fmt.Sprintf("Detail_LegiFile.aspx?MeetingID=%d&ID=%d", meeting, id))
		case leadsTo(href, "Detail_Motion.aspx") && id > 0:
			kind := param(href, "Type")
			e.Section = kind == headingType
			if !e.Section {
				e.URL = portal.Resolve(page, fmt.Sprintf("Detail_Motion.aspx?MeetingID=%d&MinutesID=%d&ID=%d&Type=%d", meeting, param(href, "MinutesID"), id, kind))
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
