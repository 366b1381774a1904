package view

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/live"
)

// A BoardWish is what a board is asked to show.
type BoardWish struct {
	Variant string // phone, lcd, eink
	Title   string // "": the names of the stops
	Lines   int    // that are shown at once
	Walk    int64  // minutes to the stop
	Minutes int64  // how far the departures reach
	Routes  bool   // only some routes are asked for
	// Part leaves out what the clock alone changes, which the script adds: so that the rows stay the same for as long as nothing happens.
	Part bool
	// Still leaves out the time at which the board was made, too, of a picture that may be shown for long.
	Still bool
}

// BoardData is what a board is made of: departures of stops, as the API has them.
type BoardData struct {
	Now        time.Time
	Departures []board.Departure
	Stops      []board.DepartureStop
	Alerts     []board.DepartureAlert
	Feeds      []BoardFeed
	Missing    []string // feeds that cannot be answered now
	Notes      []string // what the operator says of the stops, as HTML
	Closed     bool     // live times are not for this reader
}

// A BoardFeed is a feed of a board and what is known of its live times.
type BoardFeed struct {
	Alias, Name string
	Zone        *time.Location
	State       live.RealtimeState
	Fetched     int64 // Unix seconds of the last poll that succeeded; 0: none did
	Stamp       int64 // Unix seconds at which the feed says that it spoke; 0: it does not say
}

// GoneRows is how many cancelled trips a board shows.
const GoneRows = 2

// Fill writes departures in words. The head is there already.
func (v *Board) Fill(s Speaker, w BoardWish, d *BoardData) {
	m := boardMaker{Board: v, say: s, wish: w, data: d, zones: map[string]*time.Location{}}
	for _, f := range d.Feeds {
		m.zones[f.Alias] = f.Zone
	}
	v.Variant, v.Shown, v.Walk, v.Now = w.Variant, w.Lines, int(w.Walk*60), d.Now.Unix()
	if len(d.Feeds) > 0 {
		local := d.Now.In(d.Feeds[0].Zone)
		_, v.Zone = local.Zone()
		v.Clock, v.Twelve = s.Clock(local), s.Twelve
	}
	for i := range d.Stops {
		m.stop(&d.Stops[i])
	}
	v.Name = cmp.Or(w.Title, s.heading(v.Stops, v.Bare))
	v.Letters = letters(v.Name, largeName, smallName)
	spoken := slices.Clone(v.Stops)
	for i := range spoken {
		spoken[i].Name = spoken[i].Spoken
	}
	v.Spoken = cmp.Or(w.Title, s.Name(spoken))
	v.Title, v.About = s.Text("board.title", v.Name), s.Text("board.about", v.Name)
	m.status()
	m.rows()
	m.fit()
	m.quiet()
	m.notices()
	if n := len(v.Notices); n > 0 && !w.Part {
		v.First = int(v.Now/60) % n // without a script the page is loaded again each minute
	}
}

// fit chooses the classes by which a board makes room for the longest name of a line and of a
// destination: all rows have one size.
func (m *boardMaker) fit() {
	line, to, shown := 0, 0, m.Rows[:min(len(m.Rows), m.Shown)]
	for i := range shown {
		line, to = max(line, utf8.RuneCountInString(shown[i].Line)), max(to, utf8.RuneCountInString(shown[i].To))
	}
	switch {
	case line > 8:
		m.Names = "names8"
	case line > 4:
		m.Names = "names4"
	}
	m.Size = "n" + strconv.Itoa(len(shown))
	if len(shown) > 16 {
		m.Size = "more"
	}
	large, small := 33, 41
	if m.Variant == "eink" {
		large, small = 23, 29
	}
	if m.Bare {
		m.Long = letters(strings.Repeat("x", to), large, small)
	}
}

// A boardMaker fills a board.
type boardMaker struct {
	*Board
	say   Speaker
	wish  BoardWish
	data  *BoardData
	zones map[string]*time.Location // by feed

	accessible bool // most trips have room for a wheelchair: it goes without saying
}

// text is a cell, or something else where it is empty.
func text(s *string, otherwise string) string {
	if s == nil || *s == "" {
		return otherwise
	}
	return *s
}

func (m *boardMaker) clock(feed string, at int64) string {
	zone := m.zones[feed]
	if zone == nil {
		zone = time.UTC
	}
	return m.say.Clock(time.Unix(at, 0).In(zone))
}

func (m *boardMaker) stop(s *board.DepartureStop) {
	stop := Stop{Name: short(text(s.StopName, s.StopID), maxName), Code: short(text(s.StopCode, ""), maxSign), Address: m.To("/f/{feed}/stops/{stop}", s.Feed, s.StopID)}
	if strings.Contains(stop.Name, stop.Code) { // some agencies write it into the name
		stop.Code = ""
	}
	if platform := text(s.PlatformCode, ""); platform != "" {
		stop.Platform = m.say.Text("board.at", short(platform, maxSign))
	}
	stop.Spoken = text(s.TTSStopName, stop.Name)
	m.Stops = append(m.Stops, stop)
}

// rows are the departures, cancelled ones in small numbers.
func (m *boardMaker) rows() {
	gone, several, room := 0, false, 0
	for _, s := range m.Stops {
		several = several || s.Name != m.Stops[0].Name
	}
	for i := range m.data.Departures {
		if m.data.Departures[i].WheelchairAccessible == "1" {
			room++
		}
	}
	m.accessible = 2*room > len(m.data.Departures)
	for i := range m.data.Departures {
		d := &m.data.Departures[i]
		row := m.row(d)
		if row.Gone {
			if gone++; gone > GoneRows {
				continue
			}
		}
		if name := text(d.StopName, ""); several && name != "" {
			row.From = m.say.Text("board.from", short(name, maxName))
		}
		row.Hidden = len(m.Rows) >= m.Shown
		if row.Hidden {
			row.Trip = "" // it comes with the next rows, before this one is seen for long
		}
		m.Platforms = m.Platforms || row.Platform != ""
		m.Rows = append(m.Rows, row)
	}
	if more := gone - GoneRows; more > 0 {
		m.Cancelled = m.say.Text("board.gonemore", more)
	}
}

func (m *boardMaker) row(d *board.Departure) Row {
	row := Row{Line: short(text(d.RouteShortName, text(d.RouteLongName, d.RouteID)), maxSign),
		To: short(destination(d), maxName), Platform: m.platform(d),
		Badge: NewBadge(d.RouteColor, d.RouteTextColor), At: d.PredictedDepartureEpoch, Clock: m.clock(d.Feed, d.PredictedDepartureEpoch)}
	if !m.Bare && d.ScheduleRelationship != board.Added && d.AgencyID != "" {
		row.Trip = m.ToQuery(url.Values{"date": {d.StartDate}}, TripPath, d.Feed, d.AgencyID, d.RouteID, d.TripID)
	}
	if d.ScheduledDepartureEpoch != nil {
		row.Planned = *d.ScheduledDepartureEpoch
		if planned := m.clock(d.Feed, row.Planned); planned != row.Clock {
			row.WasClock = planned
		}
	}
	switch d.ScheduleRelationship {
	case board.Canceled, board.Skipped:
		row.Gone, row.WasClock = true, ""
		row.Note = m.say.Text(map[string]string{board.Canceled: "board.cancelled", board.Skipped: "board.skipped"}[d.ScheduleRelationship])
		return row
	case board.Added:
		row.Note = m.say.Text("board.added")
	}
	left := row.At - m.Now
	if m.Variant != "eink" && !m.wish.Part {
		row.Minutes = m.say.Minutes(left)
	}
	if d.Headway > 0 {
		row.Every = m.say.Text("board.every", m.say.headway(d.Headway, true))
	}
	row.Missed = left < int64(m.Walk) && !m.wish.Part
	switch d.Origin {
	case "asserted":
		row.Origin = m.say.Text("board.live")
	case "propagated":
		row.Origin = m.say.Text("board.estimated")
	default:
		if m.Status.Kind == string(live.StateLive) || m.Status.Kind == "mixed" { // else the status says it of all rows
			row.Origin = m.say.Text("board.timetable")
		}
	}
	row.Live = d.Origin == "asserted" || d.Origin == "propagated"
	if d.Origin != "scheduled" && row.Planned != 0 {
		row.Delay, row.Late = m.say.Delay(row.At-row.Planned), row.At-row.Planned >= 30
	}
	row.Extra = m.extra(d)
	return row
}

// platform is where a departure leaves, "" where that is the stop itself that the board is of.
func (m *boardMaker) platform(d *board.Departure) string {
	if len(m.data.Stops) == 1 && m.data.Stops[0].StopID == d.StopID {
		return ""
	}
	return short(text(d.PlatformCode, ""), maxSign)
}

// TripPath is the address of the page of a trip.
const TripPath = "/f/{feed_alias}/routes/{agency_id}/{route_id}/trips/{trip_id}"

// destination is where a trip goes. Some feeds begin it with the line, which stands beside it already.
func destination(d *board.Departure) string {
	to := text(d.Headsign, text(d.RouteLongName, ""))
	if line := text(d.RouteShortName, ""); line != "" {
		if rest, ok := strings.CutPrefix(to, line+" "); ok && strings.TrimLeft(rest, " -–:") != "" {
			return strings.TrimLeft(rest, " -–:")
		}
	}
	return to
}

// extra is what helps to ride, in words.
func (m *boardMaker) extra(d *board.Departure) string {
	var all []string
	add := func(key string) { all = append(all, m.say.Text(key)) }
	switch text(d.PickupType, "") {
	case "2":
		add("board.phone")
	case "3":
		add("board.driver")
	}
	if m.Variant == "phone" && d.WheelchairAccessible == "1" && !m.accessible {
		add("board.wheelchair")
	} else if m.Variant == "phone" && d.WheelchairAccessible == "2" {
		add("board.nowheelchair")
	}
	if full := "full." + text(d.OccupancyStatus, ""); m.say.Words[full] != "" {
		add(full)
	}
	return strings.Join(all, ", ")
}

// status is where the times come from.
func (m *boardMaker) status() {
	s := &m.Status
	if m.data.Closed {
		s.Kind, s.Text = "closed", m.say.Text("status.closed")
		return
	}
	for i, f := range m.data.Feeds {
		text := m.state(f)
		switch {
		case i == 0:
			s.Kind, s.Text, s.Told = string(f.State), text, f.Fetched
		case f.State == m.data.Feeds[0].State:
			s.Told = min(s.Told, f.Fetched) // the oldest speaks for all
		default:
			s.Kind = "mixed"
			s.Text += " " + m.say.Text("status.feed", f.Name, text)
		}
	}
	if s.Kind == string(live.StateLive) {
		s.Text = m.say.Text("board.live")
		if m.Variant == "eink" {
			s.Text = m.say.Text("picture.live")
		} else if !m.wish.Part {
			s.Text = m.say.Text("js.live", m.say.Age(m.Now-s.Told))
		}
	} else {
		s.Told = 0
	}
	if m.Variant == "eink" && !m.wish.Still {
		s.Text = strings.TrimSpace(m.say.Text("status.eink", m.Clock) + " " + s.Text)
	}
}

// state is what is known of the live times of a feed.
func (m *boardMaker) state(f BoardFeed) string {
	switch f.State {
	case live.StateLive:
		return m.say.Text("js.live", m.say.Age(m.Now-f.Fetched))
	case live.StateSilent:
		since := f.Fetched
		if f.Stamp != 0 && f.Stamp < since {
			since = f.Stamp
		}
		return m.say.Text("js.silent", m.clock(f.Alias, since))
	}
	return m.say.Text("status." + string(f.State))
}

// quiet is why nothing departs.
func (m *boardMaker) quiet() {
	add := func(why string) {
		if !slices.Contains(m.Quiet, why) {
			m.Quiet = append(m.Quiet, why)
		}
	}
	for _, alias := range m.data.Missing {
		add(m.say.Text("quiet.missing", alias))
	}
	runs := slices.ContainsFunc(m.Rows, func(r Row) bool { return !r.Gone })
	for i := range m.data.Stops {
		s := &m.data.Stops[i]
		why := m.silence(s, runs)
		if why != "" && len(m.data.Stops) > 1 {
			why = m.say.Text("quiet.stop", m.Stops[i].Name, why)
		}
		if why != "" {
			add(why)
		}
	}
}

// silence is why nothing departs from a stop, "" where something does or where that is not known.
func (m *boardMaker) silence(s *board.DepartureStop, runs bool) string {
	zone := m.zones[s.Feed]
	switch {
	case s.Next != nil && zone != nil:
		return m.say.Until(time.Unix(s.Next.DepartureEpoch, 0).In(zone), m.data.Now.In(zone), s.ServiceToday)
	case runs:
		return ""
	case !s.Known:
		return m.say.Text("quiet.unknown", s.Feed, s.StopID)
	case s.ServiceToday != nil && !m.wish.Routes:
		return m.say.Text("quiet.nothing")
	}
	return m.say.Text("quiet.window", m.wish.Minutes)
}
