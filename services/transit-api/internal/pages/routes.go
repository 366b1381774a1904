package pages

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// A Badge is the colour of a line: six hexadecimal digits, "" for none, and whether text on it is light.
type Badge struct {
	Color string
	Light bool
}

// newBadge is the badge of a route's colours. The text is light or dark, whichever can be read better; the feed's own choice counts
// if it can be read.
func newBadge(color, text *string) Badge {
	ground, ok := colorOf(color)
	if !ok {
		return Badge{}
	}
	light, dark := 1.05/(ground.Luminance()+.05), (ground.Luminance()+.05)/.05
	b := Badge{Color: *color, Light: light >= dark}
	const readable = 4.5 // WCAG 2.2, 1.4.3
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

// colorOf reads the colour of a route, which is six hexadecimal digits.
func colorOf(text *string) (site.Color, bool) {
	if len(cell(text)) != 6 {
		return site.Color{}, false
	}
	return site.ReadColor(*text)
}

// compareLines orders names of lines as people count: 2 before 10, and numbers before names.
func compareLines(x, y string) int {
	n, restX := number(x)
	m, restY := number(y)
	return cmp.Or(cmp.Compare(n, m), cmp.Compare(restX, restY))
}

func sortLines(lines []RouteLine) {
	slices.SortStableFunc(lines, func(x, y RouteLine) int { return compareLines(x.Line, y.Line) })
}

// number is the number that a name begins with, a large one if it begins with none, and the rest of it.
func number(name string) (n int, rest string) {
	end := 0
	for end < len(name) && end < 9 && name[end] >= '0' && name[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(name[:end])
	if err != nil {
		return 1 << 40, name
	}
	return n, name[end:]
}

// A routesPage is the lines of a feed.
type routesPage struct {
	site.Head
	Feed     string
	Agencies []routesAgency
	Drawn    bool   // lines have maps
	Cut      bool   // there are more than a page may have
	Report   string // address of the import's report; "" for readers who may not see it
}

// A routesAgency is the lines of an agency.
type routesAgency struct {
	static.Agency
	JSON  string
	Lines []RouteLine
}

// maxListedRoutes is how many lines one page lists.
const maxListedRoutes = 2000

func (a *Pages) pageRoutes(ctx context.Context, c *rest.Call, _ static.FeedParams, f *edition.Feed) ([]byte, error) {
	v := &routesPage{Head: a.head(c, asJSON("JSON", c.URL(static.FeedPath+"/agencies", f.Alias))), Feed: f.Alias,
		Drawn: c.May("static.route_drawing")}
	a.title(&v.Head, "routes", f.Name)
	v.Styles = []string{"timetable.css"}
	in, err := a.in(ctx, &v.Head, f)
	if err != nil {
		return nil, err
	}
	agencies, err := static.AgencyRows.Read(ctx, c, f, edition.Span{Count: min(f.Counts["agency"], maxListedRoutes)})
	if err != nil {
		return nil, err
	}
	if c.May(reportPermission) {
		v.Report = v.To(reportPagePath, f.Alias)
	}
	routes := map[string][]*edition.Route{}
	for _, r := range f.Routes() {
		routes[r.AgencyID] = append(routes[r.AgencyID], r)
	}
	listed := 0
	for _, agency := range agencies {
		listed += len(routes[agency.AgencyID])
		v.Cut = listed > maxListedRoutes
		if v.Cut {
			break
		}
		agency.Translate(in.texts)
		v.Agencies = append(v.Agencies, routesAgency{Agency: agency, Lines: in.lines(routes[agency.AgencyID]),
			JSON: c.URL(static.AgencyPath+"/routes", f.Alias, agency.AgencyID) + "?_format=json"})
	}
	return a.site.Render("routes.html", v)
}
