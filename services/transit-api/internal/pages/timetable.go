package pages

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

type timetableParams struct {
	static.RouteParams
	Date      *rest.Date `query:"date"`
	ServiceID *string    `query:"service" maxlen:"300"`
	Direction *string    `query:"dir" enum:"0,1"`
	All       bool       `query:"all" default:"false"`
	Part      *int64     `query:"part" min:"1" max:"100"`
}

func (a *Pages) timetablePages() rest.Table {
	table := func(s rest.Spec) rest.Spec {
		s.Shows = []string{"static.route", "static.route_directions", "static.route_stops", "static.schedule", "static.trips", "static.services"}
		s.MayShow, s.Kind = []string{departuresPermission, "realtime.alerts"}, rest.Realtime
		s.NotFound = "unknown feed, agency, route or service"
		return s
	}
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.routes", Path: "/f/{feed_alias}/routes", Summary: "Lines of a feed", Shows: []string{"static.agencies", "static.routes"},
			MayShow: []string{reportPermission, "static.route_drawing"}, NotFound: "unknown feed"},
			edition.OneFeed[static.FeedParams](a.Static.Feeds), a.pageRoutes),
		rest.PageFrom(table(rest.Spec{ID: "page.timetable", Path: "/f/{feed_alias}/routes/{agency_id}/{route_id}/timetable", Summary: "Timetable of a route"}),
			rest.Source[timetableParams, feedToday]{Now: a.findToday}, a.pageTimetable),
		rest.PageFrom(table(rest.Spec{ID: "page.embed_timetable", Path: "/embed/timetable", Summary: "Timetable of a route in a page of another site", Framed: "timetable", Header: a.Frames.Header()}),
			rest.Source[embedTimetableParams, feedToday]{Now: a.findEmbedded}, a.embedTimetable),
	}
}

// A feedToday is a feed on a day of its own time zone, the Ref of pages about it that change at midnight.
type feedToday struct {
	*edition.Feed
	day  int
	now  time.Time
	live *current.DeparturesView // nil for another day, and for readers who may not read live times
}

// findToday is the feed of the path, and which day it is there.
func (a *Pages) findToday(ctx context.Context, c *rest.Call, p timetableParams) (ref feedToday, gen rest.Generation, err error) {
	ref.Feed, err = a.Static.Feeds.Served(p.FeedAlias)
	if err != nil {
		return ref, gen, err
	}
	ref.now = a.Current.Now().In(ref.Zone)
	ref.day = edition.DayNumber(ref.now, ref.Zone)
	y, m, d := ref.now.Date()
	gen = rest.Join(ref.Generation, rest.Generation{N: int64(ref.day), Until: time.Date(y, m, d+1, 0, 0, 0, 0, ref.Zone)})
	if p.ServiceID == nil && (p.Date == nil || p.Date.String() == view.ISO(ref.day)) && c.May(departuresPermission) {
		var live rest.Generation
		ref.live, live, err = a.Current.DepartureView(ctx, []string{p.FeedAlias + ":"}, true)
		gen = rest.Join(gen, live)
	}
	gen.Time = time.Time{} // it changes at midnight, too
	return ref, gen, err
}

func (a *Pages) findEmbedded(ctx context.Context, c *rest.Call, p embedTimetableParams) (feedToday, rest.Generation, error) {
	return a.findToday(ctx, c, p.own())
}

// departuresPermission is that of live times beside today's trips.
const departuresPermission = "realtime.departures"

const (
	// MaxSheetTrips is how many trips a page shows in one direction.
	MaxSheetTrips = 600
	// maxSheetCells is how many calls a page shows.
	maxSheetCells = 40_000
)

func (a *Pages) pageTimetable(ctx context.Context, c *rest.Call, p timetableParams, today feedToday) ([]byte, error) {
	return a.showTimetable(ctx, c, today, p, nil)
}

// embedTimetableParams are those of a timetable, all in the query.
type embedTimetableParams struct {
	FeedAlias string     `query:"feed_alias" required:"true"`
	AgencyID  string     `query:"agency_id" required:"true"`
	RouteID   string     `query:"route_id" required:"true"`
	Date      *rest.Date `query:"date"`
	ServiceID *string    `query:"service" maxlen:"300"`
	Direction *string    `query:"dir" enum:"0,1"`
	All       bool       `query:"all" default:"false"`
	Part      *int64     `query:"part" min:"1" max:"100"`
	site.FrameParams
}

// own are the parameters of the page on our own site.
func (p embedTimetableParams) own() timetableParams {
	of := timetableParams{Date: p.Date, ServiceID: p.ServiceID, Direction: p.Direction, All: p.All, Part: p.Part}
	of.FeedAlias, of.AgencyID, of.RouteID = p.FeedAlias, p.AgencyID, p.RouteID
	return of
}

func (a *Pages) embedTimetable(ctx context.Context, c *rest.Call, p embedTimetableParams, today feedToday) ([]byte, error) {
	return a.showTimetable(ctx, c, today, p.own(), &p.FrameParams)
}

// showTimetable is the page of a timetable, of our own or in a frame of another site.
func (a *Pages) showTimetable(ctx context.Context, c *rest.Call, today feedToday, p timetableParams, frame *site.FrameParams) ([]byte, error) {
	f := today.Feed
	route, err := static.FindRoute(f, p.RouteParams)
	if err != nil {
		return nil, err
	}
	v := &view.Timetable{Head: a.head(c)}
	say := a.speaker(v.Lang)
	trips := f.TripsOf(route.Trips)
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return nil, err
	}
	names, label := namesIn(texts, route, a.Static.Names(f, route))
	d := &view.TimetableData{Route: names, Label: label, Season: edition.NewSeason(trips), Today: today.day, All: p.All,
		Form: c.Path("/f/{feed}/routes/{agency}/{route}/timetable", f.Alias, p.AgencyID, p.RouteID),
		Stop: func(id string) string { return v.To("/f/{feed}/stops/{stop}", f.Alias, id) }}
	if p.Direction != nil {
		d.Dir = *p.Direction
	}
	if v.Asked() {
		v.Hidden = append(v.Hidden, view.Hidden{Name: "lang", Value: v.Lang})
	}
	runs := func(s *edition.Service) bool { return s.Runs(d.Day) }
	if p.ServiceID != nil {
		row, err := static.OneService(ctx, c, f, *p.ServiceID)
		if err != nil {
			return nil, err // of a service that there is not: not found
		}
		d.Service = row.ServiceID
		d.ServiceFor = say.Service([7]string{row.Sunday, row.Monday, row.Tuesday, row.Wednesday, row.Thursday, row.Friday, row.Saturday}, dayOf(row.FirstDay), dayOf(row.LastDay))
		runs = func(s *edition.Service) bool { return s.ID == *p.ServiceID }
	}
	d.Begins, d.Ends = dayOf(f.FirstDay), dayOf(f.LastDay)
	v.Notices = d.Choose(say, dayOf(p.Date))
	d.To = func(day int, dir string, all bool) string {
		q := url.Values{}
		switch {
		case d.Service != "" && day == d.Day:
			q.Set("service", d.Service)
		case day != d.Day || p.Date != nil:
			q.Set("date", view.ISO(day))
		}
		if dir != "" {
			q.Set("dir", dir)
		}
		if all {
			q.Set("all", "true")
		}
		return v.ToQuery(q, "/f/{feed}/routes/{agency}/{route}/timetable", f.Alias, p.AgencyID, p.RouteID)
	}
	d.Clock = -1
	if p.Part != nil {
		d.Part = int(*p.Part)
	}
	if d.Service == "" && d.Day == d.Today {
		d.Clock = int32(today.now.Hour()*3600 + today.now.Minute()*60)
	}
	d.Times = func(dir string, part int) string {
		return d.To(d.Day, dir, true) + "&part=" + strconv.Itoa(part)
	}
	if err := a.timetableDirections(ctx, c, f, route, trips, runs, texts, d); err != nil {
		return nil, err
	}
	if err := a.timetableLive(ctx, c, today, route.ID, d); err != nil {
		return nil, err
	}
	v.Alerts, err = timetableAlerts(c, today, route, d, v.Lang)
	if err != nil {
		return nil, err
	}
	agency, err := static.AgencyRows.One(ctx, c, f, f.Agencies[p.AgencyID].Rank)
	if err != nil {
		return nil, err
	}
	v.Agency = texts.Of(edition.AgencyName, agency.AgencyID, agency.Label)
	v.Title, v.About, v.Styles = say.Text("timetable.title", d.Label), say.Text("timetable.about", d.Label), []string{"timetable.css"}
	v.Others = timetableJSON(c, f, p, say, d)
	v.Yours = v.ToQuery(url.Values{"of": {f.Alias + ":" + p.RouteID}, "show": {"timetable"}}, embeddingPath)
	v.Links = a.routeLinks(&v.Head, p.RouteParams, "map.route", routePagePath, "route.map", routePagePath+"/map")
	v.Class = "full"
	v.Fill(say, d)
	if frame != nil {
		v.Links, v.Class = nil, ""
		a.site.Framed(&v.Head, "timetable", *frame)
		v.Yours = ""
		switch {
		case len(v.Grids) == 0:
			v.Frame.State = site.FrameEmpty
		case v.Status.Kind == string(live.StateLive):
			v.Frame.State = site.FrameLive
		}
	}
	return a.site.Render("timetable.html", v)
}

// dayOf is a date as a number of days; nil where there is none.
func dayOf(d *rest.Date) *int {
	if d == nil {
		return nil
	}
	n := int(d.Unix() / 86400)
	return &n
}

// timetableDirections fills in the trips of each direction that run.
func (a *Pages) timetableDirections(ctx context.Context, c *rest.Call, f *edition.Feed, route *edition.Route, trips []edition.Trip, runs func(*edition.Service) bool, texts *edition.Texts, d *view.TimetableData) error {
	ways, err := static.Directions(ctx, c, f, route)
	if err != nil {
		return err
	}
	for _, way := range ways {
		d.Ways = append(d.Ways, view.DirectionName{ID: way.DirectionID, Name: texts.Of(edition.DirectionName, "", way.Label)})
		if d.Dir != "" && d.Dir != way.DirectionID || way.StopIDs == nil {
			continue
		}
		one := view.DirectionData{ID: way.DirectionID, Name: texts.Of(edition.DirectionName, "", way.Label)}
		for _, id := range way.StopIDs {
			s, err := static.FindStop(f, id)
			if err != nil {
				return err
			}
			one.Stops = append(one.Stops, stopIn(texts, s))
		}
		some, cut, err := static.SheetTrips(ctx, c, f, route, way.DirectionID, trips, runs, MaxSheetTrips)
		if err != nil {
			return err
		}
		if most := min(MaxSheetTrips, max(1, maxSheetCells/max(len(one.Stops), 1))); len(some) > most {
			some, cut = some[:most], true
		}
		if len(some) == 0 {
			continue
		}
		one.Short, err = static.ShortNames(ctx, c, f, some)
		if err != nil {
			return err
		}
		translateTrips(texts, some)
		one.Cut = cut
		for i, part := range board.Split(some) {
			one.Sheet, one.Part = board.NewSheet(part, len(one.Stops)), i
			d.Directions = append(d.Directions, one)
		}
	}
	return nil
}

// Of what is known of today's trips.
const (
	liveMinutes = 180 // how far ahead
	liveStops   = 20  // at how many stops of the tables
)

// timetableLive fills in how today's trips run, where the timetable is that of today: what /rt/departures says at the stops that are shown.
func (a *Pages) timetableLive(ctx context.Context, c *rest.Call, today feedToday, route string, d *view.TimetableData) error {
	if today.live == nil || d.Service != "" || d.Day != d.Today || len(d.Directions) == 0 {
		return nil
	}
	wish := current.DepartureParams{RouteIDs: []string{today.Alias + ":" + route}, Minutes: liveMinutes, Limit: current.MaxDepartures}
	for i := range d.Directions {
		some := &d.Directions[i]
		for _, row := range some.Sheet.Main {
			if id := today.Alias + ":" + some.Stops[row].StopID; len(wish.StopIDs) < liveStops/len(d.Directions)*(i+1) && !slices.Contains(wish.StopIDs, id) {
				wish.StopIDs = append(wish.StopIDs, id)
			}
		}
	}
	e, err := a.Current.Departures(ctx, c, today.live, wish)
	switch {
	case err == nil:
	case ctx.Err() != nil || !current.Missable(err):
		return err
	default:
		return nil // no board can be made of this feed: its timetable stands alone
	}
	d.Live = &view.TimetableLive{Date: strings.ReplaceAll(view.ISO(d.Day), "-", ""), BoardData: view.BoardData{Now: today.live.Now, Departures: e.Data.Departures}}
	for _, f := range e.Data.Feeds {
		d.Live.Feeds = append(d.Live.Feeds, view.BoardFeed{Alias: f.Feed, Name: f.Name, Zone: today.Zone, State: f.Realtime, Fetched: f.LastFetched, Stamp: f.FeedTimestamp})
	}
	return nil
}

// timetableAlerts are the alerts about the line and its stops, beside the timetable of today.
func timetableAlerts(
	c *rest.Call, today feedToday, route *edition.Route, d *view.TimetableData, lang string,
) ([]view.Notice, error) {
	if today.live == nil || d.Day != d.Today || !c.May("realtime.alerts") {
		return nil, nil
	}
	concern := &realtime.Concern{Now: today.live.Now.Unix(), Routes: []*edition.Route{route}}
	for i := range d.Directions {
		for _, s := range d.Directions[i].Stops {
			concern.Stops = append(concern.Stops, namesOf(today.Feed, s.StopID)...)
		}
	}
	alerts, err := today.live.Feeds[0].About(concern)
	return view.Notices(lang, alerts), err
}

// timetableJSON are the answers that the page shows.
func timetableJSON(c *rest.Call, f *edition.Feed, p timetableParams, say view.Speaker, d *view.TimetableData) []site.Other {
	all := []site.Other{asJSON(say.Text("timetable.route"), c.URL(static.RoutePath, f.Alias, p.AgencyID, p.RouteID))}
	services := []string{d.Service}
	if d.Service == "" {
		services = nil
		for _, s := range d.Season.Services(d.Day) {
			services = append(services, s.ID)
		}
	}
	const most = 6
	for n, id := range services[:min(len(services), most)] {
		for i := range d.Directions {
			way := d.Directions[i].ID
			if d.Directions[i].Part > 0 {
				continue
			}
			all = append(all, asJSON(say.Text("timetable.json", d.Directions[i].Name, n+1),
				c.URL(static.SchedulePath, f.Alias, p.AgencyID, p.RouteID, id, way)))
		}
	}
	return all
}

// maxListedRoutes is how many lines one page lists.
const maxListedRoutes = 2000

func (a *Pages) pageRoutes(ctx context.Context, c *rest.Call, _ static.FeedParams, f *edition.Feed) ([]byte, error) {
	v := &view.Routes{Head: a.head(c, asJSON("JSON", c.URL(static.FeedPath+"/agencies", f.Alias))), Feed: f.Name}
	say := a.site.Words(v.Lang)
	v.Title, v.About, v.Styles = say.Text("routes.title", f.Name), say.Text("routes.about", f.Name), []string{"timetable.css"}
	agencies, err := static.AgencyRows.Read(ctx, c, f, edition.Span{Count: min(f.Counts.Agency, maxListedRoutes)})
	if err != nil {
		return nil, err
	}
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return nil, err
	}
	if c.May(reportPermission) {
		v.Report = v.To(reportPagePath, f.Alias)
	}
	listed := 0
	for _, agency := range agencies {
		span := f.Agencies[agency.AgencyID].Routes
		v.Cut = listed+span.Count > maxListedRoutes
		if v.Cut {
			break
		}
		listed += span.Count
		rows, err := a.Static.RouteRows().Read(ctx, c, f, span)
		if err != nil {
			return nil, err
		}
		of := view.RoutesAgency{Name: texts.Of(edition.AgencyName, agency.AgencyID, agency.Label), JSON: c.URL(static.AgencyPath+"/routes", f.Alias, agency.AgencyID) + "?_format=json"}
		for i := range rows {
			r := &rows[i]
			r.Translate(texts)
			line := view.NewRouteLine(r.Label, r.RouteShortName, r.RouteLongName, r.RouteColor, r.RouteTextColor,
				v.To(routePagePath, f.Alias, agency.AgencyID, r.RouteID))
			line.Table = v.To(routePagePath+"/timetable", f.Alias, agency.AgencyID, r.RouteID)
			if c.May("static.route_drawing") {
				line.Map = v.To(routePagePath+"/map", f.Alias, agency.AgencyID, r.RouteID)
			}
			of.Lines = append(of.Lines, line)
		}
		view.SortLines(of.Lines)
		v.Agencies = append(v.Agencies, of)
	}
	return a.site.Render("routes.html", v)
}
