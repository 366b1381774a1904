package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

type localized struct {
	*Pages
	head  *site.Head
	feed  *edition.Feed
	texts *edition.Translations
	say   Speaker
}

func (a *Pages) in(ctx context.Context, h *site.Head, f *edition.Feed) (localized, error) {
	texts, err := f.Translations(ctx, h.Lang)
	l := a.untranslated(h, f)
	l.texts = texts.Forming(a.form())
	return l, err
}

// untranslated has the names of a feed in its own language.
func (a *Pages) untranslated(h *site.Head, f *edition.Feed) localized {
	var own *edition.Translations
	return localized{Pages: a, head: h, feed: f, texts: own.Forming(a.form()), say: a.speaker(h.Lang)}
}

// form returns how pages write names of feeds; nil means as they are.
func (a *Pages) form() func(string) string {
	if a.TitleCase {
		return titleCase
	}
	return nil
}

// writing returns how pages in a language write names of feeds.
func (a *Pages) writing(lang string) realtimeapi.Writing {
	return realtimeapi.Writing{Language: lang, Form: a.form()}
}

func (a *Pages) speaker(lang string) Speaker { return Speaker{a.site.Speaker(lang, a.Locale)} }

// A RouteLine is a route as a badge that links to its page.
type RouteLine struct {
	ID, Label, Line, Name, Address string
	Agency                         string // agency_id
	Feed                           string // name of its feed, among lines of several feeds
	Badge
}

// line converts a route. If the short name is missing, its label is the name.
func (l localized) line(r *edition.Route) RouteLine {
	own := l.names(r)
	line := RouteLine{ID: r.RouteID, Agency: r.AgencyID, Label: own.Label, Line: own.Label,
		Badge:   newBadge(r.RouteColor, r.RouteTextColor),
		Address: l.head.To(routePagePath, l.feed.Alias, r.AgencyID, r.RouteID)}
	if own.RouteShortName != nil {
		line.Line, line.Name = *own.RouteShortName, cell(own.RouteLongName)
	}
	return line
}

// names returns a route in the reader's language.
func (l localized) names(r *edition.Route) *edition.Route {
	own := *r
	l.texts.Translate(&own)
	return &own
}

func (l localized) lines(routes []*edition.Route) (all []RouteLine) {
	for _, r := range routes {
		all = append(all, l.line(r))
	}
	sortLines(all)
	return all
}

// A Stop is a stop with the address of its board. The other facts are only on the pages that show them.
type Stop struct {
	ID, Name, Code, Platform, Address string

	Lines     []RouteLine // lines that call there
	MoreLines int         // number of lines that are not in Lines
	Towards   string      // where they go, in words
	Feed      string      // name of its feed, among stops of several feeds
	Distance  string      // from the reader, in words
	At        orb.Point   // longitude and latitude
}

// More returns what distinguishes a stop from other stops with the same name.
func (s Stop) More() string { return joinNonempty(" · ", s.Code, s.Feed, s.Distance) }

func (l localized) stop(id string) Stop {
	stop := Stop{ID: id, Name: id, Address: l.head.To(stopPagePath, l.feed.Alias, id)}
	s := l.feed.Stop(id)
	if s == nil {
		return stop
	}
	stop.Name = l.row(s).Label
	if code := cell(s.StopCode); !strings.Contains(s.Label, code) { // some agencies write the code into the name
		stop.Code = code
	}
	if platform := cell(s.PlatformCode); platform != "" {
		stop.Platform = l.say.Text("board.at", platform)
	}
	return stop
}

func (l localized) row(s *edition.Stop) *edition.Stop {
	own := *s
	l.texts.Translate(&own)
	return &own
}

// towards returns where a trip goes, without the line's name; "" if unknown.
func (l localized) towards(t *edition.Trip) string {
	return withoutLine(cell(l.feed.Sign(t).In(l.texts)), t.Route.RouteShortName)
}

// withoutLine removes the line's name from the start of a headsign. Some feeds repeat it there, but
// pages show it as a badge.
func withoutLine(headsign string, line *string) string {
	name := cell(line) + " "
	if line == nil || len(headsign) < len(name) || !strings.EqualFold(headsign[:len(name)], name) {
		return headsign
	}
	return cmp.Or(strings.TrimLeft(headsign[len(name):], " -–:"), headsign)
}

// calling returns the lines that call at a stop and their destinations in words. They distinguish
// stops with the same name.
func (l localized) calling(
	ctx context.Context, c *rest.Call, s *edition.Stop,
) (lines []RouteLine, towards string, err error) {
	if !c.May(stopRoutesPermission) {
		return nil, "", nil
	}
	routes, err := l.feed.RoutesAt(ctx, []string{s.StopID})
	if err != nil {
		return nil, "", err
	}
	trips, err := l.feed.TripsByHeadsign(ctx, s.StopID)
	const most = 3
	var names []string
	here := l.row(s).StopName
	for _, t := range trips {
		to := l.towards(t)
		if to != "" && to != here && !slices.Contains(names, to) && len(names) < most {
			names = append(names, to)
		}
	}
	if names != nil {
		towards = l.say.Text("stop.towards", strings.Join(names, ", "))
	}
	return l.lines(routes), towards, err
}
