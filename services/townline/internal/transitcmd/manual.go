package transitcmd

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline/internal/session"
)

// Manual has the sub-commands of `townline manual`.
type Manual struct {
	Add    manualAddCmd    `cmd:"" help:"Add a row to a file of the feed, or replace one."`
	Patch  manualPatchCmd  `cmd:"" help:"Replace some cells of a row."`
	Hide   manualHideCmd   `cmd:"" help:"Hide a row."`
	List   manualListCmd   `cmd:"" help:"List the manual rows of a feed."`
	Remove manualRemoveCmd `cmd:"" help:"Remove manual rows."`
}

func (*Manual) Help() string {
	return `Manual rows are your own GTFS rows. Every import adds them to the feed, so they survive a new zip. Each
change imports the archived zip again and is served at once. If the feed has the same row, the manual row
replaces it, and the report says so.

  townline manual add metro stops stop_id=X1 'stop_name=Market Square' stop_lat=47.1 stop_lon=-122.3
  townline manual patch metro routes route_id=10 route_color=FF0000
  townline manual hide metro trips trip_id=1002
  townline manual add metro stops --csv more-stops.csv`
}

// manualRows has the arguments that add, patch and hide share.
type manualRows struct {
	Alias string   `arg:"" help:"Alias of the feed."`
	File  string   `arg:"" help:"File of the feed: stops or stops.txt."`
	Cells []string `arg:"" optional:"" name:"column=value" help:"Cells of one row; the key cells select the row."`
	CSV   string   `name:"csv" type:"existingfile" placeholder:"FILE" help:"Read rows from a CSV file with a header line instead."`
	Note  string   `help:"Reason; shown by manual list."`
}

type manualAddCmd struct{ manualRows }

func (*manualAddCmd) Help() string {
	return `The row replaces the feed's row with the same key, or is added after all rows of the feed. It is checked like
the feed's rows.

  townline manual add metro stops stop_id=X1 'stop_name=Market Square' stop_lat=47.1 stop_lon=-122.3 --note 'opens in May'
  townline manual add metro calendar_dates service_id=WEEK date=20260704 exception_type=2
  townline manual add metro stop_times --csv night-bus.csv`
}

func (c *manualAddCmd) Run(s *session.Session) error { return c.store(s, operator.Add) }

type manualPatchCmd struct{ manualRows }

func (*manualPatchCmd) Help() string {
	return `The key cells select the row; the other cells replace those of the feed. If the feed does not have the row,
the report of each import says so, and the patch applies as soon as the feed has it.

  townline manual patch metro routes route_id=10 route_color=FF0000
  townline manual patch metro stop_times trip_id=1002 stop_sequence=3 pickup_type=1`
}

func (c *manualPatchCmd) Run(s *session.Session) error { return c.store(s, operator.Patch) }

type manualHideCmd struct{ manualRows }

func (*manualHideCmd) Help() string {
	return `The row is left out, and with it the rows that refer to it: the stop times of a hidden trip, the trips of a
hidden route.

  townline manual hide metro trips trip_id=1002
  townline manual hide metro stops --csv closed-stops.csv`
}

func (c *manualHideCmd) Run(s *session.Session) error { return c.store(s, operator.Hide) }

func (c *manualRows) store(s *session.Session, op string) error {
	rows, err := c.rows(op)
	if err != nil {
		return err
	}
	return s.With("manual", func(deps run.Deps) error {
		if err := operator.StoreManual(s.Ctx, deps.DB, c.Alias, rows); err != nil {
			return err
		}
		return reimport(s, deps, c.Alias)
	}, schema.Transit)
}

// reimport makes a change of manual rows live.
func reimport(s *session.Session, deps run.Deps, alias string) error {
	bar := s.Progress(alias)
	defer bar.Close()
	report, err := gtfsimport.Reimport(s.Ctx, deps, alias, bar.Step)
	bar.Close()
	if errors.Is(err, gtfsimport.ErrNoFeed) {
		fmt.Fprintln(s.Stdout, "stored; it takes effect with the first import of the feed")
		return nil
	}
	if err != nil {
		return fmt.Errorf("stored, but not live: %w", err)
	}
	sweep(s, deps)
	return printReport(s, false, report, waitServed(s, deps, report), false)
}

// rows returns the rows from the command line or from the CSV file.
func (c *manualRows) rows(op string) ([]operator.ManualRow, error) {
	if (c.CSV == "") == (len(c.Cells) == 0) {
		return nil, errors.New("give the row as column=value, or rows with --csv")
	}
	var rows []operator.ManualRow
	add := func(cells map[string]string) error {
		row, err := operator.NewManualRow(op, c.File, cells)
		if err != nil {
			return err
		}
		if c.Note != "" {
			row.Note = &c.Note
		}
		row.Author = author()
		rows = append(rows, *row)
		return nil
	}
	if c.CSV == "" {
		cells := map[string]string{}
		for _, arg := range c.Cells {
			column, value, ok := strings.Cut(arg, "=")
			if _, twice := cells[column]; !ok || twice {
				return nil, fmt.Errorf("%q: cells are given as column=value, each column once", arg)
			}
			cells[column] = value
		}
		return rows, add(cells)
	}
	// Patch and hide ignore empty cells; add stores them.
	err := readCSV(c.CSV, op == operator.Add, add)
	return rows, err
}

// readCSV calls add with the cells of each row. If empty is false, it omits empty cells.
func readCSV(path string, empty bool, add func(cells map[string]string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: header line: %w", path, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // spreadsheets write a byte order mark
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		cells := map[string]string{}
		for i, column := range header {
			if value := record[i]; value != "" || empty {
				cells[strings.TrimSpace(column)] = value
			}
		}
		if err := add(cells); err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
}

type manualListCmd struct {
	Alias string `arg:"" help:"Alias of the feed."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (c *manualListCmd) Run(s *session.Session) error {
	return s.With("manual-list", func(deps run.Deps) error {
		if _, err := gtfsimport.OneFeed(s.Ctx, deps, c.Alias); err != nil {
			return err
		}
		rows, err := operator.ListManual(s.Ctx, deps.DB, c.Alias)
		if err != nil {
			return err
		}
		return session.List(s, c.JSON, rows, "no manual rows; add one with townline manual add",
			"ID, OP, FILE, KEY, CELLS, BY, NOTE", func(m operator.ManualRow) []any {
				return []any{m.ManualID, m.Op, m.File, cells(m.Key), cells(m.Cells), council.Text(m.Author), council.Text(m.Note)}
			})
	}, schema.Transit)
}

func cells(m map[string]string) string {
	out, err := json.Marshal(m)
	if err != nil || len(m) == 0 {
		return ""
	}
	return string(out)
}

type manualRemoveCmd struct {
	Alias string  `arg:"" help:"Alias of the feed."`
	IDs   []int32 `arg:"" name:"id" help:"Ids, as manual list shows them."`
}

func (*manualRemoveCmd) Help() string {
	return `The feed's own rows are served again.

  townline manual list metro
  townline manual remove metro 3 4`
}

func (c *manualRemoveCmd) Run(s *session.Session) error {
	return s.With("manual-remove", func(deps run.Deps) error {
		if err := operator.RemoveManual(s.Ctx, deps.DB, c.Alias, c.IDs...); err != nil {
			return err
		}
		return reimport(s, deps, c.Alias)
	}, schema.Transit)
}
