package gtfs_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
)

// pack returns a zip of entries, which are pairs of name and content.
func pack(t testing.TB, entries ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for i := 0; i < len(entries); i += 2 {
		e, err := w.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(e, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func open(data []byte, opts gtfs.Options) (*gtfs.Feed, error) {
	return gtfs.OpenZip(bytes.NewReader(data), int64(len(data)), opts)
}

// first returns the first cell of the first row of a file, or the text of the error.
func first(feed *gtfs.Feed, file string) string {
	r, err := feed.Open(file)
	if err != nil {
		return "error: " + err.Error()
	}
	defer func() { _ = r.Close() }()
	if !r.Next() {
		if r.Err() != nil {
			return "error: " + r.Err().Error()
		}
		return ""
	}
	return string(r.Cell(0))
}

func TestFeedFolders(t *testing.T) {
	t.Parallel()
	at := func(dir, id string) []string {
		return []string{dir + "stops.txt", "stop_id\n" + id, dir + "routes.txt", "route_id", dir + "trips.txt", "trip_id",
			dir + "stop_times.txt", "trip_id"}
	}
	for _, c := range []struct {
		name    string
		entries []string
		want    string // first stop, or part of the error
		codes   []gtfs.Code
	}{
		{"root", at("", "r"), "r", nil},
		{"upper case", []string{"STOPS.TXT", "stop_id\nU"}, "U", nil},
		{"one folder", at("feed/", "f"), "f", []gtfs.Code{"invalid_input_files_in_subfolder"}},
		{"deeper", append(at("a/b/c/", "d"), "a/README.txt", "hello"), "d",
			[]gtfs.Code{"invalid_input_files_in_subfolder", "file_beside_feed"}},
		{"root wins", append(at("old/", "o"), at("", "r")...), "r",
			slices.Repeat([]gtfs.Code{"invalid_input_files_in_subfolder"}, 4)},
		{"complete wins", append(at("x/feed/", "f"), "x/more/stops.txt", "stop_id\nm"), "f",
			slices.Repeat([]gtfs.Code{"invalid_input_files_in_subfolder"}, 2)},
		{"two feeds", append(at("a/", "a"), at("b/", "b")...), "several feeds", nil},
		{"first entry of a name wins", []string{"stops.txt", "stop_id\n1", "stops.txt", "stop_id\n2"}, "1",
			[]gtfs.Code{"duplicate_file"}},
		{"outside", append(at("", "r"), "../../etc/stops.txt", "x", `..\stops.txt`, "x", "/stops.txt", "x", "C:/stops.txt",
			"x"), "r",
			[]gtfs.Code{"file_outside_feed", "file_outside_feed", "file_outside_feed", "file_outside_feed"}},
		{"left by archivers", append([]string{"__MACOSX/._stops.txt", "junk", ".stops.txt", "junk"}, at("", "r")...), "r",
			[]gtfs.Code{"hidden_file", "hidden_file"}},
		{"names", append(at("", "r"), strings.Repeat("n", 256), "x", "a\x00b", "x", "empty/", "", strings.Repeat("n", 255),
			"x"), "r", []gtfs.Code{"unusable_file_name", "unusable_file_name"}},
		{"unseen", append(at("", "r"), "a\u202ecod.txt", "x", "caf\xe9.txt", "x", "caf\xe8.txt", "x"), "r",
			[]gtfs.Code{"unusable_file_name", "unreadable_file_name", "unreadable_file_name", "duplicate_file"}},
		{"nothing", nil, "does not exist", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var codes []gtfs.Code
			feed, err := open(pack(t, c.entries...), gtfs.Options{Note: func(f gtfs.Finding) { codes = append(codes, f.Code) }})
			var got string
			if err != nil {
				got = err.Error()
			} else {
				got = first(feed, "stops.txt")
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if !slices.Equal(codes, c.codes) {
				t.Errorf("findings %v, want %v", codes, c.codes)
			}
		})
	}
}

func TestFeedRefusesDamage(t *testing.T) {
	t.Parallel()
	good := pack(t, "stops.txt", "stop_id\n"+strings.Repeat("S1234567\n", 1000))
	whole := func(data []byte, opts gtfs.Options) error {
		feed, err := open(data, opts)
		if err != nil {
			return err
		}
		r, err := feed.Open("stops.txt")
		if err != nil {
			return err
		}
		for r.Next() {
		}
		return r.Err()
	}
	if err := whole(good, gtfs.Options{}); err != nil {
		t.Fatal(err)
	}
	wrongCRC := bytes.Clone(good)
	i := bytes.LastIndex(wrongCRC, []byte("PK\x01\x02"))
	wrongCRC[i+16] ^= 0xff
	lying := bytes.Clone(good) // the header states fewer bytes than the entry has
	binary.LittleEndian.PutUint32(lying[i+24:], 10)
	bomb := pack(t, "stops.txt", "stop_id\n"+strings.Repeat("\n", 4<<20))
	for name, c := range map[string]struct {
		data []byte
		opts gtfs.Options
	}{
		"not a zip":        {[]byte("<html>not found</html>"), gtfs.Options{}},
		"empty":            {nil, gtfs.Options{}},
		"truncated":        {good[:len(good)/2], gtfs.Options{}},
		"wrong checksum":   {wrongCRC, gtfs.Options{}},
		"states less":      {lying, gtfs.Options{}},
		"ratio":            {bomb, gtfs.Options{}},
		"file too large":   {good, gtfs.Options{Limits: gtfs.Limits{FileBytes: 100}}},
		"total too large":  {good, gtfs.Options{Limits: gtfs.Limits{TotalBytes: 100}}},
		"too many entries": {pack(t, "a", "", "b", "", "c", ""), gtfs.Options{Limits: gtfs.Limits{Entries: 2}}},
	} {
		if err := whole(c.data, c.opts); !errors.Is(err, gtfs.ErrUnreadable) {
			t.Errorf("%s: error %v, want ErrUnreadable", name, err)
		}
	}
}

// The size of the list is bounded, because archive/zip reads the whole list before the caller can
// count the entries.
func TestFeedRefusesALongListOfEntries(t *testing.T) {
	t.Parallel()
	var entries []string
	for range 40 {
		entries = append(entries, strings.Repeat("a", 60_000), "")
	}
	limits := gtfs.Options{Limits: gtfs.Limits{Entries: 100}}
	if _, err := open(pack(t, entries...), limits); !errors.Is(err, gtfs.ErrUnreadable) ||
		!strings.Contains(err.Error(), "list of entries") {
		t.Errorf("2.4 MB of names: %v", err)
	}
	if _, err := open(pack(t, entries[:20]...), limits); err != nil {
		t.Errorf("0.6 MB of names: %v", err)
	}
}

// bomb panics after a megabyte was read.
type bomb struct {
	io.ReadCloser
	read int
}

func (b *bomb) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if b.read > 1<<20 {
		panic("hostile bytes")
	}
	return n, err
}

// If the goroutine that inflates a large file panics, the panic becomes an error of the Reader.
func TestFeedReadsAhead(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	const rows = 1 << 15 // about 5 MB
	name := strings.Repeat("n", 150)
	b.WriteString("stop_id,stop_name\n")
	for i := range rows {
		fmt.Fprintf(&b, "S%d,%s\n", i, name)
	}
	data := pack(t, "stops.txt", b.String())
	feed, err := open(data, gtfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, upTo := range []int{rows, 10, 0} {
		r, err := feed.Open("stops.txt")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; n < upTo && r.Next(); n++ {
			if want := fmt.Sprintf("S%d", n); string(r.Cell(0)) != want {
				t.Fatalf("row %d is %s", n, r.Cell(0))
			}
		}
		if n != upTo || upTo == rows && (r.Next() || r.Err() != nil) {
			t.Errorf("%d rows of %d, error %v", n, upTo, r.Err())
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	data[bytes.LastIndex(data, []byte("PK\x01\x02"))+16] ^= 0xff // damages the checksum
	feed, err = open(data, gtfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := feed.Open("stops.txt")
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
	}
	if !errors.Is(r.Err(), gtfs.ErrUnreadable) {
		t.Errorf("wrong checksum: %v", r.Err())
	}
	feed, err = open(data, gtfs.Options{Inflate: func(r io.Reader) io.ReadCloser {
		return &bomb{ReadCloser: flate.NewReader(r)}
	}})
	if err != nil {
		t.Fatal(err)
	}
	r, err = feed.Open("stops.txt")
	if err != nil || !r.Next() {
		t.Fatalf("no row: %v", err)
	}
	for r.Next() {
	}
	if r.Err() == nil || !strings.Contains(r.Err().Error(), "hostile bytes") || r.Close() != nil {
		t.Errorf("error after a panic: %v", r.Err())
	}
}

func FuzzFeed(f *testing.F) {
	f.Add(pack(f, "stops.txt", "stop_id\nS"))
	f.Add(pack(f, "a/STOPS.TXT", "stop_id\nS", "../x", "y"))
	f.Fuzz(func(t *testing.T, data []byte) {
		feed, err := open(data, gtfs.Options{Limits: gtfs.Limits{FileBytes: 1 << 20, TotalBytes: 1 << 20}})
		if err != nil {
			return
		}
		for _, file := range feed.Files() {
			_ = first(feed, file.Name)
		}
	})
}

func TestTablesReferToTables(t *testing.T) {
	t.Parallel()
	for _, table := range gtfs.Tables() {
		for _, k := range table.Key {
			if table.Column(k) < 0 {
				t.Errorf("%s: key column %s is not a column", table.File, k)
			}
		}
		for _, c := range table.Columns {
			for _, place := range c.Within {
				file, column, _ := strings.Cut(place, "/")
				if target, _ := gtfs.TableOf(file); target.Column(column) < 0 && place != "locations.geojson/id" {
					t.Errorf("%s.%s refers to %s, which is not a column", table.File, c.Name, place)
				}
			}
			if c.Ref == "" {
				continue
			}
			if _, ok := gtfs.TableOf(c.Ref); !ok {
				t.Errorf("%s.%s refers to %s, which is not a table", table.File, c.Name, c.Ref)
			}
		}
	}
}
