package portal

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// A Row is a line of the calendar: all that it says of a meeting.
type Row struct {
	ID        int64      `json:"id"`
	Board     string     `json:"board"`
	Type      string     `json:"type"`
	Status    string     `json:"status"` // Scheduled, Closed, Cancelled; "Closed" means finalised, not held in private
	Starts    time.Time  `json:"starts"` // in the portal's zone
	Title     string     `json:"title"`  // "City Council - Regular Meeting"
	Location  string     `json:"location"`
	Cancelled bool       `json:"cancelled"`
	Documents []Document `json:"documents"`
	VideoURL  string     `json:"video_url"`
}

// ParseCalendar reads the list view of the calendar, which was fetched from page.
// Rows come in the page's order; a row that cannot be read is an error, for a
// missing meeting is worse than a failed look.
func ParseCalendar(body []byte, page *url.URL, zone *time.Location) ([]Row, error) {
	doc, err := parsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	found := doc.Find(".MeetingRow")
	// A calendar without meetings still has the place for them.
	if found.Length() == 0 && doc.Find("[id$=pnlMeetings], [id$=lblCalendarRange], [id$=lblFilterSummary]").Length() == 0 {
		return nil, fmt.Errorf("read calendar: %w: it has no list of meetings", ErrNotPortal)
	}
	var rows []Row
	for _, s := range found.EachIter() {
		link := meetingLink(s)
		if link.Length() == 0 {
			continue // a placeholder: there is no page behind it
		}
		row, err := parseRow(s, link, page, zone)
		if err != nil {
			return nil, fmt.Errorf("read calendar: row %d: %w", len(rows)+1, err)
		}
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == row.ID }) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// meetingLink is the link of a row to the page of its meeting: the one with the date.
func meetingLink(row *goquery.Selection) *goquery.Selection {
	links := row.Find("a").FilterFunction(func(_ int, a *goquery.Selection) bool {
		href := a.AttrOr("href", "")
		return leadsTo("/"+href, "Detail_Meeting.aspx") && param(href, "ID") > 0
	})
	if dated := links.Filter(".RowLink a"); dated.Length() > 0 {
		return dated.First()
	}
	return links.First()
}

func parseRow(s, link *goquery.Selection, page *url.URL, zone *time.Location) (Row, error) {
	row := Row{ID: param(link.AttrOr("href", ""), "ID"), Title: fold(s.Find(".RowDetails").First().Text())}
	if row.ID == 0 {
		return row, fmt.Errorf("%w: no meeting id", ErrNotPortal)
	}
	said := row.readTip(link.AttrOr("title", ""))
	var ok bool
	if row.Starts, ok = parseTime(link.Text(), zone, timeLayouts...); !ok {
		row.Starts, ok = parseTime(said, zone, timeLayouts...)
	}
	if !ok {
		return row, fmt.Errorf("%w: meeting %d starts at %q", ErrNotPortal, row.ID, fold(link.Text()))
	}
	if row.Board == "" || row.Type == "" {
		board, kind, _ := strings.Cut(row.Title, " - ")
		if row.Board == "" {
			row.Board = board
		}
		if row.Type == "" {
			row.Type = kind
		}
	}
	if row.Title == "" {
		row.Title = strings.TrimSuffix(row.Board+" - "+row.Type, " - ")
	}
	row.Cancelled = s.Find(".MeetingCancelled").Length() > 0 || strings.EqualFold(row.Status, "Cancelled") || strings.EqualFold(row.Status, "Canceled")
	for _, a := range s.Find("a").EachIter() {
		if a.HasClass("HiddenDocumentLink") {
			continue
		}
		if d, ok := document(page, a.AttrOr("href", "")); ok {
			row.Documents = append(row.Documents, d)
		} else if v := video(page, a.AttrOr("onclick", ""), a.AttrOr("href", "")); v != "" {
			row.VideoURL = v
		}
	}
	return row, nil
}

// timeLayouts are the ways in which portals write when a meeting starts.
var timeLayouts = []string{"Jan 2, 2006 3:04 PM", "January 2, 2006 3:04 PM", "Jan 2, 2006", "January 2, 2006", "1/2/2006 3:04 PM", "1/2/2006",
	"Monday, January 2, 2006 3:04 PM", "Monday, January 2, 2006", "Mon, Jan 2, 2006 3:04 PM", "2006/01/02 03:04 PM", "2006-01-02 15:04"}

// readTip reads the tooltip, which has all facts on lines of their own: the date, a
// blank line, labelled facts, a blank line, and the place, indented by a tab. It returns the date as printed.
func (r *Row) readTip(tip string) (date string) {
	var place []string
	for line := range strings.SplitSeq(strings.ReplaceAll(tip, "\n", "\r"), "\r") {
		label, value, labelled := strings.Cut(line, "\t")
		value = fold(value)
		switch label = strings.TrimSpace(label); {
		case label == "Board:":
			r.Board = value
		case label == "Type:":
			r.Type = value
		case label == "Status:":
			r.Status = value
		case labelled && label == "" && value != "":
			place = append(place, value)
		case !labelled && date == "":
			date = label
		}
	}
	r.Location = strings.Join(place, ", ")
	return date
}
