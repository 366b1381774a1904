package pages

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"rsc.io/qr"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// displayParams are a reader's choices for departures on a screen or in another site, or for the
// map or timetable of a feed or line in another site.
type displayParams struct {
	Q     *string  `query:"q" maxlen:"100"`
	Stops []string `query:"stop" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
	Of    *string  `query:"of" maxlen:"365" pattern:"^[A-Za-z0-9_-]{1,64}(:.+)?$"` // feed or line
	Show  string   `query:"show" enum:"map,timetable" default:"map"`
	As    string   `query:"as" enum:"lcd,eink,phone,embed" default:"lcd"`
	Title *string  `query:"title" maxlen:"80"`
	Lines *int64   `query:"lines" min:"1" max:"30"`
	Walk  int64    `query:"walk" min:"0" max:"60" default:"0"`
	In    string   `query:"in" enum:"auto,en,es,fr" default:"auto"`
	Own   *string  `query:"own" enum:"yes"` // use the three colours
	// Variant is As of a screen, at the addresses that this page had before.
	Variant string `query:"variant" enum:"lcd,eink,phone" default:"lcd"`
	site.ThemeParams
}

// movedDisplays redirects an address that this page had before. as is where its boards are shown;
// "" stands for a screen.
func (a *Pages) movedDisplays(as string) func(context.Context, *rest.Call, displayParams,
	*edition.Feeds) ([]byte, error) {
	return func(_ context.Context, c *rest.Call, p displayParams, _ *edition.Feeds) ([]byte, error) {
		_, query, _ := strings.Cut(c.SelfQuery(), "?")
		q, err := url.ParseQuery(query)
		if err != nil {
			return nil, rest.BadRequest()
		}
		q.Del("variant")
		q.Set("as", cmp.Or(as, p.Variant))
		if cell(p.Accent)+cell(p.Background)+cell(p.Text) != "" {
			q.Set("own", "yes")
		}
		h := a.head(c)
		to := h.ToQuery(q, displaysPath)
		return nil, moved(http.StatusPermanentRedirect, to)
	}
}

// moved redirects readers to the page that does the job of the requested one.
func moved(status int, to string) error {
	return &rest.Error{Status: status, Detail: "this page has moved to " + to,
		Header: http.Header{"Location": {to}}}
}

// A displayPage makes the address of a board, map or timetable from the reader's choices, and shows
// it.
type displayPage struct {
	site.Head
	P       displayParams
	Action  string
	Sought  bool
	Subject string   // title of the map or timetable; "" for a board
	Stops   []Choice // chosen stops, then the results of the search
	Missing []string // feeds that are unavailable
	Selects []selection
	Address string       // "" until a stop is chosen
	Code    template.URL // the address as a QR code
	Preview string       // address of the preview
	Link    string       // code for another site; "" for a screen
	Iframe  string
	Who     string // which sites may show it

	say   lang.Words
	query url.Values
}

type selection struct {
	Name    string
	Options []Choice
}

func (a *Pages) pageDisplays(ctx context.Context, c *rest.Call, p displayParams, feeds *edition.Feeds) ([]byte, error) {
	v := &displayPage{Head: a.head(c), P: p, Action: c.Path(displaysPath), query: url.Values{}}
	v.say = a.site.Words(v.Lang)
	v.Title = v.say.Text("build.title")
	v.Styles, v.Scripts = []string{"build.css"}, []string{"copy.js"}
	v.Unlisted = len(p.Stops) > 0 || p.Of != nil || cell(p.Q) != ""
	path, err := v.choose(ctx, a, feeds)
	if err == nil && p.Of == nil {
		err = v.fillStops(ctx, c, a, feeds)
	}
	if err != nil {
		return nil, err
	}
	if v.query.Has("stop") || v.Subject != "" {
		v.Address = a.Root + path + "?" + v.query.Encode()
		v.Preview = c.Path(previewPath) + strings.TrimPrefix(c.SelfQuery(), c.Self())
		if p.In != "auto" {
			v.Preview += "&lang=" + p.In
		}
		v.Code, err = qrCode(v.Address)
	}
	if v.P.As == "embed" {
		v.embed(a.Root, a.Frames.Frames)
	}
	if err != nil {
		return nil, err
	}
	return a.site.Render("build.html", v)
}

// choose adds the choices and their parameters of the address, whose path it returns.
func (v *displayPage) choose(ctx context.Context, a *Pages, feeds *edition.Feeds) (path string, err error) {
	path = "/board"
	if v.P.Of != nil {
		path, err = v.subject(ctx, a, feeds)
		if err != nil {
			return "", err
		}
		v.P.As = "embed"
	} else {
		lines := ""
		if v.P.Lines != nil {
			lines = strconv.FormatInt(*v.P.Lines, 10)
		}
		v.add("as", "variant", v.P.As, "lcd", "eink", "phone", "embed")
		v.add("lines", "lines", lines, "", "3", "5", "8", "10", "12", "15")
		v.add("walk", "walk", strconv.FormatInt(v.P.Walk, 10), "0", "2", "5", "10", "15")
		if title := strings.TrimSpace(cell(v.P.Title)); title != "" {
			v.query.Set("title", title)
		}
	}
	v.add("in", "lang", v.P.In, append([]string{"auto"}, site.Languages()...)...)
	v.add("theme", "theme", cmp.Or(cell(v.P.Theme), "auto"), "auto", "light", "dark")
	size := ""
	if v.P.As == "embed" {
		size = "size"
		if v.P.Of == nil {
			path = "/embed/board"
			v.query.Del("variant")
		}
		for name, value := range map[string]string{"accent": v.Color("accent"), "background": v.Color("background"),
			"text": v.Color("text")} {
			if v.P.Own != nil && value != ownColors[name] {
				v.query.Set(name, strings.TrimPrefix(value, "#"))
			}
		}
	}
	v.add("size", size, strconv.FormatInt(v.P.Size, 10), "100", "75", "125", "150", "200")
	return path, nil
}

// add adds a choice. The address has its value as the parameter named param, unless that is "" or
// the value is the usual one, which is the first.
func (v *displayPage) add(name, param, value string, all ...string) {
	if param != "" && value != all[0] {
		v.query.Set(param, value)
	}
	if !slices.Contains(all, value) {
		all = append(all, value)
	}
	s := selection{Name: name}
	for _, o := range all {
		label := cmp.Or(v.say["build."+name+"."+cmp.Or(o, "usual")], o)
		if name == "in" && o != "auto" {
			label = site.LanguageName(o)
		}
		if name == "size" {
			label += " %"
		}
		s.Options = append(s.Options, Choice{Value: o, Label: label, Chosen: o == value})
	}
	v.Selects = append(v.Selects, s)
}

// ownColors are the colours of the pages. An address omits them.
var ownColors = map[string]string{"accent": "#0b57a4", "background": "#ffffff", "text": "#14181c"}

// Color returns a colour for its field.
func (v *displayPage) Color(name string) string {
	value := cell(map[string]*string{"accent": v.P.Accent, "background": v.P.Background, "text": v.P.Text}[name])
	if value == "" {
		return ownColors[name]
	}
	return "#" + strings.TrimPrefix(value, "#")
}

// theme returns the colours that the reader wants.
func (p *displayParams) theme() site.ThemeParams {
	t := p.ThemeParams
	for name, value := range map[string]**string{"accent": &t.Accent, "background": &t.Background, "text": &t.Text} {
		if p.Own == nil || "#"+strings.TrimPrefix(cell(*value), "#") == ownColors[name] {
			*value = nil
		}
	}
	return t
}

// fillStops adds the chosen stops and those that the reader seeks.
func (v *displayPage) fillStops(ctx context.Context, c *rest.Call, a *Pages, feeds *edition.Feeds) error {
	for _, id := range v.P.Stops {
		v.query.Add("stop", id)
		o := Choice{Value: id, Label: id}
		alias, stop, _ := strings.Cut(id, ":")
		if f := feeds.ByAlias[alias]; f != nil && f.Stop(stop) != nil {
			var err error
			if o, err = v.stop(ctx, a, f, stop); err != nil {
				return err
			}
		}
		o.Chosen = true
		v.Stops = append(v.Stops, o)
	}
	q := strings.TrimSpace(cell(v.P.Q))
	if q == "" {
		return nil
	}
	const most = 20
	found, err := static.SearchStops(ctx, c, static.StopSearch{Q: &q, Limit: most}, feeds)
	if err != nil {
		return err
	}
	v.Sought, v.Missing = true, found.Meta.Missing
	for i := range found.Data {
		s := &found.Data[i]
		if slices.Contains(v.P.Stops, s.Feed+":"+s.StopID) {
			continue
		}
		o, err := v.stop(ctx, a, feeds.ByAlias[s.Feed], s.StopID)
		if err != nil {
			return err
		}
		v.Stops = append(v.Stops, o)
	}
	return nil
}

// stop returns a stop of a feed as a choice.
func (v *displayPage) stop(ctx context.Context, a *Pages, f *edition.Feed, id string) (Choice, error) {
	in, err := a.in(ctx, &v.Head, f)
	if err != nil {
		return Choice{}, err
	}
	s := in.stop(id)
	return Choice{Value: f.Alias + ":" + id, Label: s.Name,
		More: joinNonempty(" · ", cmp.Or(s.Platform, s.Code), f.Name)}, nil
}

// subject sets the subject of the page: the map of a feed (FEED), or the map or timetable of a line
// (FEED:ROUTE). It returns the path of the embedded page.
func (v *displayPage) subject(ctx context.Context, a *Pages, feeds *edition.Feeds) (string, error) {
	alias, routeID, line := strings.Cut(*v.P.Of, ":")
	f := feeds.ByAlias[alias]
	if f == nil || f.Edition == nil {
		return "", rest.NotFound("unknown feed")
	}
	v.Title, v.Subject = v.say.Text("build.yours"), v.say.Text("map.title", f.Name)
	if !line {
		v.query.Set("feed", alias)
		return "/embed/map", nil
	}
	r := f.Route(routeID)
	if r == nil {
		return "", rest.NotFound("unknown route")
	}
	in, err := a.in(ctx, &v.Head, f)
	if err != nil {
		return "", err
	}
	name := in.names(r).Label
	v.add("show", "", v.P.Show, "map", "timetable")
	if v.P.Show == "timetable" {
		v.Subject = v.say.Text("timetable.title", name)
		v.query.Set("feed_alias", alias)
		v.query.Set("agency_id", r.AgencyID)
		v.query.Set("route_id", r.RouteID)
		return "/embed/timetable", nil
	}
	v.Subject = v.say.Text("map.title", name)
	v.query.Set("feed", alias)
	v.query.Set("route", r.RouteID)
	return "/embed/map", nil
}

// embed adds the two ways to show an address in another site, and which sites may.
func (v *displayPage) embed(root string, who []string) {
	switch {
	case len(who) == 0:
		v.Who = v.say.Text("build.nobody")
	case slices.Contains(who, "*"):
		v.Who = v.say.Text("build.everybody")
	default:
		v.Who = v.say.Text("build.some", strings.Join(who, ", "))
	}
	if v.Address == "" {
		return
	}
	title := cmp.Or(v.Subject, strings.TrimSpace(cell(v.P.Title)))
	if title == "" {
		title = v.say.Text("board.title", v.names())
	}
	to, name := html.EscapeString(v.Address), html.EscapeString(title)
	v.Link = `<a data-townline href="` + to + `">` + name + "</a>\n" + `<script src="` +
		html.EscapeString(root+"/embed.js") + `" async></script>`
	v.Iframe = `<iframe src="` + to + `" title="` + name +
		`" loading="lazy" style="border: 0; width: 100%; height: 30rem"></iframe>`
}

func (v *displayPage) names() string {
	var chosen []string
	for _, o := range v.Stops {
		if o.Chosen {
			chosen = append(chosen, o.Label)
		}
	}
	return Speaker{Speaker: site.Speaker{Words: v.say}}.Name(chosen)
}

// previewParts are the parts of the data of a preview.
func (a *Pages) previewParts(p displayParams) []part {
	alias, _, _ := strings.Cut(cell(p.Of), ":")
	switch {
	case p.Of == nil:
		return []part{a.departuresPart(p.Stops...)}
	case p.Show == "timetable":
		return []part{a.feedPart(alias), a.todayPart(timetableChoice{})}
	}
	return a.mapParts(alias)
}

// pagePreview shows a board, map or timetable as the reader's choices make it, in a frame of
// [Pages.pageDisplays] only.
func (a *Pages) pagePreview(ctx context.Context, c *rest.Call, p displayParams, s *snapshot) ([]byte, error) {
	framed := site.FrameParams{ThemeParams: p.theme()}
	if p.Of == nil {
		return a.previewBoard(ctx, c, p, framed, s)
	}
	alias, routeID, line := strings.Cut(*p.Of, ":")
	if !line {
		return a.embedMap(ctx, c, embedMapParams{Feed: alias, FrameParams: framed}, s)
	}
	if p.Show != "timetable" {
		return a.embedMap(ctx, c, embedMapParams{Feed: alias, Route: &routeID, FrameParams: framed}, s)
	}
	r := s.feed.Route(routeID)
	if r == nil {
		return nil, rest.NotFound("unknown route")
	}
	return a.embedTimetable(ctx, c, embedTimetableParams{FeedAlias: alias, AgencyID: r.AgencyID, RouteID: r.RouteID,
		FrameParams: framed}, s)
}

func (a *Pages) previewBoard(ctx context.Context, c *rest.Call, p displayParams, framed site.FrameParams,
	s *snapshot) ([]byte, error) {
	if len(p.Stops) == 0 {
		return nil, rest.NotFound("no stop is chosen")
	}
	of := boardParams{Stops: p.Stops, Minutes: 180, Walk: p.Walk}
	variant, lines := p.As, int64(8)
	if p.As == "embed" {
		variant = "phone"
	} else {
		lines = int64(linesShown[p.As])
	}
	if p.Lines != nil {
		lines = *p.Lines
	}
	q := of.query(variant, int(lines), p.Title)
	if p.As == "embed" {
		q.Embed = &framed
	} else if theme := cell(p.Theme); theme != "auto" {
		q.Theme = theme
	}
	v, err := a.newPageBoard(ctx, c, s, q)
	if err == nil {
		v.Refresh, v.Scripts = "", nil
	}
	return a.renderBoard(v, err)
}

// qrCode returns an address as a picture.
func qrCode(address string) (template.URL, error) {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", address, err)
	}
	png := base64.StdEncoding.EncodeToString(code.PNG())
	return template.URL("data:image/png;base64," + png), nil //nolint:gosec // made here
}
