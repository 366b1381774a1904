package pages

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// A Stop is a stop with the address of its board.
type Stop struct{ Name, Code, Platform, Address, Spoken string }

// stop is a stop of a feed by its stop_id, in the language of a page.
func (a *Pages) stop(h *site.Head, f *edition.Feed, texts *edition.Texts, id string) Stop {
	stop := Stop{Name: id, Address: h.To(stopPagePath, f.Alias, id)}
	s := f.Stop(id)
	if s == nil {
		return stop
	}
	stop.Name = stopIn(texts, s).Label
	if code := cell(s.StopCode); !strings.Contains(s.Label, code) { // some agencies write it into the name
		stop.Code = code
	}
	if platform := cell(s.PlatformCode); platform != "" {
		stop.Platform = a.site.Words(h.Lang).Text("board.at", platform)
	}
	return stop
}

// searchPermission is that of the search for stops.
const searchPermission = "static.stop_search"

func (a *Pages) stopsPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.stops", Path: "/stops", Summary: "Stops by name and place",
			Shows: []string{searchPermission}, MayShow: []string{stopRoutesPermission}, NotFound: "unknown feed"},
			edition.AllFeeds[stopsPageParams](a.Static.Feeds), a.pageStops),
	}
}

type stopsPageParams struct {
	Q    *string          `query:"q" maxlen:"100"`
	Near *static.Position `query:"near"`
	static.FeedChoice
}

// A finder is the form that looks for stops.
type finder struct {
	Find string // address of the page that finds; "" for readers who may not search
	Q    string // what was asked for
}

// A stopsPage is what a search found.
type stopsPage struct {
	site.Head
	finder
	Sought  bool // whether anything was asked for
	Found   []foundStop
	More    int      // how many further stops there are
	Missing []string // feeds that cannot be searched now
}

// A foundStop is a line of it.
type foundStop struct {
	Stop
	Feed, Distance string
	Lines          []RouteLine
	MoreLines      int
	Towards        string // in words
}

// More is what tells a stop from others of its name.
func (f foundStop) More() string { return joinedBy(" · ", f.Code, f.Feed, f.Distance) }

// mostFound is how many stops a search page lists, and mostFoundLines how many lines of each.
const (
	mostFound      = 50
	mostFoundLines = 8
)

func (a *Pages) pageStops(ctx context.Context, c *rest.Call, p stopsPageParams, feeds *edition.Feeds) ([]byte, error) {
	v := &stopsPage{Head: a.head(c), finder: finder{Find: c.Path("/stops"), Q: cell(p.Q)}, Sought: p.Q != nil || p.Near != nil}
	say := a.site.Words(v.Lang)
	v.Title, v.Unlisted, v.Scripts = say.Text("find.title"), v.Sought, []string{"near.js"}
	if !v.Sought {
		return a.site.Render("stops.html", v)
	}
	found, err := static.SearchStops(ctx, c, static.StopSearch{Q: p.Q, Near: p.Near, Limit: mostFound, FeedChoice: p.FeedChoice}, feeds)
	if err != nil {
		return nil, err
	}
	texts := map[string]*edition.Texts{}
	for _, f := range feeds.Sorted {
		var ids []string
		for i := range found.Data {
			if found.Data[i].Feed == f.Alias {
				ids = append(ids, found.Data[i].StopID)
			}
		}
		if ids == nil {
			continue
		}
		texts[f.Alias], err = f.Texts(ctx, v.Lang)
		if err != nil {
			return nil, err
		}
		if _, err := f.RoutesAt(ctx, ids); err != nil { // of all at once
			return nil, err
		}
	}
	for i := range found.Data {
		s := &found.Data[i]
		f := feeds.ByAlias[s.Feed]
		row := foundStop{Stop: a.stop(&v.Head, f, texts[s.Feed], s.StopID), Distance: distance(say, s.Distance)}
		if len(feeds.Sorted) > 1 {
			row.Feed = f.Name
		}
		row.Lines, row.Towards, err = a.calling(ctx, c, &v.Head, f, texts[s.Feed], &s.Stop)
		if err != nil {
			return nil, err
		}
		if len(row.Lines) > mostFoundLines {
			row.MoreLines, row.Lines = len(row.Lines)-mostFoundLines, row.Lines[:mostFoundLines]
		}
		v.Found = append(v.Found, row)
	}
	v.More, v.Missing = found.Meta.TotalCount-len(found.Data), found.Meta.Missing
	query := strings.TrimPrefix(c.SelfQuery(), c.Self())
	v.Others = append(v.Others, asJSON(say.Text("find.json"), c.URL("/stops")+query+"&_format=json"))
	return a.site.Render("stops.html", v)
}

// distance is a distance in metres or kilometres; "" if unknown.
func distance(say site.Words, metres *int64) string {
	switch {
	case metres == nil:
		return ""
	case *metres < 1000:
		return say.Text("find.metres", *metres)
	}
	return say.Text("find.kilometres", strconv.FormatFloat(float64(*metres)/1000, 'f', 1, 64))
}

// stopRoutesPermission is that of the lines of a stop.
const stopRoutesPermission = "static.stop_routes"

// calling are the lines that call at a stop, and in words where they go: by these riders tell stops of one name apart.
func (a *Pages) calling(
	ctx context.Context, c *rest.Call, h *site.Head, f *edition.Feed, texts *edition.Texts, s *edition.Stop,
) (lines []RouteLine, towards string, err error) {
	if !c.May(stopRoutesPermission) {
		return nil, "", nil
	}
	routes, err := f.RoutesAt(ctx, []string{s.StopID})
	if err != nil {
		return nil, "", err
	}
	for _, r := range routes {
		lines = append(lines, a.line(h, f, texts, r))
	}
	sortLines(lines)
	trips, err := f.Towards(ctx, s.StopID)
	if err != nil {
		return nil, "", err
	}
	const most = 3
	var names []string
	for _, t := range trips {
		to := withoutLine(cell(texts.Headsign(t.ID, t.Headsign)), t.Route.ShortName)
		if to != "" && to != s.StopName && !slices.Contains(names, to) && len(names) < most {
			names = append(names, to)
		}
	}
	if names != nil {
		towards = a.site.Words(h.Lang).Text("stop.towards", strings.Join(names, ", "))
	}
	return lines, towards, nil
}
