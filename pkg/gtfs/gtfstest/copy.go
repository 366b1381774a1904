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

// Changed copies the zip src with changes: it removes one trip in twenty, delays one trip in ten by
// an hour, and renames one stop in a hundred.
func Changed(w io.Writer, src string) error {
	return rewrite(w, src, func(header []string) func(row []string) []string {
		trip, name := slices.Index(header, "trip_id"), slices.Index(header, "stop_name")
		arrival, departure := slices.Index(header, "arrival_time"), slices.Index(header, "departure_time")
		return func(row []string) []string {
			if trip >= 0 && dice(row[trip], 20) == 0 {
				return nil
			}
			if trip >= 0 && arrival >= 0 && departure >= 0 && dice(row[trip], 10) == 1 {
				row[arrival], row[departure] = later(row[arrival]), later(row[departure])
			}
			if name >= 0 && dice(row[name], 100) == 0 {
				row[name] += " (new)"
			}
			return row
		}
	})
}

// dice returns a pseudorandom number below sides that depends only on the id.
func dice(id string, sides uint32) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, id)
	return h.Sum32() % sides
}

func later(cell string) string {
	hour, rest, ok := strings.Cut(cell, ":")
	n := 0
	if _, err := fmt.Sscanf(strings.TrimSpace(hour), "%d", &n); err != nil || !ok {
		return cell
	}
	return fmt.Sprintf("%02d:%s", n+1, rest)
}

// rewrite copies a zip row by row. edit takes the header of a file and returns a function that
// changes a row, or returns nil to omit the row.
func rewrite(w io.Writer, src string, edit func(header []string) func(row []string) []string) error {
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

func rewriteFile(out *zip.Writer, f *zip.File, edit func(header []string) func(row []string) []string) error {
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
	change := edit(header)
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			w.Flush()
			return w.Error()
		}
		if err != nil {
			return err
		}
		if row = change(row); row == nil {
			continue
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
}
