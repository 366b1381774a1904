package transitapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	view "github.com/townline/townline/services/transit-api/internal/pages"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Pages are the same answers for people, at the root of the host. A page calls the functions of the endpoints that it shows, with their
// permissions, and runs no statement that no endpoint declares. Views and templates are in internal/pages.

// pageEndpoints are the pages, in the order of their addresses.
func (a *api) pageEndpoints() rest.Table {
	return slices.Concat(rest.Table{
		rest.Page(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page", Shows: []string{"discovery.feeds"}, MayShow: []string{searchPermission, "static.routes", "static.agencies", "static.feed_drawing"}, Source: a.dir.AllSource()}, a.pageHome),
		rest.Page(rest.Spec{ID: "page.stops", Path: "/stops", Summary: "Stops by name and place", Shows: []string{searchPermission}, Source: a.dir.AllSource(), NotFound: "unknown feed"}, a.pageStops),
		rest.Page(rest.Spec{ID: "page.screens", Path: "/about/screens", Summary: "Makes the address of a board", Shows: []string{searchPermission}, Source: a.dir.AllSource()}, a.pageScreens),
		rest.Page(rest.Spec{ID: "page.embedding", Path: "/about/embedding", Summary: "Makes the lines that show departures in another site", Shows: []string{searchPermission}, Source: a.dir.AllSource()}, a.pageEmbedding),
	}, a.boardPages(), a.timetablePages(), a.mapPages())
}

// openSite is the site with its pages; nil when pages are off.
func (a *api) openSite(setting string) (*rest.Site, error) {
	switch setting {
	case "", "on":
	case "off":
		return nil, nil
	default:
		return nil, fmt.Errorf("PAGES %q is neither on nor off", setting)
	}
	var err error
	if a.site, err = view.Open(); err != nil {
		return nil, err
	}
	return a.site.Serve(a.pageEndpoints()), nil
}

// head is the head of a page with what all pages of the API have; others are the same answers as JSON.
func (a *api) head(c *rest.Call, others ...site.Other) site.Head {
	h := a.site.Head(c)
	h.Docs, h.Others = c.URL("/docs"), others
	return h
}

// asJSON is the address of an answer as JSON.
func asJSON(title, address string) site.Other {
	if !strings.Contains(address, "?") {
		address += "?_format=json"
	}
	return site.Other{Type: "application/json", Title: title, Address: address}
}

func (a *api) pageHome(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Home{Head: a.head(c, asJSON("JSON", c.URL("/feeds")))}
	words := a.site.Words(v.Lang)
	v.Title, v.About = words.Text("home.title"), words.Text("home.about")
	feeds, err := a.listFeeds(ctx, c, struct{ wire.Window }{wire.Window{Limit: mostFeeds}})
	if err != nil {
		return nil, err
	}
	for _, f := range feeds.Data {
		line := view.Feed{Name: f.Name, Alias: f.Alias, JSON: f.Link + "?_format=json"}
		if c.May("static.routes") && c.May("static.agencies") {
			line.Lines = v.To("/f/{feed}/routes", f.Alias)
		}
		if c.May("static.feed_drawing") {
			line.Map = v.To(feedPagePath+"/map", f.Alias)
		}
		v.Feeds = append(v.Feeds, line)
	}
	if c.May(searchPermission) {
		v.Find, v.Scripts = c.Path("/stops"), []string{"near.js"}
	}
	return a.site.Render("home.html", v)
}

// searchPermission is that of the search for stops.
const searchPermission = "static.stop_search"

type stopsPageParams struct {
	Q    *string   `query:"q" maxlen:"100"`
	Near *position `query:"near"`
	feedChoice
}

func (a *api) pageStops(ctx context.Context, c *rest.Call, p stopsPageParams) ([]byte, error) {
	v := &view.Stops{Head: a.head(c), Finder: view.Finder{Find: c.Path("/stops")}, Sought: p.Q != nil || p.Near != nil}
	say := a.site.Words(v.Lang)
	v.Title, v.Unlisted, v.Scripts = say.Text("find.title"), v.Sought, []string{"near.js"}
	if !v.Sought {
		return a.site.Render("stops.html", v)
	}
	if p.Q != nil {
		v.Q = *p.Q
	}
	found, err := a.searchStops(ctx, c, stopSearchParams{Q: p.Q, Near: p.Near, Limit: mostFound, feedChoice: p.feedChoice})
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, f := range c.Generation().Ref.(*edition.Feeds).Sorted {
		names[f.Alias] = f.Name
	}
	for i := range found.Data {
		v.Found = append(v.Found, foundStop(v, say, &found.Data[i], names))
	}
	if more := found.Meta.TotalCount - len(found.Data); more > 0 {
		v.More = say.Text("find.more", more)
	}
	v.Missing = found.Meta.Missing
	query := strings.TrimPrefix(c.SelfQuery(), c.Self())
	v.Others = append(v.Others, asJSON(say.Text("find.json"), c.URL("/stops")+query+"&_format=json"))
	return a.site.Render("stops.html", v)
}

// foundStop is a stop as the search page lists it.
func foundStop(v *view.Stops, say site.Words, s *FoundStop, feeds map[string]string) view.FoundStop {
	f := view.FoundStop{Name: s.Label, Feed: feeds[s.Feed], Address: v.To("/f/{feed}/stops/{stop}", s.Feed, s.StopID)}
	if s.StopCode != nil {
		f.Code = *s.StopCode
	}
	if s.PlatformCode != nil && *s.PlatformCode != "" {
		f.Platform = say.Text("board.at", *s.PlatformCode)
	}
	switch d := s.Distance; {
	case d == nil:
	case *d < 1000:
		f.Distance = say.Text("find.metres", *d)
	default:
		f.Distance = say.Text("find.kilometres", strconv.FormatFloat(float64(*d)/1000, 'f', 1, 64))
	}
	return f
}

// mostFound is how many stops a search page lists.
const mostFound = 50

// mostFeeds is how many feeds the start page lists.
const mostFeeds = 500

// Parameters of the pages that make addresses.
type (
	builderParams struct {
		Q     *string  `query:"q" maxlen:"100"`
		Stops []string `query:"stop" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Title *string  `query:"title" maxlen:"80"`
		Lines int64    `query:"lines" min:"1" max:"30" default:"8"`
		Walk  int64    `query:"walk" min:"0" max:"60" default:"0"`
		In    string   `query:"in" enum:"auto,en,es,fr" default:"auto"`
	}
	screenBuilderParams struct {
		builderParams
		Variant string `query:"variant" enum:"lcd,eink,phone" default:"lcd"`
		Theme   string `query:"theme" enum:"auto,light,dark" default:"auto"`
	}
	embedBuilderParams struct {
		builderParams
		site.ThemeParams
	}
)

func (a *api) pageScreens(ctx context.Context, c *rest.Call, p screenBuilderParams) ([]byte, error) {
	b, err := a.newBuilder(ctx, c, "/about/screens", "build.screen", p.builderParams)
	if err != nil {
		return nil, err
	}
	b.choose("variant", p.Variant, "lcd", "lcd", "eink", "phone")
	b.choose("theme", p.Theme, "auto", "auto", "light", "dark")
	b.finish(p.builderParams)
	if address := b.address("/board"); address != "" {
		b.Pieces = []view.Piece{{Title: b.say.Text("build.address"), Text: address}}
	}
	return a.site.Render("build.html", b.Builder)
}

func (a *api) pageEmbedding(ctx context.Context, c *rest.Call, p embedBuilderParams) ([]byte, error) {
	b, err := a.newBuilder(ctx, c, "/about/embedding", "build.embed", p.builderParams)
	if err != nil {
		return nil, err
	}
	b.choose("theme", cell(p.Theme), "auto", "auto", "light", "dark")
	b.choose("size", strconv.FormatInt(p.Size, 10), "100", "75", "100", "125", "150", "200")
	for _, t := range []struct {
		name  string
		value *string
	}{{"accent", p.Accent}, {"background", p.Ground}, {"text", p.Ink}} {
		b.write(t.name, strings.TrimPrefix(cell(t.value), "#"), "build.hex", "#?[0-9A-Fa-f]{6}")
	}
	b.finish(p.builderParams)
	if address := b.address("/embed/board"); address != "" {
		title := cell(p.Title)
		if title == "" {
			title = b.say.Text("board.title", b.names())
		}
		b.Pieces = view.Snippets(b.say, address, b.root+"/embed.js", title)
	}
	switch who := a.frames.Frames; {
	case len(who) == 0:
		b.Notes = []string{b.say.Text("build.nobody")}
	case slices.Contains(who, "*"):
		b.Notes = []string{b.say.Text("build.everybody")}
	default:
		b.Notes = []string{b.say.Text("build.some", strings.Join(who, ", "))}
	}
	return a.site.Render("build.html", b.Builder)
}

// A builder fills a page that makes an address.
type builder struct {
	*view.Builder
	say   site.Words
	root  string // of the pages, with scheme and host
	query url.Values
}

// newBuilder is the page with its stops: those that are chosen, and those that a search found.
func (a *api) newBuilder(ctx context.Context, c *rest.Call, path, words string, p builderParams) (*builder, error) {
	v := &view.Builder{Head: a.head(c), Action: c.Path(path), Q: strings.TrimSpace(cell(p.Q))}
	b := &builder{Builder: v, say: a.site.Words(v.Lang), root: strings.TrimSuffix(a.public, basePath), query: url.Values{}}
	v.Title, v.Intro, v.Styles = b.say.Text(words), b.say.Text(words+".intro"), []string{"build.css"}
	v.Unlisted = len(p.Stops) > 0 || v.Q != ""
	feeds := c.Generation().Ref.(*edition.Feeds)
	for _, id := range p.Stops {
		b.query.Add("stop", id)
		o := view.Option{Value: id, Label: id, Chosen: true}
		alias, stop, _ := strings.Cut(id, ":")
		for _, f := range feeds.Sorted {
			if f.Alias != alias {
				continue
			}
			if s := f.Stop(stop); s != nil {
				o.Label, o.More = s.Label, f.Name
			}
		}
		v.Stops = append(v.Stops, o)
	}
	if v.Q == "" {
		return b, nil
	}
	const most = 20
	found, err := a.searchStops(ctx, c, stopSearchParams{Q: &v.Q, Limit: most})
	if err != nil {
		return nil, err
	}
	v.Sought, v.Missing = true, found.Meta.Missing
	for i := range found.Data {
		s := &found.Data[i]
		if id := s.Feed + ":" + s.StopID; !slices.Contains(p.Stops, id) {
			more := []string{cell(s.StopCode), s.Feed}
			if platform := cell(s.PlatformCode); platform != "" {
				more[0] = b.say.Text("board.at", platform)
			}
			v.Stops = append(v.Stops, view.Option{Value: id, Label: s.Label, More: strings.TrimPrefix(strings.Join(more, " · "), " · ")})
		}
	}
	return b, nil
}

// choose is a question with a few answers, of which the usual one needs no words in the address.
func (b *builder) choose(name, value, usual string, all ...string) {
	s := view.Select{Name: name, Label: b.say.Text("build." + name)}
	if value == "" {
		value = usual
	}
	if !slices.Contains(all, value) {
		all = append(all, value)
	}
	for _, o := range all {
		label := b.say["build."+name+"."+o]
		switch {
		case name == "size":
			label = o + " %"
		case label == "":
			label = o
		}
		s.Options = append(s.Options, view.Option{Value: o, Label: label, Chosen: o == value})
	}
	b.Selects = append(b.Selects, s)
	if value != usual {
		b.query.Set(name, value)
	}
}

// write is a question with a text as its answer.
func (b *builder) write(name, value, hint, pattern string) {
	b.Texts = append(b.Texts, view.TextField{Name: name, Label: b.say.Text("build." + name), Value: value, Hint: b.say.Text(hint), Pattern: pattern})
	if value != "" {
		b.query.Set(name, value)
	}
}

// finish adds what both pages ask.
func (b *builder) finish(p builderParams) {
	b.choose("lines", strconv.FormatInt(p.Lines, 10), "8", "3", "5", "8", "10", "12", "15")
	b.choose("walk", strconv.FormatInt(p.Walk, 10), "0", "0", "2", "5", "10", "15")
	b.choose("in", p.In, "auto", append([]string{"auto"}, site.Languages()...)...)
	if b.query.Has("in") {
		b.query.Set("lang", p.In)
		b.query.Del("in")
	}
	b.write("title", strings.TrimSpace(cell(p.Title)), "build.title.hint", "")
}

// address is what was made, "" while no stop is chosen.
func (b *builder) address(path string) string {
	if b.query.Has("stop") {
		b.Address = b.root + path + "?" + b.query.Encode()
	}
	return b.Address
}

// names are those of the chosen stops.
func (b *builder) names() string {
	var stops []view.Stop
	for _, o := range b.Stops {
		if o.Chosen {
			stops = append(stops, view.Stop{Name: o.Label})
		}
	}
	return view.Speaker{Words: b.say}.Name(stops)
}
