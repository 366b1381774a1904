package current

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
		rest.FuncFrom(rest.Spec{ID: "realtime.predictions", Path: "/rt/predictions/{stop_id}", Summary: "Departure board of a stop",
			Doc: "Trip updates and timetable in one list, soonest first; each line says where its time comes from. Cancelled trips, skipped calls and " +
				"departures that have left are not listed. A board has at most 5,000 lines, the soonest ones; meta.truncated reports that lines were left out. meta.missing names feeds that cannot be served now. If an override annotation on the stop is active, the board is that of the stop it names.",
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: "unknown feed"}, changing(a, a.findBoard), listPredictions),
	}
}

func (a *API) findBoard(ctx context.Context, _ *rest.Call, p predictionParams) (b boardView, gen rest.Generation, err error) {
	alias, feeds := p.Choice(), a.Static.Feeds.Now()
	b.now, b.notices = a.Now().Truncate(BoardStep), a.Notices.At(a.Now())
	if feeds == nil || b.notices == nil {
		return b, gen, live.ErrNotRead
	}
	b.updates, err = a.Live.Read(ctx, alias, conf.TripUpdates)
	if err != nil {
		return b, gen, err
	}
	b.vehicles, err = a.Live.View(alias, conf.VehiclePositions)
	if err != nil {
		return b, gen, err
	}
	all := []rest.Generation{b.updates.Generation, b.vehicles.Generation, b.notices.Redirects, {N: b.now.Unix(), Until: b.now.Add(BoardStep)}}
	if alias == "" {
		b.feeds, all = feeds.Sorted, append(all, feeds.Generation)
	} else if f := feeds.ByAlias[alias]; f != nil {
		b.feeds, all = []*edition.Feed{f}, append(all, f.Generation)
	}
	gen = rest.Join(all...)
	gen.Time = time.Time{} // it changes with the clock, so it has no time of change
	return b, gen, nil
}

func listPredictions(ctx context.Context, c *rest.Call, p predictionParams, view boardView) (wire.Envelope[[]board.Prediction], error) {
	until := view.now.Add(time.Duration(p.Minutes) * time.Minute)
	b := board.New(view.now, until)
	feeds := map[string]*edition.Feed{}
	for _, s := range view.updates.Sources {
		feeds[s.Alias] = nil // unless its timetable was imported
	}
	for _, f := range view.feeds {
		feeds[f.Alias] = f
	}
	var missing []string
	for _, alias := range slices.Sorted(maps.Keys(feeds)) {
		err := view.add(ctx, b, alias, feeds[alias], p, until)
		switch {
		case err == nil:
		case ctx.Err() != nil || p.Feed != nil || !Missable(err):
			return wire.Envelope[[]board.Prediction]{}, err
		default:
			missing = append(missing, alias) // keep the lines of the other feeds
		}
	}
	rows, whole := b.Lines()
	if texts := textsOf(ctx, c.Translated(), view.feeds); texts != nil {
		for i := range rows {
			rows[i].Translate(texts[rows[i].Feed])
		}
	}
	e := wire.Whole(c, rows, &view.updates.LastFetched, nil)
	e.Meta.Truncated, e.Meta.Missing = !whole, missing
	return e, nil
}

// add adds the lines of one feed to a board; f is nil if its timetable was never imported.
func (v *boardView) add(ctx context.Context, b *board.Board, alias string, f *edition.Feed, p predictionParams, until time.Time) error {
	if p.Feed == nil {
		within, cancel := context.WithTimeout(ctx, boardWithin)
		defer cancel()
		ctx = within
	}
	if f == nil {
		f = &edition.Feed{Alias: alias}
	} else if refused := f.Boards(); refused != nil {
		return refused
	}
	for _, place := range v.notices.Places(alias, p.StopID, f.Identities) {
		at, err := v.at(ctx, f, []string{place.Stop}, place.Allows, until)
		if err == nil {
			err = b.Add(ctx, at)
		}
		if err != nil {
			return busy(err)
		}
	}
	return nil
}
