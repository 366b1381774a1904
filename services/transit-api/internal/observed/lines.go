package observed

import (
	"context"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/performance"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
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

// A month is a whole month that is over. Its figures stay in memory; if a day of it changes, it is
// another month.
type month struct {
	figureArgs
	changed time.Time
}

func (m month) key() kept.Key {
	key := kept.Key{Kind: kept.Months, ID: fmt.Sprintf("%s %d", m.Alias, m.changed.UnixMicro()),
		Number: int32(m.FromDay.Unix() / 86400)}
	if m.Timepoints {
		key.Other = 1
	}
	return key
}

const (
	monthsBytes  = 16 << 20 // of the months in memory
	lineSumBytes = 300      // of a line in a month, without its delays
)

// monthsOf returns the months that an answer reads.
func (a *API) monthsOf(c *rest.Call) kept.Memo[month, []lineSums] {
	return kept.Memo[month, []lineSums]{Cache: a.months, Key: month.key,
		Read: func(ctx context.Context, which []month, each func(month, *[]lineSums, int) error) error {
			for _, m := range which {
				lines, err := readLines(ctx, c, m.figureArgs, true)
				if err != nil {
					return err
				}
				size := 0
				for i := range lines {
					size += lineSumBytes + len(lines[i].Delays[0]) + 8*len(lines[i].Accuracy)
				}
				if err := each(m, &lines, size); err != nil {
					return err
				}
			}
			return nil
		}}
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
	memo := a.monthsOf(c)
	var all []lineSums
	for _, m := range months {
		end := rest.Date{Time: m.Month.AddDate(0, 1, -1)}
		isWhole := !m.Month.Before(args.FromDay.Time) && !end.After(args.ToDay.Time) &&
			end.AddDate(0, 0, finalAfter).Before(v.State.LastDay.Time)
		part := args
		if part.FromDay.Before(m.Month.Time) {
			part.FromDay = m.Month
		}
		if part.ToDay.After(end.Time) {
			part.ToDay = end
		}
		var lines []lineSums
		if isWhole {
			of := month{part, m.Changed}
			found, err := memo.Get(ctx, []month{of}, edition.All)
			if err != nil {
				return nil, err
			}
			lines = *found[of]
		} else if lines, err = readLines(ctx, c, part, true); err != nil {
			return nil, err
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
