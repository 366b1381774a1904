package realtimeapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type nearbyParams struct {
	Near    edition.Point `query:"near" required:"true" example:"44.65,-63.57" doc:"Latitude and longitude in degrees, as LAT,LON."`
	Radius  int64         `query:"radius" min:"1" max:"5000" default:"500" doc:"How far from near stops may be, in metres."`
	Minutes int64         `query:"minutes" min:"1" max:"1440" default:"60" doc:"How far to look ahead."`
	Limit   int64         `query:"limit" rows:"true" min:"1" clamp:"1000" default:"100" doc:"How many departures; more than 1000 is taken as 1000."`
	wire.FeedChoice
}

// maxNearby bounds the number of stops in an answer. The nearest stops are kept.
const maxNearby = 50

// A NearbyDeparture is a departure near a point.
type NearbyDeparture struct {
	board.Departure
	Distance int64 `json:"distance" doc:"Metres as the crow flies from near to the stop."`
}

func (a *API) nearbyEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.nearby", Path: "/rt/predictions", Summary: "What leaves around a place",
			Doc: "Departures of all feeds from the stops around a place, soonest first, each trip once: from the nearest stop " +
				"at which it calls. Only what can be boarded and runs is there. Of more than 50 stops the " +
				"nearest 50 count, and of more departures than limit the soonest; meta.truncated says so. Otherwise like " +
				"/rt/departures.",
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: notFound}, streamed(a, a.findNearby),
			a.listNearby),
	}
}

type nearbyView struct {
	*DeparturesView
	stops []feedID
	more  bool // there are more than maxNearby stops
}

func (a *API) findNearby(ctx context.Context, _ *rest.Call,
	p nearbyParams) (v *nearbyView, gen rest.Generation, err error) {
	feeds := a.Feeds.Now()
	if feeds == nil {
		return nil, gen, live.ErrNotRead
	}
	in, err := feeds.Choose(p.Feed)
	if err != nil {
		return nil, gen, err
	}
	v = &nearbyView{DeparturesView: &DeparturesView{Now: a.Now().Truncate(BoardStep)}}
	v.find(in, p.Near.Within(float64(p.Radius)))
	var ids []string
	for _, s := range v.stops {
		ids = append(ids, s.alias+":"+s.id)
	}
	gen.N = feeds.Generation.N
	if len(ids) > 0 {
		var departures rest.Generation
		v.DeparturesView, departures, err = a.DepartureView(ctx, ids, true)
		gen = rest.Join(departures, gen)
	}
	return v, gen, err
}

func (v *nearbyView) find(feeds []*edition.Feed, near *edition.Near) {
	type stop struct {
		feedID
		metres float64
	}
	var stops []stop
	cut := func() {
		slices.SortFunc(stops, func(x, y stop) int {
			return cmp.Or(cmp.Compare(x.metres, y.metres), cmp.Compare(x.alias, y.alias), cmp.Compare(x.id, y.id))
		})
		if len(stops) > maxNearby {
			stops, v.more = stops[:maxNearby], true
		}
	}
	for _, f := range feeds {
		f.Search(edition.Search{Near: near}, func(s edition.Found) bool {
			stops = append(stops, stop{feedID{f.Alias, s.StopID}, s.Metres})
			if len(stops) > 20*maxNearby {
				cut()
			}
			return true
		})
	}
	cut()
	for _, s := range stops {
		v.stops = append(v.stops, s.feedID)
	}
}

func (a *API) listNearby(
	ctx context.Context, c *rest.Call, p nearbyParams, v *nearbyView,
) (e wire.Envelope[[]NearbyDeparture], err error) {
	until := v.Now.Add(time.Duration(p.Minutes) * time.Minute)
	q := &board.Query{}
	b := board.New(v.Now, until, board.MaxLines, func(d *board.Departure) bool { return d.Runs() && q.Departure(d) })
	r, err := v.search(ctx, b, v.stops, until)
	if err == nil && p.Feed != nil {
		err = r.err
	}
	if err != nil {
		return e, err
	}
	away := r.nearest(p.Near.Within(0))
	rows := []NearbyDeparture{}
	for i, d := range r.departures {
		if len(rows) > int(p.Limit) {
			break
		}
		if away[i] >= 0 {
			rows = append(rows, NearbyDeparture{d, int64(away[i] + 0.5)})
		}
	}
	if len(rows) > int(p.Limit) {
		rows, r.whole = rows[:p.Limit], false
	}
	texts := v.texts(ctx, Writing{Language: c.Translated()})
	for i := range rows {
		a.describe(&rows[i].Departure, r.byAlias[rows[i].Feed])
		texts[rows[i].Feed].Translate(&rows[i])
	}
	e = wire.Whole(c, rows, &r.oldest, nil)
	e.Meta.Links = wire.Links{{Rel: "self", Href: c.SelfQuery()}}
	e.Meta.Limit = p.Limit
	e.Meta.Truncated = !r.whole || v.more
	e.Meta.Missing = r.missing
	return e, nil
}

// nearest returns the distance of each departure's stop in metres; -1 if the trip also calls at a
// nearer stop.
func (r *result) nearest(from *edition.Near) []float64 {
	journeys, away := make([]board.Journey, len(r.departures)), make([]float64, len(r.departures))
	best := map[board.Journey]float64{}
	for i := range r.departures {
		d := &r.departures[i]
		j := d.Journey()
		journeys[i], away[i] = j, r.byAlias[d.Feed].Feed.Metres(from, d.StopID)
		if metres, seen := best[j]; !seen || away[i] < metres {
			best[j] = away[i]
		}
	}
	for i, j := range journeys {
		if away[i] > best[j] {
			away[i] = -1
		}
	}
	return away
}
