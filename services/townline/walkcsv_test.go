package townline_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// The walk must be independent of pkg/gtfs, which the import uses. This file reads a feed with the
// standard library, and has its own rules for valid cells.

// csvFeed has the text of a feed's files by lower-case name, in UTF-8 except for stray bytes.
type csvFeed map[string][]byte

// readZip reads the files in the folder of stop_times.txt. If there are two such folders, the outer
// one counts; of two files with the same name, the first one counts.
func readZip(t *testing.T, file string) csvFeed {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	place := func(f *zip.File) (dir, name string) {
		dir, name = path.Split(strings.ReplaceAll(f.Name, `\`, "/"))
		return dir, strings.ToLower(name)
	}
	folders := []string{}
	for _, f := range z.File {
		if dir, name := place(f); name == "stop_times.txt" && !strings.Contains(dir, "__MACOSX") {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 0 {
		t.Fatal("a feed without stop_times.txt was imported")
	}
	folder := slices.MinFunc(folders, func(a, b string) int { return len(a) - len(b) })
	feed := csvFeed{}
	for _, f := range z.File {
		dir, name := place(f)
		if _, twice := feed[name]; twice || dir != folder || path.Ext(name) != ".txt" {
			continue
		}
		text, err := textOf(f)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		feed[name] = text
	}
	return feed
}

// textOf returns an entry without byte order mark, converted from UTF-16 to UTF-8, and with line
// ends that encoding/csv accepts.
func textOf(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	text, err := io.ReadAll(r)
	if err == nil && (bytes.HasPrefix(text, []byte("\xFF\xFE")) || bytes.HasPrefix(text, []byte("\xFE\xFF"))) {
		text, err = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(text)
	}
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 && text[i] == '\r' && !bytes.HasPrefix(text[i:], []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	return text, nil
}

// settable lists the columns that the model may set, even if a file lacks them.
var settable = map[string][]string{"agency.txt": {"agency_id"}, "routes.txt": {"agency_id"},
	"stops.txt": {"parent_station"}, "trips.txt": {"shape_id"},
	"calendar.txt": {"start_date", "end_date", "in_calendar"}}

// rows yields the rows of a file with the expected cells.
func (feed csvFeed) rows(t *testing.T, file string) iter.Seq[row] {
	t.Helper()
	return feed.read(t, file, allowed)
}

// read yields the rows of a file, with each cell converted by a function.
func (feed csvFeed) read(t *testing.T, file string, made func(column, cell string) string) iter.Seq[row] {
	t.Helper()
	return func(yield func(row) bool) {
		t.Helper()
		r := csv.NewReader(bytes.NewReader(withTextAfterQuotes(feed[file])))
		r.FieldsPerRecord, r.LazyQuotes = -1, true
		r.TrimLeadingSpace, r.ReuseRecord = true, true
		known := map[string]string{} // a cache, because cells repeat
		var header []string
		at, width := map[string]int{}, 0
		for {
			cells, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for i, cell := range cells {
				cells[i] = plain(cell)
			}
			if len(cells) == 1 && cells[0] == "" {
				continue // a blank row
			}
			if header == nil {
				header = slices.Clone(cells)
				for i, name := range header {
					if lower := strings.ToLower(name); ofTheStandard(lower) {
						header[i] = lower
					}
				}
				for _, name := range slices.Concat(header, settable[file]) {
					if _, twice := at[name]; !twice && name != "" {
						at[name] = width
					}
					width++
				}
				continue
			}
			out := &record{at, make([]string, width)}
			for i, cell := range cells[:min(len(cells), len(header))] {
				cell = made(header[i], cell)
				text, ok := known[cell]
				if !ok {
					text = strings.Clone(cell)
					known[text] = text
				}
				out.cells[i] = text
			}
			if !yield(out) {
				return
			}
		}
	}
}

// cellPattern matches a cell: in quotes, with the text after the closing quote, or without quotes.
var cellPattern = regexp.MustCompile(`[ \t]*"((?:[^"]|"")*)"([^,\r\n]*)|[^,\r\n]+`)

// withTextAfterQuotes moves text after a closing quote into the quotes. encoding/csv would treat the
// closing quote as part of the cell.
func withTextAfterQuotes(text []byte) []byte {
	if !bytes.Contains(text, []byte(`"`)) {
		return text
	}
	return cellPattern.ReplaceAllFunc(text, func(cell []byte) []byte {
		m := cellPattern.FindSubmatch(cell)
		if len(m[2]) == 0 {
			return cell
		}
		after := bytes.ReplaceAll(m[2], []byte(`"`), []byte(`""`))
		return slices.Concat([]byte(`"`), m[1], after, []byte(`"`))
	})
}

func TestOwnReaderOfQuotes(t *testing.T) {
	t.Parallel()
	feed := csvFeed{"agency.txt": []byte("agency_id,agency_name,agency_url\n\"1\" ,\"the \"\"A\"\" \",\"u\" \n" +
		"\"1,\n2\",\"a\"b\"c\"\n3,a\"b\"c,\"c\" d\n")}
	var got [][]string
	for r := range feed.rows(t, "agency.txt") {
		got = append(got, []string{r.get("agency_id"), r.get("agency_name"), r.get("agency_url")})
	}
	if want := [][]string{{"1", `the "A"`, "u"}, {"1,\n2", `ab"c"`, ""}, {"3", `a"b"c`, "c d"}}; !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// plain returns a cell in UTF-8, without control characters and surrounding white space.
func plain(cell string) string {
	if !utf8.ValidString(cell) {
		cell, _ = charmap.Windows1252.NewDecoder().String(cell) // Windows1252 decodes every byte
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && !strings.ContainsRune("\n\r\t", r) {
			return -1
		}
		return r
	}, cell))
}

var (
	timeOfDay = regexp.MustCompile(`^(\d{1,3}):([0-5]\d):([0-5]\d)$`)
	decimal   = regexp.MustCompile(`^[0-9.eE+-]{1,64}$`)
	colour    = regexp.MustCompile(`^[0-9A-Fa-f]{6}$`)
)

// allowed returns the expected value of a cell. It is empty if the reference does not allow the
// value and the import uses the column. Times have two digits for the hour.
func allowed(column, cell string) string {
	ok := true
	switch column {
	case "agency_id", "route_id", "service_id", "trip_id", "shape_id", "stop_id", "stop_code", "parent_station":
		ok = len(cell) <= 512
	case "arrival_time", "departure_time", "start_time", "end_time", "start_pickup_drop_off_window",
		"end_pickup_drop_off_window":
		var seconds int
		seconds, ok = secondsOf(cell)
		if ok {
			return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		}
	case "date", "start_date", "end_date":
		day, err := time.Parse("20060102", cell)
		ok = err == nil && day.Year() > 0
	case "route_color", "route_text_color":
		ok = colour.MatchString(cell)
	case "stop_lat", "shape_pt_lat":
		ok = within(cell, 90)
	case "stop_lon", "shape_pt_lon":
		ok = within(cell, 180)
	case "stop_sequence", "shape_pt_sequence":
		_, ok = wholeNumber(cell)
	case "headway_secs":
		n, whole := wholeNumber(cell)
		ok = whole && n > 0
	case "direction_id", "exact_times", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		ok = cell == "0" || cell == "1"
	case "exception_type":
		ok = cell == "1" || cell == "2"
	}
	if !ok {
		return ""
	}
	return cell
}

// secondsOf parses a time of the service day, which may exceed 24 hours.
func secondsOf(cell string) (int, bool) {
	m := timeOfDay.FindStringSubmatch(cell)
	if m == nil {
		return 0, false
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1]) // always digits
	}
	return n[0]*3600 + n[1]*60 + n[2], true
}

func degrees(cell string) (float64, bool) {
	f, err := strconv.ParseFloat(cell, 64)
	return f, err == nil && decimal.MatchString(cell)
}

func within(cell string, bound float64) bool {
	f, ok := degrees(cell)
	return ok && math.Abs(f) <= bound
}

func wholeNumber(cell string) (int, bool) {
	n, err := strconv.ParseUint(cell, 10, 31)
	return int(n), err == nil && len(cell) <= 20
}

// ofTheStandard reports whether a column is in GTFS, ignoring case.
func ofTheStandard(column string) bool {
	for _, c := range []columns{agencyColumns, routeColumns, stopColumns, tripColumns, callColumns, pointColumns} {
		if slices.Contains(c.required, column) || slices.Contains(c.nullable, column) {
			return true
		}
	}
	return slices.Contains(weekdays, column) ||
		slices.Contains([]string{"start_date", "end_date", "date", "exception_type", "start_time", "end_time", "headway_secs",
			"exact_times", "location_id"}, column)
}

func readCSV(text []byte) ([][]string, error) {
	return csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).ReadAll()
}

func writeCSV(t *testing.T, rows [][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
