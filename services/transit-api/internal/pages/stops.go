package pages

import (
	"context"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

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
	for _, f := range feeds.Sorted {
		var ids []string
		for i := range found.Data {
			if found.Data[i].Feed == f.Alias {
				ids = append(ids, found.Data[i].StopID)
			}
		}
		if _, err := f.RoutesAt(ctx, ids); err != nil { // of all at once
			return nil, err
		}
	}
	for i := range found.Data {
		s := &found.Data[i]
		in, err := a.in(ctx, &v.Head, feeds.ByAlias[s.Feed])
		if err != nil {
			return nil, err
		}
		row := foundStop{Stop: in.stop(s.StopID), Distance: distance(say, s.Distance)}
		if len(feeds.Sorted) > 1 {
			row.Feed = in.feed.Name
		}
		row.Lines, row.Towards, err = in.calling(ctx, c, &s.Stop)
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
