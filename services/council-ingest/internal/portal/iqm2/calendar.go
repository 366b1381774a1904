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

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A CalendarRow is a row of the calendar. Its JSON form is hashed and stored.
type CalendarRow struct {
	ID        int64      `json:"id"`
	URL       string     `json:"-"`     // address of the meeting's page
	BodyID    string     `json:"-"`     // id in the calendar's list of meeting groups; "" if it has none
	Body      string     `json:"board"` // "" if unknown, like Type
	Type      string     `json:"type"`
	Status    string     `json:"status"` // Scheduled, Closed (finalised, not held in private) or Cancelled
	Starts    time.Time  `json:"starts"` // in the portal's time zone; zero if unknown
	Title     string     `json:"title"`  // such as "City Council - Regular Meeting"
	Location  string     `json:"location"`
	Cancelled bool       `json:"cancelled"`
	Documents []FileLink `json:"documents"`
	VideoURL  string     `json:"video_url"`
}

// ParseCalendar parses the list view of the calendar, in the order of the page. page is the address
// of the page. A field that cannot be read stays empty, because the meeting's page has it too.
func ParseCalendar(body []byte, page *url.URL, zone *time.Location) ([]CalendarRow, error) {
	doc, err := portal.ParseWholePage(body)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	found := doc.Find(".MeetingRow")
	if found.Length() == 0 {
		// In other templates, a row is a link to a meeting's page.
		found = doc.Find("a").FilterFunction(func(_ int, a *goquery.Selection) bool {
			return leadsToMeeting(a)
		}).Closest("tr, li, div")
	}
	// Even an empty calendar has these elements.
	if found.Length() == 0 && doc.Find("[id$=pnlMeetings], [id$=lblCalendarRange], [id$=lblFilterSummary]").Length() == 0 {
		return nil, fmt.Errorf("read calendar: %w: it has no list of meetings", portal.ErrNotPortal)
	}
	groups := map[string]string{}
	for _, option := range doc.Find("select[id$=DepartmentID] option").EachIter() {
		if id := option.AttrOr("value", ""); id != "0" {
			groups[portal.FoldName(option.Text())] = id
		}
	}
	var rows []CalendarRow
	seen := map[int64]bool{}
	for _, s := range found.EachIter() {
		link := meetingLink(s)
		if link.Length() == 0 {
			continue // the row is a placeholder without a page
		}
		row := parseRow(s, link, page, zone)
		row.BodyID = groups[portal.FoldName(row.Body)]
		if !seen[row.ID] {
			seen[row.ID] = true
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func leadsToMeeting(a *goquery.Selection) bool {
	href := a.AttrOr("href", "")
	return leadsTo("/"+href, "Detail_Meeting.aspx") && param(href, "ID") > 0
}

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
		Title: council.Fold(s.Find(".RowDetails").First().Text())}
	tip := link.AttrOr("title", "")
	if !strings.Contains(tip, ":") { // in some templates only the icon has the tooltip
		tip = s.Find("[title*='Board:'], [title*='Type:']").First().AttrOr("title", tip)
	}
	date := row.readTip(tip)
	for _, line := range []string{link.Text(), date, s.Text()} {
		if at, timed, ok := readStart(line, zone); ok && (timed || row.Starts.IsZero()) {
			row.Starts = at
			if timed {
				break
			}
		}
	}
	if body, kind, both := strings.Cut(row.Title, " - "); both {
		row.Body, row.Type = cmp.Or(row.Body, body), cmp.Or(row.Type, kind)
	}
	row.Title = cmp.Or(row.Title, portal.TitleOf(row.Body, row.Type))
	row.Cancelled = s.Find(".MeetingCancelled, .MeetingCanceled").Length() > 0 ||
		slices.ContainsFunc([]string{row.Status, row.Type, row.Title, link.Text()}, isCancelled)
	row.Documents, row.VideoURL = links(page, s.Find("a"))
	return row
}

// cancelWords matches in statuses, types and titles. A rescheduled meeting is cancelled on its old
// day ("rescheduled to"), but not on the new day ("rescheduled from").
var cancelWords = regexp.MustCompile(`(?i)\bcancell?ed\b|\bpostponed\b|\brescheduled to\b|^no meeting\b`)

func isCancelled(words string) bool { return cancelWords.MatchString(council.Fold(words)) }

// readTip reads the tooltip of a row. It has lines with the date, with labelled values, and with
// the place, which is indented by a tab. readTip returns the date as printed.
func (r *CalendarRow) readTip(tip string) (date string) {
	var place []string
	for line := range strings.SplitSeq(strings.NewReplacer("\n", "\r", "<br>", "\r", "<br/>", "\r", "<br />", "\r").
		Replace(tip), "\r") {
		indented := strings.HasPrefix(line, "\t")
		line = council.Fold(line)
		label, value, labelled := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		label = strings.ToLower(label)
		switch {
		case line == "":
		case labelled && (label == "board" || label == "group"):
			r.Body = value
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

// dayForms matches the notations of a day. The numbers are the groups of year, month and day.
var dayForms = []struct {
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

// The notations of a time of day. It follows the day.
var (
	clock12 = regexp.MustCompile(`(?i)\b(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?\s?m\b`) // 7:00 PM, 7 p.m.
	clock24 = regexp.MustCompile(`(?:^|[\sT])(\d{1,2}):(\d{2})`)                              // 19:00
	noon    = regexp.MustCompile(`(?i)\bnoon\b`)
)

// readStart finds the start of a meeting in a line, in the time zone. If the line has no time, it
// returns midnight, and timed is false.
func readStart(line string, zone *time.Location) (t time.Time, timed, ok bool) {
	line = council.Fold(line)
	for _, d := range dayForms {
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
		// The match of the day may include a separator, such as the T of 2024-03-05T19:00.
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
