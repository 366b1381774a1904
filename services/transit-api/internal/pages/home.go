package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

const (
	// maxFeeds bounds the feeds on the start page. If there are at most fullFeeds, each has lines
	// and alerts.
	maxFeeds  = 500
	fullFeeds = 3
	// Bounds per feed on the start page.
	homeLines  = 120
	homeAlerts = 2
)

// feedAlertsPart adds the feed's alerts if the reader may see them.
func (a *Pages) feedAlertsPart(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error) {
	if !c.May(alertsPermission) {
		return s.feed.Generation, nil
	}
	return a.alertsPart(ctx, c, s)
}

func (a *Pages) homePart(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error) {
	var err error
	s.feeds, err = a.Static.Feeds.All()
	if err != nil {
		return rest.Generation{}, err
	}
	gens := []rest.Generation{s.feeds.Generation}
	if len(s.feeds.Sorted) > fullFeeds || !c.May(alertsPermission) {
		return rest.Join(gens...), nil
	}
	var aliases []string
	for _, f := range s.feeds.Sorted {
		aliases = append(aliases, f.Alias)
	}
	a.Current.Live.Await(ctx, aliases, conf.Alerts)
	for _, f := range s.feeds.Sorted {
		if f.Edition == nil {
			continue
		}
		s.feed = f
		alerts, err := a.alertsPart(ctx, c, s)
		if err != nil {
			return alerts, err
		}
		gens = append(gens, alerts)
	}
	return rest.Join(gens...), nil
}

type homePage struct {
	site.Head
	Find, Q     string // address of the search, "" if the reader may not search; and its words
	Lines, Maps bool   // readers may see lines and maps
	Feeds       []homeFeed
}

type homeFeed struct {
	*edition.Feed
	App    string      // address of the page about apps; "" if there is none
	Report string      // address of the import's report; "" if the page has no link to it
	Groups []lineGroup // by means of transport, one without a name if the feed has only one; or by agency
	More   int         // number of lines that are not in Groups
	Alerts *alertsPage
}

// A lineGroup has the lines of one means of transport, or of one agency.
type lineGroup struct {
	Name  string
	Lines []RouteLine
}

// fewLines is the number of lines up to which the start page shows their names.
const fewLines = 12

// Few reports whether there is room for the names of the lines.
func (g lineGroup) Few() bool { return len(g.Lines) <= fewLines }

func (a *Pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None, s *snapshot) ([]byte, error) {
	v := &homePage{Head: a.head(c, asJSON("JSON", c.URL("/feeds")))}
	a.title(&v.Head, "home")
	return a.home(ctx, c, v, s, s.feeds.Sorted[:min(len(s.feeds.Sorted), maxFeeds)])
}

// pageFeed is the start page of one feed.
func (a *Pages) pageFeed(ctx context.Context, c *rest.Call, p wire.FeedParams, s *snapshot) ([]byte, error) {
	v := &homePage{Head: a.head(c, asJSON("JSON", c.URL(wire.FeedPath, p.FeedAlias)))}
	if all := a.Static.Feeds.Now(); all != nil && len(all.Sorted) == 1 { // the start page shows this feed
		return nil, moved(http.StatusTemporaryRedirect, v.To("/"))
	}
	a.title(&v.Head, "home")
	v.Title = s.feed.Name
	return a.home(ctx, c, v, s, []*edition.Feed{s.feed})
}

func (a *Pages) home(
	ctx context.Context, c *rest.Call, v *homePage, s *snapshot, feeds []*edition.Feed,
) ([]byte, error) {
	v.Maps, v.Lines = c.May(tilePermission), c.May(routesPermission) && c.May("static.agencies")
	for _, f := range feeds {
		one := homeFeed{Feed: f, App: a.appAddress(&v.Head, f.Alias)}
		if f.Edition != nil && len(feeds) <= fullFeeds {
			if err := a.fillFeed(ctx, v, &one, s.alerts[f.Alias]); err != nil {
				return nil, err
			}
		}
		v.Feeds = append(v.Feeds, one)
	}
	if c.May(searchPermission) {
		v.Find, v.Scripts = c.Path("/stops"), append(finderScripts(), "yours.js")
		v.Styles = append(v.Styles, "home.css")
		say := a.site.Words(v.Lang)
		v.Footer = append(v.Footer, site.Link{Text: say.Text("build.title"), Address: v.To(displaysPath)})
	}
	return a.site.Render("home.html", v)
}

func (a *Pages) fillFeed(
	ctx context.Context, v *homePage, one *homeFeed, alerts *realtimeapi.FeedAlerts,
) error {
	in, err := a.in(ctx, &v.Head, one.Feed)
	if err != nil {
		return err
	}
	if v.Lines {
		one.Groups, one.More = in.modes(one.Routes(), homeLines)
	}
	if alerts != nil {
		one.Alerts, err = in.alerts(alerts)
	}
	return err
}

// modes returns up to most lines by means of transport, and the number of the other lines.
func (l localized) modes(routes []*edition.Route, most int) (all []lineGroup, more int) {
	by := map[string][]*edition.Route{}
	for _, r := range routes {
		mode := modeOf(r.RouteType)
		by[mode] = append(by[mode], r)
	}
	left := most
	for _, mode := range modes {
		if by[mode] == nil {
			continue
		}
		m := lineGroup{Lines: l.lines(by[mode])}
		if len(by) > 1 {
			m.Name = l.say.Text("mode." + mode)
		}
		m.Lines = m.Lines[:min(len(m.Lines), left)]
		left -= len(m.Lines)
		if len(m.Lines) > 0 {
			all = append(all, m)
		}
	}
	return all, max(len(routes)-most, 0)
}

// modes lists the means of transport in the order of a page.
var modes = []string{"rail", "metro", "tram", "bus", "ferry", "lift", "other"}

// modeOf returns the means of transport of a route_type, also of the extended ones.
func modeOf(routeType string) string {
	n, err := strconv.Atoi(routeType)
	basic := map[int]string{0: "tram", 1: "metro", 2: "rail", 3: "bus", 4: "ferry", 5: "tram", 6: "lift", 7: "lift",
		11: "bus", 12: "metro"}
	extended := map[int]string{1: "rail", 2: "bus", 3: "rail", 4: "metro", 5: "metro", 6: "metro", 7: "bus", 8: "bus",
		9: "tram", 10: "ferry", 12: "ferry", 13: "lift", 14: "lift"}
	if err != nil {
		return "other"
	}
	return cmp.Or(basic[n], extended[n/100], "other")
}

type stopsPageParams struct {
	Q    *string        `query:"q" maxlen:"100"`
	Near *edition.Point `query:"near"`
	wire.FeedChoice
}

type stopsPage struct {
	site.Head
	Find, Q   string      // address of the search, and its words
	Lines     []RouteLine // lines whose number or name has the words
	Found     []Stop
	Corrected string   // the words that were searched for, if no stop has those of Q
	More      int      // number of stops that are not listed
	Missing   []string // feeds that are unavailable
}

const (
	maxFound      = 50
	maxFoundLines = 8
	// maxSoughtLines bounds the lines of a result.
	maxSoughtLines = 12
)

func (a *Pages) pageStops(ctx context.Context, c *rest.Call, p stopsPageParams, feeds *edition.Feeds) ([]byte, error) {
	v := &stopsPage{Head: a.head(c), Find: c.Path("/stops"), Q: cell(p.Q)}
	if p.Q == nil && p.Near == nil { // the search is on the start page
		return nil, moved(http.StatusPermanentRedirect, v.To("/"))
	}
	say := a.site.Words(v.Lang)
	v.Title, v.Unlisted = say.Text("find.title"), true
	v.Scripts = finderScripts()
	found, err := static.SearchStops(ctx, c, static.StopSearch{Q: p.Q, Near: p.Near, Limit: maxFound,
		FeedChoice: p.FeedChoice}, feeds)
	if err != nil {
		return nil, err
	}
	if c.May(routesPermission) {
		v.Lines, err = a.findLines(ctx, &v.Head, p, feeds)
		if err != nil {
			return nil, err
		}
	}
	for _, f := range feeds.Sorted {
		var ids []string
		for i := range found.Data {
			if found.Data[i].Feed == f.Alias {
				ids = append(ids, found.Data[i].StopID)
			}
		}
		if _, err := f.RoutesAt(ctx, ids); err != nil { // load the routes of all stops at once
			return nil, err
		}
	}
	for i := range found.Data {
		s := &found.Data[i]
		in, err := a.in(ctx, &v.Head, feeds.ByAlias[s.Feed])
		if err != nil {
			return nil, err
		}
		row := in.stop(s.StopID)
		row.Distance = distance(say, s.Distance)
		if len(feeds.Sorted) > 1 {
			row.Feed = in.feed.Name
		}
		row.Lines, row.Towards, err = in.calling(ctx, c, &s.Stop)
		if err != nil {
			return nil, err
		}
		if len(row.Lines) > maxFoundLines {
			row.MoreLines, row.Lines = len(row.Lines)-maxFoundLines, row.Lines[:maxFoundLines]
		}
		v.Found = append(v.Found, row)
	}
	v.More, v.Missing = found.Meta.TotalCount-len(found.Data), found.Meta.Missing
	v.Corrected = found.Meta.Corrected
	query := strings.TrimPrefix(c.SelfQuery(), c.Self())
	v.Others = append(v.Others, asJSON(say.Text("find.json"), c.URL("/stops")+query+"&_format=json"))
	return a.site.Render("stops.html", v)
}

// findLines returns the lines that have all words of a search in number, name or id.
func (a *Pages) findLines(
	ctx context.Context, h *site.Head, p stopsPageParams, feeds *edition.Feeds,
) (found []RouteLine, err error) {
	chosen, err := feeds.Choose(p.Feed)
	if err != nil || p.Q == nil {
		return nil, err
	}
	terms := edition.ParseTerms(*p.Q)
	for _, f := range chosen {
		if f.Edition == nil || terms == nil {
			continue
		}
		in, err := a.in(ctx, h, f)
		if err != nil {
			return nil, err
		}
		for _, r := range edition.SearchRoutes(f.Routes(), terms, in.names) {
			if len(found) == maxSoughtLines {
				return found, nil
			}
			line := in.line(r)
			if len(feeds.Sorted) > 1 {
				line.Feed = f.Name
			}
			found = append(found, line)
		}
	}
	return found, nil
}

func finderScripts() []string { return []string{"near.js", "suggest.js"} }

func distance(say lang.Words, metres *int64) string {
	switch {
	case metres == nil:
		return ""
	case *metres < 1000:
		return say.Text("find.metres", *metres)
	}
	return say.Text("find.kilometres", say.Decimal(float64(*metres)/1000, 1))
}

// A Badge is the name of a line on its colour.
type Badge struct {
	Color string
	Light bool
}

// newBadge chooses light or dark text for a route's colour: the feed's text colour if it is
// readable, otherwise the more readable of the two.
func newBadge(color, text *string) Badge {
	ground, ok := colorOf(color)
	if !ok {
		return Badge{}
	}
	light, dark := 1.05/(ground.Luminance()+.05), (ground.Luminance()+.05)/.05
	b := Badge{Color: *color, Light: light >= dark}
	const readable = 4.5 // minimum contrast of WCAG 2.2, 1.4.3
	if own, ok := colorOf(text); ok {
		wants := own.Luminance() > .4
		switch {
		case wants && light >= readable:
			b.Light = true
		case !wants && dark >= readable:
			b.Light = false
		}
	}
	return b
}

func colorOf(text *string) (site.Color, bool) {
	if len(cell(text)) != 6 {
		return site.Color{}, false
	}
	return site.ReadColor(*text)
}

// compareLines orders names of lines by number, 2 before 10, and numbers before other names.
func compareLines(x, y string) int {
	n, restX := number(x)
	m, restY := number(y)
	return cmp.Or(cmp.Compare(n, m), cmp.Compare(restX, restY))
}

func sortLines(lines []RouteLine) {
	slices.SortStableFunc(lines, func(x, y RouteLine) int { return compareLines(x.Line, y.Line) })
}

// number returns the leading number of a name, or a very large number if there is none, and the
// rest.
func number(name string) (n int, rest string) {
	end := min(9, len(name)-len(strings.TrimLeft(name, "0123456789")))
	n, err := strconv.Atoi(name[:end])
	if err != nil {
		return 1 << 40, name
	}
	return n, name[end:]
}

const (
	maxListedRoutes = 2000
	// maxRouteFiles bounds the agencies whose routes the footer links to as JSON.
	maxRouteFiles = 6
)

func (a *Pages) pageRoutes(ctx context.Context, c *rest.Call, _ wire.FeedParams, f *edition.Feed) ([]byte, error) {
	v := &homePage{Head: a.head(c, asJSON("JSON", c.URL(wire.FeedPath+"/agencies", f.Alias))), Maps: c.May(tilePermission)}
	of := homeFeed{Feed: f, App: a.appAddress(&v.Head, f.Alias)}
	a.title(&v.Head, "routes", f.Name)
	v.Accessed = true
	v.Styles = []string{"timetable.css"}
	in, err := a.in(ctx, &v.Head, f)
	if err != nil {
		return nil, err
	}
	if c.May(reportPermission) {
		of.Report = v.To(reportPagePath, f.Alias)
	}
	routes := map[string][]*edition.Route{}
	for _, r := range f.Routes() {
		routes[r.AgencyID] = append(routes[r.AgencyID], r)
	}
	listed := 0
	for n, agency := range f.Agencies {
		own := routes[agency.AgencyID]
		if listed+len(own) > maxListedRoutes {
			of.More = len(f.Routes()) - listed
			break
		}
		listed += len(own)
		in.texts.Translate(&agency)
		of.Groups = append(of.Groups, lineGroup{Name: agency.Label, Lines: in.lines(own)})
		if n < maxRouteFiles {
			v.Others = append(v.Others, asJSON("JSON: "+agency.AgencyName,
				c.URL(wire.AgencyPath+"/routes", f.Alias, agency.AgencyID)))
		}
	}
	v.Feeds = []homeFeed{of}
	return a.site.Render("routes.html", v)
}
