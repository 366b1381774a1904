package realtimeapi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Departures is a departure board of several stops with their alerts.
type Departures struct {
	Time       int64                     `json:"time" doc:"Unix time for which the board was made; it is made anew every ten seconds."`
	Departures []board.Departure         `json:"departures" doc:"Soonest first, of all stops together."`
	Stops      []board.DepartureStop     `json:"stops" doc:"The stops as they were asked for."`
	Feeds      []DepartureFeed           `json:"feeds" doc:"The feeds of the stops."`
	Alerts     []realtime.DepartureAlert `json:"alerts" doc:"Alerts and annotations that hold now, or close a departure of the board, and are about the stops, their station, or routes, trips and agencies that call there; the severest first."`
}

// A DepartureFeed is the state of one feed on the board.
type DepartureFeed struct {
	Feed          string             `json:"feed" doc:"Alias of the feed."`
	Name          string             `json:"name" doc:"Name given at import; the alias where the feed has no timetable."`
	TimeZone      string             `json:"time_zone" doc:"What dates and times of the feed are local to."`
	Realtime      live.RealtimeState `json:"realtime" doc:"none: no source of trip updates is configured; never: none was polled with success yet; silent: the last news is more than three minutes old, or the feed's own timestamp ten, and the departures are those of the timetable; live."`
	LastFetched   int64              `json:"last_fetched" doc:"Unix time of the last successful poll of trip updates; 0: never."`
	FeedTimestamp int64              `json:"feed_timestamp" doc:"Unix time at which the feed says it made its trip updates; 0 when it does not say."`
}

const (
	// MaxDepartures is the maximum number of departures in an answer.
	MaxDepartures = 1000
	nextDays      = 14 // how many days ahead the next departure is searched
)

// DepartureParams select departures.
type DepartureParams struct {
	StopIDs     []string `query:"stop_id" required:"true" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:." example:"alderbay:FT" doc:"A stop as FEED:STOP, the feed's alias and a stop_id or stop_code; repeat it for several stops. A station stands for its platforms."`
	RouteIDs    []string `query:"route_id" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:." doc:"Only trips of this route, as FEED:ROUTE; repeat it for several routes."`
	DirectionID *string  `query:"direction_id" enum:"0,1" doc:"Only trips in this direction; those of which it is not known stay."`
	Arrivals    bool     `query:"arrivals" default:"false" doc:"Also calls where nobody can board: the last of a trip, and those with pickup_type 1."`
	Minutes     int64    `query:"minutes" min:"1" max:"1440" default:"120" doc:"How far to look ahead."`
	Limit       int64    `query:"limit" rows:"true" min:"1" clamp:"1000" default:"100" doc:"How many departures; more than 1000 is taken as 1000."`
}

func (a *API) departureEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.departures", Path: "/rt/departures", Summary: "Departure board of several " +
			"stops",
			Doc: "Trip updates and timetable of up to 20 stops in one list, soonest first, with trips that are cancelled and " +
				"calls that are skipped at the time at which they would " +
				"have been. What a realtime feed said that has been silent for more than three minutes is left out. Of more " +
				"departures than limit the soonest are there, " +
				"and meta.truncated says so; a feed that cannot be answered now is named in meta.missing. An override annotation " +
				"on a stop that is active now leads to the stop that it names.",
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: "unknown feeds"}, streamed(a, a.findDepartures),
			a.listDepartures),
	}
}

func (a *API) findDepartures(ctx context.Context, _ *rest.Call,
	p DepartureParams) (*DeparturesView, rest.Generation, error) {
	return a.DepartureView(ctx, p.StopIDs, true)
}

func (p *DepartureParams) query() *board.Query {
	q := &board.Query{Direction: p.DirectionID, Arrivals: p.Arrivals}
	for _, id := range parseFeedIDs(p.RouteIDs) {
		if q.Routes == nil {
			q.Routes = map[string]map[string]bool{}
		}
		if q.Routes[id.alias] == nil {
			q.Routes[id.alias] = map[string]bool{}
		}
		q.Routes[id.alias][id.id] = true
	}
	return q
}

func (a *API) listDepartures(ctx context.Context, c *rest.Call, p DepartureParams,
	v *DeparturesView) (wire.Envelope[Departures], error) {
	e, err := a.Departures(ctx, c, v, p)
	if err == nil {
		v.Translate(ctx, Writing{Language: c.Translated()}, e.Data.Departures, e.Data.Stops)
	}
	return e, err
}

// Departures returns the board of the requested stops.
func (a *API) Departures(
	ctx context.Context, c *rest.Call, v *DeparturesView, p DepartureParams,
) (e wire.Envelope[Departures], err error) {
	until, q := v.Now.Add(time.Duration(p.Minutes)*time.Minute), p.query()
	var closedErr error
	closed := func(row *board.Departure) bool {
		i := slices.IndexFunc(v.Feeds, func(d *FeedDepartures) bool { return d.Alias == row.Feed })
		is, err := v.Feeds[i].closesRow(c, row)
		closedErr = cmp.Or(closedErr, err)
		return is
	}
	b := board.New(v.Now, until, int(min(p.Limit+1, MaxDepartures+1)), q.Departure).KeepNext(closed)
	r, err := v.search(ctx, b, parseFeedIDs(p.StopIDs), until)
	if err = cmp.Or(err, closedErr); err != nil {
		return e, err
	}
	if r.feeds == nil {
		return e, r.err
	}
	if len(r.departures) > int(p.Limit) {
		r.departures, r.whole = r.departures[:p.Limit], false
	}
	answer := Departures{Time: v.Now.Unix(), Departures: r.departures, Stops: []board.DepartureStop{}}
	if answer.Departures == nil {
		answer.Departures = []board.Departure{}
	}
	for _, d := range r.feeds {
		answer.Feeds = append(answer.Feeds, d.Status(v.Now))
	}
	for i := range r.departures {
		a.describe(&r.departures[i], r.byAlias[r.departures[i].Feed])
	}
	answer.Alerts, err = r.alerts(ctx, c, until, q)
	if err != nil {
		return e, err
	}
	for _, s := range r.stops {
		d := r.byAlias[s.alias]
		if d == nil {
			continue
		}
		row, err := a.departureStop(ctx, c, d, s, r, b, q)
		if err != nil {
			return e, err
		}
		answer.Stops = append(answer.Stops, row)
	}
	return wire.Envelope[Departures]{Data: answer, Meta: wire.Meta{TotalCount: len(r.departures),
		DataCount: len(r.departures), Limit: p.Limit,
		Links: wire.Links{{Rel: "self", Href: c.SelfQuery()}}, LastFetched: &r.oldest, Truncated: !r.whole,
		Missing: r.missing}}, nil
}

// Status returns the state of the feed's realtime data.
func (d *FeedDepartures) Status(now time.Time) DepartureFeed {
	state, stamp := d.Polled.State(now)
	return DepartureFeed{Feed: d.Alias, Name: d.Feed.Name, TimeZone: d.Feed.Zone.String(), Realtime: state,
		LastFetched: d.Polled.LastFetched, FeedTimestamp: stamp}
}

func (a *API) departureStop(
	ctx context.Context, c *rest.Call, d *FeedDepartures, requested feedID, r *result, b *board.Board, q *board.Query,
) (board.DepartureStop, error) {
	f := d.Feed
	row := board.DepartureStop{Feed: d.Alias, StopID: requested.id, Label: requested.id, Links: wire.Links{}}
	if f.Edition == nil {
		return row, nil
	}
	ids := f.Identities(requested.id)
	if s := f.Stop(ids[len(ids)-1]); s != nil {
		row.Known = true
		row.Label = s.Label
		row.StopID = s.StopID
		row.StopCode = s.StopCode
		row.StopName = &s.StopName
		row.TTSStopName = s.TTSStopName
		row.StopLat = s.StopLat
		row.StopLon = s.StopLon
		row.LocationType = s.LocationType
		row.ParentStation = s.ParentStation
		row.PlatformCode = s.PlatformCode
		row.WheelchairBoarding = f.WheelchairBoarding(s)
		row.TimeZone = f.OwnZone(s.StopID)
		row.Links.Add("self", c.URL(wire.StopPath, d.Alias, s.StopID))
	} else if name := d.newStop(requested.id); name != nil {
		row.Label, row.StopName = *name, name
	}
	runs := false
	var here []string
	for _, place := range r.places[requested] {
		here = append(here, f.AllNames(place.Stop)...)
	}
	for i := range r.departures {
		if row := &r.departures[i]; row.Feed == d.Alias && slices.Contains(here, row.StopID) {
			runs = runs || row.Runs() && !row.NoService
		}
	}
	if next := b.Next(d.Alias, here); next != nil && !runs {
		row.Next = board.NewNextUpdated(next, f.Route(next.RouteID))
	}
	at := d.newPlace()
	for _, place := range r.places[requested] {
		stops, filter := f.StopIDs(place.Stop), q.Scheduled(d.Alias, place.Has)
		var closedErr error
		filter.Run = func(call edition.ScheduledCall) bool {
			closed, err := d.closes(c, &call)
			closedErr = cmp.Or(closedErr, err)
			return !closed && b.IsAsScheduled(at, &call)
		}
		today, err := f.Serves(ctx, stops, edition.DayNumber(d.now, f.Zone), filter)
		var next *edition.ScheduledCall
		if err == nil && !runs {
			next, err = f.Next(ctx, stops, d.now, nextDays, f.Zone, filter)
			err = cmp.Or(err, closedErr)
		}
		switch {
		case errors.Is(err, kept.ErrTooMuch):
			return row, nil // the next departure is unknown
		case err != nil:
			return row, err
		case row.ServiceToday == nil:
			row.ServiceToday = &today
		case today:
			*row.ServiceToday = true
		}
		if next != nil && (row.Next == nil || next.Departure < row.Next.DepartureEpoch) {
			row.Next = board.NewNextDeparture(f.Edition, next)
		}
	}
	return row, nil
}
