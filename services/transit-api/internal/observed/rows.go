package observed

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/performance"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// add adds the rows and their total. Trips call at several stops, and predictions are counted by
// line, so the total of stops and hours is that of lines.
func (p *Performance) add(f *edition.Feed, rows []sums, lines []lineSums) error {
	var total sums
	var adder, all performance.Adder
	for i := range rows {
		for _, b := range rows[i].Delays {
			if err := adder.Add(b); err != nil {
				return fmt.Errorf("read the delays of %s: %w", rows[i].Key, err)
			}
		}
		delays := adder.Histogram()
		all.AddHistogram(delays)
		row, err := p.row(f, &rows[i], delays)
		if err != nil {
			return err
		}
		total.merge(&rows[i])
		p.Rows = append(p.Rows, row)
	}
	slices.SortFunc(p.Rows, func(a, b Row) int { return compareRows(f, a, b) })
	if lines != nil {
		total = sums{}
		for i := range lines {
			total.merge(&lines[i].sums)
		}
	}
	label := p.Total.Label
	err := p.fill(&p.Total, &total, all.Histogram())
	p.Total.Label = label
	return err
}

func compareRows(f *edition.Feed, a, b Row) int {
	rank := func(r Row) int {
		if r.RouteID != nil {
			if route := f.Route(*r.RouteID); route != nil {
				return route.Rank
			}
			return math.MaxInt
		}
		if r.Hour != nil {
			return *r.Hour
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(dateOf(a), dateOf(b)), cmp.Compare(a.Label, b.Label),
		cmp.Compare(wire.Text(a.StopID), wire.Text(b.StopID)))
}

func dateOf(r Row) string {
	if r.Date == nil {
		return ""
	}
	return r.Date.String()
}

func (s *sums) merge(o *sums) {
	for _, pair := range [][2]*int64{{&s.Scheduled, &o.Scheduled}, {&s.Ran, &o.Ran}, {&s.Cancelled, &o.Cancelled},
		{&s.Unseen, &o.Unseen}, {&s.Unknown, &o.Unknown}, {&s.Added, &o.Added}, {&s.Unmatched, &o.Unmatched},
		{&s.Stopped, &o.Stopped}, {&s.Passed, &o.Passed}, {&s.Predicted, &o.Predicted}, {&s.StopsSkipped, &o.StopsSkipped},
		{&s.StopsCancelled, &o.StopsCancelled}, {&s.StopsUnseen, &o.StopsUnseen}, {&s.StopsUnknown, &o.StopsUnknown},
		{&s.Headways, &o.Headways}, {&s.Bunched, &o.Bunched}, {&s.Seconds, &o.Seconds}, {&s.Squares, &o.Squares},
		{&s.PlannedHeadways, &o.PlannedHeadways}, {&s.PlannedSeconds, &o.PlannedSeconds},
		{&s.PlannedSquares, &o.PlannedSquares}} {
		*pair[0] += *pair[1]
	}
	if len(o.Accuracy) > 0 && len(s.Accuracy) == 0 {
		s.Accuracy = make([]int64, len(o.Accuracy))
	}
	for i, n := range o.Accuracy {
		s.Accuracy[i] += n
	}
}

// row returns the row of a key.
func (p *Performance) row(f *edition.Feed, s *sums, delays *performance.Histogram) (row Row, err error) {
	row.Label = s.Key
	switch p.By {
	case "agency":
		row.AgencyID = &s.Key
		if agency := f.Agency(s.Key); agency != nil {
			row.Label = cmp.Or(agency.AgencyName, s.Key)
		}
	case "route":
		row.RouteID = &s.Key
		if route := f.Route(s.Key); route != nil {
			row.Label, row.AgencyID = RouteLabel(route), &route.AgencyID
		}
	case "stop":
		row.StopID = &s.Key
		if stop := f.Stop(s.Key); stop != nil {
			row.Label = stop.Label
		}
	case "hour":
		hour, err := strconv.Atoi(s.Key)
		if err != nil {
			return row, fmt.Errorf("read the hour %q: %w", s.Key, err)
		}
		row.Hour = &hour
	case "day":
		day, err := rest.ParseDate(s.Key)
		if err != nil {
			return row, fmt.Errorf("read the day %q: %w", s.Key, err)
		}
		row.Date = &day
	case "month":
		row.Month = s.Key
	}
	return row, p.fill(&row, s, delays)
}

// RouteLabel returns the name by which riders know a route.
func RouteLabel(r *edition.Route) string {
	return cmp.Or(wire.Text(r.RouteShortName), wire.Text(r.RouteLongName), r.RouteID)
}

func (p *Performance) fill(row *Row, s *sums, delays *performance.Histogram) error {
	row.Scheduled = s.Scheduled
	row.Ran = s.Ran
	row.Cancelled = s.Cancelled
	row.Unseen = s.Unseen
	row.Unknown = s.Unknown
	row.Added, row.Unmatched = s.Added, s.Unmatched
	row.Stops = Stops{Stopped: s.Stopped, Passed: s.Passed, Predicted: s.Predicted, Skipped: s.StopsSkipped,
		Cancelled: s.StopsCancelled, Unseen: s.StopsUnseen, Unknown: s.StopsUnknown}
	row.Early = delays.Count(math.MinInt32, int32(-p.OnTime.Early-1))
	row.OnTime = delays.Count(int32(-p.OnTime.Early), int32(p.OnTime.Late))
	row.Late = delays.Count(int32(p.OnTime.Late+1), math.MaxInt32)
	row.Judged = row.Early + row.OnTime + row.Late
	if median, ok := delays.Percentile(0.5); ok {
		row.Median = &median
	}
	if p90, ok := delays.Percentile(0.9); ok {
		row.P90 = &p90
	}
	row.Headways = s.headways()
	accuracy, err := performance.ReadAccuracy(s.Accuracy)
	if err == nil && accuracy.Any() {
		row.Accuracy = newAccuracy(accuracy)
	}
	return err
}

// minHeadways is the number of headways below which regularity says nothing.
const minHeadways = 10

func (s *sums) headways() *Headways {
	if s.Headways < minHeadways || s.Seconds == 0 || s.PlannedSeconds == 0 {
		return nil
	}
	n := float64(s.Headways)
	sum := float64(s.Seconds)
	squares := float64(s.Squares)
	mean := sum / n
	h := &Headways{Count: s.Headways, Bunched: s.Bunched, Wait: round(squares/(2*sum), 1),
		WaitPlanned: round(float64(s.PlannedSquares)/(2*float64(s.PlannedSeconds)), 1),
		Variation:   round(math.Sqrt(max(0, squares/n-mean*mean))/mean, 3)}
	h.Excess = round(h.Wait-h.WaitPlanned, 1)
	return h
}

func newAccuracy(all performance.Accuracy) *Accuracy {
	a := &Accuracy{}
	sum, whole := 0.0, true
	for i, h := range performance.Horizons() {
		p := all[i]
		row := Horizon{From: h.From, To: h.To, Early: h.Early, Late: h.Late, Samples: p.Samples, Accurate: p.Accurate}
		if n := float64(p.Samples); n > 0 {
			share, mean := 100*float64(p.Accurate)/n, float64(p.Errors)/n
			spread := math.Sqrt(max(0, float64(p.Squares)/n-mean*mean))
			sum += share
			share = round(share, 2)
			mean = round(mean, 1)
			spread = round(spread, 1)
			row.Share = &share
			row.Mean = &mean
			row.Spread = &spread
		} else {
			whole = false
		}
		a.Horizons = append(a.Horizons, row)
	}
	if whole {
		score := round(sum/float64(len(all)), 2)
		a.Score = &score
	}
	return a
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
