package observed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Choice selects the days and stops of figures, and what counts as on time.
type Choice struct {
	From       *rest.Date `query:"from" doc:"First service day. Default: 27 days before to, or the first observed day."`
	To         *rest.Date `query:"to" doc:"Last service day. Default: the last observed day."`
	RouteID    *string    `query:"route_id" maxlen:"255" doc:"Only this route."`
	StopID     *string    `query:"stop_id" maxlen:"255" doc:"Only this stop; not with by=hour."`
	Early      *int64     `query:"early" min:"0" max:"3600" doc:"Seconds before the timetable that are on time. Default: on_time of the feed, 60 unless set."`
	Late       *int64     `query:"late" min:"0" max:"3600" doc:"Seconds after the timetable that are on time. Default: on_time of the feed, 300 unless set."`
	Timepoints *bool      `query:"timepoints" doc:"Judge only stops with exact times. Default: on_time of the feed, false unless set."`
}

type params struct {
	wire.FeedParams
	wire.Window
	Choice
	By string `query:"by" enum:"agency,route,stop,hour,day,month" default:"route" doc:"What a row is about. An hour is that of the service day; 24 is the hour after midnight."`
}

// Performance has the figures of a feed.
type Performance struct {
	Label     string      `json:"label" doc:"Name of the feed."`
	Alias     string      `json:"alias"`
	From      *rest.Date  `json:"from" doc:"First service day; null if nothing was observed."`
	To        *rest.Date  `json:"to" doc:"Last service day."`
	By        string      `json:"by" enum:"agency,route,stop,hour,day,month"`
	OnTime    OnTime      `json:"on_time_is"`
	Observed  Observation `json:"observed"`
	Gaps      []Gap       `json:"gaps" doc:"Times in these days without messages of a source for more than 90 seconds; at most 1,000."`
	SilentFor int64       `json:"silent_seconds" doc:"Seconds in these days, from the first observed day to the last message, in which no source had a message."`
	Total     Row         `json:"total" doc:"All rows together."`
	Rows      []Row       `json:"rows"`
}

// OnTime says what counts as on time.
type OnTime struct {
	Early      int64  `json:"early" doc:"Seconds before the timetable, included."`
	Late       int64  `json:"late" doc:"Seconds after the timetable, included."`
	Timepoints bool   `json:"timepoints" doc:"True if only stops with exact times are judged."`
	Event      string `json:"event" doc:"The event that is judged."`
}

// An Observation says since when and how well a feed is observed.
type Observation struct {
	Since       *string    `json:"since" doc:"When observing began, RFC 3339; null before that."`
	MessageAt   *string    `json:"message_at" doc:"Time of the last message by its header, RFC 3339; null before the first."`
	FirstDay    *rest.Date `json:"first_day" doc:"First observed service day of which figures are kept."`
	LastDay     *rest.Date `json:"last_day" doc:"Last observed service day."`
	Provisional *rest.Date `json:"provisional_from" doc:"From this service day on, figures may change: trips are still running. Trips that are not over are not counted."`
	Measurable  bool       `json:"measurable" doc:"False if vehicles name neither a stop nor a stop_sequence and nothing was seen: then nothing can be measured."`
}

// A Gap is a time without messages of a source.
type Gap struct {
	Source string  `json:"source"`
	From   *string `json:"from" doc:"Time of the last message before, RFC 3339; null before observing began."`
	To     string  `json:"to" doc:"Time of the first message after."`
	Reason string  `json:"reason" enum:"silent,lost,started" doc:"silent: the source had no message; lost: messages came faster than they could be observed; started: observing began."`
}

// A Row has the figures of a route, agency, stop, hour, day or month.
type Row struct {
	Label     string     `json:"label"`
	AgencyID  *string    `json:"agency_id,omitempty"`
	RouteID   *string    `json:"route_id,omitempty"`
	StopID    *string    `json:"stop_id,omitempty"`
	Hour      *int       `json:"hour,omitempty"`
	Date      *rest.Date `json:"date,omitempty"`
	Month     string     `json:"month,omitempty" doc:"YYYY-MM; only its days between from and to count."`
	Scheduled int64      `json:"scheduled" doc:"Trips of the timetable that are over or were seen: ran + cancelled + unseen + unknown. At a stop, trips that call there."`
	Ran       int64      `json:"ran" doc:"A vehicle was seen at one stop at least, or a prediction came true."`
	Cancelled int64      `json:"cancelled"`
	Unseen    int64      `json:"unseen" doc:"Messages covered the whole time of the trip, and none showed it."`
	Unknown   int64      `json:"unknown" doc:"There were no messages during part of the trip."`
	Added     int64      `json:"added" doc:"Trips that the feed has added."`
	Unmatched int64      `json:"unmatched" doc:"Trips that ran, are not in the timetable and not ADDED."`
	Stops     Stops      `json:"stops" doc:"Stops of trips, by how they were seen."`
	Judged    int64      `json:"judged" doc:"Visits with a scheduled and an actual time: early + on_time + late."`
	Early     int64      `json:"early"`
	OnTime    int64      `json:"on_time"`
	Late      int64      `json:"late"`
	Median    *int32     `json:"median_delay" doc:"Seconds; null without judged visits."`
	P90       *int32     `json:"p90_delay" doc:"Delay that nine of ten visits do not exceed, in seconds."`
	Headways  *Headways  `json:"headways" doc:"Regularity of frequent service; null with fewer than 10 headways."`
	Accuracy  *Accuracy  `json:"accuracy" doc:"Accuracy of predictions; null where it is not counted (stops, hours) or there were none."`
}

// Stops counts stops of trips.
type Stops struct {
	Stopped   int64 `json:"stopped" doc:"A vehicle stopped there."`
	Passed    int64 `json:"passed" doc:"A vehicle was before and then behind the stop."`
	Predicted int64 `json:"predicted" doc:"The last prediction came true."`
	Skipped   int64 `json:"skipped"`
	Cancelled int64 `json:"cancelled"`
	Unseen    int64 `json:"unseen"`
	Unknown   int64 `json:"unknown"`
}

// Headways says how regular frequent service is: at most 15 minutes between scheduled departures.
type Headways struct {
	Count       int64   `json:"count" doc:"Headways that were seen; none across a gap or an unseen trip."`
	WaitPlanned float64 `json:"scheduled_wait" doc:"Mean wait in seconds for a rider who comes at random, by the timetable."`
	Wait        float64 `json:"wait" doc:"The same as it ran."`
	Excess      float64 `json:"excess_wait" doc:"wait - scheduled_wait."`
	Variation   float64 `json:"variation" doc:"Standard deviation of the headways by their mean."`
	Bunched     int64   `json:"bunched" doc:"Headways shorter than a quarter of the scheduled one."`
}

// Accuracy says how accurate predictions of arrivals were (at first stops, of departures), where a
// vehicle was seen.
type Accuracy struct {
	Score    *float64  `json:"score" doc:"Plain mean of the shares of the four horizons, in percent; null if one has no samples."`
	Horizons []Horizon `json:"horizons"`
}

// A Horizon has the predictions that were made some time before the event.
type Horizon struct {
	From     int64    `json:"from" doc:"Seconds before the event, included."`
	To       int64    `json:"to" doc:"Seconds before the event, excluded."`
	Early    int64    `json:"early_bound" doc:"A prediction is accurate if the event was at most that much before it (negative seconds)."`
	Late     int64    `json:"late_bound" doc:"And at most that much after it."`
	Samples  int64    `json:"samples" doc:"The first prediction of each stop in each minute."`
	Accurate int64    `json:"accurate"`
	Share    *float64 `json:"share" doc:"Percent."`
	Mean     *float64 `json:"mean_error" doc:"Mean of actual - predicted, in seconds."`
	Spread   *float64 `json:"spread" doc:"Standard deviation of the errors, in seconds."`
}

type figureArgs struct {
	Alias      string
	FromDay    rest.Date
	ToDay      rest.Date
	Route      string // "" for all
	Stop       string // "" for all
	Timepoints bool
}

// sums are figures of several days, added up by the database.
type sums struct {
	Key                                                                                  string
	Scheduled, Ran, Cancelled, Unseen, Unknown, Added, Unmatched                         int64
	Stopped, Passed, Predicted, StopsSkipped, StopsCancelled, StopsUnseen, StopsUnknown  int64
	Headways, Bunched, Seconds, Squares, PlannedHeadways, PlannedSeconds, PlannedSquares int64
	Delays                                                                               [][]byte
	Accuracy                                                                             []int64
}

func figuresBy(key, condition string) *rest.Query[figureArgs, sums] {
	return rest.SQL[figureArgs, sums](figureSums(key+" AS key", condition) + " GROUP BY 1")
}

func figureSums(keys, condition string) string {
	return `
	SELECT ` + keys + `, sum(trips_scheduled)::bigint AS scheduled, sum(trips_ran)::bigint AS ran,
	       sum(trips_cancelled)::bigint AS cancelled, sum(trips_unseen)::bigint AS unseen,
	       sum(trips_unknown)::bigint AS unknown, sum(trips_added)::bigint AS added,
	       sum(trips_unmatched)::bigint AS unmatched, sum(stops_stopped)::bigint AS stopped,
	       sum(stops_passed)::bigint AS passed, sum(stops_predicted)::bigint AS predicted,
	       sum(stops_skipped)::bigint AS stops_skipped, sum(stops_cancelled)::bigint AS stops_cancelled,
	       sum(stops_unseen)::bigint AS stops_unseen, sum(stops_unknown)::bigint AS stops_unknown,
	       sum(headways)::bigint AS headways, sum(headways_bunched)::bigint AS bunched,
	       sum(headway_seconds)::bigint AS seconds, sum(headway_squares)::bigint AS squares,
	       sum(planned_headways)::bigint AS planned_headways, sum(planned_seconds)::bigint AS planned_seconds,
	       sum(planned_squares)::bigint AS planned_squares,
	       array_agg(CASE WHEN @timepoints THEN timepoint_delays ELSE delays END) AS delays,
	       CASE WHEN count(accuracy) > 0 THEN ARRAY[` + accuracySums() + `] END AS accuracy
	FROM transit.performance_day
	WHERE alias = @alias AND service_date >= @from_day AND service_date <= @to_day
	  AND (@route = '' OR route_id = @route) AND (@stop = '' OR stop_id = @stop) AND ` + condition
}

func accuracySums() string {
	text := ""
	for i := range 16 {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("sum(accuracy[%d])::bigint", i+1)
	}
	return text
}

const wholeLines = `stop_id = '' AND hour = -1`

var (
	byHour      = figuresBy("hour::text", `stop_id = '' AND hour >= 0`)
	byStop      = figuresBy("stop_id", `stop_id <> ''`)
	byStopDay   = figuresBy("service_date::text", `stop_id <> ''`)
	byStopMonth = figuresBy("to_char(service_date, 'YYYY-MM')", `stop_id <> ''`)
	ofStop      = figuresBy("route_id", `stop_id <> ''`)
)

type gapArgs struct {
	Alias    string
	FromTime time.Time
	ToTime   time.Time
}

type gapRow struct {
	Source string
	FromAt *time.Time
	ToAt   time.Time
	Reason string
}

var gapRows = rest.SQL[gapArgs, gapRow](`
	SELECT source, CASE WHEN isfinite(from_at) THEN from_at END AS from_at, to_at, reason
	FROM transit.observation_gap
	WHERE alias = @alias AND to_at > @from_time AND from_at < @to_time
	ORDER BY to_at, source
	LIMIT 1000`)

func figureQueries() []rest.Statement {
	return rest.Queries(byLine, observedMonths, byHour, byStop, byStopDay, byStopMonth, ofStop, gapRows, stateOf)
}

func (p params) Alias() string { return p.FeedParams.Alias() }

func (a *API) answer(ctx context.Context, c *rest.Call, p params, v *View) (wire.Envelope[Performance], error) {
	all, err := a.Read(ctx, c, v, p.By, p.Choice)
	if err != nil {
		return wire.Envelope[Performance]{}, err
	}
	page := wire.Cut(c, p.Window, all.Rows, wire.Links{{Rel: "feed", Href: c.URL(wire.FeedPath, v.Feed.Alias)},
		{Rel: "visits", Href: c.URL(VisitsPath, v.Feed.Alias)}})
	all.Rows = page.Data
	return wire.Envelope[Performance]{Meta: page.Meta, Data: all}, nil
}

// maxDays bounds the days of an answer.
const maxDays = 1100

// Read returns the figures of a feed.
func (a *API) Read(ctx context.Context, c *rest.Call, v *View, by string, choice Choice) (Performance, error) {
	p, args, err := a.begin(ctx, c, v, by, choice)
	if err != nil || p.From == nil {
		return p, err
	}
	lines, err := a.lines(ctx, c, v, args, by != "day")
	if err != nil {
		return p, err
	}
	query := queryFor(by, args.Stop)
	if query == nil {
		return p, p.addLines(v.Feed, lines)
	}
	rows, err := query.List(ctx, c, args)
	if err != nil {
		return p, fmt.Errorf("read the figures of %s: %w", v.Feed.Alias, err)
	}
	if args.Stop != "" {
		lines = nil
	}
	return p, p.add(v.Feed, rows, lines)
}

// maxDailyRows is the number of days up to which a page has a row for each day.
const maxDailyRows = 62

// ReadLines returns the figures of a feed by line and by day or, for a longer time, by month.
func (a *API) ReadLines(
	ctx context.Context, c *rest.Call, v *View, choice Choice,
) (lines, periods Performance, err error) {
	p, args, err := a.begin(ctx, c, v, "route", choice)
	if err != nil || p.From == nil {
		return p, p, err
	}
	by := "day"
	if args.ToDay.Sub(args.FromDay.Time) >= maxDailyRows*24*time.Hour {
		by = "month"
	}
	rows, err := a.lines(ctx, c, v, args, by == "month")
	if err != nil {
		return p, p, err
	}
	lines, periods = p, p
	periods.By = by
	err = lines.addLines(v.Feed, rows)
	if err == nil {
		err = periods.addLines(v.Feed, rows)
	}
	return lines, periods, err
}

// begin returns the figures without rows, and what to read; From is nil if nothing was observed.
func (a *API) begin(
	ctx context.Context, c *rest.Call, v *View, by string, choice Choice,
) (p Performance, args figureArgs, err error) {
	f := v.Feed
	p = Performance{Label: f.Name, Alias: f.Alias, By: by, OnTime: a.onTime(f.Alias, choice), Observed: v.observation(),
		Gaps: []Gap{}, Rows: []Row{}}
	p.Total.Label = f.Name
	if v.State.LastDay == nil {
		return p, args, nil
	}
	args = figureArgs{Alias: f.Alias, ToDay: *v.State.LastDay, Timepoints: p.OnTime.Timepoints,
		Route: wire.Text(choice.RouteID), Stop: wire.Text(choice.StopID)}
	if choice.To != nil {
		args.ToDay = *choice.To
	}
	args.FromDay = rest.Date{Time: args.ToDay.AddDate(0, 0, -27)}
	if first := v.State.FirstDay; first.After(args.FromDay.Time) && !first.After(args.ToDay.Time) {
		args.FromDay = *first
	}
	if choice.From != nil {
		args.FromDay = *choice.From
	}
	if days := args.ToDay.Sub(args.FromDay.Time).Hours() / 24; days < 0 || days >= maxDays {
		return p, args, rest.BadRequest(rest.Fault{Path: "from",
			Message: "must be at most 1100 days before to, and not after it"})
	}
	if args.Stop != "" && by == "hour" {
		return p, args, rest.BadRequest(rest.Fault{Path: "stop_id", Message: "cannot be combined with by=hour"})
	}
	p.From, p.To = &args.FromDay, &args.ToDay
	return p, args, a.readGaps(ctx, c, v, &p)
}

// queryFor returns the query for rows that are not sums of lines; nil for those that are.
func queryFor(by, stop string) *rest.Query[figureArgs, sums] {
	switch {
	case by == "day" && stop != "":
		return byStopDay
	case by == "month" && stop != "":
		return byStopMonth
	case by == "hour":
		return byHour
	case by == "stop":
		return byStop
	case stop != "":
		return ofStop
	}
	return nil
}

func (a *API) onTime(alias string, choice Choice) OnTime {
	set := a.OnTime[alias]
	on := OnTime{Early: int64(set.Early / time.Second), Late: int64(set.Late / time.Second), Timepoints: set.Timepoints,
		Event: "departure; at the last stop of a trip, arrival"}
	if set.Early == 0 && set.Late == 0 {
		on.Early, on.Late = 60, 300
	}
	if choice.Early != nil {
		on.Early = *choice.Early
	}
	if choice.Late != nil {
		on.Late = *choice.Late
	}
	if choice.Timepoints != nil {
		on.Timepoints = *choice.Timepoints
	}
	return on
}

func (v *View) moment(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := at.In(v.Feed.Zone).Format(time.RFC3339)
	return &text
}

func (v *View) observation() Observation {
	o := Observation{FirstDay: v.State.FirstDay, LastDay: v.State.LastDay, Provisional: v.State.LastDay,
		Measurable: v.State.Visits > 0 || v.State.Vehicles == 0 || v.State.Placed > 0}
	o.Since, o.MessageAt = v.moment(v.State.Since), v.moment(v.State.MessageAt)
	return o
}

// readGaps adds the gaps of the sources, and the time in which all were silent.
func (a *API) readGaps(ctx context.Context, c *rest.Call, v *View, p *Performance) error {
	zone := v.Feed.Zone
	from, to := start(*p.From, zone), start(rest.Date{Time: p.To.AddDate(0, 0, 1)}, zone)
	from = max(from, start(*v.State.FirstDay, zone)) // nothing is known of the days before
	if at := v.State.MessageAt; at != nil {
		to = min(to, at.Unix())
	}
	rows, err := gapRows.List(ctx, c, gapArgs{v.Feed.Alias, time.Unix(from, 0), time.Unix(to, 0)})
	if err != nil {
		return fmt.Errorf("read the gaps of %s: %w", v.Feed.Alias, err)
	}
	bySource := map[string][][2]int64{}
	for _, g := range rows {
		gap := Gap{Source: g.Source, To: g.ToAt.In(zone).Format(time.RFC3339), Reason: g.Reason}
		begin := from
		if g.FromAt != nil {
			text := g.FromAt.In(zone).Format(time.RFC3339)
			gap.From, begin = &text, max(from, g.FromAt.Unix())
		}
		p.Gaps = append(p.Gaps, gap)
		if end := min(to, g.ToAt.Unix()); begin < end {
			bySource[g.Source] = append(bySource[g.Source], [2]int64{begin, end})
		}
	}
	p.SilentFor = silent(bySource)
	return nil
}

// silent returns the seconds in which all sources with gaps have one.
func silent(bySource map[string][][2]int64) (seconds int64) {
	type edge struct {
		at    int64
		delta int
	}
	var edges []edge
	for _, gaps := range bySource {
		for _, g := range gaps {
			edges = append(edges, edge{g[0], 1}, edge{g[1], -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), a.delta-b.delta) })
	open := 0
	for i, e := range edges {
		if open == len(bySource) && i > 0 {
			seconds += e.at - edges[i-1].at
		}
		open += e.delta
	}
	return seconds
}
