package current

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type nearbyParams struct {
	Near    static.Position `query:"near" required:"true" example:"44.65,-63.57" doc:"Latitude and longitude in degrees, as LAT,LON."`
	Radius  int64           `query:"radius" min:"1" max:"5000" default:"500" doc:"How far from near stops may be, in metres."`
	Minutes int64           `query:"minutes" min:"1" max:"1440" default:"60" doc:"How far to look ahead."`
	Limit   int64           `query:"limit" min:"1" clamp:"1000" default:"100" doc:"How many departures; more than 1000 is taken as 1000."`
	static.FeedChoice
}

// maxNearby is how many stops one answer looks at: the nearest.
const maxNearby = 50

// A NearbyDeparture is a departure from a stop around a place.
type NearbyDeparture struct {
	board.Departure
	Distance int64 `json:"distance" doc:"Metres as the crow flies from near to the stop."`
}

func (a *API) nearbyEndpoints() rest.Table {
	return rest.Table{
		rest.FuncFrom(rest.Spec{ID: "realtime.nearby", Path: "/rt/predictions", Summary: "What leaves around a place",
			Doc: "Departures of all feeds from the stops around a place, soonest first, each trip once: from the nearest stop at which it calls. Only what can be boarded and runs is there. Of more than 50 stops the " +
				"nearest 50 count, and of more departures than limit the soonest; meta.truncated says so. Otherwise like /rt/departures.",
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: notFound}, changing(a, a.findNearby), a.listNearby),
	}
}

// nearbyView is what leaves around a place is made of.
type nearbyView struct {
	*DeparturesView
	stops []nearbyStop
	more  bool // than maxNearby
}

// A nearbyStop is a stop around a place.
type nearbyStop struct {
	feedID
	metres float64
}

func (a *API) findNearby(ctx context.Context, _ *rest.Call, p nearbyParams) (v *nearbyView, gen rest.Generation, err error) {
	feeds := a.Static.Feeds.Now()
	if feeds == nil {
		return nil, gen, live.ErrNotRead
	}
	in := feeds.Sorted
	if p.Feed != nil {
		f := feeds.ByAlias[*p.Feed]
		if f == nil {
			return nil, gen, rest.NotFound("unknown feed")
		}
		in = []*edition.Feed{f}
	}
	v = &nearbyView{DeparturesView: &DeparturesView{Now: a.Now().Truncate(BoardStep)}}
	v.find(in, p.Near.Within(float64(p.Radius)))
	ids := make([]string, len(v.stops))
	for i, s := range v.stops {
		ids[i] = s.alias + ":" + s.id
	}
	// Which stops there are is the feeds' doing; of their realtime data only that of feeds that stop here is read.
	gen.N = feeds.Generation.N
	if len(ids) > 0 {
		var made rest.Generation
		v.DeparturesView, made, err = a.DepartureView(ctx, ids, true)
		gen = rest.Join(made, gen)
	}
	return v, gen, err
}

// find finds the nearest stops of feeds.
func (v *nearbyView) find(feeds []*edition.Feed, near *edition.Near) {
	for _, f := range feeds {
		if f.Edition == nil {
			continue
		}
		f.Search(edition.Search{Near: near}, func(s edition.Found) bool {
			v.stops = append(v.stops, nearbyStop{feedID{f.Alias, s.StopID}, s.Metres})
			if len(v.stops) > 20*maxNearby {
				v.cut()
			}
			return true
		})
	}
	v.cut()
}

func (v *nearbyView) cut() {
	slices.SortFunc(v.stops, func(x, y nearbyStop) int {
		return cmp.Or(cmp.Compare(x.metres, y.metres), cmp.Compare(x.alias, y.alias), cmp.Compare(x.id, y.id))
	})
	if len(v.stops) > maxNearby {
		v.stops, v.more = v.stops[:maxNearby], true
	}
}

func (a *API) listNearby(ctx context.Context, c *rest.Call, p nearbyParams, v *nearbyView) (e wire.Envelope[[]NearbyDeparture], err error) {
	until := v.Now.Add(time.Duration(p.Minutes) * time.Minute)
	q := &board.Query{}
	b := board.New(v.Now, until, board.MaxLines, func(d *board.Departure) bool { return d.Runs() && q.Departure(d) })
	ids := make([]feedID, len(v.stops))
	for i, s := range v.stops {
		ids[i] = s.feedID
	}
	r, err := v.search(ctx, b, ids, until)
	if err != nil {
		return e, err
	}
	if p.Feed != nil && r.refused != nil {
		return e, r.refused
	}
	away := v.distances(r.departures, r.byAlias, p.Near.Within(0))
	rows := []NearbyDeparture{}
	for i := range r.departures {
		if len(rows) > int(p.Limit) {
			break
		}
		if metres, nearest := away(&r.departures[i]); nearest {
			rows = append(rows, NearbyDeparture{r.departures[i], metres})
		}
	}
	if len(rows) > int(p.Limit) {
		rows, r.whole = rows[:p.Limit], false
	}
	texts := v.texts(ctx, c.Translated())
	for i := range rows {
		a.describe(&rows[i].Departure, r.byAlias[rows[i].Feed])
		if texts != nil {
			rows[i].Translate(texts[rows[i].Feed])
		}
	}
	e = wire.Whole(c, rows, &r.oldest, nil)
	e.Meta.Links = wire.Links{{Rel: "self", Href: c.SelfQuery()}}
	e.Meta.Limit, e.Meta.Truncated, e.Meta.Missing = p.Limit, !r.whole || v.more, r.missing
	return e, nil
}

// distances returns how far the stop of a line is, and whether the trip calls at none that is nearer.
func (v *nearbyView) distances(departures []board.Departure, feeds map[string]*FeedDepartures, from *edition.Near) func(*board.Departure) (int64, bool) {
	known := map[feedID]float64{}
	for _, s := range v.stops {
		known[s.feedID] = s.metres
	}
	of := func(d *board.Departure) float64 {
		id := feedID{d.Feed, d.StopID}
		metres, ok := known[id]
		if !ok { // a platform of a station, or where an override leads
			metres = feeds[d.Feed].Feed.Metres(from, d.StopID)
			known[id] = metres
		}
		return metres
	}
	type journey struct {
		feed, trip, date string
		start            int64 // distinguishes the runs of a trip by headway
	}
	journeyOf := func(d *board.Departure) journey {
		j := journey{d.Feed, d.TripID, d.StartDate, 0}
		if d.Run != nil && d.ScheduledArrivalEpoch != nil {
			j.start = *d.ScheduledArrivalEpoch - int64(d.Run.Expected[d.Call()])
		}
		return j
	}
	nearest := map[journey]float64{}
	for i := range departures {
		j, metres := journeyOf(&departures[i]), of(&departures[i])
		if best, met := nearest[j]; !met || metres < best {
			nearest[j] = metres
		}
	}
	return func(d *board.Departure) (int64, bool) {
		metres := of(d)
		return int64(metres + 0.5), metres <= nearest[journeyOf(d)]
	}
}
