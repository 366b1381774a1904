package current

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type predictionParams struct {
	StopID  string `path:"stop_id" doc:"The stop by its stop_id or stop_code in the static feed, or its id in the realtime feed. A station includes its platforms."`
	Minutes int64  `query:"minutes" min:"1" max:"1440" default:"120" doc:"How many minutes ahead to list departures."`
	static.FeedChoice
}

func (a *API) predictionEndpoints() rest.Table {
	return rest.Table{
		rest.FuncFrom(rest.Spec{ID: "realtime.predictions", Path: "/rt/predictions/{stop_id}",
			Summary: "Departure board of a stop",
			Doc: "Trip updates and timetable in one list, soonest first; each line says where its time comes from. Cancelled " +
				"trips, skipped calls and " +
				"departures that have left are not listed. A board has at most 5,000 lines, the soonest ones; meta.truncated " +
				"reports that lines were left out. meta.missing names feeds that cannot be served now. If an override annotation " +
				"on the stop is active, the board is that of the stop it names.",
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: "unknown feed"}, changing(a, a.findBoard),
			listPredictions),
	}
}

func (a *API) findBoard(
	ctx context.Context, _ *rest.Call, p predictionParams,
) (v *DeparturesView, gen rest.Generation, err error) {
	v, gens, err := a.newView()
	if err != nil {
		return nil, gen, err
	}
	updates, err := a.Live.Read(ctx, p.Choice(), conf.TripUpdates)
	if err != nil {
		return nil, gen, err
	}
	vehicles, err := a.Live.View(p.Choice(), conf.VehiclePositions) // requests no refresh
	if err != nil {
		return nil, gen, err
	}
	gens = append(gens, updates.Generation, vehicles.Generation)
	byAlias := map[string]*edition.Feed{}
	for _, s := range updates.Sources {
		byAlias[s.Alias] = &edition.Feed{Alias: s.Alias} // unless its timetable was imported
	}
	if all := a.Static.Feeds.Now(); p.Feed == nil {
		maps.Copy(byAlias, all.ByAlias)
		gens = append(gens, all.Generation)
	} else if f := all.ByAlias[*p.Feed]; f != nil {
		byAlias[f.Alias] = f
		gens = append(gens, f.Generation)
	}
	for _, alias := range slices.Sorted(maps.Keys(byAlias)) {
		v.Feeds = append(v.Feeds, &FeedDepartures{Alias: alias, Feed: byAlias[alias], Polled: updates, now: v.Now,
			updates: updates, vehicles: vehicles})
	}
	return v, joined(gens), nil
}

func listPredictions(
	ctx context.Context, c *rest.Call, p predictionParams, v *DeparturesView,
) (e wire.Envelope[[]board.Prediction], err error) {
	until := v.Now.Add(time.Duration(p.Minutes) * time.Minute)
	var stops []feedID
	fetched := int64(0)
	for _, d := range v.Feeds {
		stops, fetched = append(stops, feedID{d.Alias, p.StopID}), d.Polled.LastFetched
	}
	b := board.New(v.Now, until, board.MaxLines, (*board.Departure).Runs)
	r, err := v.search(ctx, b, stops, until)
	if err == nil && p.Feed != nil {
		err = r.refused
	}
	if err != nil {
		return e, err
	}
	slices.SortStableFunc(r.departures, func(x, y board.Departure) int {
		return cmp.Or(cmp.Compare(x.PredictedArrivalEpoch, y.PredictedArrivalEpoch), cmp.Compare(x.TripID, y.TripID),
			cmp.Compare(x.Call(), y.Call()))
	})
	v.Translate(ctx, c.Translated(), r.departures, nil)
	rows := make([]board.Prediction, len(r.departures))
	for i := range r.departures {
		rows[i] = r.departures[i].Prediction
	}
	e = wire.Whole(c, rows, &fetched, nil)
	e.Meta.Truncated, e.Meta.Missing = !r.whole, r.missing
	return e, nil
}
