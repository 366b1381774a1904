// Package onebusaway serves the OneBusAway REST API, so that riders can use the OneBusAway apps.
//
// Each feed has a base, /oba/FEED, which a rider types into an app; below it are the endpoints of
// https://developer.onebusaway.org, such as /oba/FEED/api/where/stop/{id}.json. Schedules come from
// package edition, departures from package board and live data from package realtimeapi; this
// package gives them the form that the apps read.
//
// A file has the endpoints of one kind. onebusaway.go has the envelope, id.go the ids, and
// references.go the entities that an answer refers to: every id in an answer is resolved there.
package onebusaway

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Base is the path below which each feed has its base.
const Base = "/oba"

// About is a paragraph of the description of the transit API.
const About = `

Each feed is also served to the OneBusAway apps, below ` + Base + `/FEED on this host. That API follows the schema
https://github.com/OneBusAway/sdk-config/blob/main/openapi.yml and has the permissions of the resources that it shows.`

// where begins the path of each endpoint below Base.
const where = "/{feed_alias}/api/where/"

// Permissions of the resources that answers show.
const (
	routesNeeded     = "static.routes"
	stopsNeeded      = "static.stops"
	stopRoutesNeeded = "static.stop_routes"
)

// An API holds what the endpoints share.
type API struct {
	Static  *static.API
	Current *realtimeapi.API
}

// Mount returns the API as a part of the server. check finds the permissions of a request.
func (a *API) Mount(check func(*http.Request, *rest.Spec) (rest.Grant, error)) *rest.Mount {
	return &rest.Mount{Base: Base, Access: check, Table: a.endpoints(),
		Dialect: rest.Dialect{ErrorMedia: "application/json", ErrorBody: a.errorBody}}
}

// endpoints returns the table. An endpoint needs the permissions of the resources that it shows.
func (a *API) endpoints() rest.Table {
	return slices.Concat(
		a.serverEndpoints(),
		a.agencyEndpoints(),
		a.entityEndpoints(),
		a.placeEndpoints(),
		a.lineEndpoints(),
		a.scheduleEndpoints(),
		a.blockEndpoints(),
		a.arrivalEndpoints(),
		a.tripEndpoints(),
	)
}

// An envelope wraps every answer.
type envelope[D any] struct {
	Code        int    `json:"code"`
	CurrentTime int64  `json:"currentTime"`
	Text        string `json:"text"`
	Version     int    `json:"version"`
	Data        D      `json:"data"`
}

// entryData is the data of an answer about one thing.
type entryData[E any] struct {
	Entry      E           `json:"entry"`
	References *References `json:"references"`
}

// listData is the data of a list.
type listData[E any] struct {
	LimitExceeded bool        `json:"limitExceeded"`
	List          []E         `json:"list"`
	OutOfRange    bool        `json:"outOfRange"`
	References    *References `json:"references"`
}

// A list is the result of an endpoint with a list.
type list[E any] struct {
	items      []E
	limited    bool // there are more
	outOfRange bool // the place is outside the feed
}

type failure struct {
	Code        int    `json:"code"`
	CurrentTime int64  `json:"currentTime"`
	Text        string `json:"text"`
	Version     int    `json:"version"`
}

const version = 2

func (a *API) errorBody(e *rest.Error, _ string) any {
	text := e.Detail
	for _, f := range e.Faults {
		text += "; " + f.Path + " " + f.Message
	}
	return failure{e.Status, milliseconds(a.Current.Now()), text, version}
}

func milliseconds(at time.Time) int64 { return at.UnixMilli() }

func wrap[D any](x *answer, data D) envelope[D] {
	return envelope[D]{http.StatusOK, milliseconds(x.now), "OK", version, data}
}

// An answer is what its endpoint knows while it is made: the feed, the time, and the entities that
// it refers to so far.
type answer struct {
	*edition.Feed
	api   *API
	now   time.Time
	call  *rest.Call
	texts *edition.Translations
	used  references
	live  *realtimeapi.DeparturesView // of answers with live data
}

// clockStep bounds the age of currentTime, and of today's date, in a cached answer.
const clockStep = time.Minute

// scheduled is the source of answers from the timetable, which are made again at each step.
func scheduled[P edition.OfFeed](a *API, step time.Duration) rest.Source[P, *edition.Feed] {
	of := edition.OneFeed[P](a.Static.Feeds)
	return rest.Source[P, *edition.Feed]{Now: func(ctx context.Context, c *rest.Call,
		p P) (*edition.Feed, rest.Generation, error) {
		f, gen, err := of.Now(ctx, c, p)
		from := a.Current.Now().Truncate(step)
		return f, rest.Join(gen, rest.Generation{N: from.Unix(), Until: from.Add(step)}), err
	}}
}

func (a *API) newAnswer(ctx context.Context, c *rest.Call, f *edition.Feed) (*answer, error) {
	texts, err := static.TextsOf(ctx, c, f)
	return &answer{Feed: f, api: a, now: a.Current.Now().In(f.Zone), call: c, texts: texts}, err
}

// entryOf makes an endpoint about one thing from the timetable.
func entryOf[P edition.OfFeed, E any](a *API, s rest.Spec,
	find func(context.Context, *answer, P) (E, error)) rest.Endpoint {
	return entryFrom(a, s, scheduled[P](a, clockStep), find)
}

func entryFrom[P edition.OfFeed, E any](a *API, s rest.Spec, source rest.Source[P, *edition.Feed],
	find func(context.Context, *answer, P) (E, error)) rest.Endpoint {
	s.Translated = true
	return rest.FuncFrom(s, source, func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (made envelope[entryData[E]], err error) {
		x, err := a.newAnswer(ctx, c, f)
		if err != nil {
			return made, err
		}
		return entryAnswer(ctx, x, func() (E, error) { return find(ctx, x, p) })
	})
}

// entryAnswer wraps an entry and resolves its ids.
func entryAnswer[E any](
	ctx context.Context, x *answer, find func() (E, error),
) (made envelope[entryData[E]], err error) {
	entry, err := find()
	if err != nil {
		return made, err
	}
	refs, err := x.references(ctx)
	return wrap(x, entryData[E]{entry, refs}), err
}

// listOf makes an endpoint with a list from the timetable.
func listOf[P edition.OfFeed, E any](a *API, s rest.Spec,
	find func(context.Context, *answer, P) (list[E], error)) rest.Endpoint {
	s.Translated = true
	return rest.FuncFrom(s, scheduled[P](a, clockStep), func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (made envelope[listData[E]], err error) {
		x, err := a.newAnswer(ctx, c, f)
		if err != nil {
			return made, err
		}
		return listAnswer(ctx, x, func() (list[E], error) { return find(ctx, x, p) })
	})
}

// listAnswer wraps a list and resolves its ids.
func listAnswer[E any](
	ctx context.Context, x *answer, find func() (list[E], error),
) (made envelope[listData[E]], err error) {
	found, err := find()
	if err != nil {
		return made, err
	}
	if found.items == nil {
		found.items = []E{}
	}
	refs, err := x.references(ctx)
	return wrap(x, listData[E]{found.limited, found.items, found.outOfRange, refs}), err
}
