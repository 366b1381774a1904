package pages

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/observed"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type ranParams struct {
	wire.FeedParams
	From    *rest.Date `query:"from" doc:"First service day."`
	To      *rest.Date `query:"to" doc:"Last service day."`
	RouteID *string    `query:"route_id" maxlen:"255" doc:"Shows this line by stop and hour."`
	By      string     `query:"by" enum:"route,day,month,hour,stop" default:"route" doc:"What a row of the CSV is about."`
}

// Alias implements [edition.OfFeed].
func (p ranParams) Alias() string { return p.FeedParams.Alias() }

func (p ranParams) choice() observed.Choice {
	return observed.Choice{From: p.From, To: p.To, RouteID: p.RouteID}
}

type ranPage struct {
	site.Head
	say      Speaker
	in       localized
	Figures  observed.Performance
	Line     string // name of the line of which the page shows a day; "" for all lines
	Back     string // page of all lines
	Days     string // e.g. November 1, 2026 – November 28, 2026
	Coverage []ranPart
	Tables   []*observed.Performance
	Form     string // address to which the form for other days goes
	Silent   int64  // minutes
	Before   string // first day of which figures are kept, if days before it are selected
	query    url.Values
}

// A ranPart is a part of a bar of 100 units.
type ranPart struct {
	Kind  string // early, on, late, ran, cancelled, unseen or unknown
	X, W  string
	Count int64
}

func newBar(kinds []string, counts ...int64) (bar []ranPart) {
	all, x := int64(0), 0.0
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return bar
	}
	for i, n := range counts {
		w := 100 * float64(n) / float64(all)
		if n > 0 {
			bar = append(bar, ranPart{Kind: kinds[i], X: strconv.FormatFloat(x, 'f', 1, 64),
				W: strconv.FormatFloat(w, 'f', 1, 64), Count: n})
		}
		x += w
	}
	return bar
}

// Percent returns the share of a count in whole percent; "–" of nothing.
func (v *ranPage) Percent(n, of int64) string {
	if of == 0 {
		return "–"
	}
	return v.say.Text("site.percent", (200*n+of)/(2*of))
}

// Provisional returns the day from which figures may change; "" if there is none.
func (v *ranPage) Provisional() string {
	if day := v.Figures.Observed.Provisional; day != nil {
		return v.say.Date(day.Time)
	}
	return ""
}

// Delay returns a delay as minutes and seconds, such as +1:05.
func (*ranPage) Delay(seconds *int32) string {
	if seconds == nil {
		return "–"
	}
	sign, s := "+", *seconds
	if s < 0 {
		sign, s = "−", -s
	}
	return fmt.Sprintf("%s%d:%02d", sign, s/60, s%60)
}

func (a *Pages) pageRan(ctx context.Context, c *rest.Call, p ranParams, seen *observed.View) ([]byte, error) {
	v := &ranPage{Head: a.head(c, asJSON("JSON", c.URL(observed.Path, p.FeedAlias)))}
	v.say = a.speaker(v.Lang)
	// Figures are read in a transaction, during which translations cannot be read.
	v.in = a.untranslated(&v.Head, seen.Feed)
	var more observed.Performance
	var err error
	if p.RouteID == nil {
		v.Figures, more, err = a.Observed.ReadLines(ctx, c, seen, p.choice())
	} else if v.Figures, err = a.Observed.Read(ctx, c, seen, "hour", p.choice()); err == nil {
		more, err = a.Observed.Read(ctx, c, seen, "stop", p.choice())
	}
	if err != nil {
		return nil, err
	}
	a.title(&v.Head, "ran", seen.Feed.Name)
	v.Styles = []string{"report.css", "ran.css"}
	v.Form, v.Silent = v.To(ranPagePath, p.FeedAlias), v.Figures.SilentFor/60
	v.query = url.Values{}
	if v.Figures.From != nil {
		v.Days = v.say.Date(v.Figures.From.Time) + " – " + v.say.Date(v.Figures.To.Time)
		v.query.Set("from", v.Figures.From.String())
		v.query.Set("to", v.Figures.To.String())
		if first := v.Figures.Observed.FirstDay; first.After(v.Figures.From.Time) {
			v.Before = v.say.Date(first.Time)
		}
	}
	t := v.Figures.Total
	v.Coverage = newBar([]string{"ran", "cancelled", "unseen", "unknown"}, t.Ran, t.Cancelled, t.Unseen, t.Unknown)
	if p.RouteID != nil {
		v.query.Set("route_id", *p.RouteID)
		v.Back, v.Line = v.Form, *p.RouteID
		if r := seen.Feed.Route(*p.RouteID); r != nil {
			v.Line = observed.RouteLabel(v.in.names(r))
		}
	}
	v.Tables = []*observed.Performance{&v.Figures, &more}
	return a.site.Render("ran.html", v)
}

// CSV returns the address of a table as CSV.
func (v *ranPage) CSV(by string) string {
	q := maps.Clone(v.query)
	q.Set("by", by)
	return v.ToQuery(q, ranPagePath+".csv", v.Figures.Alias)
}

// Name returns what a row is about.
func (v *ranPage) Name(r observed.Row) string {
	if r.Date != nil {
		return v.say.Date(r.Date.Time)
	}
	if r.Hour != nil {
		return fmt.Sprintf("%d:00", *r.Hour)
	}
	if r.StopID != nil && v.in.feed.Stop(*r.StopID) != nil {
		return v.in.stop(*r.StopID).Name
	}
	if route := v.in.feed.Route(cell(r.RouteID)); route != nil {
		return observed.RouteLabel(v.in.names(route))
	}
	return r.Label
}

// Address returns the page of the line that a row is about; "" if there is none.
func (v *ranPage) Address(r observed.Row) string {
	if v.Back != "" || cell(r.RouteID) == "" {
		return ""
	}
	q := maps.Clone(v.query)
	q.Set("route_id", *r.RouteID)
	return v.ToQuery(q, ranPagePath, v.Figures.Alias)
}

// Bar returns the shares of early, punctual and late calls.
func (v *ranPage) Bar(r observed.Row) []ranPart {
	return newBar([]string{"early", "on", "late"}, r.Early, r.OnTime, r.Late)
}

// Score returns how accurate the predictions of a row were; "" if unknown.
func (v *ranPage) Score(r observed.Row) string {
	if r.Accuracy == nil || r.Accuracy.Score == nil {
		return ""
	}
	return v.say.Text("site.percent", v.say.Decimal(*r.Accuracy.Score, 1))
}

func (a *Pages) ranCSV(ctx context.Context, c *rest.Call, p ranParams, seen *observed.View) (rest.File, error) {
	figures, err := a.Observed.Read(ctx, c, seen, p.By, p.choice())
	if err != nil {
		return rest.File{}, err
	}
	b := council.AppendRow(nil, p.By, "id", "scheduled", "ran", "cancelled", "unseen", "unknown", "added", "unmatched",
		"stops_stopped", "stops_passed", "stops_predicted", "stops_skipped", "stops_cancelled", "stops_unseen",
		"stops_unknown", "judged", "early", "on_time", "late", "median_delay", "p90_delay", "prediction_score")
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	seconds := func(x *int32) string {
		if x == nil {
			return ""
		}
		return n(int64(*x))
	}
	for _, r := range figures.Rows {
		id, score := "", ""
		for _, one := range []*string{r.RouteID, r.StopID} {
			if one != nil {
				id = *one
			}
		}
		if r.Accuracy != nil && r.Accuracy.Score != nil {
			score = strconv.FormatFloat(*r.Accuracy.Score, 'f', 2, 64)
		}
		b = council.AppendRow(b, r.Label, id)
		b = b[:len(b)-2]
		for _, x := range []int64{r.Scheduled, r.Ran, r.Cancelled, r.Unseen, r.Unknown, r.Added, r.Unmatched, r.Stops.Stopped,
			r.Stops.Passed, r.Stops.Predicted, r.Stops.Skipped, r.Stops.Cancelled, r.Stops.Unseen, r.Stops.Unknown, r.Judged,
			r.Early, r.OnTime, r.Late} {
			b = append(append(b, ','), n(x)...)
		}
		b = append(append(b, ","+seconds(r.Median)+","+seconds(r.P90)+","+score...), "\r\n"...)
	}
	return rest.File{Body: b, Name: p.FeedAlias + ".performance.csv", Attachment: true}, nil
}
