package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/pg"
)

// A ManualRow is a row that an operator adds to a feed, or that replaces cells of a row or hides
// it. Every import of the feed applies it until it is removed.
type ManualRow struct {
	ManualID int32 `json:"manual_id"`
	// Op is add, patch or hide.
	Op string `json:"op"`
	// File is a file of the feed, such as stops.txt.
	File string `json:"file"`
	// Key has the key columns of the row, such as {"stop_id": "S1"}.
	Key map[string]string `json:"key"`
	// Cells has the cells of a new row, or replacements. "" empties a cell.
	Cells     map[string]string `json:"cells"`
	Note      *string           `json:"note"`
	Author    *string           `json:"author"`
	CreatedAt time.Time         `json:"created_at"`
}

const (
	Add   = "add"
	Patch = "patch"
	Hide  = "hide"
)

// NewManualRow makes a manual row from cells by column. It separates the key from the other cells,
// and checks each cell as an import does. The error names the column and the mistake.
func NewManualRow(op, file string, cells map[string]string) (*ManualRow, error) {
	file = strings.ToLower(file)
	if !strings.HasSuffix(file, ".txt") {
		file += ".txt"
	}
	table, ok := gtfs.TableOf(file)
	if !ok || len(table.Key) == 0 {
		var files []string
		for _, t := range gtfs.Tables() {
			if len(t.Key) > 0 {
				files = append(files, t.File)
			}
		}
		return nil, fmt.Errorf("%s: manual rows are possible in %s", file, strings.Join(files, ", "))
	}
	m := &ManualRow{Op: op, File: file, Key: map[string]string{}, Cells: map[string]string{}}
	for column, value := range cells {
		value = strings.TrimSpace(value)
		if err := checkCell(table, column, value); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if slices.Contains(table.Key, column) {
			m.Key[column] = value
		} else {
			m.Cells[column] = value
		}
	}
	if err := checkKey(table, m.Key); err != nil {
		return nil, err
	}
	switch {
	case op == Patch && len(m.Cells) == 0:
		return nil, fmt.Errorf("%s: a patch needs at least one column besides %s", file, strings.Join(table.Key, " and "))
	case op == Hide && len(m.Cells) > 0:
		return nil, fmt.Errorf("%s: to hide a row, give only %s", file, strings.Join(table.Key, " and "))
	case op != Add && op != Patch && op != Hide:
		return nil, fmt.Errorf("the operation must be add, patch or hide, not %q", op)
	}
	return m, nil
}

// checkKey requires all columns of the key, except in files whose key columns may be empty.
func checkKey(table gtfs.Table, key map[string]string) error {
	given := 0
	for _, k := range table.Key {
		switch {
		case key[k] != "":
			given++
		case !table.Plain || slices.Contains(table.Needed, k):
			return fmt.Errorf("%s: %s is required; it selects the row", table.File, strings.Join(table.Key, " and "))
		}
	}
	if given == 0 {
		return fmt.Errorf("%s: one of %s at least is required; together they select the row", table.File,
			strings.Join(table.Key, ", "))
	}
	return nil
}

func checkCell(table gtfs.Table, column, value string) error {
	i := table.Column(column)
	switch {
	case i < 0 && table.File != "routes.txt": // routes.txt may have other columns, which are served too
		var names []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
		}
		return fmt.Errorf("there is no column %q; the columns are %s", column, strings.Join(names, ", "))
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\n' || r == '\uFFFD' }):
		return fmt.Errorf("%s: the value has control characters or is not UTF-8", column)
	case i >= 0 && value != "" && !table.Columns[i].Type.OK([]byte(value)):
		rule, _ := check.RuleOf(table.Columns[i].Type.Code([]byte(value)))
		return fmt.Errorf("%s: %q: %s", column, value, rule.Message(notice.English()))
	}
	return nil
}

// ErrNoFeed means that no feed has the alias.
var ErrNoFeed = errors.New("there is no such feed")

// StoreManual stores manual rows of a feed, which take effect with the next import. They replace
// stored rows with the same file and key.
func StoreManual(ctx context.Context, db *pgxpool.Pool, alias string, rows []ManualRow) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var feedID int32
		err := tx.QueryRow(ctx, `SELECT feed_id FROM transit.feed WHERE alias = $1
			AND removed_at IS NULL`, alias).Scan(&feedID)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoFeed
		}
		for _, m := range rows {
			if err == nil {
				_, err = tx.Exec(ctx, `
					INSERT INTO transit.manual_row (feed_id, file, key, op, cells, note, author)
					VALUES ($1, $2, $3, $4, $5, $6, $7)
					ON CONFLICT (feed_id, file, key) DO UPDATE
					SET op = excluded.op, cells = excluded.cells, note = excluded.note, author = excluded.author, created_at = now()`,
					feedID, m.File, m.Key, m.Op, m.Cells, m.Note, m.Author)
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store manual rows of %s: %w", alias, err)
	}
	return nil
}

// ListManual returns the manual rows of a feed, oldest first.
func ListManual(ctx context.Context, db *pgxpool.Pool, alias string) ([]ManualRow, error) {
	rows, err := pg.List[ManualRow](ctx, db, `
		SELECT m.manual_id, m.op, m.file, m.key, m.cells, m.note, m.author, m.created_at
		FROM transit.feed f JOIN transit.manual_row m USING (feed_id)
		WHERE f.alias = $1 ORDER BY m.manual_id`, alias)
	if err != nil {
		return nil, fmt.Errorf("list manual rows of %s: %w", alias, err)
	}
	return rows, nil
}

// RemoveManual removes manual rows of a feed. If one id is unknown, it removes none.
func RemoveManual(ctx context.Context, db *pgxpool.Pool, alias string, ids ...int32) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		for _, id := range ids {
			tag, err := tx.Exec(ctx, `
				DELETE FROM transit.manual_row m USING transit.feed f
				WHERE m.manual_id = $1 AND f.feed_id = m.feed_id AND f.alias = $2`, id, alias)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return fmt.Errorf("there is no manual row %d", id)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remove manual rows of %s: %w", alias, err)
	}
	return nil
}
