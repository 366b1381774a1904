package iqm2

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Row is a line of the calendar: all that it says of a meeting.
type Row struct {
	ID        int64      `json:"id"`
	URL       string     `json:"-"`     // of the meeting's page, as the row leads to it
	Board     string     `json:"board"` // "" when the row does not say, likewise Type
	Type      string     `json:"type"`
	Status    string     `json:"status"` // Scheduled, Closed, Cancelled; "Closed" means finalised, not held in private
	Starts    time.Time  `json:"starts"` // in the portal's zone; zero when the row does not say
	Title     string     `json:"title"`  // "City Council - Regular Meeting"
	Location  string     `json:"location"`
	Cancelled bool       `json:"cancelled"`
	Documents []Document `json:"documents"`
	VideoURL  string     `json:"video_url"`
}

// ParseCalendar reads the list view of the calendar, which was fetched from page.
// Rows come in the page's order. What a row does not say in a way that can be
// read, be it the board or the time, is empty: the meeting's page says it too.
func ParseCalendar(body []byte, page *url.URL, zone *time.Location) ([]Row, error) {
	doc, err := parsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	found := doc.Find(".MeetingRow")
	if found.Length() == 0 {
		// A template of another make: what leads to a meeting's page stands in a row of some kind.
		found = doc.Find("a").FilterFunction(func(_ int, a *goquery.Selection) bool { return leadsToMeeting(a) }).Closest("tr, li, div")
	}
	// A calendar without meetings still has the place for them.
	if found.Length() == 0 && doc.Find("[id$=pnlMeetings], [id$=lblCalendarRange], [id$=lblFilterSummary]").Length() == 0 {
		return nil, fmt.Errorf("read calendar: %w: it has no list of meetings", portal.ErrNotPortal)
	}
	var rows []Row
	seen := map[int64]bool{}
	for _, s := range found.EachIter() {
		link := meetingLink(s)
		if link.Length() == 0 {
			continue // a placeholder: there is no page behind it
		}
		row := parseRow(s, link, page, zone)
		if !seen[row.ID] {
			seen[row.ID] = true
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// leadsToMeeting reports whether a link leads to the page of a meeting.
func leadsToMeeting(a *goquery.Selection) bool {
	href := a.AttrOr("href", "")
	return leadsTo("/"+href, "Detail_Meeting.aspx") && param(href, "ID") > 0
}

// meetingLink is the link of a row to the page of its meeting: the one with the date.
func meetingLink(row *goquery.Selection) *goquery.Selection {
	found := row.Find("a").FilterFunction(func(_ int, a *goquery.Selection) bool { return leadsToMeeting(a) })
	if dated := found.Filter(".RowLink a"); dated.Length() > 0 {
		return dated.First()
	}
	return found.First()
}

func parseRow(s, link *goquery.Selection, page *url.URL, zone *time.Location) Row {
	href := link.AttrOr("href", "")
	row := Row{ID: param(href, "ID"), URL: address(page, href, "ID"), Title: portal.Fold(s.Find(".RowDetails").First().Text())}
	tip := link.AttrOr("title", "")
	if !strings.Contains(tip, ":") { // some templates have it on the icon alone
		tip = s.Find("[title*='Board:'], [title*='Type:']").First().AttrOr("title", tip)
	}
	said := row.readTip(tip)
	for _, line := range []string{link.Text(), said, s.Text()} {
		if at, timed, ok := readStart(line, zone); ok && (timed || row.Starts.IsZero()) {
			row.Starts = at
			if timed {
				break
			}
		}
	}
	if board, kind, both := strings.Cut(row.Title, " - "); both {
		row.Board, row.Type = cmp.Or(row.Board, board), cmp.Or(row.Type, kind)
	}
	row.Title = cmp.Or(row.Title, portal.TitleOf(row.Board, row.Type))
	row.Cancelled = s.Find(".MeetingCancelled, .MeetingCanceled").Length() > 0 ||
		slices.ContainsFunc([]string{row.Status, row.Type, row.Title, link.Text()}, calledOff)
	row.Documents, row.VideoURL = links(page, s.Find("a"))
	return row
}

// called off, in the words of statuses, types and titles. Of a meeting that was rescheduled the portal says at which end it stands: the day that it was moved
// from is no meeting, the day that it was moved to is one.
var offWords = regexp.MustCompile(`(?i)\bcancell?ed\b|\bpostponed\b|\brescheduled to\b|^no meeting\b`)

func calledOff(words string) bool { return offWords.MatchString(portal.Fold(words)) }

// readTip reads the tooltip, which has all facts on lines of their own: the date, a
// blank line, labelled facts, a blank line, and the place, indented by a tab. It returns the date as printed.
func (r *Row) readTip(tip string) (date string) {
	var place []string
	for line := range strings.SplitSeq(strings.NewReplacer("\n", "\r", "<br>", "\r", "<br/>", "\r", "<br />", "\r").Replace(tip), "\r") {
		indented := strings.HasPrefix(line, "\t")
		line = portal.Fold(line)
		label, value, labelled := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		label = strings.ToLower(label)
		switch {
		case line == "":
		case labelled && (label == "board" || label == "group"):
			r.Board = value
		case labelled && label == "type":
			r.Type = value
		case labelled && label == "status":
			r.Status = value
		case indented:
			place = append(place, line)
		case date == "":
			date = line
		}
	}
	r.Location = strings.Join(place, ", ")
	return date
}
