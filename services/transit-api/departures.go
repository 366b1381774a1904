package transitapi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Departures is a departure board of several stops, and what a rider should know beside it.
type Departures struct {
	Time       int64                  `json:"time" doc:"Unix time for which the board was made; it is made anew every ten seconds."`
	Departures []board.Departure      `json:"departures" doc:"Soonest first, of all stops together."`
	Stops      []board.DepartureStop  `json:"stops" doc:"The stops as they were asked for."`
	Feeds      []DepartureFeed        `json:"feeds" doc:"The feeds of the stops."`
	Alerts     []board.DepartureAlert `json:"alerts" doc:"Alerts that hold now and are about the stops, or about routes and trips that call there; the severest first."`
}

// A DepartureFeed is what is known of a feed of the board.
type DepartureFeed struct {
	Feed          string             `json:"feed" doc:"Alias of the feed."`
	Name          string             `json:"name" doc:"Name given at import; the alias where the feed has no timetable."`
	TimeZone      string             `json:"time_zone" doc:"What dates and times of the feed are local to."`
	Realtime      live.RealtimeState `json:"realtime" doc:"none: no source of trip updates is configured; never: none was polled with success yet; silent: the last news is more than three minutes old, or the feed's own timestamp ten, and the departures are those of the timetable; live."`
	LastFetched   int64              `json:"last_fetched" doc:"Unix time of the last successful poll of trip updates; 0: never."`
	FeedTimestamp int64              `json:"feed_timestamp" doc:"Unix time at which the feed says it made its trip updates; 0 when it does not say."`
}

const (
	// maxDepartures is how many departures one answer has.
	maxDepartures = 1000
	// nextWithin is how many days ahead the next departure is looked for.
	nextWithin = 14
)

type departureParams struct {
	StopIDs     []string `query:"stop_id" required:"true" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:." example:"alderbay:FT" doc:"A stop as FEED:STOP, the feed's alias and a stop_id or stop_code; repeat it for several stops. A station stands for its platforms."`
	RouteIDs    []string `query:"route_id" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:." doc:"Only trips of this route, as FEED:ROUTE; repeat it for several routes."`
	DirectionID *string  `query:"direction_id" enum:"0,1" doc:"Only trips in this direction; those of which it is not known stay."`
	Arrivals    bool     `query:"arrivals" default:"false" doc:"Also calls where nobody can board: the last of a trip, and those with pickup_type 1."`
	Minutes     int64    `query:"minutes" min:"1" max:"1440" default:"120" doc:"How far to look ahead."`
	Limit       int64    `query:"limit" min:"1" clamp:"1000" default:"100" doc:"How many departures; more than 1000 is taken as 1000."`
}

// A feedID names something of a feed.
type feedID struct{ alias, id string }

// feedIDs reads FEED:ID. An alias has no colon.
func feedIDs(texts []string) []feedID {
	all := make([]feedID, len(texts))
	for i, text := range texts {
		all[i].alias, all[i].id, _ = strings.Cut(text, ":")
	}
	return all
}

func (a *api) departureEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "realtime.departures", Path: "/rt/departures", Summary: "Departure board of several stops",
			Doc: "Trip updates and timetable of up to 20 stops in one list, soonest first, with trips that are cancelled and calls that are skipped at the time at which they would " +
				"have been. What a realtime feed said that has been silent for more than three minutes is left out. Of more departures than limit the soonest are there, " +
				"and meta.truncated says so; a feed that cannot be answered now is named in meta.missing. An override annotation on a stop that is active now leads to the stop that it names.",
			Kind: rest.Realtime, Source: a.departureSource(), Tag: tagRealtime, NotFound: "unknown feeds"}, a.listDepartures),
	}
}

// departuresView is what a board of several stops is made of.
type departuresView struct {
	now     time.Time
	feeds   []*departuresOf // in the order in which they are asked for
	missing []string        // unknown
}

// departuresOf is the part of a board that one feed has.
type departuresOf struct {
	boardView
	alias  string
	feed   *edition.Feed // never nil; without an edition when its timetable was never imported
	polled *live.View    // trip updates, also of stale sources
	alerts *live.View
}

func (a *api) departureSource() *rest.Source {
	return a.changing(func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		return a.departureView(ctx, feedIDs(c.Params("stop_id")), true)
	})
}

// departureView finds what the departures at some stops are made of; Ref is a [departuresView]. Without realtime it is the timetable alone,
// for readers who may not read the rest.
func (a *api) departureView(ctx context.Context, stops []feedID, realtime bool) (rest.Generation, error) {
	v := &departuresView{now: a.now().Truncate(boardStep)}
	all, notices := a.dir.Now(), a.notices.At(a.now())
	if all == nil || notices == nil {
		return rest.Generation{}, live.ErrNotRead
	}
	gens := []rest.Generation{notices.Redirects, {N: v.now.Unix(), Until: v.now.Add(boardStep)}}
	met := map[string]bool{}
	for _, s := range stops {
		if met[s.alias] {
			continue
		}
		met[s.alias] = true
		d := &departuresOf{alias: s.alias, feed: all.ByAlias[s.alias], boardView: boardView{now: v.now, notices: notices}}
		views := [3]*live.View{{}, {}, {}}
		for i, kind := range []string{conf.TripUpdates, conf.VehiclePositions, conf.Alerts} {
			if !realtime {
				continue
			}
			view, err := a.live.Read(ctx, s.alias, kind)
			if errors.Is(err, live.ErrNotRead) {
				return rest.Generation{}, err
			}
			if err == nil {
				views[i] = view
				gens = append(gens, view.Generation)
			} else if d.feed == nil {
				d = nil
				break
			}
		}
		if d == nil || d.feed == nil && !realtime {
			v.missing = append(v.missing, s.alias)
			continue
		}
		if d.feed == nil {
			d.feed = &edition.Feed{Alias: s.alias, Name: s.alias, Zone: time.UTC}
		} else {
			gens = append(gens, d.feed.Generation)
		}
		d.polled, d.alerts = views[0], views[2].Fresh(v.now)
		d.updates, d.vehicles = views[0].Fresh(v.now), views[1].Fresh(v.now)
		v.feeds = append(v.feeds, d)
	}
	if len(v.feeds) == 0 {
		return rest.Generation{}, rest.NotFound("unknown feed: %s", strings.Join(v.missing, ", "))
	}
	gen := joined(v, gens...)
	gen.Time = time.Time{} // by the clock: no time of change is right
	return gen, nil
}

// wish is which departures are wanted.
func (p *departureParams) wish() *board.Wish {
	w := &board.Wish{Direction: p.DirectionID, Arrivals: p.Arrivals}
	for _, id := range feedIDs(p.RouteIDs) {
		if w.Routes == nil {
			w.Routes = map[string]map[string]bool{}
		}
		if w.Routes[id.alias] == nil {
			w.Routes[id.alias] = map[string]bool{}
		}
		w.Routes[id.alias][id.id] = true
	}
	return w
}

func (a *api) listDepartures(ctx context.Context, c *rest.Call, p departureParams) (wire.Envelope[Departures], error) {
	return a.departures(ctx, c, c.Generation().Ref.(*departuresView), p)
}

// departures makes the board of some stops.
func (a *api) departures(ctx context.Context, c *rest.Call, v *departuresView, p departureParams) (e wire.Envelope[Departures], err error) {
	until, w := v.now.Add(time.Duration(p.Minutes)*time.Minute), p.wish()
	b := board.NewDepartures(v.now, until, int(min(p.Limit+1, maxDepartures+1)), w.Line)
	stops := feedIDs(p.StopIDs)
	places := map[feedID][]notice.Place{}
	missing := slices.Clone(v.missing)
	var shown []*departuresOf
	var refused error
	for _, d := range v.feeds {
		for _, s := range stops {
			if s.alias == d.alias {
				places[s] = d.notices.Places(s.alias, s.id, d.feed.Identities)
			}
		}
		switch err := d.add(ctx, b, stops, places, until, len(v.feeds) > 1); {
		case err == nil:
			shown = append(shown, d)
		case ctx.Err() != nil || !missable(err):
			return e, err
		default:
			missing, refused = append(missing, d.alias), err
		}
	}
	if len(shown) == 0 {
		return e, refused
	}
	lines, whole := b.Departures()
	lines = slices.DeleteFunc(lines, func(l board.Line) bool { return slices.Contains(missing, l.Feed) }) // what a feed brought before it failed
	if len(lines) > int(p.Limit) {
		lines, whole = lines[:p.Limit], false
	}
	made := Departures{Time: v.now.Unix(), Departures: make([]board.Departure, len(lines)), Stops: []board.DepartureStop{}, Feeds: []DepartureFeed{}}
	byAlias := map[string]*departuresOf{}
	oldest := int64(0)
	for _, d := range shown {
		byAlias[d.alias] = d
		state, stamp := d.polled.State(v.now)
		made.Feeds = append(made.Feeds, DepartureFeed{d.alias, d.feed.Name, d.feed.Zone.String(), state, d.polled.LastFetched, stamp})
		if at := d.polled.LastFetched; at != 0 && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	for i := range lines {
		d := byAlias[lines[i].Feed]
		made.Departures[i] = board.NewDeparture(&lines[i], d.feed, func(r *edition.Route) edition.RouteNames { return a.namesOf(d.feed, r) }, d.vehicles.Of(d.alias))
	}
	for _, s := range stops {
		d := byAlias[s.alias]
		if d == nil {
			continue
		}
		row, err := a.departureStop(ctx, c, d, s, places[s], lines, until, w)
		if err != nil {
			return e, err
		}
		made.Stops = append(made.Stops, row)
	}
	if made.Alerts, err = v.alerts(ctx, shown, stops, places, lines, w); err != nil {
		return e, err
	}
	e = wire.Envelope[Departures]{Data: made, Meta: wire.Meta{TotalCount: len(lines), DataCount: len(lines), Limit: p.Limit, Links: wire.Links{{Rel: "self", Href: c.SelfQuery()}},
		LastFetched: &oldest, Truncated: !whole, Missing: missing}}
	return e, nil
}

// add adds the departures of a feed to a board. Not alone, it may take only so long.
func (d *departuresOf) add(ctx context.Context, b *board.Board, stops []feedID, places map[feedID][]notice.Place, until time.Time, several bool) error {
	if several {
		within, cancel := context.WithTimeout(ctx, boardWithin)
		defer cancel()
		ctx = within
	}
	if refused := d.feed.Boards(); refused != nil {
		return refused
	}
	var plain []string // stops whose trips are all wanted: they are one place, so that each call is found once
	for _, s := range stops {
		for _, place := range places[s] {
			if s.alias != d.alias {
				continue
			}
			if place.All() {
				plain = append(plain, place.Stop)
				continue
			}
			if err := d.place(ctx, b, []string{place.Stop}, place.Allows, until); err != nil {
				return err
			}
		}
	}
	if plain == nil {
		return nil
	}
	return d.place(ctx, b, plain, func(string, string) bool { return true }, until)
}

func (d *departuresOf) place(ctx context.Context, b *board.Board, stops []string, allows func(route, trip string) bool, until time.Time) error {
	at, err := d.at(ctx, d.feed, stops, allows, until)
	if err != nil {
		return busy(err)
	}
	return b.Add(ctx, at)
}

// departureStop is what is known of a stop that was asked for.
func (a *api) departureStop(ctx context.Context, c *rest.Call, d *departuresOf, asked feedID, places []notice.Place, lines []board.Line, until time.Time, w *board.Wish) (board.DepartureStop, error) {
	f := d.feed
	row := board.DepartureStop{Feed: d.alias, StopID: asked.id, Label: asked.id, Links: wire.Links{}}
	if f.Edition == nil {
		return row, nil
	}
	ids := f.Identities(asked.id)
	if s := f.Stop(ids[len(ids)-1]); s != nil {
		row.Known, row.Label, row.StopID, row.StopCode, row.StopName, row.TTSStopName, row.StopLat, row.StopLon = true, s.Label, s.StopID, s.StopCode, &s.StopName, s.TTSStopName, s.StopLat, s.StopLon
		row.LocationType, row.ParentStation, row.PlatformCode, row.WheelchairBoarding = s.LocationType, s.ParentStation, s.PlatformCode, f.WheelchairBoarding(s)
		row.Links.Add("self", c.URL(stopPath, d.alias, s.StopID))
	}
	runs, met := false, false
	var here []string
	for _, place := range places {
		here = append(here, f.AllNames(place.Stop)...)
	}
	for i := range lines {
		if l := &lines[i]; l.Feed == d.alias && slices.Contains(here, l.StopID) {
			met = true
			runs = runs || l.Runs()
		}
	}
	from := d.now
	if met { // nothing of it runs
		from = until
	}
	for _, place := range places {
		stops, wanted := f.StopIDs(place.Stop), w.Of(d.alias, place.Allows)
		today, err := f.Serves(ctx, stops, edition.DayNumber(d.now, f.Zone), wanted)
		var next *edition.Departing
		if err == nil && !runs {
			next, err = f.Next(ctx, stops, from, nextWithin, f.Zone, wanted)
		}
		switch {
		case errors.Is(err, edition.ErrTooMuch):
			return row, nil // not known
		case err != nil:
			return row, err
		case row.ServiceToday == nil:
			row.ServiceToday = &today
		case today:
			*row.ServiceToday = true
		}
		if next != nil && (row.Next == nil || next.At < row.Next.DepartureEpoch) {
			row.Next = board.NewNextDeparture(next, a.namesOf(f, next.Route))
		}
	}
	return row, nil
}

// namesOf are the names of a route as riders see them: the feed's, altered as those of the route's own resource are.
func (a *api) namesOf(f *edition.Feed, r *edition.Route) edition.RouteNames {
	if a.alter == nil {
		return r.RouteNames
	}
	own := Route{Label: r.Label(), RouteID: r.ID, AgencyID: r.AgencyID, RouteType: r.Type, RouteShortName: r.ShortName, RouteLongName: r.LongName,
		RouteColor: r.Color, RouteTextColor: r.TextColor, Extra: map[string]any{}}
	a.alter(f.Alias, &own)
	return edition.RouteNames{ShortName: own.RouteShortName, LongName: own.RouteLongName, Color: own.RouteColor, TextColor: own.RouteTextColor, Type: own.RouteType}
}

// maxDepartureAlerts is how many alerts one board has: the severest.
const maxDepartureAlerts = 50

// alerts are those about what is on a board, the severest first.
func (v *departuresView) alerts(ctx context.Context, shown []*departuresOf, stops []feedID, places map[feedID][]notice.Place, lines []board.Line, w *board.Wish) ([]board.DepartureAlert, error) {
	type of struct {
		alias string
		realtime.Concerned
	}
	var found []of
	for _, d := range shown {
		var here []string
		for _, s := range stops {
			if s.alias != d.alias {
				continue
			}
			for _, place := range places[s] {
				here = append(here, place.Stop)
			}
		}
		concern, err := board.Concern(ctx, d.feed, here, lines, w)
		if err != nil {
			return nil, busy(err)
		}
		concern.Now = v.now.Unix()
		for _, s := range d.alerts.Of(d.alias) {
			about, err := s.Concerning(concern)
			if err != nil {
				return nil, err
			}
			for _, x := range about {
				found = append(found, of{d.alias, x})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y of) int { return cmp.Compare(y.Severity, x.Severity) })
	all := []board.DepartureAlert{}
	for _, x := range found[:min(len(found), maxDepartureAlerts)] {
		all = append(all, board.DepartureAlert{Feed: x.alias, ID: x.ID, SeverityLevel: x.SeverityLevel, Cause: x.Cause, Effect: x.Effect, HeaderText: x.HeaderText,
			DescriptionText: x.DescriptionText, URL: x.URL, StopIDs: x.Stops, RouteIDs: x.Routes})
	}
	return all, nil
}
