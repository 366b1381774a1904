package pages

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// Maps: where vehicles are now. A map is what /rt/map answers, drawn and in words, over the drawing of
// a route or of all routes of a feed.

func (a *Pages) mapPages() rest.Table {
	policy := site.Policy{Connect: a.Base.Hosts, Images: append([]string{"blob:"}, a.Base.Hosts...)}
	framed := policy
	framed.Frames = a.Frames.Frames
	picture := http.Header{"Content-Security-Policy": {"default-src 'none'"}}
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.route_map", Path: routePagePath + "/map", Summary: "Where the vehicles of a line are", NotFound: unknownRoute, Kind: rest.Realtime,
			Shows: []string{"static.route", "static.route_drawing"}, MayShow: []string{mapPermission}, Header: policy.Header()}, mapSource[static.RouteParams](a), a.pageRouteMap),
		rest.PageFrom(rest.Spec{ID: "page.feed_map", Path: feedPagePath + "/map", Summary: "Where the vehicles of a feed are", NotFound: "unknown feed", Kind: rest.Realtime,
			Shows:   []string{"static.feed_drawing"},
			MayShow: []string{mapPermission, stopsPermission}, Header: policy.Header()}, mapSource[feedMapParams](a), a.pageFeedMap),
		rest.PageFrom(rest.Spec{ID: "page.embed_map", Path: "/embed/map", Summary: "Where vehicles are in a page of another site", NotFound: "unknown feed or route", Kind: rest.Realtime, Framed: "map",
			Shows:   []string{"static.route", "static.route_drawing", "static.feed_drawing"},
			MayShow: []string{mapPermission, stopsPermission}, Header: framed.Header()}, mapSource[embedMapParams](a), a.embedMap),
		rest.BytesFrom(rest.Spec{ID: "page.feed_picture", Path: feedPagePath + "/map.svg", Summary: "The lines of a feed as a picture", NotFound: "unknown feed",
			Shows: []string{"static.feed_drawing"}, Header: picture}, "image/svg+xml", edition.OneFeed[static.FeedParams](a.Static.Feeds), a.feedPicture),
	}
}

// Permissions of the vehicles on maps, and of the names of stops there.
const (
	mapPermission   = "realtime.map"
	stopsPermission = "static.stops"
)

// mapRef is what the page of a map is made of.
type mapRef struct {
	feed   *edition.Feed
	now    time.Time
	mapped *current.MappedView // nil for readers who may not see live positions
}

// mapSource is what the map of a feed is made of.
func mapSource[P edition.OfFeed](a *Pages) rest.Source[P, *mapRef] {
	return rest.Source[P, *mapRef]{Now: func(ctx context.Context, c *rest.Call, p P) (*mapRef, rest.Generation, error) {
		return a.findMap(ctx, c, p.Alias())
	}}
}

func (a *Pages) findMap(ctx context.Context, c *rest.Call, alias string) (ref *mapRef, gen rest.Generation, err error) {
	ref = &mapRef{now: a.Current.Now().Truncate(current.BoardStep)}
	ref.feed, err = a.Static.Feeds.Served(alias)
	if err != nil {
		return ref, gen, err
	}
	gen = ref.feed.Generation
	if c.May(mapPermission) {
		var mapped rest.Generation
		ref.mapped, mapped, err = a.Current.MapView(ctx, alias)
		gen = rest.Join(gen, mapped, rest.Generation{N: ref.now.Unix(), Until: ref.now.Add(current.BoardStep)})
	}
	gen.Time = time.Time{} // by the clock
	return ref, gen, err
}

// fillMap adds the vehicles of a feed, or of one route, to a map.
func (a *Pages) fillMap(ctx context.Context, c *rest.Call, v *view.Map, ref *mapRef, route *string) error {
	v.Styles, v.Modules, v.Base, v.Here = []string{"map.css"}, []string{"map.js"}, a.Base.BaseMap, v.Keep(c.SelfQuery())
	v.Feed = ref.feed.Alias
	data := &view.MapData{Now: a.Current.Now().Unix(), Closed: ref.mapped == nil}
	if ref.mapped != nil {
		query := url.Values{"feed": {ref.feed.Alias}}
		if route != nil {
			query.Set("route_id", *route)
		}
		address := c.URL("/rt/map") + "?" + query.Encode()
		query.Set("lang", v.Lang) // before what the browser asks for
		v.API = onHost(c.URL("/rt/map") + "?" + query.Encode())
		v.Others = append(v.Others, asJSON(a.site.Words(v.Lang).Text("map.json"), address+"&_format=json"))
		made, whole, err := a.Current.Located(ctx, c, ref.mapped, route)
		if err != nil {
			return err
		}
		ref.mapped.Translate(ctx, v.Lang, made.Vehicles)
		data.State, data.Vehicles, data.Whole, data.Fetched = made.Realtime, made.Vehicles, whole, ref.mapped.Vehicles.LastFetched
	}
	v.Fill(a.speaker(v.Lang), data)
	return nil
}

// embedMapParams are what a map in a frame shows: all lines of a feed, or one.
type embedMapParams struct {
	Feed  string  `query:"feed" required:"true" maxlen:"64"`
	Route *string `query:"route" maxlen:"300"`
	site.FrameParams
}

// Alias implements [edition.OfFeed].
func (p embedMapParams) Alias() string { return p.Feed }

func (a *Pages) embedMap(ctx context.Context, c *rest.Call, p embedMapParams, ref *mapRef) ([]byte, error) {
	var v *view.Map
	var err error
	if p.Route == nil {
		v, err = a.feedMap(ctx, c, ref, nil)
	} else if r := ref.feed.Route(*p.Route); r != nil {
		of := static.RouteParams{RouteID: r.ID}
		of.FeedAlias, of.AgencyID = p.Feed, r.AgencyID
		v, err = a.routeMap(ctx, c, ref, of)
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
	static.FeedParams
	Stop *string `query:"stop" maxlen:"300"` // around which the map begins
}

func (a *Pages) pageFeedMap(ctx context.Context, c *rest.Call, p feedMapParams, ref *mapRef) ([]byte, error) {
	v, err := a.feedMap(ctx, c, ref, p.Stop)
	if err != nil {
		return nil, err
	}
	return a.site.Render("map.html", v)
}

// feedMap is the map of all lines of a feed, or what is around a stop of it.
func (a *Pages) feedMap(ctx context.Context, c *rest.Call, ref *mapRef, around *string) (*view.Map, error) {
	f := ref.feed
	v := &view.Map{Head: a.head(c), Name: f.Name, Lines: true}
	v.Page, v.Yours = v.To(feedPagePath+"/map", f.Alias), v.ToQuery(url.Values{"of": {f.Alias}}, embeddingPath)
	say := a.site.Words(v.Lang)
	v.Title, v.About = say.Text("map.title", f.Name), say.Text("map.about", f.Name)
	box, _ := f.Box()
	v.Chart = view.Chart{Frame: view.NewFrame(box), Alt: say.Text("map.chart", f.Name), Picture: c.Path(feedPagePath+"/map.svg", f.Alias)}
	if err := a.nameStops(ctx, c, v, f, around); err != nil {
		return nil, err
	}
	drawing := c.URL(static.FeedPath+"/drawing", f.Alias)
	v.Drawing, v.Others = onHost(drawing), append(v.Others, asJSON(say.Text("map.drawing"), drawing))
	if more := f.Counts.Route - static.MaxFeedRoutes; more > 0 {
		v.Left = append(v.Left, say.Text("map.left", more, static.MaxFeedRoutes))
	}
	return v, a.fillMap(ctx, c, v, ref, nil)
}

const (
	// mainStops is how many stops a map may name, and namedStops how many it tries.
	mainStops  = 14
	namedStops = 60
	// aroundStop is how far the map of a stop reaches in each direction, in degrees of latitude.
	aroundStop = .006
)

// nameStops writes the names of the main stops on the map of a feed, or makes it one of what is around a stop.
func (a *Pages) nameStops(ctx context.Context, c *rest.Call, v *view.Map, f *edition.Feed, around *string) error {
	if !c.May(stopsPermission) {
		return nil
	}
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return err
	}
	name := func(s *edition.Stop) bool {
		rank, placed := f.Rank(s.StopID)
		if !placed {
			return false
		}
		lat, lon := f.Place(rank)
		return v.Chart.AddName(lon, lat, stopIn(texts, s).Label)
	}
	if around != nil {
		s, err := static.FindStop(f, *around)
		if err != nil {
			return err
		}
		if rank, placed := f.Rank(s.StopID); placed {
			lat, lon := f.Place(rank)
			box := [4]float64{lon - 2*aroundStop, lat - aroundStop, lon + 2*aroundStop, lat + aroundStop}
			v.Chart.Frame, v.Chart.Picture = view.NewFrame(box), ""
			v.Chart.Stops = v.Chart.Dots([][2]float64{{lon, lat}})
			drawn, _, err := static.DrawFeed(ctx, c, f, static.FeedParams{})
			if err != nil {
				return err
			}
			a.drawWays(&v.Chart, f, drawn)
			name(s)
		}
		return nil
	}
	stops, err := f.MainStops(ctx, namedStops)
	if err != nil {
		return err
	}
	for _, s := range stops {
		if name(s) && len(v.Chart.Names) == mainStops {
			break
		}
	}
	return nil
}

// drawWays adds the lines of a feed to a chart.
func (a *Pages) drawWays(chart *view.Chart, f *edition.Feed, drawn static.FeedDrawing) {
	for _, r := range drawn.Routes {
		color := view.Shade(a.Static.Names(f, f.Route(r.RouteID)).Color)
		for _, l := range r.Lines {
			chart.Ways = append(chart.Ways, view.Way{Color: color, Path: chart.Path(l.Coordinates.Points())})
		}
	}
}

// feedPicture is the lines of a feed as a picture, in the frame of its map.
func (a *Pages) feedPicture(ctx context.Context, c *rest.Call, p static.FeedParams, f *edition.Feed) (rest.File, error) {
	drawn, _, err := static.DrawFeed(ctx, c, f, p)
	if err != nil {
		return rest.File{}, err
	}
	box, _ := f.Box()
	v := &view.Picture{Head: site.Head{Lang: site.Languages()[0]}, Chart: view.Chart{Frame: view.NewFrame(box)}}
	a.drawWays(&v.Chart, f, drawn)
	body, err := a.site.RenderBlock("picture.html", "picture", v)
	return rest.File{Body: body}, err
}

func (a *Pages) pageRouteMap(ctx context.Context, c *rest.Call, p static.RouteParams, ref *mapRef) ([]byte, error) {
	v, err := a.routeMap(ctx, c, ref, p)
	if err != nil {
		return nil, err
	}
	return a.site.Render("map.html", v)
}

// routeMap is the map of one line.
func (a *Pages) routeMap(ctx context.Context, c *rest.Call, ref *mapRef, p static.RouteParams) (*view.Map, error) {
	v := &view.Map{Head: a.head(c)}
	d, err := a.drawRoute(ctx, c, ref.feed, p, v.Lang)
	if err != nil {
		return nil, err
	}
	say := a.site.Words(v.Lang)
	v.Name, v.Line, v.Badge, v.Color, v.Chart = d.name, d.line, d.badge, cell(d.row.RouteColor), d.chart
	v.Title, v.About = say.Text("map.title", d.row.Label), say.Text("map.about", d.row.Label)
	drawing := c.URL(static.RoutePath+"/drawing", p.FeedAlias, p.AgencyID, p.RouteID)
	v.Drawing, v.Others = onHost(drawing), append(v.Others, asJSON(say.Text("map.drawing"), drawing))
	v.Links = a.routeLinks(&v.Head, p, "map.route", routePagePath, "route.feedmap", feedPagePath+"/map")
	v.Page, v.Yours = v.To(routePagePath+"/map", p.FeedAlias, p.AgencyID, p.RouteID), v.ToQuery(url.Values{"of": {p.FeedAlias + ":" + p.RouteID}}, embeddingPath)
	return v, a.fillMap(ctx, c, v, ref, &p.RouteID)
}
