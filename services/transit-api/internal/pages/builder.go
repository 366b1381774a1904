package pages

import (
	"cmp"
	"context"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Builders are pages that build the address of a board, for a screen or for a frame in another
// site.

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
		Of   *string `query:"of" maxlen:"365" pattern:"^[A-Za-z0-9_-]{1,64}(:.+)?$"`
		Show string  `query:"show" enum:"map,timetable" default:"map"`
		site.ThemeParams
	}
)

func (a *Pages) pageScreens(ctx context.Context, c *rest.Call, p screenBuilderParams,
	feeds *edition.Feeds) ([]byte, error) {
	b, err := a.newBuilder(ctx, c, feeds, "/about/screens", "build.screen", p.builderParams)
	if err != nil {
		return nil, err
	}
	b.choose("variant", p.Variant, "lcd", "lcd", "eink", "phone")
	b.choose("theme", p.Theme, "auto", "auto", "light", "dark")
	b.finish(p.builderParams)
	if address := b.address("/board"); address != "" {
		b.Pieces = []piece{{Title: b.say.Text("build.address"), Text: address}}
	}
	return a.site.Render("build.html", b)
}

func (a *Pages) pageEmbedding(ctx context.Context, c *rest.Call, p embedBuilderParams,
	feeds *edition.Feeds) ([]byte, error) {
	b, err := a.newBuilder(ctx, c, feeds, embeddingPath, "build.embed", p.builderParams)
	if err != nil {
		return nil, err
	}
	b.choose("theme", cell(p.Theme), "auto", "auto", "light", "dark")
	b.choose("size", strconv.FormatInt(p.Size, 10), "100", "75", "100", "125", "150", "200")
	for _, t := range []struct {
		name  string
		value *string
	}{{"accent", p.Accent}, {"background", p.Background}, {"text", p.Text}} {
		b.input(t.name, strings.TrimPrefix(cell(t.value), "#"), "build.hex", "#?[0-9A-Fa-f]{6}")
	}
	path := "/embed/board"
	if p.Of != nil {
		path, err = b.subject(feeds, *p.Of, p.Show)
		if err != nil {
			return nil, err
		}
		b.language(p.In)
	} else {
		b.finish(p.builderParams)
	}
	if address := b.address(path); address != "" {
		title := cell(p.Title)
		switch {
		case b.Subject != "":
			title = b.Subject
		case title == "":
			title = b.say.Text("board.title", b.names())
		}
		b.Pieces = snippets(b.say, address, b.root+"/embed.js", title)
	}
	if p.Of == nil {
		b.Notes = []string{b.say.Text("build.maps")}
	}
	who := a.Frames.Frames
	switch {
	case len(who) == 0:
		b.Notes = append(b.Notes, b.say.Text("build.nobody"))
	case slices.Contains(who, "*"):
		b.Notes = append(b.Notes, b.say.Text("build.everybody"))
	default:
		b.Notes = append(b.Notes, b.say.Text("build.some", strings.Join(who, ", ")))
	}
	return a.site.Render("build.html", b)
}

// A builder is a page that builds the address of a board, map or timetable from the reader's
// choices.
type builder struct {
	site.Head
	Intro   string
	Action  string
	Q       string
	Sought  bool
	Subject string   // title of the map or timetable; "" for a board
	Of      string   // feed or line of the map or timetable; "" for a board
	Stops   []option // chosen stops, then the results of the search
	Missing []string // feeds that are unavailable
	Selects []selection
	Texts   []textField
	Address string // "" until a stop is chosen
	Pieces  []piece
	Notes   []string

	say   site.Words
	root  string // scheme and host of the pages
	query url.Values
}

type selection struct {
	Name, Label string
	Options     []option
}

type option struct {
	Value, Label, More string
	Chosen             bool
}

type textField struct{ Name, Label, Value, Hint, Pattern string }

type piece struct{ Title, Text string }

// snippets returns the two ways to embed an address in another site, as HTML.
func snippets(say site.Words, address, loader, title string) []piece {
	to, name := html.EscapeString(address), html.EscapeString(title)
	return []piece{
		{say.Text("build.link"), `<a data-townline href="` + to + `">` + name + "</a>\n" + `<script src="` +
			html.EscapeString(loader) + `" async></script>`},
		{say.Text("build.frame"), `<iframe src="` + to + `" title="` + name +
			`" loading="lazy" style="border: 0; width: 100%; height: 30rem"></iframe>`},
	}
}

func (a *Pages) newBuilder(ctx context.Context, c *rest.Call, feeds *edition.Feeds, path, words string,
	p builderParams) (*builder, error) {
	b := &builder{Head: a.head(c), Action: c.Path(path), Q: strings.TrimSpace(cell(p.Q)), root: a.Root,
		query: url.Values{}}
	b.say = a.site.Words(b.Lang)
	b.Title, b.Intro, b.Styles = b.say.Text(words), b.say.Text(words+".intro"), []string{"build.css"}
	b.Unlisted = len(p.Stops) > 0 || b.Q != ""
	for _, id := range p.Stops {
		b.query.Add("stop", id)
		o := option{Value: id, Label: id, Chosen: true}
		alias, stop, _ := strings.Cut(id, ":")
		if f := feeds.ByAlias[alias]; f != nil && f.Stop(stop) != nil {
			o.Label, o.More = f.Stop(stop).Label, f.Name
		}
		b.Stops = append(b.Stops, o)
	}
	if b.Q == "" {
		return b, nil
	}
	const most = 20
	found, err := static.SearchStops(ctx, c, static.StopSearch{Q: &b.Q, Limit: most}, feeds)
	if err != nil {
		return nil, err
	}
	b.Sought, b.Missing = true, found.Meta.Missing
	for i := range found.Data {
		s := &found.Data[i]
		if id := s.Feed + ":" + s.StopID; !slices.Contains(p.Stops, id) {
			code := cell(s.StopCode)
			if platform := cell(s.PlatformCode); platform != "" {
				code = b.say.Text("board.at", platform)
			}
			b.Stops = append(b.Stops, option{Value: id, Label: s.Label, More: joinNonempty(" · ", code, s.Feed)})
		}
	}
	return b, nil
}

// choose adds a selection. The address omits the default value usual.
func (b *builder) choose(name, value, usual string, all ...string) {
	s := selection{Name: name, Label: b.say.Text("build." + name)}
	value = cmp.Or(value, usual)
	if !slices.Contains(all, value) {
		all = append(all, value)
	}
	for _, o := range all {
		label := cmp.Or(b.say["build."+name+"."+o], o)
		if name == "size" {
			label += " %"
		}
		s.Options = append(s.Options, option{Value: o, Label: label, Chosen: o == value})
	}
	b.Selects = append(b.Selects, s)
	if value != usual {
		b.query.Set(name, value)
	}
}

func (b *builder) input(name, value, hint, pattern string) {
	b.Texts = append(b.Texts, textField{Name: name, Label: b.say.Text("build." + name), Value: value,
		Hint: b.say.Text(hint), Pattern: pattern})
	if value != "" {
		b.query.Set(name, value)
	}
}

// subject sets the subject of the page: the map of a feed (FEED), or the map or timetable of a line
// (FEED:ROUTE). It returns the path of the embedded page.
func (b *builder) subject(feeds *edition.Feeds, id, show string) (string, error) {
	alias, routeID, line := strings.Cut(id, ":")
	f := feeds.ByAlias[alias]
	if f == nil || f.Edition == nil {
		return "", rest.NotFound("unknown feed")
	}
	b.Of, b.Unlisted = id, true
	b.Title, b.Intro, b.Stops = b.say.Text("build.yours"), b.say.Text("build.yours.intro"), nil
	b.query.Del("stop")
	b.Subject = b.say.Text("map.title", f.Name)
	if !line {
		b.query.Set("feed", alias)
		return "/embed/map", nil
	}
	r := f.Route(routeID)
	if r == nil {
		return "", rest.NotFound("unknown route")
	}
	b.choose("show", show, "map", "map", "timetable")
	b.query.Del("show")
	if show == "timetable" {
		b.Subject = b.say.Text("timetable.title", r.Label)
		b.query.Set("feed_alias", alias)
		b.query.Set("agency_id", r.AgencyID)
		b.query.Set("route_id", r.RouteID)
		return "/embed/timetable", nil
	}
	b.Subject = b.say.Text("map.title", r.Label)
	b.query.Set("feed", alias)
	b.query.Set("route", r.RouteID)
	return "/embed/map", nil
}

func (b *builder) language(in string) {
	b.choose("in", in, "auto", append([]string{"auto"}, site.Languages()...)...)
	if b.query.Has("in") {
		b.query.Set("lang", in)
		b.query.Del("in")
	}
}

// finish adds the fields that both pages have.
func (b *builder) finish(p builderParams) {
	b.choose("lines", strconv.FormatInt(p.Lines, 10), "8", "3", "5", "8", "10", "12", "15")
	b.choose("walk", strconv.FormatInt(p.Walk, 10), "0", "0", "2", "5", "10", "15")
	b.language(p.In)
	b.input("title", strings.TrimSpace(cell(p.Title)), "build.title.hint", "")
}

// address sets the address. The address stays "" until something is chosen.
func (b *builder) address(path string) string {
	if b.query.Has("stop") || b.Subject != "" {
		b.Address = b.root + path + "?" + b.query.Encode()
	}
	return b.Address
}

func (b *builder) names() string {
	var chosen []string
	for _, o := range b.Stops {
		if o.Chosen {
			chosen = append(chosen, o.Label)
		}
	}
	return Speaker{Speaker: site.Speaker{Words: b.say}}.Name(chosen)
}
