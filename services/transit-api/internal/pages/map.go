package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A mapPage shows the vehicles of /rt/map over the lines of a route or feed, as a chart and in
// words.

type mapPage struct {
	site.Head
	RouteLine // on the map of a feed it has only a name
	Feed      string
	Links     []site.Link
	Chart     Chart
	Vehicles  []vehicle
	Lines     bool     // there are vehicles of several lines
	More      string   // number of vehicles that are not listed, in words
	Left      []string // lines that are not drawn, in words
	Nothing   string   // reason for no vehicles
	Status    Status
	Now       int64       // Unix seconds; 0 if the reader may not see live positions
	API       string      // path of the vehicles as JSON
	Tiles     string      // path of the vector tiles
	Places    []Stop      // stops of the line; nil on the map of a feed
	Routes    []RouteLine // lines of the feed; nil on the map of a line
	MoreLines int         // number of lines that are not in Routes
	Colors    string      // colours of the routes, separated by spaces
	Here      string      // address of this page
	Base      conf.BaseMap
	Page      string // address of the map outside a frame
	Whole     string // Page, on a map in a frame
	Yours     string // address of the page with code for another site
}

type vehicle struct {
	*realtime.Located
	Line   string
	Badge  Badge
	To     string
	Where  string
	Age    string
	Old    bool
	Inside bool // X and Y are its position on the chart
	X, Y   int
	Turn   string // degrees clockwise from north; "" if unknown
	Marker string // name of the line, if it fits into a spot
	Color  string // colour in which it is drawn
	Light  bool   // text on Color is light
}

// Ages of positions in seconds; the script has the same values.
const (
	oldAfter = 90
)

const maxVehicles = 150

func (l localized) newMap(c *rest.Call, name, page string, of url.Values) *mapPage {
	l.title(l.head, "map", name)
	v := &mapPage{Head: *l.head, Feed: l.feed.Alias, Base: l.Base, Page: page, Yours: l.head.ToQuery(of, displaysPath)}
	v.Tiles = onHost(c.URL("/tiles")) + "/{z}/{x}/{y}.mvt?" + url.Values{"feed": {l.feed.Alias}}.Encode()
	v.Styles, v.Modules = []string{"map.css"}, []string{"map.js"}
	return v
}

// colors lists the different colours of routes.
func colors(routes []*edition.Route) string {
	var all []string
	met := map[string]bool{}
	for _, r := range routes {
		if _, ok := colorOf(r.RouteColor); ok && !met[strings.ToUpper(*r.RouteColor)] && len(all) < maxColors {
			met[strings.ToUpper(*r.RouteColor)] = true
			all = append(all, strings.ToUpper(*r.RouteColor))
		}
	}
	return strings.Join(all, " ")
}

// maxColors bounds the colours of a map; other routes have the colour of routes without one.
const maxColors = 500

// Stops returns the line's stops as JSON: id, name, longitude, latitude.
func (v *mapPage) Stops() (string, error) {
	rows := [][]any{}
	for _, s := range v.Places {
		rows = append(rows, []any{s.ID, s.Name, s.At[0], s.At[1]})
	}
	text, err := json.Marshal(rows)
	return string(text), err
}

// places lists each stop of the sides of a line once.
func places(sides [][]Stop) (all []Stop) {
	met := map[string]bool{}
	for _, s := range slices.Concat(sides...) {
		if !met[s.ID] {
			met[s.ID] = true
			all = append(all, s)
		}
	}
	return all
}

// addStreetMap adds a link to the same place on OpenStreetMap, if the place is known.
func (v *mapPage) addStreetMap() {
	if lon, lat, ok := v.Chart.Middle(); ok {
		v.Links = append(v.Links, site.Link{Text: "OpenStreetMap", Address: streetMap(lat, lon, v.Chart.Zoom())})
	}
}

// streetMap returns the address of a place on OpenStreetMap.
func streetMap(lat, lon float64, zoom int) string {
	return fmt.Sprintf("https://www.openstreetmap.org/#map=%d/%.5f/%.5f", zoom, lat, lon)
}

func (a *Pages) mapParts(alias string) []part { return []part{a.feedPart(alias), a.vehiclesPart} }

func (a *Pages) addVehicles(ctx context.Context, c *rest.Call, s *snapshot, v *mapPage, route *string) error {
	say := a.speaker(v.Lang)
	v.Here, v.AccessedOn = v.Keep(c.SelfQuery()), say.Date(s.now)
	if s.vehicles == nil {
		v.Status = Status{Kind: "closed", Text: say.Text("map.closed")}
		return nil
	}
	query := url.Values{"feed": {v.Feed}}
	if route != nil {
		query.Set("route_id", *route)
	}
	address := c.URL("/rt/map") + "?" + query.Encode()
	query.Set("lang", v.Lang) // overrides the browser's language
	v.API = onHost(c.URL("/rt/map") + "?" + query.Encode())
	v.Others = append(v.Others, asJSON(say.Text("map.json"), address+"&_format=json"))
	made, whole, err := a.Current.Located(ctx, c, s.vehicles, route)
	if err != nil {
		return err
	}
	s.vehicles.Translate(ctx, a.writing(v.Lang), made.Vehicles)
	v.Now = s.now.Unix()
	v.Status = say.freshness(made.Realtime, v.Now, s.vehicles.Vehicles.LastFetched)
	v.list(say, made.Vehicles, whole)
	return nil
}

func (s Speaker) freshness(state live.RealtimeState, now, fetched int64) Status {
	status := Status{Kind: string(state)}
	if state == live.StateLive || state == live.StateSilent {
		status.Told, status.Text = fetched, s.Text("map.js."+string(state), s.Age(now-fetched))
	} else {
		status.Text = s.Text("map.js." + string(state))
	}
	return status
}

// list adds vehicles in the order of their lines. whole means that all vehicles are in all.
func (v *mapPage) list(say Speaker, all []realtime.Located, whole bool) {
	slices.SortStableFunc(all, func(x, y realtime.Located) int {
		return cmp.Or(compareLines(lineOf(&x), lineOf(&y)), cmp.Compare(cell(x.Headsign), cell(y.Headsign)),
			cmp.Compare(x.ID, y.ID))
	})
	hidden := 0
	for i := range all {
		l := &all[i]
		age := max(v.Now-l.Timestamp, 0)
		switch {
		case age > realtime.GoneAfter:
		case len(v.Vehicles) >= maxVehicles:
			hidden++
		default:
			v.Vehicles = append(v.Vehicles, v.newVehicle(say, l, age))
		}
	}
	if hidden > 0 || !whole {
		v.More = say.Text("map.js.more", max(hidden, 1))
	}
	if v.Status.isLive() {
		v.Nothing = say.Text("map.js.nothing")
	}
	v.Chart.Spots = v.Vehicles
}

func (v *mapPage) newVehicle(say Speaker, l *realtime.Located, age int64) vehicle {
	row := vehicle{Located: l, Line: lineOf(l), Badge: newBadge(l.RouteColor, nil),
		To:    cmp.Or(cell(l.Headsign), cell(l.RouteLongName)),
		Where: say.where(l), Age: say.Text("map.js.age", say.Age(age)), Old: age > oldAfter, Color: shade(l.RouteColor),
		Light: true}
	if row.Color != "" {
		hex := row.Color[1:]
		row.Light = newBadge(&hex, nil).Light
	}
	if utf8.RuneCountInString(row.Line) <= 4 {
		row.Marker = row.Line
	}
	row.X, row.Y, row.Inside = v.Chart.At(l.Lon, l.Lat)
	if l.Bearing != nil {
		row.Turn = strconv.Itoa(int(*l.Bearing))
	}
	return row
}

func lineOf(l *realtime.Located) string {
	return cmp.Or(cell(l.RouteShortName), cell(l.RouteLongName), l.RouteID)
}

func (s Speaker) where(l *realtime.Located) string {
	if l.StopName == nil {
		return s.Text("map.js.nowhere")
	}
	words := s.Text("map.js."+l.Status, *l.StopName)
	if full := s.Words["full."+cell(l.OccupancyStatus)]; full != "" {
		words += ", " + full
	}
	return words
}

// State returns the state that a map in a frame reports to the site around it.
func (v *mapPage) State() string {
	switch {
	case !v.Status.isLive():
		return site.FrameTimetable
	case len(v.Vehicles) == 0:
		return site.FrameEmpty
	}
	return site.FrameLive
}

type embedMapParams struct {
	Feed  string  `query:"feed" required:"true" maxlen:"64"`
	Route *string `query:"route" maxlen:"300"`
	site.FrameParams
}

func (a *Pages) embedMap(ctx context.Context, c *rest.Call, p embedMapParams, s *snapshot) ([]byte, error) {
	var v *mapPage
	var err error
	if p.Route == nil {
		v, err = a.feedMap(ctx, c, s, nil)
	} else if r := s.feed.Route(*p.Route); r != nil {
		of := wire.RouteParams{RouteID: r.RouteID}
		of.FeedAlias, of.AgencyID = p.Feed, r.AgencyID
		v, err = a.routeMap(ctx, c, s, of)
	} else {
		err = rest.NotFound("unknown route")
	}
	if err != nil {
		return nil, err
	}
	v.Whole = v.Page
	a.site.Framed(&v.Head, "map", p.FrameParams)
	v.Frame.State = v.State()
	return a.site.Render("map.html", v)
}

type feedMapParams struct {
	wire.FeedParams
	Stop *string `query:"stop" maxlen:"300"` // the map first shows this stop
}

func (a *Pages) pageFeedMap(ctx context.Context, c *rest.Call, p feedMapParams, s *snapshot) ([]byte, error) {
	v, err := a.feedMap(ctx, c, s, p.Stop)
	return a.render("map.html", v, err)
}

func (a *Pages) feedMap(ctx context.Context, c *rest.Call, s *snapshot, around *string) (*mapPage, error) {
	f, h := s.feed, a.head(c)
	in, err := a.in(ctx, &h, f)
	if err != nil {
		return nil, err
	}
	v := in.newMap(c, f.Name, h.To(feedPagePath+"/map", f.Alias), url.Values{"of": {f.Alias}})
	v.Name, v.Lines = f.Name, true
	v.Colors = colors(f.Routes())
	box, _ := f.Box()
	v.Chart = Chart{Frame: newFrame(box), Alt: in.say.Text("map.chart", f.Name),
		Picture: c.Path(feedPagePath+"/map.svg", f.Alias)}
	if c.May(stopsPermission) {
		if err := in.nameStops(ctx, c, &v.Chart, around); err != nil {
			return nil, err
		}
	}
	v.addStreetMap()
	if c.May(routesPermission) {
		v.Routes = in.lines(f.Routes())
		v.MoreLines = max(0, len(v.Routes)-homeLines)
		v.Routes = v.Routes[:len(v.Routes)-v.MoreLines]
	}
	if more := f.Counts["route"] - maxPictureRoutes; more > 0 {
		v.Left = append(v.Left, in.say.Text("map.left", more, maxPictureRoutes))
	}
	return v, a.addVehicles(ctx, c, s, v, nil)
}

const (
	// A map of a feed shows the names of at most maxStopNames main stops, chosen from
	// stopCandidates.
	maxStopNames   = 14
	stopCandidates = 60
	// aroundStop is how far the map of a stop extends in each direction, in degrees of latitude.
	aroundStop = .006
)

// nameStops writes the names of main stops on a map, or zooms in on one stop.
func (l localized) nameStops(ctx context.Context, c *rest.Call, chart *Chart, around *string) error {
	place := func(s *edition.Stop) (lon, lat float64) {
		rank, _ := l.feed.Rank(s.StopID)
		lat, lon = l.feed.LatLon(rank)
		return lon, lat
	}
	if around != nil {
		s, err := static.FindStop(l.feed, *around)
		if err != nil {
			return err
		}
		lon, lat := place(s)
		chart.Frame = newFrame([4]float64{lon - 2*aroundStop, lat - aroundStop, lon + 2*aroundStop, lat + aroundStop})
		chart.Picture, chart.Stops = "", chart.Dots([]orb.Point{{lon, lat}})
		if err := l.drawLines(ctx, c, chart, l.feed); err != nil {
			return err
		}
		chart.AddName(lon, lat, l.row(s).Label)
		return nil
	}
	stops, err := l.feed.MainStops(ctx, stopCandidates)
	for _, s := range stops {
		lon, lat := place(s)
		if chart.AddName(lon, lat, l.row(s).Label) && len(chart.Names) == maxStopNames {
			break
		}
	}
	return err
}

const (
	maxPictureRoutes = 2000
	// A picture with more than maxPicturePoints becomes coarser, until coarsest.
	maxPicturePoints = 4000
	coarsest         = 8
)

// drawLines draws the routes of a feed.
func (a *Pages) drawLines(ctx context.Context, c *rest.Call, chart *Chart, f *edition.Feed) error {
	n, err := a.Static.Network(ctx, c, f)
	if err != nil {
		return err
	}
	routes := f.Routes()
	routes = routes[:min(len(routes), maxPictureRoutes)]
	box := edition.Box(chart.box())
	lines := make([][]orb.LineString, len(routes))
	for i, r := range routes {
		lines[i] = n.Lines(r.RouteID, int64(chart.Zoom()), box)
	}
	for d := (detail{lines: 4, points: 200, fine: .5, apart: 3}); ; d.fine *= 2 {
		points := 0
		chart.Ways = nil
		for i, r := range routes {
			points += chart.addWays(shade(r.RouteColor), lines[i], d)
		}
		if points <= maxPicturePoints || d.fine >= coarsest {
			return ctx.Err()
		}
	}
}

// feedPicture draws the lines of a feed in the frame of its map.
func (a *Pages) feedPicture(ctx context.Context, c *rest.Call, _ wire.FeedParams,
	f *edition.Feed) (rest.File, error) {
	box, _ := f.Box()
	v := &mapPage{Head: site.Head{Lang: site.Languages()[0]}, Chart: Chart{Frame: newFrame(box)}}
	if err := a.drawLines(ctx, c, &v.Chart, f); err != nil {
		return rest.File{}, err
	}
	body, err := a.site.RenderBlock("picture.html", "picture", v)
	return rest.File{Body: body}, err
}

func (a *Pages) pageRouteMap(ctx context.Context, c *rest.Call, p wire.RouteParams, s *snapshot) ([]byte, error) {
	v, err := a.routeMap(ctx, c, s, p)
	return a.render("map.html", v, err)
}

func (a *Pages) routeMap(ctx context.Context, c *rest.Call, s *snapshot, p wire.RouteParams) (*mapPage, error) {
	h := a.head(c)
	in, err := a.in(ctx, &h, s.feed)
	if err != nil {
		return nil, err
	}
	d, err := in.drawRoute(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v := in.newMap(c, d.row.Label,
		h.To(routePagePath+"/map", p.FeedAlias, p.AgencyID, p.RouteID), url.Values{"of": {p.FeedAlias + ":" + p.RouteID}})
	v.RouteLine, v.Chart = d.RouteLine, d.chart
	v.Colors = colors([]*edition.Route{d.row})
	v.Places = places(d.stops)
	v.Links = in.links(s.feed.Route(p.RouteID), "map.route", routePagePath, "route.feedmap", feedPagePath+"/map")
	v.addStreetMap()
	return v, a.addVehicles(ctx, c, s, v, &p.RouteID)
}
