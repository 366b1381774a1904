package pages

import (
	"cmp"
	"context"
	"html/template"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type stopPageParams struct {
	wire.StopParams
	Minutes int64   `query:"minutes" min:"1" max:"1440" default:"180"`
	Lines   *int64  `query:"lines" min:"1" max:"100"`
	Route   *string `query:"route" maxlen:"300"`
	By      *string `query:"by" enum:"line,time"`
	Part    *string `query:"part" enum:"rows"`
}

// query groups the departures, except on a page for which a reader asks for a number of rows.
func (p *stopPageParams) query() boardQuery {
	q := boardQuery{Variant: "phone", Shown: nextRows, OfStop: true, ByLine: cell(p.By) != "time", Part: p.Part != nil,
		DepartureParams: realtimeapi.DepartureParams{StopIDs: []string{p.FeedAlias + ":" + p.StopID}, Minutes: p.Minutes}}
	if p.Lines != nil && p.By == nil {
		q.ByLine = false
	}
	if !q.ByLine {
		q.Shown = linesShown["phone"]
		if p.Lines != nil {
			q.Shown = int(*p.Lines)
		}
	}
	if p.Route != nil {
		q.RouteIDs = []string{p.FeedAlias + ":" + *p.Route}
	}
	return q
}

func (a *Pages) pageStop(ctx context.Context, c *rest.Call, p stopPageParams, s *snapshot) ([]byte, error) {
	q := p.query()
	v, err := a.newPageBoard(ctx, c, s, q)
	if err == nil && !q.Part {
		err = a.addHere(ctx, c, s.departures.Feeds[0].Feed, v, p)
	}
	return a.renderBoard(v, err)
}

// A boardPlace has the facts about the place of a stop.
type boardPlace struct {
	Lines     []RouteLine
	Platforms []Stop // platforms of the station, or the station's other platforms
	Towards   string // destinations of the trips, in words
	Access    string // whether a wheelchair can board, in words; "" if unknown
	Map, App  string // addresses of pages; "" if there is none
	Planner   string // address of the journey planner; "" if there is none
	Street    string // address of the place on OpenStreetMap; "" if it is unknown
	Geo       template.URL
	ByLine    string      // address of the page with groups
	ByTime    string      // address of the page in order of time
	All       string      // address of the page without a filter
	Only      string      // id of the line, if the page shows only one
	Chips     []RouteLine // the lines as filters, if there are several; the address is of the filtered page
}

// addHere adds the lines of a stop, the other stops of its station and its place. If only live data
// has the stop, it adds only the switch.
func (a *Pages) addHere(ctx context.Context, c *rest.Call, f *edition.Feed, v *Board, p stopPageParams) error {
	v.Here = &boardPlace{Only: cell(p.Route), All: v.Keep(c.Self()), ByLine: v.Keep(c.SelfWith("by", "line")),
		ByTime: v.Keep(c.SelfWith("by", "time"))}
	v.Scripts = append([]string{"stop.js"}, v.Scripts...)
	ids := f.Identities(p.StopID)
	s := f.Stop(ids[len(ids)-1])
	if s == nil {
		return nil
	}
	in, err := a.in(ctx, &v.Head, f)
	if err != nil {
		return err
	}
	v.Here.Lines, v.Here.Towards, err = in.calling(ctx, c, s)
	if err != nil {
		return err
	}
	for _, l := range v.Here.Lines {
		l.Address = v.Keep(c.SelfWith("route", l.ID))
		v.Here.Chips = append(v.Here.Chips, l)
	}
	if len(v.Here.Chips) < 2 {
		v.Here.Chips = nil
	}
	if err := in.addBays(ctx, c, v.Here, s); err != nil {
		return err
	}
	v.Here.App = a.appAddress(&v.Head, f.Alias)
	if c.May(tilePermission) {
		v.Here.Map = v.ToQuery(url.Values{"stop": {s.StopID}}, feedPagePath+"/map", f.Alias)
	}
	v.Here.Access = v.say.Words["stop.wheelchair."+cell(f.WheelchairBoarding(s))]
	rank, _ := f.Rank(s.StopID)
	if lat, lon := f.LatLon(rank); !math.IsNaN(lat) && !math.IsNaN(lon) {
		a.addPlace(v.Here, lon, lat, in.row(s).Label)
	}
	return nil
}

// addBays adds the other stops of a station, each with its lines.
func (l localized) addBays(ctx context.Context, c *rest.Call, to *boardPlace, s *edition.Stop) error {
	for _, id := range l.feed.StopIDs(cmp.Or(cell(s.ParentStation), s.StopID)) {
		other := l.feed.Stop(id)
		if other == nil || other.StopID == s.StopID || !other.IsPublic() {
			continue
		}
		bay := l.stop(id)
		if c.May(stopRoutesPermission) {
			routes, err := l.feed.RoutesAt(ctx, []string{id})
			if err != nil {
				return err
			}
			bay.Lines = l.lines(routes)
		}
		to.Platforms = append(to.Platforms, bay)
	}
	return nil
}

// addPlace adds links to a place outside this site.
func (a *Pages) addPlace(to *boardPlace, lon, lat float64, name string) {
	at := func(degrees float64) string { return strconv.FormatFloat(degrees, 'f', 5, 64) }
	to.Street = "https://www.openstreetmap.org/?mlat=" + at(lat) + "&mlon=" + at(lon) +
		"#map=18/" + at(lat) + "/" + at(lon)
	to.Geo = template.URL("geo:" + at(lat) + "," + at(lon)) // numbers only
	to.Planner = strings.NewReplacer("{lat}", at(lat), "{lon}", at(lon), "{name}", url.QueryEscape(name)).
		Replace(a.Site.Planner)
}
