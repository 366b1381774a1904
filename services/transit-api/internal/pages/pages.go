// Package pages serves the pages for people, at the root of the host. A file has a page or a few
// of one kind; each has a template NAME.html. A page calls the functions of the endpoints that it
// shows, in internal/static and internal/realtimeapi, with their permissions. It runs only
// statements that an endpoint declares. Sentences are in words/.
//
// endpoints.go lists the pages; pages.go and localized.go have their common code.
package pages

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/observed"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Pages has the dependencies of the pages.
type Pages struct {
	Static  *static.API
	Current *realtimeapi.API
	// Observed has what really ran.
	Observed *observed.API
	Root     string                  // scheme and host of the pages
	Screens  map[string]*conf.Screen // screens of transit.yaml, by name
	Frames   site.Policy             // policy for pages that other sites may embed
	Base     conf.BaseMap            // background of maps that can be moved
	// TitleCase writes names that a feed has in capitals in title case.
	TitleCase bool
	Locale    lang.Locale
	Site      conf.Site
	Public    conf.Public
	// AccessLog and VisitDays are for the page about privacy. VisitDays is 0 if no feed is observed.
	AccessLog rest.AccessLog
	VisitDays int
	Apps      string // path of the API for the OneBusAway apps; "" if it is off

	// Seen is a metric: the time of each screen's last request.
	Seen *prometheus.GaugeVec

	site    *site.Site
	printer *eink.Printer
}

//go:embed *.html words assets
var files embed.FS

// Open loads the templates, and the name, colour and logo from transit.yaml.
func (a *Pages) Open() (*rest.Site, error) {
	var err error
	a.site, err = site.New(files, notice.Sentences())
	if err != nil {
		return nil, err
	}
	a.site.SetBrand(a.Site.Name)
	if a.Site.Color != "" {
		err = a.site.SetAccent(a.Site.Color)
	}
	if a.Site.Logo != "" && err == nil {
		err = a.site.SetLogo(a.Site.Logo)
	}
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	a.printer, err = eink.Open()
	if err != nil {
		return nil, err
	}
	a.site.SetErrorHead(func(c *rest.Call) site.Head {
		h := a.head(c)
		h.Docs = ""
		h.Search = c.Path("/stops")
		return h
	})
	return a.site.Serve(withMenu(a.table())), nil
}

// Digest changes with templates, words and assets; it is "" if the pages are off.
func (a *Pages) Digest() string { return a.site.Digest() }

// head fills the head that all pages have. others are alternatives of the same data, such as JSON.
func (a *Pages) head(c *rest.Call, others ...site.Other) site.Head {
	h := a.site.Head(c)
	h.Docs, h.Others = c.URL("/docs"), others
	feed := c.Param("feed_alias")
	if all := a.Static.Feeds.Now(); all != nil {
		if len(all.Sorted) == 1 {
			feed = all.Sorted[0].Alias
		}
		if f := all.ByAlias[feed]; f != nil {
			h.Brand = cmp.Or(a.Site.Name, f.Name)
		}
	}
	for _, to := range menu {
		of := []string{feed}[:strings.Count(to.path, "{")]
		if (feed == "" && len(of) > 0) || to.needs != "" && !c.May(to.needs) {
			continue
		}
		h.Nav = append(h.Nav, site.Link{Text: a.site.Words(h.Lang).Text(to.words), Address: h.To(to.path, of...),
			Here: c.Self() == c.Path(to.path, of...)})
	}
	return h
}

func (a *Pages) render(page string, v site.View, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return a.site.Render(page, v)
}

// keepCurrent makes a live page load again while it is open: by its script or, without script,
// every minute.
func keepCurrent(h *site.Head) { h.Scripts, h.Reload = append(h.Scripts, "renew.js"), 60 }

func (a *Pages) title(h *site.Head, page string, names ...any) {
	words := a.site.Words(h.Lang)
	h.Title, h.About = words.Text(page+".title", names...), words.Text(page+".about", names...)
}

func asJSON(title, address string) site.Other {
	if !strings.Contains(address, "?") {
		address += "?_format=json"
	}
	return site.Other{Type: "application/json", Title: title, Address: address}
}

// onHost removes scheme and host, because pages may only send requests to their own host.
func onHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.RequestURI()
}

func cell(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

type snapshot struct {
	feeds      *edition.Feeds
	feed       *edition.Feed
	departures *realtimeapi.DeparturesView
	vehicles   *realtimeapi.MappedView            // nil if the reader may not see live positions
	alerts     map[string]*realtimeapi.FeedAlerts // keyed by feed
	operator   *realtimeapi.FeedDepartures        // the operator's annotations, without departures
	now        time.Time                          // in the feed's time zone
}

type part func(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error)

// source combines parts. Live pages change with the clock, so they have no time of change.
func source[P any](parts func(p P) []part) rest.Source[P, *snapshot] {
	return rest.Source[P, *snapshot]{Now: func(ctx context.Context, c *rest.Call,
		p P) (*snapshot, rest.Generation, error) {
		s := &snapshot{}
		var gens []rest.Generation
		for _, add := range parts(p) {
			gen, err := add(ctx, c, s)
			if err != nil {
				return nil, rest.Generation{}, err
			}
			gens = append(gens, gen)
		}
		gen := rest.Join(gens...)
		gen.Time = time.Time{}
		return s, gen, nil
	}}
}

func (a *Pages) feedPart(alias string) part {
	return func(_ context.Context, _ *rest.Call, s *snapshot) (gen rest.Generation, err error) {
		s.feed, err = a.Static.Feeds.Served(alias)
		if err != nil {
			return gen, err
		}
		s.now = a.Current.Now().In(s.feed.Zone)
		return s.feed.Generation, nil
	}
}

// departuresPart adds the departures at stops of the form FEED:STOP; FEED: stands for any stop of
// the feed.
func (a *Pages) departuresPart(stops ...string) part {
	return func(ctx context.Context, c *rest.Call, s *snapshot) (gen rest.Generation, err error) {
		s.departures, gen, err = a.Current.DepartureView(ctx, stops, c.May(departuresPermission))
		return gen, err
	}
}

// vehiclesPart adds the vehicles of the feed. Their ages change with each step.
func (a *Pages) vehiclesPart(ctx context.Context, c *rest.Call, s *snapshot) (gen rest.Generation, err error) {
	if !c.May(mapPermission) {
		return gen, nil
	}
	s.vehicles, gen, err = a.Current.MapView(ctx, s.feed.Alias)
	step := s.now.Truncate(realtimeapi.BoardStep)
	return rest.Join(gen, rest.Generation{N: step.Unix(), Until: step.Add(realtimeapi.BoardStep)}), err
}

func (a *Pages) alertsPart(ctx context.Context, _ *rest.Call, s *snapshot) (rest.Generation, error) {
	alerts, gen, err := a.Current.AlertView(ctx, s.feed)
	if s.alerts == nil {
		s.alerts = map[string]*realtimeapi.FeedAlerts{}
	}
	s.alerts[s.feed.Alias] = alerts
	return gen, err
}

func (a *Pages) operatorPart(_ context.Context, _ *rest.Call, s *snapshot) (gen rest.Generation, err error) {
	s.operator, gen, err = a.Current.OperatorView(s.feed)
	return gen, err
}
