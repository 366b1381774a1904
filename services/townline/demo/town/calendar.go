package town

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Town is Alder Bay. It is immutable, and safe for concurrent use.
type Town struct {
	months int
	zone   *time.Location
	round  []json.RawMessage // the meetings of each fortnight of a round
	off    []bool            // the council's regular meeting is cancelled
}

//go:embed meetings.json
var meetings []byte

// A gathering is a meeting of meetings.json with its place in the fortnight.
type gathering struct {
	Meeting
	Place            int // last digit of its ids; place 0 is the council's regular meeting
	Day              int // counted from the fortnight's Tuesday
	At               string
	Joint, NoMinutes bool
}

// New opens the town with so many months of past meetings, up to 360; 0 means eight. After the move
// to another portal the calendar reaches further back.
func New(months int) (*Town, error) {
	if months == 0 {
		months = 8
	}
	if months < 0 || months > 360 {
		return nil, fmt.Errorf("a demo calendar of %d months: want 1 to 360", months)
	}
	zone, err := time.LoadLocation(Zone)
	if err != nil {
		return nil, fmt.Errorf("load the demo town's time zone: %w", err)
	}
	t := &Town{months: months, zone: zone}
	if err := json.Unmarshal(meetings, &t.round); err != nil {
		return nil, fmt.Errorf("read the demo town's meetings: %w", err)
	}
	t.off = make([]bool, len(t.round))
	for n := range t.round {
		all, err := t.fortnight(start + n)
		if err != nil {
			return nil, fmt.Errorf("read the demo town's fortnight %d: %w", n, err)
		}
		t.off[n] = all[0].Cancelled
	}
	return t, nil
}

// weeksAhead of the public calendar.
const weeksAhead = 9

// epoch is the first of the council's fortnightly Tuesdays, before any calendar. A round begins at
// fortnight start.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

const start = 1202

// moved is the day on which the second portal replaced the first.
var moved = time.Date(2026, time.September, 1, 0, 0, 0, 0, time.UTC)

// Meetings returns all meetings on the city's public calendars at an instant, by start. The second
// portal's calendar reaches back by the town's months. The first portal's ends at the move, and
// reaches back from there by at least half as many.
func (t *Town) Meetings(now time.Time) []*Meeting {
	local := now.In(t.zone)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	recent, last := today.AddDate(0, -t.months, 0), today.AddDate(0, 0, 7*weeksAhead)
	first := recent
	if before := moved.AddDate(0, 0, -15*t.months); before.Before(first) {
		first = before
	}
	var out []*Meeting
	for n := index(first) - 1; n <= index(last); n++ {
		all, err := t.fortnight(n)
		if err != nil {
			continue // New has read each of them
		}
		for _, m := range all {
			day := time.Date(m.Starts.Year(), m.Starts.Month(), m.Starts.Day(), 0, 0, 0, 0, time.UTC)
			if !day.Before(first) && !day.After(last) && (day.Before(moved) || !day.Before(recent)) {
				out = append(out, m)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Meeting) int { return a.Starts.Compare(b.Starts) })
	return out
}

// index returns the number of a day's fortnight; tuesday returns the first day of a fortnight.
func index(d time.Time) int   { return int(d.Sub(epoch).Hours()) / 24 / 14 }
func tuesday(n int) time.Time { return epoch.AddDate(0, 0, 14*n) }

// slot returns the place of a fortnight in its round.
func (t *Town) slot(n int) int {
	return ((n-start)%len(t.round) + len(t.round)) % len(t.round)
}

// held returns the first fortnight from n, in steps of 1 or -1, with a regular meeting.
func (t *Town) held(n, step int) int {
	for t.off[t.slot(n)] {
		n += step
	}
	return n
}

// blank matches a placeholder of meetings.json: a date, a file's number, or a file's id, which is a
// JSON number.
var blank = regexp.MustCompile(`"?\{([a-z]+)([0-9]?)\.?([0-9]*)\}"?`)

// fill replaces the placeholders of a fortnight's meetings.
func (t *Town) fill(n int) []byte {
	before, next := tuesday(t.held(n-1, -1)), tuesday(t.held(n+1, 1))
	return blank.ReplaceAllFunc(t.round[t.slot(n)], func(match []byte) []byte {
		of := blank.FindSubmatch(match)
		back, _ := strconv.Atoi(string(of[2])) // the expression lets nothing but digits through
		k, _ := strconv.Atoi(string(of[3]))
		text := ""
		switch string(of[1]) {
		case "l":
			return strconv.AppendInt(nil, int64(4000+40*(n-back)+k), 10)
		case "q":
			return strconv.AppendInt(nil, int64(9000+2*n+k), 10)
		case "p":
			text = strconv.Itoa(100 + 2*n + k)
		case "f": // files are numbered through the year
			year := tuesday(n - back).Year()
			first := index(time.Date(year, 1, 13, 0, 0, 0, 0, time.UTC))
			text = fmt.Sprintf("%d-%03d", year, max(n-back-first, 0)*22+k)
		case "last":
			text = before.Format("January 2, 2006")
		case "next":
			text = next.Add(18 * time.Hour).Format("1/2/2006 3:04 PM")
		case "fiscal":
			year := tuesday(n).Year()
			text = fmt.Sprintf("%d-%02d", year, (year+1)%100)
		}
		return slices.Concat(quote(match[0]), []byte(text), quote(match[len(match)-1]))
	})
}

// quote returns the quotation mark of a placeholder within a string.
func quote(c byte) []byte {
	if c == '"' {
		return []byte{c}
	}
	return nil
}

// fortnight returns the meetings of a fortnight, the regular one first.
func (t *Town) fortnight(n int) ([]*Meeting, error) {
	var all []*gathering
	if err := json.Unmarshal(t.fill(n), &all); err != nil {
		return nil, err
	}
	var out []*Meeting
	for _, g := range all {
		at, err := time.Parse("15:04", g.At)
		if err != nil {
			return nil, err
		}
		t.set(g, n, at)
		out = append(out, &g.Meeting)
	}
	return out, nil
}

// set sets a meeting's ids, start, and the times of its documents. The agenda is posted the day
// after the previous regular meeting, or five days ahead; minutes are approved at the next regular
// meeting and posted the day after.
func (t *Town) set(g *gathering, n int, at time.Time) {
	m := &g.Meeting
	m.ID, m.AgendaID, m.MinutesID = 10*n+g.Place, 10*n+g.Place-1400, 10*n+g.Place-2300
	if g.Joint {
		m.Twins = []Twin{{ID: m.ID + 1, Board: Council}, {ID: m.ID + 2, Board: Planning}}
	}
	d := tuesday(n).AddDate(0, 0, g.Day)
	m.Starts = time.Date(d.Year(), d.Month(), d.Day(), at.Hour(), at.Minute(), 0, 0, t.zone)
	if m.Withdrawn {
		return
	}
	m.AgendaPosted = time.Date(d.Year(), d.Month(), d.Day()-5, 16, 30, 0, 0, t.zone)
	if g.Place == 0 {
		before := tuesday(t.held(n-1, -1))
		m.AgendaPosted = time.Date(before.Year(), before.Month(), before.Day()+1, 10, 0, 0, 0, t.zone)
	}
	if g.NoMinutes {
		return
	}
	next := t.held(n+1, 1)
	if after := tuesday(next); after.Sub(d) < 3*24*time.Hour {
		next = t.held(next+1, 1)
	}
	a := tuesday(next)
	m.MinutesPosted = time.Date(a.Year(), a.Month(), a.Day()+1, 10, 0, 0, 0, t.zone)
}
