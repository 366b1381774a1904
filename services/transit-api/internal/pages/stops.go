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
	"github.com/townline/townline/services/transit-api/internal/view"
)

// searchPermission is that of the search for stops.
const searchPermission = "static.stop_search"

func (a *Pages) stopsPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.stops", Path: "/stops", Summary: "Stops by name and place",
			Shows: []string{searchPermission}, MayShow: []string{stopRoutesPermission},
			NotFound: "unknown feed"}, edition.AllFeeds[stopsPageParams](a.Static.Feeds), a.pageStops),
	}
}

type stopsPageParams struct {
	Q    *string          `query:"q" maxlen:"100"`
	Near *static.Position `query:"near"`
	static.FeedChoice
}

func (a *Pages) pageStops(ctx context.Context, c *rest.Call, p stopsPageParams, feeds *edition.Feeds) ([]byte, error) {
	v := &view.Stops{Head: a.head(c), Finder: view.Finder{Find: c.Path("/stops")}, Sought: p.Q != nil || p.Near != nil}
	say := a.site.Words(v.Lang)
	v.Title, v.Unlisted, v.Scripts = say.Text("find.title"), v.Sought, []string{"near.js"}
	if !v.Sought {
		return a.site.Render("stops.html", v)
	}
	if p.Q != nil {
		v.Q = *p.Q
	}
	found, err := static.SearchStops(ctx, c, static.StopSearch{Q: p.Q, Near: p.Near, Limit: mostFound, FeedChoice: p.FeedChoice}, feeds)
	if err != nil {
		return nil, err
	}
	names, texts := map[string]string{}, map[string]*edition.Texts{}
	for _, f := range feeds.Sorted {
		if len(feeds.Sorted) > 1 {
			names[f.Alias] = f.Name
		}
		if slices.ContainsFunc(found.Data, func(s static.FoundStop) bool { return s.Feed == f.Alias }) {
			texts[f.Alias], err = f.Texts(ctx, v.Lang)
			if err != nil {
				return nil, err
			}
			if _, err := f.RoutesAt(ctx, idsOf(found.Data, f.Alias)); err != nil { // of all at once
				return nil, err
			}
		}
	}
	for i := range found.Data {
		s := &found.Data[i]
		s.Label = texts[s.Feed].Of(edition.StopName, s.StopID, s.Label)
		row := foundStop(v, say, s, names)
		f := feeds.ByAlias[s.Feed]
		row.Lines, row.Towards, err = a.calling(ctx, c, &v.Head, f, texts[s.Feed], &s.Stop)
		if err != nil {
			return nil, err
		}
		if len(row.Lines) > mostFoundLines {
			row.MoreLines, row.Lines = len(row.Lines)-mostFoundLines, row.Lines[:mostFoundLines]
		}
		v.Found = append(v.Found, row)
	}
	if more := found.Meta.TotalCount - len(found.Data); more > 0 {
		v.More = say.Text("find.more", more)
	}
	v.Missing = found.Meta.Missing
	query := strings.TrimPrefix(c.SelfQuery(), c.Self())
	v.Others = append(v.Others, asJSON(say.Text("find.json"), c.URL("/stops")+query+"&_format=json"))
	return a.site.Render("stops.html", v)
}

func idsOf(found []static.FoundStop, alias string) (ids []string) {
	for i := range found {
		if found[i].Feed == alias {
			ids = append(ids, found[i].StopID)
		}
	}
	return ids
}

// foundStop is a stop as the search page lists it.
func foundStop(v *view.Stops, say site.Words, s *static.FoundStop, feeds map[string]string) view.FoundStop {
	f := view.FoundStop{Name: s.Label, Feed: feeds[s.Feed], Address: v.To("/f/{feed}/stops/{stop}", s.Feed, s.StopID)}
	if code := cell(s.StopCode); !strings.Contains(s.Label, code) { // some agencies write it into the name
		f.Code = code
	}
	if s.PlatformCode != nil && *s.PlatformCode != "" {
		f.Platform = say.Text("board.at", *s.PlatformCode)
	}
	d := s.Distance
	switch {
	case d == nil:
	case *d < 1000:
		f.Distance = say.Text("find.metres", *d)
	default:
		f.Distance = say.Text("find.kilometres", strconv.FormatFloat(float64(*d)/1000, 'f', 1, 64))
	}
	return f
}

// mostFound is how many stops a search page lists, and mostFoundLines how many lines of each.
const (
	mostFound      = 50
	mostFoundLines = 8
)
