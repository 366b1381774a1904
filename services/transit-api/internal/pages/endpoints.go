package pages

import (
	"net/http"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/observed"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

const (
	displaysPath   = "/about/displays"
	previewPath    = displaysPath + "/preview"
	feedPagePath   = "/f/{feed_alias}"
	alertsPagePath = feedPagePath + "/alerts"
	reportPagePath = feedPagePath + "/report"
	rtReportPath   = feedPagePath + "/rt/report"
	ranPagePath    = feedPagePath + "/performance"
	appPagePath    = feedPagePath + "/app"
	routePagePath  = feedPagePath + "/routes/{agency_id}/{route_id}"
	timetablePath  = routePagePath + "/timetable"
	tripPath       = routePagePath + "/trips/{trip_id}"
	stopPagePath   = feedPagePath + "/stops/{stop_id}"
)

// Permissions that a reader of a page may lack.
const (
	alertsPermission      = "realtime.feed_alerts"
	annotationsPermission = "display.annotations"
	departuresPermission  = "realtime.departures" // without it, departures are those of the timetable
	lineAlertsPermission  = "realtime.alerts"
	mapPermission         = "realtime.map"
	reportPermission      = "static.feed_report"
	reportFilePermission  = "static.feed_report_csv"
	ranPermission         = "realtime.performance"
	rtReportPermission    = "realtime.feed_report"
	shapePermission       = "static.shape_geojson" // for the maps in a report
	routesPermission      = "static.routes"
	searchPermission      = "static.stop_search"
	stopRoutesPermission  = "static.stop_routes"
	stopsPermission       = "static.stops"
	tilePermission        = "static.tile"
	tripPermission        = "static.trip"
)

const (
	unknownFeed  = "unknown feed"
	unknownRoute = "unknown feed, agency or route"
)

func (a *Pages) table() rest.Table {
	return slices.Concat(a.startPages(), a.displayPages(), a.appPages(), a.boardPages(), a.linePages(), a.mapPages(),
		a.notices())
}

func (a *Pages) notices() rest.Table {
	kept := []site.Sentence{{Key: "notice.near"}, {Key: "notice.boards"}, {Key: "notice.keys"}}
	if a.VisitDays > 0 {
		kept = append(kept, site.Sentence{Key: "notice.observed", Fill: []any{a.VisitDays}})
	} else {
		kept = append(kept, site.Sentence{Key: "notice.unobserved"})
	}
	return a.site.Notices(site.Notices{Public: a.Public, AccessLog: a.AccessLog,
		Barriers: []site.Sentence{{Key: "notice.maps"}}, Kept: kept,
		Head: func(c *rest.Call) site.Head { return a.head(c) }})
}

func (a *Pages) startPages() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page", Kind: rest.Realtime,
			Shows:   []string{"discovery.feeds"},
			MayShow: []string{searchPermission, routesPermission, "static.agencies", tilePermission, alertsPermission}},
			source(func(rest.None) []part { return []part{a.homePart} }), a.pageHome),
		rest.From(rest.Spec{ID: "page.feed", Path: feedPagePath, Summary: "Start page of a feed",
			Kind: rest.Realtime, NotFound: unknownFeed, Shows: []string{"discovery.feed"},
			MayShow: []string{searchPermission, routesPermission, "static.agencies", tilePermission, alertsPermission}},
			source(func(p wire.FeedParams) []part { return []part{a.feedPart(p.FeedAlias), a.feedAlertsPart} }), a.pageFeed),
		rest.From(rest.Spec{ID: "page.stops", Path: "/stops", Summary: "Stops by name and place", NotFound: unknownFeed,
			Shows: []string{searchPermission}, MayShow: []string{stopRoutesPermission}},
			edition.AllFeeds[stopsPageParams](a.Static.Feeds), a.pageStops),
		rest.From(rest.Spec{ID: "page.feed_report", Path: reportPagePath, Summary: "What is wrong with a feed",
			Shows: []string{reportPermission}, MayShow: []string{reportFilePermission, shapePermission, rtReportPermission},
			NotFound: unknownFeed},
			edition.OneFeed[wire.FeedParams](a.Static.Feeds), a.pageReport),
		rest.From(rest.Spec{ID: "page.feed_rt_report", Path: rtReportPath,
			Summary: "What is wrong with the realtime sources of a feed", Kind: rest.Realtime,
			Shows: []string{rtReportPermission}, NotFound: unknownFeed}, a.Current.ReportSource(), a.pageRealtimeReport),
		rest.From(rest.Spec{ID: "page.feed_performance", Path: ranPagePath, Summary: "What really ran",
			Kind: rest.Realtime, Shows: []string{ranPermission}, NotFound: "unknown feed, or the feed is not observed"},
			observed.Source[ranParams](a.Observed), a.pageRan),
		rest.From(rest.Spec{ID: "page.feed_performance_csv", Path: ranPagePath + ".csv",
			Summary: "What really ran, as CSV", Kind: rest.Realtime, Shows: []string{ranPermission},
			NotFound: "unknown feed, or the feed is not observed", Media: "text/csv"},
			observed.Source[ranParams](a.Observed), a.ranCSV),
	}
}

func (a *Pages) displayPages() rest.Table {
	all := func(id, path, summary string) rest.Spec {
		return rest.Spec{ID: id, Path: path, Summary: summary, Shows: []string{searchPermission}}
	}
	preview := boardSpec(rest.Spec{ID: "page.display_preview", Path: previewPath,
		Summary: "What the address of a display shows", NotFound: "unknown feed, route or stop", Framed: "board",
		Header: a.mapPolicy("'self'").Header()})
	preview.Shows = append(preview.Shows, "static.route", tilePermission)
	preview.MayShow = append(preview.MayShow, mapPermission, stopsPermission, lineAlertsPermission)
	return rest.Table{
		rest.From(all("page.displays", displaysPath, "Makes the address of departures on a screen or in another site"),
			edition.AllFeeds[displayParams](a.Static.Feeds), a.pageDisplays),
		rest.From(preview, source(a.previewParts), a.pagePreview),
		rest.From(all("page.screens", "/about/screens", "Former address of page.displays"),
			edition.AllFeeds[displayParams](a.Static.Feeds), a.movedDisplays("")),
		rest.From(all("page.embedding", "/about/embedding", "Former address of page.displays"),
			edition.AllFeeds[displayParams](a.Static.Feeds), a.movedDisplays("embed")),
	}
}

func (a *Pages) appPages() rest.Table {
	if a.Apps == "" {
		return nil
	}
	return rest.Table{
		rest.From(rest.Spec{ID: "page.feed_app", Path: appPagePath, Summary: "The address of a feed for the apps",
			Shows: []string{"discovery.feeds"}, NotFound: unknownFeed},
			edition.OneFeed[wire.FeedParams](a.Static.Feeds), a.pageApp),
	}
}

func (a *Pages) boardPages() rest.Table {
	return rest.Table{
		rest.From(boardSpec(rest.Spec{ID: "page.stop", Path: stopPagePath, Summary: "Departures of a stop, for a phone",
			NotFound: "unknown feed or stop"}),
			boardSource(a, func(p stopPageParams) []string { return []string{p.FeedAlias + ":" + p.StopID} }), a.pageStop),
		rest.From(boardSpec(rest.Spec{ID: "page.board", Path: "/board",
			Summary:  "Departures of several stops, for a screen",
			NotFound: "unknown feeds", Unattended: true}),
			boardSource(a, func(p boardPageParams) []string { return p.Stops }), a.pageBoard),
		rest.From(boardSpec(rest.Spec{ID: "page.embed_board", Path: "/embed/board",
			Summary:  "Departures in a page of another site",
			NotFound: "unknown feeds", Framed: "board", Header: a.Frames.Header()}),
			boardSource(a, func(p embedBoardParams) []string { return p.Stops }), a.embedBoard),
		a.site.File("site.worker", "/sw.js", "sw.js"),
		rest.From(boardSpec(rest.Spec{ID: "page.screen", Path: "/screens/{name}",
			Summary: "A board that transit.yaml describes", NotFound: unknownScreen, Unattended: true}),
			source(func(p screenPageParams) []part { return a.screenParts(p.Name) }), a.pageScreen),
		rest.From(boardSpec(rest.Spec{ID: "page.screen_picture", Path: "/screens/{name}.png",
			Summary: "The same as a picture", NotFound: unknownScreen, Unattended: true, Media: "image/png", Picture: true}),
			source(func(p pictureParams) []part { return a.screenParts(p.Name) }), a.pagePicture),
	}
}

func (a *Pages) linePages() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "page.routes", Path: feedPagePath + "/routes", Summary: "Lines of a feed",
			NotFound: unknownFeed,
			Shows:    []string{"static.agencies", routesPermission},
			MayShow:  []string{reportPermission, tilePermission}},
			edition.OneFeed[wire.FeedParams](a.Static.Feeds), a.pageRoutes),
		rest.From(rest.Spec{ID: "page.route", Path: routePagePath, Summary: "A line: stops, alerts, next departures",
			NotFound: unknownRoute, Kind: rest.Realtime,
			Shows:   []string{"static.route", tilePermission, "static.stop_stop_times"},
			MayShow: []string{departuresPermission, lineAlertsPermission, annotationsPermission, tripPermission}},
			source(func(p wire.RouteParams) []part {
				return []part{a.feedPart(p.FeedAlias), a.departuresPart(p.FeedAlias)}
			}), a.pageRoute),
		rest.From(timetableSpec(rest.Spec{ID: "page.timetable", Path: timetablePath, Summary: "Timetable of a route"}),
			source(func(p timetableParams) []part {
				return []part{a.feedPart(p.FeedAlias), a.todayPart(p.timetableChoice)}
			}), a.pageTimetable),
		rest.From(timetableSpec(rest.Spec{ID: "page.embed_timetable", Path: "/embed/timetable",
			Summary: "Timetable of a route in a page of another site", Framed: "timetable", Header: a.Frames.Header()}),
			source(func(p embedTimetableParams) []part {
				return []part{a.feedPart(p.FeedAlias), a.todayPart(p.timetableChoice)}
			}), a.embedTimetable),
		rest.From(rest.Spec{ID: "page.trip", Path: tripPath, Summary: "A trip: stops, times, where the vehicle is",
			NotFound: "unknown feed, agency, route or trip", Kind: rest.Realtime,
			Shows:   []string{"static.route", tripPermission, "static.trip_stop_times"},
			MayShow: []string{departuresPermission, lineAlertsPermission, annotationsPermission, mapPermission}},
			source(func(p tripPageParams) []part {
				return []part{a.feedPart(p.FeedAlias), a.departuresPart(p.FeedAlias), a.vehiclesPart}
			}), a.pageTrip),
		rest.From(rest.Spec{ID: "page.alerts", Path: alertsPagePath, Summary: "Alerts of a feed", NotFound: unknownFeed,
			Kind: rest.Realtime, Shows: []string{alertsPermission}},
			source(func(p wire.FeedParams) []part { return []part{a.feedPart(p.FeedAlias), a.alertsPart} }), a.pageAlerts),
	}
}

func (a *Pages) mapPages() rest.Table {
	policy, framed := a.mapPolicy(), a.mapPolicy(a.Frames.Frames...)
	picture := http.Header{"Content-Security-Policy": {"default-src 'none'"}}
	return rest.Table{
		rest.From(rest.Spec{ID: "page.route_map", Path: routePagePath + "/map",
			Summary:  "Where the vehicles of a line are",
			NotFound: unknownRoute, Kind: rest.Realtime, Shows: []string{"static.route", tilePermission},
			MayShow: []string{mapPermission}, Header: policy.Header()},
			source(func(p wire.RouteParams) []part { return a.mapParts(p.FeedAlias) }), a.pageRouteMap),
		rest.From(rest.Spec{ID: "page.feed_map", Path: feedPagePath + "/map", Summary: "Where the vehicles of a feed are",
			NotFound: unknownFeed, Kind: rest.Realtime, Shows: []string{tilePermission},
			MayShow: []string{mapPermission, stopsPermission}, Header: policy.Header()},
			source(func(p feedMapParams) []part { return a.mapParts(p.FeedAlias) }), a.pageFeedMap),
		rest.From(rest.Spec{ID: "page.embed_map", Path: "/embed/map",
			Summary:  "Where vehicles are in a page of another site",
			NotFound: "unknown feed or route", Kind: rest.Realtime, Framed: "map",
			Shows:   []string{"static.route", tilePermission},
			MayShow: []string{mapPermission, stopsPermission}, Header: framed.Header()},
			source(func(p embedMapParams) []part { return a.mapParts(p.Feed) }), a.embedMap),
		rest.From(rest.Spec{ID: "page.feed_picture", Path: feedPagePath + "/map.svg",
			Summary:  "The lines of a feed as a picture",
			NotFound: unknownFeed, Shows: []string{tilePermission}, Header: picture, Media: "image/svg+xml"},
			edition.OneFeed[wire.FeedParams](a.Static.Feeds), a.feedPicture),
	}
}

// mapPolicy lets a page load the base map, and sites frame it.
func (a *Pages) mapPolicy(frames ...string) site.Policy {
	return site.Policy{Frames: frames, Connect: a.Base.Origins(), Images: append([]string{"blob:"}, a.Base.Origins()...)}
}

func boardSpec(s rest.Spec) rest.Spec {
	s.Kind = rest.Realtime
	s.Shows = []string{"static.stop", "static.stop_stop_times"}
	s.MayShow = []string{departuresPermission, annotationsPermission, stopRoutesPermission, tripPermission}
	return s
}

func timetableSpec(s rest.Spec) rest.Spec {
	s.Shows = []string{"static.route", "static.route_directions", "static.route_stops", "static.schedule", "static.trips",
		"static.services"}
	s.MayShow = []string{departuresPermission, lineAlertsPermission, annotationsPermission}
	s.Kind = rest.Realtime
	s.NotFound = "unknown feed, agency, route or service"
	return s
}

// menu lists the main pages of the feed to which a page belongs, or of the only feed.
var menu = []struct{ words, path, needs string }{
	{"menu.home", "/", ""},
	{"menu.lines", feedPagePath + "/routes", routesPermission},
	{"menu.map", feedPagePath + "/map", tilePermission},
	{"menu.alerts", alertsPagePath, alertsPermission},
}

// withMenu lets pages check the permissions of the menu's pages.
func withMenu(pages rest.Table) rest.Table {
	for i := range pages {
		p := &pages[i]
		for _, to := range menu {
			shown := slices.Contains(p.Shows, to.needs) || slices.Contains(p.MayShow, to.needs)
			if to.needs != "" && strings.HasPrefix(p.ID, "page.") && !shown {
				p.MayShow = append(p.MayShow, to.needs)
			}
		}
	}
	return pages
}
