package gtfs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
)

// Values with one meaning are read in the form of GTFS; all others stay as they are. The finding
// names the first.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, column, cells, want string }{
		{"stop_times.txt", "arrival_time", "8:05 08:05 24:10 8:05:00 08:05:00.000 123:00",
			"8:05:00 08:05:00 24:10:00 8:05:00 08:05:00 123:00:00"},
		{"stop_times.txt", "arrival_time", "8:65 8:05PM 8:05:00.5 805 8:5 8:05:00. 8.05 :05", ""},
		{"stop_times.txt", "stop_sequence", "10.0 10. 3,0 7 10.00 007.0", "10 10 3 7 10 007"},
		{"stop_times.txt", "stop_sequence", "10.5 10.000 1e1 1,000 .0 x.0 +1.0", ""},
		{"calendar.txt", "start_date", "2026-11-01 2026/11/1 2026.11.01 20261101.0 2026-11-01T00:00:00Z 20261101",
			"20261101 20261101 20261101 20261101 20261101 20261101"},
		{"calendar.txt", "start_date",
			"11/01/2026 2026-02-30 2026-11-01T22:00:00Z 2026-11 01.11.2026 2026/11-01 26-11-01 2026--1", ""},
		{"calendar.txt", "monday", "TRUE False t no 1.0 0,0 1", "1 0 1 0 1 0 1"},
		{"calendar.txt", "monday", "Y on 2.000 W", ""},
		{"routes.txt", "route_type", "3.0 700.0 3", "3 700 3"},
		{"routes.txt", "route_color", "#0055aa 0055AA", "0055aa 0055AA"},
		{"routes.txt", "route_color", "#fff #xxxxxx 0x0055AA", ""},
		{"stops.txt", "stop_lat", "47,5 -12,345 47.5", "47.5 -12.345 47.5"},
		{"stops.txt", "stop_lat", "47,5,1 1,2.3 ,5", ""},
		{"shapes.txt", "shape_dist_traveled", "1,25 3.5", "1.25 3.5"},
		{"shapes.txt", "shape_dist_traveled", "1,234", ""},
		{"stops.txt", "stop_name", "8:05 TRUE 10.0", "8:05 TRUE 10.0"},
	} {
		var all []gtfs.Finding
		var values []string
		opts := gtfs.Options{Note: func(f gtfs.Finding) {
			all, values = append(all, f), append(values, string(f.Value))
		}}
		cells := strings.Fields(c.cells)
		text := c.column + ",other\n\"" + strings.Join(cells, "\",é\n\"") + "\",é\n"
		plain := strings.ReplaceAll(text, "é", "e") // rows that need no cleaning
		for _, text := range []string{text, plain} {
			all, values = nil, nil
			r, err := gtfs.NewReader(c.file, strings.NewReader(text), 0, opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for r.Next() {
				got = append(got, string(r.Cell(0)))
				if other := string(r.Cell(1)); other != "é" && other != "e" {
					t.Errorf("%s: the next cell is %q", c.cells, other)
				}
			}
			want := strings.Fields(c.want)
			if c.want == "" {
				want = cells
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: %q is read as %q, want %q", c.file, c.column, cells, got, want)
			}
			changed, first := 0, ""
			for i, cell := range cells {
				if want[i] != cell {
					changed++
					if changed == 1 {
						first = fmt.Sprintf("%s, read as %s", cell, want[i])
					}
				}
			}
			switch {
			case changed == 0 && len(all) > 0, changed > 0 && len(all) != 1:
				t.Errorf("%s: findings %+v", c.cells, all)
			case changed > 0 && (all[0].Count != changed || values[0] != first || all[0].Effect != gtfs.CellChanged ||
				all[0].Field != c.column):
				t.Errorf("%s: finding %+v, %s", c.cells, all[0], values[0])
			}
		}
	}
}

// The header tells what separates the cells of a table.
func TestSeparators(t *testing.T) {
	t.Parallel()
	const want = `S1|Market, "north"|47.5||;S2||8||;`
	for _, c := range []struct{ name, text, codes string }{
		{"commas", "stop_id,stop_name,stop_lat,note\nS1,\"Market, \"\"north\"\"\",47.5,\nS2,,8,\n", ""},
		{"semicolons", "stop_id;stop_name;stop_lat;note\nS1;Market, \"north\";47,5;\nS2;;8;\n",
			"wrong_separator invalid_float"},
		{"tabs", "stop_id\tstop_name\tstop_lat\tnote\r\nS1\tMarket, \"north\"\t47.5\t\r\nS2\t\t8\t\r\n", "wrong_separator"},
		{"pipes, quoted",
			"\"stop_id\"|\"stop_name\"|\"stop_lat\"|\"note\"\n\"S1\"|\"Market, \"\"north\"\"\"|\"47.5\"|\"\"\n" +
				"\"S2\"|\"\"|\"8\"|\"\"\n", "wrong_separator"},
		{"Excel", "sep=;\nstop_id;stop_name;stop_lat;note\nS1;\"Market, \"\"north\"\"\";47.5;\nS2;;8;\n",
			"line_before_header wrong_separator"},
		{"a comment",
			"\n# made by a tool, for you\nstop_id,stop_name,stop_lat,note\nS1,\"Market, \"\"north\"\"\",47.5,\nS2,,8,\n",
			"line_before_header"},
		{"two marks", "\xEF\xBB\xBF\xEF\xBB\xBFstop_id,stop_name,stop_lat,note\nS1,\"Market, \"\"north\"\"\",47.5,\nS2,,8,\n",
			""},
	} {
		var codes []string
		r, err := gtfs.NewReader("stops.txt", strings.NewReader(c.text), 0, gtfs.Options{Note: func(f gtfs.Finding) {
			codes = append(codes, string(f.Code))
		}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for r.Next() {
			for i := range 4 {
				got += string(r.Cell(i)) + "|"
			}
			got += ";"
		}
		if got != want {
			t.Errorf("%s: %s", c.name, got)
		}
		if strings.Join(codes, " ") != c.codes || r.Recoded() != (strings.Contains(c.codes, "_separator") ||
			strings.Contains(c.codes, "header")) {
			t.Errorf("%s: findings %s, recoded %t", c.name, codes, r.Recoded())
		}
	}
}
