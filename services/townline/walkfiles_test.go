package townline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// This file checks the files of a feed as served: the list, rows that the import does not use, and
// the lines in the report.

// elsewhere lists the files whose rows have other resources; unknown columns of some are also
// served here.
var elsewhere = []string{"agency.txt", "routes.txt", "stops.txt", "trips.txt", "stop_times.txt", "calendar.txt",
	"calendar_dates.txt", "shapes.txt",
	"directions.txt", "direction_names.txt", "frequencies.txt", "feed_info.txt", "translations.txt"}

// readKept reads the files that are served unchanged. It omits rows that refer to missing rows.
func (m *feedModel) readKept(t *testing.T, feed csvFeed) {
	m.kept = map[string][]row{}
	raw := func(_, cell string) string { return cell }
	for file := range feed {
		of := feed.read(t, file, raw)
		switch file {
		case "frequencies.txt", "feed_info.txt":
			of = feed.rows(t, file)
		}
		for r := range of {
			if slices.Contains(elsewhere[:10], file) || !m.dangles(file, r) {
				m.kept[file] = append(m.kept[file], r)
			}
		}
	}
}

// dangles reports whether a row refers to a missing stop, route, trip or service.
func (m *feedModel) dangles(file string, r row) bool {
	if !ofTheReference(file) {
		return false
	}
	for column := range r.at {
		id := r.get(column)
		if id == "" {
			continue
		}
		switch column {
		case "stop_id", "from_stop_id", "to_stop_id":
			if m.stopOf[id] == nil {
				return true
			}
		case "route_id", "from_route_id", "to_route_id":
			if m.routeOf[id] == nil {
				return true
			}
		case "trip_id", "from_trip_id", "to_trip_id":
			if m.tripOf[id] == nil {
				return true
			}
		case "service_id", "prior_notice_service_id":
			if m.serviceOf[id] == nil {
				return true
			}
		}
	}
	return false
}

// ofTheReference reports whether a file has a resource with the file's name.
func ofTheReference(file string) bool {
	return checkOf("feeds/*/"+strings.TrimSuffix(file, ".txt")) != nil
}

// sameCells compares a row of an answer with a row of the file: both must have the same columns. If
// some is set, the answer may have only some of the columns.
func sameCells(got map[string]any, want row, some bool) error {
	for column := range want.at {
		cell, there := got[column]
		if column == "label" || some && !there {
			continue
		}
		if text := want.get(column); !there || cell == nil != (text == "") || cell != nil && cell != text {
			return fmt.Errorf("%s is %#v, want %q", column, cell, text)
		}
	}
	for column, cell := range got {
		if _, known := want.at[column]; !known && column != "label" && cell != nil {
			return fmt.Errorf("%s is %#v, which the file lacks", column, cell)
		}
	}
	if label, _ := got["label"].(string); label == "" {
		return fmt.Errorf("%v has no label", got)
	}
	return nil
}

// rowsAsTheyAre compares a resource with its file: the same rows in the same order.
func (w *walker) rowsAsTheyAre(a *answer) error {
	file := a.path[2] + ".txt"
	switch file {
	// Of several rows with the same key the first counts, and incomplete rows are omitted.
	case "frequencies.txt", "feed_info.txt", "translations.txt":
		return w.among(a, w.model.kept[file])
	}
	return page(a, w.model.kept[file], func(got map[string]any, want row) error { return sameCells(got, want, false) })
}

// among finds each row of a page in a file, in order.
func (w *walker) among(a *answer, all []row) error {
	if a.Meta.TotalCount > len(all) {
		return fmt.Errorf("%d rows, and the file has %d", a.Meta.TotalCount, len(all))
	}
	at := 0
	for i, got := range a.rows {
		var err error
		for found := false; !found; at++ {
			if at == len(all) {
				return fmt.Errorf("item %d: %v is not in the file after the previous one: %w", i, got, err)
			}
			err = sameCells(got, all[at], true)
			found = err == nil
		}
	}
	return nil
}

func (w *walker) file(a *answer) error {
	file := a.path[3]
	if slices.Contains(elsewhere, file) {
		return w.among(a, w.model.kept[file])
	}
	return page(a, w.model.kept[file], func(got map[string]any, want row) error { return sameCells(got, want, false) })
}

// fileList compares the list of files with the zip.
func (w *walker) fileList(a *answer) error {
	listed := map[string]bool{}
	for _, got := range a.rows {
		name, _ := got["file"].(string)
		listed[name] = true
		rows := w.model.kept[name]
		if len(rows) == 0 || path.Ext(name) != ".txt" {
			continue
		}
		columns, _ := got["columns"].([]any)
		has := map[string]bool{}
		for _, c := range columns {
			column, _ := c.(string)
			has[column] = true
		}
		for column := range rows[0].at {
			if !has[column] && !slices.Contains(settable[name], column) {
				return fmt.Errorf("%s: the column %q is missing in %v", name, column, columns)
			}
		}
		if n := got["rows"]; !slices.Contains(elsewhere, name) && n != float64(len(rows)) {
			return fmt.Errorf("%s: %v rows, want %d", name, n, len(rows))
		}
	}
	if a.Meta.TotalCount == len(a.rows) {
		for name := range w.model.feed {
			if !listed[name] {
				return fmt.Errorf("%s is not listed", name)
			}
		}
	}
	return nil
}

func (w *walker) locations(a *answer) error {
	for _, got := range a.rows {
		if got["type"] != "Feature" {
			return fmt.Errorf("%v is not a feature", got)
		}
	}
	return nil
}

// report compares each example with the line of the file that it names, and each count with the sum
// of its parts.
func (w *walker) report(a *answer) error {
	var r struct {
		Findings []struct {
			Code     string
			Count    int
			Files    []struct{ Count int }
			Examples []struct {
				File, Value string
				Line        int
			}
		}
	}
	if err := json.Unmarshal(a.Data, &r); err != nil {
		return err
	}
	for _, f := range r.Findings {
		sum := 0
		for _, part := range f.Files {
			sum += part.Count
		}
		if sum != f.Count || f.Count < len(f.Examples) {
			return fmt.Errorf("%s: %d, but %d in files, with %d examples", f.Code, f.Count, sum, len(f.Examples))
		}
		for _, x := range f.Examples {
			lines := bytes.Split(w.model.feed[x.File], []byte("\n"))
			if x.Line == 0 || len(lines) < 2 {
				continue
			}
			if x.Line > len(lines) {
				return fmt.Errorf("%s: line %d of %s, which has %d", f.Code, x.Line, x.File, len(lines))
			}
			if strings.ContainsAny(x.Value, "\",:\n…\ufffd") || plain(x.Value) != x.Value {
				continue
			}
			parts := []string{x.Value}
			if f.Code == "duplicate_route_name" {
				parts = strings.Fields(x.Value) // the value joins two cells
			}
			rest := plain(string(bytes.Join(lines[x.Line-1:min(x.Line+3, len(lines))], []byte("\n"))))
			for _, part := range parts {
				if !strings.Contains(rest, part) {
					return fmt.Errorf("%s: %q is not at line %d of %s: %.200s", f.Code, part, x.Line, x.File, rest)
				}
			}
		}
	}
	return nil
}
