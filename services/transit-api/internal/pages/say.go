package pages

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
)

// A Speaker formats times and numbers in one language.
type Speaker struct{ site.Speaker }

// Minutes returns the time until a departure; "" if it is more than an hour.
func (s Speaker) Minutes(seconds int64) string {
	switch {
	case seconds < soon:
		return s.Text("js.now")
	case seconds > 3600:
		return ""
	}
	return s.Text("js.min", (seconds+15)/60)
}

// soon is the number of seconds below which a departure is "now".
const soon = 45

func (s Speaker) Age(seconds int64) string {
	seconds = max(seconds, 0)
	if seconds < 90 {
		return s.Text("js.seconds", seconds)
	}
	return s.Text("js.min", seconds/60)
}

func (s Speaker) Delay(seconds int64) string {
	minutes := int64(math.Round(float64(seconds) / 60))
	switch {
	case minutes > 0:
		return s.Text("board.late", minutes)
	case minutes < 0:
		return s.Text("board.early", -minutes)
	}
	return s.Text("board.ontime")
}

var exceptions = map[string]string{board.Canceled: "board.cancelled", board.Skipped: "board.skipped",
	board.Added: "board.added", board.NewTrip: "board.added"}

// exception returns how a call differs from the timetable, or that an alert says that there is no
// service; "" if it does not.
func (s Speaker) exception(d *board.Departure) string {
	if d.NoService {
		return s.Text("board.noservice")
	}
	return s.Words[exceptions[d.ScheduleRelationship]]
}

// Until returns when the first departure after the board is: today, or on which day.
func (s Speaker) Until(at, now time.Time, today *bool) string {
	const night = 12 * time.Hour // departures within this time count as today
	switch {
	case at.Sub(now) <= night || at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return s.Text("quiet.until", s.Clock(at))
	case today != nil && !*today:
		return s.Text("quiet.nottoday", s.Day(at), s.Clock(at))
	}
	return s.Text("quiet.over", s.Day(at), s.Clock(at))
}

func (s Speaker) Name(stops []string) string { return s.names(stops, 3, math.MaxInt) }

// names joins up to most different names that fit into a number of characters, and counts the other
// names.
func (s Speaker) names(all []string, most, characters int) string {
	var names []string
	for _, name := range all {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	n := min(len(names), most)
	for n > 1 && utf8.RuneCountInString(strings.Join(names[:n], " · ")) > characters {
		n--
	}
	text := strings.Join(names[:n], " · ")
	if more := len(names) - n; more > 0 {
		return s.Text("board.others", text, more)
	}
	return text
}

// Maximum lengths of a screen's name in characters: in large letters, in smaller letters, and in
// total.
const (
	largeName = 36
	smallName = 76
	mostName  = 190
)

// Maximum lengths of a title on a phone, in large letters and in smaller letters.
const (
	largeTitle = 16
	smallTitle = 48
)

// letters returns the CSS class for a text's size on a screen: "" for large letters, "long" or
// "longer".
func letters(text string, large, small int) string {
	n := utf8.RuneCountInString(text)
	switch {
	case n > small:
		return "longer"
	case n > large:
		return "long"
	}
	return ""
}

// clockIn returns a time by the clock of a zone. It names the zone if that is not the reader's.
func (s Speaker) clockIn(zone, readers *time.Location, at int64) string {
	local := time.Unix(at, 0).In(zone)
	if zone.String() == readers.String() {
		return s.Clock(local)
	}
	return s.Clock(local) + " " + local.Format("MST")
}

// localTo returns where times are local to, as in "Los Angeles (PST)", in a sentence.
func (s Speaker) localTo(at time.Time) string {
	name := at.Location().String()
	name = strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], "_", " ")
	return s.Text("board.zone", name, at.Format("MST"))
}

// titleCase returns a text that is in capitals in title case, and any other text unchanged. Names of
// lines and bays with a digit, points of the compass and Roman numerals stay in capitals; "42ND" and
// the end of "MARY'S" do not.
func titleCase(text string) string {
	if strings.ContainsFunc(text, unicode.IsLower) || !strings.ContainsFunc(text, unicode.IsUpper) {
		return text
	}
	var b strings.Builder
	word := func(w string) {
		written := b.String()
		possessive := w == "S" && (strings.HasSuffix(written, "'") || strings.HasSuffix(written, "’"))
		switch {
		case possessive || ordinal.MatchString(w):
			b.WriteString(strings.ToLower(w))
		case strings.ContainsFunc(w, unicode.IsDigit), strings.Trim(w, "IVX") == "", capitals[w]:
			b.WriteString(w)
		default:
			first, size := utf8.DecodeRuneInString(w)
			b.WriteRune(first)
			b.WriteString(strings.ToLower(w[size:]))
		}
	}
	start := 0
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			if i > start {
				word(text[start:i])
			}
			b.WriteRune(r)
			start = i + utf8.RuneLen(r)
		}
	}
	if start < len(text) {
		word(text[start:])
	}
	return b.String()
}

// ordinal is an English ordinal number.
var ordinal = regexp.MustCompile(`^[0-9]+(ST|ND|RD|TH)$`)

var capitals = map[string]bool{"N": true, "S": true, "E": true, "W": true, "NE": true, "NW": true, "SE": true,
	"SW": true,
	"NB": true, "SB": true, "EB": true, "WB": true}
