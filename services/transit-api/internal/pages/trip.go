package pages

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type tripPageParams struct {
	wire.TripParams
	Date *string `query:"date" pattern:"^[0-9]{8}$" doc:"Service day, as start_date of a departure."`
}

// A tripPage is a trip of one day: its scheduled calls, and live data for future calls.
type tripPage struct {
	site.Head
	Line     RouteLine
	Towards  string
	Links    []site.Link
	Vehicle  *realtime.Located // nil if unknown
	Status   Status            // live or timetable
	Calls    []tripCall
	Notices  notices
	say      Speaker
	now      time.Time // in the feed's time zone
	day      int
	repeated bool // the trip keeps a headway, so its times count from its start
}

type tripCall struct {
	Stop
	Clock string           // scheduled time; "" if unknown
	Live  *board.Departure // nil if there is no live data
	Gone  bool             // the vehicle has left
	Here  bool             // the vehicle is here, or this is its next stop
	zone  *time.Location   // of the stop
}

func (a *Pages) pageTrip(ctx context.Context, c *rest.Call, p tripPageParams, s *snapshot) ([]byte, error) {
	d := s.departures.Feeds[0]
	t, err := static.FindTrip(d.Feed, p.TripParams)
	if err != nil {
		return nil, err
	}
	runs, err := d.Feed.Runs(ctx, []edition.RunKey{t.RunKey()}, edition.All)
	if err != nil {
		return nil, err
	}
	run := runs[t.RunKey()]
	if run == nil {
		return nil, rest.NotFound("the trip has no times")
	}
	v := &tripPage{Head: a.head(c), now: s.now, repeated: t.Repeated, day: edition.DayNumber(s.now, d.Feed.Zone)}
	in, err := a.in(ctx, &v.Head, d.Feed)
	if err != nil {
		return nil, err
	}
	if p.Date != nil {
		v.day, _ = edition.ParseDay(*p.Date) // a day that does not exist has no service
	}
	v.say = in.say
	v.Line = in.line(t.Route)
	v.Towards = in.towards(t)
	var live []board.Departure
	if c.May(departuresPermission) && !t.Repeated {
		live, err = a.Current.Trip(ctx, d, t, v.day, run)
		if err != nil {
			return nil, err
		}
	}
	if s.vehicles != nil && len(live) > 0 {
		made, _, err := a.Current.Located(ctx, c, s.vehicles, &p.RouteID)
		if err != nil {
			return nil, err
		}
		s.vehicles.Translate(ctx, a.writing(v.Lang), made.Vehicles)
		for i := range made.Vehicles {
			if made.Vehicles[i].TripID == t.TripID {
				v.Vehicle = &made.Vehicles[i]
			}
		}
	}
	alerts, err := d.TripAlerts(c, t, run, edition.DayOf(v.day, d.Feed.Zone).Date(), live)
	if err != nil {
		return nil, err
	}
	v.Notices = noticesOf(v.Lang, alerts, func(*realtime.DepartureAlert) string { return "" })
	v.fill(t, run, live, in)
	v.Status = a.tripStatus(c, v, s.departures)
	keepCurrent(&v.Head)
	v.AccessedOn = v.say.Date(s.now)
	v.Title = v.say.Text("trip.title", v.Line.Line, v.Towards)
	v.About = v.Title
	v.Styles = []string{"map.css"}
	v.Unlisted = true
	v.Links = in.links(t.Route, "route.table", timetablePath, "route.map", routePagePath+"/map",
		"map.route", routePagePath)
	v.Others = append(v.Others, asJSON("JSON", c.URL(wire.TripPath+"/stop_times",
		p.FeedAlias, p.AgencyID, p.RouteID, p.TripID)))
	return a.site.Render("trip.html", v)
}

// tripStatus says whether the times of a trip are live. A feed may be live while it has nothing about
// the trip.
func (a *Pages) tripStatus(c *rest.Call, v *tripPage, of *realtimeapi.DeparturesView) Status {
	data := &realtimeapi.Departures{Time: of.Now.Unix(), Feeds: []realtimeapi.DepartureFeed{of.Feeds[0].Status(of.Now)}}
	b := newStatusBoard(c, v.Head, v.say, data)
	isLive := v.Vehicle != nil || slices.ContainsFunc(v.Calls, func(call tripCall) bool {
		d := call.Live
		return d != nil && (d.ScheduleRelationship != board.Scheduled || d.Origin != "scheduled")
	})
	if b.Status.isLive() && !isLive {
		return Status{Kind: "none", Text: v.say.Text("trip.planned")}
	}
	return b.Status
}

func (v *tripPage) fill(t *edition.Trip, run *edition.Run, live []board.Departure, in localized) {
	begins := edition.DayOf(v.day, v.now.Location()).Start + int64(t.Start)
	met := v.Vehicle == nil
	var extra []*board.Departure // calls that a detour adds, in order
	for k := range live {
		if live[k].ScheduledArrivalEpoch == nil {
			extra = append(extra, &live[k])
		}
	}
	slices.SortStableFunc(extra, func(a, b *board.Departure) int { return cmp.Compare(a.Call(), b.Call()) })
	for i, id := range run.StopID {
		if id == nil {
			continue
		}
		c := tripCall{Stop: in.stop(*id), zone: in.feed.ZoneAt(*id)}
		planned := begins + int64(run.Expected[i])
		switch {
		case v.repeated:
			c.Clock = v.say.Text("trip.after", run.Expected[i]/60)
		case run.Departures[i].Valid:
			c.Clock = v.clock(c.zone, begins+int64(run.Departures[i].Int32))
		}
		for k := range live {
			d := &live[k]
			if d.StopID == *id && d.ScheduledArrivalEpoch != nil && *d.ScheduledArrivalEpoch == planned {
				c.Live = d
			}
		}
		served := c.Live != nil && c.Live.ScheduleRelationship == board.Scheduled
		for served && len(extra) > 0 && extra[0].Call() < c.Live.Call() {
			v.Calls = append(v.Calls, in.newCall(extra[0]))
			extra = extra[1:]
		}
		c.Gone = !v.repeated && planned < v.now.Unix() && c.Live == nil
		c.Here = !met && *id == v.Vehicle.StopID && !c.Gone
		met = met || c.Here
		v.Calls = append(v.Calls, c)
	}
	for _, d := range extra {
		v.Calls = append(v.Calls, in.newCall(d))
	}
}

// newCall returns a call that a detour adds. Its stop may be only in the realtime feed.
func (l localized) newCall(d *board.Departure) tripCall {
	c := tripCall{Stop: l.stop(d.StopID), Live: d, zone: l.feed.ZoneAt(d.StopID)}
	if d.StopName != nil && l.feed.Stop(d.StopID) == nil {
		c.Name = *d.StopName
	}
	return c
}

// Passed returns the calls at the beginning of the trip that the vehicle has left, except the last of
// them, which stays in sight.
func (v *tripPage) Passed() []tripCall {
	n := 0
	for n < len(v.Calls) && v.Calls[n].Gone {
		n++
	}
	if n < minPassed || n == len(v.Calls) {
		return nil
	}
	return v.Calls[:n-1]
}

// minPassed is the number of passed stops from which they are folded.
const minPassed = 3

// Ahead returns the calls that are not folded.
func (v *tripPage) Ahead() []tripCall { return v.Calls[len(v.Passed()):] }

func (v *tripPage) clock(zone *time.Location, at int64) string {
	return v.say.clockIn(zone, v.now.Location(), at)
}

// Day returns the day of the trip in words; "" for a trip by frequency.
func (v *tripPage) Day() string {
	if v.repeated {
		return ""
	}
	return v.say.date(v.day, edition.DayNumber(v.now, v.now.Location()))
}

// Where returns the vehicle's position and the age of that position, in words.
func (v *tripPage) Where() string {
	if v.Vehicle == nil {
		return ""
	}
	age := v.say.Text("map.js.age", v.say.Age(v.now.Unix()-v.Vehicle.Timestamp))
	return v.say.Text("trip.where", v.say.where(v.Vehicle), age)
}

// Expect returns the expected time of a call, or its exception, in words; "" if there is no live
// data.
func (v *tripPage) Expect(c tripCall) string {
	d := c.Live
	switch {
	case d == nil:
		return ""
	case d.NoService, !d.Runs():
		return v.say.exception(d)
	case d.ScheduleRelationship == board.Scheduled && d.Origin == "scheduled":
		return ""
	}
	if clock := v.clock(c.zone, d.PredictedDepartureEpoch); clock != c.Clock {
		return clock
	}
	return v.say.Text("board.ontime")
}

// Late reports whether a call is cancelled, skipped or late.
func (c tripCall) Late() bool {
	return c.Live != nil &&
		(c.Live.NoService || c.Live.ScheduleRelationship != board.Scheduled ||
			c.Live.Delay != nil && *c.Live.Delay >= lateFrom)
}
