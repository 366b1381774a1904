package files

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// calendarLength is the number of meetings in the calendar. It has the latest meetings.
const calendarLength = 1000

// CalendarEndpoints are the meetings as a calendar.
func CalendarEndpoints(place Place) rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "calendarMeetings", Path: "/feeds/meetings.ics", Tag: "Feeds",
			Summary: "Meetings as a calendar to subscribe to",
			Doc: "iCalendar (RFC 5545): the newest 1000 meetings, future and cancelled ones included. The portal gives " +
				"the start of a meeting, not its end: each is shown as two hours long, or as a day if the start is unknown.",
			Queries: rest.Queries(civic.CouncilName, civic.MeetingRows), Media: "text/calendar"},
			func(ctx context.Context, c *rest.Call, of civic.OfBody) (rest.File, error) {
				meetings, err := civic.MeetingsBetween(ctx, c, of, nil, nil, calendarLength)
				if err != nil {
					return rest.File{}, err
				}
				_, name, err := place.nameOf(ctx, c, of)
				if err != nil {
					return rest.File{}, err
				}
				return rest.File{Body: calendar(name, meetings, place.Zone, c.Generation().Time.UTC().Format(icsTime), host(c)),
					Name: "meetings.ics"}, nil
			}),
	}
}

// icsTime is the format of an instant in UTC (RFC 5545, 3.3.5).
const icsTime = "20060102T150405Z"

// usualLength is the assumed duration of a meeting (RFC 5545, 3.3.6), because portals do not
// publish the end.
const usualLength = "PT2H"

// calendar writes the meetings of a council. A meeting that was never fetched gets the time stamp.
func calendar(name string, meetings []civic.Meeting, zone *time.Location, stamp, host string) []byte {
	var b []byte
	line := func(name, value string) { b = appendContentLine(b, name+":"+value) }
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//Townline//Council votes//EN")
	line("NAME", icsText(name)) // RFC 7986, and the older names that calendars read
	line("X-WR-CALNAME", icsText(name))
	for _, m := range meetings {
		changed := stamp
		if m.LastFetched != nil {
			changed = m.LastFetched.UTC().Format(icsTime)
		}
		line("BEGIN", "VEVENT")
		line("UID", "meeting-"+strconv.FormatInt(m.IQM2ID, 10)+"@"+host)
		line("DTSTAMP", changed)
		if civic.HasTime(m.StartsAt.Time, zone) {
			line("DTSTART", m.StartsAt.UTC().Format(icsTime))
			line("DURATION", usualLength)
		} else {
			line("DTSTART;VALUE=DATE", m.MeetingDate.Format("20060102"))
		}
		line("SUMMARY", icsText(m.Title))
		if m.BodyName != nil {
			line("CATEGORIES", icsText(*m.BodyName))
		}
		if m.Location != nil && *m.Location != "" {
			line("LOCATION", icsText(*m.Location))
		}
		line("URL", printable(m.SourceURL))
		if m.Status == council.StatusCancelled {
			line("STATUS", "CANCELLED")
		} else {
			line("STATUS", "CONFIRMED")
		}
		line("END", "VEVENT")
	}
	line("END", "VCALENDAR")
	return b
}

// icsEscapes has single bytes only, which is the fastest kind of replacer.
var icsEscapes = strings.NewReplacer(`\`, `\\`, `;`, `\;`, `,`, `\,`, "\n", `\n`, "\r", `\n`)

// icsText escapes a TEXT value (RFC 5545, 3.3.11).
func icsText(s string) string {
	return printable(icsEscapes.Replace(strings.ReplaceAll(s, "\r\n", "\n")))
}

// printable removes control characters. With a line feed, a title could add properties.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// maxLine is the largest number of octets of a line without its end (RFC 5545, 3.1).
const maxLine = 75

// appendContentLine appends a line and folds it between characters.
func appendContentLine(b []byte, s string) []byte {
	most := maxLine
	for len(s) > most {
		cut := most
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		b = append(b, s[:cut]...)
		b = append(b, "\r\n "...)
		s, most = s[cut:], maxLine-1 // one less, for the leading blank
	}
	return append(append(b, s...), "\r\n"...)
}
