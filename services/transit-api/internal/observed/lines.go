package observed

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/townline/townline/pkg/performance"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// lineSums are the figures of a line in a period: a day, or the days of a month.
type lineSums struct {
	Period rest.Date // first day of the period
	sums
}

type lineArgs struct {
	figureArgs
	Monthly bool
}

var byLine = rest.SQL[lineArgs, lineSums](figureSums(
	"CASE WHEN @monthly THEN date_trunc('month', service_date)::date ELSE service_date END AS period, route_id AS key",
	wholeLines) + " GROUP BY 1, 2 ORDER BY 1, 2")

type dayRange struct {
	Alias   string
	FromDay rest.Date
	ToDay   rest.Date
}

type monthRow struct {
	Month   rest.Date
	Changed time.Time
}

var observedMonths = rest.SQL[dayRange, monthRow](`
	SELECT date_trunc('month', service_date)::date AS month, max(greatest(written_at, added_up_at)) AS changed
	FROM transit.observed_day
	WHERE alias = @alias AND service_date >= @from_day AND service_date <= @to_day
	GROUP BY 1 ORDER BY 1`)

// A month is a whole month that is over. Its figures stay in memory until a day of it changes.
type month struct {
	alias      string
	first      rest.Date
	timepoints bool
}

type monthMemo struct {
	mu     sync.Mutex
	months map[month]monthLines
}

type monthLines struct {
	changed time.Time
	lines   []lineSums
}

func (m *monthMemo) get(of month, changed time.Time) []lineSums {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.months[of]; known.changed.Equal(changed) {
		return known.lines
	}
	return nil
}

func (m *monthMemo) put(of month, changed time.Time, lines []lineSums) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.months == nil {
		m.months = map[month]monthLines{}
	}
	m.months[of] = monthLines{changed, lines}
}

// finalAfter is how many days after its last day a month is taken for over.
const finalAfter = 3

// lines returns the figures of the lines in each day or month.
func (a *API) lines(ctx context.Context, c *rest.Call, v *View, args figureArgs, monthly bool) ([]lineSums, error) {
	if args.Stop != "" {
		return nil, nil
	}
	if !monthly || args.Route != "" {
		return readLines(ctx, c, args, monthly)
	}
	months, err := observedMonths.List(ctx, c, dayRange{args.Alias, args.FromDay, args.ToDay})
	if err != nil {
		return nil, fmt.Errorf("read the months of %s: %w", args.Alias, err)
	}
	var all []lineSums
	for _, m := range months {
		end := rest.Date{Time: m.Month.AddDate(0, 1, -1)}
		isWhole := !m.Month.Before(args.FromDay.Time) && !end.After(args.ToDay.Time) &&
			end.AddDate(0, 0, finalAfter).Before(v.State.LastDay.Time)
		of := month{args.Alias, m.Month, args.Timepoints}
		var lines []lineSums
		if isWhole {
			lines = a.months.get(of, m.Changed)
		}
		if lines == nil {
			part := args
			if part.FromDay.Before(m.Month.Time) {
				part.FromDay = m.Month
			}
			if part.ToDay.After(end.Time) {
				part.ToDay = end
			}
			lines, err = readLines(ctx, c, part, true)
			if err != nil {
				return nil, err
			}
			if isWhole {
				a.months.put(of, m.Changed, lines)
			}
		}
		all = append(all, lines...)
	}
	return all, nil
}

// readLines reads the figures of lines, each with its delays in one piece.
func readLines(ctx context.Context, c *rest.Call, args figureArgs, monthly bool) ([]lineSums, error) {
	lines, err := byLine.List(ctx, c, lineArgs{args, monthly})
	if err != nil {
		return nil, fmt.Errorf("read the figures of %s: %w", args.Alias, err)
	}
	var adder performance.Adder
	for i := range lines {
		for _, b := range lines[i].Delays {
			if err := adder.Add(b); err != nil {
				return nil, fmt.Errorf("read the delays of %s: %w", lines[i].Key, err)
			}
		}
		lines[i].Delays = [][]byte{adder.Histogram().Encode()}
	}
	return lines, nil
}

// addLines adds the rows that are sums of lines.
func (p *Performance) addLines(f *edition.Feed, lines []lineSums) error {
	key := func(l *lineSums) string {
		switch p.By {
		case "agency":
			if route := f.Route(l.Key); route != nil {
				return route.AgencyID
			}
			return ""
		case "day":
			return l.Period.String()
		case "month":
			return l.Period.Format("2006-01")
		}
		return l.Key
	}
	at := map[string]int{}
	var rows []sums
	for i := range lines {
		k, met := at[key(&lines[i])]
		if !met {
			k = len(rows)
			at[key(&lines[i])] = k
			rows = append(rows, sums{Key: key(&lines[i])})
		}
		rows[k].merge(&lines[i].sums)
		rows[k].Delays = append(rows[k].Delays, lines[i].Delays...)
	}
	return p.add(f, rows, nil)
}
