package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type timetableChoice struct {
	Date      *rest.Date `query:"date"`
	ServiceID *string    `query:"service" maxlen:"300"`
	Direction *string    `query:"dir" enum:"0,1"`
	All       bool       `query:"all" default:"false"`
	Part      *int64     `query:"part" min:"1" max:"100"`
}

type (
	timetableParams struct {
		wire.RouteParams
		timetableChoice
	}
	embedTimetableParams struct {
		FeedAlias string `query:"feed_alias" required:"true"`
		AgencyID  string `query:"agency_id" required:"true"`
		RouteID   string `query:"route_id" required:"true"`
		timetableChoice
		site.FrameParams
	}
)

// todayPart adds the live times of today if the page shows today and the reader may see them. The
// generation ends at midnight.
func (a *Pages) todayPart(p timetableChoice) part {
	return func(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error) {
		day := edition.DayNumber(s.now, s.feed.Zone)
		y, m, d := s.now.Date()
		gen := rest.Generation{N: int64(day), Until: time.Date(y, m, d+1, 0, 0, 0, 0, s.feed.Zone)}
		if p.ServiceID != nil || p.Date != nil && p.Date.String() != iso(day) || !c.May(departuresPermission) {
			operator, err := a.operatorPart(ctx, c, s)
			return rest.Join(gen, operator), err
		}
		live, err := a.departuresPart(s.feed.Alias)(ctx, c, s)
		return rest.Join(gen, live), err
	}
}

const (
	// MaxSheetTrips bounds the trips of one direction on a page, and maxSheetCells the calls.
	MaxSheetTrips = 600
	maxSheetCells = 40_000
)

type timetablePage struct {
	site.Head
	RouteLine
	Feed       string // feed alias
	Agency     string
	Shown      string   // days on which this timetable is valid, in words
	Notices    []string // shown above the tables
	Days       []Choice
	Date       string   // YYYY-MM-DD; "" if a service is shown
	Form       string   // address of the form
	Dir        string   // requested direction; "" for both
	Directions []Choice // both directions, and each; empty if there is only one
	Grids      []*grid
	All        bool // all stops are shown
	Changes    []Choice
	MoreDays   bool   // there are more changes
	Until      string // last published day, if it is soon
	Status     Status // status of today's live times; empty on other days
	Yours      string // address of the page with code for another site
	Alerts     notices
	Links      []site.Link
	Twelve     bool // times are of a 12-hour clock

	calendar
	say        Speaker
	agency     string              // agency_id
	dated      bool                // the address names the day
	service    string              // service_id, in place of the day
	serviceFor string              // days of the service, in words
	seconds    int32               // current second of the service day if day is today; otherwise -1
	part       int                 // number of the requested time of day, from 1; 0 means now
	trips      map[string]*tripNow // today's trips by trip_id
	closures   *realtimeapi.Closures
	dayStart   int64           // Unix time from which the seconds of the day are counted
	noted      map[string]bool // symbols in the tables
}

// A Choice is a day, a direction, a stop or a property of a display that a reader can choose.
type Choice struct {
	Label, More string
	Value       string // address of the chosen page, or value of the field; "" if there is nothing to choose
	Chosen      bool
}

func (a *Pages) pageTimetable(ctx context.Context, c *rest.Call, p timetableParams, s *snapshot) ([]byte, error) {
	v, err := a.timetable(ctx, c, s, p)
	return a.render("timetable.html", v, err)
}

func (a *Pages) embedTimetable(ctx context.Context, c *rest.Call, p embedTimetableParams, s *snapshot) ([]byte, error) {
	of := timetableParams{timetableChoice: p.timetableChoice}
	of.FeedAlias = p.FeedAlias
	of.AgencyID = p.AgencyID
	of.RouteID = p.RouteID
	v, err := a.timetable(ctx, c, s, of)
	if err != nil {
		return nil, err
	}
	v.Links = nil
	v.Class = ""
	v.Yours = ""
	a.site.Framed(&v.Head, "timetable", p.FrameParams)
	switch {
	case len(v.Grids) == 0:
		v.Frame.State = site.FrameEmpty
	case v.Status.isLive():
		v.Frame.State = site.FrameLive
	}
	return a.site.Render("timetable.html", v)
}

func (a *Pages) timetable(ctx context.Context, c *rest.Call, s *snapshot, p timetableParams) (*timetablePage, error) {
	f := s.feed
	route, err := static.FindRoute(f, p.RouteParams)
	if err != nil {
		return nil, err
	}
	h := a.head(c)
	in, err := a.in(ctx, &h, f)
	if err != nil {
		return nil, err
	}
	v := &timetablePage{Head: h, RouteLine: in.line(route), say: in.say, Feed: f.Alias, All: p.All,
		Form: c.Path(timetablePath, f.Alias, p.AgencyID, p.RouteID), agency: p.AgencyID,
		calendar: newCalendar(f, route, s.now), dated: p.Date != nil, Dir: cell(p.Direction), seconds: -1}
	runs := func(s *edition.Service) bool { return s.Runs(v.day) }
	if p.ServiceID != nil {
		row, err := static.FindService(f, *p.ServiceID)
		if err != nil {
			return nil, err
		}
		v.service, v.serviceFor = row.ServiceID, v.say.Service(row)
		runs = func(s *edition.Service) bool { return s.ServiceID == *p.ServiceID }
	}
	v.choose(p.Date)
	if p.Part != nil {
		v.part = int(*p.Part)
	}
	if v.isToday() {
		v.seconds = int32(s.now.Hour()*3600 + s.now.Minute()*60)
	}
	grids, err := v.grids(ctx, in, route, runs)
	if err != nil {
		return nil, err
	}
	if err := a.timetableLive(ctx, c, s.departures, v, route, grids); err != nil {
		return nil, err
	}
	about := s.operator
	if about == nil {
		about = s.departures.Feeds[0]
	}
	if err := v.addNotices(c, in, about, route, grids, runs); err != nil {
		return nil, err
	}
	agency := *f.Agency(p.AgencyID)
	in.texts.Translate(&agency)
	v.Agency, v.Styles = agency.Label, []string{"timetable.css"}
	v.AccessedOn = v.say.Date(s.now)
	a.title(&v.Head, "timetable", v.Label)
	v.Others = v.json(c, p.RouteParams, grids)
	v.Yours = v.ToQuery(url.Values{"of": {f.Alias + ":" + p.RouteID}, "show": {"timetable"}}, displaysPath)
	v.Links = in.links(route, "map.route", routePagePath, "route.map", routePagePath+"/map")
	v.Class, v.Twelve = "full", in.say.Twelve
	v.fill(grids)
	return v, nil
}

func (v *timetablePage) isToday() bool { return v.service == "" && v.day == v.today }

func (v *timetablePage) address(day int, dir string, all bool) string {
	q := url.Values{}
	switch {
	case v.service != "" && day == v.day:
		q.Set("service", v.service)
	case day != v.day || v.dated:
		q.Set("date", iso(day))
	}
	if dir != "" {
		q.Set("dir", dir)
	}
	if all {
		q.Set("all", "true")
	}
	return v.ToQuery(q, timetablePath, v.Feed, v.agency, v.ID)
}

// grids returns the directions with trips that run, without their tables.
func (v *timetablePage) grids(
	ctx context.Context, in localized, route *edition.Route, runs func(*edition.Service) bool,
) (grids []*grid, err error) {
	f := in.feed
	directions, err := static.Directions(ctx, f, route)
	if err != nil {
		return nil, err
	}
	v.Directions = []Choice{{Label: v.say.Text("timetable.both"), Value: v.address(v.day, "", v.All),
		Chosen: v.Dir == ""}}
	for _, d := range directions {
		g := grid{towards: in.towards,
			short:     func(t *edition.Trip) string { return cell(t.TripShortName) },
			direction: d.DirectionID, name: withoutLine(in.texts.Text(edition.DirectionName, "", d.Label), route.RouteShortName)}
		v.Directions = append(v.Directions, Choice{Label: g.name, Value: v.address(v.day, g.direction, v.All),
			Chosen: v.Dir == g.direction})
		if v.Dir != "" && v.Dir != g.direction || d.StopIDs == nil {
			continue
		}
		var some []board.TimedTrip
		some, g.Cut, err = static.TimedTrips(ctx, f, route, d.DirectionID, runs, MaxSheetTrips)
		if err != nil {
			return nil, err
		}
		if most := min(MaxSheetTrips, max(1, maxSheetCells/max(len(d.StopIDs), 1))); len(some) > most {
			some, g.Cut = some[:most], true
		}
		if len(some) == 0 {
			continue
		}
		for i, part := range board.Split(some) {
			one := g
			one.part, one.shift = i, map[int]int32{}
			one.Table, err = static.NewTimetable(ctx, f, d.StopIDs, part)
			if err != nil {
				return nil, err
			}
			one.Table.Arrange()
			in.texts.Translate(one.Table)
			for r := range one.Table.Stops {
				if shift := v.shiftAt(f, &one.Table.Stops[r]); shift != 0 {
					one.shift[r] = shift
				}
			}
			grids = append(grids, &one)
		}
	}
	return grids, nil
}

// shiftAt returns the seconds from the agency's clock to a stop's clock at noon of the day shown, and
// adds a note if they differ.
func (v *timetablePage) shiftAt(f *edition.Feed, s *static.ScheduleStop) int32 {
	noon := time.Unix(edition.DayOf(v.day, f.Zone).Start, 0).In(f.Zone).Add(12 * time.Hour)
	local := noon.In(f.ZoneAt(s.StopID))
	_, own := local.Zone()
	_, agency := noon.Zone()
	if own == agency {
		return 0
	}
	if text := s.Label + ": " + v.say.localTo(local); !slices.Contains(v.Notices, text) {
		v.Notices = append(v.Notices, text)
	}
	return int32(own - agency)
}

const liveStops = 20

// addNotices adds the notices about the line and which calls of the day they close.
func (v *timetablePage) addNotices(
	c *rest.Call, in localized, d *realtimeapi.FeedDepartures, route *edition.Route, grids []*grid,
	runs func(*edition.Service) bool,
) (err error) {
	of := realtimeapi.LineDay{Route: route, Runs: runs}
	for _, g := range grids {
		for _, s := range g.Table.Stops {
			of.Stops = append(of.Stops, s.StopID)
		}
	}
	if v.service == "" {
		day := edition.DayOf(v.day, in.feed.Zone)
		v.dayStart, of.Date = day.Start, day.Date()
		of.From, of.Until = day.Start, day.Start+int64(max(86400, in.feed.DayLength()))
	}
	v.Alerts, v.closures, err = in.lineNotices(c, d, of)
	return err
}

// timetableLive adds how today's trips run, from /rt/departures at the stops shown.
func (a *Pages) timetableLive(
	ctx context.Context, c *rest.Call, live *realtimeapi.DeparturesView, v *timetablePage, route *edition.Route,
	grids []*grid,
) error {
	if live == nil || v.day != v.today {
		return nil
	}
	var at []string
	for i, g := range grids {
		for _, row := range g.Table.Main {
			if id := g.Table.Stops[row].StopID; len(at) < liveStops/len(grids)*(i+1) && !slices.Contains(at, id) {
				at = append(at, id)
			}
		}
	}
	data, answered, err := a.lineData(ctx, c, live, route, at, realtimeapi.MaxDepartures)
	if err != nil {
		return err
	}
	if answered { // a feed without boards shows only its timetable
		v.addLive(c, data)
	}
	return nil
}

func (v *timetablePage) json(c *rest.Call, p wire.RouteParams, grids []*grid) []site.Other {
	all := []site.Other{asJSON(v.say.Text("timetable.route"), c.URL(wire.RoutePath, v.Feed, p.AgencyID, p.RouteID))}
	var services []string
	for _, s := range v.season.Services(v.day) {
		services = append(services, s.ServiceID)
	}
	if v.service != "" {
		services = []string{v.service}
	}
	const most = 6
	for n, id := range services[:min(len(services), most)] {
		for _, g := range grids {
			if g.part == 0 {
				all = append(all, asJSON(v.say.Text("timetable.json", g.name, n+1),
					c.URL(wire.SchedulePath, v.Feed, p.AgencyID, p.RouteID, id, g.direction)))
			}
		}
	}
	return all
}

func (v *timetablePage) fill(grids []*grid) {
	v.noted = map[string]bool{}
	v.addDays()
	for _, g := range grids {
		v.addGrid(g, grids)
	}
}

// Notes returns the symbols in the tables with the keys of their explanations.
func (v *timetablePage) Notes() [][2]string {
	all := [][2]string{{"a", "noboard"}, {"b", "noalight"}, {"c", "phone"}, {"d", "driver"}, {"w", "wheelchair"},
		{"+1", "next"}, {"~", "reckoned"}, {"×", "skipped"}, {"!", "closed"}, {"–", "passes"}}
	return slices.DeleteFunc(all, func(n [2]string) bool { return !v.noted[n[0]] })
}

type tripNow struct {
	Text    string
	Kind    string          // CSS class: "d" (on time), "late" or "note"
	Gone    bool            // the whole trip is cancelled
	Skipped map[string]bool // stop_ids of skipped stops
}

// lateFrom is the delay in seconds from which a trip is drawn as late. The texts call it late from
// 30 seconds.
const lateFrom = 60

func (v *timetablePage) addLive(c *rest.Call, data *realtimeapi.Departures) {
	b := newStatusBoard(c, v.Head, v.say, data)
	v.Status, v.trips = b.Status, map[string]*tripNow{}
	today := strings.ReplaceAll(iso(v.day), "-", "")
	for i := range data.Departures {
		d := &data.Departures[i]
		// A row by frequency stands for many departures, so what one of them does is not about the row.
		if d.Window != nil || d.StartDate != today || d.Origin == "scheduled" && d.ScheduleRelationship == board.Scheduled {
			continue
		}
		t := v.trips[d.TripID]
		if t == nil {
			t = &tripNow{Skipped: map[string]bool{}}
			v.trips[d.TripID] = t
		}
		switch {
		case d.ScheduleRelationship == board.Canceled:
			t.Text = v.say.exception(d)
			t.Kind = "note"
			t.Gone = true
		case d.ScheduleRelationship == board.Skipped:
			t.Skipped[d.StopID] = true
		case t.Text == "" && d.Delay != nil:
			t.Text, t.Kind = v.say.Delay(*d.Delay), "d"
			if *d.Delay >= lateFrom {
				t.Kind = "late"
			}
		}
	}
}
