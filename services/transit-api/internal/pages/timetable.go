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
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
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
		static.RouteParams
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

// todayPart adds the live times of today, if they are asked for and the reader may see them. It
// ends at midnight.
func (a *Pages) todayPart(p timetableChoice) part {
	return func(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error) {
		day := edition.DayNumber(s.now, s.feed.Zone)
		y, m, d := s.now.Date()
		gen := rest.Generation{N: int64(day), Until: time.Date(y, m, d+1, 0, 0, 0, 0, s.feed.Zone)}
		if p.ServiceID != nil || p.Date != nil && p.Date.String() != iso(day) || !c.May(departuresPermission) {
			return gen, nil
		}
		live, err := a.departuresPart(s.feed.Alias)(ctx, c, s)
		return rest.Join(gen, live), err
	}
}

const (
	// MaxSheetTrips is how many trips a page shows in one direction.
	MaxSheetTrips = 600
	// maxSheetCells is how many calls a page shows.
	maxSheetCells = 40_000
)

// A timetablePage is the timetable of a route on one day.
type timetablePage struct {
	site.Head
	RouteLine
	Feed       string // alias
	Agency     string
	Shown      string   // in words, for which days it is
	Notices    []string // in words, above the tables
	Days       []Choice
	Date       string   // that is shown, YYYY-MM-DD; "" when a service is
	Hidden     []Hidden // of the form that asks for another day
	Form       string   // its address
	Directions []Choice // both, and each
	Grids      []*grid
	All        bool // all stops are shown
	Notes      []timetableNote
	Changes    []Choice
	MoreDays   bool   // there are more changes
	Until      string // in words, how far the feed reaches, if that is soon
	Status     Status // how fresh what is known of today's trips is; the zero Status on other days
	Yours      string // address of the page that makes lines for another site
	Alerts     []Notice
	Links      []site.Link

	say        Speaker
	agency     string // agency_id
	season     *edition.Season
	today, day int    // days since 1970; day is the one that is shown
	dated      bool   // the address names the day
	service    string // in place of day
	serviceFor string // in words, when it runs
	first      int    // from where on days are offered
	begins     int    // first and last day that the feed is published for, far away if it does not say
	ends       int
	ways       []grid              // all directions of the route by their names
	dir        string              // the direction that is asked for, "" for both
	seconds    int32               // of the service day if day is today, else -1
	part       int                 // the time of day that is asked for, from 1; 0: now
	trips      map[string]*tripNow // of today, by trip_id
	noted      map[string]bool     // keys of notes
}

// A Choice is a day or a direction to choose, or one that is chosen.
type Choice struct {
	Label, Text string
	Address     string // "": there is nothing to see
	Current     bool
}

// A Hidden is a field of a form that the reader does not see.
type Hidden struct{ Name, Value string }

// A timetableNote is a symbol in the tables and what it means.
type timetableNote struct{ Symbol, Text string }

func (a *Pages) pageTimetable(ctx context.Context, c *rest.Call, p timetableParams, s *snapshot) ([]byte, error) {
	v, err := a.timetable(ctx, c, s, p)
	return a.render("timetable.html", v, err)
}

func (a *Pages) embedTimetable(ctx context.Context, c *rest.Call, p embedTimetableParams, s *snapshot) ([]byte, error) {
	of := timetableParams{timetableChoice: p.timetableChoice}
	of.FeedAlias, of.AgencyID, of.RouteID = p.FeedAlias, p.AgencyID, p.RouteID
	v, err := a.timetable(ctx, c, s, of)
	if err != nil {
		return nil, err
	}
	v.Links, v.Class, v.Yours = nil, "", ""
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
		season: edition.NewSeason(f.TripsOf(route.Trips())), today: edition.DayNumber(s.now, f.Zone), dated: p.Date != nil,
		begins: dayOf(f.FirstDay, -noDay), ends: dayOf(f.LastDay, noDay), dir: cell(p.Direction), seconds: -1}
	if v.Asked() {
		v.Hidden = append(v.Hidden, Hidden{Name: "lang", Value: v.Lang})
	}
	runs := func(s *edition.Service) bool { return s.Runs(v.day) }
	if p.ServiceID != nil {
		row, err := static.OneService(ctx, c, f, *p.ServiceID)
		if err != nil {
			return nil, err // of a service that there is not: not found
		}
		v.service, v.serviceFor = row.ServiceID, v.say.Service(row)
		runs = func(s *edition.Service) bool { return s.ID == *p.ServiceID }
	}
	v.choose(p.Date)
	if p.Part != nil {
		v.part = int(*p.Part)
	}
	if v.isToday() {
		v.seconds = int32(s.now.Hour()*3600 + s.now.Minute()*60)
	}
	grids, err := v.grids(ctx, c, in, route, runs)
	if err != nil {
		return nil, err
	}
	if err := a.timetableLive(ctx, c, s.departures, v, route, grids); err != nil {
		return nil, err
	}
	agency, err := static.AgencyRows.One(ctx, c, f, f.Agencies[p.AgencyID].Rank)
	if err != nil {
		return nil, err
	}
	agency.Translate(in.texts)
	v.Agency, v.Styles = agency.Label, []string{"timetable.css"}
	a.title(&v.Head, "timetable", v.Label)
	v.Others = v.json(c, p.RouteParams, grids)
	v.Yours = v.ToQuery(url.Values{"of": {f.Alias + ":" + p.RouteID}, "show": {"timetable"}}, embeddingPath)
	v.Links = in.links(route, "map.route", routePagePath, "route.map", routePagePath+"/map")
	v.Class = "full"
	v.fill(grids)
	return v, nil
}

func (v *timetablePage) isToday() bool { return v.service == "" && v.day == v.today }

// noDay is later than any day.
const noDay = 1 << 40

// dayOf is a date as a number of days; otherwise without a date.
func dayOf(d *rest.Date, otherwise int) int {
	if d == nil {
		return otherwise
	}
	return int(d.Unix() / 86400)
}

// address is that of another timetable; that of the day that is shown keeps the service.
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

// grids are the directions with trips that run, without their tables.
func (v *timetablePage) grids(
	ctx context.Context, c *rest.Call, in localized, route *edition.Route, runs func(*edition.Service) bool,
) (grids []*grid, err error) {
	f := in.feed
	ways, err := static.Directions(ctx, c, f, route)
	if err != nil {
		return nil, err
	}
	for _, way := range ways {
		g := grid{towards: in.towards, direction: way.DirectionID,
			name: withoutLine(in.texts.Of(edition.DirectionName, "", way.Label), route.ShortName)}
		v.ways = append(v.ways, g)
		if v.dir != "" && v.dir != way.DirectionID || way.StopIDs == nil {
			continue
		}
		for _, id := range way.StopIDs {
			s, err := static.FindStop(f, id)
			if err != nil {
				return nil, err
			}
			g.stops = append(g.stops, in.row(s))
		}
		var some []board.SheetTrip
		some, g.Cut, err = static.SheetTrips(ctx, c, f, route, way.DirectionID, runs, MaxSheetTrips)
		if err != nil {
			return nil, err
		}
		if most := min(MaxSheetTrips, max(1, maxSheetCells/max(len(g.stops), 1))); len(some) > most {
			some, g.Cut = some[:most], true
		}
		if len(some) == 0 {
			continue
		}
		g.short, err = static.ShortNames(ctx, c, f, some)
		if err != nil {
			return nil, err
		}
		for i, part := range board.Split(some) {
			one := g
			one.sheet, one.part = board.NewSheet(part, len(g.stops)), i
			grids = append(grids, &one)
		}
	}
	return grids, nil
}

// liveStops is at how many stops of the tables a timetable looks at departures.
const liveStops = 20

// timetableLive adds how today's trips run, as /rt/departures says at the stops that are shown, and
// the alerts about the line.
func (a *Pages) timetableLive(
	ctx context.Context, c *rest.Call, live *current.DeparturesView, v *timetablePage, route *edition.Route, grids []*grid,
) error {
	if live == nil || v.day != v.today {
		return nil
	}
	var at, all []string
	for i, g := range grids {
		for _, row := range g.sheet.Main {
			if id := g.stops[row].StopID; len(at) < liveStops/len(grids)*(i+1) && !slices.Contains(at, id) {
				at = append(at, id)
			}
		}
		for _, s := range g.stops {
			all = append(all, s.StopID)
		}
	}
	data, answered, err := a.lineData(ctx, c, live, route, at, all, current.MaxDepartures)
	if err != nil {
		return err
	}
	v.Alerts = noticesOf(v.Lang, data.Alerts, nil)
	if answered { // a feed without boards has its timetable alone
		v.addLive(data)
	}
	return nil
}

func (v *timetablePage) json(c *rest.Call, p static.RouteParams, grids []*grid) []site.Other {
	all := []site.Other{asJSON(v.say.Text("timetable.route"), c.URL(static.RoutePath, v.Feed, p.AgencyID, p.RouteID))}
	var services []string
	for _, s := range v.season.Services(v.day) {
		services = append(services, s.ID)
	}
	if v.service != "" {
		services = []string{v.service}
	}
	const most = 6
	for n, id := range services[:min(len(services), most)] {
		for _, g := range grids {
			if g.part == 0 {
				all = append(all, asJSON(v.say.Text("timetable.json", g.name, n+1),
					c.URL(static.SchedulePath, v.Feed, p.AgencyID, p.RouteID, id, g.direction)))
			}
		}
	}
	return all
}

func (v *timetablePage) fill(grids []*grid) {
	v.noted = map[string]bool{}
	v.addDays()
	v.addDirections()
	for _, g := range grids {
		v.addGrid(g, grids)
	}
	for _, n := range notes {
		if v.noted[n.Symbol] {
			v.Notes = append(v.Notes, timetableNote{n.Symbol, v.say.Text("timetable.note." + n.Text)})
		}
	}
}

// notes are the symbols in the tables, with the keys of their words.
var notes = []timetableNote{{"a", "noboard"}, {"b", "noalight"}, {"c", "phone"}, {"d", "driver"}, {"w", "wheelchair"},
	{"+1", "next"}, {"~", "reckoned"}, {"×", "skipped"}, {"–", "passes"}}

func (v *timetablePage) addDirections() {
	if len(v.ways) > 1 {
		for _, w := range append([]grid{{name: v.say.Text("timetable.both")}}, v.ways...) {
			v.Directions = append(v.Directions, Choice{Label: w.name, Address: v.address(v.day, w.direction, v.All),
				Current: v.dir == w.direction})
		}
	}
	if v.dir != "" {
		v.Hidden = append(v.Hidden, Hidden{"dir", v.dir})
	}
	if v.All {
		v.Hidden = append(v.Hidden, Hidden{"all", "1"})
	}
}

// A tripNow is how a trip of today runs, in words.
type tripNow struct {
	Text    string
	Kind    string          // d on time, late, note
	Gone    bool            // the whole trip does not run
	Skipped map[string]bool // stops at which it does not call
}

// lateFrom is from how many seconds on a trip is drawn as late; in words it is late from half a
// minute on.
const lateFrom = 60

// addLive adds how the trips run: of the calls that are still to come, the soonest decides. The
// page says how old that is.
func (v *timetablePage) addLive(data *boardData) {
	b := newBoard(v.Head, v.say, boardQuery{Variant: "phone"}, data)
	b.status()
	v.Status, v.trips = b.Status, map[string]*tripNow{}
	today := strings.ReplaceAll(iso(v.day), "-", "")
	for i := range data.Departures.Departures {
		d := &data.Departures.Departures[i]
		if d.StartDate != today || d.Origin == "scheduled" && d.ScheduleRelationship == board.Scheduled {
			continue
		}
		t := v.trips[d.TripID]
		if t == nil {
			t = &tripNow{Skipped: map[string]bool{}}
			v.trips[d.TripID] = t
		}
		switch {
		case d.ScheduleRelationship == board.Canceled:
			t.Text, t.Kind, t.Gone = v.say.exception(d), "note", true
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

func dayTime(day int) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

// date is a day in words, with its year if that is another one than today's.
func (s Speaker) date(day, today int) string {
	if dayTime(day).Year() != dayTime(today).Year() {
		return s.FullDate(dayTime(day))
	}
	return s.Day(dayTime(day))
}

// iso is a day as YYYY-MM-DD.
func iso(day int) string { return dayTime(day).Format(time.DateOnly) }
