package pages

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// The page of a trip: its stops and times, how it runs, and where its vehicle is.

type tripPageParams struct {
	static.TripParams
	Date *string `query:"date" pattern:"^[0-9]{8}$" doc:"Service day, as start_date of a departure."`
}

func (a *Pages) tripPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.trip", Path: view.TripPath, Summary: "A trip: stops, times, where the vehicle is",
			NotFound: "unknown feed, agency, route or trip", Kind: rest.Realtime,
			Shows:   []string{"static.route", "static.trip", "static.trip_stop_times"},
			MayShow: []string{departuresPermission, mapPermission}}, rest.Source[tripPageParams, tripRef]{Now: a.findTrip}, a.pageTrip),
	}
}

// tripRef is what the page of a trip is made of.
type tripRef struct {
	departures *current.DeparturesView
	mapped     *current.MappedView // nil for readers who may not see live positions
}

func (a *Pages) findTrip(ctx context.Context, c *rest.Call, p tripPageParams) (ref tripRef, gen rest.Generation, err error) {
	_, err = a.Static.Feeds.Served(p.FeedAlias)
	if err == nil {
		ref.departures, gen, err = a.Current.DepartureView(ctx, []string{p.FeedAlias + ":"}, c.May(departuresPermission))
	}
	if err == nil && c.May(mapPermission) {
		var vehicles rest.Generation
		ref.mapped, vehicles, err = a.Current.MapView(ctx, p.FeedAlias)
		gen = rest.Join(gen, vehicles)
	}
	gen.Time = time.Time{} // by the clock
	return ref, gen, err
}

func (a *Pages) pageTrip(ctx context.Context, c *rest.Call, p tripPageParams, ref tripRef) ([]byte, error) {
	d := ref.departures.Feeds[0]
	f := d.Feed
	t, err := static.FindTrip(f, p.TripParams)
	if err != nil {
		return nil, err
	}
	runs, err := f.Runs(ctx, []edition.Way{t.Way()}, edition.All)
	if err != nil {
		return nil, err
	}
	run := runs[t.Way()]
	if run == nil {
		return nil, rest.NotFound("the trip has no times")
	}
	now := a.Current.Now()
	v := &view.Trip{Head: a.head(c), Now: now, Zone: f.Zone, Repeated: t.Repeated, Day: edition.DayNumber(now, f.Zone)}
	v.Speaker = a.speaker(v.Lang)
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return nil, err
	}
	if p.Date != nil {
		v.Day, _ = edition.ParseDay(*p.Date) // a day that does not exist is one without service
	}
	v.Line = a.line(&v.Head, f, texts, t.Route)
	if to := texts.Headsign(t.ID, t.Headsign); to != nil {
		v.Towards = *to
	}
	var live []board.Departure
	if c.May(departuresPermission) && !t.Repeated {
		live, err = a.Current.Trip(ctx, d, t, v.Day, run)
		if err != nil {
			return nil, err
		}
	}
	if ref.mapped != nil && len(live) > 0 {
		made, _, err := a.Current.Located(ctx, c, ref.mapped, &p.RouteID)
		if err != nil {
			return nil, err
		}
		ref.mapped.Translate(ctx, v.Lang, made.Vehicles)
		for i := range made.Vehicles {
			if made.Vehicles[i].TripID == t.ID {
				v.Vehicle = &made.Vehicles[i]
			}
		}
	}
	v.Fill(f.Edition, t, run, live, func(s *edition.Stop) view.Stop {
		return view.Stop{Name: stopIn(texts, s).Label, Platform: cell(s.PlatformCode),
			Address: v.Head.To(stopPagePath, f.Alias, s.StopID)}
	})
	v.Title = v.Speaker.Text("trip.title", v.Line.Line, v.Towards)
	v.About, v.Styles, v.Unlisted = v.Title, []string{"map.css"}, true
	v.Links = a.routeLinks(&v.Head, p.RouteParams, "route.table", routePagePath+"/timetable",
		"route.map", routePagePath+"/map", "map.route", routePagePath)
	times := c.URL(static.TripPath+"/stop_times", p.FeedAlias, p.AgencyID, p.RouteID, p.TripID)
	v.Others = append(v.Others, asJSON("JSON", times))
	return a.site.Render("trip.html", v)
}
