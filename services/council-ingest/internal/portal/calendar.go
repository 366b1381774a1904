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
	found := doc.Find("div.MeetingRow")
	// A calendar without meetings still has the place for them.
	if found.Length() == 0 && doc.Find("[id$=pnlMeetings], [id$=lblCalendarRange], [id$=lblFilterSummary]").Length() == 0 {
		return nil, fmt.Errorf("read calendar: %w: it has no list of meetings", ErrNotPortal)
	}
	var rows []Row
	for _, s := range found.EachIter() {
		row, err := parseRow(s, page, zone)
		if err != nil {
			return nil, fmt.Errorf("read calendar: row %d: %w", len(rows)+1, err)
		}
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == row.ID }) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func parseRow(s *goquery.Selection, page *url.URL, zone *time.Location) (Row, error) {
	link := s.Find(".RowLink a").First()
	row := Row{ID: param(link.AttrOr("href", ""), "ID"), Title: fold(s.Find(".RowDetails").First().Text())}
	if row.ID == 0 {
		return row, fmt.Errorf("%w: no meeting id", ErrNotPortal)
	}
	row.readTip(link.AttrOr("title", ""))
	var ok bool
	if row.Starts, ok = parseTime(link.Text(), zone, "Jan 2, 2006 3:04 PM", "Jan 2, 2006", "1/2/2006 3:04 PM"); !ok {
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
	row.Cancelled = s.Find(".MeetingCancelled").Length() > 0 || strings.EqualFold(row.Status, "Cancelled")
	for _, a := range s.Find(".MeetingLinks a").EachIter() {
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

// readTip reads the tooltip, which has all facts on lines of their own: the date, a
// blank line, labelled facts, a blank line, and the place, indented by a tab.
func (r *Row) readTip(tip string) {
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
		}
	}
	r.Location = strings.Join(place, ", ")
}
