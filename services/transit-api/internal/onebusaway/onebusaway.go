// Package onebusaway serves the OneBusAway REST API, so that riders can use the OneBusAway apps.
//
// Each feed has a base, /oba/FEED, which a rider enters in an app; below it are the endpoints of
// https://developer.onebusaway.org, such as /oba/FEED/api/where/stop/{id}.json. Schedules come from
// package edition, departures from package board and live data from package realtimeapi; this
// package converts them to the structure that the apps read.
//
// onebusaway.go has the endpoints and the envelope, id.go the ids, and references.go the entities
// to which an answer refers: every id in an answer is resolved there. Each other file has one kind
// of answer.
package onebusaway

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Base is the path below which each feed has its own base.
const Base = "/oba"

// About is a paragraph of the description of the transit API.
const About = `

Each feed is also served to the OneBusAway apps, below ` + Base + `/FEED on this host. That API follows the schema
https://github.com/OneBusAway/sdk-config/blob/main/openapi.yml and has the permissions of the resources that it shows.`

// An API has the dependencies of the endpoints.
type API struct {
	Static  *static.API
	Current *realtimeapi.API
	// Agencies are the agencies of each feed, keyed by alias, that its sources of departures serve. A
	// feed without an entry has a source for all.
	Agencies map[string][]string
}

// Mount returns the API as a part of the server. check authorizes requests.
func (a *API) Mount(check func(*http.Request, *rest.Spec) (rest.Grant, error)) *rest.Mount {
	return &rest.Mount{Base: Base, Access: check, Table: a.endpoints(),
		Dialect: rest.Dialect{ErrorMedia: "application/json", ErrorBody: a.errorBody}}
}

// Permissions of answers with live data. If a role lacks the first permission, the answers have
// only the timetable; if it lacks the second one, they have no positions of vehicles.
const (
	departuresNeeded = "realtime.departures"
	vehiclesNeeded   = "realtime.map"
)

// Permissions without which answers lack the alerts of the agency, or the operator's annotations.
const (
	alertsNeeded      = "realtime.alerts"
	annotationsNeeded = "display.annotations"
)

// Permissions that several endpoints need.
const (
	feedsNeeded      = "discovery.feeds"
	routesNeeded     = "static.routes"
	stopNeeded       = "static.stop"
	stopsNeeded      = "static.stops"
	stopRoutesNeeded = "static.stop_routes"
	stopTripsNeeded  = "static.stop_trips"
	tripNeeded       = "static.trip"
	callsNeeded      = "static.trip_stop_times"
)

func (a *API) endpoints() rest.Table {
	clock := spec("current-time", feedsNeeded)
	clock.Kind = rest.Realtime
	return rest.Table{
		stepped(a, clock, time.Second, entry(currentTime)),
		planned(a, spec("config", feedsNeeded), entry(config)),
		live(a, spec("metrics", "static.agencies", tripNeeded, departuresNeeded, vehiclesNeeded), entry(metrics)),
		planned(a, spec("agencies-with-coverage", "static.agencies"), list(listCoverage)),

		planned(a, spec("agency/{id}", "static.agency"), entry(one((*answer).findAgency, (*answer).agency))),
		planned(a, spec("route/{id}", "static.route"), entry(one((*answer).findRoute, (*answer).route))),
		planned(a, spec("stop/{id}", stopNeeded, stopRoutesNeeded), entry(oneStop)),
		planned(a, spec("trip/{id}", tripNeeded), entry(one((*answer).findTrip, (*answer).trip))),
		planned(a, spec("shape/{id}", "static.shape"), entry(oneShape)),
		planned(a, spec("block/{id}", tripNeeded, callsNeeded, stopRoutesNeeded), entry(oneBlock)),

		planned(a, spec("routes-for-agency/{id}", routesNeeded), list(ofAgency(agencyRoutes, each((*answer).route)))),
		planned(a, spec("route-ids-for-agency/{id}", routesNeeded),
			list(ofAgency(agencyRoutes, each((*answer).routeID)))),
		planned(a, spec("stops-for-agency/{id}", stopsNeeded, stopRoutesNeeded),
			list(ofAgency(agencyStops, (*answer).stops))),
		planned(a, spec("stop-ids-for-agency/{id}", stopsNeeded, stopRoutesNeeded),
			list(ofAgency(agencyStops, each((*answer).stopID)))),
		planned(a, spec("stops-for-route/{id}", "static.route_stops", "static.route_geojson", stopRoutesNeeded),
			entry(stopsForRoute)),

		live(a, spec("situation/{id}", alertsNeeded, departuresNeeded), entry(oneSituation)),

		planned(a, spec("stops-for-location", stopsNeeded, stopRoutesNeeded), list(listStopsAt)),
		planned(a, spec("routes-for-location", routesNeeded, stopRoutesNeeded), list(listRoutesAt)),
		planned(a, spec("search/stop", "static.stop_search", stopRoutesNeeded), list(searchStops)),
		planned(a, spec("search/route", routesNeeded), list(searchRoutes)),

		planned(a, spec("schedule-for-stop/{id}", "static.stop_stop_times", stopRoutesNeeded), entry(scheduleForStop)),
		planned(a, spec("schedule-for-route/{id}", "static.schedule", stopRoutesNeeded), entry(scheduleForRoute)),

		live(a, spec("arrivals-and-departures-for-stop/{id}", stopNeeded, stopRoutesNeeded, stopTripsNeeded),
			entry(arrivalsForStop)),
		live(a, spec("arrival-and-departure-for-stop/{id}", stopNeeded, stopRoutesNeeded, stopTripsNeeded),
			entry(arrivalForStop)),
		live(a, spec("arrivals-and-departures-for-location", stopNeeded, stopRoutesNeeded, stopTripsNeeded),
			entry(arrivalsForLocation)),

		live(a, spec("trip-details/{id}", tripNeeded, callsNeeded), entry(tripDetails)),
		live(a, spec("trips-for-route/{id}", tripNeeded, callsNeeded), list(tripsForRoute)),
		live(a, spec("trips-for-location", tripNeeded, callsNeeded), list(tripsForLocation)),
		live(a, spec("trip-for-vehicle/{id}", tripNeeded, callsNeeded, departuresNeeded, vehiclesNeeded),
			entry(tripForVehicle)),
		live(a, spec("vehicles-for-agency/{id}", departuresNeeded, vehiclesNeeded), list(vehiclesForAgency)),
	}
}

// spec describes an endpoint. It needs the permissions of the resources in shows.
func spec(path string, shows ...string) rest.Spec {
	return rest.Spec{ID: "oba." + strings.TrimSuffix(path, "/{id}"), Path: "/{feed_alias}/api/where/" + path + ".json",
		Summary: path, Shows: shows, Translated: true}
}

// An outcome is the beginning of every answer. The answer to a failed request is only an outcome.
type outcome struct {
	Code        int    `json:"code"`
	CurrentTime int64  `json:"currentTime"`
	Text        string `json:"text"`
	Version     int    `json:"version"`
}

type envelope[D any] struct {
	outcome
	Data D `json:"data"`
}

type entryData[E any] struct {
	Entry      E           `json:"entry"`
	References *References `json:"references"`
}

type listData[E any] struct {
	LimitExceeded bool        `json:"limitExceeded"`
	List          []E         `json:"list"`
	OutOfRange    bool        `json:"outOfRange"` // the requested place is outside the feed
	References    *References `json:"references"`
}

const version = 2

func (a *API) errorBody(e *rest.Error, _ string) any {
	text := e.Detail
	for _, f := range e.Faults {
		text += "; " + f.Path + " " + f.Message
	}
	return outcome{e.Status, a.Current.Now().UnixMilli(), text, version}
}

// An answer is a response under construction: the feed, the time, and the entities to which it
// refers so far.
type answer struct {
	*edition.Feed
	// main is the first agency of the feed. Stops belong to no agency and get its id, so that the
	// stop ids that apps store stay the same when routes change.
	main  string
	api   *API
	now   time.Time
	call  *rest.Call
	texts *edition.Translations
	used  references
	refs  *References                 // filled when the answer is complete
	live  *realtimeapi.DeparturesView // for answers with live data
}

type finder[P, D any] = func(context.Context, *answer, P) (D, error)

func entry[P, E any](find finder[P, E]) finder[P, entryData[E]] {
	return func(ctx context.Context, x *answer, p P) (entryData[E], error) {
		e, err := find(ctx, x, p)
		return entryData[E]{e, x.refs}, err
	}
}

func list[P, E any](find finder[P, listData[E]]) finder[P, listData[E]] {
	return func(ctx context.Context, x *answer, p P) (listData[E], error) {
		l, err := find(ctx, x, p)
		if l.List == nil {
			l.List = []E{}
		}
		l.References = x.refs
		return l, err
	}
}

type moment struct {
	feed *edition.Feed
	live *realtimeapi.DeparturesView // nil for answers without live data
}

func endpoint[P, D any](
	a *API, s rest.Spec, now func(context.Context, *rest.Call, P) (moment, rest.Generation, error), find finder[P, D],
) rest.Endpoint {
	return rest.From(s, rest.Source[P, moment]{Now: now}, func(ctx context.Context, c *rest.Call, p P,
		m moment) (made envelope[D], err error) {
		x := &answer{Feed: m.feed, main: m.feed.Alias, api: a, now: a.Current.Now().In(m.feed.Zone), call: c,
			used: newReferences(), refs: &References{}, live: m.live}
		if all := agencies(m.feed); len(all) > 0 {
			x.main = all[0].AgencyID
		}
		x.texts, err = static.TextsOf(ctx, c, m.feed)
		if err != nil {
			return made, err
		}
		made.outcome = outcome{http.StatusOK, x.now.UnixMilli(), "OK", version}
		made.Data, err = find(ctx, x, p)
		if err != nil {
			return made, err
		}
		return made, x.resolve(ctx)
	})
}

// planned returns an endpoint that answers from the timetable.
func planned[P edition.OfFeed, D any](a *API, s rest.Spec, find finder[P, D]) rest.Endpoint {
	return stepped(a, s, time.Minute, find)
}

// stepped is planned for answers that contain the time or the date. A cached answer is at most step
// old.
func stepped[P edition.OfFeed, D any](a *API, s rest.Spec, step time.Duration, find finder[P, D]) rest.Endpoint {
	of := edition.OneFeed[P](a.Static.Feeds)
	return endpoint(a, s, func(ctx context.Context, c *rest.Call, p P) (moment, rest.Generation, error) {
		f, gen, err := of.Now(ctx, c, p)
		from := a.Current.Now().Truncate(step)
		return moment{feed: f}, rest.Join(gen, rest.Generation{N: from.Unix(), Until: from.Add(step)}), err
	}, find)
}

type timeParams struct {
	Time *string `query:"time" pattern:"^([0-9]{1,14}|[0-9]{4}-[0-9]{2}-[0-9]{2}([_Tt ][0-9:.,-]{4,16}([Zz]|[ +-][0-9]{2}:?[0-9]{2})?)?)$"`
}

// at returns the requested time; zero means now.
func (p timeParams) at(zone *time.Location) time.Time {
	if p.Time == nil {
		return time.Time{}
	}
	if n, err := strconv.ParseInt(*p.Time, 10, 64); err == nil {
		return time.UnixMilli(n)
	}
	text := []byte(strings.ToUpper(*p.Time))
	if len("2006-01-02") < len(text) && text[len("2006-01-02")] == ' ' {
		text[len("2006-01-02")] = 'T'
	}
	plain := strings.NewReplacer(" ", "+", ",", ".").Replace(string(text)) // a + in an address means a space
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, plain, zone); err == nil {
			return at
		}
	}
	return time.Time{} // an invalid time means now
}

// layouts are the forms of a time besides milliseconds: that of the apps, and ISO 8601, which is
// local without a time zone. Seconds may have a fraction.
var layouts = []string{"2006-01-02_15-04-05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

type timed interface {
	edition.OfFeed
	at(zone *time.Location) time.Time
}

// live returns an endpoint that answers with live data. A request also makes stale sources be
// polled.
func live[P timed, D any](a *API, s rest.Spec, find finder[P, D]) rest.Endpoint {
	s.Kind = rest.Realtime
	for _, p := range []string{departuresNeeded, vehiclesNeeded, alertsNeeded, annotationsNeeded} {
		if !slices.Contains(s.Shows, p) {
			s.MayShow = append(s.MayShow, p)
		}
	}
	of := edition.OneFeed[P](a.Static.Feeds)
	return endpoint(a, s, func(ctx context.Context, c *rest.Call, p P) (m moment, gen rest.Generation, err error) {
		m.feed, gen, err = of.Now(ctx, c, p)
		if err == nil {
			err = m.feed.BoardsUnavailable()
		}
		if err != nil {
			return m, gen, err
		}
		languages := gen.Languages
		m.live, gen, err = a.Current.Moment(ctx, m.feed, p.at(m.feed.Zone), c.May(departuresNeeded),
			c.May(vehiclesNeeded))
		gen.Languages = languages
		return m, gen, err
	}, find)
}

type feedTimeParams struct {
	feedParams
	timeParams
}

// CurrentTime is the time of the server.
type CurrentTime struct {
	ReadableTime string `json:"readableTime"`
	Time         int64  `json:"time"`
}

func currentTime(_ context.Context, x *answer, _ feedParams) (CurrentTime, error) {
	return CurrentTime{x.now.Format(time.RFC3339), x.now.UnixMilli()}, nil
}

// Config describes the feed as a bundle of the OneBusAway server.
type Config struct {
	GitProperties   map[string]string `json:"gitProperties"`
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	ServiceDateFrom string            `json:"serviceDateFrom"`
	ServiceDateTo   string            `json:"serviceDateTo"`
}

func config(_ context.Context, x *answer, _ feedParams) (Config, error) {
	made := Config{ID: x.SHA256, Name: x.Name, GitProperties: map[string]string{"git.build.version": run.Version}}
	if x.FirstDay != nil {
		made.ServiceDateFrom = x.FirstDay.String()
	}
	if x.LastDay != nil {
		made.ServiceDateTo = x.LastDay.String()
	}
	return made, nil
}
