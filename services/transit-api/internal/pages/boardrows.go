package pages

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// A Board has the departures of stops in words.
type Board struct {
	site.Head
	boardQuery
	*realtimeapi.Departures
	Missing   []string // feeds that are unavailable
	Closed    bool     // the reader may not see live times
	NoTrips   bool     // the reader may not see the pages of trips
	Letters   string   // CSS class for the length of Name
	Refresh   string   // address of the block "rows"; "" turns off updates
	Rows      []Row
	Groups    [][]*Row    // Rows by line and destination, or all in one group
	Platforms bool        // a row has a platform
	Names     string      // CSS class for the length of the lines' names
	Size      string      // CSS class for the number of rows on a screen
	Long      string      // CSS class for the length of the destinations
	First     int         // index of the notice that a screen shows first
	Here      *boardPlace // set on the page of a stop
	Cancelled string      // number of cancelled trips that are not shown, in words
	Status    Status
	Notices   notices
	Quiet     []string // reasons for no departures
	Clock     string   // Time as a rider reads it
	Zone      int      // time zone of Clock, in seconds east of UTC
	Twelve    bool     // Clock is a 12-hour clock
	Local     string   // where the times are local to, in words; "" if to the agency
	Later     string   // address of the page with later departures; "" if there is none
	Again     string   // address of this page
	Whole     string   // address of the full page, for a board in a frame
	Spoken    string   // Name as it is pronounced

	say        Speaker
	zones      map[string]*time.Location // keyed by feed
	zone       *time.Location            // of Clock; nil if there is no clock
	accessible bool                      // most trips allow wheelchairs, so only exceptions are shown
}

// A Row is one departure.
type Row struct {
	eink.Row
	Badge
	Route       string // id of the route
	Group       int    // number of the row's line and destination
	Trip        string // address of the trip's page; "" if the trip is not in the timetable
	From        string // name of the stop, if the board has several
	At, Planned int64  // Unix seconds; Planned is 0 if the trip has no timetable
	Minutes     string // minutes until At, in words; "" if there are many
	Every       string // headway, in place of Minutes for a trip that keeps a headway
	Live        bool   // At comes from live data
	Delay       string
	Late        bool
	Note        string // "cancelled", "not stopping here" …
	Extra       string // crowding, space for a wheelchair …
	Hidden      bool
	Missed      bool // it leaves before a rider can walk to the stop
}

func newBoard(h site.Head, say Speaker, q boardQuery, data *realtimeapi.Departures) *Board {
	v := &Board{Head: h, boardQuery: q, Departures: data, say: say, zones: map[string]*time.Location{}}
	for _, f := range data.Feeds {
		v.zones[f.Feed], _ = time.LoadLocation(f.TimeZone) // valid: package edition has loaded this zone
	}
	return v
}

// restrict omits what the reader may not see.
// newStatusBoard returns a board for the status and the rows of a page that is no board.
func newStatusBoard(c *rest.Call, h site.Head, say Speaker, data *realtimeapi.Departures) *Board {
	v := newBoard(h, say, boardQuery{Variant: "phone"}, data)
	v.restrict(c)
	v.status()
	return v
}

func (v *Board) restrict(c *rest.Call) {
	v.Closed = !c.May(departuresPermission)
	v.NoTrips = !c.May(tripPermission)
}

// maxGone is the maximum number of cancelled trips that a board shows.
const maxGone = 2

func (v *Board) fill() {
	if feeds := v.Feeds; len(feeds) > 0 {
		v.zone = v.zones[feeds[0].Feed]
		if len(v.Stops) > 0 {
			v.zone = v.zoneAt(v.Stops[0].Feed, v.Stops[0].TimeZone)
		}
		local := time.Unix(v.Time, 0).In(v.zone)
		_, v.Zone = local.Zone()
		if v.zone.String() != feeds[0].TimeZone {
			v.Local = v.say.localTo(local)
		}
		v.Clock, v.Twelve = v.say.Clock(local), v.say.Twelve
		v.AccessedOn = v.say.Date(local)
	}
	var names, spoken []string
	for _, s := range v.Stops {
		names, spoken = append(names, stopName(s)), append(spoken, cmp.Or(cell(s.TTSStopName), stopName(s)))
	}
	heading := v.say.Name(names)
	if v.Bare { // a screen names as many stops as fit
		heading = v.say.names(names, len(names), mostName)
	}
	v.Spoken, v.Name = cmp.Or(v.Name, v.say.Name(spoken)), cmp.Or(v.Name, heading)
	v.Letters = letters(v.Name, largeTitle, smallTitle)
	if v.Bare {
		v.Letters = letters(v.Name, largeName, smallName)
	}
	v.Title, v.About = v.say.Text("board.title", v.Name), v.say.Text("board.about", v.Name)
	v.status()
	v.rows()
	v.fit()
	v.quiet()
	v.Notices = noticesOf(v.Lang, v.Alerts, v.aboutAlert)
	if n := len(v.Notices); n > 0 && !v.Part {
		v.First = int(v.Time/60) % n // without a script the page reloads each minute
	}
}

// fit chooses the CSS classes that leave space for the longest line name and destination. All rows
// have the same size.
func (v *Board) fit() {
	line := 0
	to := 0
	shown := 0
	for i := range v.Rows {
		if row := &v.Rows[i]; !row.Hidden {
			line, to = max(line, utf8.RuneCountInString(row.Line)), max(to, utf8.RuneCountInString(row.To))
			shown++
		}
	}
	switch {
	case line > 8:
		v.Names = "names8"
	case line > 4:
		v.Names = "names4"
	}
	v.Size = "n" + strconv.Itoa(shown)
	if shown > 3 && shown < 9 {
		v.Size += " few"
	}
	if shown > 16 {
		v.Size = "more"
	}
	large, small := 33, 41
	if v.Variant == "eink" {
		large, small = 23, 29
	}
	if v.Bare {
		v.Long = letters(strings.Repeat("x", to), large, small)
	}
}

// State returns the state that a board in a frame reports to the site around it.
func (v *Board) State() string {
	switch {
	case !slices.ContainsFunc(v.Rows, func(r Row) bool { return !r.Hidden && !r.Gone }):
		return site.FrameEmpty
	case slices.ContainsFunc(v.Rows, func(r Row) bool { return !r.Hidden && r.Live }), v.Status.isLive():
		return site.FrameLive
	}
	return site.FrameTimetable
}

func (s Status) isLive() bool { return s.Kind == string(live.StateLive) }

// clock returns a time by the clock of the board.
func (v *Board) clock(feed string, at int64) string {
	return v.say.Clock(time.Unix(at, 0).In(cmp.Or(v.zone, v.zones[feed])))
}

// clockAt returns a time by the clock at a departure's stop. It names the time zone if that is not
// the board's.
func (v *Board) clockAt(d *board.Departure, at int64) string {
	return v.say.clockIn(v.zoneAt(d.Feed, d.TimeZone), cmp.Or(v.zone, v.zones[d.Feed]), at)
}

// zoneAt returns the time zone at a stop of a feed; own is "" if it is the feed's.
func (v *Board) zoneAt(feed, own string) *time.Location {
	if own == "" {
		return v.zones[feed]
	}
	zone, err := time.LoadLocation(own)
	if err != nil { // package edition has loaded this zone
		return v.zones[feed]
	}
	return zone
}

func stopName(s board.DepartureStop) string {
	return short(cmp.Or(cell(s.StopName), s.StopID), maxName)
}

// StopName returns the name of a stop, shortened if it is long.
func (v *Board) StopName(s board.DepartureStop) string { return stopName(s) }

// StopCode returns the code of a stop; "" if the name contains it.
func (v *Board) StopCode(s board.DepartureStop) string {
	code := short(cell(s.StopCode), maxSign)
	if strings.Contains(stopName(s), code) {
		return ""
	}
	return code
}

func (v *Board) rows() {
	gone, room := 0, 0
	several := slices.ContainsFunc(v.Stops, func(s board.DepartureStop) bool {
		return stopName(s) != stopName(v.Stops[0])
	})
	departures := v.Departures.Departures
	for i := range departures {
		if departures[i].WheelchairAccessible == "1" {
			room++
		}
	}
	v.accessible = 2*room > len(departures)
	for i := range departures {
		d := &departures[i]
		row := v.row(d)
		if row.Gone {
			if gone++; gone > maxGone {
				continue
			}
		}
		if from := v.from(d, several); from != "" {
			row.From = v.say.Text("board.from", short(from, maxName))
		}
		row.Under = joinNonempty(" · ", row.Note, row.Delay, row.From, row.Extra)
		v.Platforms = v.Platforms || row.Platform != ""
		v.Rows = append(v.Rows, row)
	}
	v.group()
	if more := gone - maxGone; more > 0 {
		v.Cancelled = v.say.Text("board.gonemore", more)
	}
}

// group puts the rows into groups, in the order of their first departures, and hides those that a
// board shows only later. Rows of a group differ only in their times: a bay is a group of its own.
func (v *Board) group() {
	groups := map[Row]int{}
	for i := range v.Rows {
		row := &v.Rows[i]
		key := Row{Route: row.Route, From: row.From, Row: eink.Row{Line: row.Line, To: row.To, Platform: row.Platform}}
		n, found := groups[key]
		if !found {
			n = len(groups)
			groups[key] = n
		}
		row.Group = n
		if !v.ByLine {
			n = 0
		}
		if n == len(v.Groups) {
			v.Groups = append(v.Groups, nil)
		}
		row.Hidden = len(v.Groups[n]) >= v.Shown
		if row.Hidden {
			row.Trip = "" // a later update sends it when the row is shown
		}
		v.Groups[n] = append(v.Groups[n], row)
	}
}

// HasMore reports whether the board has rows that it does not show yet.
func (v *Board) HasMore() bool {
	return slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Hidden })
}

func (v *Board) row(d *board.Departure) Row {
	row := Row{Route: d.RouteID, Badge: newBadge(d.RouteColor, d.RouteTextColor), At: d.PredictedDepartureEpoch,
		Row: eink.Row{Line: short(cmp.Or(cell(d.RouteShortName), cell(d.RouteLongName), d.RouteID), maxSign),
			To: short(destination(d), maxName), Platform: v.platform(d), Clock: v.clockAt(d, d.PredictedDepartureEpoch)}}
	if !v.Bare && !v.NoTrips && !d.IsExtra() && d.AgencyID != "" {
		row.Trip = v.ToQuery(url.Values{"date": {d.StartDate}}, tripPath, d.Feed, d.AgencyID, d.RouteID, d.TripID)
	}
	if d.ScheduledDepartureEpoch != nil {
		row.Planned = *d.ScheduledDepartureEpoch
		if planned := v.clockAt(d, row.Planned); planned != row.Clock {
			row.WasClock = planned
		}
	}
	row.Note = v.say.exception(d)
	if d.ScheduleRelationship == board.Canceled || d.ScheduleRelationship == board.Skipped {
		row.Gone, row.WasClock = true, ""
		return row
	}
	left := row.At - v.Time
	if v.Variant != "eink" && !v.Part {
		row.Minutes = v.say.Minutes(left)
	}
	if headway := d.Headway(); headway > 0 {
		row.Every = v.say.Text("board.every", v.say.headway(headway, true))
	}
	row.Missed = left < v.Walk && !v.Part
	row.Live = d.Origin == "asserted" || d.Origin == "propagated"
	switch {
	case row.Live:
		row.Origin = v.say.Text(map[string]string{"asserted": "board.live", "propagated": "board.estimated"}[d.Origin])
	case v.Status.isLive() || v.Status.Kind == "mixed": // otherwise the status says the same for all rows
		row.Origin = v.say.Text("board.timetable")
	}
	if row.Live && row.Planned != 0 && !d.NoService {
		row.Delay, row.Late = v.say.Delay(row.At-row.Planned), row.At-row.Planned >= 30
	}
	row.Extra = v.extra(d)
	return row
}

// from returns the name of the stop that a departure leaves from, if the board has several stops. On
// the board of a station it is the bay: the stop's name without the station's, or "" if the
// platform says which stop it is.
func (v *Board) from(d *board.Departure, several bool) string {
	name := cell(d.StopName)
	station := &v.Stops[0]
	if len(v.Stops) > 1 || station.StopID != cell(d.ParentStation) {
		if several {
			return name
		}
		return ""
	}
	if v.platform(d) != "" || name == cell(station.StopName) {
		return ""
	}
	bay, found := strings.CutPrefix(name, cell(station.StopName))
	bay = strings.Trim(bay, " -–—:,/")
	if inner, whole := strings.CutPrefix(bay, "("); whole && strings.Count(bay, ")") == 1 {
		bay = strings.TrimSuffix(inner, ")") // "Station (Bay 2)", but "Station Bay 2 (8640)" stays
	}
	if !found || bay == "" {
		return name
	}
	return bay
}

// platform returns the platform of a departure; "" if the board is only for that platform.
func (v *Board) platform(d *board.Departure) string {
	if len(v.Stops) == 1 && v.Stops[0].StopID == d.StopID {
		return ""
	}
	return short(cell(d.PlatformCode), maxSign)
}

func destination(d *board.Departure) string {
	return withoutLine(cmp.Or(cell(d.Headsign), cell(d.RouteLongName)), d.RouteShortName)
}

// extra returns what riders need to know before they board, in words.
func (v *Board) extra(d *board.Departure) string {
	var all []string
	add := func(key string) { all = append(all, v.say.Text(key)) }
	switch cell(d.PickupType) {
	case "2":
		add("board.phone")
	case "3":
		add("board.driver")
	}
	if v.Variant == "phone" && d.WheelchairAccessible == "1" && !v.accessible {
		add("board.wheelchair")
	} else if v.Variant == "phone" && d.WheelchairAccessible == "2" {
		add("board.nowheelchair")
	}
	if full := "full." + cell(d.OccupancyStatus); v.say.Words[full] != "" {
		add(full)
	}
	return strings.Join(all, ", ")
}
