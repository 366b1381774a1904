package pages

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// A Status describes in words where the times come from.
type Status struct {
	Kind string // "live", "mixed", "timetable", "silent", "never" or "closed"
	Text string
	Told int64 // Unix seconds of the oldest source's last update; 0 if not live
}

// aboutAlert returns which trips or other stops of the board an alert is about, in words; "" if it
// is about all of the board.
func (v *Board) aboutAlert(a *realtime.DepartureAlert) string {
	whole := len(a.TripIDs) == 0 && len(a.StopIDs) == 0
	for i := range v.Stops {
		s := &v.Stops[i]
		whole = whole || len(a.TripIDs) == 0 && (slices.Contains(a.StopIDs, s.StopID) ||
			slices.Contains(a.StopIDs, cell(s.StopCode)) || slices.Contains(a.StopIDs, cell(s.ParentStation)))
	}
	if whole {
		return ""
	}
	var names []string
	for i := range v.Departures.Departures {
		d := &v.Departures.Departures[i]
		switch {
		case d.Feed != a.Feed:
		case slices.Contains(a.TripIDs, d.TripID):
			row := v.row(d)
			names = append(names, joinNonempty(" ", row.Line, cmp.Or(row.WasClock, row.Clock), row.To))
		case len(a.TripIDs) == 0 && slices.Contains(a.StopIDs, d.StopID):
			names = append(names, short(cell(d.StopName), maxName))
		}
	}
	return v.say.Name(names)
}

func (v *Board) status() {
	s := &v.Status
	if v.Closed {
		*s = Status{Kind: "closed", Text: v.say.Text("status.closed")}
		return
	}
	for i, f := range v.Feeds {
		text := v.state(f)
		switch {
		case i == 0:
			s.Kind = string(f.Realtime)
			s.Text = text
			s.Told = f.LastFetched
		case f.Realtime == v.Feeds[0].Realtime:
			s.Told = min(s.Told, f.LastFetched)
		default:
			s.Kind = "mixed"
			s.Text += " " + v.say.Text("status.feed", f.Name, text)
		}
	}
	if v.Status.isLive() {
		s.Text = v.say.Text("board.live")
		if v.Variant == "eink" {
			s.Text = v.say.Text("picture.live")
		} else if !v.Part {
			s.Text = v.say.Text("js.live", v.say.Age(v.Time-s.Told))
		}
	} else {
		s.Told = 0
	}
	if v.Variant == "eink" && !v.Still {
		s.Text = strings.TrimSpace(v.say.Text("status.eink", v.Clock) + " " + s.Text)
	}
}

func (v *Board) state(f realtimeapi.DepartureFeed) string {
	switch f.Realtime {
	case live.StateLive:
		return v.say.Text("js.live", v.say.Age(v.Time-f.LastFetched))
	case live.StateSilent:
		since := f.LastFetched
		if f.FeedTimestamp != 0 && f.FeedTimestamp < since {
			since = f.FeedTimestamp
		}
		return v.say.Text("js.silent", v.clock(f.Feed, since))
	}
	return v.say.Text("status." + string(f.Realtime))
}

func (v *Board) quiet() {
	for _, alias := range v.Missing {
		v.Quiet = append(v.Quiet, v.say.Text("quiet.missing", alias))
	}
	runs := slices.ContainsFunc(v.Rows, func(r Row) bool { return !r.Gone })
	for i := range v.Stops {
		why := v.silence(&v.Stops[i], runs)
		if why != "" && len(v.Stops) > 1 {
			why = v.say.Text("quiet.stop", stopName(v.Stops[i]), why)
		}
		if why != "" && !slices.Contains(v.Quiet, why) {
			v.Quiet = append(v.Quiet, why)
		}
	}
}

// silence returns why there are no departures from a stop; "" if there are some or the reason is
// unknown.
func (v *Board) silence(s *board.DepartureStop, runs bool) string {
	switch {
	case s.Next != nil:
		zone := v.zoneAt(s.Feed, s.TimeZone)
		return v.say.Until(time.Unix(s.Next.DepartureEpoch, 0).In(zone), time.Unix(v.Time, 0).In(zone), s.ServiceToday)
	case runs:
		return ""
	case !s.Known:
		return v.say.Text("quiet.unknown", s.Feed, s.StopID)
	case s.ServiceToday != nil && len(v.RouteIDs) == 0:
		return v.say.Text("quiet.nothing")
	}
	return v.say.Text("quiet.window", v.Minutes)
}
