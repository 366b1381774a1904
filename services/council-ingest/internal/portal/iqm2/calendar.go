package iqm2

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A CalendarRow is a line of the calendar: all that it says of a meeting.
type CalendarRow struct {
	ID        int64      `json:"id"`
	URL       string     `json:"-"`     // of the meeting's page, as the row leads to it
	Board     string     `json:"board"` // "" when the row does not say, likewise Type
	Type      string     `json:"type"`
	Status    string     `json:"status"` // Scheduled, Closed, Cancelled; "Closed" means finalised, not held in private
	Starts    time.Time  `json:"starts"` // in the portal's zone; zero when the row does not say
	Title     string     `json:"title"`  // "City Council - Regular Meeting"
	Location  string     `json:"location"`
	Cancelled bool       `json:"cancelled"`
	Documents []FileLink `json:"documents"`
	VideoURL  string     `json:"video_url"`
}

// ParseCalendar reads the list view of the calendar, which was fetched from page.
// Rows come in the page's order. What a row does not say in a way that can be
// read, be it the board or the time, is empty: the meeting's page says it too.
func ParseCalendar(body []byte, page *url.URL, zone *time.Location) ([]CalendarRow, error) {
	doc, err := parsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	found := doc.Find(".MeetingRow")
	if found.Length() == 0 {
		// A template of another make: what leads to a meeting's page stands in a row of some kind.
		found = doc.Find("a").FilterFunction(func(_ int, a *goquery.Selection) bool {
			return leadsToMeeting(a)
		}).Closest("tr, li, div")
	}
	// A calendar without meetings still has the place for them.
	if found.Length() == 0 && doc.Find("[id$=pnlMeetings], [id$=lblCalendarRange], [id$=lblFilterSummary]").Length() == 0 {
		return nil, fmt.Errorf("read calendar: %w: it has no list of meetings", portal.ErrNotPortal)
	}
	var rows []CalendarRow
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

func parseRow(s, link *goquery.Selection, page *url.URL, zone *time.Location) CalendarRow {
	href := link.AttrOr("href", "")
	row := CalendarRow{ID: param(href, "ID"), URL: address(page, href, "ID"),
		Title: portal.Fold(s.Find(".RowDetails").First().Text())}
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

// called off, in the words of statuses, types and titles. Of a meeting that was rescheduled the
// portal says at which end it stands: the day that it was moved from is no meeting, the day that it
// was moved to is one.
var offWords = regexp.MustCompile(`(?i)\bcancell?ed\b|\bpostponed\b|\brescheduled to\b|^no meeting\b`)

func calledOff(words string) bool { return offWords.MatchString(portal.Fold(words)) }

// readTip reads the tooltip, which has all facts on lines of their own: the date, a blank line,
// labelled facts, a blank line, and the place, indented by a tab. It returns the date as printed.
func (r *CalendarRow) readTip(tip string) (date string) {
	var place []string
	for line := range strings.SplitSeq(strings.NewReplacer("\n", "\r", "<br>", "\r", "<br/>", "\r", "<br />", "\r").
		Replace(tip), "\r") {
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

const months = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`

// The ways in which portals write a day. Each finds it anywhere in a line; order says which group
// is year, month and day.
var days = []struct {
	form             *regexp.Regexp
	year, month, day int
}{
	// Tuesday, March 5, 2024
	{regexp.MustCompile(`(?i)\b` + months + `\s+(\d{1,2})(?:st|nd|rd|th)?\s*,?\s+(\d{4})\b`), 3, 1, 2},
	// 5 March 2024, 05-Mar-2024
	{regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?[\s-]+` + months + `[\s,-]+(\d{4})\b`), 3, 2, 1},
	// 2024-03-05T19:00
	{regexp.MustCompile(`\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:\D|$)`), 1, 2, 3},
	{regexp.MustCompile(`\b(\d{1,2})[-/](\d{1,2})[-/](\d{4})\b`), 3, 1, 2}, // 3/5/2024
}

// The ways in which portals write a time of day, which follows the day.
var (
	clock12 = regexp.MustCompile(`(?i)\b(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?\s?m\b`) // 7:00 PM, 7 p.m.
	clock24 = regexp.MustCompile(`(?:^|[\sT])(\d{1,2}):(\d{2})`)                              // 19:00
	noon    = regexp.MustCompile(`(?i)\bnoon\b`)
)

// readStart finds in a line when a meeting starts, local in zone. timed reports whether
// the line says more than the day; a meeting without a time starts at midnight.
func readStart(line string, zone *time.Location) (t time.Time, timed, ok bool) {
	line = portal.Fold(line)
	for _, d := range days {
		at := d.form.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		group := func(n int) string { return line[at[2*n]:at[2*n+1]] }
		month := strings.ToLower(group(d.month))
		if n := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", month); n >= 0 {
			month = strconv.Itoa(1 + n/3)
		}
		day, err := time.Parse("2006-1-2", group(d.year)+"-"+month+"-"+group(d.day))
		if err != nil || day.Year() < 1800 {
			continue
		}
		// What can separate day and time, such as the T of 2024-03-05T19:00, can be part of the day's
		// match.
		clock, timed := readClock(line[at[2*max(d.year, d.month, d.day)+1]:])
		return time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), 0, 0, zone), timed, true
	}
	return time.Time{}, false, false
}

func readClock(s string) (at time.Time, ok bool) {
	if m := clock12.FindStringSubmatch(s); m != nil {
		at, err := time.Parse("3:04PM", m[1]+":"+cmp.Or(m[2], "00")+strings.ToUpper(m[3])+"M")
		if err == nil {
			return at, true
		}
	}
	if noon.MatchString(s) {
		return time.Time{}.Add(12 * time.Hour), true
	}
	if m := clock24.FindStringSubmatch(s); m != nil {
		at, err := time.Parse("15:04", m[1]+":"+m[2])
		return at, err == nil
	}
	return time.Time{}, false
}
