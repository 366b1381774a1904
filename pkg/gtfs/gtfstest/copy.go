package gtfstest

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// keys are the columns by which rows of different files know each other. Agencies stay: there are few of them.
var keys = []string{"route_id", "stop_id", "trip_id", "service_id", "shape_id", "block_id", "parent_station",
	"from_stop_id", "to_stop_id", "from_trip_id", "to_trip_id", "from_route_id", "to_route_id", "level_id", "location_group_id"}

// Twice copies the zip src with every row in it twice, the second under ids of its own.
func Twice(w io.Writer, src string) error {
	return rewrite(w, src, func(file string, header []string) func(row []string) [][]string {
		var at []int
		for i, name := range header {
			if slices.Contains(keys, name) {
				at = append(at, i)
			}
		}
		return func(row []string) [][]string {
			if file == "agency.txt" || file == "feed_info.txt" {
				return [][]string{row}
			}
			again := slices.Clone(row)
			for _, i := range at {
				if again[i] != "" {
					again[i] = "2 " + again[i]
				}
			}
			return [][]string{row, again}
		}
	})
}

// Changed copies the zip src as if the agency had worked on it: of the trips every twentieth is gone, every tenth runs an
// hour later, and every hundredth stop has another name.
func Changed(w io.Writer, src string) error {
	return rewrite(w, src, func(file string, header []string) func(row []string) [][]string {
		trip, name := slices.Index(header, "trip_id"), slices.Index(header, "stop_name")
		arrival, departure := slices.Index(header, "arrival_time"), slices.Index(header, "departure_time")
		return func(row []string) [][]string {
			if trip >= 0 && dice(row[trip], 20) == 0 {
				return nil
			}
			if trip >= 0 && arrival >= 0 && departure >= 0 && dice(row[trip], 10) == 1 {
				row[arrival], row[departure] = later(row[arrival]), later(row[departure])
			}
			if name >= 0 && dice(row[name], 100) == 0 {
				row[name] += " (new)"
			}
			return [][]string{row}
		}
	})
}

// dice gives an id a number below sides, always the same.
func dice(id string, sides uint32) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, id)
	return h.Sum32() % sides
}

// later is a time of the service day an hour on.
func later(cell string) string {
	hour, rest, ok := strings.Cut(cell, ":")
	n := 0
	if _, err := fmt.Sscanf(strings.TrimSpace(hour), "%d", &n); err != nil || !ok {
		return cell
	}
	return fmt.Sprintf("%02d:%s", n+1, rest)
}

// rewrite copies a zip row by row. edit gets the name and header of each file and returns the function that replaces a row by others.
func rewrite(w io.Writer, src string, edit func(file string, header []string) func(row []string) [][]string) error {
	in, err := zip.OpenReader(src)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out := zip.NewWriter(w)
	for _, f := range in.File {
		if err := rewriteFile(out, f, edit); err != nil {
			return fmt.Errorf("rewrite %s: %w", f.Name, err)
		}
	}
	return out.Close()
}

func rewriteFile(out *zip.Writer, f *zip.File, edit func(file string, header []string) func(row []string) [][]string) error {
	src, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := out.Create(f.Name)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(f.Name, ".txt") {
		_, err = io.Copy(dst, io.LimitReader(src, 1<<30))
		return err
	}
	r, w := csv.NewReader(src), csv.NewWriter(dst)
	r.LazyQuotes, r.ReuseRecord = true, true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	header = slices.Clone(header)
	if err := w.Write(header); err != nil {
		return err
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	turn := edit(f.Name, header)
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			w.Flush()
			return w.Error()
		}
		if err != nil {
			return err
		}
		for _, made := range turn(row) {
			if err := w.Write(made); err != nil {
				return err
			}
		}
	}
}
