package realtimeapi

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type predictionParams struct {
	StopID  string `path:"stop_id" doc:"The stop by its stop_id or stop_code in the static feed, or its id in the realtime feed. A station includes its platforms."`
	Minutes int64  `query:"minutes" min:"1" max:"1440" default:"120" doc:"How many minutes ahead to list departures."`
	wire.FeedChoice
}

func (a *API) predictionEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.predictions", Path: "/rt/predictions/{stop_id}",
			Summary: "Departure board of a stop",
			Doc: "Trip updates and timetable in one list, soonest first; each line says where its time comes from. Cancelled " +
				"trips, skipped calls and " +
				"departures that have left are not listed. A board has at most 5,000 lines, the soonest ones; meta.truncated " +
				"reports that lines were left out. meta.missing names feeds that cannot be served now. If an override annotation " +
				"on the stop is active, the board is that of the stop it names.",
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: "unknown feed"}, streamed(a, a.findPredictions),
			listPredictions),
	}
}

type predictionView struct {
	*DeparturesView
	updates *live.View
}

func (a *API) findPredictions(
	ctx context.Context, _ *rest.Call, p predictionParams,
) (v predictionView, gen rest.Generation, err error) {
	departures, gens, err := a.newBoardView()
	if err != nil {
		return v, gen, err
	}
	a.Live.Await(ctx, []string{p.Choice()}, conf.TripUpdates) // for the ids of vehicles alone nothing is polled
	updates, err := a.view(p.Choice(), conf.TripUpdates)
	if err != nil {
		return v, gen, err
	}
	vehicles, err := a.view(p.Choice(), conf.VehiclePositions)
	if err != nil {
		return v, gen, err
	}
	gens = append(gens, updates.Generation, vehicles.Generation)
	byAlias := map[string]*edition.Feed{}
	for _, s := range updates.Sources {
		byAlias[s.Alias] = &edition.Feed{Alias: s.Alias} // replaced below if its timetable was imported
	}
	all := a.Feeds.Now()
	if p.Choice() == "" {
		maps.Copy(byAlias, all.ByAlias)
		gens = append(gens, all.Generation)
	} else if f := all.ByAlias[p.Choice()]; f != nil {
		byAlias[f.Alias] = f
		gens = append(gens, f.Generation)
	}
	for _, alias := range slices.Sorted(maps.Keys(byAlias)) {
		departures.Feeds = append(departures.Feeds, &FeedDepartures{Alias: alias, Feed: byAlias[alias], Polled: updates,
			now: departures.Now, updates: updates, vehicles: vehicles})
	}
	return predictionView{departures, updates}, boardGeneration(gens), nil
}

func listPredictions(
	ctx context.Context, c *rest.Call, p predictionParams, v predictionView,
) (e wire.Envelope[[]board.Prediction], err error) {
	until := v.Now.Add(time.Duration(p.Minutes) * time.Minute)
	b := board.NewPredictions(v.Now, until)
	var missing []string
	for _, d := range v.Feeds {
		err := d.add(ctx, b, v.annotations.Places(d.Alias, p.StopID, d.Feed.Identities), until, p.Feed == nil)
		switch {
		case err == nil:
		case ctx.Err() != nil || p.Feed != nil || !CanOmit(err):
			return e, err
		default:
			missing = append(missing, d.Alias) // lines that it already added stay
		}
	}
	rows, whole := b.Predictions()
	texts := v.texts(ctx, Writing{Language: c.Translated()})
	for i := range rows {
		texts[rows[i].Feed].Translate(&rows[i])
	}
	e = wire.Whole(c, rows, &v.updates.LastFetched, nil)
	e.Meta.Truncated, e.Meta.Missing = !whole, missing
	return e, nil
}
